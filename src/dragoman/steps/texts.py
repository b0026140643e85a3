"""Bound what a model writes in words of its own: its rewritten questions, quick replies and canonical terms.

An id that was not shown never enters a frame; a name that nobody wrote must not enter a search either. A rewritten
question in which an invented name has become a drug of the catalogue would be retrieved as if the person had asked for
that drug (source A's finding, at one remove). So a text that names a drug which is no candidate of the conversation is
dropped whole: what is left of such a sentence asks something else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from dragoman.index.found import Found
from dragoman.reading import Reading
from dragoman.reply import Reply
from dragoman.text.tokens import Tokens, fold_key, tokenize

TERMS = 5  # canonical terms that are kept

Match = Callable[[Tokens, int], Found]


class BoundTexts(NamedTuple):
    """A reply without the texts that name what nobody named; ``dropped`` are their fields."""

    reply: Reply
    dropped: tuple[str, ...]


def bound_texts(reply: Reply, reading: Reading, match: Match) -> BoundTexts:
    """``match`` finds the drugs in a text, exactly and under the spelling rules, as it did in the person's. Pure."""
    shown = {c.id for c in reading.candidates if c.kind == "drug"}
    said = [f" {' '.join(tokens.keys)} " for _, tokens in reading.messages]

    def holds(text: str | None) -> bool:
        """Whether every drug that ``text`` names is one that the person named."""
        if not text:
            return True
        found = match(tokenize(text), -1)
        return all(c.id in shown for c in found.candidates if c.kind == "drug") and all(
            any(f" {fold_key(m.text)} " in words for words in said) for m in found.mentions if m.status == "unknown"
        )

    changes: dict[str, object] = {}
    for field in ("standalone_query", "reformulated_query"):
        if not holds(getattr(reply, field)):
            changes[field] = None
    replies = tuple(text for text in reply.quick_replies if holds(text))
    if replies != reply.quick_replies:
        changes["quick_replies"] = replies
    terms = tuple(term for term in reply.canonical_terms if holds(term.term))
    if terms != reply.canonical_terms:
        changes["canonical_terms"] = terms
    dropped = tuple(changes)
    if len(terms) > TERMS:
        changes["canonical_terms"] = terms[:TERMS]
    return BoundTexts(msgspec.structs.replace(reply, **changes) if changes else reply, dropped)
