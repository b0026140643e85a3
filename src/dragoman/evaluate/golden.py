"""Run golden questions through an engine and count what held, by category and language."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import msgspec

from dragoman.errors import ConfigError, DragomanError
from dragoman.evaluate.cases import Case
from dragoman.evaluate.expect import differences
from dragoman.evaluate.metrics import wilson
from dragoman.types import Answer, Turn


class Asks(Protocol):
    """What an evaluation needs of an engine."""

    def ask(
        self,
        turn: Turn | str,
        *,
        reply: str | dict[str, Any] | None = None,
        fault: str | None = None,
        without: Iterable[str] = (),
    ) -> Answer:
        """Read one turn."""
        ...


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one case. ``known`` where its failure was expected; ``answer`` is kept for the reports."""

    case: Case
    passed: bool = False
    skipped: bool = False
    known: bool = False
    why: tuple[str, ...] = ()
    answer: Answer | None = None

    @property
    def failed(self) -> bool:
        """Ran, and does not hold."""
        return not self.passed and not self.skipped

    @property
    def stale(self) -> bool:
        """Listed as a known failure, and holds."""
        return self.failed and not self.known and self.case.known_failure is not None

    def row(self) -> dict[str, Any]:
        """The case as ``eval --json`` prints it."""
        return {
            "id": self.case.id,
            "category": self.case.category,
            "language": self.case.tongue,
            "passed": self.passed,
            "skipped": self.skipped,
            "why": "; ".join(self.why) or None,
        }


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """Of ``total`` cases that ran, ``passed`` held; ``low`` and ``high`` are the ends of the 95% Wilson interval.

    ``skipped`` and ``known`` failures are told apart: the first count nowhere, the second count as failing.
    ``rate`` is ``None`` where nothing ran.
    """

    passed: int
    total: int
    rate: float | None
    low: float
    high: float
    skipped: int = 0
    known: int = 0


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Rates of all cases, and by category and language in the order in which the file first names them."""

    all: Rate
    categories: dict[str, Rate]
    languages: dict[str, Rate]


def run(
    engine: Asks,
    cases: Iterable[Case],
    *,
    without: Sequence[str] = (),
    has_model: bool = False,
    tick: Callable[[int], None] | None = None,
) -> list[Result]:
    """Ask every case, and compare. ``without`` switches layers off; ``tick`` hears how many are done.

    A case that needs a model is skipped unless there is one (``has_model``) or the case brings its own reply or fault.
    An error or a crash is that case's failure; ``ConfigError`` (an unknown name in ``without``, say) is raised.
    """
    results = []
    for done, case in enumerate(cases, 1):
        results.append(_run(engine, case, without, has_model))
        if tick:
            tick(done)
    return results


def _run(engine: Asks, case: Case, without: Sequence[str], has_model: bool) -> Result:
    if case.needs == "llm" and not has_model and case.reply is None and case.fault is None:
        return Result(case=case, skipped=True, why=("needs a model",))
    answer = None
    try:
        answer = engine.ask(case.turn, reply=case.reply, fault=case.fault, without=without)
        why = differences(case, answer)
    except ConfigError:  # how it was asked is wrong, not what was asked
        raise
    except DragomanError as error:
        why = [f"error: {error}"]
    except Exception as error:  # noqa: BLE001 - a crash is what golden questions are to find: reported as a failure
        frame = traceback.extract_tb(error.__traceback__)[-1]
        why = [f"crashed with {type(error).__name__} in {frame.name}, line {frame.lineno} of {frame.filename}"]
    if case.known_failure is None:
        return Result(case=case, passed=not why, why=tuple(why), answer=answer)
    if why:
        return Result(case=case, known=True, why=(f"known failure ({case.known_failure})", *why), answer=answer)
    stale = f"listed as a known failure ({case.known_failure}) but holds: take `known_failure` out"
    return Result(case=case, why=(stale,), answer=answer)


def rate(results: Iterable[Result]) -> Rate:
    """Count some results."""
    kept = list(results)
    ran = [r for r in kept if not r.skipped]
    passed = sum(r.passed for r in ran)
    low, high = wilson(passed, len(ran))
    return Rate(
        passed=passed,
        total=len(ran),
        rate=round(passed / len(ran), 4) if ran else None,
        low=round(low, 4),
        high=round(high, 4),
        skipped=len(kept) - len(ran),
        known=sum(r.known for r in ran),
    )


def rates(results: Sequence[Result]) -> Rates:
    """Count all results, by category and by language."""
    categories = dict.fromkeys(r.case.category for r in results)
    languages = dict.fromkeys(r.case.tongue for r in results)
    return Rates(
        all=rate(results),
        categories={name: rate(r for r in results if r.case.category == name) for name in categories},
        languages={name: rate(r for r in results if r.case.tongue == name) for name in languages},
    )


def shortfalls(results: Sequence[Result], *, least: float | None, safety: Iterable[str]) -> list[str]:
    """Every stated threshold that the run misses, one sentence each; none is a good run.

    ``least`` is the lowest pass rate of all cases (0 to 1). In a ``safety`` category any failure counts, a known one
    too: such a category is counted, never averaged. A known failure that holds is an error of the golden file.
    """
    found = []
    total = rate(results)
    if least is not None and (total.rate is None or total.passed < least * total.total - 1e-9):
        shown = "nothing ran" if total.rate is None else f"{total.passed} of {total.total} ({total.rate:.1%})"
        found.append(f"{shown} passed, at least {least:.1%} is asked for")
    guarded = set(safety)
    broken: dict[str, list[str]] = {}
    for result in results:
        if result.failed and result.case.category in guarded:
            broken.setdefault(result.case.category, []).append(result.case.id)
    found.extend(
        f"safety category {name}: {len(ids)} failed ({', '.join(ids[:5])}{', ...' if len(ids) > 5 else ''})"
        for name, ids in broken.items()
    )
    stale = [r.case.id for r in results if r.stale]
    if stale:
        found.append(f"listed as known failures, yet they hold: {', '.join(stale)}")
    return found
