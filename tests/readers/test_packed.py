"""Every format may come packed: as a zip, a tar file, or each file by itself."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dragoman.errors import DataError
from dragoman.protocols import Report, Row, Source
from dragoman.readers import reader_for
from dragoman.readers.sources import entries
from dragoman.readers.taxonomy import read_taxonomy

RF2 = "id\teffectiveTime\tactive\tmoduleId\t"
FILES: dict[str, dict[str, str]] = {
    "csv": {"terms.csv": "concept_id,term,language,type,active\nk1,zwelvoet,nl,preferred,1\n"},
    "obo": {"a.obo": "format-version: 1.2\n\n[Term]\nid: X:1\nname: swollen foot\n"},
    "obograph": {
        "a.json": '{"graphs": [{"nodes": [{"id": "http://purl.obolibrary.org/obo/X_1", "lbl": "swollen foot",'
        ' "type": "CLASS"}], "edges": []}]}'
    },
    "babelon": {
        "a.babelon.tsv": "subject_id\tpredicate_id\tsource_value\ttranslation_language\ttranslation_value\t"
        "translation_status\nX:1\trdfs:label\tswollen foot\tnl\tzwelvoet\tOFFICIAL\n"
    },
    "fhir": {
        "package/a.json": '{"resourceType": "CodeSystem", "url": "u", "language": "nl",'
        ' "concept": [{"code": "1", "display": "zwelvoet"}]}'
    },
    "rf2": {
        "p/Snapshot/Terminology/sct2_Concept_Snapshot_INT_20260101.txt": f"{RF2}definitionStatusId\n"
        "101005\t20260101\t1\t9\t900000000000074008\n",
        "p/Snapshot/Terminology/sct2_Description_Snapshot-nl_INT_20260101.txt": f"{RF2}conceptId\tlanguageCode\t"
        "typeId\tterm\tcaseSignificanceId\n"
        "201012\t20260101\t1\t9\t101005\tnl\t900000000000013009\tzwelvoet\t900000000000448009\n",
    },
    "rrf": {
        "META/MRCONSO.RRF": "C01|ENG|P|L1|PF|S1|Y|A1||||MSH|MH|D1|swollen foot|0|N||\n"
        "C02|ENG|P|L2|PF|S2|Y|A2||||MSH|MH|D2|foot|0|N||\n",
        "META/MRREL.RRF": "C02|A2|CUI|CHD|C01|A1|CUI||R1||MSH||||N||\n",
        "META/MRSTY.RRF": "C01|T037|A2.3|Injury or Poisoning|AT1|256|\n",
    },
    "omop": {
        "CONCEPT.csv": "concept_id\tconcept_name\tdomain_id\tvocabulary_id\tconcept_class_id\tstandard_concept\t"
        "concept_code\tvalid_start_date\tvalid_end_date\tinvalid_reason\n"
        "1\tSwollen foot\tCondition\tSNOMED\tDisorder\tS\t91\t19700101\t20991231\t\n"
        "2\tFoot\tCondition\tSNOMED\tDisorder\tS\t92\t19700101\t20991231\t\n",
        "CONCEPT_SYNONYM.csv": "concept_id\tconcept_synonym_name\tlanguage_concept_id\n1\tzwelvoet\t4182503\n",
        "CONCEPT_ANCESTOR.csv": "ancestor_concept_id\tdescendant_concept_id\tmin_levels_of_separation\t"
        "max_levels_of_separation\n2\t1\t1\t1\n",
    },
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def tar(folder: Path, files: dict[str, str], name: str) -> Path:
    path = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w" if name.endswith(".tar") else "w:gz") as archive:
        archive.addfile(_named(tarfile.TarInfo("folder"), tarfile.DIRTYPE))
        for member, text in files.items():
            info = tarfile.TarInfo(member)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


def _named(info: tarfile.TarInfo, kind: bytes) -> tarfile.TarInfo:
    info.type = kind
    return info


def each(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / f"{name}.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))
    return folder


def rows(format_: str, path: Path) -> list[Row]:
    source = Source(name="t", format=format_, path=path, languages=())
    found: Iterator[Row] = reader_for(source)(source, Report())
    return list(found)


def zipped(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


PACKINGS: dict[str, Callable[[Path, dict[str, str]], Path]] = {
    "tgz": lambda folder, files: tar(folder, files, "a.tgz"),
    "tar.gz": lambda folder, files: tar(folder, files, "a.tar.gz"),
    "tar": lambda folder, files: tar(folder, files, "a.tar"),
    "gz": each,
    "zip": zipped,
}


@pytest.mark.parametrize("format_", FILES)
@pytest.mark.parametrize("packing", PACKINGS)
def test_a_packed_source_gives_the_same_rows(tmp_path: Path, format_: str, packing: str) -> None:
    plain = rows(format_, write(tmp_path / "plain", FILES[format_]))
    assert plain
    assert rows(format_, PACKINGS[packing](tmp_path / "packed", FILES[format_])) == plain


def test_a_table_of_the_organisation_may_be_packed_too(tmp_path: Path) -> None:
    path = each(tmp_path, {"entities.tsv": "entity_id\ttype\tname\nn1\tcondition\tDikke voet\n"}) / "entities.tsv.gz"
    assert [e.name for e in read_taxonomy(entities=path, relations=None, report=Report()).entities] == ["Dikke voet"]


@pytest.mark.parametrize("name", ["a.tgz", "a.tar.gz", "a.tar", "terms.csv.gz"])
@pytest.mark.parametrize("keep", [0.0, 0.5, 0.98])
def test_one_that_is_cut_short_is_refused(tmp_path: Path, name: str, keep: float) -> None:
    text = {"terms.csv": "concept_id,term,language\n" + "".join(f"k{n},zwel{n},nl\n" for n in range(9_999))}
    each(tmp_path, text) if name == "terms.csv.gz" else tar(tmp_path, text, name)
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(DataError, match=name):
        rows("csv", tmp_path if name == "terms.csv.gz" else tmp_path / name)


def test_a_member_that_is_a_link_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        link = _named(tarfile.TarInfo("terms.csv"), tarfile.SYMTYPE)
        link.linkname = "/etc/passwd"
        archive.addfile(link)
        info = tarfile.TarInfo("other.csv")
        archive.addfile(info, io.BytesIO())
    assert [e.member for e in entries(path)] == ["other.csv"]
