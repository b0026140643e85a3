"""The project file: every mistake is refused with its line and the nearest right word."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import ConfigError
from dragoman.project import load
from dragoman.project_tables import SWITCHES
from dragoman.protocols import Report
from dragoman.readers import reader_for

GOOD = """
[project]
name      = "st-anna"
profile   = "hospital"
languages = ["nl", "en"]

[[terminology]]
name   = "sct"
format = "csv"
path   = "terms/"
zib    = true

[enrich]
max_terms = 2
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "dragoman.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_good_file(tmp_path: Path) -> None:
    project = load(write(tmp_path, "\ufeff" + GOOD))
    assert project.corpus_language == "nl"
    assert [p.code for p in project.packs] == ["nl", "en", "mul"]
    assert project.sources[0].path == tmp_path.resolve() / "terms"
    assert project.sources[0].options == {"zib": True}
    assert project.file.enrich.max_terms == 2
    assert project.index == tmp_path.resolve() / ".dragoman/index"
    assert load(tmp_path).name == "st-anna"


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (("max_terms = 2", "max_term = 2"), 14, "did you mean 'max_terms'"),
        (("[enrich]", "[enrihc]"), 13, "did you mean 'enrich'"),
        (("profile   =", "profil   ="), 4, "did you mean 'profile'"),
        (('"hospital"', '"hopsital"'), 4, "no profile 'hopsital'"),
        (('["nl", "en"]', '["nl", "xx"]'), 5, "no language pack 'xx'"),
        (('["nl", "en"]', "[]"), 5, "languages is empty"),
        (
            ("max_terms = 2", 'max_terms = "two"'),
            14,
            "has a value of another kind; write a whole number",
        ),
        (("max_terms = 2", "max_terms = 99"), 14, "from 0 to 20"),
        (("max_terms = 2", "[gaps]\nkeep_after = 1"), 15, "keep_after must be at least 2"),
        (("max_terms = 2", "[gaps]\nkeep_days = 0"), 15, "keep_days must be at least 1"),
        (("max_terms = 2", "[gaps]\nkeep_aftr = 3"), 15, "did you mean 'keep_after'"),
        (("max_terms = 2", "max_terms = "), 14, "is not TOML"),
        (("max_terms = 2", 'without = ["neer"]'), 14, "did you mean 'near'"),
        (("max_terms = 2", "sparse_weight = nan"), 14, "sparse_weight must be from 0 to 1"),
        (("max_terms = 2", "max_share = 10"), 14, "max_share must be from 0 to 1"),
        (("max_terms = 2", "[limits]\ntext = 0"), 15, "text must be more than 0"),
        (("max_terms = 2", '[llm]\nprovider = "openai"\ntimeout_s = nan'), 16, "timeout_s must be more than 0"),
        (("max_terms = 2", '[llm]\nprovider = "opnai"'), 15, "provider is 'opnai'; use one of openai, anthropic"),
        (('"terms/"', '""'), 10, "has an empty path"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, change: tuple[str, str], line: int, says: str) -> None:
    assert change[0] in GOOD
    path = write(tmp_path, GOOD.replace(*change))
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path}:{line}: ")
    assert says in str(refused.value)
    assert refused.value.advice


def test_the_switches_are_those_of_enrichment() -> None:
    from dragoman.enrich.layers import LAYERS
    from dragoman.enrich.work import FEATURES

    assert (*(layer.name for layer in LAYERS), *FEATURES) == SWITCHES


def test_a_file_nested_absurdly_deep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nested too deep"):
        load(write(tmp_path, GOOD + "x = " + "[" * 100_000))


def test_a_missing_file_says_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="dragoman init"):
        load(tmp_path / "dragoman.toml")


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="UTF-8"):
        load(write(tmp_path, GOOD.encode("utf-16")))


def test_a_language_pack_of_ones_own_is_a_folder(tmp_path: Path) -> None:
    pack = tmp_path / "packs" / "xx"
    pack.mkdir(parents=True)
    (pack / "pack.toml").write_text('code = "xx"\nname = "Xish"\n')
    project = load(write(tmp_path, GOOD.replace('["nl", "en"]', '["packs/xx", "en"]')))
    assert project.corpus_language == "xx"
    assert [p.code for p in project.packs] == ["xx", "en", "mul"]


def test_terminologies_of_one_name_are_layers_of_one(tmp_path: Path) -> None:
    layer = '\n[[terminology]]\nname = "sct"\nformat = "babelon"\npath = "terms/"\n'
    assert [s.name for s in load(write(tmp_path, GOOD + layer)).sources] == ["sct", "sct"]


SECOND = """
[[terminology]]
name   = "own"
format = "csv"
path   = "own/"
"""


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('"own"', '""'), "15: a [[terminology]] has an empty name"),
        (
            ("[[terminology]]\n", "[[terminology]]\nlanguages = 3\n"),
            "15: [[terminology]] languages has a value of another kind",
        ),
        (("format =", "fromat ="), "16: [[terminology]] has no key 'fromat'; did you mean 'format'?"),
        (('format = "csv"\n', ""), "14: [[terminology]] lacks 'format'; add it"),
        (("", "without = 'near'\n"), "14: [enrich] without has a value of another kind; write a list"),
        (("", "[build]\nwithout = ['neer']\n"), "15: [build] without names 'neer'"),
        (("", "[tenants.x.catalog]\naliases = 'a.csv'\n"), "14: [tenants.x.catalog] says nothing of where its data"),
        (("", "[enrich]\n"), "14: is not TOML: Cannot declare"),
        (("", "[serve"), "14: is not TOML"),
    ],
)
def test_a_mistake_has_the_line_of_its_own_table(tmp_path: Path, change: tuple[str, str], says: str) -> None:
    """A key of a name that earlier tables have as well is shown where it is wrong."""
    text = GOOD.lstrip("\n").replace("zib    = true", "without = 1")
    added = SECOND.lstrip("\n").replace(*change, 1) if change[0] else change[1]
    path = write(tmp_path, text + added)
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path}:{says}")


def test_a_mistake_that_only_a_reader_knows_has_its_line_too(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("zib    = true", 'langauges = ["nl"]'))
    (source,) = load(path).sources
    with pytest.raises(ConfigError, match=rf"{path}:9: \[\[terminology\]\] sct: .* did you mean 'languages'\?"):
        list(reader_for(source)(source, Report()))


def test_what_all_languages_share_is_no_language(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"dragoman.toml:5: no language pack 'mul'; use one of de, en, nl, vi, or"):
        load(write(tmp_path, GOOD.replace('"nl", "en"', '"mul"')))
