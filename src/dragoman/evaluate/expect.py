"""Does an answer hold what a golden question names? Every difference in one line, with what was expected and came."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from dragoman.evaluate.cases import Case, Expect
from dragoman.types import Answer, Turn

MOST_REPLIES = 4
LONGEST_REPLY = 40  # characters


def differences(case: Case, answer: Answer) -> list[str]:
    """All that the case names and the answer does not hold, then the rules that every answer must keep."""
    return [*_expected(case.expect, answer), *invariants(case.turn, answer)]


def _expected(expect: Expect, answer: Answer) -> list[str]:
    found: list[str] = []
    if expect.frame:
        _compare(expect.frame, msgspec.to_builtins(answer.frame), "frame", found)
    if expect.scope:
        _compare(expect.scope, msgspec.to_builtins(answer.scope), "scope", found)
    # with several terminologies an id may be written with its source
    ids = {c.id for c in answer.candidates} | {f"{c.source}:{c.id}" for c in answer.candidates}
    _pick(expect.candidates.include, expect.candidates.exclude, ids, "candidates", found)
    terms = [e.term for e in answer.enrichment.expansions]
    _pick(expect.expansions.include, expect.expansions.exclude, set(terms), "expansions", found)
    if expect.expansions.at_most is not None and len(terms) > expect.expansions.at_most:
        found.append(f"expansions: expected at most {expect.expansions.at_most}, got {len(terms)}: {_show(terms)}")
    if expect.text is not None and answer.enrichment.text != expect.text:
        found.append(f"text: expected {_show(expect.text)}, got {_show(answer.enrichment.text)}")
    return found


def _pick(include: tuple[str, ...], exclude: tuple[str, ...], got: set[str], name: str, found: list[str]) -> None:
    missing = [i for i in include if i not in got]
    present = [i for i in exclude if i in got]
    if missing:
        found.append(f"{name}: missing {_show(missing)}, got {_show(sorted(got))}")
    if present:
        found.append(f"{name}: must not have {_show(present)}")


def _compare(expected: Any, actual: Any, path: str, found: list[str]) -> None:
    """Named fields alone, within nested objects too; lists as sets."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            _compare(value, actual.get(key), f"{path}.{key}", found)
    elif not _same(expected, actual, path):
        found.append(f"{path}: expected {_show(expected)}, got {_show(actual)}")


def _same(expected: Any, actual: Any, path: str) -> bool:
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(_same(v, actual.get(k), f"{path}.{k}") for k, v in expected.items())
    if isinstance(expected, list):
        if not isinstance(actual, list | tuple):
            return False
        return all(any(_same(e, a, path) for a in actual) for e in expected) and all(
            any(_same(e, a, path) for e in expected) for a in actual
        )
    if isinstance(expected, str) and isinstance(actual, dict) and path.startswith("frame.patient_context."):
        return expected in (actual.get("drug_id"), actual.get("text"))
    if isinstance(expected, bool) or isinstance(actual, bool):  # or else 1 would be true
        return expected is actual
    return bool(expected == actual)


def invariants(turn: Turn, answer: Answer) -> list[str]:
    """What must hold in every answer, asserted or not: bounded drugs and usable quick replies."""
    found: list[str] = []
    replies = answer.frame.quick_replies
    if len(replies) > MOST_REPLIES:
        found.append(f"invariant: {len(replies)} quick replies, at most {MOST_REPLIES} are allowed")
    if any(len(r) > LONGEST_REPLY for r in replies):
        found.append(f"invariant: a quick reply is longer than {LONGEST_REPLY} characters: {_show(replies)}")
    if len(set(replies)) != len(replies):
        found.append(f"invariant: quick replies repeat: {_show(replies)}")
    mine = dict(turn.user_messages())
    named = {
        c.id
        for c in answer.candidates
        if c.kind == "drug" and c.message in mine and 0 <= c.span.start < c.span.end <= len(mine[c.message])
    }
    found.extend(
        f"invariant: the drug {_show(drug)} is no candidate with a place in the person's own words"
        for drug in dict.fromkeys((*answer.frame.drugs, *_context_drugs(answer)))
        if drug not in named
    )
    return found


def _context_drugs(answer: Answer) -> list[str]:
    """The drugs that the frame knows of the patient: bounded like those that are asked about."""
    context = answer.frame.patient_context
    entries = (*context.allergies, *context.adverse_reactions, *context.current_medications)
    return [e.drug_id for e in entries if e.drug_id is not None]


def _show(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
