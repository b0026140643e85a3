"""The counts beside the index as it is now."""

from __future__ import annotations

import pytest
from tests.gaps import support

from dragoman import Dragoman
from dragoman.gaps.nearest import nearest
from dragoman.gaps.observe import Ambiguous, Concept, Drug, Missing
from dragoman.gaps.report import report, unreached
from dragoman.gaps.store import Store


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Dragoman:
    return support.engine(tmp_path_factory.mktemp("gappy"), more="")


def counted(*missing: Missing) -> Store:
    store = Store(None)
    for n, one in enumerate(missing, 1):
        store.add(f"2026-01-{n:02}", one, 3)
    return store


def test_the_most_frequent_first_with_day_type_and_nearest_pages(engine: Dragoman) -> None:
    rare, often = Concept("made", "k6", "lubrijn"), Concept("made", "k3", "knarsvoet")
    store = counted(Missing("r", (rare,)), Missing("r", (often,)), Missing("r", (often,)))
    v = engine.vocabularies
    found = report(store, v.terms, v.drugs, 3)
    assert [(g.name, g.count, g.last) for g in found.no_page] == [
        ("knarsvoet", 2, "2026-01-03"),
        ("lubrijn", 1, "2026-01-01"),
    ]
    assert [(n.name, n.via) for n in found.no_page[0].nearest] == [("Dikke voet", "sibling")]
    assert found.no_page[1].nearest == ()
    short = report(store, v.terms, v.drugs, 3, since="2026-01-02", limit=1)
    assert [g.name for g in short.no_page] == ["knarsvoet"]
    assert report(store, v.terms, v.drugs, 3, limit=1).totals["no_page"] == 2
    store.close()


def test_what_is_filled_by_now_is_left_out(engine: Dragoman) -> None:
    drugs = (Drug("quentapol", "quentapol", "Quentapol"), Drug("morvaxil", "morvaxil", "Morvaxil"))
    store = counted(Missing("r", (Concept("made", "k1", "zwelvoet"),), drugs))
    v = engine.vocabularies
    found = report(store, v.terms, v.drugs, 3)
    assert found.no_page == ()
    assert [(d.name, d.listed) for d in found.unknown_drugs] == [("Morvaxil", True)]
    store.close()


def test_a_concept_that_the_index_has_no_more_is_told_by_its_name(engine: Dragoman) -> None:
    store = counted(Missing("r", (Concept("old", "z9", "vervallen kwaal"),)))
    v = engine.vocabularies
    (gap,) = report(store, v.terms, v.drugs, 3).no_page
    assert (gap.name, gap.nearest, gap.semantic_type) == ("vervallen kwaal", (), None)
    store.close()


def test_ambiguous_terms_with_their_senses_and_withheld_names(engine: Dragoman) -> None:
    name = (Drug("plixobrand", "plixobrand", None),)
    store = counted(Missing("r", (), name, (Ambiguous("wrotel", ("made:k4", "made:k5")),)))
    v = engine.vocabularies
    found = report(store, v.terms, v.drugs, 3)
    assert [[s.name for s in a.senses] for a in found.ambiguous] == [["gladde wrotel", "ruwe wrotel"]]
    assert (found.withheld.names, found.withheld.count, found.withheld.keep_after) == (1, 1, 3)
    assert found.unknown_drugs == ()
    store.close()


def test_pages_that_no_term_reaches(engine: Dragoman) -> None:
    """Not a page with a concept, a department of such a page, or a doctor."""
    found = unreached(engine.vocabularies.terms)
    assert [(u.entity_id, u.type, u.url) for u in found] == [
        ("c-2", "condition", "https://x.example/hand"),
        ("d-2", "department", None),
    ]


@pytest.mark.parametrize(
    ("concept", "near"),
    [("k0", [("Dikke voet", "narrower", 1)]), ("k3", [("Dikke voet", "sibling", 2)]), ("k1", []), ("k6", [])],
)
def test_nearest_pages(engine: Dragoman, concept: str, near: list[tuple[str, str, int]]) -> None:
    terms = engine.vocabularies.terms
    number = terms.number(concept)
    assert number is not None
    assert [(n.name, n.via, n.steps) for n in nearest(terms, number)] == near


def test_lookup_tells_an_editor_the_outcome_and_the_nearest_pages() -> None:
    hospital = Dragoman.demo("hospital")
    (concept,) = hospital.lookup("dyslipidemie").concepts
    assert concept["outcome"] == "no_page"
    assert concept["entities"] == concept["adds"] == []
    assert all(page["via"] == "sibling" for page in concept["nearest"])
    assert concept["nearest"]
    (concept,) = hospital.lookup("hernia nuclei pulposi").concepts
    assert concept["outcome"] == "expanded"
    assert [page["via"] for page in concept["nearest"]][:1] == ["broader"]
    (concept,) = hospital.lookup("hypothyreoïdie").concepts
    assert (concept["outcome"], concept["nearest"]) == ("expanded", [])
    assert concept["entities"]


def test_lookup_by_id_tells_the_same_as_by_name() -> None:
    hospital = Dragoman.demo("hospital")
    (by_name,) = hospital.lookup("dyslipidemie").concepts
    (by_id,) = hospital.lookup(by_name["id"]).concepts
    assert by_id == by_name
    (qualified,) = hospital.lookup(f"{by_name['source']}:{by_name['id']}").concepts
    assert qualified == by_name
