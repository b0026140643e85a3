"""The profiles' data: closed lists that agree, every cue's examples and counter-examples, texts in every language."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.steps.readings import FORMULARY, HOSPITAL, reading

from dragoman.errors import ConfigError
from dragoman.evidence.gather import gather
from dragoman.evidence.settle import settle
from dragoman.folder import Profile, language, profile
from dragoman.profile import Cue, book, glosses, labels, read

PROFILES = {p.name: p for p in (FORMULARY, HOSPITAL)}
# Every language that a profile has cues in: one that is added is tested as soon as it is there.
CODES = tuple(sorted({f.suffixes[0][1:] for p in PROFILES.values() for f in p.path.glob("cues.*.toml")}))
CUES = [(name, code, cue) for name, p in PROFILES.items() for code in CODES for cue in book(p, language(code)).file.cue]
EXAMPLES = [(name, code, cue, text) for name, code, cue in CUES for text in cue.examples]
COUNTER = [(name, code, cue, text) for name, code, cue in CUES for text in cue.counter]


def effect(name: str, code: str, cue: Cue, text: str) -> bool:
    """Whether ``cue`` settles what it is there to settle."""
    pack = language(code)
    named = {"condition": {"name": "x"}, "entities": {"procedures": ["x"]}}
    before = named if any(n.startswith("prior_") for n in cue.needs) else None
    at = reading(text, prior=before, packs=(pack, *(language(c) for c in CODES if c != code)))
    evidence = gather(at, PROFILES[name])
    if not any(f.cue is cue for f in evidence.found):
        return False
    settled = settle(evidence)
    if cue.set.turn_type is not None:
        return settled.cue is cue
    if cue.set.attribute is not None:
        return settled.attribute == cue.set.attribute
    if cue.set.population is not None:
        return evidence.population == cue.set.population
    if cue.set.route is not None:
        return evidence.routes[:1] == (cue.set.route,)
    return True


@pytest.mark.parametrize(
    ("name", "code", "cue", "text"), EXAMPLES, ids=[f"{c}:{q.name}:{t}" for _, c, q, t in EXAMPLES]
)
def test_cue_example(name: str, code: str, cue: Cue, text: str) -> None:
    assert effect(name, code, cue, text)


@pytest.mark.parametrize(("name", "code", "cue", "text"), COUNTER, ids=[f"{c}:{q.name}:{t}" for _, c, q, t in COUNTER])
def test_cue_counter_example(name: str, code: str, cue: Cue, text: str) -> None:
    assert not effect(name, code, cue, text)


@pytest.mark.parametrize(("name", "code", "cue"), [c for c in CUES if c[2].post], ids=lambda c: getattr(c, "name", c))
def test_each_post_condition_is_shown_and_bounded(name: str, code: str, cue: Cue) -> None:
    assert cue.examples
    assert cue.counter


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("code", CODES)
def test_each_key_has_a_label_and_a_gloss_in_each_language(name: str, code: str) -> None:
    closed = read(PROFILES[name]).closed()
    for table in (glosses(PROFILES[name], code), labels(PROFILES[name], code)):
        assert {f: set(table.get(f, {})) for f, keys in closed.items() if keys} == {
            f: set(keys) for f, keys in closed.items() if keys
        }
        assert all(text.strip() for keys in table.values() for text in keys.values())


@pytest.mark.parametrize("code", CODES)
def test_each_attribute_can_be_asked_for(code: str) -> None:
    told = {q.set.attribute for n, c, q in CUES if n == "formulary" and c == code}
    assert set(read(FORMULARY).attributes) <= told


def folder(path: Path, **files: str) -> Profile:
    path.mkdir()
    for name, text in files.items():
        (path / name.replace("__", ".")).write_text(text, "utf-8")
    return profile(str(path), path)


GOOD = 'fallback = "other"\nfallback_with_candidates = "other"\nsmalltalk = "other"\nturn_types = ["other"]\n'


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"profile__toml": GOOD.replace('["other"]', '["else"]')}, "'other' is no turn type"),
        ({"profile__toml": GOOD + "colour = 1\n"}, "colour"),
        (
            {"profile__toml": GOOD + '[[default]]\nneeds = []\nset = { attribute = "x" }\n'},
            "'x' is no attribute",
        ),
        ({"profile__toml": GOOD + '[[band]]\npopulation = "x"\n'}, "'x' is no population"),
    ],
)
def test_a_wrong_profile_is_refused_with_its_place(tmp_path: Path, files: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read(folder(tmp_path / "mine", **files))
    assert says in str(raised.value)
    assert "profile.toml" in raised.value.where


def test_a_wrong_cue_is_refused_with_its_place(tmp_path: Path) -> None:
    cues = '[[cue]]\nname = "a"\npatterns = ["(open"]\nset = { turn_type = "other" }\n'
    with pytest.raises(ConfigError) as raised:
        book(folder(tmp_path / "mine", profile__toml=GOOD, cues__en__toml=cues), language("en"))
    assert "cues.en.toml" in raised.value.where
    assert "does not close" in raised.value.what
