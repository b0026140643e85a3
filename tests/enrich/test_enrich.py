"""What is appended to a question, in which order, and what never is."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.terms_support import RelationRow, World, hospital

from dragoman.enrich import EnrichSettings, enrich
from dragoman.errors import DataError
from dragoman.protocols import Row, TermRow
from dragoman.readers.deployment import Entity, EntityRelation, Override, Taxonomy
from dragoman.types import Candidate, Entities, QueryFrame, Span


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return hospital(tmp_path_factory.mktemp("index"))


def outcomes(world: World, text: str) -> dict[str, str]:
    return {o.concept_id: o.outcome for o in world.enrich(text).enrichment.concept_outcomes}


# --- layers -----------------------------------------------------------------------------------------------------------


def test_the_page_with_the_same_concept_is_appended(world: World) -> None:
    enriched = world.enrich("ik heb last van hypothyreoïdie").enrichment
    assert enriched.text == "ik heb last van hypothyreoïdie (Te traag werkende schildklier)"
    (expansion,) = enriched.expansions
    assert (expansion.layer, expansion.via, expansion.entity_id, expansion.concept_id) == (
        "terminology",
        "same_concept",
        "slow",
        "hypo",
    )
    assert tuple(expansion.span) == (16, 30)


def test_a_compound_says_so(world: World) -> None:
    assert [e.via for e in world.enrich("epilepsiemedicatie").enrichment.expansions] == ["compound"]


def test_departments_come_where_the_page_is_held_already(world: World) -> None:
    enriched = world.enrich("ik heb last van epilepsie").enrichment
    assert enriched.text == "ik heb last van epilepsie (Neurologie, Neurochirurgie)"
    assert {e.via for e in enriched.expansions} == {"TREATS"}


def test_a_span_that_is_served_gets_no_departments_unless_asked_for(world: World) -> None:
    assert world.added("ik heb cholelithiasis") == ["Galstenen"]
    assert world.added("naar welke dienst met cholelithiasis?") == ["Galstenen", "Maag-, darm- en leverziekten"]
    frame = QueryFrame(turn_type="symptom_routing")
    assert world.added("ik heb cholelithiasis", frame) == ["Galstenen", "Maag-, darm- en leverziekten"]


def test_the_nearest_broader_page_serves_a_concept_without_one(world: World) -> None:
    (expansion,) = world.enrich("wat is gonartrose?").enrichment.expansions
    assert (expansion.term, expansion.layer, expansion.via) == ("Gewrichtsslijtage", "near", "broader")
    assert expansion.score < 1


def test_a_page_of_one_among_many_does_not_stand_for_all(tmp_path: Path) -> None:
    made: list[Row] = [TermRow("many", "infectieziekte", "nl", "preferred"), TermRow("few", "reuma", "nl", "preferred")]
    for at in range(9):
        parent = "few" if at < 2 else "many"
        made += [TermRow(f"c{at}", f"ziekte nummer {at}", "nl", "preferred"), RelationRow(f"c{at}", "is_a", parent)]
    pages = [
        Entity(entity_id=f"e{at}", type="condition", name=f"Pagina {at}", language="nl", concept_ids=(f"c{at}",))
        for at in (0, 5)
    ]
    world = World(tmp_path, [("made", made)], Taxonomy(entities=tuple(pages)))
    assert world.added("reuma") == ["Pagina 0"]
    assert world.added("infectieziekten") == []


def test_siblings_are_not_exchanged(world: World) -> None:
    assert world.added("de ziekte van Graves") == ["Te snel werkende schildklier"]


def test_the_department_of_the_site_where_there_is_no_page(world: World) -> None:
    (expansion,) = world.enrich("mijn huisarts denkt aan endocarditis").enrichment.expansions
    assert (expansion.term, expansion.via) == ("Cardiologie", "finding_site")


def test_what_is_said_of_a_finding_is_no_subject_of_its_own(tmp_path: Path) -> None:
    made: list[Row] = [
        TermRow("mods", "Clinical modifier", "en", "preferred"),
        TermRow("grave", "Severe", "en", "preferred"),
        TermRow("grave", "Ernstig", "nl", "preferred"),
        RelationRow("grave", "is_a", "mods"),
        TermRow("thin", "Leukopenia", "en", "preferred"),
        TermRow("thin", "Te weinig witte bloedcellen", "nl", "preferred"),
    ]
    world = World(tmp_path, [("made", made)])
    assert world.added("severe leukopenia") == ["Te weinig witte bloedcellen"]
    assert world.added("severe leukocoria") == []
    assert world.added("Severe") == ["Ernstig"]


def test_known_without_page_and_unknown_are_different_answers(world: World) -> None:
    assert outcomes(world, "ik heb dyslipidemie") == {"dyslipidemia": "no_page"}
    assert outcomes(world, "ik heb hoofdzeer") == {}
    assert world.added("ik heb dyslipidemie") == []


def test_one_narrower_page_serves_and_several_do_not(tmp_path: Path) -> None:
    rows = [
        TermRow(c, t, "nl", "preferred") for c, t in (("1", "klierlijden"), ("2", "klierkoorts"), ("3", "klierpest"))
    ]
    rows += [RelationRow("2", "is_a", "1"), RelationRow("3", "is_a", "1")]  # type: ignore[list-item]
    pages = [Entity(entity_id=f"p{c}", type="condition", name=f"Pagina {c}", concept_ids=(c,)) for c in "23"]
    one = World(tmp_path / "1", [("made", rows)], Taxonomy(entities=(pages[0],)))
    two = World(tmp_path / "2", [("made", rows)], Taxonomy(entities=tuple(pages)))
    assert [(e.term, e.via) for e in one.enrich("klierlijden").enrichment.expansions] == [("Pagina 2", "narrower")]
    assert two.added("klierlijden") == []


def test_a_models_terms_are_checked(world: World) -> None:
    text = "ik voel mijn hart in mijn hoofd"
    assert "Te snel werkende schildklier" in world.added(text, canonical=["hyperthyreoïdie", "Slaapkliniek", "onzin"])
    assert "Slaapkliniek" not in world.added(text, canonical=["Slaapkliniek"])
    enriched = world.enrich("iets tegen het branden", canonical=["galstenen"]).enrichment
    assert [(e.layer, e.via) for e in enriched.expansions] == [("translation", "translation")]


def test_a_models_terms_are_not_asked_where_the_text_says_it(world: World) -> None:
    assert world.added("ik heb cholelithiasis", canonical=["epilepsie"]) == ["Galstenen"]


def test_a_models_term_for_what_is_denied_is_left_out(world: World) -> None:
    assert world.added("ik heb geen urticaria", canonical=["galbulten"]) == []


def test_a_long_word_that_heads_one_term_is_enough(tmp_path: Path) -> None:
    rows = [TermRow("1", "lumbale kanaalstenose", "nl", "preferred")]
    page = Entity(entity_id="p", type="condition", name="Nauw wervelkanaal", concept_ids=("1",))
    world = World(tmp_path, [("made", rows)], Taxonomy(entities=(page,)))
    (expansion,) = world.enrich("kanaalstenose").enrichment.expansions
    assert (expansion.term, expansion.layer) == ("Nauw wervelkanaal", "words")
    assert world.added("lumbale klachten") == []


def test_without_a_taxonomy_the_concepts_own_name(tmp_path: Path) -> None:
    rows = [TermRow("1", "urticaria", "nl", "preferred"), TermRow("1", "wheal", "en", "preferred")]
    rows += [TermRow("1", "hives", "en")]
    assert World(tmp_path / "nl", [("made", rows)]).added("I have hives", language="en") == ["urticaria"]
    assert World(tmp_path / "en", [("made", rows)], codes=("en",)).added("hives") == ["wheal"]


def test_concepts_that_carry_each_others_names_are_appended_once(tmp_path: Path) -> None:
    rows = [
        TermRow("1", "fainting", "en", "preferred"),
        TermRow("1", "faint", "en"),
        TermRow("1", "syncope", "en"),
        TermRow("2", "syncope", "en", "preferred"),
    ]
    world = World(tmp_path, [("made", rows)], codes=("en",))
    for text in ("fainting", "faint", "syncope", "faint or syncope"):
        terms = [*world.added(text), text]
        assert sum("syncope" in t for t in terms) == 1, text
        assert len(set(terms)) == len(terms)


def test_a_drugs_own_name_for_a_sure_alias(world: World) -> None:
    reading = world.reading("ik neem zorbex")
    for match, added in (("exact", ["Zorbalin"]), ("variant", ["Zorbalin"]), ("fuzzy", [])):
        drug = Candidate(
            span=Span(8, 14),
            text="zorbex",
            kind="drug",
            source="catalog",
            id="r1",
            name="Zorbalin",
            match=match,  # type: ignore[arg-type]
        )
        with_drug = dataclasses.replace(reading, candidates=(drug,))
        enriched = enrich(with_drug, None, world.terms, None, EnrichSettings(corpus_language="nl"))
        assert [e.term for e in enriched.enrichment.expansions] == added


# --- what is not appended ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("GALSTENEN", "Galstenen"),
        ("een galsteen", "Galstenen"),
        ("mijn partner snurkt", "Snurken"),
        ("de baby heeft gebraakt", "Braken"),
        ("cholelithiasis, dus galstenen", "Galstenen"),
        ("hypothyreoïdie is een te traag werkende schildklier", "Te traag werkende schildklier"),
        ("behandelt Neurologie ook epilepsie?", "Neurologie"),
        ("knieprotheses", "Knieprothese"),
    ],
)
def test_nothing_that_the_text_holds(world: World, text: str, held: str) -> None:
    assert held not in world.added(text)


def test_another_spelling_holds_nothing(tmp_path: Path) -> None:
    rows = [TermRow("1", "hypothyreoïdie", "nl", "preferred")]
    page = Entity(entity_id="p", type="condition", name="Hypothyroïdi", concept_ids=("1",))
    world = World(tmp_path, [("made", rows)], Taxonomy(entities=(page,)))
    assert world.enrich("hypothyreoïdie").enrichment.text == "hypothyreoïdie (Hypothyroïdi)"


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("Ik heb geen urticaria", []),
        ("ik heb geen duizeligheid, wel cholelithiasis", ["Galstenen"]),
        ("noch urticaria noch cholelithiasis", []),
        ("I have hives but no fever", ["Netelroos"]),
        ("Mijn moeder heeft cholelithiasis", ["Galstenen"]),
        ("niet alleen cholelithiasis", ["Galstenen"]),
        ("het is cholelithiasis in plaats van urticaria", ["Galstenen"]),
        ("I have gallstones rather than hives", ["Galstenen"]),
        ("urticaria niet, cholelithiasis wel", ["Galstenen"]),
    ],
)
def test_what_is_denied_is_not_bridged(world: World, text: str, added: list[str]) -> None:
    language = "en" if text.startswith("I have") else "nl"
    assert world.added(text, language=language) == added


def test_a_denied_list_is_denied_whole(world: World) -> None:
    text = "patient denies stroke, gallstones, eczema and vertigo"
    enriched = world.enrich(text, language="en").enrichment
    assert enriched.expansions == ()
    assert {o.outcome for o in enriched.concept_outcomes} == {"negated"}
    assert len(enriched.concept_outcomes) == 4


def test_an_ambiguous_abbreviation_is_not_bridged_without_evidence(world: World) -> None:
    assert world.added("Ik heb MS") == []
    assert outcomes(world, "Ik heb MS") == {"ms1": "ambiguous", "ms2": "ambiguous"}


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("De cardioloog zegt dat ik MS heb", "Vernauwde mitralisklep"),
        ("Volgens de neuroloog heb ik MS", "Multiple sclerose"),
        ("Ze zagen MS, dus een mitralisklepstenose", "Vernauwde mitralisklep"),
        ("MS in de hersenen", "Multiple sclerose"),
    ],
)
def test_evidence_decides_what_an_abbreviation_means(world: World, text: str, added: str) -> None:
    others = {"Vernauwde mitralisklep", "Multiple sclerose"} - {added}
    got = world.added(text)
    assert added in got
    assert not others & set(got)


def test_a_question_about_an_animal_is_not_enriched(world: World) -> None:
    enriched, trace = world.enrich("mijn hond heeft epilepsie", subject="veterinary")
    assert enriched.text == enriched.original
    assert {row.outcome for row in trace} == {"skipped"}


def test_doctors_are_not_appended(world: World) -> None:
    assert world.added("ik ga naar dokter Verzonnen") == []
    assert world.ids("ik ga naar dokter Verzonnen") == {"doctor"}


# --- budget and order -------------------------------------------------------------------------------------------------


def test_one_page_a_condition_comes_first_and_the_rest_is_told(world: World) -> None:
    text = "naar wie met cholelithiasis, urticaria, vertigo en tinnitus?"
    enriched = world.enrich(text).enrichment
    assert [e.term for e in enriched.expansions] == ["Galstenen", "Netelroos", "Duizeligheid"]
    by = {o.concept_id: o.outcome for o in enriched.concept_outcomes}
    assert by == {"gallstone": "expanded", "hives": "expanded", "dizzy": "expanded", "tinnitus": "over_budget"}


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_the_budget_is_kept(world: World, most: int) -> None:
    assert len(world.added("hypothyreoïdie, urticaria, vertigo, tinnitus, koorts", max_terms=most)) <= most


def test_sparse_terms_travel_at_their_weight(world: World) -> None:
    queries = world.enrich("ik heb cholelithiasis").enrichment.queries
    assert [(t.term, t.weight) for t in queries.sparse] == [("ik heb cholelithiasis", 1.0), ("Galstenen", 0.3)]
    assert queries.verbatim == "ik heb cholelithiasis"
    assert queries.dense == "ik heb cholelithiasis (Galstenen)"


def test_a_stand_alone_query_is_an_additional_one(world: World) -> None:
    frame = QueryFrame(standalone_query="wat zijn cholelithiasis en de gevolgen")
    enriched = world.enrich("en cholelithiasis?", frame).enrichment
    assert enriched.text.startswith("en cholelithiasis? (")
    assert enriched.queries.dense.startswith("wat zijn cholelithiasis en de gevolgen (")


# --- the frame --------------------------------------------------------------------------------------------------------


def test_layer_two_works_from_the_frames_conditions(world: World) -> None:
    frame = QueryFrame(turn_type="department_lookup", entities=Entities(conditions=("urticaria",)))
    assert "Maag-, darm- en leverziekten" not in world.added("galstenen en urticaria", frame)


def test_what_the_frame_has_and_enrichment_ignores_is_a_row_and_a_count(world: World) -> None:
    frame = QueryFrame(
        turn_type="condition_info", entities=Entities(conditions=("epilepsie", "glazen oog", "kniezwam"))
    )
    (row,) = [r for r in world.enrich("ik heb epilepsie", frame).trace if r.step == "entities_ignored"]
    assert (row.outcome, row.count) == ("miss", 2)
    assert "glazen" not in (row.note or "")


def test_a_condition_of_an_earlier_message_finds_its_department(world: World) -> None:
    frame = QueryFrame(turn_type="department_lookup", entities=Entities(conditions=("galstenen",)))
    assert world.added("en naar welke dienst dan?", frame) == ["Maag-, darm- en leverziekten"]


@pytest.mark.parametrize(
    ("text", "language", "ids"),
    [
        ("Welke artsen behandelen epilepsie?", "nl", ("neuro", "surgery")),
        ("Wie werkt er op Cardiologie?", "nl", ("cardio",)),
        ("Which doctors treat stroke?", "en", ("neuro",)),
    ],
)
def test_a_list_of_doctors_is_a_roster(world: World, text: str, language: str, ids: tuple[str, ...]) -> None:
    frame = QueryFrame(turn_type="doctor_lookup")
    roster = world.enrich(text, frame, language=language).enrichment.roster
    assert roster is not None
    assert roster.department_ids == ids
    assert roster.signal in text


def test_a_department_of_an_earlier_message_has_a_roster(world: World) -> None:
    frame = QueryFrame(
        turn_type="doctor_lookup", depends_on_previous_turn=True, entities=Entities(departments=("Cardiologie",))
    )
    roster = world.enrich("Welke artsen werken daar?", frame).enrichment.roster
    assert roster is not None
    assert roster.department_ids == ("cardio",)


@pytest.mark.parametrize("goes_on", [True, False])
def test_what_was_named_before_is_appended_only_where_the_way_is_asked(world: World, goes_on: bool) -> None:
    frame = QueryFrame(
        turn_type="condition_info", depends_on_previous_turn=goes_on, entities=Entities(conditions=("galstenen",))
    )
    assert bool(world.added("is dat gevaarlijk", frame)) is not goes_on


def test_no_roster_where_no_list_or_no_doctor_is_asked_for(world: World) -> None:
    assert (
        world.enrich("Ik zoek een dokter voor epilepsie", QueryFrame(turn_type="doctor_lookup")).enrichment.roster
        is None
    )
    assert world.enrich("Welke artsen behandelen epilepsie?", QueryFrame()).enrichment.roster is None


# --- switches, faults, the editor -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("wat is hyperthyreoïdie", "terminology"),
        ("ik heb last van epilepsie", "taxonomy"),
        ("gonartrose", "near"),
        ("twee fracturen", "morphology"),
        ("arthrose", "spelling"),
        ("epilepsiemedicatie", "compounds"),
        ("een CVA", "abbreviations"),
        ("endocardtis", "fuzzy"),
    ],
)
def test_each_layer_and_feature_can_be_switched_off(world: World, text: str, name: str) -> None:
    assert world.added(text)
    assert world.added(text, without=(name,)) == []


def test_each_layer_says_what_it_did(world: World) -> None:
    rows = {row.step: row for row in world.enrich("ik heb cholelithiasis", without=("near",)).trace}
    assert (rows["terminology"].outcome, rows["terminology"].count) == ("hit", 1)
    assert rows["near"].outcome == "skipped"
    assert rows["translation"].outcome == "skipped"
    assert all("cholelithiasis" not in (row.note or "") for row in rows.values())


def test_an_error_in_a_layer_is_an_error_and_the_text_stays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[object]:
        raise RuntimeError("ik heb cholelithiasis")

    from dragoman.enrich import enrich as module  # noqa: F401

    engine = sys.modules["dragoman.enrich.enrich"]
    layers = tuple(layer._replace(run=broken) if layer.name == "taxonomy" else layer for layer in engine.LAYERS)
    monkeypatch.setattr(engine, "LAYERS", layers)
    enriched, trace = world.enrich("naar wie met cholelithiasis?")
    assert enriched.text == enriched.original
    row = next(r for r in trace if r.step == "taxonomy")
    assert (row.outcome, row.note) == ("error", "RuntimeError")


def test_the_editor_has_the_first_word(tmp_path: Path) -> None:
    rules = (
        Override(term="urticaria", action="never", target="nettle", reason="old page", author="an"),
        Override(term="blaasjes", action="always", target="nettle", reason="people say so", date="2026-01-01"),
        Override(term="MS", action="prefer", target="ms1", reason="what people mean"),
    )
    world = hospital(tmp_path, rules)
    assert world.added("ik heb urticaria") == []
    assert world.added("ik heb galbulten") == ["Netelroos"]
    (expansion,) = world.enrich("ik heb blaasjes").enrichment.expansions
    assert expansion.term == "Netelroos"
    assert expansion.why == "the editor: always, people say so (2026-01-01)"
    (expansion,) = world.enrich("ik heb MS").enrichment.expansions
    assert (expansion.term, expansion.why) == ("Multiple sclerose", "the editor: prefer, what people mean")
    assert world.added("ik heb MS", without=("overrides",)) == []


def test_a_rule_of_one_language_counts_in_its_texts_alone(tmp_path: Path) -> None:
    """What the word means in another language is not ruled on."""
    rules = (
        Override(term="urticaria", language="en", action="never", target="nettle"),
        Override(term="blaasjes", language="nl", action="always", target="nettle"),
        Override(term="gift", language="en", action="always", target="nettle"),
        Override(term="galbulten", language="en", action="always", target="nettle"),
    )
    world = hospital(tmp_path, rules)
    assert world.added("ik heb urticaria") == ["Netelroos"]
    assert world.added("I have urticaria and itching", language="en") == []
    assert world.added("ik heb blaasjes") == ["Netelroos"]
    assert world.added("what is blaasjes?", language="en") == []
    assert world.added("what is the gift of bees?", language="en") == ["Netelroos"]
    assert world.added("is het gift?") == []
    assert world.added("ik heb galbulten") == ["Netelroos"], "the vocabulary has it as well"


def test_an_override_of_something_that_is_not_there_stops_the_build(tmp_path: Path) -> None:
    rule = Override(term="x", action="always", target="nobody", where="overrides.csv:7")
    with pytest.raises(DataError, match=r"overrides\.csv:7: the target 'nobody'"):
        hospital(tmp_path, (rule,))


def test_only_published_relations_count(tmp_path: Path) -> None:
    rows = [TermRow("1", "kwaal", "nl", "preferred")]
    entities = (
        Entity(entity_id="c", type="condition", name="Kwaal", concept_ids=("1",)),
        Entity(entity_id="a", type="department", name="Alfa"),
        Entity(entity_id="b", type="department", name="Beta"),
        Entity(entity_id="g", type="department", name="Gamma", status="archived"),
    )
    relations = (
        EntityRelation(source_id="a", relation="TREATS", target_id="c", status="draft"),
        EntityRelation(source_id="b", relation="OFFERS", target_id="c"),
        EntityRelation(source_id="g", relation="TREATS", target_id="c"),
    )
    world = World(tmp_path, [("made", rows)], Taxonomy(entities=entities, relations=relations))
    assert [(e.term, e.via) for e in world.enrich("mijn kwaal").enrichment.expansions] == [("Beta", "OFFERS")]


# --- laws -------------------------------------------------------------------------------------------------------------

TEXT = "ik heb geen MS CVA galstenen cholelithiasis hypo- en hyperthyreoïdie epilepsie naar welke dienst , . gonartrose"
WORDS = st.lists(st.sampled_from(TEXT.split()), max_size=14).map(" ".join)


@given(st.one_of(WORDS, st.text(max_size=80)), st.integers(0, 4))
def test_the_persons_words_are_never_replaced(world: World, text: str, most: int) -> None:
    enriched, trace = world.enrich(text, max_terms=most)
    terms = [e.term for e in enriched.expansions]
    assert enriched.original == text == enriched.queries.verbatim
    assert enriched.text == text + (f" ({', '.join(terms)})" if terms else "")
    assert len(terms) == len(set(terms)) <= most
    assert all(row.outcome != "error" for row in trace)
    assert all(0 <= e.span.start <= e.span.end <= len(text) for e in enriched.expansions)
    assert not any(f" {term.casefold()} " in f" {text.casefold()} " for term in terms)
    assert world.enrich(text, max_terms=most).enrichment == enriched
