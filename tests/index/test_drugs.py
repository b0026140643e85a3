"""What the resolver finds in a text, and what it must not."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.drugs_support import DUTCH, Opened, catalog

from dragoman.text.tokens import tokenize

NAMES = {
    "Amlodipin": ("Amlor/brand", "Amlodipin 5mg/brand"),
    "Amoxicilin": ("amoxicillin", "Moxacin/brand"),
    "Amoxicilin và acid clavulanic": ("Curam/brand", "Augbidil 625/brand"),
    "Acid clavulanic": (),
    "Acid mefenamic": ("Ponstan/brand",),
    "Bisoprolol": ("Concor Cor/brand",),
    "Cefixim": (),
    "Codein": ("coding/spelling",),
    "Desloratadin": (),
    "Fexofenadin": ("Telfast/brand",),
    "Gliclazid": ("Diamicron/brand", "Diamicron MR/brand"),
    "Isoniazid": ("INH/abbreviation",),
    "Kẽm gluconat": (),
    "Levetiracetam": ("Keppra/brand",),
    "Loratadin": ("Clarityne/brand",),
    "Natri clorid": (),
    "Paracetamol": ("Panadol/brand", "Panadol Extra/brand", "Hapacol 150/brand", "Hapacol/brand"),
    "Pantoprazol": (),
    "Prednisolon": (),
    "Pyridoxin": ("Vitamin B6", "B6"),
    "Thiamin": ("Vitamin B1",),
    "Tocilizumab": ("Vi/brand", "Tyenne/brand"),
    "Warfarin": ("pencil/spelling", "warfare/spelling"),
}
KNOWN = (
    "prednisone",
    "pantozol",
    "cefepim",
    "Vitamin K2",
    "chlorpropamide",
    "rivaroxaban",
    "omeprazole",
    "paracetamol",
)


@pytest.fixture(scope="module")
def hospital() -> Opened:
    return Opened(catalog(NAMES, known=KNOWN, confusable=[("Loratadin", "Desloratadin"), ("Warfarin", "Coumadine")]))


# --- exact ---


@pytest.mark.parametrize(
    ("text", "drug", "words"),
    [
        ("Amlodipin uống lúc nào?", "amlodipin", "Amlodipin"),
        ("AMLODIPIN có hại thận không", "amlodipin", "AMLODIPIN"),
        ("Panadol Extra 500mg viên sủi ngày mấy lần", "paracetamol", "Panadol Extra"),
        ("Hapacol 150 cho bé", "paracetamol", "Hapacol 150"),
        ("amlodipin 5 mg", "amlodipin", "amlodipin 5 mg"),
        ("“Gliclazid”… dùng sao?!", "gliclazid", "Gliclazid"),
        ("diamicron mr", "gliclazid", "diamicron mr"),
        ("vitamin B6 liều cao", "pyridoxin", "vitamin B6"),
        ("B6 có tác dụng gì", "pyridoxin", "B6"),
        ("Acid mefenamic trước ăn?", "acid mefenamic", "Acid mefenamic"),
        ("amoxicilin và acid clavulanic khác gì", "amoxicilin và acid clavulanic", "amoxicilin và acid clavulanic"),
        ("natri clorid 0,9% pha sao", "natri clorid", "natri clorid"),
        ("kẽm gluconat cho trẻ", "kẽm gluconat", "kẽm gluconat"),
    ],
)
def test_exact(hospital: Opened, text: str, drug: str, words: str):
    found = hospital.found(text)
    assert [(c.id, c.match, c.text, c.why) for c in found.candidates] == [(drug, "exact", words, None)]
    assert [(m.status, m.candidate_ids, m.kind) for m in found.mentions] == [("exact", (drug,), "drug")]
    start, end = found.candidates[0].span
    assert text[start:end] == words


def test_a_text_without_marks_is_exact_and_one_dropped_mark_is_a_variant(hospital: Opened):
    assert hospital.kinds("kem gluconat cho tre em") == {"kẽm gluconat": "exact"}
    assert hospital.candidates("kem gluconat cho trẻ bị tiêu chảy")["kẽm gluconat"].why == "mark left out"


def test_a_changed_mark_is_another_word(hospital: Opened):
    assert hospital.kinds("kém gluconat cho trẻ") == {}


def test_two_names_joined_by_a_slash_are_two(hospital: Opened):
    assert set(hospital.kinds("loratadin/fexofenadin")) == {"loratadin", "fexofenadin"}


def test_the_longer_name_wins_wherever_it_stands(hospital: Opened):
    assert set(hospital.kinds("desloratadin hay loratadin")) == {"desloratadin", "loratadin"}
    assert set(hospital.kinds("uống curam hay amoxicilin")) == {"amoxicilin và acid clavulanic", "amoxicilin"}


# --- variant ---


@pytest.mark.parametrize(
    ("text", "drug", "why"),
    [
        ("amlodipine", "amlodipin", "final e"),
        ("fexofenadine", "fexofenadin", "final e"),
        ("gliclazide", "gliclazid", "final e"),
        ("cefixime", "cefixim", "final e"),
        ("bisoprolole", "bisoprolol", "final e"),
        ("Waarfarine", "warfarin", "doubled letters, final e"),
        ("kodein", "codein", "k → c"),
        ("codeïne", "codein", "final e"),
        ("thiamine", "thiamin", "final e"),
        ("mefenamic acid", "acid mefenamic", "word order of acids"),
        ("axit mefenamic", "acid mefenamic", "words"),
        ("mefenaminezuur", "acid mefenamic", "-zuur (nl)"),
        ("natriumchloride", "natri clorid", "ch → c, final e, words, spaces"),
        ("sodium chloride", "natri clorid", "ch → c, final e, words"),
        ("natri clorua", "natri clorid", "words"),
        ("zinc gluconate", "kẽm gluconat", "final e, words"),
        ("hapacol250", "paracetamol", "a number run on"),
        ("amlodipine5mg", "amlodipin", "a number run on"),
        ("clavulanic acid + amoxicillin", "amoxicilin và acid clavulanic", "combination"),
        ("amoxicillin/clavulanic acid", "amoxicilin và acid clavulanic", "combination"),
    ],
)
def test_variants_say_their_rule(hospital: Opened, text: str, drug: str, why: str):
    found = hospital.candidates(text)[drug]
    assert found.match == "variant"
    assert why in (found.why or "")
    assert found.text == text


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("pa ra xê ta môn uống mấy viên", "paracetamol"),
        ("mua am lô đi pin ở đâu", "amlodipin"),
        ("lô ra ta đin có buồn ngủ không", "loratadin"),
        ("phê xô phê na đin", "fexofenadin"),
        ("pan tô pra zôn trước ăn", "pantoprazol"),
        ("prét ni xô lôn", "prednisolon"),
        ("bi sô prô lôn", "bisoprolol"),
        ("pa ra xe ta mon uong may vien", "paracetamol"),
    ],
)
def test_names_as_they_sound(hospital: Opened, text: str, drug: str):
    assert hospital.kinds(text) == {drug: "variant"}


def test_syllables_with_tones_are_words(hospital: Opened):
    assert hospital.kinds("mẹ tôi lỡ rạ tả đỉn rồi") == {}


def test_a_name_in_two_words_and_two_words_in_one(hospital: Opened):
    assert hospital.kinds("para cetamol") == {"paracetamol": "variant"}
    assert hospital.kinds("panadolextra") == {"paracetamol": "variant"}


def test_no_name_crosses_punctuation_or_a_line(hospital: Opened):
    assert hospital.kinds("Đau do thiếu vitamin. B6 là gì") == {"pyridoxin": "exact"}
    assert hospital.kinds("acid. mefenamic") == {}
    assert hospital.kinds("natri\nclorid") == {}


def test_a_letter_and_a_number_stay_together(hospital: Opened):
    assert hospital.kinds("uống vitamin B 6 viên một ngày") == {}
    assert hospital.kinds("uống vitamin B-6 mỗi ngày") == {"pyridoxin": "exact"}


def test_a_strength_in_the_alias_may_be_missing():
    opened = Opened(catalog({"Felodipin": ("Plendil Plus 5mg/brand",)}))
    assert opened.candidates("plendil plus có tốt không")["felodipin"].why == "strength left out"
    assert opened.kinds("Plendil Plus 5 mg") == {"felodipin": "exact"}


def test_a_remark_in_parentheses_may_be_missing():
    opened = Opened(catalog(["Oresol (thuốc bù nước)", "Sắt (II) fumarat"]))
    assert opened.kinds("oresol pha thế nào") == {"oresol (thuốc bù nước)": "variant"}
    assert opened.kinds("Sắt (II) fumarat") == {"sắt (ii) fumarat": "exact"}
    assert opened.kinds("sắt fumarat") == {"sắt (ii) fumarat": "variant"}


def test_ingredients_name_their_combination_in_any_order():
    opened = Opened(
        catalog(
            {"Tritanal": (), "Telmisartan": (), "Amlodipin": ()},
            ingredients={"Tritanal": ("telmisartan", "Amlodipin")},
        )
    )
    assert opened.kinds("amlodipin + telmisartan") == {"tritanal": "variant"}
    assert set(opened.kinds("amlodipin, telmisartan")) == {"amlodipin", "telmisartan"}


# --- collisions, ambiguity, look-alikes ---


def test_a_rule_that_makes_two_drugs_one_is_off_for_the_two():
    opened = Opened(catalog({"Hydrochlorothiazid": ("dyazide/brand",), "Triamteren": ("diazide/brand",)}))
    assert [(c.a_id, c.b_id, c.rules) for c in opened.report.collisions] == [
        ("hydrochlorothiazid", "triamteren", ("y → i",))
    ]
    assert opened.kinds("dyazide") == {"hydrochlorothiazid": "exact"}
    assert opened.kinds("diazide") == {"triamteren": "exact"}
    assert opened.kinds("dyazid") == {"hydrochlorothiazid": "variant"}  # needs another rule than the one that is off


def test_a_known_name_that_risky_rules_make_a_catalogue_name_stays_another_drug():
    opened = Opened(catalog({"Levonorgestrel": ("Serazets/brand",)}, known=["Serazet"]))
    assert [(c.b, c.b_id) for c in opened.report.collisions] == [("Serazet", None)]
    assert opened.unknown("uống serazet") == ["serazet"]
    assert opened.kinds("serazets") == {"levonorgestrel": "exact"}


def test_a_known_name_in_another_spelling_of_the_same_substance_is_that_substance(hospital: Opened):
    assert ("paracetamol", "Paracetamol") in hospital.report.same_substance
    assert hospital.kinds("paracetamol") == {"paracetamol": "exact"}


def test_several_drugs_of_one_name_are_all_offered_and_flagged():
    opened = Opened(catalog({"Mercaptopurin": ("MP/abbreviation",), "Methylprednisolon": ("MP/abbreviation",)}))
    found = opened.found("liều MP cho trẻ")
    assert {c.id for c in found.candidates} == {"mercaptopurin", "methylprednisolon"}
    assert [(m.status, m.reason) for m in found.mentions] == [("ambiguous", "the name of several drugs")]
    assert opened.report.ambiguous == {"mp": ("mercaptopurin", "methylprednisolon")}


def test_look_alikes_are_flagged_on_exact_hits_too(hospital: Opened):
    (mention,) = hospital.mentions("loratadin")
    assert mention.confusable_with == ("desloratadin",)
    (mention,) = hospital.mentions("warfarin")
    assert mention.confusable_with == ("Coumadine",)


# --- unknown ---


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("prednisone có tác dụng phụ gì", "prednisone"),
        ("prednison liều", "prednison"),
        ("Cefepim tiêm thế nào", "Cefepim"),
        ("clorpropamid ngày mấy lần", "clorpropamid"),
        ("Vitamin K2 uống sao", "Vitamin K2"),
        ("rivaroxaban", "rivaroxaban"),
        ("thuốc Xylotrex chống chỉ định gì", "Xylotrex"),
        ("Tác dụng phụ của Xylotrex", "Xylotrex"),
        ("quá liều xylotrex", "xylotrex"),
        ("Xylotrex trị bệnh gì", "Xylotrex"),
        ("what are the side effects of Xylotrex?", "Xylotrex"),
        ("Velomat 500 mg uống khi nào", "Velomat"),
        ("geneesmiddel Velomat", "Velomat"),
        ("sử dụng lincomycin khi nào", "lincomycin"),
        ("warfarinol có tốt không", "warfarinol"),
    ],
)
def test_unknown_names_are_the_persons_words(hospital: Opened, text: str, name: str):
    found = hospital.found(text)
    assert found.candidates == ()
    assert [(m.text, m.status) for m in found.mentions] == [(name, "unknown")]
    assert found.mentions[0].reason


def test_a_known_name_that_is_an_ordinary_word_needs_evidence():
    opened = Opened(catalog(["Amlodipin"], known=["water", "rest", "sulfate", "balsalazida"]))
    assert opened.mentions("a glass of water and some rest, no sulfate") == ()
    assert opened.unknown("balsalazide a day") == ["balsalazide"]


def test_a_known_and_an_unknown_name_side_by_side(hospital: Opened):
    found = hospital.found("warfarin và rivaroxaban khác nhau thế nào")
    assert [(m.text, m.status) for m in found.mentions] == [("warfarin", "exact"), ("rivaroxaban", "unknown")]


# --- fuzzy ---


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("levetriacetam", "levetiracetam"),
        ("level iracetam", "levetiracetam"),
        ("paracetmaol", "paracetamol"),
        ("panodol", "paracetamol"),
        ("fexofenidan", "fexofenadin"),
        ("amlopidin", "amlodipin"),
        ("glicazid", "gliclazid"),
        ("bisoprlol", "bisoprolol"),
        ("acid mefenmic", "acid mefenamic"),
    ],
)
def test_near_names_are_a_question(hospital: Opened, text: str, drug: str):
    found = hospital.found(f"liều {text} cho trẻ")
    (candidate,) = found.candidates
    assert (candidate.id, candidate.match, candidate.text) == (drug, "fuzzy", text)
    assert candidate.why
    assert candidate.score < 0.95
    assert [m.status for m in found.mentions] == ["fuzzy"]


def test_two_near_names_are_both_offered():
    opened = Opened(catalog(["Cefadroxil", "Cefadroxal"]))
    assert set(opened.kinds("cefadroxel")) == {"cefadroxil", "cefadroxal"}
    (mention,) = opened.mentions("cefadroxel")
    assert (mention.status, mention.reason) == ("fuzzy", "near to several names")


@pytest.mark.parametrize(
    "text",
    [
        "loratadinol",
        "amoxiprofen",
        "warfaprazol",
        "codeinex",
        "loratalodipin",
        "predniso",
        "bisopr",
        "nexofenadin",
        "cofexim",
    ],
)
def test_invented_and_cut_names_are_never_offered(hospital: Opened, text: str):
    assert hospital.kinds(text) == {}


def test_a_word_nearer_to_a_known_name_is_not_offered(hospital: Opened):
    assert hospital.kinds("pantozole") == {}
    assert hospital.kinds("cefepime") == {}


def test_nothing_is_near_to_what_is_covered(hospital: Opened):
    tokens = tokenize("panodol")
    assert hospital.index.near(tokens, -1, [tokens.span(0, 1)]).candidates == ()
    assert hospital.index.near(tokens, 3, []).candidates[0].message == 3


# --- words that are no drugs ---


@pytest.mark.parametrize(
    "text",
    [
        "I was coding all night",
        "a pencil on the table",
        "warfare in the Middle Ages",
        "Thuốc này bao nhiêu tiền một vỉ?",
        "Uống thuốc lúc nào là tốt nhất?",
        "Bác sĩ Lê Văn Vi khám ở Cần Thơ",
        "nhà thuốc Pharmacity",
        "ừ",
        "?",
        "",
        "500 mg",
        "Ik heb al drie dagen hoofdpijn",
        "cảm ơn nhà thuốc An Khang",
        "tác dụng phụ của thuốc này",
        "liều dùng thông thường là bao nhiêu",
        "tac dung phu cua noi soi",
        "side effects of dialysis",
        "the dose of radiation",
        "Is Bayer listed on the stock market?",
        "các bạn có khoẻ không",
    ],
)
def test_everyday_words_name_nothing(hospital: Opened, text: str):
    found = hospital.found(text)
    assert found.candidates == ()
    assert all(m.status in {"suppressed", "class"} for m in found.mentions)


def test_what_is_turned_down_says_why(hospital: Opened):
    (mention,) = hospital.mentions("I was coding all night")
    assert (mention.text, mention.status) == ("coding", "suppressed")
    assert "ordinary word" in (mention.reason or "")


def test_evidence_overrides(hospital: Opened):
    assert hospital.kinds("coding 30 mg") == {"codein": "exact"}
    assert hospital.kinds("thuốc Vi dùng sao") == {"tocilizumab": "exact"}


def test_abbreviations_need_capitals_where_they_are_words(hospital: Opened):
    assert hospital.kinds("INH gây độc gan không") == {"isoniazid": "exact"}
    assert hospital.kinds("inh gây độc gan không") == {}
    assert hospital.kinds("viên inh 300mg") == {"isoniazid": "exact"}


def test_classes_are_neither_drug_nor_unknown(hospital: Opened):
    for text in ("thuốc kháng sinh nào", "NSAID là gì", "is een bloedverdunner gevaarlijk", "khang sinh la gi"):
        assert {m.status for m in hospital.mentions(text)} == {"class"}
        assert hospital.kinds(text) == {}


def test_a_catalogue_name_is_no_class():
    assert Opened(catalog(["Insulin"])).kinds("tiêm insulin trước ăn") == {"insulin": "exact"}


# --- names ---


def test_display_names():
    opened = Opened(
        catalog({"Ibuprofen": ("Brufen/brand", "zzz ibuprofen", "aaa ibuprofen", "ibuprofen lysin/generic")}),
    )
    index = opened.index
    assert index.name("ibuprofen") == "Ibuprofen"
    assert index.name("nobody") is None
    assert index.aliases("ibuprofen") == ("Ibuprofen", "zzz ibuprofen", "aaa ibuprofen", "ibuprofen lysin", "Brufen")
    assert list(index.drugs()) == [("ibuprofen", "Ibuprofen")]
    assert [d["id"] for d in index.lookup("brufene")] == ["ibuprofen"]
    assert index.lookup("ibuprofen")[0]["aliases"][0] == {"alias": "Ibuprofen", "kind": "generic"}
    assert index.lookup("nobody") == []


def test_an_index_without_a_catalogue_finds_nothing():
    opened = Opened(catalog([]))
    assert opened.found("paracetamol 500 mg").candidates == ()


def test_dutch_project():
    opened = Opened(catalog({"Foliumzuur": (), "Acetylsalicylzuur": ("Aspirine/brand",)}, language="nl"), DUTCH)
    assert opened.kinds("mag ik aspirine slikken") == {"acetylsalicylzuur": "exact"}
    assert opened.kinds("foliumzuur 5 mg") == {"foliumzuur": "exact"}


# --- laws ---

OPENED = Opened(catalog(NAMES, known=KNOWN))
PLAIN = [d for d in NAMES if d != "Tocilizumab"]
FORMS: list[Literal["NFC", "NFD", "NFKC", "NFKD"]] = ["NFC", "NFD", "NFKC", "NFKD"]
fillers = st.lists(
    st.sampled_from(
        [
            "cho",
            "tôi",
            "hỏi",
            "với",
            "bạn",
            "mẹ",
            "uống",
            "the",
            "and",
            "mijn",
            "moeder",
            "slikt",
            ",",
            ".",
            ";",
            "(",
            ")",
            "-",
            "12",
            "mg",
        ]
    ),
    max_size=6,
)


@given(st.sampled_from(PLAIN), fillers, fillers)
def test_a_name_is_found_wherever_it_stands(name: str, before: list[str], after: list[str]):
    text = " ".join([*before, "|", name, "|", *after])
    assert name.lower() in OPENED.kinds(text)


@given(
    st.sampled_from(PLAIN),
    st.sampled_from(FORMS),
    st.sampled_from(["lower", "upper", "title"]),
)
def test_form_and_case_do_not_matter(name: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"], case: str):
    text = getattr(unicodedata.normalize(form, name), case)()
    assert name.lower() in OPENED.kinds(f"{text}")


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([*PLAIN, *KNOWN, "acid", "và", "B", "6", "mg", ".", "-"])).map(" ".join)
)
def test_spans_are_whole_and_apart(text: str):
    tokens = tokenize(text)
    found = OPENED.index.match(tokens)
    near = OPENED.index.near(tokens, -1, [m.span for m in found.mentions])
    starts, ends = {t.start for t in tokens.tokens}, {t.end for t in tokens.tokens}
    spans = sorted({m.span for m in (*found.mentions, *near.mentions)})
    for span in spans:
        assert span.start < span.end
        assert span.start in starts
        assert span.end in ends
    assert all(a.end <= b.start for a, b in pairwise(spans))
    held = {m.span for m in (*found.mentions, *near.mentions)}
    assert all(c.span in held for c in (*found.candidates, *near.candidates))
    assert len(near.candidates) <= 5 * max(1, len(near.mentions))


@given(st.text(max_size=60))
def test_the_same_text_gives_the_same_answer(text: str):
    assert OPENED.found(text) == OPENED.found(text)
