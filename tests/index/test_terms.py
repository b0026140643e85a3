"""What an index of terms holds, and how exact matches are told."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.terms_support import World, hospital

from dragoman.protocols import ConceptRow, MapRow, RelationRow, Row, TermRow
from dragoman.readers.deployment import Entity, EntityRelation, Taxonomy
from dragoman.text.tokens import tokenize


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return hospital(tmp_path_factory.mktemp("index"))


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("hypothyreoïdie", "hypo"),
        ("HYPOTHYREOIDIE", "hypo"),
        (unicodedata.normalize("NFD", "ik heb hypothyreoïdie"), "hypo"),
        ("hypothyreo\u200bïdie", "hypo"),
        ("<b>cholelithiasis</b>", "gallstone"),
        ("de vallende ziekte", "epilepsy"),
        ("Graves’ disease", "graves"),
        ("totale knieprothese", "kneeprosthesis"),
        ("de TKP", "kneeprosthesis"),
    ],
)
def test_a_term_is_found_whatever_its_form(world: World, text: str, concept: str) -> None:
    assert any(c.id == concept and c.match == "exact" for c in world.candidates(text))


def test_a_candidate_says_where_it_stands(world: World) -> None:
    text = "Kan 🙂 <b>hypothyreo&iuml;die</b> kwaad?"
    (candidate,) = world.candidates(text)
    assert text[candidate.span.start : candidate.span.end] == candidate.text == "hypothyreo&iuml;die"
    assert (candidate.kind, candidate.source, candidate.semantic_type) == ("concept", "made", "condition")


def test_the_longest_term_holds_its_words(world: World) -> None:
    assert world.ids("epileptische aanval") == {"fit"}


def test_every_concept_of_a_term_is_kept_and_the_mention_says_so(world: World) -> None:
    found = world.found("Ik heb MS")
    assert {c.id for c in found.candidates} == {"ms1", "ms2"}
    assert [m.status for m in found.mentions] == ["ambiguous"]


def test_nothing_that_is_retired_or_unpublished_is_found(world: World) -> None:
    assert world.candidates("hysterie") == []
    assert world.candidates("Slaapkliniek") == []
    assert world.terms.entity("sleep") is None
    assert world.terms.number("retired") is None


def test_a_term_does_not_go_over_the_end_of_a_sentence(world: World) -> None:
    assert world.ids("Zij is vallende. Ziekte volgt!") & {"epilepsy"} == set()


def test_semantic_types_come_from_tags_and_from_named_ancestors(tmp_path: Path) -> None:
    rows: list[Row] = [
        TermRow("B", "Bệnh", "vi", "preferred"),
        TermRow("S", "Triệu chứng", "vi", "preferred"),
        TermRow("1", "Hen phế quản", "vi", "preferred"),
        TermRow("2", "Ho", "vi", "preferred"),
        TermRow("3", "Ho khan", "vi", "preferred"),
        RelationRow("1", "is_a", "B"),
        RelationRow("2", "is_a", "S"),
        RelationRow("3", "is_a", "2"),
    ]
    terms = World(tmp_path, [("benh", rows)], codes=("vi",)).terms
    types = {id_: terms.semantic_type(terms.number(id_) or 0) for id_ in "123"}
    assert types == {"1": "condition", "2": "symptom", "3": "symptom"}


def test_synonyms_in_brackets_are_terms_of_their_own(tmp_path: Path) -> None:
    world = World(tmp_path, [("icd", [TermRow("A00", "Bệnh tả [dịch tả] (thổ tả)", "vi", "preferred")])], codes=("vi",))
    for text in ("bệnh tả", "dịch tả", "thổ tả"):
        assert world.ids(text) == {"A00"}, text
    assert world.terms.concept_name("A00") == "Bệnh tả"


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> World:
    rows = [
        TermRow("year", "năm", "vi", "preferred"),
        TermRow("man", "nam", "vi", "preferred"),
        TermRow("fever", "sốt", "vi", "preferred"),
        TermRow("old", "thoái hoá khớp", "vi", "preferred"),
        TermRow("bệnh", "bệnh", "vi", "preferred"),
        TermRow("flu", "influenza", "en", "preferred"),
    ]
    return World(tmp_path_factory.mktemp("vi"), [("made", rows)], codes=("vi", "en"))


def test_marked_text_matches_terms_with_the_same_marks_only(marked: World) -> None:
    assert marked.ids("tôi sống ba năm rồi") == {"year"}
    assert marked.ids("bạn ấy là nam giới") == {"man"}
    assert marked.ids("còn sót nhau") == set()
    assert marked.ids("tôi bị sốt") == {"fever"}


def test_unmarked_text_may_mean_any_and_the_unmarked_term_is_surest(marked: World) -> None:
    found = {c.id: c.score for c in marked.candidates("nam")}
    assert found["man"] == 1.0 > found["year"]
    assert marked.ids("toi bi sot") == {"fever"}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_unicode_form_and_the_place_of_the_tone_do_not_matter(marked: World, form: Literal["NFC", "NFD"]) -> None:
    assert marked.ids(unicodedata.normalize(form, "người bệnh")) == {"bệnh"}
    assert marked.ids(unicodedata.normalize(form, "bà bị thoái hóa khớp")) == {"old"}


def test_a_foreign_term_stands_in_marked_text(marked: World) -> None:
    assert marked.ids("tôi bị influenza") == {"flu"}


def test_terminologies_of_one_name_are_one_and_maps_join_others(tmp_path: Path) -> None:
    world = World(
        tmp_path,
        [
            ("hpo", [ConceptRow("1", True, None), TermRow("1", "kale plek", "nl", "preferred")]),
            ("hpo", [TermRow("1", "alopecia", "en", "preferred"), MapRow("1", "sct", "9"), MapRow("1", "icd", "L63")]),
            ("sct", [TermRow("9", "haarverlies", "nl", "preferred")]),
            ("icd", [TermRow("L63", "pelade", "nl", "preferred")]),
        ],
        Taxonomy(entities=(Entity(entity_id="c", type="condition", name="Haaruitval", concept_ids=("sct:9",)),)),
    )
    assert world.terms.sources == ["hpo", "sct", "icd"]
    assert world.added("alopecia") == ["Haaruitval"]
    assert world.terms.number("9", "sct") == world.terms.number("sct:9") is not None


def test_the_name_to_show_does_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    rows = [
        TermRow("1", "hypertension", "en", "preferred"),
        TermRow("1", "verhoogde tensie", "nl"),
        TermRow("1", "hypertensie", "nl", "preferred"),
        TermRow("1", "hoge bloeddruk", "nl", "lay"),
        TermRow("2", "asthma", "en", "preferred"),
    ]
    for place, order in enumerate((rows, rows[::-1])):
        terms = World(tmp_path / str(place), [("made", order)]).terms
        assert (terms.concept_name("1"), terms.concept_name("2")) == ("hoge bloeddruk", "asthma")


def test_the_report_tells_what_an_editor_should_look_at(tmp_path: Path) -> None:
    rows = [
        TermRow("1", "mitralisstenose", "nl", "preferred"),
        TermRow("1", "MS", "nl"),
        TermRow("2", "multiple sclerose", "nl", "preferred"),
        TermRow("2", "MS", "nl"),
        TermRow("3", "amyotrofe laterale sclerose", "nl", "preferred"),
        TermRow("3", "ALS", "nl"),
    ]
    entities = (
        Entity(entity_id="lost", type="condition", name="Verdwenen", concept_ids=("77",)),
        Entity(entity_id="kept", type="condition", name="Spierziekte", concept_ids=("3",)),
    )
    report = World(tmp_path, [("made", rows)], Taxonomy(entities=entities)).report
    assert [(a.term, a.concepts) for a in report.ambiguous] == [("ms", ("made:1", "made:2"))]
    assert "ALS" in report.everyday
    assert report.unmapped == ("lost",)
    assert report.counts["concepts_without_page"] == 2
    assert report.counts["entities_without_concept"] == 1
    assert report.unreached == ("lost",)


def test_the_report_names_the_pages_that_only_their_own_words_reach(tmp_path: Path) -> None:
    rows = [TermRow("1", "mitralisstenose", "nl", "preferred")]
    entities = (
        Entity(entity_id="valve", type="condition", name="Vernauwde klep", concept_ids=("1",)),
        Entity(entity_id="visit", type="practical", name="Bezoektijden"),
        Entity(entity_id="heart", type="department", name="Hartpoli"),
        Entity(entity_id="park", type="department", name="Parkeerdienst"),
        Entity(entity_id="dr", type="doctor", name="Dr. Verzonnen"),
    )
    relations = (EntityRelation(source_id="heart", relation="TREATS", target_id="valve"),)
    report = World(tmp_path, [("made", rows)], Taxonomy(entities=entities, relations=relations)).report
    assert report.unreached == ("visit", "park")
    assert report.counts["entities_unreached"] == 2


def test_a_restricted_terminology_is_not_listed(tmp_path: Path) -> None:
    from tests.index.terms_support import packs

    from dragoman.index.arrays import Writer
    from dragoman.index.terms_build import compile_terms
    from dragoman.protocols import Source

    rows = iter([TermRow("1", "een term", "nl"), TermRow("2", "een term", "nl")])
    source = Source(name="sct", format="csv", path=tmp_path, licence="restricted")
    report = compile_terms([(source, rows)], packs("nl"), Writer(tmp_path))
    assert report.counts["terms_ambiguous"] == 1
    assert report.ambiguous == ()


def test_lookup_shows_what_is_known(world: World) -> None:
    concepts, entities = world.terms.lookup("hyperthyreoidie")
    assert [c["id"] for c in concepts] == ["hyper"]
    assert [t["term"] for t in concepts[0]["terms"]] == ["hyperthyreoïdie", "hyperthyroidism"]
    assert concepts[0]["relations"]["finding_site"] == [{"id": "thyroid", "name": "schildklier"}]
    assert [e["id"] for e in entities] == ["fast"]
    assert world.terms.lookup("fast")[1][0]["name"] == "Te snel werkende schildklier"
    assert world.terms.lookup("geen mens kent dit") == ([], [])


def test_a_build_of_the_same_rows_is_the_same_to_the_byte(tmp_path: Path) -> None:
    for name in "ab":
        hospital(tmp_path / name)
    for file in sorted((tmp_path / "a").rglob("*.*")):
        part = file.relative_to(tmp_path / "a")
        assert file.read_bytes() == (tmp_path / "b" / part).read_bytes(), part


@given(st.text(max_size=200))
def test_any_text_can_be_matched(world: World, text: str) -> None:
    tokens = tokenize(text)
    for found in (world.terms.match(tokens, 3), world.terms.near(tokens, 3, ())):
        for candidate in found.candidates:
            assert candidate.message == 3
            assert text[candidate.span.start : candidate.span.end] == candidate.text != ""


TEXT = "ik heb geen epilepsie galstenen MS hypo- en hyperthyreoïdie knie fractuur van de nier , . (CVA)"
WORDS = st.sampled_from(TEXT.split())


@given(st.lists(WORDS, max_size=12))
def test_matches_of_one_text_are_the_same_twice_and_never_nested(world: World, words: list[str]) -> None:
    text = " ".join(words)
    found = world.found(text)
    assert found == world.found(text)
    spans = {c.span for c in found.candidates if c.match != "fuzzy"}
    assert all(a == b or not a.overlaps(b) for a in spans for b in spans)
