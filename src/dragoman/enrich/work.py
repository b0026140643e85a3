"""What the layers share while one turn is enriched: the spans to serve, the text, the settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from dragoman.enrich.cues import Cues
from dragoman.enrich.held import Held
from dragoman.index.term_values import ANOTHER, SHORT, TAXONOMY
from dragoman.index.terms import TermIndex
from dragoman.reading import Reading
from dragoman.text.context import denied
from dragoman.text.tokens import once
from dragoman.types import Candidate, Outcome, QueryFrame, Span, Value

FEATURES = {  # what `--without` may name beside layers → the first word of a candidate's `why`
    "morphology": ("inflection", "derivation"),
    "spelling": ("spelling",),
    "compounds": ("compound",),
    "abbreviations": (SHORT,),
    "fuzzy": ("fuzzy",),
    "condensing": (),  # finds no candidates: makes a long query short
    "offline": (),  # finds no candidates: without it the rules alone understand where there is no model
}


class EnrichSettings(Value, frozen=True, kw_only=True):
    """``[enrich]`` of the project.

    ``without`` names layers and features that are off; ``sparse_weight`` is the weight of an appended term in the
    sparse query, the person's words having 1.0.
    """

    max_terms: int = 3
    sparse_weight: float = 0.3
    without: frozenset[str] = frozenset()
    corpus_language: str = ""


@dataclass(slots=True)
class SpanWork:
    """One span of the turn: what it may mean, and what became of it."""

    span: Span
    text: str
    concepts: list[int] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)
    drugs: list[Candidate] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    negated: bool = False
    served: bool = False
    outcomes: dict[int, Outcome] = field(default_factory=dict)

    @property
    def short(self) -> bool:
        """Whether the span is an abbreviation."""
        return any((c.why or "").startswith(SHORT) for c in self.candidates)

    @property
    def qualified(self) -> bool:
        """Whether a word beside the span says that something else is meant."""
        return any((c.why or "").endswith(ANOTHER) for c in self.candidates)

    @property
    def via(self) -> str:
        """``compound`` where only a compound leads to the concept, else ``same_concept``."""
        return "compound" if all((c.why or "").startswith("compound") for c in self.candidates) else "same_concept"


@dataclass(slots=True)
class Offer:
    """A term that a layer would append. ``page``: what the question is about, rather than who looks after it."""

    term: str
    layer: str
    span: Span
    via: str
    entity: int | None = None
    concept: int | None = None
    page: bool = True
    score: float = 1.0
    why: str | None = None


class Work:
    """One turn in the making."""

    def __init__(
        self,
        reading: Reading,
        frame: QueryFrame | None,
        terms: TermIndex,
        settings: EnrichSettings,
        canonical_terms: Iterable[str],
    ) -> None:
        self.reading = reading
        self.frame = frame
        self.terms = terms
        self.settings = settings
        self.canonical_terms = tuple(canonical_terms)
        self.tokens = reading.tokens
        self.offers: list[Offer] = []
        self.ignored: list[str] = []
        self.frequent: set[str] = set()  # names that were not taken, for too many pages have them
        self.spans = self._spans() if reading.candidates else []

    @once
    def held(self) -> Held:
        """Asks the text what it holds."""
        return Held(self.tokens, self.terms)

    @once
    def cues(self) -> Cues:
        """Asks the text for cues."""
        return Cues(self.reading)

    def _spans(self) -> list[SpanWork]:
        found: dict[Span, SpanWork] = {}
        terms = self.terms
        off = tuple(word for name in self.settings.without for word in FEATURES.get(name, ()))
        for candidate in self.reading.candidates:
            if candidate.message != -1:
                continue
            if off and (candidate.why or "").startswith(off):
                continue
            work = found.get(candidate.span)
            if work is None:
                work = found[candidate.span] = SpanWork(candidate.span, candidate.text)
            if candidate.kind == "drug":
                work.drugs.append(candidate)
                continue
            work.candidates.append(candidate)
            if candidate.kind == "concept":
                number = terms.number(candidate.id, candidate.source)
                if number is not None:
                    work.concepts.append(number)
            elif candidate.source == TAXONOMY and (entity := terms.entity(candidate.id)) is not None:
                work.entities.append(entity)
        spans = self._without_nested(sorted(found.values(), key=lambda w: w.span))
        if spans and self.cues.may_negate:
            said = denied(self.tokens, [w.span for w in spans], self.reading.pack)
            for work, negated in zip(spans, said, strict=True):
                work.negated = negated
        return spans

    def _without_nested(self, spans: list[SpanWork]) -> list[SpanWork]:
        """A misspelt longer term or the terms inside it: the longer one where it leaves no doubt, for all its other
        words stand in the text."""
        if all(a.span.end <= b.span.start for a, b in pairwise(spans)):
            return spans
        dropped: set[Span] = set()
        for outer in spans:
            inner = [w for w in spans if w is not outer and outer.span.overlaps(w.span)]
            if not inner or not all(c.match == "fuzzy" for c in outer.candidates):
                continue
            sure = len(set(outer.concepts)) == 1 or (not outer.concepts and len(set(outer.entities)) == 1)
            dropped |= {w.span for w in inner} if sure else {outer.span}
        return [w for w in spans if w.span not in dropped]

    def rules(self, span: SpanWork) -> list[tuple[str, int | None, str]]:
        """The editor's rules on the span's words, unless they are switched off."""
        if "overrides" in self.settings.without:
            return []
        return self.terms.rules(span.text, self.reading.language)

    def on(self, layer: str) -> bool:
        """Whether a layer or feature is switched on."""
        return layer not in self.settings.without
