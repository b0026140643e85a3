"""What a turn does in the conversation, apart from what it asks: greets, thanks, confirms, denies, goes on.

The words are each pack's ``talk.toml``. Both profiles use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from dragoman.folder import Language
from dragoman.text.phrases import Hit, Phrasebook, breaks
from dragoman.text.tokens import Tokens


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text and the acts that must be seen in it (see ``Talk``)."""

    text: str
    acts: tuple[str, ...] = ()


class TalkWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``talk.toml`` of a language.

    ``yes`` and ``no`` answer a question back. ``greeting``, ``thanks``, ``bye`` and ``chat`` (how are you, who are
    you) are smalltalk; ``filler`` are words beside them that ask nothing. ``refers`` points back at a thing named
    before ("that medicine", "it"), ``goes_on`` ties the turn to the one before ("and ...?", "still the same child"),
    ``anew`` begins another case or topic, ``corrects`` takes back what was understood, ``meant`` takes back a name or a
    figure that the person gave themselves: what stands beside it takes its place.
    """

    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    greeting: tuple[str, ...] = ()
    thanks: tuple[str, ...] = ()
    bye: tuple[str, ...] = ()
    chat: tuple[str, ...] = ()
    filler: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()
    goes_on: tuple[str, ...] = ()
    anew: tuple[str, ...] = ()
    corrects: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()
    example: tuple[Example, ...] = ()


class Talk(NamedTuple):
    """What was seen: ``yes`` and ``no`` only where the whole turn says that; ``small`` where all of it is
    smalltalk, ``figure`` where all of it is a number."""

    yes: bool = False
    no: bool = False
    starts_no: bool = False
    small: bool = False
    refers: str | None = None
    goes_on: str | None = None
    anew: str | None = None
    corrects: str | None = None
    meant: str | None = None
    figure: bool = False


_ACTS = ("yes", "no", "greeting", "thanks", "bye", "chat", "filler", "refers", "goes_on", "anew", "corrects", "meant")
_SMALL = frozenset({"greeting", "thanks", "bye", "chat"})


@lru_cache(maxsize=32)
def _book(pack: Language) -> Phrasebook[str]:
    words = pack.table("talk.toml", TalkWords)
    entries = [(pattern, act) for act in _ACTS for pattern in getattr(words, act)]
    return Phrasebook(entries, marks_matter=pack.marks_matter, where=str(pack.path / "talk.toml"))


def talk(tokens: Tokens, pack: Language) -> Talk:
    """What ``tokens`` do in the conversation."""
    separators = breaks(tokens)
    hits = _book(pack).find(tokens, None, separators)

    def first(act: str) -> str | None:
        hit = next((h for h in hits if h.value == act), None)
        return tokens.surface(hit.first, hit.last) if hit else None

    return Talk(
        yes=_whole(hits, len(tokens), {"yes", "filler"}, "yes"),
        no=_whole(hits, len(tokens), {"no", "filler"}, "no"),
        starts_no=any(h.value == "no" and h.first == 0 and separators[h.last - 1] for h in hits),
        small=any(_whole(hits, len(tokens), {*_SMALL, "filler", "yes", "no"}, act) for act in _SMALL),
        refers=first("refers"),
        goes_on=first("goes_on"),
        anew=first("anew"),
        corrects=first("corrects"),
        meant=first("meant"),
        figure=_figure(tokens, hits),
    )


def small_in(tokens: Tokens, packs: Sequence[Language]) -> bool:
    """Whether all of a turn is smalltalk of several languages together (*thanks hoor*)."""
    separators = breaks(tokens)
    hits = [h for pack in packs for h in _book(pack).find(tokens, None, separators)]
    return any(_whole(hits, len(tokens), {*_SMALL, "filler", "yes", "no"}, act) for act in _SMALL)


def _figure(tokens: Tokens, hits: list[Hit[str]]) -> bool:
    """Whether the turn is a number, with at most words beside it that say nothing."""
    said = {i for h in hits if h.value in {"filler", "yes", "greeting", "thanks"} for i in range(h.first, h.last)}
    rest = [t for i, t in enumerate(tokens.tokens) if i not in said]
    return 0 < len(rest) <= 2 and all(t.key.isdigit() for t in rest)


def _whole(hits: list[Hit[str]], size: int, acts: set[str], needed: str) -> bool:
    """Whether hits of ``acts`` cover every token, one of ``needed`` among them."""
    covered = [False] * size
    for hit in hits:
        if hit.value in acts:
            covered[hit.first : hit.last] = [True] * (hit.last - hit.first)
    return size > 0 and all(covered) and any(h.value == needed for h in hits)
