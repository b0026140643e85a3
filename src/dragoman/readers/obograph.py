"""Format ``obograph``: ontologies as OBO Graphs JSON: a file, or a folder or zip with ``.json`` files.

What an ontology says is taken as by format ``obo``, with the same options; addresses become the identifiers of OBO
files (``http://purl.obolibrary.org/obo/HP_0000001`` is ``HP:0000001``), so that translations find them. Only classes
are concepts. An ontology often holds classes of others: ``prefixes`` leaves them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from dragoman.errors import DataError
from dragoman.protocols import ConceptRow, MapRow, RelationRow, Report, Row, Source
from dragoman.readers.obo import NO_NAME, REPEATED
from dragoman.readers.ontology import OPTIONS, Ontology, files, system_of
from dragoman.readers.sources import Entry, read_bytes
from dragoman.readers.values import EMPTY_ID, Options

_PURL = re.compile(r"https?://purl\.obolibrary\.org/obo/(?:\w+#)?([A-Za-z]+)_(\w+)\Z")
_BYTE = re.compile(r"\(byte (\d+)\)")
_ALTERNATIVE = "hasAlternativeId"
BAD_NODE = "the node is not one of OBO Graphs"
BAD_EDGE = "the edge is not one of OBO Graphs"


class _Value(msgspec.Struct):
    """A cross-reference, or a property's value."""

    val: str = ""
    pred: str = ""


class _Synonym(msgspec.Struct, rename="camel"):
    val: str = ""
    pred: str = "hasRelatedSynonym"
    synonym_type: str | None = None


class _Meta(msgspec.Struct, rename="camel"):
    synonyms: list[_Synonym] = []
    xrefs: list[_Value] = []
    deprecated: bool = False
    basic_property_values: list[_Value] = []


class _Node(msgspec.Struct):
    id: str
    lbl: str | None = None
    type: str | None = None
    meta: _Meta | None = None


class _Edge(msgspec.Struct):
    sub: str
    pred: str
    obj: str


class _Graph(msgspec.Struct):
    meta: Any = None
    nodes: list[msgspec.Raw] = []
    edges: list[msgspec.Raw] = []


class _Document(msgspec.Struct):
    graphs: list[_Graph]


T = TypeVar("T")


def read(source: Source, report: Report) -> Iterator[Row]:
    """Read graphs; see the module. Raises ``DataError`` and ``ConfigError``."""
    options = Options(source, *OPTIONS)
    return _Graphs(source, report, options).rows(files(source, options, ".json"))


class _Graphs(Ontology):
    def rows(self, found: list[Entry]) -> Iterator[Row]:
        for entry in found:
            document = _document(entry)
            self.report.read(entry.path)
            for graph in document.graphs:
                version = graph.meta.get("version") if isinstance(graph.meta, dict) else None
                if isinstance(version, str) and version:
                    self.versions.add(version)
                yield from self._graph(str(entry), graph)
        if not self.ids and not self.report.rejected:
            raise DataError("there is no class", where=str(found[0]), advice="format obograph reads OBO Graphs JSON")
        for old in self.merged:
            if old not in self.ids:
                self.report.skip("merged id (alternative id)")
                yield ConceptRow(old, False)
        self.report.version = ", ".join(sorted(self.versions)) or None

    def _each(self, source: str, raws: list[msgspec.Raw], type_: type[T], fault: str) -> Iterator[T]:
        decoder = msgspec.json.Decoder(type_)
        for raw in raws:
            try:
                yield decoder.decode(raw)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self.report.reject(source, 0, fault)

    def _graph(self, source: str, graph: _Graph) -> Iterator[Row]:
        properties: dict[str, str] = {}
        mine: set[str] = set()
        for node in self._each(source, graph.nodes, _Node, BAD_NODE):
            id_ = identifier(node.id)
            if node.type == "PROPERTY":
                properties[id_] = "_".join((node.lbl or "").split())
            elif node.type == "CLASS" and self._wanted(id_):
                if id_ in self.ids:
                    if self.ids[id_] == source:
                        self.report.reject(source, 0, REPEATED)
                    else:
                        self.report.skip("term that an earlier file has as well")
                    continue
                self.ids[id_] = source
                mine.add(id_)
                yield from self._node((source, 0), id_, node)
        for edge in self._each(source, graph.edges, _Edge, BAD_EDGE):
            ends, type_ = (identifier(edge.sub), identifier(edge.obj)), identifier(edge.pred)
            if not all(ends) or not type_:
                self.report.reject(source, 0, EMPTY_ID)
            elif ends[0] in mine and ends[0] != ends[1]:
                type_ = self.relations.get(type_) or properties.get(type_) or type_
                yield RelationRow(ends[0], self.relations.get(type_, type_), ends[1])

    def _wanted(self, id_: str) -> bool:
        if not id_:
            return False
        if self.prefixes is not None and id_.partition(":")[0] not in self.prefixes:
            self.report.skip("term of another prefix")
            return False
        return True

    def _node(self, place: tuple[str, int], id_: str, node: _Node) -> Iterator[Row]:
        meta = node.meta or _Meta()
        yield ConceptRow(id_, not meta.deprecated, self.kind)
        if meta.deprecated:
            self.report.skip("obsolete term")
            return
        if not node.lbl:
            self.report.reject(*place, NO_NAME)
        elif row := self.gate.term(place, id_, node.lbl, self.language, "preferred"):
            yield row
        for synonym in meta.synonyms:
            scope = synonym.pred.rpartition("#")[2].removeprefix("has").removesuffix("Synonym").upper()
            type_ = self.synonyms.type_of(scope, synonym.synonym_type, self.report)
            row = self.gate.term(place, id_, synonym.val, self.language, type_) if type_ else None
            if row:
                yield row
        for xref in meta.xrefs:
            prefix, _, target = xref.val.partition(":")
            if prefix and target and not target.startswith("//"):
                yield MapRow(id_, system_of(prefix, self.systems), target)
            else:
                self.report.skip("cross-reference to no coding system")
        for value in meta.basic_property_values:
            if value.pred.rpartition("#")[2] == _ALTERNATIVE and value.val:
                self.merged.append(identifier(value.val))


def identifier(address: str) -> str:
    """An OBO address as an OBO identifier; anything else as it is."""
    found = _PURL.match(address)
    return f"{found[1]}:{found[2]}" if found else address


def _document(entry: Entry) -> _Document:
    raw = read_bytes(entry)
    try:
        return msgspec.json.decode(raw.removeprefix(b"\xef\xbb\xbf"), type=_Document)
    except msgspec.ValidationError as error:
        raise DataError(f"is not OBO Graphs JSON ({error})", where=str(entry), advice="see format obograph") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        found = _BYTE.search(str(error))
        line = raw.count(b"\n", 0, int(found[1])) + 1 if found else 0
        where = f"{entry}:{line}" if line else str(entry)
        raise DataError(f"is not JSON ({error})", where=where, advice="fetch the file again") from None
