from __future__ import annotations

import builtins

import msgspec
import pytest

from dragoman.errors import ConfigError
from dragoman.evaluate.effects import MEASURES, Outcome, corrected, effects, means, measure, worst

pytest.importorskip("ir_measures", reason="the extra eval is not installed")

JUDGED = {"1": {"a": 1}, "2": {"b": 1, "c": 1}, "3": {"d": 1}}


def ranking(*ids: str) -> list[tuple[str, float]]:
    return [(id_, 0.0) for id_ in ids]  # the order counts, not the score


def test_measures_by_hand():
    found = measure({"1": ranking("x", "a"), "2": ranking("b", "c"), "3": []}, JUDGED)
    assert set(found) == set(MEASURES)
    assert found["RR@10"] == {"1": 0.5, "2": 1.0, "3": 0.0}
    assert found["R@100"] == {"1": 1.0, "2": 1.0, "3": 0.0}
    assert found["nDCG@10"]["1"] == pytest.approx(0.6309, abs=1e-3)
    assert found["nDCG@10"]["2"] == 1.0


def test_only_ten_and_a_hundred_pages_count():
    many = [f"x{i}" for i in range(100)]
    found = measure({"1": ranking(*many[:99], "a"), "2": ranking(*many, "b")}, JUDGED)
    assert found["R@100"] == {"1": 1.0, "2": 0.0}
    assert found["nDCG@10"] == {"1": 0.0, "2": 0.0}


def test_means_hold_their_interval():
    mean = means({"nDCG@10": {"1": 0.0, "2": 1.0, "3": 0.5}})["nDCG@10"]
    assert mean.mean == 0.5
    assert mean.interval.low <= 0.5 <= mean.interval.high


def values(*row: float) -> dict[str, dict[str, float]]:
    return {name: {str(i): v for i, v in enumerate(row)} for name in MEASURES}


def test_effects_pair_the_queries():
    found = effects(values(0.2, 0.5, 0.5, 1.0), values(0.6, 0.4, 0.5, 1.0), ["0", "1"])["nDCG@10"]
    assert found.difference == pytest.approx(0.075)
    assert (found.wins, found.losses, found.ties) == (1, 1, 2)
    assert found.touched == 2
    assert found.touched_difference == pytest.approx(0.15)
    assert found.interval.low <= found.difference <= found.interval.high


def test_a_run_that_changes_nothing():
    same = values(0.2, 0.5)
    found = effects(same, same, [])["R@100"]
    assert (found.difference, found.p, found.ties, found.touched_difference) == (0.0, 1.0, 2, 0.0)


def test_holm_counts_every_test_of_the_report():
    before, after = values(*[0.0] * 12), values(*[0.5] * 12)
    outcome = Outcome(retriever="r", run="all", about="", means=means(after), effects=effects(before, after, []))
    one = corrected([outcome])[0].effects["nDCG@10"]
    two = corrected([outcome, msgspec.structs.replace(outcome, effects=effects(before, after, []))])[0].effects[
        "nDCG@10"
    ]
    assert one.p_holm == pytest.approx(one.p * 3)
    assert two.p_holm == pytest.approx(one.p * 6)
    idle = Outcome(retriever="r", run="near", about="", means=means(after), effects=effects(after, after, []))
    first, second = corrected([outcome, idle])
    assert first.effects["nDCG@10"].p_holm == pytest.approx(one.p * 3)  # what changes nothing is no test
    assert second.effects["nDCG@10"].p_holm == 1.0
    assert corrected([Outcome(retriever="r", run="plain", about="", means=means(after))])[0].effects == {}


def test_the_worst_losses_come_first():
    texts = {str(i): f"query {i}" for i in range(4)}
    added = {str(i): [f"term {i}"] for i in range(4)}
    found = worst(values(0.5, 1.0, 0.3, 0.0), values(0.4, 0.0, 0.3, 1.0), texts, added)
    assert [(loss.query, loss.before, loss.after, loss.added) for loss in found] == [
        ("1", 1.0, 0.0, ("term 1",)),
        ("0", 0.5, 0.4, ("term 0",)),
    ]
    assert (
        len(
            worst(
                values(*[1.0] * 30),
                values(*[0.0] * 30),
                dict.fromkeys(map(str, range(30)), ""),
                dict.fromkeys(map(str, range(30)), ()),
            )
        )
        == 10
    )


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def absent(name: str, *arguments: object, **named: object) -> object:
        if name == "ir_measures":
            raise ImportError(name)
        return real(name, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ConfigError, match=r"pip install 'dragoman\[eval\]'"):
        measure({}, {})
