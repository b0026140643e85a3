from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers import support as rf2
from tests.readers.support import ACCEPTABLE, FSN, GB, NL_BE, NL_NL, NL_PATIENT, US, read, tabs, write, zipped

from dragoman.errors import ConfigError, DataError
from dragoman.protocols import Report, Source
from dragoman.readers import READERS
from dragoman.readers.rf2 import NO_ID, NO_TIME
from dragoman.readers.rf2_refsets import NO_ACCEPTABILITY
from dragoman.readers.tables import LONG, SHORT
from dragoman.readers.values import NO_FLAG

SUN, SKIN, OLD = "100001004", "200002004", "300003004"
CONCEPTS = [rf2.concept(SUN), rf2.concept(SKIN), rf2.concept(OLD, active=0)]
DESCRIPTIONS = [
    rf2.description("11", SUN, "Sunstroke (disorder)", type_=FSN),
    rf2.description("12", SUN, "Sunstroke"),
    rf2.description("13", SUN, "Effect of sun", active=0),
    rf2.description("14", SUN, "zonnesteek", "nl"),
    rf2.description("15", SUN, "insolatie", "nl"),
    rf2.description("16", SUN, "te lang in de zon gezeten", "nl"),
    rf2.description("21", SKIN, "Skin structure (body structure)", type_=FSN),
    rf2.description("22", SKIN, "huid", "nl"),
    rf2.description("31", OLD, "nog actief genoemd", "nl"),
    rf2.description("41", SUN, "A long explanation.", type_=rf2.DEFINITION),
]
MEMBERS = [
    rf2.member("a", "12", GB),
    rf2.member("b", "14", NL_BE),
    rf2.member("c", "15", NL_BE, ACCEPTABLE),
    rf2.member("d", "16", NL_PATIENT),
    rf2.member("e", "22", NL_BE, active=0),
]
RELATIONS = [
    rf2.relation("1", SUN, SKIN, "363698007"),
    rf2.relation("2", SUN, SKIN),
    rf2.relation("3", SUN, OLD),
    rf2.relation("4", SUN, SKIN, active=0),
    rf2.relation("5", SKIN, SUN, character=rf2.STATED),
    rf2.relation("6", SUN, SKIN, "999999009"),
]


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    return rf2.package(
        tmp_path / "SnomedCT", concepts=CONCEPTS, descriptions=DESCRIPTIONS, members=MEMBERS, relations=RELATIONS
    )


def test_a_snapshot(snapshot: Path) -> None:
    got = read("rf2", snapshot)
    assert got.texts == {
        "Sunstroke (disorder)": "fsn",
        "Sunstroke": "preferred",
        "zonnesteek": "preferred",
        "insolatie": "synonym",
        "te lang in de zon gezeten": "lay",
        "Skin structure (body structure)": "fsn",
        "huid": "synonym",
    }
    assert got.concepts == {SUN: (True, "disorder"), SKIN: (True, "body structure"), OLD: (False, None)}
    assert got.relations == {(SUN, "finding_site", SKIN), (SUN, "is_a", SKIN), (SUN, "999999009", SKIN)}
    assert got.report.version == "20240101"
    assert not got.report.rejected
    assert got.report.skipped == {
        "inactive concept": 1,
        "inactive description": 1,
        "description of an inactive concept": 1,
        "text definition": 1,
        "inactive member": 1,
        "inactive relationship": 1,
        "relationship that is not inferred": 1,
        "relationship of a concept that is inactive or in no file": 1,
    }


def test_zip_folder_and_zip_in_folder_are_the_same(snapshot: Path, tmp_path: Path) -> None:
    expected = read("rf2", snapshot).rows
    archive = zipped(snapshot, tmp_path / "SnomedCT.zip")
    assert read("rf2", archive).rows == expected
    (tmp_path / "downloads").mkdir()
    archive.rename(tmp_path / "downloads/SnomedCT.zip")
    got = read("rf2", tmp_path / "downloads")
    assert got.rows == expected
    assert got.report.files == [tmp_path / "downloads/SnomedCT.zip"]


