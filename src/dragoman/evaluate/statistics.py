"""What a difference between two retrieval runs is worth: intervals, paired tests, and their correction.

Everything is drawn from a seeded generator, so that the same runs give the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

ROUNDS = 20_000  # draws of a test or an interval: a p-value of .01 is then known to within .0014
SEED = 20_260_101
_EXACT = 14  # up to so many pairs that differ, every assignment of signs is counted instead of drawn
_CELLS = 4_000_000  # numbers held at once while drawing


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


def randomisation(differences: Sequence[float] | Values, *, rounds: int = ROUNDS, seed: int = SEED) -> float:
    """The two-sided p-value of Fisher's paired randomisation test on the mean difference.

    If two runs did not differ, each query's difference could as well have had the other sign: p is the share of sign
    assignments whose mean is at least as far from 0 as the one seen (E. Noreen, 1989; for retrieval: Smucker, Allan
    and Carterette, 2007). Exact for few queries, else over ``rounds`` draws, counting the one seen, so that p is never
    0. Queries that do not differ carry no information. 1.0 where none does.
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]
    n = len(values)
    if n == 0:
        return 1.0
    seen = abs(values.sum()) * (1 - 1e-12)  # sums of the same numbers in another order may differ in the last bit
    if n <= _EXACT:
        signs = 1 - 2 * ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1)
        return float(np.mean(np.abs(signs @ values) >= seen))
    random = np.random.default_rng(seed)
    extreme = 0
    for size in _parts(rounds, n):
        signs = random.integers(0, 2, size=(size, n), dtype=np.int8) * 2 - 1
        extreme += int(np.count_nonzero(np.abs(signs @ values) >= seen))
    return (extreme + 1) / (rounds + 1)


def bootstrap(values: Sequence[float] | Values, *, rounds: int = 5_000, seed: int = SEED) -> Interval:
    """The 95% percentile interval of the mean, over ``rounds`` samples drawn with replacement (B. Efron, 1979).

    Given paired differences it is the interval of the mean difference. ``(0, 0)`` for nothing; the value itself for
    one alone, of which no interval can be known.
    """
    numbers = np.asarray(values, dtype=np.float64)
    n = len(numbers)
    if n == 0:
        return Interval(0.0, 0.0)
    random = np.random.default_rng(seed)
    means = np.concatenate([numbers[random.integers(0, n, size=(size, n))].mean(axis=1) for size in _parts(rounds, n)])
    low, high = np.percentile(means, (2.5, 97.5))
    return Interval(float(low), float(high))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction (1979) of a family of p-values, in the order given.

    The smallest is multiplied by the size of the family, the next by one less, and so on; none falls below a smaller
    one's. The chance of even one false discovery in the family then stays below the level chosen.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, p_values[i] * (len(p_values) - place)))
        corrected[i] = highest
    return corrected


def _parts(rounds: int, width: int) -> list[int]:
    """``rounds`` in portions that keep memory small."""
    most = max(1, _CELLS // max(1, width))
    whole, rest = divmod(rounds, most)
    return [most] * whole + ([rest] if rest else [])
