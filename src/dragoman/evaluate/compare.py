"""Paired comparison: the same cases, before and after, or with and without a layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from dragoman.errors import DataError
from dragoman.evaluate.golden import Result
from dragoman.evaluate.metrics import mcnemar_exact


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Cases that ran on both sides. ``lost`` passed before and fail now, ``won`` the reverse; ``p`` is McNemar's.

    ``before`` and ``after`` count the passes among those ``paired`` cases; ``gone`` and ``new`` ran on one side only.
    """

    paired: int
    before: int
    after: int
    lost: tuple[str, ...]
    won: tuple[str, ...]
    p: float
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class _EarlierCase(msgspec.Struct, frozen=True):
    id: str
    passed: bool
    skipped: bool = False


class _Earlier(msgspec.Struct, frozen=True):
    cases: tuple[_EarlierCase, ...]


def load_earlier(path: Path) -> dict[str, bool]:
    """What passed in an earlier ``eval --json``; cases that were skipped are left out.

    Raises ``DataError`` where the file cannot be read or is something else.
    """
    try:
        earlier = msgspec.json.decode(path.read_bytes(), type=_Earlier)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", where=str(path), advice="check the path") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(
            f"is no result of an earlier run ({error})",
            where=str(path),
            advice="make one with `dragoman eval GOLDEN --json > earlier.json`",
        ) from None
    return {c.id: c.passed for c in earlier.cases if not c.skipped}


def outcome(results: Iterable[Result]) -> dict[str, bool]:
    """Which cases passed, of those that ran."""
    return {r.case.id: r.passed for r in results if not r.skipped}


def compare(before: Mapping[str, bool], after: Mapping[str, bool]) -> Comparison:
    """Pair two runs by case id, in the order of ``after``."""
    both = [case for case in after if case in before]
    lost = tuple(c for c in both if before[c] and not after[c])
    won = tuple(c for c in both if after[c] and not before[c])
    return Comparison(
        paired=len(both),
        before=sum(before[c] for c in both),
        after=sum(after[c] for c in both),
        lost=lost,
        won=won,
        p=mcnemar_exact(len(lost), len(won)),
        gone=tuple(c for c in before if c not in after),
        new=tuple(c for c in after if c not in before),
    )


def ablate(base: Sequence[Result], names: Sequence[str], rerun: Callable[[str], list[Result]]) -> dict[str, Comparison]:
    """What is lost when each name alone is switched off: every one against the same ``base``."""
    whole = outcome(base)
    return {name: compare(whole, outcome(rerun(name))) for name in names}
