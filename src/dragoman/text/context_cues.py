"""The cues of a language: the words of ``context.toml``, compiled with what ends their reach (see ``text.context``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeVar

import msgspec

from dragoman.folder import Language
from dragoman.text.phrases import Hit, Phrasebook
from dragoman.text.tokens import Tokens

T = TypeVar("T")
Reach = Literal["before", "after", "next", "pseudo"]


class Cues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cues of one family: ``before`` stand before what they speak of, ``after`` behind it; ``next`` speak of the
    finding right behind them alone, and what is joined to it (*beside my X and Y*); ``pseudo`` only look so."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    pseudo: tuple[str, ...] = ()


class Contrast(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that set one finding aside for another.

    ``before`` ("instead of") set aside the next finding; ``after`` ("not ... yes") the one before them, for the one
    inside them; ``pseudo`` leave open which holds (a question, an alternative without a name). ``joins`` ("or") join
    what is set aside together.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    pseudo: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence with its findings in braces, and which of them each family must reach (and no other)."""

    text: str
    negated: tuple[str, ...] = ()
    family: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()


class Context(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``context.toml`` of a language.

    ``stop`` ends any reach but a relative's, ``resume`` (a new statement's verb) that of a denial alone,
    ``stop_family`` a relative's (the person turns to somebody else); ``clause`` are words that, behind a comma, show
    that the list is over. ``no`` and ``yes`` answer a label ("fever: no").
    ``signs`` are written right after a finding and deny it. ``reach`` is in tokens, ``item`` the longest unknown item
    of a list; ``strict``: an item with words behind its finding is none.
    ``abbreviations`` end with a point that ends no sentence.
    """

    negated: Cues = Cues()
    family: Cues = Cues()
    past: Cues = Cues()
    uncertain: Cues = Cues()
    contrast: Contrast = Contrast()
    stop: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    stop_family: tuple[str, ...] = ()
    clause: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    reach: int = 12
    item: int = 3
    strict: bool = False
    abbreviations: tuple[str, ...] = ()
    example: tuple[Example, ...] = ()


class Cue(NamedTuple):
    """What a cue's words say, and where it reaches."""

    family: str | None  # None: a word that ends the reach of others
    reach: Reach | Literal["stop", "resume", "stop_family", "clause"]


class Reaches(NamedTuple):
    """Families of cues, compiled with the words that end their reach. ``ends`` says which words end which family.

    Each has a book of its own: most texts have no cue of a family, and need not be asked for what would end it.
    ``contrasts``: what sets a finding aside, for those families that know denial, and ``open_contrasts``: what only
    looks so, which is asked for where there is one.
    """

    context: Context
    cues: dict[str, Phrasebook[Cue]]
    stops: Phrasebook[Cue]
    answers: Phrasebook[bool]
    abbreviations: frozenset[str]
    ends: dict[str, frozenset[str]]
    lists: bool = False
    contrasts: Phrasebook[Reach] | None = None
    open_contrasts: Phrasebook[Reach] | None = None


ENDS: dict[str, frozenset[str]] = {
    "negated": frozenset({"stop", "resume"}),
    "past": frozenset({"stop"}),
    "uncertain": frozenset({"stop"}),
    "family": frozenset({"stop_family"}),
}


def occurrences(tokens: Tokens, book: Phrasebook[T], separators: Sequence[str]) -> Sequence[Hit[T]]:
    """What ``book`` has of the text; looked for once, however many findings are asked about."""
    known: dict[int, list[Hit[T]]] = tokens.__dict__.setdefault("_cues", {})
    if id(book) not in known:
        known[id(book)] = book.find(tokens, None, separators)
    return known[id(book)]


def compile_reaches(
    families: dict[str, Cues], ends: dict[str, frozenset[str]], pack: Language, file: str, *, lists: bool = False
) -> Reaches:
    """Compile cue families of ``pack`` (from its ``file``) with the stop words of its ``context.toml``.

    ``lists``: a finding right behind a comma goes on with the list, whatever follows it.
    """
    context = pack.table("context.toml", Context)
    where = str(pack.path / file)
    books: dict[str, Phrasebook[Cue]] = {}
    for family, cues in families.items():
        entries = [(p, Cue(family, "before")) for p in cues.before]
        entries += [(p, Cue(family, "after")) for p in cues.after]
        entries += [(p, Cue(family, "next")) for p in cues.next]
        entries += [(p, Cue(family, "pseudo")) for p in cues.pseudo]
        books[family] = Phrasebook(entries, marks_matter=pack.marks_matter, where=where)
    stops = [(p, Cue(None, "stop")) for p in context.stop]
    stops += [(p, Cue(None, "resume")) for p in context.resume]
    stops += [(p, Cue(None, "stop_family")) for p in context.stop_family]
    stops += [(p, Cue(None, "clause")) for p in context.clause]
    answers = [(p, False) for p in context.no] + [(p, True) for p in context.yes]
    contrasts: list[tuple[str, Reach]] = []
    if "negated" in families:
        contrast = context.contrast
        contrasts += [(p, "before") for p in contrast.before]
        contrasts += [(p, "after") for p in contrast.after]
    return Reaches(
        context,
        books,
        Phrasebook(stops, marks_matter=pack.marks_matter, where=where),
        Phrasebook(answers, marks_matter=pack.marks_matter, where=where),
        frozenset(context.abbreviations),
        ends,
        lists,
        Phrasebook(contrasts, marks_matter=pack.marks_matter, where=where) if contrasts else None,
        Phrasebook(((p, "pseudo") for p in context.contrast.pseudo), marks_matter=pack.marks_matter, where=where)
        if contrasts
        else None,
    )
