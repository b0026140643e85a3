"""The safety pack as Markdown and as one HTML file, from one list of sections: what they say cannot differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from dragoman.evaluate.safety_pack import Asked, Case, Pack, Pair

_CSS = Path(__file__).with_name("report.css")
_SHOWN = 50  # rows of a table; the JSON beside the report holds them all
_SIGN = ("Name and function", "Date", "Signature", "Restrictions, and until when this holds")


class Section(NamedTuple):
    """A heading, a paragraph, and a table, empty where there is nothing to list."""

    title: str
    text: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def sections(pack: Pack) -> list[Section]:
    """The report in order."""
    return [
        Section(
            "What this is about",
            "The index that this report was made with, and what it was built from. It says how names are read; it is "
            "no judgement of the medical texts that a search then shows.",
            ("", ""),
            [
                ("project", pack.project),
                ("profile, languages", f"{pack.profile}, {', '.join(pack.languages)}"),
                ("index", f"{pack.index}, built {pack.built}, dragoman {pack.dragoman}"),
                ("sources", "; ".join(f"{name} {version}".strip() for name, version in pack.sources)),
                ("catalogue", f"{pack.drugs} drugs, {pack.names} names, of which {pack.names_asked} were asked"),
                ("names known elsewhere", str(pack.known_names)),
                *pack.settings.items(),
            ],
        ),
        Section("Before signing", _verdict(pack), (), ()),
        _names(pack.asked),
        _wrong(pack.asked),
        _cases("Golden questions that must hold", "Of the safety categories; one failure is one too many.", pack.cases),
        _collisions(pack),
        _pairs(pack.pairs),
        Section(
            "Names that count only beside evidence",
            "Short ones and ordinary words: taken for a drug only beside a dose, a form or the like.",
            ("name",),
            [(name,) for name in pack.guarded],
        ),
        _cases(
            "Known failures", "Golden questions that do not hold today, with the reason given.", pack.known_failures
        ),
        Section("Signed", "", ("", ""), [(line, "") for line in _SIGN]),
    ]


def _verdict(pack: Pack) -> str:
    if pack.problems:
        said = "To be mended, or signed for by name: " + "; ".join(pack.problems) + "."
    else:
        said = "Nothing dangerous was found."
    return " ".join((said, *pack.notes))


def _names(asked: Iterable[Asked]) -> Section:
    rows = [
        (
            *(a.kind, a.means, str(a.asked), _share(a.right, a.asked), str(a.asked_back), str(a.nothing)),
            *(str(len(a.parts)), str(len(a.wrong))),
        )
        for a in asked
    ]
    header = ("names", "right is", "asked", "taken as it should", "asked back", "nothing", "a part", "another drug")
    text = (
        "A drug is taken where a name is equal to one of its own or equal under a spelling rule. What is only near is "
        "asked back and never taken. A part: in a combination's name with a slip, the other drug, spelt soundly, is "
        "taken alone."
    )
    return Section("How names are read", text, header, rows)


def _wrong(asked: Iterable[Asked]) -> Section:
    asked = list(asked)
    rows = [(a.kind, w.asked, w.of, ", ".join(w.took)) for a in asked for w in a.wrong]
    rows += [(f"{a.kind}: a part", w.asked, w.of, ", ".join(w.took)) for a in asked for w in a.parts]
    return Section(
        "Names taken for another drug",
        "Each is a danger: add a name, a known name or a confusable pair, or sign for it. Parts of combinations stand "
        "last: a search for one part alone answers half of the question.",
        ("names", "asked", "made of", "taken for"),
        rows,
    )


def _cases(title: str, text: str, cases: Iterable[Case]) -> Section:
    rows = [
        (c.id, c.category, c.text, "holds" if c.passed else "fails", c.known_failure or c.why)
        for c in sorted(cases, key=lambda c: (c.passed, c.category, c.id))
    ]
    return Section(title, text, ("question", "category", "text", "", "why"), rows)


def _collisions(pack: Pack) -> Section:
    rows = [
        *pack.collisions,
        *((name, ", ".join(ids), "", "one name of several drugs") for name, ids in pack.ambiguous.items()),
    ]
    text = (
        "Two names that a spelling rule would make one: the rule is off for them, so that each stays its own; and "
        "names that several drugs bear, which are asked back."
    )
    return Section("Collisions and names of several drugs", text, ("a", "b or drugs", "of", "rule"), rows)


def _pairs(pairs: Iterable[Pair]) -> Section:
    rows = [
        (p.a, p.b, "" if p.letters is None else str(p.letters), "declared" if p.declared else "not declared")
        for p in pairs
    ]
    text = (
        "Declared pairs warn the person; the others are near in letters and in no list. Those that look or sound alike "
        "in practice belong in `confusable`."
    )
    return Section("Look-alike names", text, ("a", "b", "letters apart", ""), rows)


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "–"


def markdown(pack: Pack) -> str:
    """The report as Markdown."""
    parts = [f"# Safety pack: {pack.project}\n"]
    for section in sections(pack):
        parts.append(f"## {section.title}\n")
        if section.text:
            parts.append(section.text + "\n")
        if section.rows:
            parts.append(_md(section.header))
            parts.append("|" + "---|" * len(section.header))
            parts.extend(_md(row) for row in section.rows[:_SHOWN])
            parts.append("")
            if len(section.rows) > _SHOWN:
                parts.append(f"{len(section.rows) - _SHOWN} more are in the JSON beside this report.\n")
        elif section.header:
            parts.append("None.\n")
    return "\n".join(parts)


def _md(row: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"


def html(pack: Pack) -> str:
    """The report as one page that prints; nothing is loaded from elsewhere, and all that it shows is escaped."""
    parts = [f"<h1>Safety pack: {escape(pack.project)}</h1>"]
    for section in sections(pack):
        parts.append(f"<h2>{escape(section.title)}</h2>")
        if section.title == "Before signing":
            parts.append(f'<p class="verdict{" no" if pack.problems else ""}">{escape(section.text)}</p>')
        elif section.text:
            parts.append(f"<p>{escape(section.text)}</p>")
        if section.rows:
            head = "".join(f"<th>{escape(cell)}</th>" for cell in section.header)
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>")
            for row in section.rows[:_SHOWN]:
                parts.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
            parts.append("</tbody></table>")
            if len(section.rows) > _SHOWN:
                parts.append(f"<p>{len(section.rows) - _SHOWN} more are in the JSON beside this report.</p>")
        elif section.header:
            parts.append("<p>None.</p>")
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Safety pack: {escape(pack.project)}</title>\n<style>\n{_CSS.read_text('utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
