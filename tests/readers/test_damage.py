"""Damaged files: whatever is done to the bytes of a source, a reader gives rows, rejects, or one DataError."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from unicodedata import is_normalized

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.readers import support as rf2
from tests.readers.support import read, write, zipped
from tests.readers.test_babelon import PROFILE, SYNONYMS
from tests.readers.test_csv_folder import TERMS
from tests.readers.test_fhir import CODES, MAP, VALUES, document
from tests.readers.test_obo import OBO
from tests.readers.test_obograph import GRAPH
from tests.readers.test_omop import TABLES
from tests.readers.test_rf2 import CONCEPTS, DESCRIPTIONS, MEMBERS, RELATIONS
from tests.readers.test_rrf import atom, related

from dragoman.errors import DataError
from dragoman.protocols import ConceptRow, MapRow, RelationRow, Row, TermRow
from dragoman.readers import READERS


def _csv(folder: Path) -> None:
    write(folder / "terms.csv", *TERMS)
    write(folder / "relations.tsv", "source_id\ttype\ttarget_id", "009\tis_a\t007")


def _rf2(folder: Path) -> None:
    rf2.package(folder, concepts=CONCEPTS, descriptions=DESCRIPTIONS, members=MEMBERS, relations=RELATIONS)
    rf2.package(
        folder,
        release="Full",
        concepts=[rf2.concept("100001004", time="")],
        descriptions=DESCRIPTIONS,
        edition="BE1000172_20250315",
    )


def _babelon(folder: Path) -> None:
    write(folder / "x.babelon.tsv", *PROFILE)
    write(folder / "x.synonyms.tsv", *SYNONYMS)


def _fhir(folder: Path) -> None:
    write(folder / "a.json", json.dumps(CODES, indent=1))
    write(folder / "b.xml", document(VALUES))
    write(folder / "c.ndjson", json.dumps(MAP), json.dumps(VALUES))


def _rrf(folder: Path) -> None:
    write(folder / "MRCONSO.RRF", atom("C01", "Sunstroke", marks="P-PF-Y"), atom("C02", "zonnesteek", language="DUT"))
    write(folder / "MRREL.RRF", related("C01", "PAR", "C02"))
    write(folder / "MRSTY.RRF", "C01|T037|A2.3|Injury or Poisoning|AT1|256|")


def _omop(folder: Path) -> None:
    for name, rows in TABLES.items():
        write(folder / f"{name}.csv", *(row.replace(",", "\t") for row in rows))


SOURCES: dict[str, Callable[[Path], object]] = {
    "babelon": _babelon,
    "csv": _csv,
    "fhir": _fhir,
    "obo": lambda folder: write(folder / "x.obo", *OBO),
    "obograph": lambda folder: write(folder / "x.json", json.dumps({"graphs": [GRAPH]}, indent=1)),
    "omop": _omop,
    "rf2": _rf2,
    "rrf": _rrf,
}
OPTIONS: dict[str, dict[str, Any]] = {"fhir": {"system": "*"}}
GARBAGE = (
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b'"', b"\t", b"|", b",", b"\r", b"\n", b"\r\n\r\n", b"\\", b"{",
    b"}", b"[" * 3000, b"null", b"-1", b"1e999", b"9" * 5000, b"<", b"</", b"&x;", b"!", b"#", b"e\xcc\x81",
    b"=" * 200_000, "\u2028\x85".encode(),
)  # fmt: skip


def damage(data: bytes, random: Random) -> bytes:
    """One to four random changes: what transfers, editors and spreadsheets do to files, and worse."""
    for _ in range(random.randint(1, 4)):
        start, length = random.randint(0, len(data)), random.choice((0, 1, 1, 2, 8, 40, 400))
        piece = data[start : start + length]
        lines = data.split(b"\n")
        change = random.randrange(6)
        if change == 0:
            data = data[:start]
        elif change == 1:
            data = data[:start] + random.choice(GARBAGE) + data[start:]
        elif change == 2:
            data = data[:start] + random.choice(GARBAGE) + data[start + length :]
        elif change == 3:
            data = data[:start] + bytes(b ^ 1 << random.randrange(8) for b in piece) + data[start + length :]
        elif change == 4:
            random.shuffle(lines)
            data = b"\n".join(lines)
        else:
            data = b"\n".join(random.choices(lines, k=len(lines)))
    return data


def check(row: Row) -> None:
    """Whatever was read, the rows keep their promises."""
    texts: tuple[str, ...]
    if isinstance(row, TermRow):
        texts = (row.concept_id, row.term, row.language)
        assert row.type in {"preferred", "synonym", "fsn", "lay"}
        assert is_normalized("NFC", row.term)
        assert min(row.term) >= " "
    elif isinstance(row, ConceptRow):
        texts = (row.id,)
    elif isinstance(row, RelationRow):
        texts = (row.source_id, row.type, row.target_id)
    else:
        assert isinstance(row, MapRow)
        texts = (row.concept_id, row.system, row.target_id)
    assert all(text.strip() for text in texts)


def explained(error: DataError) -> None:
    """An error says where it is, what is wrong and what to do."""
    assert error.where
    assert error.what
    assert error.advice


def examine(format_: str, path: Path) -> None:
    try:
        got = read(format_, path, **OPTIONS.get(format_, {}))
    except DataError as error:
        explained(error)
        return
    for row in got.rows:
        check(row)
    assert all(Path(reject.path.partition("!")[0]).exists() for reject in got.report.examples)


def test_every_format_is_covered() -> None:
    assert set(SOURCES) == set(READERS)


@pytest.mark.parametrize("format_", sorted(SOURCES))
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_damaged_files(format_: str, seed: int) -> None:
    random = Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        SOURCES[format_](folder)
        files = sorted(p for p in folder.rglob("*") if p.is_file())
        for file in random.sample(files, random.randint(1, len(files))):
            file.write_bytes(damage(file.read_bytes(), random))
        examine(format_, folder)


@pytest.mark.parametrize("format_", ["csv", "rf2", "fhir"])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_damaged_archives(format_: str, seed: int) -> None:
    random = Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "in"
        SOURCES[format_](folder)
        archive = zipped(folder, Path(name) / "in.zip")
        archive.write_bytes(damage(archive.read_bytes(), random))
        examine(format_, archive)
