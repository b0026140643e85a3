"""The compiled vocabularies that answer: one opened generation of an index."""

from __future__ import annotations

from pathlib import Path

from dragoman import folder
from dragoman.errors import IndexUnusable
from dragoman.index import pack_tables, shared, store
from dragoman.index.arrays import Part
from dragoman.index.drugs import DrugIndex
from dragoman.index.layers import Over
from dragoman.index.terms import TermIndex
from dragoman.project import Project
from dragoman.types import IndexInfo


class Vocabularies:
    """One opened generation of the index: immutable, shared by threads, mapped by processes.

    ``without``: ways to find terms that it was built without.
    """

    def __init__(self, place: Path, project: Project) -> None:
        self.place = place
        self.manifest = store.read_manifest(place)
        if self.manifest.rules != folder.digest(project.packs):
            raise IndexUnusable("was built with other language packs than those at hand", where=str(place))
        if self.manifest.shared is None:
            raise IndexUnusable("is no generation of an index", where=str(place))
        self.without = frozenset(self.manifest.without)
        self._shared = shared.opened(place / self.manifest.shared.at)  # held, so that others find it open
        pack_tables.lend(self._shared.folder, project.packs)
        own = Part(place, self._shared)
        try:
            self.terms = TermIndex.open(Over(self._shared, own), project.packs)
            self.drugs = DrugIndex.open(own, project.packs)
        except (ValueError, TypeError, LookupError):  # arrays of another shape than this version writes
            raise IndexUnusable("its parts are not those that this version reads", where=str(place)) from None
        self.info: IndexInfo = self.manifest.info

    def drug_name(self, drug_id: str) -> str | None:
        """The drug's own display name."""
        return self.drugs.name(drug_id)

    def concept_name(self, concept_id: str) -> str | None:
        """The concept's preferred term in the corpus language, else in any."""
        return self.terms.concept_name(concept_id)

    def entity_name(self, entity_id: str) -> str | None:
        """The name of a published entity."""
        return self.terms.entity_name(entity_id)
