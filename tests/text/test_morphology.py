"""Inflection, derivation and spelling by the packs' own rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman import folder
from dragoman.text.morphology import NAMING, PLURAL, Morphology, Spelling

MUL = folder.language("mul")
DUTCH = Morphology([folder.language("nl"), MUL])
ENGLISH = Morphology([folder.language("en"), MUL])
SPELLING = Spelling([folder.language("nl"), MUL])


def lemmas(word: str, morphology: Morphology = DUTCH) -> set[str]:
    return {f.word for f in morphology.lemmas(word)}


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("wratten", "wrat"),
        ("nieren", "nier"),
        ("vleesbomen", "vleesboom"),
        ("galstenen", "galsteen"),
        ("amandelen", "amandel"),
        ("neuzen", "neus"),
        ("aders", "ader"),
        ("ziekten", "ziekte"),
        ("longembolieen", "longembolie"),
        ("hemorroiden", "hemorroide"),
        ("myomen", "myoom"),
        ("bloedvaten", "bloedvat"),
        ("puistjes", "puist"),
        ("neusje", "neus"),
        ("longetje", "long"),
        ("hoge", "hoog"),
        ("vergrote", "vergroot"),
        ("artrotische", "artrotisch"),
        ("snurkt", "snurken"),
        ("braakte", "braken"),
        ("gebraakt", "braken"),
        ("gehoest", "hoesten"),
        ("flauwgevallen", "flauwvallen"),
        ("overgegeven", "overgeven"),
        ("loenst", "loensen"),
        ("varices", "varix"),
        ("stigmata", "stigma"),
        ("verrucae", "verruca"),
        ("diagnoses", "diagnosis"),
        ("naevi", "naevus"),
        ("nervi", "nervus"),
        ("eksterdoorns", "eksterdoorn"),
        ("ballonstents", "ballonstent"),
        ("bestraald", "bestralen"),
    ],
)
def test_dutch_forms(form: str, lemma: str) -> None:
    assert lemma in lemmas(form)


@pytest.mark.parametrize(
    ("form", "lemma"),
    [("stones", "stone"), ("allergies", "allergy"), ("rashes", "rash"), ("vomiting", "vomit"), ("feet", "foot")],
)
def test_english_forms(form: str, lemma: str) -> None:
    assert lemma in lemmas(form, ENGLISH)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("mag", "maag"),
        ("leveren", "lever"),
        ("boom", "bom"),
        ("kiezen", "kies"),
        ("gezicht", "zicht"),
        ("wat", "watten"),
    ],
)
def test_two_words_stay_two(word: str, other: str) -> None:
    assert other not in lemmas(word)


def test_what_inflects_can_be_narrowed() -> None:
    assert {f.word for f in DUTCH.lemmas("snurkt", NAMING)} == set()
    assert {f.part for f in DUTCH.lemmas("nieren", PLURAL)} == {"noun"}


@pytest.mark.parametrize(
    ("word", "source"),
    [
        ("artrotische", "artrose"),
        ("epileptisch", "epilepsie"),
        ("astmatische", "astma"),
        ("allergisch", "allergie"),
        ("psoriatisch", "psoriasis"),
        ("bronchitische", "bronchitis"),
        ("depressief", "depressie"),
        ("dement", "dementie"),
        ("misselijk", "misselijkheid"),
        ("slapeloze", "slapeloosheid"),
        ("myoop", "myopie"),
        ("cardiologen", "cardiologie"),
        ("psychiater", "psychiatrie"),
        ("vaatchirurgen", "vaatchirurgie"),
        ("orthopeed", "orthopedie"),
        ("kinderarts", "kindergeneeskunde"),
        ("diabetici", "diabetes"),
        ("dyslectische", "dyslexie"),
        ("cachectisch", "cachexie"),
        ("autist", "autisme"),
        ("autistisch", "autisme"),
        ("alcoholicus", "alcoholisme"),
        ("hyperventileert", "hyperventilatie"),
        ("gehallucineerd", "hallucinatie"),
        ("geinfecteerd", "infectie"),
        ("gemetastaseerd", "metastase"),
        ("dementerende", "dementie"),
        ("koortsig", "koorts"),
        ("longca", "longcarcinoom"),
    ],
)
def test_derivations(word: str, source: str) -> None:
    assert source in {f.word for f in DUTCH.sources(word)}


@pytest.mark.parametrize(
    ("word", "source"), [("autistic", "autism"), ("depressed", "depression"), ("jaundiced", "jaundice")]
)
def test_english_derivations(word: str, source: str) -> None:
    assert source in {f.word for f in ENGLISH.sources(word)}


@pytest.mark.parametrize(
    ("word", "other"), [("informeren", "informatie"), ("geopereerd", "operatie"), ("communiceert", "communicatie")]
)
def test_verbs_of_daily_life_come_from_nothing(word: str, other: str) -> None:
    assert other not in {f.word for f in DUTCH.sources(word)}


@pytest.mark.parametrize(
    ("noun", "participle"),
    [
        ("vernauwing", "vernauwde"),
        ("vergroting", "vergrote"),
        ("ontsteking", "ontstoken"),
        ("verstijving", "verstijfde"),
        ("beknelling", "beknelde"),
        ("breuk", "gebroken"),
        ("zwelling", "gezwollen"),
        ("verkalking", "verkalkt"),
        ("ingegroeide", "ingegroeid"),
        ("hangende", "hangt"),
        ("tranende", "tranen"),
        ("bloedend", "bloedt"),
    ],
)
def test_nouns_and_participles_have_a_root_in_common(noun: str, participle: str) -> None:
    assert set(DUTCH.origins(noun)) & set(DUTCH.origins(participle))


@pytest.mark.parametrize(
    "spellings",
    [
        ("hypothyreoidie", "hypothyroidie", "hypothyreodie", "hypotyreoidie"),
        ("nefrotisch", "nefroties"),
        ("ischemische", "ischemise"),
        ("haemorrhoiden", "hemorroiden", "hemoroiden"),
        ("dyspneu", "dyspnoe", "dispnoe", "dyspnea"),
        ("diarree", "diarrhee", "diarrhoea", "diaree"),
        ("oedeem", "edeem"),
        ("eczeem", "ekseem", "exceem"),
        ("cholelithiasis", "kolelitiasis"),
        ("fibrosis", "fibrose"),
        ("leukemia", "leukaemia", "leukemie"),
        ("carcinoma", "karcinoom"),
        ("colonoscopy", "colonoscopie", "kolonoskopie"),
        ("phimosis", "fimose"),
        ("conjunctivitis", "konjunktivitis"),
    ],
)
def test_spellings_of_one_word(spellings: tuple[str, ...]) -> None:
    assert len({SPELLING.fold(s) for s in spellings}) == 1


@pytest.mark.parametrize(("one", "other"), [("dysfagie", "dysfasie"), ("voet", "vet"), ("maag", "mag")])
def test_spellings_of_two_words(one: str, other: str) -> None:
    assert SPELLING.fold(one) != SPELLING.fold(other)


@given(st.text("abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_any_word_has_forms_and_a_stable_fold(word: str) -> None:
    for morphology in (DUTCH, ENGLISH):
        assert all(f.word for f in morphology.lemmas(word))
        morphology.sources(word)
        morphology.origins(word)
    folded = SPELLING.fold(word)
    assert len(folded) <= 2 * len(word)


def test_no_language_derives_from_a_form_of_another() -> None:
    both = Morphology([folder.language("nl"), folder.language("en")])
    assert "suikerziekte" in [f.word for f in both.sources("suikerziek")]
    assert "suikerziekte" not in [f.word for f in both.sources("suikerzieks")]


def test_a_homograph_is_derived_from_nothing() -> None:
    assert Morphology([folder.language("nl")]).sources("winderig") == []
