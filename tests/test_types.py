"""Values as Python shows them: no ``repr`` has what a person wrote; wrong types are told where they enter."""

from __future__ import annotations

import pickle
from io import StringIO
from typing import Any

import msgspec
import pytest
from rich.console import Console

import dragoman
from dragoman import Dragoman, Message, Turn
from dragoman.value import PERSONAL, Value

SECRET = "zzbimat"
TEXTS = {
    "hospital": f"Ik heet {SECRET} en mijn {SECRET} heeft hypothyreoïdie en jicht, bij welke dienst moet ik zijn?",
    "formulary": f"{SECRET} bị dị ứng ibuprofen, uống {SECRET}mycin 500 mg và paracetamol được không, bé 12 kg 3 tuổi?",
}


@pytest.fixture(scope="module", params=sorted(TEXTS))
def read(request: pytest.FixtureRequest) -> tuple[Turn, Any]:
    turn = Turn(
        TEXTS[request.param],
        history=(Message(role="user", text=SECRET),),
        prior_frame={"standalone_query": SECRET, "turn_type": "smalltalk"},
    )
    return turn, Dragoman.demo(request.param).ask(turn)


def test_no_repr_has_the_persons_words(read: tuple[Turn, Any]) -> None:
    turn, answer = read
    assert SECRET in msgspec.json.encode(answer).decode()
    for value in (turn, answer, answer.frame, answer.enrichment, *answer.mentions, *answer.candidates, turn.history):
        assert SECRET not in repr(value)
        shown = StringIO()
        Console(file=shown, width=400).print(value)
        assert SECRET not in shown.getvalue()


def test_what_the_model_said_is_in_python_alone() -> None:
    said = {"turn_type": "smalltalk", "note": SECRET, "drugs": ["x"]}
    demo = Dragoman.demo("formulary")
    for reply in (said, msgspec.json.encode(said).decode()):
        frame = demo.ask("xin chào", reply=reply).frame
        assert frame.raw == said
        bare = frame.with_raw(None)
        assert bare == frame
        assert hash(bare) == hash(frame)
        assert msgspec.json.encode(bare) == msgspec.json.encode(frame)
        assert SECRET not in repr(frame) + msgspec.json.encode(frame).decode() + repr(pickle.loads(pickle.dumps(frame)))
    assert demo.ask("xin chào").frame.raw is None
    assert demo.ask("xin chào", reply="no JSON").frame.raw is None
    assert demo.ask("xin chào", fault="timeout").frame.raw is None


def test_what_is_not_personal_stays_readable(read: tuple[Turn, Any]) -> None:
    _, answer = read
    assert f"turn_type='{answer.frame.turn_type}'" in repr(answer)
    assert f"id='{answer.index.id}'" in repr(answer)


def test_every_personal_field_is_one_that_there_is() -> None:
    kinds: list[type[msgspec.Struct]] = [Turn, *Value.__subclasses__()]
    assert {name for kind in kinds for name in kind.__struct_fields__} >= PERSONAL


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (5, "a turn is a str or a dragoman.Turn, not int"),
        (None, "not NoneType"),
        ({"text": SECRET}, "not dict"),
        (Turn(5), "Turn.text is a str, not int"),  # type: ignore[arg-type]
        (Turn("x", history=SECRET), "Turn.history is a tuple of dragoman.Message, not str"),  # type: ignore[arg-type]
        (Turn("x", history=[{"text": SECRET}]), "holds dragoman.Message(role=..., text=...), not dict"),  # type: ignore[arg-type]
        (Turn("x", prior_frame=SECRET), "Turn.prior_frame is a dict"),  # type: ignore[arg-type]
    ],
)
@pytest.mark.parametrize("method", ["ask", "resolve", "enrich"])
def test_a_wrong_type_is_told_with_the_right_one(given: Any, says: str, method: str) -> None:
    with pytest.raises(TypeError) as raised:
        getattr(Dragoman.demo("hospital"), method)(given)
    assert says in str(raised.value)
    assert SECRET not in str(raised.value)


def test_what_a_turn_is_made_of_is_public() -> None:
    assert {"Turn", "Message"} <= set(dragoman.__all__)
