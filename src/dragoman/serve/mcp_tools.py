"""The tools of the Model Context Protocol server: what an agent is told of each, what goes in and out, what answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, NamedTuple

import anyio.to_thread
import msgspec
from msgspec import Meta

from dragoman.engine import Dragoman, Lookup
from dragoman.errors import LimitExceeded
from dragoman.serve import languages
from dragoman.types import Candidate, Enrichment, IndexInfo, Mention, Message, QueryFrame, Scope, Turn, Value

_NO_ADVICE = "It gives no medical advice."

Text = Annotated[str, Meta(description="The person's message, unchanged and in its own language.")]
Language = Annotated[
    str | None,
    Meta(description="Its language (nl, vi, en, ...), where it is known; one that is not read here is an error."),
]
History = Annotated[
    tuple[Message, ...],
    Meta(description="Earlier messages, oldest first; only those with role 'user' are taken for the person's own."),
]


class UnderstandArguments(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``understand_query`` takes."""

    text: Text
    language: Language = None
    history: History = ()
    prior_frame: Annotated[
        dict[str, Any] | None,
        Meta(description="The frame of the turn before, as this tool returned it, so that a follow-up is understood."),
    ] = None
    subject_scope: Annotated[
        str | None, Meta(description="'veterinary' where the caller knows that the patient is an animal.")
    ] = None


class TextArguments(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``enrich_query`` and ``resolve_drugs`` take."""

    text: Text
    language: Language = None
    history: History = ()


class LookupArguments(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``lookup_term`` takes."""

    term: Annotated[
        str, Meta(description="A term in any spelling that folds to it, or the id of a drug, concept or page.")
    ]


class Understood(Value, frozen=True, kw_only=True):
    """What is asked, about what, and the query to search with."""

    scope: Scope
    frame: QueryFrame
    mentions: tuple[Mention, ...]
    candidates: tuple[Candidate, ...]
    enrichment: Enrichment
    index: IndexInfo


class ResolvedDrugs(Value, frozen=True, kw_only=True):
    """The drugs of the catalogue that the text names, and what became of every name.

    ``exact`` and ``variant`` candidates are the drug; a ``fuzzy`` one is only near, and a question for the person.
    """

    drugs: tuple[Candidate, ...]
    mentions: tuple[Mention, ...]
    index: IndexInfo


def _turn(engine: Dragoman, given: UnderstandArguments | TextArguments) -> Turn:
    """The turn of a call. Raises ``DataError`` for a language that the project does not read."""
    languages.check(given.language, engine.project)
    return Turn(**{name: getattr(given, name) for name in given.__struct_fields__})


async def _understand(engine: Dragoman, given: UnderstandArguments) -> Understood:
    answer = await engine.aask(_turn(engine, given))
    return Understood(**{name: getattr(answer, name) for name in Understood.__struct_fields__})


async def _enrich(engine: Dragoman, given: TextArguments) -> Enrichment:
    return await anyio.to_thread.run_sync(engine.enrich, _turn(engine, given))


async def _resolve(engine: Dragoman, given: TextArguments) -> ResolvedDrugs:
    found = await anyio.to_thread.run_sync(engine.resolve, _turn(engine, given))
    return ResolvedDrugs(
        drugs=tuple(c for c in found.candidates if c.kind == "drug"),
        mentions=tuple(m for m in found.mentions if m.kind == "drug"),
        index=found.index,
    )


async def _lookup(engine: Dragoman, given: LookupArguments) -> Lookup:
    limit = engine.project.file.limits.text
    if len(given.term) > limit:
        raise LimitExceeded(f"the term has {len(given.term)} characters", advice=f"the limit is {limit}", limit=limit)
    return await anyio.to_thread.run_sync(engine.lookup, given.term)


class ToolRow(NamedTuple):
    """One tool: what an agent is told of it, what goes in and out, and what answers."""

    name: str
    title: str
    description: str
    takes: type[msgspec.Struct]
    gives: type[msgspec.Struct]
    call: Callable[[Dragoman, Any], Awaitable[msgspec.Struct]]


TOOLS = (
    ToolRow(
        "understand_query",
        "Understand a medical question",
        "Say what a person's message asks: turn type, drugs (ids of the organisation's catalogue that the person's own "
        "words name), names that the catalogue lacks, condition, patient context, and whether a question back is "
        "needed; with the enriched query to search the organisation's pages with. Use it first, once for each message, "
        f"and hand the returned frame back as prior_frame with the next. {_NO_ADVICE}",
        UnderstandArguments,
        Understood,
        _understand,
    ),
    ToolRow(
        "enrich_query",
        "Enrich a search query",
        "Append to a query the words that the organisation's own pages use for the conditions and drugs in it. Search "
        "with `text`, or with `queries`: `dense` for vectors, `sparse` for words with weights. Nothing of the query is "
        f"replaced. Quicker than understand_query, and without a frame. {_NO_ADVICE}",
        TextArguments,
        Enrichment,
        _enrich,
    ),
    ToolRow(
        "resolve_drugs",
        "Find drugs of the catalogue",
        "Find which drugs of the organisation's catalogue a text names, and what became of every drug name: exact, "
        "variant, fuzzy (near: ask the person, never assume), ambiguous, unknown (not in the catalogue), class, or "
        f"suppressed. `confusable_with` lists look-alikes. {_NO_ADVICE}",
        TextArguments,
        ResolvedDrugs,
        _resolve,
    ),
    ToolRow(
        "lookup_term",
        "Look a term up",
        "What the vocabularies hold for one term or id: drugs with their names, concepts with terms and parents, the "
        f"organisation's pages for them, and what enrichment does with the term. {_NO_ADVICE}",
        LookupArguments,
        Lookup,
        _lookup,
    ),
)
BY_NAME = {row.name: row for row in TOOLS}


def schema(type_: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of a struct, with an object at its root, as the protocol asks for."""
    (root,), parts = msgspec.json.schema_components([type_], ref_template="#/$defs/{name}")
    name = root["$ref"].rpartition("/")[2]
    top = parts.pop(name) if parts[name].get("type") == "object" else root
    return {**top, "$defs": parts} if parts else dict(top)
