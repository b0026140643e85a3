"""The safety pack: every kind of name is asked, danger is told apart from questions, and the report says it all."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import pytest

from dragoman.evaluate import safety_pack, safety_report
from dragoman.evaluate.cases import Case as Golden
from dragoman.evaluate.cases import Expect
from dragoman.evaluate.golden import Result
from dragoman.evaluate.safety_pack import Pack, Settings, ask_names, cases_of, problems_of
from dragoman.types import Candidate, Match, Span, Turn

TABLE = Settings(endings=("ix",), beginnings=("neo",), most_names=3, near_letters=2, near_least=5, most_pairs=5)
NAMES = {"Aspirin": frozenset({"a"}), "Losartan": frozenset({"l"})}


def candidate(id_: str, match: Match, text: str) -> Candidate:
    return Candidate(span=Span(0, len(text)), text=text, kind="drug", source="catalog", id=id_, name=id_, match=match)


class Catalogue:
    """Two drugs, a declared pair, and a name of a third that is near the first."""

    def __init__(self) -> None:
        self.list = {"a": ("Aspirin", "Aspro"), "l": ("Losartan",), "v": ("Valsartan", "Aspirim")}

    def drugs(self) -> list[tuple[str, str]]:
        return [(key, names[0]) for key, names in self.list.items()]

    def aliases(self, drug_id: str) -> Sequence[str]:
        return self.list[drug_id]

    def lookup(self, term_or_id: str) -> list[dict[str, object]]:
        pairs = {"l": ["Valsartan"], "v": ["Losartan"]}
        return [{"confusable_with": pairs.get(term_or_id, [])}]


def asked(answers: dict[str, list[Candidate]], known: Sequence[str] = ()) -> dict[str, safety_pack.Asked]:
    kinds = ask_names(lambda text: answers.get(text, []), NAMES, known, TABLE, frozenset())
    return {kind.kind: kind for kind in kinds}


def test_a_name_is_right_where_its_own_drug_is_taken() -> None:
    found = asked(
        {"Aspirin": [candidate("a", "exact", "Aspirin")], "LOSARTAN": [candidate("l", "variant", "LOSARTAN")]}
    )
    assert (found["as written"].asked, found["as written"].right, found["as written"].nothing) == (2, 1, 1)
    assert (found["in capitals"].right, found["in capitals"].wrong) == (1, ())


def test_another_drug_is_danger_and_a_near_one_a_question() -> None:
    found = asked(
        {
            "Asprin": [candidate("l", "variant", "Asprin")],
            "Aspiirin": [candidate("l", "fuzzy", "Aspiirin")],
            "Aspirinix": [candidate("a", "exact", "Aspirinix")],
            "neoaspirin": [candidate("a", "fuzzy", "neoaspirin")],
            "Metformin": [candidate("a", "exact", "Metformin")],
        },
        known=["Metformin", "aspirin"],
    )
    slips, longer, known = (found[k] for k in ("with a slip of the pen", "made another name", "known elsewhere"))
    assert [(w.asked, w.of, w.took) for w in slips.wrong] == [("Asprin", "Aspirin", ("l",))]
    assert slips.asked_back == 1
    assert [w.asked for w in longer.wrong] == ["Aspirinix"]
    assert (longer.asked, longer.asked_back, longer.nothing) == (4, 1, 2)
    assert [w.asked for w in known.wrong] == ["Metformin"]  # the catalogue's own name is no other one


def test_the_sound_part_of_a_combination_is_told_apart() -> None:
    names = {"Aspirin and Losartan": frozenset({"al"})}
    text = "Aspirin and Losatan"
    kinds = ask_names(
        lambda t: [candidate("a", "exact", "Aspirin")] if t == text else [], names, (), TABLE, frozenset()
    )
    slips = kinds[2]
    assert [w.asked for w in slips.parts] == [text]
    assert slips.wrong == ()


def test_names_that_count_only_beside_evidence_are_not_expected() -> None:
    kinds = ask_names(lambda text: [], NAMES, (), TABLE, frozenset({"Aspirin", "Losartan"}))
    assert [kind.asked for kind in kinds] == [0, 0, 0, 0, 0]


def test_names_are_sampled_evenly_and_always_the_same() -> None:
    names = {f"name{i:02d}": frozenset({str(i)}) for i in range(10)}
    assert list(safety_pack.sampled(names, 3)) == ["name00", "name03", "name06"]
    assert safety_pack.sampled(names, 20) == names


def test_look_alikes_are_those_declared_and_those_near() -> None:
    pairs = safety_pack.look_alikes(safety_pack.names_of(Catalogue()), Catalogue(), TABLE)
    assert [(p.a, p.b, p.declared) for p in pairs] == [
        ("Losartan", "Valsartan", True),
        ("aspirim", "aspirin", False),
    ]


def result(id_: str, category: str, *, passed: bool, known: str | None = None) -> Result:
    case = Golden(id=id_, turn=Turn("x"), expect=Expect(), category=category, known_failure=known)
    return Result(case=case, passed=passed, known=known is not None and not passed, why=() if passed else ("because",))


def test_golden_questions_of_safety_categories_and_known_failures() -> None:
    results = [
        result("1", "must_not", passed=True),
        result("2", "must_not", passed=False),
        result("3", "exact", passed=False),
        result("4", "exact", passed=False, known="not yet"),
        result("5", "scope", passed=False, known="not yet"),
    ]
    safety = frozenset({"must_not", "scope"})
    held, known = cases_of(results, safety)
    assert [(c.id, c.passed) for c in held] == [("1", True), ("2", False)]
    assert [c.id for c in known] == ["4", "5"]
    problems = list(problems_of((), held, known, safety))
    assert problems == [
        "golden questions of safety categories fail: 2",
        "known failures in safety categories, each to be signed for: 5",
    ]


@pytest.fixture
def pack() -> Pack:
    wrong = safety_pack.Wrong(asked="<b>Aspiin|", of="Aspirin", took=("l",))
    kinds = tuple(
        safety_pack.Asked(kind=kind, means="m", asked=2, right=1, asked_back=1, nothing=0, wrong=(wrong,) * 60)
        for kind in ("as written",)
    )
    held, known = cases_of([result("q-1", "must_not", passed=False)], frozenset({"must_not"}))
    return Pack(
        project="st-anna", profile="formulary", languages=("vi",), index="abc", built="2026", dragoman="0", drugs=2,
        sources=(("t", ""),), names=2, names_asked=2, known_names=0, asked=kinds, collisions=(("a", "b", "c", "d"),),
        ambiguous={"Duo": ("a", "l")}, guarded=("Iron",), pairs=(), cases=held, known_failures=known, settings={},
        problems=tuple(problems_of(kinds, held, known, frozenset())), notes=("Mind this.",),
    )  # fmt: skip


def test_both_reports_say_the_same_and_nothing_is_raw(pack: Pack) -> None:
    text, page = safety_report.markdown(pack), safety_report.html(pack)
    titles = [section.title for section in safety_report.sections(pack)]
    assert re.findall(r"^## (.+)$", text, re.M) == titles == re.findall(r"<h2>(.+?)</h2>", page)
    for report in (text, page):
        for said in ("st-anna", "q-1", "Iron", "Duo", "Mind this.", "Signature", "10 more are in the JSON"):
            assert said in report
    assert "<b>" not in page
    assert "Aspiin\\|" in text
    assert 'class="verdict no"' in page


def test_a_clean_pack_says_so(pack: Pack) -> None:
    clean = msgspec.structs.replace(pack, problems=(), notes=())
    assert "Nothing dangerous was found." in safety_report.markdown(clean)
    assert 'class="verdict"' in safety_report.html(clean)
