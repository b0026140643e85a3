"""A long question made short without a model: what it asks, and about what, in the person's own words.

People greet, tell what happened, thank, and ask in between, and a search engine weighs every word of it. The condensed
query is an additional one, taken out of the text and never put into other words: the content words of the heading and
of the sentences that ask, and the conditions and drugs that these leave out. What greets, labels, asks or tells a story
stands in each pack's ``condense.toml``; a turn in a language without one is not condensed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.reading import Reading
from dragoman.text.phrases import Hit, Phrasebook, breaks
from dragoman.text.tokens import Tokens

FILE = "condense.toml"
STOP_WORDS = "stopwords.txt"
COMMON_WORDS = "commonwords.txt"
HEADING = 12  # tokens: a longer first line is no heading
CLAUSE = 14  # tokens: of a longer sentence that only tells what the question is about, the clause alone is kept
COURTESY = 16  # tokens: a longer sentence says more than thanks
QUESTIONS = 2  # sentences that ask
NAMES = 2  # further conditions and drugs
_CLAUSE_ENDS = (",", ":", "(", ")", "-", "\n")
_RARE = 4  # letters: shorter words are no names

Role = Literal["courtesy", "request", "ask", "story"]


class Example(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A long turn with what the vocabularies know of it in braces, and words that are kept and words that are not."""

    text: str
    keeps: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()


class CondenseTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``condense.toml`` of a language pack: patterns (see ``text.phrases``) by what they show.

    A turn of fewer than ``least`` tokens is short enough; about ``most`` tokens of a longer one are looked at.
    ``label`` before a colon says what comes, ``courtesy`` greets, thanks and takes leave, ``request`` asks without
    saying what for, ``ask`` shows a question that has no question mark, ``story`` what happened before.
    ``drop`` are words that a query does without, beside the pack's stop words (unless ``stop_words`` is false);
    ``keep`` are stop words that it needs.
    """

    least: int = 14
    most: int = 40
    label: tuple[str, ...] = ()
    courtesy: tuple[str, ...] = ()
    request: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    story: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    stop_words: bool = True
    example: tuple[Example, ...] = ()

    def cues(self) -> Iterator[tuple[str, Role]]:
        """Every pattern with its role, but labels and words to drop."""
        rows: tuple[tuple[Role, tuple[str, ...]], ...] = (
            ("courtesy", self.courtesy),
            ("request", self.request),
            ("ask", self.ask),
            ("story", self.story),
        )
        for role, patterns in rows:
            for pattern in patterns:
                yield pattern, role


class _Books(NamedTuple):
    """A pack's table, compiled."""

    table: CondenseTable
    labels: Phrasebook[None]
    cues: Phrasebook[Role]
    dropped: Phrasebook[None]
    kept: frozenset[str]
    common: frozenset[str]


class Unit(NamedTuple):
    """A sentence, or a line that stands alone: tokens ``first`` up to ``last``, and what is known of it.

    ``named`` are the token ranges of what the vocabularies know in it; ``rare`` counts words that are not common;
    ``marked`` says that it has a question mark.
    """

    first: int
    last: int
    named: tuple[tuple[int, int], ...]
    rare: int
    asks: bool
    marked: bool
    courtesy: bool
    story: bool
    heading: bool

    @property
    def size(self) -> int:
        """Its length in tokens."""
        return self.last - self.first

    @property
    def weight(self) -> int:
        """How much it names, in tokens."""
        return sum(last - first for first, last in self.named)


def condense(reading: Reading) -> str | None:
    """The condensed query of a turn, or ``None`` where the turn is short or nothing in it can be told apart."""
    tokens = reading.tokens
    books = _books(reading.pack)
    if books is None or len(tokens) < books.table.least:
        return None
    separators = list(breaks(tokens))  # others go on with theirs
    edges = _edges(tokens, separators, books.labels.find(tokens, separators=separators))
    for _, last in edges:
        separators[last - 1] = "."  # each is a sentence to the patterns, whatever ends it
    hits = books.cues.find(tokens, separators=separators)
    named = _named(reading)
    units = _unsigned([_unit(tokens, edge, hits, named, books, opening=not i) for i, edge in enumerate(edges)])
    chosen = _choose(units, books.table.most)
    dropped = _dropped(tokens, separators, hits, books)
    parts = [[i for i in range(*_kept(unit, separators)) if i not in dropped] for unit in chosen]
    parts += _further(units, parts, tokens)
    return " ".join(_sentence(tokens, part) for part in parts if part) or None


@lru_cache(maxsize=64)
def _books(pack: Language) -> _Books | None:
    """The pack's table, compiled once; ``None`` where it has none."""
    if not pack.has(FILE):
        return None
    table = pack.table(FILE, CondenseTable)
    where = str(pack.path / FILE)

    def book(patterns: Sequence[str]) -> Phrasebook[None]:
        return Phrasebook(((p, None) for p in patterns), marks_matter=pack.marks_matter, where=where)

    stop = pack.lines(STOP_WORDS) if table.stop_words else ()
    return _Books(
        table,
        book(table.label),
        Phrasebook(table.cues(), marks_matter=pack.marks_matter, where=where),
        book([*table.drop, *stop]),
        frozenset(table.keep),
        pack.words(COMMON_WORDS),
    )


def _named(reading: Reading) -> list[tuple[int, int]]:
    """Token ranges of the turn's candidates: conditions, drugs, the organisation's own entities."""
    starts = [t.start for t in reading.tokens.tokens]
    ranges = {(bisect_left(starts, c.span.start), bisect_left(starts, c.span.end)) for c in reading.of_turn()}
    return sorted((first, last) for first, last in ranges if first < last)


