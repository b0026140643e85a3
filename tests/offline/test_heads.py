from __future__ import annotations

import json

import pytest

from dragoman.errors import ConfigError
from dragoman.folder import PACKAGE, Profile
from dragoman.offline import heads as stored
from dragoman.offline.features import BUCKETS, Seen, buckets, rows
from dragoman.offline.heads import DATA, QUESTION
from dragoman.offline.mask import Masked
from dragoman.profile import read

np = pytest.importorskip("numpy")
PROFILES = sorted(p.parent.name for p in DATA.glob("*/card.json"))


def test_both_profiles_have_heads():
    assert PROFILES == ["formulary", "hospital"]


@pytest.mark.parametrize("name", PROFILES)
def test_heads_tell_keys_of_the_profile_alone(name):
    heads = stored.load(DATA / name)
    table = read(Profile(PACKAGE / "profiles" / name))
    details = {"", *table.attributes, "indication", "adverse_effect", "contraindication", "unknown"}
    for fine in heads.card.heads[QUESTION].classes:
        kind, _, detail = fine.partition("/")
        assert kind in table.turn_types
        assert detail in details
    assert heads.card.profile == name
    assert {c.partition("/")[0] for c in heads.card.heads[QUESTION].classes} == set(table.turn_types)


@pytest.mark.parametrize("name", PROFILES)
def test_thresholds_are_probabilities_that_can_be_reached(name):
    for head in stored.load(DATA / name).card.heads.values():
        assert 0.3 < head.threshold < 1
    question = stored.load(DATA / name).card.heads[QUESTION]
    assert 0 < question.kept <= question.fallback <= question.agreed <= question.threshold <= question.overrule < 1


@pytest.mark.parametrize("name", PROFILES)
def test_the_card_holds_the_figures_it_was_accepted_with(name):
    card = json.loads((DATA / name / "card.json").read_text("utf-8"))
    frozen = card["figures"]["frozen"]
    # the hospital's aim is 0.95, too, and missed by one question: its rules stand unless heads all but exclude them
    assert frozen["precision"] >= {"formulary": 0.95, "hospital": 0.945}[name]
    assert frozen["coverage"] >= 0.70
    held = card["figures"]["families held out"]["plain"]
    assert min(figures["precision"] for figures in held.values()) >= 0.92  # 0.97 is the aim: see the card
    assert sum(p.stat().st_size for p in (DATA / name).iterdir()) < 2_000_000


def test_probabilities_add_up_and_the_detail_is_given_its_type():
    heads = stored.load(DATA / "formulary")
    seen = [Seen(Masked("", {}), {}), Seen(Masked("tác dụng phụ", {}), {"kind drug": 1.0})]
    for told in heads.tell(seen, np.zeros((2, heads.card.dim), dtype=np.float32)):
        assert 0 < told.sure <= 1
        assert 0 < told.detail_sure <= 1.0001
        assert f"{told.turn_type}/{told.detail}" in heads.card.heads[QUESTION].classes


def test_one_turn_is_told_the_same_alone_and_among_others():
    heads = stored.load(DATA / "hospital")
    seen = [Seen(Masked(text, {}), {"length": 0.1}) for text in ("waar is de parking", "hallo", "")]
    vectors = np.linspace(-0.1, 0.1, 3 * heads.card.dim, dtype=np.float32).reshape(3, -1)
    together = heads.tell(seen, vectors)
    for i, item in enumerate(seen):
        assert heads.tell([item], vectors[i : i + 1])[0] == together[i]


@pytest.mark.parametrize("name", PROFILES)
def test_scores_are_rows_times_weights(name):
    heads = stored.load(DATA / name)
    known = {heads.card.features[0]: 1.0, heads.card.features[-1]: 0.5, "none has this": 1.0}
    seen = [Seen(Masked("waar is de parking", {}), known), Seen(Masked("", {}), {})]
    vectors = np.linspace(-0.1, 0.1, 2 * heads.card.dim, dtype=np.float32).reshape(2, -1)
    names = {feature: i for i, feature in enumerate(heads.card.features)}
    x = rows(seen, vectors, heads.arrays["mean"], names, heads.arrays["idf"])
    for head, scores in heads.logits(seen, vectors).items():
        wanted = x @ heads.arrays[f"{head}.weight"] + heads.arrays[f"{head}.bias"]
        wanted /= heads.card.heads[head].temperature
        assert np.abs(scores - wanted).max() < 1e-4


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("card.json", b"{}"), ("card.json", b"no json"), ("heads.npz", b"PK nothing"), ("heads.npz", b""),
        ("card.json", None), ("heads.npz", None),
    ],
)  # fmt: skip
def test_damaged_heads_are_refused_with_what_to_do(tmp_path, file, content):
    for path in (DATA / "hospital").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(ConfigError) as error:
        stored.load(tmp_path)
    assert "make heads" in str(error.value)


def test_heads_of_another_version_or_shape_are_refused(tmp_path):
    (tmp_path / "heads.npz").write_bytes((DATA / "hospital" / "heads.npz").read_bytes())
    card = json.loads((DATA / "hospital" / "card.json").read_text("utf-8"))
    for change in ({"version": 1}, {"features": card["features"][1:]}):
        (tmp_path / "card.json").write_text(json.dumps(card | change), "utf-8")
        stored._load.cache_clear()
        with pytest.raises(ConfigError):
            stored.load(tmp_path)


def test_words_are_folded_hashed_and_counted_once():
    assert buckets("Đau đầu, đau ĐẦU") == buckets("dau dau")
    assert all(0 <= b < BUCKETS for b in buckets("một hai ba"))
    assert len(buckets("a b")) == 3  # two words, one pair
    assert buckets("") == {}


def test_unknown_features_are_left_out_and_known_ones_are_in_their_place():
    seen = [Seen(Masked("", {}), {"b": 2.0, "z": 1.0})]
    row = rows(seen, np.zeros((1, 4), np.float32), np.zeros(4, np.float32), {"a": 0, "b": 1}, np.ones(BUCKETS))[0]
    assert row[4] == 0
    assert row[5] == 2
    assert row[6:].sum() == 0