def test_languages_and_semantic_tags_from_another_language(snapshot: Path) -> None:
    got = read("rf2", snapshot, languages=("nl-BE",))
    assert set(got.texts) == {"zonnesteek", "insolatie", "te lang in de zon gezeten", "huid"}
    assert got.concepts[SUN] == (True, "disorder")
    assert got.report.skipped["another language (en)"] == 3


def test_an_english_tag_is_the_reference_whatever_comes_first(tmp_path: Path) -> None:
    first = [
        rf2.description("1", SUN, "Zonnesteek (aandoening)", "nl", FSN),
        rf2.description("2", SUN, "Sunstroke (disorder)", "en", FSN),
        rf2.description("3", SKIN, "Huid (lichaamsstructuur)", "nl", FSN),
    ]
    for number, order in enumerate((first, first[::-1])):
        folder = rf2.package(tmp_path / str(number), concepts=CONCEPTS, descriptions=order)
        assert read("rf2", folder).concepts[SUN] == (True, "disorder")
        assert read("rf2", folder).concepts[SKIN] == (True, "lichaamsstructuur")


def test_without_a_language_reference_set_terms_are_synonyms(tmp_path: Path) -> None:
    got = read("rf2", rf2.package(tmp_path, concepts=CONCEPTS, descriptions=DESCRIPTIONS))
    assert got.texts["zonnesteek"] == "synonym"
    assert sum(got.report.noted.values()) == 1


def test_chosen_reference_sets_alone_make_terms(snapshot: Path) -> None:
    got = read("rf2", snapshot, language_refsets=["nl-BE"], lay_refsets=[])
    assert got.texts == {"zonnesteek": "preferred", "insolatie": "synonym"}
    assert got.report.skipped["description in none of the language_refsets"] == 5
    assert read("rf2", snapshot, language_refsets=[NL_BE]).texts["te lang in de zon gezeten"] == "lay"
    with pytest.raises(ConfigError, match="'nl-XX' is neither an identifier nor a known alias"):
        read("rf2", snapshot, language_refsets=["nl-XX"])


@pytest.mark.parametrize(
    ("order", "preferred"),
    [(["en-GB", "en-US"], "Anaemia"), (["en-US", "en-GB"], "Anemia"), (None, "Anaemia")],
)
@pytest.mark.parametrize("reverse", [False, True])
def test_one_preferred_term_by_the_order_of_the_reference_sets(
    tmp_path: Path, order: list[str] | None, preferred: str, reverse: bool
) -> None:
    names = [rf2.description("1", SUN, "Anaemia"), rf2.description("2", SUN, "Anemia")]
    folder = rf2.package(
        tmp_path,
        concepts=CONCEPTS,
        descriptions=names[::-1] if reverse else names,
        members=[rf2.member("a", "1", GB), rf2.member("b", "2", US), rf2.member("c", "1", US, ACCEPTABLE)],
    )
    got = read("rf2", folder) if order is None else read("rf2", folder, language_refsets=order)
    assert [t[1] for t in got.terms if t[3] == "preferred"] == [preferred]
    assert len(got.terms) == 2


def test_a_partial_set_first_and_the_national_one_for_the_rest(tmp_path: Path) -> None:
    folder = rf2.package(
        tmp_path,
        concepts=CONCEPTS,
        descriptions=[
            rf2.description("1", SUN, "insolatie", "nl"),
            rf2.description("2", SUN, "zonnesteek", "nl"),
            rf2.description("3", SKIN, "huid", "nl"),
        ],
        members=[
            rf2.member("a", "1", NL_NL), rf2.member("b", "3", NL_NL), rf2.member("c", "2", NL_BE),
        ],
    )  # fmt: skip
    assert read("rf2", folder).texts == {"insolatie": "synonym", "zonnesteek": "preferred", "huid": "preferred"}