def _edges(tokens: Tokens, separators: Sequence[str], labels: Sequence[Hit[None]]) -> list[tuple[int, int]]:
    """The text in sentences and lines, without labels: token ranges."""
    label: set[int] = set()
    for hit in labels:
        starts = hit.first == 0 or separators[hit.first - 1] in (".", "\n", ":")
        if starts and tokens.gap(hit.last - 1).lstrip().startswith(":"):
            label.update(range(hit.first, hit.last))
    edges = []
    first = 0
    for i in range(len(tokens)):
        if i in label:
            last = i
        elif separators[i] == "." or i + 1 in label or (separators[i] == "\n" and _line_ends(tokens, first, i)):
            last = i + 1
        else:
            continue
        if first < last:
            edges.append((first, last))
        first = i + 1
    return edges


def _line_ends(tokens: Tokens, first: int, i: int) -> bool:
    """Whether the line that ends after token ``i`` stands alone: a short one, or one that a capital follows."""
    return i + 1 - first <= HEADING or tokens.text[tokens.tokens[i + 1].start].isupper()


def _unit(
    tokens: Tokens,
    edge: tuple[int, int],
    hits: Sequence[Hit[Role]],
    named: Sequence[tuple[int, int]],
    books: _Books,
    *,
    opening: bool,
) -> Unit:
    first, last = edge
    roles = {h.value for h in hits if first <= h.first and h.last <= last}
    inside = tuple(n for n in named if first <= n[0] and n[1] <= last)
    marked = "?" in tokens.gap(last - 1)
    asks = marked or "ask" in roles or "request" in roles
    return Unit(
        first,
        last,
        inside,
        rare=sum(len(key) >= _RARE and key not in books.common for key in tokens.keys[first:last]),
        asks=asks,
        marked=marked,
        courtesy="courtesy" in roles and not inside and not marked and last - first <= COURTESY,
        story="story" in roles,
        heading=opening and not asks and last - first <= HEADING,
    )


def _unsigned(units: Sequence[Unit]) -> list[Unit]:
    """The units; a short one that follows thanks, and neither asks nor names, is a signature and so a courtesy too."""
    found = list(units[:2])
    for unit in units[2:]:
        signs = found[-1].courtesy and not unit.asks and not unit.named and unit.size <= HEADING
        found.append(unit._replace(courtesy=True) if signs else unit)
    return found


def _choose(units: Sequence[Unit], most: int) -> list[Unit]:
    """What to keep, in the order of the text: the heading, what asks, and, if these name nothing, what does."""
    usable = [u for u in units if not u.courtesy]
    asking = sorted((u for u in usable if u.asks), key=lambda u: (not u.named, not u.marked, u.first))
    asking = asking[:1] + [u for u in asking[1:QUESTIONS] if u.named]
    chosen: list[Unit] = []
    for unit in [u for u in usable if u.heading] + asking:
        if not chosen or sum(u.size for u in chosen) + unit.size <= most:
            chosen.append(unit)
    if not any(u.named for u in chosen):
        rest = [u for u in usable if u not in chosen and (u.named or u.rare)]
        chosen += sorted(rest, key=lambda u: (-u.weight, u.story, -u.rare, u.first))[:1]
    return sorted(chosen)


def _kept(unit: Unit, separators: Sequence[str]) -> tuple[int, int]:
    """The part of a unit that is kept: of a long one that does not ask, the clauses that name."""
    if unit.asks or unit.size <= CLAUSE or not unit.named:
        return unit.first, unit.last
    first, last = unit.named[0][0], unit.named[-1][1]
    while first > unit.first and separators[first - 1] not in _CLAUSE_ENDS and last - first < CLAUSE:
        first -= 1
    while last < unit.last and separators[last - 1] not in _CLAUSE_ENDS and last - first < CLAUSE:
        last += 1
    return first, last


def _dropped(tokens: Tokens, separators: Sequence[str], hits: Sequence[Hit[Role]], books: _Books) -> set[int]:
    """Tokens that a query does without: asking phrases, stop words."""
    dropped = {i for hit in hits if hit.value in ("request", "courtesy") for i in range(hit.first, hit.last)}
    for hit in books.dropped.find(tokens, separators=separators):
        dropped.update(i for i in range(hit.first, hit.last) if tokens.keys[i] not in books.kept)
    return dropped


def _further(units: Sequence[Unit], parts: Sequence[Sequence[int]], tokens: Tokens) -> list[list[int]]:
    """What the text names and ``parts`` leave out: the first names of most words, in the order of the text."""
    held = {tokens.keys[i] for part in parts for i in part}
    found: dict[str, tuple[int, int]] = {}
    for unit in units:
        for first, last in () if unit.courtesy else unit.named:
            if not held.issuperset(tokens.keys[first:last]):
                found.setdefault(tokens.key(first, last), (first, last))
    best = sorted(found.values(), key=lambda n: (n[0] - n[1], n))[:NAMES]
    return [list(range(*n)) for n in sorted(best)]


def _sentence(tokens: Tokens, kept: Sequence[int]) -> str:
    """The kept tokens as written, with what stands between those that were neighbours, and an end."""
    pieces = []
    for i, after in zip(kept, [*kept[1:], -1], strict=True):
        pieces.append(tokens.surface(i, i + 1) + (tokens.gap(i) if after == i + 1 else " "))
    return " ".join("".join(pieces).split()) + ("?" if "?" in tokens.gap(kept[-1]) else ".")
