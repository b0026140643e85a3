"""What the offline understanding tells of samples whose labels are known: accuracy, precision, coverage, confusion.

Measured is what a turn gets, rules and heads together (``dragoman.offline.decide``), and beside it the heads forced to
answer and the rules alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from heads_data import LANGUAGES, Sample
from heads_fit import Doubles, Set
from numpy.typing import NDArray

from dragoman.evidence.settle import Settled, settle
from dragoman.offline.decide import decide
from dragoman.offline.heads import NEVER, HeadCard, Told

PRECISION = 0.97  # of the answers on held-out families: what the thresholds are chosen for
DETAIL_PRECISION = 0.95
DISMISSAL_PRECISION = 0.99  # of turning people away, over all variants
# Levels tried for what the heads must grant a rule for it to stand: it falls only where they all but exclude it. Higher
# ones reach a better precision on the families, where strangers' opening hours are as frequent as one's own.
KEPT = (0.05, 0.1)
OWN = tuple(round(0.6 + 0.02 * i, 2) for i in range(18))  # levels tried for what the heads say on their own
SHARED = (0.4, 0.45, 0.5, 0.55, 0.6)  # and for what the profile falls back on, too
ABSTAINS = "(abstains)"
Flags = NDArray[np.bool_]


class Heard(NamedTuple):
    """Samples with what the rules and the heads say of them, one each."""

    data: Set
    rules: list[Settled]
    told: list[Told]

    def decided(self, card: HeadCard) -> list[Settled]:
        """What is settled of each."""
        parts = zip(self.data.evidence, self.rules, self.told, strict=True)
        return [decide(e, r, t, card) for e, r, t in parts]

    def part(self, keep: Callable[[Sample], object]) -> Heard:
        """The samples that ``keep`` is true of."""
        at = [i for i, s in enumerate(self.data.samples) if keep(s)]
        return Heard(self.data.part(at), [self.rules[i] for i in at], [self.told[i] for i in at])


def heard(data: Set, told: Sequence[Told]) -> Heard:
    """The samples whose turn type is labelled."""
    whole = Heard(data, [settle(e) for e in data.evidence], list(told))
    return whole.part(lambda s: s.labels.get("turn_type"))


def accepted(sample: Sample) -> list[str]:
    """The turn types that count as right, the best one first."""
    return str(sample.labels["turn_type"]).split("|")


def choose(what: Heard, card: HeadCard) -> HeadCard:
    """The levels of ``card`` with which most turns are answered at ``PRECISION``, as written and with names known.

    Where no levels reach it, the next lower precision that some do, a quarter of a percent at a time; what the heads
    say on their own has to reach it over all variants, however often the rules are wrong.
    """
    plain, found = what.part(lambda s: s.variant == "plain"), []
    right_alone = [told.turn_type in accepted(s) for s, told in zip(what.data.samples, what.told, strict=True)]
    least = level(np.array(right_alone, dtype=bool), np.array([told.sure for told in what.told]), PRECISION)
    card = msgspec.structs.replace(card, dismiss=_dismissal(what))
    for shared in SHARED:
        for own in (own for own in OWN if own >= max(shared, min(least, OWN[-1]))):
            for kept in (kept for kept in KEPT if kept <= shared):
                tried = msgspec.structs.replace(
                    card, threshold=own, overrule=own, agreed=shared, fallback=shared, kept=kept
                )
                found.append((*_answered(plain, plain.decided(tried)), tried))
    wanted = PRECISION
    while not any(precision >= wanted for _, precision, _ in found):
        wanted -= 0.0025
    best = max((f for f in found if f[1] >= wanted), key=lambda f: f[0])[2]
    right, sure = [], []
    for sample, told in zip(what.data.samples, what.told, strict=True):
        detail = sample.labels.get("attribute") or sample.labels.get("condition_relation")
        if detail and told.turn_type in accepted(sample):
            right.append(told.detail == detail)
            sure.append(told.detail_sure)
    detail_level = level(np.array(right, dtype=bool), np.array(sure), DETAIL_PRECISION) if right else NEVER
    return msgspec.structs.replace(best, detail=detail_level)


def _dismissal(what: Heard) -> float:
    """The level from which on a head that turns a person away is right so often that it may."""
    away = [
        (bool(set(accepted(s)) & set(e.profile.alone)), t.sure)
        for s, e, r, t in zip(what.data.samples, what.data.evidence, what.rules, what.told, strict=True)
        if r.turn_type is None and t.turn_type in e.profile.alone
    ]
    right, sure = zip(*away, strict=True) if away else ((), ())
    return level(np.array(right, dtype=bool), np.array(sure), DISMISSAL_PRECISION)


def level(right: Flags, sure: Doubles, precision: float) -> float:
    """The lowest probability from which on answers are right as often as ``precision``; ``NEVER`` where none is."""
    order = np.argsort(-sure, kind="stable")
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(share >= precision)
    return round(float(sure[order[good[-1]]]), 4) if len(good) else NEVER


def _answered(what: Heard, decided: Sequence[Settled]) -> tuple[float, float]:
    kinds = [d.turn_type for d in decided]
    right = [k in accepted(s) for k, s in zip(kinds, what.data.samples, strict=True) if k is not None]
    return len(right) / max(1, len(kinds)), (sum(right) / len(right) if right else 0.0)


def rate(right: Sequence[object] | Flags) -> float | None:
    """The share that holds, to four places; nothing of nothing."""
    return round(sum(map(bool, right)) / len(right), 4) if len(right) else None


def line(what: Heard, card: HeadCard) -> dict[str, Any]:
    """The figures of some samples in one line."""
    decided = what.decided(card)
    coverage, precision = _answered(what, decided)
    by_rules = _answered(what, what.rules)
    forced = [t.turn_type in accepted(s) for t, s in zip(what.told, what.data.samples, strict=True)]
    return {
        "n": len(decided), "accuracy": rate(forced), "precision": round(precision, 4), "coverage": round(coverage, 4),
        "rules": {"precision": round(by_rules[1], 4), "coverage": round(by_rules[0], 4)},
    }  # fmt: skip


def figures(what: Heard, card: HeadCard) -> dict[str, Any]:
    """The figures of all, by language, variant and turn type, of the attribute, and the confusion of turn types."""
    out = line(what, card)
    out["language"] = {c: line(what.part(lambda s, c=c: s.language == c), card) for c in LANGUAGES}  # type: ignore[misc]
    variants = sorted({s.variant for s in what.data.samples})
    out["variant"] = {v: line(what.part(lambda s, v=v: s.variant == v), card) for v in variants}  # type: ignore[misc]
    plain = what.part(lambda s: s.variant == "plain")
    out["plain"] = {c: line(plain.part(lambda s, c=c: s.language == c), card) for c in LANGUAGES}  # type: ignore[misc]
    confusion: dict[str, Counter[str]] = defaultdict(Counter)
    for sample, settled in zip(what.data.samples, what.decided(card), strict=True):
        meant = settled.turn_type if settled.turn_type in accepted(sample) else accepted(sample)[0]
        confusion[str(meant)][settled.turn_type or ABSTAINS] += 1
    out["confusion"] = {k: dict(v) for k, v in sorted(confusion.items())}
    out["turn type"] = _by_type(confusion)
    out["attribute"] = _attribute(what, card)
    return out


def _by_type(confusion: dict[str, Counter[str]]) -> dict[str, dict[str, Any]]:
    told = Counter[str]()
    for row in confusion.values():
        told.update(row)
    return {
        kind: {
            "n": sum(row.values()), "recall": round(row[kind] / sum(row.values()), 4),
            "precision": round(row[kind] / told[kind], 4) if told[kind] else None,
        }
        for kind, row in sorted(confusion.items())
    }  # fmt: skip


def _attribute(what: Heard, card: HeadCard) -> dict[str, Any] | None:
    """Of questions about one section: the section that is told."""
    mine = what.part(lambda s: s.labels.get("attribute") and accepted(s) == ["drug_attribute"])
    if not mine.told:
        return None
    labels = [s.labels["attribute"] for s in mine.data.samples]
    forced = [t.detail == y for t, y in zip(mine.told, labels, strict=True)]
    given = [(d.attribute, y) for d, y in zip(mine.decided(card), labels, strict=True) if d.turn_type and d.attribute]
    plain = [s.language if s.variant == "plain" else "" for s in mine.data.samples]
    return {
        "n": len(labels), "accuracy": rate(forced), "precision": rate([a == y for a, y in given]),
        "coverage": round(len(given) / len(labels), 4),
        "plain": {c: rate([r for r, p in zip(forced, plain, strict=True) if p == c]) for c in LANGUAGES},
    }  # fmt: skip
