"""What a reply says of the patient, as far as the person's words bear it out.

Weights, figures and texts must stand in what the person wrote; what the text denies is not taken, whoever states it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dragoman.evidence.gather import Evidence
from dragoman.evidence.words import Place, key, place, written
from dragoman.reply import ReplyContext, ReplyEntry, ReplyOrgan
from dragoman.text.measures import weights
from dragoman.text.numbers import numbers
from dragoman.text.tokens import fold_key
from dragoman.types import Candidate, ContextEntry, Lab, OrganFunction, PatientContext


class Statements:
    """Reads a reply's statements against the evidence. ``note`` is told, in fixed words, of what is left out.

    ``shown`` are the drug candidates by id, ``by_key`` their ids by folded id and name.
    """

    def __init__(
        self,
        evidence: Evidence,
        shown: Mapping[str, Sequence[Candidate]],
        by_key: Mapping[str, str],
        note: Callable[[str], None],
    ) -> None:
        self.evidence = evidence
        self.messages = evidence.reading.messages
        self.shown = shown
        self.by_key = by_key
        self.note = note

    def weight(self, kg: float | None) -> float | None:
        """A weight whose figure the person wrote, or that follows from one they wrote in another unit."""
        if kg is None:
            return None
        pack = self.evidence.pack
        stated = {w.kg for _, tokens in self.messages for w in weights(tokens, pack)}
        if any(abs(kg - s) < 0.05 for s in stated):
            return kg
        converted = {
            w.span for _, tokens in self.messages for w in weights(tokens, pack) if not w.metric
        }  # a figure in pounds is no figure in kilograms
        if kg in numbers([tokens for _, tokens in self.messages]) and not converted:
            return kg
        self.note("a weight that nobody stated")
        return None

    def text(self, field: str, words: str | None) -> str | None:
        """``words`` whose tokens the person all wrote."""
        if words is None or written(words, self.messages):
            return words
        self.note(f"{field} that nobody stated")
        return None

    def context(self, said: ReplyContext) -> PatientContext:
        """The patient's context, each entry with the words that state it."""
        return PatientContext(
            comorbidities=self._entries("comorbidities", said.comorbidities),
            allergies=self._entries("allergies", said.allergies),
            adverse_reactions=self._entries("adverse_reactions", said.adverse_reactions),
            current_medications=self._entries("current_medications", said.current_medications),
            renal=self._organ("renal", said.renal),
            hepatic=self._organ("hepatic", said.hepatic),
            pregnancy=said.pregnancy,  # type: ignore[arg-type]
            labs=tuple(
                Lab(name=lab.name, value=lab.value, unit=lab.unit, text=lab.text)
                for lab in said.labs
                if self._figure("labs", lab.value)
            ),
        )

    def _entries(self, field: str, entries: Sequence[ReplyEntry]) -> tuple[ContextEntry, ...]:
        found: list[ContextEntry] = []
        for entry in entries:
            drug_id = self.by_key.get(key(entry.drug_id or entry.text))
            stated = place(entry.text, self.messages)
            if stated is None and drug_id is not None:
                candidate = self.shown[drug_id][0]
                stated = Place(candidate.message, candidate.span, candidate.text)
            if drug_id is None and stated is not None:
                drug_id = self._held(stated)
            if stated is None and not self._named_concept(entry.text):
                self.note(f"{field} that nobody stated")
                continue
            if stated is not None and self._denied(stated, field):
                self.note(f"{field} that the text denies")
                continue
            found.append(
                ContextEntry(
                    text=stated.text if stated else entry.text,
                    drug_id=drug_id,
                    message=stated.message if stated else -1,
                    span=stated.span if stated else None,
                )
            )
        return tuple({(e.text, e.drug_id): e for e in found}.values())

    def _held(self, stated: Place) -> str | None:
        """The drug that the words surely name."""
        ids = {
            d
            for d, cs in self.shown.items()
            for c in cs
            if c.message == stated.message and c.span == stated.span and c.match != "fuzzy"
        }
        return ids.pop() if len(ids) == 1 else None

    def _named_concept(self, words: str) -> bool:
        wanted = fold_key(words)
        return any(
            wanted in {fold_key(c.name), fold_key(c.text)} for c in self.evidence.reading.candidates if c.kind != "drug"
        ) or written(words, self.messages)

    def _denied(self, stated: Place, field: str) -> bool:
        """Whether the turn denies what the entry states: by the drug's role, or what is said of the condition."""
        if stated.message != -1:
            return False
        roles = {"denied", "relative", *({"past"} if field == "current_medications" else ())}
        return any(d.span.overlaps(stated.span) and d.role in roles for d in self.evidence.drugs) or (
            field == "comorbidities"
            and any(
                c.span.overlaps(stated.span) and bool(c.said.negated or c.said.family) and not c.said.uncertain
                for c in self.evidence.conditions
            )
            and not any(stated.span == e.span for e in self.evidence.patient.comorbidities)
        )

    def _organ(self, field: str, organ: ReplyOrgan | None) -> OrganFunction | None:
        if organ is None or not self._figure(field, organ.value):
            return None
        return OrganFunction(
            status=organ.status,  # type: ignore[arg-type]
            value=organ.value,
            unit=organ.unit,
            measure=organ.measure,
            text=organ.text,
        )

    def _figure(self, field: str, figure: float | None) -> bool:
        if figure is None or figure in numbers([tokens for _, tokens in self.messages]):
            return True
        self.note(f"{field} with a figure that nobody stated")
        return False
