"""What the build reports of a catalogue, and that it is the same each time."""

from __future__ import annotations

import msgspec
import pytest
from tests.index.drugs_support import Opened, catalog

from dragoman.readers.deployment import Alias, Catalog, Drug


def test_counts_and_guarded_aliases():
    report = Opened(
        catalog({"Paracetamol": ("Panadol/brand", "Rest/brand", "APAP/abbreviation", "Bayer/brand")}, known=["aspirin"])
    ).report
    assert report.counts == {"drugs": 1, "drug aliases": 5, "known drug names": 1}
    assert set(report.guarded) == {"Rest", "Bayer"}
    assert msgspec.to_builtins(report)["counts"]["drugs"] == 1


def test_the_catalogues_own_name_is_no_known_name():
    report = Opened(catalog({"Amoxicilin": ()}, known=["amoxicillin", "amoxicilline", "ampicillin"])).report
    assert report.same_substance == (("amoxicillin", "Amoxicilin"), ("amoxicilline", "Amoxicilin"))
    assert report.counts["known drug names"] == 1


def test_look_alike_lists_may_name_drugs_by_name_or_id_or_not_at_all():
    opened = Opened(
        Catalog(
            drugs=(Drug(drug_id="D1", name="Hydralazin"), Drug(drug_id="D2", name="Hydroxyzin")),
            aliases=(Alias(drug_id="D2", alias="Atarax", kind="brand"),),
            confusable=(("hydralazine", "D2"), ("Atarax", "Ativan")),
        )
    )
    assert opened.mentions("hydralazin")[0].confusable_with == ("D2",)
    assert opened.mentions("atarax")[0].confusable_with == ("D1", "Ativan")


@pytest.mark.parametrize("order", [1, -1])
def test_the_same_catalogue_gives_the_same_files(order: int):
    names = ["Amlodipin", "Amiodaron", "Kali clorid", "Acid folic"]
    one = Opened(catalog(names, known=["prednison", "cefepim"]))
    other = Opened(catalog(names, known=["prednison", "cefepim"]))
    files = sorted(p.name for p in one.folder.iterdir())
    assert files == sorted(p.name for p in other.folder.iterdir())
    for name in files[::order]:
        assert (one.folder / name).read_bytes() == (other.folder / name).read_bytes(), name
