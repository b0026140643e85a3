"""``demo``: both built-in deployments, a dozen questions, with and without enrichment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from dragoman.cli.options import AsJson, examples

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from dragoman.cli.tour import Stop, Tour

_TELLING = ("drugs", "unknown_drugs", "attribute", "condition.name", "weight_kg", "population", "needs_clarify")


def demo(as_json: AsJson = False) -> None:
    """Build both demos, ask questions in Dutch, Vietnamese and English, and search with and without enrichment.

    Exits with 1 if a question's page is not found with enrichment.
    """
    from dragoman.cli.output import complain, console, print_json
    from dragoman.cli.tour import DEPTH, tour
    from dragoman.demo import names

    tours = []
    for name in names():
        complain(f"demo {name} ...")
        tours.append(tour(name))
    stops = [s for t in tours for s in t.stops if s.question.expects_page is not None]
    summary = {
        "questions": sum(len(t.stops) for t in tours),
        "with_a_page": len(stops),
        "depth": DEPTH,
        "found": {"plain": sum(s.plain is not None for s in stops), "enriched": sum(not s.missed for s in stops)},
        "first": {"plain": sum(s.plain == 1 for s in stops), "enriched": sum(s.enriched == 1 for s in stops)},
    }
    if as_json:
        print_json({"demos": [_document(t) for t in tours], "summary": summary})
    else:
        out = console()
        for each in tours:
            _show(each, out)
        _summary(summary, out)
    if any(s.missed for s in stops):
        raise typer.Exit(1)


def _document(tour: Tour) -> dict[str, Any]:
    return {
        "name": tour.name,
        "index": tour.index,
        "pages": tour.pages,
        "questions": [
            {
                "text": s.question.text,
                "language": s.question.language,
                "scope": s.answer.scope,
                "frame": s.answer.frame,
                "text_enriched": s.answer.enrichment.text,
                "expansions": s.answer.enrichment.expansions,
                "expects_page": s.question.expects_page,
                "rank": {"plain": s.plain, "enriched": s.enriched},
            }
            for s in tour.stops
        ],
    }


def _show(tour: Tour, out: Console) -> None:
    from rich.text import Text

    from dragoman.cli.render import heading, table

    note = f"index {tour.index}, {tour.pages} pages; rank of the page that answers, without and with enrichment"
    heading(out, f"demo-{tour.name}", note)
    rows = table("question", "frame", "appended", "page", "without", "with")
    for stop in tour.stops:
        appended = "\n".join(dict.fromkeys(e.term for e in stop.answer.enrichment.expansions))
        page = stop.question.expects_page
        rows.add_row(
            Text(stop.question.text),
            _frame(stop),
            Text(appended or "–", "green" if appended else "dim"),
            Text(page or "none", "" if page else "dim"),
            Text(_rank(stop.plain, page), justify="right"),
            Text(_rank(stop.enriched, page), _better(stop), justify="right"),
        )
    out.print(rows)


def _frame(stop: Stop) -> Text:
    from rich.text import Text

    from dragoman.cli.render import set_fields

    fields = dict(set_fields(stop.answer.frame))
    text = Text(fields.pop("turn_type"), "bold")
    for name in _TELLING:
        if name in fields:
            text.append(f"\n{name} ", "cyan").append(fields[name])
    if stop.answer.scope.subject != "human":
        text.append(f"\n{stop.answer.scope.subject}", "yellow")
    return text


def _rank(rank: int | None, page: str | None) -> str:
    return "" if page is None else str(rank) if rank else "–"


def _better(stop: Stop) -> str:
    if stop.missed:
        return "bold red"
    return "bold green" if (stop.enriched or 99) < (stop.plain or 99) else ""


def _summary(summary: dict[str, Any], out: Console) -> None:
    from rich.text import Text

    of, depth, found, first = (summary[k] for k in ("with_a_page", "depth", "found", "first"))
    out.print(
        Text.assemble(
            (f"{summary['questions']} questions, {of} of them with a page that answers. ", ""),
            (
                f"Among the first {depth} results: {found['plain']} without, {found['enriched']} with enrichment. ",
                "bold",
            ),
            (f"In first place: {first['plain']} without, {first['enriched']} with.", "bold"),
        )
    )
    out.print(Text("Go on with your own question: dragoman ask --help", "dim"))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=examples("demo"))(demo)
