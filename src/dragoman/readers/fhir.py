"""Format ``fhir``: CodeSystem, ValueSet and ConceptMap resources, as JSON, NDJSON or XML.

Concepts, displays and designations become terms; nested concepts and the properties ``parent`` and ``child`` become
relations; ConceptMap rows that say the two are the same become maps. Placeholders such as ``---`` are no terms. Filters
are not expanded: a ValueSet that only says which codes it means needs its expansion.

A terminology is one code system, and its ids are the codes. Where the files use several, ``system`` names the one to
take; ``system = "*"``, or a list, takes several and writes ids ``system|code``.

Other options: ``language`` of displays whose resource does not tell it (default: that of a designation with the same
text, else ``en``, which is noted); ``semantic_type``; ``systems``: other names for the code systems that maps lead to;
``files``. A SNOMED CT display that is a fully specified name is one, and gives the name without its tag as well where
the resource has no other in that language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from dragoman.errors import DataError
from dragoman.protocols import ConceptRow, MapRow, RelationRow, Report, Row, Source
from dragoman.readers.fhir_files import ENDINGS, Node, many, one, resources
from dragoman.readers.sources import Entry
from dragoman.readers.values import EMPTY_ID, Gate, Options, data, semantic_tag

Place = tuple[str, int]
KINDS = ("CodeSystem", "ValueSet", "ConceptMap")


def read(source: Source, report: Report) -> Iterator[Row]:
    """Read resources; see the module. Raises ``DataError`` and ``ConfigError``."""
    options = Options(source, "system", "systems", "language", "semantic_type", "files")
    found, _ = options.entries()
    found = [e for e in found if e.name.lower().endswith(ENDINGS)]
    if not found:
        raise DataError("there is no .json, .ndjson or .xml file", where=str(source.path), advice="correct `path`")
    return _Resources(source, report, options, found).rows()


class _Resources:
    def __init__(self, source: Source, report: Report, options: Options, found: list[Entry]) -> None:
        self.path = source.path
        self.report = report
        self.gate = Gate(source, report)
        self.found = found
        self.wanted = options.texts("system")
        self.systems = {**data("fhir")["systems"], **options.names("systems")}
        self.language = options.language(None)
        self.kind = options.text("semantic_type")
        self.several = self.wanted is not None and (len(self.wanted) > 1 or "*" in self.wanted)
        self.states: dict[str, bool] = {}
        self.given: set[tuple[str, ...]] = set()
        self.versions: set[str] = set()

    def rows(self) -> Iterator[Row]:
        systems = self._survey()
        if self.wanted is None:
            if len(systems) > 1:
                names = ", ".join(f"{name} ({count} codes)" for name, count in systems.most_common(5))
                more = f" and {len(systems) - 5} more" if len(systems) > 5 else ""
                raise DataError(
                    f"there are codes of {len(systems)} code systems: {names}{more}",
                    where=str(self.path),
                    advice=f"set system = {systems.most_common(1)[0][0]!r}, or another of them, or '*'",
                )
            self.wanted = tuple(systems)
        elif not self.several and not set(self.wanted) & set(systems):
            have = ", ".join(name for name, _ in systems.most_common(5)) or "none"
            raise DataError(f"no code of {self.wanted[0]}", where=str(self.path), advice=f"code systems here: {have}")
        any_row = False
        for place, resource in self._all(self.report):
            for row in self._resource(place, resource):
                any_row = True
                yield row
        if not any_row and not self.report.rejected:
            raise DataError(
                "no resource lists a concept, or maps one to the same",
                where=str(self.path),
                advice="give a CodeSystem with its concepts, or a ValueSet with its expansion",
            )
        self.report.version = next(iter(self.versions)) if len(self.versions) == 1 else None

    def _all(self, report: Report) -> Iterator[tuple[Place, Node]]:
        for entry in self.found:
            for line, resource in resources(entry, report):
                if resource.get("resourceType") in KINDS:
                    report.read(entry.path)
                    yield (str(entry), line), resource
                else:
                    report.skip("JSON or XML that is no CodeSystem, ValueSet or ConceptMap")

    def _survey(self) -> Counter[str]:
        """How many codes each system has, ordered so that equal counts do not depend on the order of files."""
        codes: Counter[str] = Counter()
        maps: Counter[str] = Counter()
        for _, resource in self._all(Report()):
            for system, concepts in _listed(resource):
                codes[system] += sum(1 for _ in concepts)
            for group in many(resource, "group"):
                maps[_plain(one(group, "source"))] += len(many(group, "element"))
        counts = codes or maps
        names = [name for name in sorted(counts) if counts[name]]
        real = [name for name in names if self.wanted or name not in data("fhir")["left_out"]["systems"]]
        return Counter({name: counts[name] for name in real or names})

    def _id(self, system: str, code: str) -> str | None:
        """The concept's id, or None where its system is not wanted."""
        wanted = self.wanted or ()
        if system not in wanted and "*" not in wanted:
            return None
        return f"{system}|{code}" if self.several else code

    def _resource(self, place: Place, resource: Node) -> Iterator[Row]:
        if resource["resourceType"] == "ConceptMap":
            yield from self._concept_map(place, resource)
            return
        language = self.language or one(resource, "language")
        counted = 0
        for system, concepts in _listed(resource):
            if self._id(system, "") is None:
                counted += sum(1 for _ in concepts)
                continue
            self._version(system, resource)
            for concept, parent in concepts:
                yield from self._concept(place, system, concept, parent, language, resource)
        if counted:
            self.report.skip("concept of another code system", counted)
        if any(many(include, "filter") for part in many(resource, "compose") for include in many(part, "include")):
            self.report.skip("part of a ValueSet that is given by a filter")

    def _version(self, system: str, resource: Node) -> None:
        versions = {one(resource, "version")} if resource["resourceType"] == "CodeSystem" else set()
        for part in many(resource, "compose"):
            versions |= {one(i, "version") for i in many(part, "include") if one(i, "system") == system}
        self.versions |= {version.rstrip("/").rpartition("/")[2] for version in versions if version}

    def _concept(
        self, place: Place, system: str, concept: Node, parent: str, language: str, resource: Node
    ) -> Iterator[Row]:
        id_ = self._id(system, one(concept, "code"))
        if not id_ or not one(concept, "code"):
            self.report.reject(*place, EMPTY_ID)
            return
        active = not _retired(concept)
        terms = self._terms(system, concept, language)
        kind = next((semantic_tag(text) for text, _, type_ in terms if type_ == "fsn"), None) or self.kind
        if self.states.get(id_) is None or (self.states[id_] and not active):
            self.states[id_] = active
            yield ConceptRow(id_, active, kind)
        if not active:
            self.report.skip("inactive concept")
            return
        for text, tag, type_ in terms:
            row = self.gate.term(place, id_, text, tag, type_)
            if row and (key := (id_, row.term, row.language, row.type)) not in self.given:
                self.given.add(key)
                yield row
        for child, type_, target in self._relations(concept, parent, resource):
            ends = (self._id(system, child) or "", type_, self._id(system, target) or "")
            if ends not in self.given and ends[0] != ends[2]:
                self.given.add(ends)
                yield RelationRow(*ends)

    def _relations(self, concept: Node, parent: str, resource: Node) -> Iterator[tuple[str, str, str]]:
        code = one(concept, "code")
        nested = data("fhir")["hierarchy"].get(one(resource, "hierarchyMeaning"))
        if parent and nested:
            yield code, nested, parent
        for key, value in _properties(concept):
            if key == "parent" and value:
                yield code, "is_a", value
            elif key == "child" and value:
                yield value, "is_a", code

    def _terms(self, system: str, concept: Node, language: str) -> list[tuple[str, str, str]]:
        """``(text, language, type)`` of the display and the designations."""
        uses, display = data("fhir")["uses"], one(concept, "display")
        terms: list[tuple[str, str, str]] = []
        for designation in many(concept, "designation"):
            text, tag = one(designation, "value"), one(designation, "language") or language
            type_ = next((uses.get(one(use, "code"), "synonym") for use in many(designation, "use")), "synonym")
            if not type_:
                self.report.skip("text definition")
            elif not any(char.isalnum() for char in text):
                self.report.skip("placeholder without a letter or digit")
            elif text == display and (tag == language or not language):
                language = tag  # what the display is, the designation tells
            else:
                terms.append((text, tag, type_))
        if not any(char.isalnum() for char in display):
            return [(text, tag or self._assumed(), type_) for text, tag, type_ in terms]
        tag = language or self._assumed()
        terms = [(text, own or tag, type_) for text, own, type_ in terms]
        if system == data("fhir")["snomed"]["system"] and semantic_tag(display) in data("fhir")["snomed"]["tags"]:
            if not any(own == tag and type_ != "fsn" for _, own, type_ in terms):
                self.report.note("names taken from fully specified names")
                terms.insert(0, (display.rpartition(" (")[0], tag, "preferred"))
            return [(display, tag, "fsn"), *(t for t in terms if t != (display, tag, "fsn"))]
        return [(display, tag, "preferred"), *terms]

    def _assumed(self) -> str:
        self.report.note("displays without a language, taken as English")
        return "en"

    def _concept_map(self, place: Place, resource: Node) -> Iterator[Row]:
        same = data("fhir")["equivalence"]["same"]
        for group in many(resource, "group"):
            system, target_system = _plain(one(group, "source")), _plain(one(group, "target"))
            for element in many(group, "element"):
                code = one(element, "code")
                id_ = self._id(system, code)
                if id_ is None:
                    self.report.skip("map row of another code system")
                    continue
                for target in many(element, "target"):
                    relation = one(target, "equivalence") or one(target, "relationship") or "equivalent"
                    if relation not in same:
                        self.report.skip(f"map row that is not the same concept ({relation})")
                    elif not code or not target_system or not one(target, "code"):
                        self.report.reject(*place, EMPTY_ID)
                    else:
                        yield MapRow(id_, self.systems.get(target_system, target_system), one(target, "code"))


