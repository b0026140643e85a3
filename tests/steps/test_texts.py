from __future__ import annotations

import msgspec
import pytest

from dragoman import folder
from dragoman.index.found import Found
from dragoman.reading import Reading
from dragoman.reply import CanonicalTerm, Reply
from dragoman.steps.texts import TERMS, bound_texts
from dragoman.text.tokens import tokenize
from dragoman.types import Candidate, Mention, Message, Scope, Span, Turn

DRUGS = {"zorvamine": "zorvamine", "zorva": "zorvamine", "quellidone": "quellidone"}
KNOWN = {"mirtolam"}  # real drugs that the catalogue lacks


def match(tokens, message):
    candidates, mentions = [], []
    for token in tokens.tokens:
        span, text = Span(token.start, token.end), tokens.text[token.start : token.end]
        if token.key in DRUGS:
            id_ = DRUGS[token.key]
            candidates.append(
                Candidate(span=span, text=text, kind="drug", source="catalog", id=id_, name=id_, match="exact")
            )
        if token.key in KNOWN:
            mentions.append(Mention(span=span, text=text, status="unknown", kind="drug"))
    return Found(tuple(candidates), tuple(mentions))


def reading(text, *earlier):
    turn = Turn(text, history=tuple(Message(role="user", text=t) for t in earlier))
    messages = tuple((message, tokenize(said)) for message, said in turn.user_messages())
    found = [c for message, tokens in messages for c in match(tokens, message).candidates]
    english = folder.language("en")
    return Reading(
        turn=turn, language="en", languages=(english,), scope=Scope(), messages=messages, candidates=tuple(found)
    )


@pytest.mark.parametrize("field", ["standalone_query", "reformulated_query"])
def test_a_question_about_a_drug_that_nobody_named_is_dropped(field):
    reply = msgspec.structs.replace(Reply(), **{field: "How much quellidone may a child have?"})
    bounded = bound_texts(reply, reading("how much quellidonol for a child"), match)
    assert getattr(bounded.reply, field) is None
    assert bounded.dropped == (field,)


@pytest.mark.parametrize(
    ("text", "earlier", "rewritten"),
    [
        ("and for a child?", "how much zorva", "How much zorvamine for a child?"),  # another name of the same drug
        ("and for a child?", "is mirtolam safe", "Is mirtolam safe for a child?"),  # the person's own, whatever it is
        ("and for a child?", "hello", "Is it safe for a child?"),
    ],
)
def test_what_the_person_named_may_be_said_again(text, earlier, rewritten):
    reply = Reply(standalone_query=rewritten, quick_replies=("Yes", "No"))
    assert bound_texts(reply, reading(text, earlier), match) == (reply, ())


def test_a_real_drug_that_nobody_named_is_no_better():
    reply = Reply(standalone_query="Is mirtolam safe?")
    assert bound_texts(reply, reading("is mirtolax safe?"), match).reply.standalone_query is None


def test_single_quick_replies_and_terms_go():
    reply = Reply(
        quick_replies=("Zorvamine", "Quellidone", "None of these"),
        canonical_terms=(CanonicalTerm(term="quellidone"), CanonicalTerm(term="fever")),
    )
    bounded = bound_texts(reply, reading("zorva?"), match)
    assert bounded.reply.quick_replies == ("Zorvamine", "None of these")
    assert [t.term for t in bounded.reply.canonical_terms] == ["fever"]
    assert bounded.dropped == ("quick_replies", "canonical_terms")


def test_so_many_terms_and_no_more():
    reply = Reply(canonical_terms=tuple(CanonicalTerm(term=f"term {n}") for n in range(20)))
    bounded = bound_texts(reply, reading("x"), match)
    assert len(bounded.reply.canonical_terms) == TERMS
    assert bounded.dropped == ()


def test_a_sound_reply_is_the_same_object():
    reply = Reply(turn_type="smalltalk")
    assert bound_texts(reply, reading("hi"), match).reply is reply
