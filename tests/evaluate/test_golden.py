"""Running golden questions: replies, faults, needs, known failures, rates and thresholds."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dragoman.errors import ConfigError, LimitExceeded
from dragoman.evaluate.cases import Case
from dragoman.evaluate.golden import rates, run, shortfalls


def case(id: str = "a", **changes: Any) -> Case:
    plain = {"id": id, "turn": {"text": id}, "expect": {"frame": {"turn_type": "smalltalk"}}}
    return msgspec.convert(plain | changes, Case)


@pytest.fixture
def right(fake: Any, answer: Any) -> Any:
    return fake(lambda turn, options: answer(turn, turn_type="smalltalk"))


@pytest.fixture
def wrong(fake: Any, answer: Any) -> Any:
    return fake(lambda turn, options: answer(turn, turn_type="out_of_scope"))


def test_reply_and_fault_take_the_place_of_a_call(right: Any) -> None:
    run(right, [case(reply='{"a": 1}'), case(reply={"a": 1}), case(fault="timeout"), case()], without=("near",))
    assert [(o["reply"], o["fault"]) for _, o in right.asked] == [
        ('{"a": 1}', None),
        ({"a": 1}, None),
        (None, "timeout"),
        (None, None),
    ]
    assert all(o["without"] == ("near",) for _, o in right.asked)


def test_what_needs_a_model_is_skipped_and_counted_without_one(right: Any) -> None:
    cases = [case("a", needs="llm"), case("b", needs="llm", reply="{}"), case("c", needs="llm", fault="timeout")]
    results = run(right, cases)
    assert [r.skipped for r in results] == [True, False, False]
    assert (results[0].passed, results[0].row()["why"]) == (False, "needs a model")
    counted = rates(results).all
    assert (counted.passed, counted.total, counted.skipped) == (2, 2, 1)
    assert [r.skipped for r in run(right, cases, has_model=True)] == [False, False, False]


def test_a_known_failure_that_fails_is_no_news(wrong: Any) -> None:
    (result,) = run(wrong, [case(known_failure="no list yet")])
    assert (result.passed, result.skipped, result.known, result.stale) == (False, False, True, False)
    assert result.row()["why"].startswith("known failure (no list yet); frame.turn_type: expected")
    assert shortfalls([result], least=None, safety=()) == []
    assert rates([result]).all.known == 1


def test_a_known_failure_that_passes_is_an_error(right: Any) -> None:
    (result,) = run(right, [case(known_failure="no list yet")])
    assert (result.passed, result.stale) == (False, True)
    assert shortfalls([result], least=None, safety=()) == ["listed as known failures, yet they hold: a"]


def test_an_error_is_the_cases_own_failure(fake: Any, answer: Any) -> None:
    def say(turn: Any, options: Any) -> Any:
        if turn.text == "a":
            raise LimitExceeded("too long", advice="shorten it")
        if turn.text == "b":
            raise KeyError("secret words")
        return answer(turn, turn_type="smalltalk")

    limit, crash, fine = run(fake(say), [case("a"), case("b"), case("c")])
    assert limit.why == ("error: too long; shorten it",)
    assert "crashed with KeyError in say, line" in crash.why[0]
    assert "secret" not in crash.why[0]
    assert fine.passed


def test_a_wrong_option_ends_the_run(fake: Any) -> None:
    def say(turn: Any, options: Any) -> Any:
        raise ConfigError("no layer 'nere'", advice="did you mean 'near'?")

    with pytest.raises(ConfigError):
        run(fake(say), [case("a")], without=("nere",))


def test_rates_by_category_and_language(fake: Any, answer: Any) -> None:
    engine = fake(lambda turn, options: answer(turn, turn_type="smalltalk" if "1" in turn.text else "out_of_scope"))
    cases = [
        case("a1", category="lay", language="nl"),
        case("a2", category="lay", language="vi"),
        case("b1", category="exact", language="nl"),
    ]
    counted = rates(run(engine, cases))
    assert {n: (r.passed, r.total) for n, r in counted.categories.items()} == {"lay": (1, 2), "exact": (1, 1)}
    assert {n: (r.passed, r.total) for n, r in counted.languages.items()} == {"nl": (2, 2), "vi": (0, 1)}
    assert counted.all.rate == pytest.approx(2 / 3, abs=1e-4)
    assert counted.all.low < 2 / 3 < counted.all.high


def test_nothing_run_is_no_rate(right: Any) -> None:
    results = run(right, [case(needs="llm")])
    assert rates(results).all.rate is None
    assert shortfalls(results, least=0.5, safety=()) == ["nothing ran passed, at least 50.0% is asked for"]


def test_the_least_rate_is_met_exactly(fake: Any, answer: Any) -> None:
    engine = fake(lambda turn, options: answer(turn, turn_type="smalltalk" if turn.text != "0" else "out_of_scope"))
    results = run(engine, [case(str(n)) for n in range(10)])
    assert shortfalls(results, least=0.9, safety=()) == []
    assert shortfalls(results, least=0.91, safety=()) == ["9 of 10 (90.0%) passed, at least 91.0% is asked for"]


def test_safety_is_counted_and_a_known_failure_is_no_excuse(wrong: Any) -> None:
    results = run(wrong, [case("a", category="scope"), case("b", category="scope", known_failure="x"), case("c")])
    assert shortfalls(results, least=None, safety=("scope",)) == ["safety category scope: 2 failed (a, b)"]


def test_progress_hears_every_case(right: Any) -> None:
    heard: list[int] = []
    run(right, [case("a"), case("b", needs="llm")], tick=heard.append)
    assert heard == [1, 2]
