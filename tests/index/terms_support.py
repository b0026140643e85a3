"""A small hospital of made-up numbers, built in memory: what the tests of terms and enrichment share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dragoman import folder
from dragoman.enrich import Enriched, EnrichSettings, enrich
from dragoman.folder import Language
from dragoman.index.arrays import Part, Writer
from dragoman.index.found import Found
from dragoman.index.layers import Over
from dragoman.index.pages_build import compile_pages
from dragoman.index.terms import TermIndex
from dragoman.index.terms_build import compile_terms
from dragoman.index.terms_report import TermReport, together
from dragoman.protocols import ConceptRow, MapRow, RelationRow, Row, Source, TermRow
from dragoman.readers.deployment import Entity, EntityRelation, Override, Taxonomy
from dragoman.reading import Reading
from dragoman.steps.candidates import covered, settle
from dragoman.text.tokens import tokenize
from dragoman.types import Candidate, QueryFrame, Scope, Turn

# id: semantic tag | Dutch terms, preferred first | English terms | parents | sites
CONCEPTS = {
    "top": "aandoening|aandoening|disorder||",
    "complaint": "klinische bevinding|klinische bevinding|clinical finding||",
    "act": "verrichting|verrichting|procedure||",
    "heart": "lichaamsstructuur|hart;cor|heart||",
    "valve": "lichaamsstructuur|hartklep|heart valve|heart|",
    "brain": "lichaamsstructuur|hersenen;cerebrum|brain||",
    "knee": "lichaamsstructuur|knie|knee||",
    "hip": "lichaamsstructuur|heup|hip||",
    "thyroid": "lichaamsstructuur|schildklier;thyroidea|thyroid||",
    "skin": "lichaamsstructuur|huid|skin||",
    "ear": "lichaamsstructuur|oor|ear||",
    "kidney": "lichaamsstructuur|nier|kidney||",
    "lung": "lichaamsstructuur|long|lung||",
    "hypo": "aandoening|hypothyreoïdie;hypothyroïdie|hypothyroidism|top|thyroid",
    "hyper": "aandoening|hyperthyreoïdie|hyperthyroidism|top|thyroid",
    "graves": "aandoening|ziekte van Graves|Graves' disease|hyper|thyroid",
    "epilepsy": "aandoening|epilepsie;vallende ziekte|epilepsy|top|brain",
    "fit": "bevinding|epileptische aanval|epileptic seizure|complaint|brain",
    "gallstone": "aandoening|cholelithiasis;galsteen|gallstones|top|",
    "kidneystone": "aandoening|nefrolithiasis;niersteen|kidney stone|top|kidney",
    "arthrosis": "aandoening|artrose|osteoarthritis|top|",
    "gonarthrosis": "aandoening|gonartrose|osteoarthritis of knee|arthrosis|knee",
    "stroke": "aandoening|cerebrovasculair accident;CVA|stroke|top|brain",
    "ms1": "aandoening|multiple sclerose;MS|multiple sclerosis|top|brain",
    "ms2": "aandoening|mitralisklepstenose;MS|mitral stenosis|top|valve",
    "endocarditis": "aandoening|endocarditis|endocarditis|top|heart",
    "af": "aandoening|atriumfibrilleren;AF|atrial fibrillation|top|heart",
    "fracture": "aandoening|fractuur|fracture|top|",
    "prostate": "aandoening|benigne prostaathyperplasie;BPH|benign prostatic hyperplasia|top|",
    "eczema": "aandoening|eczeem|eczema|top|skin",
    "hives": "aandoening|urticaria;galbulten|hives;urticaria|top|skin",
    "dyslipidemia": "aandoening|dyslipidemie|dyslipidaemia|top|",
    "retired": "aandoening|hysterie|hysteria|top|",
    "myeloma": "aandoening|multipel myeloom|multiple myeloma|top|",
    "miyoshi": "aandoening|Miyoshi-myopathie;MM|Miyoshi myopathy|top|",
    "neoplasia": "aandoening|multipele endocriene neoplasie|multiple endocrine neoplasia;men|top|",
    "vomiting": "bevinding|emesis;overgeven|vomiting|complaint|",
    "snoring": "bevinding|ronchopathie;snurken|snoring|complaint|",
    "tinnitus": "bevinding|tinnitus|tinnitus|complaint|ear",
    "dizzy": "bevinding|vertigo;duizeligheid|dizziness|complaint|",
    "fever": "bevinding|febris;koorts|fever|complaint|",
    "pneumonia": "aandoening|pneumonie;longontsteking|pneumonia|top|lung",
    "kneeprosthesis": "verrichting|TKP - totale knieprothese|total knee replacement|act|knee",
}
# id: type | name | concepts | synonyms | status
ENTITIES = {
    "cardio": "department|Cardiologie|heart||published",
    "neuro": "department|Neurologie|brain||published",
    "surgery": "department|Neurochirurgie|||published",
    "endo": "department|Endocrinologie|thyroid||published",
    "bones": "department|Orthopedie|||published",
    "skins": "department|Huidziekten|skin|dermatologie|published",
    "ent": "department|Neus-, keel- en oorziekten||NKO|published",
    "guts": "department|Maag-, darm- en leverziekten|||published",
    "sleep": "department|Slaapkliniek|||draft",
    "slow": "condition|Te traag werkende schildklier|hypo||published",
    "fast": "condition|Te snel werkende schildklier|hyper||published",
    "seizures": "condition|Epilepsie|epilepsy;fit||published",
    "stones": "condition|Galstenen|gallstone||published",
    "kidneystones": "condition|Nierstenen|kidneystone||published",
    "wear": "condition|Gewrichtsslijtage|arthrosis||published",
    "beroerte": "condition|Beroerte|stroke||published",
    "sclerosis": "condition|Multiple sclerose|ms1||published",
    "valves": "condition|Vernauwde mitralisklep|ms2||published",
    "flutter": "condition|Voorkamerfibrillatie|af||published",
    "break": "condition|Botbreuk|fracture||published",
    "prostates": "condition|Vergrote prostaat|prostate||published",
    "rash": "condition|Eczeem|eczema||published",
    "nettle": "condition|Netelroos|hives||published",
    "throw": "symptom|Braken|vomiting||published",
    "snore": "symptom|Snurken|snoring||published",
    "buzz": "symptom|Oorsuizen|tinnitus|piep in het oor|published",
    "spin": "symptom|Duizeligheid|dizzy||published",
    "hot": "symptom|Koorts|fever||published",
    "lungs": "condition|Longontsteking|pneumonia||published",
    "knees": "procedure|Knieprothese|kneeprosthesis||published",
    "doctor": "doctor|Dr. A. Verzonnen|||published",
}
RELATIONS = (
    "neuro TREATS seizures,surgery TREATS seizures,guts TREATS stones,bones TREATS wear,neuro TREATS beroerte,"
    "neuro TREATS sclerosis,cardio TREATS valves,cardio TREATS flutter,bones TREATS break,ent TREATS snore,"
    "ent TREATS buzz,guts TREATS throw,bones PERFORMS knees,endo TREATS slow,skins TREATS rash,sleep TREATS snore,"
    "doctor WORKS_IN cardio"
)


def rows() -> Iterator[Row]:
    for id_, line in CONCEPTS.items():
        tag, dutch, english, parents, sites = line.split("|")
        yield ConceptRow(id_, id_ != "retired", None)
        for language, terms in (("nl", dutch.split(";")), ("en", english.split(";"))):
            for place, term in enumerate(terms):
                yield TermRow(id_, term, language, "synonym" if place else "preferred")
        yield TermRow(id_, f"{dutch.split(';')[0].rpartition(' - ')[2]} ({tag})", "nl", "fsn")
        for kind, targets in (("is_a", parents), ("finding_site", sites)):
            for target in filter(None, targets.split(";")):
                yield RelationRow(id_, kind, target)


def taxonomy() -> Taxonomy:
    entities = []
    for id_, line in ENTITIES.items():
        type_, name, concepts, synonyms, status = line.split("|")
        entities.append(
            Entity(
                entity_id=id_,
                type=type_,
                name=name,
                language="nl",
                status=status,
                concept_ids=tuple(filter(None, concepts.split(";"))),
                synonyms=tuple(filter(None, synonyms.split(";"))),
            )
        )
    relations = [
        EntityRelation(source_id=a, relation=r, target_id=b) for a, r, b in map(str.split, RELATIONS.split(","))
    ]
    return Taxonomy(entities=tuple(entities), relations=tuple(relations))


def packs(*codes: str) -> list[Language]:
    return [folder.language(code) for code in (*codes, "mul")]


NONE = Taxonomy()


class World:
    """An index with the ways to ask it."""

    def __init__(
        self,
        place: Path,
        sources: Iterable[tuple[str, Iterable[Row]]],
        taxonomy: Taxonomy = NONE,
        codes: Sequence[str] = ("nl", "en"),
        overrides: Sequence[Override] = (),
        without: Iterable[str] = (),
    ) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self.packs = packs(*codes)
        given = [(Source(name=name, format="csv", path=place), iter(list(found))) for name, found in sources]
        shared, own = place / "shared", place / "own"
        shared.mkdir()
        own.mkdir()
        below = compile_terms(given, self.packs, Writer(shared), frozenset(without))
        over = compile_pages(taxonomy, self.packs, Writer(own), Part(shared), overrides, frozenset(without))
        self.report: TermReport = together(below, over)
        self.terms = TermIndex.open(Over(Part(shared), Part(own)), self.packs)
        self.settings = EnrichSettings(corpus_language=codes[0])

    def found(self, text: str) -> Found:
        tokens = tokenize(text)
        sure = settle([self.terms.match(tokens, -1)])
        near = self.terms.near(tokens, -1, covered(sure), sure.candidates)
        return settle([sure, near]) if near.candidates or near.mentions or near.doubts else sure

    def candidates(self, text: str) -> list[Candidate]:
        return list(self.found(text).candidates)

    def ids(self, text: str) -> set[str]:
        return {c.id for c in self.candidates(text)}

    def reading(self, text: str, language: str | None = None, subject: str = "human") -> Reading:
        found = self.found(text)
        return Reading(
            turn=Turn(text),
            language=language or self.packs[0].code,
            languages=tuple(self.packs[:-1]),
            scope=Scope(subject=subject),  # type: ignore[arg-type]
            messages=((-1, tokenize(text)),),
            candidates=found.candidates,
            mentions=found.mentions,
        )

    def enrich(
        self,
        text: str,
        frame: QueryFrame | None = None,
        *,
        language: str | None = None,
        subject: str = "human",
        without: Iterable[str] = (),
        max_terms: int = 3,
        canonical: Iterable[str] = (),
    ) -> Enriched:
        settings = EnrichSettings(corpus_language=self.packs[0].code, without=frozenset(without), max_terms=max_terms)
        return enrich(self.reading(text, language, subject), frame, self.terms, None, settings, canonical)

    def added(self, text: str, frame: QueryFrame | None = None, **more: object) -> list[str]:
        return [e.term for e in self.enrich(text, frame, **more).enrichment.expansions]  # type: ignore[arg-type]


def hospital(place: Path, overrides: Sequence[Override] = ()) -> World:
    return World(place, [("made", rows())], taxonomy(), overrides=overrides)


__all__ = ["ConceptRow", "MapRow", "RelationRow", "TermRow", "World", "hospital", "packs", "rows", "taxonomy"]