def test_full_files_count_the_latest_row_of_each_id(tmp_path: Path) -> None:
    folder = rf2.package(
        tmp_path,
        release="Full",
        concepts=[
            rf2.concept(SUN, 1, "20200101"),
            rf2.concept(SKIN, 1, "20200101"),
            rf2.concept(SKIN, 0, "20230101"),
            rf2.concept(OLD, 0, "20200101"),
            rf2.concept(OLD, 1, ""),  # not yet released: the latest of all
        ],
        descriptions=[
            rf2.description("1", SUN, "new name", time="20230101"),
            rf2.description("1", SUN, "old name", time="20200101"),
            rf2.description("2", SKIN, "retired with its concept"),
            rf2.description("3", OLD, "back again"),
            rf2.description("4", SUN, "withdrawn", time="20200101"),
            rf2.description("4", SUN, "withdrawn", active=0, time="20210101"),
        ],
    )
    got = read("rf2", folder)
    assert set(got.texts) == {"new name", "back again"}
    assert {id_: active for id_, (active, _) in got.concepts.items()} == {SUN: True, SKIN: False, OLD: True}
    assert got.report.version == "20240101"
    assert got.report.skipped["earlier version of a row"] == 4


def test_snapshot_is_preferred_to_full_and_delta(snapshot: Path) -> None:
    rf2.package(snapshot, release="Full", concepts=CONCEPTS, descriptions=[rf2.description("9", SUN, "from Full")])
    rf2.package(snapshot, release="Delta", concepts=CONCEPTS, descriptions=[rf2.description("9", SUN, "from Delta")])
    assert "zonnesteek" in read("rf2", snapshot).texts
    assert set(read("rf2", snapshot, release="full").texts) == {"from Full"}
    assert set(read("rf2", snapshot, release="delta").texts) == {"from Delta"}
    with pytest.raises(ConfigError, match="must be one of"):
        read("rf2", snapshot, release="newest")


def test_a_delta_alone_is_refused_unless_asked_for(tmp_path: Path) -> None:
    folder = rf2.package(tmp_path, release="Delta", concepts=CONCEPTS, descriptions=DESCRIPTIONS)
    with pytest.raises(DataError, match="only Delta concept files, which hold no more than what changed"):
        read("rf2", folder)
    assert "zonnesteek" in read("rf2", folder, release="delta").texts


def test_layers_later_ones_retire_and_rename(tmp_path: Path, snapshot: Path) -> None:
    rf2.package(
        tmp_path / "Delta",
        release="Delta",
        concepts=[rf2.concept(SKIN, 0, "20240601")],
        descriptions=[rf2.description("14", SUN, "zonneslag", "nl", time="20240601")],
        edition="INT_20240601",
    )
    got = read("rf2", tmp_path, layers=["SnomedCT", "Delta"])
    assert "zonneslag" in got.texts
    assert "zonnesteek" not in got.texts
    assert "huid" not in got.texts
    assert got.concepts[SKIN][0] is False
    archive = zipped(snapshot, tmp_path / "base.zip")
    assert read("rf2", archive, layers=["Delta"]).texts == got.texts


def test_equal_times_are_won_by_the_later_layer(tmp_path: Path) -> None:
    for name in ("one", "two"):
        rf2.package(tmp_path / name, concepts=[rf2.concept(SUN)], descriptions=[rf2.description("1", SUN, name)])
    assert set(read("rf2", tmp_path, layers=["one", "two"]).texts) == {"two"}
    assert set(read("rf2", tmp_path, layers=["two", "one"]).texts) == {"one"}


def test_editions_in_one_folder_are_layered(tmp_path: Path, snapshot: Path) -> None:
    rf2.package(
        snapshot,
        concepts=[rf2.concept("400004004"), rf2.concept(SKIN, 0, "20250315")],
        descriptions=[rf2.description("51", SUN, "coup de soleil", "fr")],
        edition="BE1000172_20250315",
    )
    got = read("rf2", snapshot)
    assert {"zonnesteek", "coup de soleil"} <= set(got.texts)
    assert got.concepts[SKIN][0] is False
    assert got.report.version == "20250315"


