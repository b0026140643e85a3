"""The statistics, against published values and their own laws."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.evaluate.metrics import mcnemar_exact, wilson


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_wilson_gives_the_published_intervals(passed: int, total: int, low: float, high: float) -> None:
    assert wilson(passed, total) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_wilson_holds_the_rate_and_stays_in_bounds(a: int, b: int) -> None:
    passed, total = min(a, b), max(a, b)
    low, high = wilson(passed, total)
    assert 0.0 <= low <= high <= 1.0
    if total:
        assert low <= passed / total <= high


def test_wilson_knows_nothing_of_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("passed", "total"), [(2, 1), (-1, 3)])
def test_wilson_refuses_what_is_no_rate(passed: int, total: int) -> None:
    with pytest.raises(ValueError, match="no rate"):
        wilson(passed, total)


@pytest.mark.parametrize(
    ("lost", "won", "p"), [(0, 0, 1.0), (0, 5, 0.0625), (0, 6, 0.03125), (1, 9, 22 / 1024), (5, 5, 1.0)]
)
def test_mcnemar_is_the_binomial_test_on_what_changed(lost: int, won: int, p: float) -> None:
    assert mcnemar_exact(lost, won) == pytest.approx(p)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_symmetric_and_a_probability(lost: int, won: int) -> None:
    p = mcnemar_exact(lost, won)
    assert p == mcnemar_exact(won, lost)
    assert 0.0 < p <= 1.0
    n = lost + won
    assert p <= 2 * sum(comb(n, k) for k in range(min(lost, won) + 1)) / 2**n + 1e-12


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 2)
