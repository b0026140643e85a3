"""The turn as the encoder sees it: names of drugs and conditions replaced by one stand-in for each kind.

What is asked does not depend on which drug is asked about. With the names in place the embedding is mostly about the
drug; masked, two questions about two drugs are the same text. The stand-ins are common words of the turn's language
(``masks.toml``), not tags: the encoder has read them a million times.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

from dragoman.evidence.gather import Evidence
from dragoman.types import Span

LONGEST = 320  # code points that are encoded: about eighty tokens
_SENTENCE = re.compile(r"(?<=[.?!…])\s+|\n+")


class Stand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stand-ins of one language; ``drug`` has several, for the first, second ... drug of a turn."""

    drug: tuple[str, ...]
    drug_class: str
    disease: str
    symptom: str
    department: str
    doctor: str
    procedure: str


class Masked(NamedTuple):
    """``text`` with stand-ins; ``kinds`` counts the spans of each kind that were replaced."""

    text: str
    kinds: dict[str, int]


@cache
def stands() -> dict[str, Stand]:
    """The stand-ins by language; ``mul`` for languages that have none."""
    raw = resources.files("dragoman.offline").joinpath("masks.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(raw), dict[str, Stand])


def masked(evidence: Evidence) -> Masked:
    """The turn of ``evidence`` masked. Pure. Of spans that overlap the first, then the longest, is replaced."""
    words = stands().get(evidence.reading.language, stands()["mul"])
    spans: list[tuple[Span, str]] = [(d.span, "drug") for d in evidence.drugs]
    spans += [(m.span, "drug_class") for m in evidence.classes]
    spans += [(e.span, e.type) for e in evidence.entities]
    spans += [(c.span, "symptom" if c.symptom else "disease") for c in evidence.conditions]
    text = evidence.reading.turn.text
    kinds: dict[str, int] = {}
    out: list[str] = []
    at = 0
    for span, kind in sorted(spans, key=lambda item: (item[0].start, -item[0].end)):
        if span.start < at:
            continue
        count = kinds.get(kind, 0)
        kinds[kind] = count + 1
        word = words.drug[count % len(words.drug)] if kind == "drug" else getattr(words, kind)
        out += (text[at : span.start], word)
        at = span.end
    out.append(text[at:])
    return Masked(focus("".join(out)), kinds)


def focus(text: str) -> str:
    """``text`` with single spaces; of a long story the questions, then the end, as much as ``LONGEST`` holds.

    What is asked stands in the sentences with a question mark and at the end; an average over a whole story is about
    the story.
    """
    whole = " ".join(text.split())
    if len(whole) <= LONGEST:
        return whole
    sentences = [s for part in _SENTENCE.split(text) if (s := " ".join(part.split()))]
    order = sorted(range(len(sentences)), key=lambda i: ("?" not in sentences[i], -i))
    kept: list[int] = []
    room = LONGEST
    for i in order:
        if len(sentences[i]) < room or not kept:
            kept.append(i)
            room -= len(sentences[i]) + 1
    return " ".join(sentences[i] for i in sorted(kept))[-LONGEST:]
