"""Compiled terminologies are made once, found again while nothing they were made from has changed, and shared."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.index import project as small

from dragoman import Dragoman
from dragoman.errors import ConfigError, IndexUnusable
from dragoman.index import shared, store
from dragoman.index.build import build
from dragoman.project import load
from dragoman.vocabularies import Vocabularies

TENANTS = "".join(f'\n[tenants.{name}.taxonomy]\nentities = "entities.csv"\n' for name in ("north", "south"))


def below(home: Path) -> str:
    """The id of the terminologies that the current generation stands on."""
    found = store.read_manifest(store.open_place(home)).shared
    assert found is not None
    return found.id


@pytest.mark.parametrize("file", ["entities", "relations", "drugs", "aliases"])
def test_a_change_of_pages_or_drugs_leaves_the_terminologies_as_they_are(tmp_path: Path, file: str) -> None:
    project = small.write(tmp_path)
    first = build(project)
    assert first.reused == ()
    path = tmp_path / f"{file}.csv"
    changed = path.read_text("utf-8").replace("Dikke", "Bolle").replace("Zorb", "Zarb").replace("TREATS", "OFFERS")
    path.write_text(changed, "utf-8")
    second = build(project)
    assert second.reused == ("terminologies",)
    assert second.id != first.id
    (tmp_path / "fresh").mkdir()
    files = {p.stem: p.read_text("utf-8") for p in tmp_path.glob("*.csv")}
    assert build(small.write(tmp_path / "fresh", **files)).id == second.id


def test_what_a_build_told_of_them_is_told_again(tmp_path: Path) -> None:
    project = small.write(tmp_path, terms=small.TERMS + "k3,iets,nl,nonsense,1\nk4,branderhand,nl,preferred,1\n")
    build(project)
    project = small.write(tmp_path, terms=small.TERMS + "k3,iets,nl,nonsense,1\nk4,branderhand,nl,preferred,1\n")
    told = build(project)
    assert told.reused == ("terminologies",)  # written again, with the same content
    assert list(told.rejected.values()) == [1]
    assert told.rejects[0].line == 4
    assert (project.index / "rejects.tsv").is_file()
    assert [a["term"] for a in told.terms["ambiguous"]] == ["branderhand"]
    assert [s.name for s in told.sources] == ["made", "catalogue and taxonomy"]


def _content(folder: Path) -> None:
    (folder / "terms/terms.csv").write_text(small.TERMS.replace("zwelvoet", "zwolvoet"), "utf-8")


def _same_size_and_time(folder: Path) -> None:
    path = folder / "terms/terms.csv"
    before = path.stat()
    _content(folder)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _new_file(folder: Path) -> None:
    (folder / "terms/relations.csv").write_text("source_id,type,target_id\nk1,is_a,k2\n", "utf-8")


def _option(folder: Path) -> None:
    path = folder / "dragoman.toml"
    path.write_text(path.read_text("utf-8").replace('path = "terms"', 'path = "terms"\nsemantic_type = "x"'), "utf-8")


def _without(folder: Path) -> None:
    path = folder / "dragoman.toml"
    path.write_text(path.read_text("utf-8") + '\n[build]\nwithout = ["fuzzy"]\n', "utf-8")


def _licence(folder: Path) -> None:
    path = folder / "dragoman.toml"
    path.write_text(path.read_text("utf-8").replace("CC0-1.0", "restricted"), "utf-8")


@pytest.mark.parametrize("change", [_content, _same_size_and_time, _new_file, _option, _without, _licence])
def test_any_change_of_what_they_were_made_from_makes_them_anew(tmp_path: Path, change: Callable[[Path], None]) -> None:
    project = small.write(tmp_path)
    build(project)
    change(tmp_path)
    assert build(load(tmp_path), accept=True).reused == ()


def test_damaged_ones_are_made_anew(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    build(project)
    place = project.index / store.SHARED / below(project.index)
    part = place / "terms.text.blob"
    part.write_bytes(part.read_bytes()[:-1])
    report = build(project)
    assert report.reused == ()
    store.check(store.open_place(project.index))


def test_tenants_stand_on_one_copy_mapped_once(tmp_path: Path) -> None:
    project = small.write(tmp_path, TENANTS)
    report = build(project)
    assert list(report.tenants) == ["north", "south"]
    assert [p.name for p in (project.index / store.SHARED).iterdir()] == [below(project.index)]
    engine = Dragoman.open(project.path)
    every = [engine, *map(engine.tenant, engine.tenants)]
    assert len({below(one.vocabularies.place.parent) for one in every}) == 1
    text = {id(one.vocabularies.terms.names) for one in every}
    assert len(text) == len(every)  # each its own view
    assert len({id(one.vocabularies._shared) for one in every}) == 1
    assert len({id(one.vocabularies.terms.type) for one in every}) == 1  # of the same mapping


def test_a_rebuild_of_pages_maps_nothing_anew(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    build(project)
    old = Vocabularies(store.open_place(project.index), project)
    build(small.write(tmp_path, entities=small.ENTITIES.replace("Dikke", "Bolle")))
    new = Vocabularies(store.open_place(project.index), project)
    assert new.place != old.place
    assert new.terms.type is old.terms.type


def test_none_is_left_that_nobody_stands_on(tmp_path: Path) -> None:
    project = small.write(tmp_path, TENANTS)
    build(project)
    for n in range(store.KEEP + 2):
        small.write(tmp_path, TENANTS, terms=small.many_terms(n))
        build(project, accept=True)
    named = set()
    for home in (project.index, *(project.tenant(name).index for name in project.tenants)):
        for generation in store.generations(home):
            assert generation.manifest is not None
            assert generation.manifest.shared is not None
            named.add(generation.manifest.shared.id)
    assert {p.name for p in (project.index / store.SHARED).iterdir()} == named
    for home in (project.index, project.tenant("north").index):
        store.check(home / store.rollback(home).id)


def test_a_tenant_alone_is_built_over_them_too(tmp_path: Path) -> None:
    project = small.write(tmp_path, TENANTS)
    build(project)
    assert build(project, tenant="north").reused == ("terminologies",)
    assert below(project.tenant("north").index) == below(project.index)


def test_a_generation_over_other_terminologies_is_refused(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    build(project)
    first = below(project.index)
    build(small.write(tmp_path, terms=small.many_terms(3)))
    second = below(project.index)
    place = project.index / store.SHARED
    for file in (place / second).iterdir():
        file.write_bytes((place / first / file.name).read_bytes())
    with pytest.raises(IndexUnusable, match="other terminologies"):
        store.open_place(project.index)


@pytest.mark.parametrize(
    ("way", "text", "why"),
    [
        ("fuzzy", "zwelvoez", "fuzzy"),
        ("compounds", "zwel voet", "compound"),
        ("spelling", "zwellvoet", "spelling"),
    ],
)
def test_a_way_to_find_terms_may_be_left_out_of_the_index(tmp_path: Path, way: str, text: str, why: str) -> None:
    def found(folder: Path) -> list[bool]:
        candidates = Dragoman.open(folder).resolve(text).candidates
        return [(c.why or "").startswith(why) for c in candidates]

    whole = build(small.write(tmp_path / "all"))
    assert found(tmp_path / "all") == [True]
    less = build(small.write(tmp_path / "less", f'\n[build]\nwithout = ["{way}"]\n'))
    assert True not in found(tmp_path / "less")
    engine = Dragoman.open(tmp_path / "less")
    assert engine.resolve("branderhand").candidates
    assert engine.vocabularies.without == {way}
    assert whole.counts["terms"] == less.counts["terms"]


def test_a_way_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"names 'fuzy'; did you mean 'fuzzy'"):
        small.write(tmp_path, '\n[build]\nwithout = ["fuzy"]\n')


def test_files_below_a_source_are_known_by_their_names(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    files = shared.made_from(project.sources[0], {tmp_path / "terms" / "terms.csv": "0" * 64})
    assert files is not None
    assert list(files) == ["terms.csv"]
    assert shared.made_from(project.sources[0], {tmp_path / "elsewhere.csv": "0" * 64}) is None
