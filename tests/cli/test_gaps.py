"""``dragoman gaps``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.gaps import support

from dragoman.index.build import build

if TYPE_CHECKING:
    from tests.cli.conftest import Dragoman

QUESTIONS = "ik heb een knarsvoet\nwat is een knarsvoet?\nmag ik het geneesmiddel Morvaxil nemen?\nlast van wrotel\n"


@pytest.fixture
def gappy(tmp_path: Path) -> Path:
    build(support.write(tmp_path))
    return tmp_path


def test_what_was_asked_is_counted_and_shown(dragoman: Dragoman, gappy: Path) -> None:
    for text in QUESTIONS.splitlines():
        assert dragoman("ask", text, "--project", gappy).code == 0
    found = dragoman("gaps", "--project", gappy, "--json").json
    assert [(g["name"], g["count"], g["nearest"][0]["name"]) for g in found["no_page"]] == [
        ("knarsvoet", 2, "Dikke voet")
    ]
    assert [d["name"] for d in found["unknown_drugs"]] == ["Morvaxil"]
    assert [a["term"] for a in found["ambiguous"]] == ["wrotel"]
    assert [u["entity_id"] for u in found["unreached"]] == ["c-2", "d-2"]
    assert dragoman("gaps", "--project", gappy, "--since", "2999-01-01", "--json").json["no_page"] == []
    shown = dragoman("gaps", "--project", gappy).out
    for words in ("knarsvoet", "Dikke voet (sibling)", "Morvaxil", "wrotel", "ruwe wrotel", "Warme hand"):
        assert words in shown


def test_a_file_tells_the_same_and_records_nothing(dragoman: Dragoman, gappy: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(QUESTIONS, "utf-8")
    found = dragoman("gaps", "--from", tmp_path / "in.txt", "--project", gappy, "--json").json
    assert not support.database(gappy).exists()
    for text in QUESTIONS.splitlines():
        dragoman("ask", text, "--project", gappy)
    assert found == dragoman("gaps", "--project", gappy, "--json").json
    assert dragoman("gaps", "--from", "-", "--project", gappy, "--json", stdin=QUESTIONS.encode()).json == found


def test_names_on_no_list_are_withheld(dragoman: Dragoman, gappy: Path) -> None:
    lines = "".join(support.UNLISTED.format(n) + "\n" for n in range(2)).encode()
    ran = dragoman("gaps", "--from", "-", "--project", gappy, stdin=lines)
    assert "plixobrand" not in ran.out
    assert "1 name that fewer than 3 requests" in ran.out
    assert "plixobrand" in dragoman("gaps", "--from", "-", "--project", gappy, stdin=lines + b"x " + lines).out


def test_dyslipidemie_is_a_gap_of_the_demo_hospital(dragoman: Dragoman) -> None:
    ran = dragoman("gaps", "--from", "-", "--project", "demo-hospital", "--json", stdin=b"ik heb dyslipidemie")
    assert [(g["name"], g["count"]) for g in ran.json["no_page"]] == [("dyslipidemie", 1)]


def test_forget(dragoman: Dragoman, gappy: Path) -> None:
    dragoman("ask", "ik heb een knarsvoet", "--project", gappy)
    refused = dragoman("gaps", "--forget", "--project", gappy)
    assert (refused.code, "say --yes" in refused.err) == (2, True)
    ran = dragoman("gaps", "--forget", "--yes", "--project", gappy, "--json")
    assert (ran.code, ran.json["deleted"]) == (0, 1)
    assert b"knarsvoet" not in support.bytes_of(gappy)
    assert dragoman("gaps", "--project", gappy, "--json").json["no_page"] == []
    assert dragoman("gaps", "--forget", "--yes", "--project", gappy).out.startswith("nothing was counted")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--since", "gisteren"), "--since: 'gisteren' is no day; write it as 2026-01-31"),
        (("--since", "2026-01-01", "--from", "x.txt"), "a file of turns has no days"),
        (("--forget", "--from", "x.txt"), "leave --from and --since out"),
        (("--from", "nowhere.txt"), "nowhere.txt: cannot be read"),
        (("--limit", "0"), "--limit"),
    ],
)
def test_wrong_use(dragoman: Dragoman, gappy: Path, arguments: tuple[str, ...], says: str) -> None:
    ran = dragoman("gaps", "--project", gappy, *arguments)
    assert ran.code == 2
    assert says in ran.err


def test_a_line_that_is_no_turn_is_told_by_its_place(dragoman: Dragoman, gappy: Path, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "een"}\ngeheim\n', "utf-8")
    ran = dragoman("gaps", "--from", tmp_path / "in.jsonl", "--project", gappy)
    assert (ran.code, "in.jsonl:2: is no turn" in ran.err, "geheim" in ran.err) == (2, True, False)


def test_a_project_that_does_not_count(dragoman: Dragoman) -> None:
    ran = dragoman("gaps", "--project", "demo-hospital")
    assert ran.code == 2
    assert "add a [gaps] table to its file, or give --from FILE" in ran.err


def test_a_damaged_database(dragoman: Dragoman, gappy: Path) -> None:
    support.database(gappy).parent.mkdir()
    support.database(gappy).write_bytes(b"rubbish" * 1000)
    ran = dragoman("gaps", "--project", gappy)
    assert ran.code == 2
    assert "is not a database of gaps" in ran.err
    assert "move it away" in ran.err


def test_doctor_says_where_it_is_counted(dragoman: Dragoman, gappy: Path) -> None:
    said = f"gaps are counted in {support.database(gappy).resolve()}, without the person's words"
    assert said in [f["what"] for f in dragoman("doctor", "--project", gappy, "--json").json["findings"]]
    support.database(gappy).parent.write_text("a file where the folder should be")
    ran = dragoman("doctor", "--project", gappy, "--json")
    assert ran.code == 2
    assert any(f["status"] == "wrong" and f["what"].startswith("gaps: ") for f in ran.json["findings"])
