"""A running engine takes up a new index: no failed turn, and no answer from two indexes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.index import project as small

from dragoman import Dragoman
from dragoman.errors import IndexUnusable
from dragoman.index import store
from dragoman.index.build import build
from dragoman.project import load

TEXT = "ik heb een zwelvoet en neem zorbalin"


def two(folder: Path) -> tuple[str, str]:
    """Two generations whose pages and drugs have different names and ids; returns their ids."""
    project = small.write(folder)
    first = build(project).id
    small.write(
        folder,
        entities=small.ENTITIES.replace("Dikke voet", "Opgezette voet").replace("c-1", "c-9"),
        relations=small.RELATIONS.replace("c-1", "c-9"),
        drugs=small.DRUGS.replace("r1", "r7"),
        aliases=small.ALIASES.replace("r1", "r7"),
    )
    return first, build(project, accept=True).id


def test_reload_takes_up_what_is_current(tmp_path: Path) -> None:
    project = small.write(tmp_path)
    build(project)
    engine = Dragoman.open(tmp_path)
    assert not engine.reload()
    small.write(tmp_path, entities=small.ENTITIES.replace("Dikke voet", "Opgezette voet"))
    report = build(project)
    assert "Dikke voet" in engine.enrich(TEXT).text
    assert engine.reload()
    assert not engine.reload()
    assert "Opgezette voet" in engine.enrich(TEXT).text
    assert engine.info.id == report.id


def test_a_new_index_that_must_not_be_trusted_leaves_the_old_one_in_use(tmp_path: Path) -> None:
    first, second = two(tmp_path)
    home = store.open_place(load(tmp_path).index).parent
    store.rollback(home)
    engine = Dragoman.open(tmp_path)
    (home / second / "terms.text.blob").write_bytes(b"?")
    store.point(home, second)
    with pytest.raises(IndexUnusable, match="bytes instead of"):
        engine.reload()
    assert engine.ask(TEXT).index.id == first


@pytest.mark.parametrize("reloads", [100, pytest.param(1_000, marks=pytest.mark.slow)])
def test_answers_come_from_one_index_however_often_it_is_replaced(tmp_path: Path, reloads: int) -> None:
    first, second = two(tmp_path)
    home = load(tmp_path).index
    expected = {second: ("r7", "c-9", "Opgezette voet"), first: ("r1", "c-1", "Dikke voet")}
    engine = Dragoman.open(tmp_path)
    done = threading.Event()
    faults: list[object] = []
    answers = dict.fromkeys(expected, 0)

    def ask_again_and_again() -> None:
        while not done.is_set():
            try:
                answer = engine.ask(TEXT)
                drugs = {c.id for c in answer.candidates if c.kind == "drug"}
                (expansion,) = [e for e in answer.enrichment.expansions if e.layer == "terminology"]
                if ({expected[answer.index.id][0]}, *expected[answer.index.id][1:]) != (
                    drugs,
                    expansion.entity_id,
                    expansion.term,
                ):
                    faults.append(answer)
                answers[answer.index.id] += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, the test must see it
                faults.append(error)
                return

    threads = [threading.Thread(target=ask_again_and_again) for _ in range(3)]
    for thread in threads:
        thread.start()
    taken_up = 0
    for n in range(reloads):
        store.point(home, (first, second)[n % 2])
        taken_up += engine.reload()
    done.set()
    for thread in threads:
        thread.join()
    assert not faults
    assert taken_up == reloads
    assert all(answers.values())