def _plain(canonical: str) -> str:
    """A canonical address without its version."""
    return canonical.partition("|")[0]


def _listed(resource: Node) -> Iterator[tuple[str, Iterator[tuple[Node, str]]]]:
    """``(system, (concept, code of the one it stands in) ...)`` of a CodeSystem or ValueSet."""
    if resource["resourceType"] == "CodeSystem":
        supplements = one(resource, "supplements") if one(resource, "content") == "supplement" else ""
        yield _plain(supplements or one(resource, "url")), _flat(many(resource, "concept"), "concept")
        return
    for part in many(resource, "compose"):
        excluded = {(one(e, "system"), one(c, "code")) for e in many(part, "exclude") for c in many(e, "concept")}
        for include in many(part, "include"):
            yield one(include, "system"), _included(include, excluded)
    for part in many(resource, "expansion"):
        concepts = many(part, "contains")
        for system in dict.fromkeys(one(c, "system") for c, _ in _flat(concepts, "contains") if one(c, "code")):
            yield system, _of_system(concepts, system)


def _included(include: Node, excluded: set[tuple[str, str]]) -> Iterator[tuple[Node, str]]:
    system = one(include, "system")
    return ((c, "") for c in many(include, "concept") if (system, one(c, "code")) not in excluded)


def _of_system(concepts: Sequence[Node], system: str) -> Iterator[tuple[Node, str]]:
    """The concepts of an expansion that are of one code system; what they stand in says nothing of them."""
    for concept, _ in _flat(concepts, "contains"):
        if one(concept, "code") and one(concept, "system") == system:
            yield concept, ""


def _flat(concepts: Sequence[Node], key: str) -> Iterator[tuple[Node, str]]:
    """The concepts of a tree in their order, each with the code of its parent."""
    stack = [(iter(concepts), "")]
    while stack:
        level, parent = stack[-1]
        concept = next(level, None)
        if concept is None:
            stack.pop()
            continue
        yield concept, parent
        stack.append((iter(many(concept, key)), one(concept, "code")))


def _properties(concept: Node) -> Iterator[tuple[str, str]]:
    for item in many(concept, "property"):
        value = next((key for key in item if key.startswith("value")), "")
        yield one(item, "code"), one(item, value)


def _retired(concept: Node) -> bool:
    """The property ``inactive`` decides, else the property ``status``; in an expansion it is the concept's own."""
    known = dict(_properties(concept))
    flag = known.get("inactive") or one(concept, "inactive")
    return flag == "true" if flag else known.get("status", "") in data("fhir")["status"]["inactive"]
