"""The few statistics that a golden evaluation needs, exact and without dependencies."""

from __future__ import annotations

from math import comb, sqrt

Z95 = 1.959963984540054  # the 97.5% quantile of the normal distribution


def wilson(passed: int, total: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a rate (E. B. Wilson, 1927), by default at 95%.

    Returns ``(low, high)`` in [0, 1]. Holds at small numbers and at rates of 0 and 1, where the textbook's normal
    interval collapses. ``(0.0, 1.0)`` where nothing was counted. Raises ``ValueError`` unless 0 ≤ passed ≤ total.
    """
    if not 0 <= passed <= total:
        raise ValueError(f"{passed} of {total} is no rate")
    if total == 0:
        return 0.0, 1.0
    rate = passed / total
    square = z * z
    centre = (rate + square / (2 * total)) / (1 + square / total)
    half = z / (1 + square / total) * sqrt(rate * (1 - rate) / total + square / (4 * total * total))
    # at rates of 0 and 1 the end of the interval is the rate itself; rounding must not say otherwise
    low = 0.0 if passed == 0 else max(0.0, centre - half)
    high = 1.0 if passed == total else min(1.0, centre + half)
    return low, high


def mcnemar_exact(lost: int, won: int) -> float:
    """The exact two-sided p-value of McNemar's test (1947) on paired cases.

    ``lost`` passed before and fail now, ``won`` the other way round; cases that did not change carry no information.
    1.0 where nothing changed. Raises ``ValueError`` for a negative count.
    """
    if lost < 0 or won < 0:
        raise ValueError("counts cannot be negative")
    n = lost + won
    tail = sum(comb(n, k) for k in range(min(lost, won) + 1))
    return min(1.0, 2 * tail / (1 << n))
