"""Readings from marked-up text, so that the steps are tested without an index.

``[warfarin]`` is a drug of the catalogue (its id the folded words, joined by ``_``; ``[x=paracetamol]`` names the id),
``[~omperazol=omeprazol]`` a fuzzy one, ``[?aspirinol]`` a name that the catalogue lacks, ``[%nsaid]`` a class.
``{gút}`` is a disease, ``{*sốt}`` a symptom, ``{@Cardiologie}`` a department, ``{&Dr. Peeters}`` a doctor,
``{!gastroscopie}`` a procedure; ``{MS=c1|c2}`` names the concepts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dragoman.folder import Language, Profile, language, profile
from dragoman.reading import Reading
from dragoman.reply import Fault, Reply
from dragoman.steps.frame import FrameResult, build_frame
from dragoman.steps.language_of import language_of
from dragoman.steps.parse import parse
from dragoman.steps.rules import understand
from dragoman.steps.scope import subject_scope
from dragoman.text.tokens import fold_key, tokenize
from dragoman.types import Candidate, Mention, Message, QueryFrame, Span, Turn

FORMULARY: Profile = profile("formulary", Path())
HOSPITAL: Profile = profile("hospital", Path())
LANGUAGES = {
    "formulary": tuple(language(c) for c in ("vi", "en", "nl")),
    "hospital": tuple(language(c) for c in ("nl", "en")),
}
_MARK = re.compile(r"\[([~?%]?)([^\]=]+)(?:=([^\]]+))?\]|\{([*@&!]?)([^}=]+)(?:=([^}]+))?\}")
_TYPES = {"": "condition", "*": "symptom", "@": "department", "&": "doctor", "!": "procedure"}


class AnyName:
    """Every drug's name is its id, capitalised; every concept's its id."""

    def drug_name(self, drug_id: str) -> str | None:
        return drug_id.replace("_", " ").capitalize()

    def concept_name(self, concept_id: str) -> str | None:
        return concept_id

    def entity_name(self, entity_id: str) -> str | None:
        return entity_id


def plain(marked: str) -> str:
    return _MARK.sub(lambda m: m[2] or m[5], marked)


def found(marked: str, message: int) -> tuple[list[Candidate], list[Mention]]:
    candidates: list[Candidate] = []
    mentions: list[Mention] = []
    shift = 0
    for m in _MARK.finditer(marked):
        words = m[2] or m[5]
        span = Span(m.start() - shift, m.start() - shift + len(words))
        shift += len(m[0]) - len(words)
        if m[2] and m[1] in {"?", "%"}:
            status: Any = "unknown" if m[1] == "?" else "class"
            mentions.append(Mention(message=message, span=span, text=words, status=status, kind="drug"))
            continue
        ids = (m[3] or m[6] or fold_key(words).replace(" ", "_")).split("|")
        kind = "drug" if m[2] else "entity" if m[4] in {"@", "&"} else "concept"
        candidates += [
            Candidate(
                message=message,
                span=span,
                text=words,
                kind=kind,  # type: ignore[arg-type]
                source="test",
                id=i,
                name=i.replace("_", " ").capitalize(),
                semantic_type=None if m[2] else _TYPES[m[4]],
                match="fuzzy" if m[1] == "~" else "exact",
            )
            for i in ids
        ]
    return candidates, mentions


def reading(
    marked: str,
    *earlier: str,
    prior: dict[str, Any] | None = None,
    packs: tuple[Language, ...] = LANGUAGES["formulary"],
    claim: str | None = None,
) -> Reading:
    """``earlier`` are ``"user: ..."`` or ``"bot: ..."``, the oldest first."""
    history, candidates, mentions = [], *found(marked, -1)
    for i, line in enumerate(earlier):
        role, text = line.split(": ", 1)
        history.append(Message(role="user" if role == "user" else "assistant", text=plain(text)))
        if role == "user":
            more = found(text, i)
            candidates += more[0]
            mentions += more[1]
    turn = Turn(plain(marked), history=tuple(history), prior_frame=prior, subject_scope=claim)
    messages = tuple((m, tokenize(t)) for m, t in turn.user_messages())
    return Reading(
        turn=turn,
        language=language_of(messages[0][1], packs, None),
        languages=packs,
        scope=subject_scope(turn, messages, packs),
        messages=messages,
        candidates=tuple(candidates),
        mentions=tuple(mentions),
    )


def result(
    marked: str,
    *earlier: str,
    prior: dict[str, Any] | None = None,
    reply: Any = None,
    fault: Fault | None = None,
    where: Profile = FORMULARY,
    claim: str | None = None,
) -> FrameResult:
    """The frame by the rules, from a model's ``reply``, or from a ``fault``."""
    at = reading(marked, *earlier, prior=prior, packs=LANGUAGES[where.name], claim=claim)
    if reply is None and fault is None:
        return build_frame(understand(at, where, AnyName()), at, where, AnyName(), "rules")
    said: Reply | Fault = fault if fault is not None else parse(reply)
    return build_frame(said, at, where, AnyName(), "model")


def frame(marked: str, *earlier: str, **options: Any) -> QueryFrame:
    return result(marked, *earlier, **options).frame
