from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.support import write, zipped

from dragoman.errors import DataError
from dragoman.protocols import Report
from dragoman.readers.sources import Entry, entries, read_bytes, select
from dragoman.readers.tables import COMMAS, LONG, NUL, PLAIN_TABS, QUOTES, SHORT, TABS, Dialect, Table, by_ending


def rows(path: Path, dialect: Dialect) -> tuple[list[tuple[int, list[str]]], Report]:
    report = Report()
    return list(Table(Entry(path), dialect).rows(report)), report


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_line_ends_final_newline_and_bom(tmp_path: Path, end: str, final: bool, encoding: str) -> None:
    path = write(tmp_path / "t.tsv", "id\tterm", "1\tđau đầu", end=end, final=final, encoding=encoding)
    assert rows(path, TABS)[0] == [(2, ["1", "đau đầu"])]


def test_blank_and_comment_lines_are_no_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "t.txt", "#", "# note", "", "id\tterm", "", "  ", "# 1\tout", "2\tin")
    found, report = rows(path, PLAIN_TABS)
    assert found == [(8, ["2", "in"])]
    assert not report.rejected


def test_only_lf_ends_a_line(tmp_path: Path) -> None:
    path = write(tmp_path / "t.txt", "id\tterm", "1\ta\x85b\u2028c\x0bd")
    assert rows(path, PLAIN_TABS)[0] == [(2, ["1", "a\x85b\u2028c\x0bd"])]


def test_rows_of_the_wrong_width_and_nul_are_rejected_with_their_line(tmp_path: Path) -> None:
    path = write(tmp_path / "t.txt", "id\tterm", "1", "2\ta\tb", "3\tx\0y", "4\tok")
    found, report = rows(path, PLAIN_TABS)
    assert found == [(5, ["4", "ok"])]
    assert [(r.line, r.reason) for r in report.examples] == [(2, SHORT), (3, LONG), (4, NUL)]


def test_plain_tabs_never_unquote(tmp_path: Path) -> None:
    path = write(tmp_path / "t.txt", "id\tterm", '1\tsaw the "walking" sign', '2\tgroup rh"', '3\t"whole"')
    assert [v[1] for _, v in rows(path, PLAIN_TABS)[0]] == ['saw the "walking" sign', 'group rh"', '"whole"']


def test_tabs_unquote_whole_values_only(tmp_path: Path) -> None:
    path = write(tmp_path / "t.tsv", "id\tterm", '1\t"a ""b"" c"', '2\t"a" b', '3\trh"', '4\t"', '5\t""')
    assert [v[1] for _, v in rows(path, TABS)[0]] == ['a "b" c', '"a" b', 'rh"', '"', ""]


def test_commas_follow_rfc_4180_within_a_line(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "id,term", '1,"a, ""b"""', '2,"open', "3,plain", "4,a,b")
    found, report = rows(path, COMMAS)
    assert found == [(2, ["1", 'a, "b"']), (4, ["3", "plain"])]
    assert [(r.line, r.reason) for r in report.examples] == [(3, QUOTES), (5, LONG)]


def test_missing_columns_are_named_with_those_found(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "# made by hand", " ID , Term", "1,a")
    table = Table(Entry(path), COMMAS)
    assert table.places("term", "id") == (1, 0)
    with pytest.raises(DataError, match=r"t\.csv:2: missing columns language, active; found: ID, Term"):
        table.places("id", "language", "active")


@pytest.mark.parametrize(
    ("header", "dialect", "says"),
    [
        ("id;term", COMMAS, "it is separated by semicolons: save it with commas"),
        ("id\tterm", COMMAS, "it is separated by tabs: save it with commas; or call it .tsv"),
        ("id,term", TABS, "it is separated by commas: save it with tabs"),
        ("id,term\r1,a\r2,b", COMMAS, "old Macs"),
        ("id,trm", COMMAS, "the first line must name the columns"),
    ],
)
def test_a_table_separated_otherwise_is_told_from_one_that_lacks_columns(
    tmp_path: Path, header: str, dialect: Dialect, says: str
) -> None:
    table = Table(Entry(write(tmp_path / "t.csv", header, "1,a")), dialect)
    with pytest.raises(DataError) as caught:
        table.places("id", "term")
    assert says in caught.value.advice


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_empty_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError, match="empty"):
        Table(Entry(tmp_path / "t.csv"), COMMAS)


def test_other_encodings_are_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,term\n" + b"1,x\n" * 5000 + "2,hypothyreoïdie\n".encode("windows-1252"))
    with pytest.raises(DataError, match=r"t\.csv:5002: the text is not UTF-8.*save the file as UTF-8"):
        rows(path, COMMAS)


def test_utf16_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "id,term", "1,a", encoding="utf-16")
    with pytest.raises(DataError, match="UTF-16"):
        Table(Entry(path), COMMAS)


def test_by_ending() -> None:
    assert by_ending(Entry(Path("terms.TSV"))) is TABS
    assert by_ending(Entry(Path("terms.csv"))) is COMMAS


def test_entries_of_folder_zip_and_file(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    write(folder / "b/two.txt", "x")
    write(folder / "one.txt", "x")
    write(folder / ".hidden", "x")
    write(folder / "__MACOSX/._one.txt", "x")
    archive = zipped(folder, tmp_path / "pack.zip")
    assert [e.name for e in entries(folder)] == ["two.txt", "one.txt"]
    assert [str(e).rpartition("!")[2] for e in entries(archive)] == ["pack/b/two.txt", "pack/one.txt"]
    assert entries(folder / "one.txt") == [Entry(folder / "one.txt")]
    assert [e.name for e in select(entries(folder), folder, ["one*", "b/*"])] == ["one.txt", "two.txt"]
    with pytest.raises(DataError, match="no file is called"):
        select(entries(folder), folder, ["three*"])


def test_a_zip_in_a_folder_stands_for_its_members_on_request(tmp_path: Path) -> None:
    write(tmp_path / "in/one.txt", "x")
    (tmp_path / "out").mkdir()
    zipped(tmp_path / "in", tmp_path / "out/pack.zip")
    assert [e.name for e in entries(tmp_path / "out")] == ["pack.zip"]
    assert [e.name for e in entries(tmp_path / "out", zips=True)] == ["one.txt"]


def test_missing_empty_and_broken_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        entries(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no file"):
        entries(tmp_path / "empty")
    broken = write(tmp_path / "broken.zip", "this is no zip")
    with pytest.raises(DataError, match="cannot be read"):
        entries(broken)


def test_a_zip_cut_short_or_damaged_inside_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "in/one.txt", *(f"{i}\tsome words" for i in range(3000)))
    archive = zipped(tmp_path / "in", tmp_path / "pack.zip")
    entry = entries(archive)[0]
    data = bytearray(archive.read_bytes())
    data[400] ^= 0xFF
    archive.write_bytes(data)
    with pytest.raises(DataError, match="cannot be read"):
        read_bytes(entry)


@pytest.mark.parametrize("begins", [b"PK\x03\x04\x14\x00", b"PK\x03\x04\xff\xfe", b"\xd0\xcf\x11\xe0\xa1\xb1"])
def test_a_workbook_is_told_apart_from_text(tmp_path: Path, begins: bytes) -> None:
    """A spreadsheet's own file under the name of a table: what is in it must not reach a terminal."""
    path = tmp_path / "drugs.csv"
    path.write_bytes(begins + b"\x00\x08rubbish\n\x1b[2J")
    with pytest.raises(DataError, match="is a workbook or an archive, and no text; export the sheet as CSV UTF-8"):
        Table(Entry(path), by_ending(Entry(path)))
