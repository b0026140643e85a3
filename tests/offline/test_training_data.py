"""The training data is data: its keys are the profiles', its slots are known, and the frozen sets are frozen."""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from pathlib import Path

import pytest

from dragoman.folder import PACKAGE, Profile
from dragoman.profile import read

TRAINING = Path(__file__).parents[2] / "training"
FILES = sorted(TRAINING.rglob("*.toml"))
LANGUAGES = ("vi", "en", "nl")

pytestmark = pytest.mark.skipif(not TRAINING.is_dir(), reason="the training data is not part of a source archive")


def phrases() -> list[tuple[Path, str, str]]:
    found = []
    for path in FILES:
        data = tomllib.loads(path.read_text("utf-8"))
        for family in data.get("family", ()):
            found += [(path, code, text) for code in LANGUAGES for text in family[code]]
        for group in data.get("group", ()):
            found += [(path, c, t) for row in group["families"] for c, t in zip(LANGUAGES, row, strict=True)]
    return found


def test_frozen_sets_are_as_they_were():
    for line in (TRAINING / "frozen.sha256").read_text("utf-8").splitlines():
        digest, name = line.split()
        assert hashlib.sha256((TRAINING / name).read_bytes()).hexdigest() == digest, name


def test_text_is_composed():
    for path in sorted(TRAINING.rglob("*")):
        if path.suffix in {".toml", ".tsv"}:
            text = path.read_text("utf-8")
            assert unicodedata.normalize("NFC", text) == text, path


def test_every_slot_can_be_filled_in_every_language():
    fillers = tomllib.loads((TRAINING / "fillers.toml").read_text("utf-8"))
    for path, code, text in phrases():
        for slot in re.findall(r"\{(\w+?)\d?\}", text):
            assert slot in fillers[code], (path, text)
        assert re.sub(r"\{\w+\}", "", text).count("{") == 0, (path, text)


def test_translations_of_a_row_have_the_same_slots():
    for path in FILES:
        for group in tomllib.loads(path.read_text("utf-8")).get("group", ()):
            for row in group["families"]:
                kinds = [frozenset(re.findall(r"\{(\w+?)\d?\}", text)) for text in row]
                assert len(set(kinds)) == 1, (path, row)


@pytest.mark.parametrize("name", ["formulary", "hospital"])
def test_labels_are_keys_of_the_profile(name):
    table = read(Profile(PACKAGE / "profiles" / name))
    for path in sorted((TRAINING / name).rglob("*.toml")):
        data = tomllib.loads(path.read_text("utf-8"))
        for item in (*data.get("family", ()), *data.get("group", ())):
            labels = {**data["labels"], **item}
            assert set(str(labels["turn_type"]).split("|") if "turn_type" in labels else []) <= {*table.turn_types}, (
                path
            )
            assert labels.get("attribute") in {None, *table.attributes}, path
            assert labels.get("condition_relation") in {
                None, "indication", "adverse_effect", "contraindication", "unknown",
            }  # fmt: skip
            assert labels.get("context_action") in {None, "none", "continue", "new"}
            unknown = set(labels) - {
                "turn_type", "attribute", "condition_relation", "context_action", "section_overview", "list_request",
                "history", "population", "families", *LANGUAGES,
            }  # fmt: skip
            assert not unknown, path


def test_no_frozen_text_is_a_training_phrase():
    def key(text: str) -> str:
        return " ".join(re.findall(r"[\w{}]+", re.sub(r"\{(\w+?)\d?(:[^}]*)?\}", r"{\1}", text).lower()))

    alike = []
    for name in ("formulary", "hospital"):
        trained = {key(t) for path, _, t in phrases() if path.relative_to(TRAINING).parts[0] in {name, "common"}}
        for line in (TRAINING / name / "frozen.tsv").read_text("utf-8").splitlines()[1:]:
            text = line.split("\t")[-1]
            if key(text) in trained:
                alike.append(text)
    # what has only one wording: a bare name, "ok"
    assert all(len(re.sub(r"\{[^}]*\}", "x", text).split()) <= 2 for text in alike), alike
