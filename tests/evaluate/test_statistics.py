from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.evaluate.statistics import Interval, bootstrap, holm, randomisation

differences = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=1, max_size=8)


def test_randomisation_counts_all_sign_assignments_of_few_pairs():
    assert randomisation([0.1, 0.2, 0.3]) == pytest.approx(2 / 8)  # only all plus and all minus reach .6
    assert randomisation([0.5]) == 1.0


@given(differences)
def test_randomisation_is_exact_for_few_pairs(values: list[float]):
    seen = abs(sum(values))
    ways = [
        abs(sum(v * s for v, s in zip(values, signs, strict=True))) for signs in product((1, -1), repeat=len(values))
    ]
    assert randomisation(values) == pytest.approx(sum(way >= seen - 1e-9 for way in ways) / len(ways))


def test_randomisation_of_no_difference_is_one():
    assert randomisation([]) == 1.0
    assert randomisation([0.0] * 50) == 1.0


@given(differences)
def test_randomisation_is_two_sided_and_ignores_ties(values: list[float]):
    assert randomisation([-v for v in values]) == randomisation(values)
    assert randomisation([*values, 0.0, 0.0]) == randomisation(values)


def test_randomisation_of_many_pairs_agrees_with_the_normal_distribution():
    random = np.random.default_rng(3)
    values = random.normal(0.02, 0.2, size=400)
    z = values.mean() / (values.std() / np.sqrt(len(values)))
    expected = 2 * (1 - 0.5 * (1 + np.tanh(0.7978845608 * (z + 0.044715 * z**3))))
    assert randomisation(values) == pytest.approx(expected, abs=0.01)


def test_randomisation_is_never_zero_and_repeats_itself():
    values = [0.5] * 200
    assert randomisation(values, rounds=1000) == pytest.approx(1 / 1001)
    assert randomisation(values[:20] + [-0.4] * 15) == randomisation(values[:20] + [-0.4] * 15)


def test_randomisation_keeps_its_level():
    random = np.random.default_rng(11)
    p_values = [randomisation(random.normal(0, 1, size=30), rounds=400, seed=i) for i in range(300)]
    assert 0.02 < np.mean([p <= 0.05 for p in p_values]) < 0.09


def test_bootstrap_covers_the_mean():
    random = np.random.default_rng(5)
    found = [bootstrap(random.normal(0.3, 1, size=60), rounds=400, seed=i) for i in range(300)]
    assert 0.90 < np.mean([i.low <= 0.3 <= i.high for i in found]) < 0.98


@given(differences)
def test_bootstrap_stays_within_the_values(values: list[float]):
    low, high = bootstrap(values, rounds=50)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


def test_bootstrap_of_nothing_and_of_one():
    assert bootstrap([]) == Interval(0, 0)
    assert bootstrap([0.25]) == Interval(0.25, 0.25)


def test_bootstrap_draws_in_portions_of_bounded_size():
    assert bootstrap(np.zeros(200_000), rounds=50) == Interval(0, 0)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_never_lowers(values: list[float]):
    corrected = holm(values)
    assert all(c >= p for c, p in zip(corrected, values, strict=True))
    assert all(c <= 1 for c in corrected)
    pairs = sorted(zip(values, corrected, strict=True))
    assert [c for _, c in pairs] == sorted(c for _, c in pairs)