@pytest.mark.parametrize(
    "names",
    [
        ("xsct2_Concept_Snapshot_BE1000172_20240315.txt", "xsct2_Description_Snapshot-nl_BE1000172_20240315.txt"),
        ("sct2_Concept_GPSSnapshot_INT_20240101.txt", "sct2_Description_GPSSnapshot-en_INT_20240101.txt"),
        ("sct2_Concept_UKEDSnapshot_GB_20240101.txt", "sct2_Description_UKEDSnapshot-en_GB_20240101.txt"),
        ("SCT2_CONCEPT_SNAPSHOT_INT_20240101.TXT", "SCT2_DESCRIPTION_SNAPSHOT-EN_INT_20240101.TXT"),
        ("concepts.txt", "words.txt"),
    ],
)
def test_names_vary_and_columns_tell(tmp_path: Path, names: tuple[str, str]) -> None:
    write(tmp_path / names[0], rf2.header("Concept"), *CONCEPTS)
    write(tmp_path / names[1], rf2.header("Description"), *DESCRIPTIONS)
    write(tmp_path / "Readme_en.txt", "Beware of the dog.", encoding="utf-16")
    write(tmp_path / "der2_Refset_SimpleSnapshot_INT_20240101.txt", "id\teffectiveTime\tactive\tmoduleId\trefsetId")
    assert "zonnesteek" in read("rf2", tmp_path).texts


def test_refset_id_in_another_spelling_and_other_files_ignored(tmp_path: Path, snapshot: Path) -> None:
    path = snapshot / "Snapshot/Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20240101.txt"
    path.write_text(path.read_text().replace("refsetId", "refSetId"))
    expression = rf2.header("Concept").replace(
        "definitionStatusId", "refsetId\tdefinitionStatusId\tmapTarget\tExpression"
    )
    write(
        snapshot / "Snapshot/xder2_sscccRefset_ExpressionAssociationSnapshot_INT_20240101.txt",
        expression,
        tabs(*"abcdefgh"),
    )
    got = read("rf2", snapshot)
    assert got.texts["zonnesteek"] == "preferred"
    assert not got.report.rejected


def test_lines_that_a_real_file_may_hold(tmp_path: Path) -> None:
    rf2.package(
        tmp_path,
        concepts=["", "# the root", rf2.concept("000123004"), "", rf2.concept(SUN)],
        descriptions=[
            rf2.description("1", SUN, 'the "walking" sign'),
            rf2.description("2", SUN, 'blood group rh"'),
            rf2.description("3", "000123004", "leading zeros stay"),
            rf2.description("4", SUN, "tab\tinside"),
            "\t".join(rf2.description("5", SUN, "no case significance").split("\t")[:-1]),
            rf2.description("6", SUN, "no such flag", active=2),
            rf2.description("7", "SUN", "no such id"),
            rf2.description("8", SUN, "no such time", time="2024-01-01"),
            rf2.description("9", SUN, " "),
        ],
        final=False,
    )
    got = read("rf2", tmp_path)
    assert got.terms == [
        (SUN, 'the "walking" sign', "en", "synonym"),
        (SUN, 'blood group rh"', "en", "synonym"),
        ("000123004", "leading zeros stay", "en", "synonym"),
    ]
    assert "000123004" in got.concepts
    assert [(line, reason) for _, line, reason in got.rejects] == [
        (5, LONG), (6, SHORT), (7, NO_FLAG), (8, NO_ID), (9, NO_TIME), (10, "empty term"),
    ]  # fmt: skip


def test_members_and_relations_that_are_wrong(snapshot: Path) -> None:
    language = snapshot / "Snapshot/Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20240101.txt"
    write(language, rf2.header("Language"), rf2.member("a", "14", NL_BE, "1"), rf2.member("b", "nobody", NL_BE))
    relations = snapshot / "Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20240101.txt"
    write(relations, rf2.header("Relationship"), rf2.relation("1", SUN, SKIN, active=7))
    got = read("rf2", snapshot)
    assert {r[2] for r in got.rejects} == {NO_ACCEPTABILITY, NO_FLAG}
    assert got.texts["zonnesteek"] == "synonym"


def test_maps(snapshot: Path) -> None:
    row = ("20240101", 1, rf2.MODULE)
    write(
        snapshot / "Snapshot/Refset/Map/der2_iisssccRefset_ExtendedMapSnapshot_INT_20240101.txt",
        rf2.header("ExtendedMap"),
        tabs("a", *row, "447562003", SUN, 1, 1, "TRUE", "ALWAYS T67.0", "T67.0", 1, 1),
        tabs("b", *row, "447562003", SKIN, 1, 1, "TRUE", "CANNOT BE CLASSIFIED", "", 1, 1),
        tabs("c", *row, "447562003", OLD, 1, 1, "TRUE", "ALWAYS X", "X", 1, 1),
        tabs("d", "20240101", 0, rf2.MODULE, "447562003", SKIN, 1, 1, "TRUE", "ALWAYS Y", "Y", 1, 1),
    )
    write(
        snapshot / "Snapshot/Refset/Map/der2_sRefset_SimpleMapSnapshot_INT_20240101.txt",
        rf2.header("SimpleMap"),
        tabs("e", *row, "999000111222", SUN, "local-7"),
    )
    assert read("rf2", snapshot).maps == {(SUN, "ICD-10", "T67.0"), (SUN, "999000111222", "local-7")}
    assert read("rf2", snapshot, maps=["ICD-10"], systems={"ICD-10": "icd"}).maps == {(SUN, "icd", "T67.0")}
    assert read("rf2", snapshot, maps=[]).maps == set()


def test_modules_limit_the_terms(tmp_path: Path) -> None:
    folder = rf2.package(
        tmp_path,
        concepts=CONCEPTS,
        descriptions=[rf2.description("1", SUN, "a"), rf2.description("2", SUN, "b", module=rf2.OTHER_MODULE)],
    )
    got = read("rf2", folder, modules=rf2.OTHER_MODULE)
    assert set(got.texts) == {"b"}
    assert got.concepts[SUN] == (True, None)


def test_an_extension_without_its_base_is_taken_and_noted(tmp_path: Path) -> None:
    folder = rf2.package(tmp_path, concepts=[rf2.concept(SUN)], descriptions=[rf2.description("1", SKIN, "huid", "nl")])
    got = read("rf2", folder)
    assert got.texts == {"huid": "synonym"}
    assert got.concepts[SKIN] == (True, None)
    assert got.report.noted["concepts that no concept file lists, taken as active"] == 1


def test_packages_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "none/readme.txt", "x")
    with pytest.raises(DataError, match="no concept file"):
        read("rf2", tmp_path / "none")
    write(tmp_path / "half/sct2_Concept_Snapshot_INT_20240101.txt", rf2.header("Concept"), *CONCEPTS)
    with pytest.raises(DataError, match="no description file"):
        read("rf2", tmp_path / "half")
    rf2.package(tmp_path / "bare", concepts=[], descriptions=[])
    with pytest.raises(DataError, match="no row below the header"):
        read("rf2", tmp_path / "bare")
    folder = rf2.package(tmp_path / "headless", concepts=CONCEPTS, descriptions=DESCRIPTIONS)
    path = folder / "Snapshot/Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20240101.txt"
    write(path, *MEMBERS)
    with pytest.raises(DataError, match=r"txt:1: missing columns id, .*found: a, 20240101"):
        read("rf2", folder)
    with pytest.raises(DataError, match="no file is called"):
        read("rf2", folder, files=["*Konzept*"])


def test_a_damaged_file_of_a_release_type_that_is_not_read_does_no_harm(snapshot: Path) -> None:
    write(snapshot / "Full/der2_cRefset_LanguageFull-en_INT_20240101.txt", *MEMBERS)
    (snapshot / "Full/sct2_Concept_Full_INT_20240101.txt").write_bytes(b"\xff\xff")
    assert "zonnesteek" in read("rf2", snapshot).texts


def test_rows_stream(tmp_path: Path) -> None:
    """The first term comes before the last line has been read."""
    many = [rf2.description(str(n), SUN, f"term {n}") for n in range(20_000)]
    folder = rf2.package(tmp_path, concepts=CONCEPTS, descriptions=[*many, "damaged"])
    report = Report()
    rows = READERS["rf2"](Source(name="s", format="rf2", path=folder), report)
    next(rows)
    assert not report.rejected
    assert sum(1 for _ in rows) == 20_000 - 1 + 3
    assert report.rejected == {SHORT: 1}
