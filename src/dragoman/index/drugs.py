"""The drug resolver at run time: which stretches of a text name a drug of the catalogue, and how surely.

``match`` finds what is equal after folding (``exact``) or under the spelling rules (``variant``); ``near`` what is
close to a name (``fuzzy``, only ever a question) in the words that nothing holds, and words that are the name of some
drug the catalogue lacks. Both read the arrays that ``index.drugs_build`` wrote, so that the same text gives the same
answer in any process.

How a line is read: its tokens are rewritten to canonical forms in one go, and the line is looked at without its spaces.
At each token's beginning the next five letters are looked up in a table of flags that turns most words away; where some
name begins so, the lengths of such names say which stretches to look up. Joined and split names need no effort of their
own. What is found is then checked against the text (``index.drugs_check``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xxhash import xxh3_64_intdigest

from dragoman.folder import Language
from dragoman.index.arrays import Part
from dragoman.index.drugs_check import Checker
from dragoman.index.drugs_evidence import Evidence
from dragoman.index.drugs_near import Nearby
from dragoman.index.drugs_partners import with_partners
from dragoman.index.drugs_products import in_doubt, whole_products, without_analytes, without_salts
from dragoman.index.drugs_spoken import spoken
from dragoman.index.drugs_store import HEAD, KINDS, LONGEST, NO_DRUG, Arrays, Stretch, beginning
from dragoman.index.drugs_words import merge_words
from dragoman.index.found import Found
from dragoman.text.tokens import Tokens, fold_key
from dragoman.types import Candidate, Mention, Span

SOURCE = "catalog"
_FARTHEST = 4 * LONGEST


class DrugIndex:
    """The drug part of an opened index. Immutable; safe to share between threads."""

    def __init__(self, part: Part, languages: Sequence[Language]) -> None:
        words = merge_words(languages)
        self._arrays = Arrays(part)
        self._evidence = Evidence(words)
        self._checker = Checker(self._arrays, self._evidence)
        self._nearby = Nearby(part, self._arrays, self._checker, words)

    @classmethod
    def open(cls, part: Part, languages: Sequence[Language]) -> DrugIndex:
        """Map the drug part of an index that was built with the packs ``languages``."""
        return cls(part, languages)

    # --- names ---

    def __len__(self) -> int:
        return len(self._arrays.ids)

    def drugs(self) -> Iterator[tuple[str, str]]:
        """``(drug_id, name)`` of every drug, in the catalogue's order."""
        return zip(self._arrays.ids, self._arrays.names, strict=True)

    def name(self, drug_id: str) -> str | None:
        """The drug's own display name."""
        number = self._arrays.number.get(drug_id)
        return None if number is None else self._arrays.names[number[0]]

    def aliases(self, drug_id: str) -> tuple[str, ...]:
        """The drug's names as they are shown: its own, then by display rank, generic before brand, file order."""
        a = self._arrays
        number = a.number.get(drug_id)
        return () if number is None else tuple(a.text[i] for i in a.aliases[number[0]])

    def lookup(self, term_or_id: str) -> list[dict[str, Any]]:
        """The drugs that an id or a name (in any spelling that the rules allow) stands for, with all their names."""
        a = self._arrays
        numbers = list(a.number.get(term_or_id) or ())
        key = fold_key(term_or_id)
        if not numbers and key:
            aliases = a.exact.get(key) or [a.entry_alias[e] for e in a.keys.get(a.written.joined(key)) or ()]
            numbers = sorted({d for i in aliases if (d := a.drug[i]) != NO_DRUG})
        return [
            {
                "id": a.ids[n],
                "name": a.names[n],
                "aliases": [{"alias": a.text[i], "kind": KINDS[a.kind[i]]} for i in a.aliases[n]],
                "confusable_with": [a.confusable_name[c] for c in a.confusable[n]],
            }
            for n in numbers
        ]

    def listed(self, name: str) -> str | None:
        """The known-names list's own spelling of a name that the catalogue lacks; ``None`` where no list has it."""
        a = self._arrays
        key = fold_key(name)
        if not key:
            return None
        aliases = a.exact.get(key) or [a.entry_alias[e] for e in a.keys.get(a.written.joined(key)) or ()]
        return next((a.text[i] for i in aliases if a.drug[i] == NO_DRUG), None)

    # --- exact and variant ---

    def match(self, tokens: Tokens, message: int = -1) -> Found:
        """Every name in ``tokens`` that is exact or a variant, the longest where several overlap.

        ``mentions`` has also what is a name and no drug of the catalogue (``unknown``, ``class``) and what was turned
        down (``suppressed``), each with its reason.
        """
        keys = tokens.keys
        if not keys:
            return Found()
        a, words = self._arrays, self._evidence.words
        # a project may have no catalogue; classes of drugs are the packs' words
        canonical = a.written.forms(tokens) if len(a.keys) else []
        line = "".join(canonical)
        gate, mask, digest = a.gate, len(a.gate) - 1, xxh3_64_intdigest
        stretches: list[Stretch] = []
        at = 0
        for i, form in enumerate(canonical):
            if gate[digest(line[at : at + HEAD].encode()) & mask]:
                stretch = self._longest(tokens, canonical, line, i, at)
                if stretch is None and words.forms:
                    stretch = self._with_form(tokens, i)
                if stretch is not None:
                    stretches.append(stretch)
            if len(form) < HEAD and (stretch := self._short(tokens, canonical, i)) is not None:
                stretches.append(stretch)
            elif len(form) > HEAD and not form.isalpha() and len(name := beginning(keys[i])) >= HEAD:
                stretch = self._checker.run_on(tokens, i, a.keys.get(a.written.joined(name)) or (), "a number run on")
                if stretch is not None:
                    stretches.append(stretch)
            at += len(form)
        if a.spoken.rules and canonical:
            stretches.extend(spoken(a, self._checker, tokens))
        self._evidence.classes(tokens, stretches)
        if stretches and words.only_like:
            stretches = [s for s in stretches if not self._evidence.only_like(tokens, s.last)]
        if not stretches:
            return Found()
        apart = without_salts(words, tokens, without_analytes(words, tokens, _apart(tokens, stretches)))
        whole = in_doubt(words, self._arrays, tokens, whole_products(words, tokens, apart))
        return self._found(tokens, message, with_partners(words, self._arrays, tokens, whole))

    def _with_form(self, tokens: Tokens, i: int) -> Stretch | None:
        """Token ``i`` where it is a name with the noun of its form run on (``Ibuprofensaft``)."""
        a, key = self._arrays, tokens.keys[i]
        for form in self._evidence.words.forms:
            if key.endswith(form) and len(name := key[: -len(form)]) >= HEAD:
                entries = a.keys.get(a.written.joined(name))
                if entries is not None:
                    return self._checker.run_on(tokens, i, entries, "the noun of a form run on")
        return None

    def _short(self, tokens: Tokens, canonical: list[str], first: int) -> Stretch | None:
        """The longest of the names whose canonical form is too short to be gated: one word, or several (``5-FU``)."""
        form, found = canonical[first], []
        last = first + 1
        while len(form) < HEAD:
            if form in self._arrays.short:
                found.append((last, form))
            if last == len(canonical):
                break
            form += canonical[last]
            last += 1
        turned_down: Stretch | None = None
        for end, name in reversed(found):
            stretch = self._checker.check(tokens, first, end, self._arrays.keys.get(name) or ())
            if stretch is not None and stretch.status != "suppressed":
                return stretch
            turned_down = turned_down or stretch
        return turned_down

    def _longest(self, tokens: Tokens, canonical: list[str], line: str, first: int, at: int) -> Stretch | None:
        """The longest name that begins with token ``first``, whose canonical form begins at ``at`` of ``line``."""
        a = self._arrays
        lengths = a.heads.get(line[at : at + HEAD])
        if lengths is None:
            return None
        bits = lengths[0] | lengths[1] << 32
        longest = bits.bit_length() - 1 if bits.bit_length() - 1 < LONGEST else _FARTHEST
        size, last = 0, first
        windows: list[tuple[int, Sequence[int]]] = []
        while last < len(canonical):
            size += len(canonical[last])
            last += 1
            if size > longest:
                break
            if bits >> (size if size < LONGEST else LONGEST) & 1:
                entries = a.keys.get(line[at : at + size])
                if entries is not None:
                    windows.append((last, entries))
        turned_down: Stretch | None = None
        for end, found in reversed(windows):
            stretch = self._checker.check(tokens, first, end, found)
            if stretch is not None and stretch.status != "suppressed":
                return stretch
            turned_down = turned_down or stretch
        return turned_down

    # --- fuzzy ---

    def near(self, tokens: Tokens, message: int, covered: Sequence[Span]) -> Found:
        """Names near to words that nothing in ``covered`` holds: candidates for a question, never a pick.

        At most five a place. ``mentions`` has also words that are clearly a drug's name, though the catalogue has none
        like it (``unknown``).
        """
        stretches = self._nearby.find(tokens, covered)
        return self._found(tokens, message, stretches) if stretches else Found()

    # --- results ---

    def _found(self, tokens: Tokens, message: int, stretches: Sequence[Stretch]) -> Found:
        a = self._arrays
        candidates: list[Candidate] = []
        mentions: list[Mention] = []
        for stretch in stretches:
            span = tokens.span(stretch.first, stretch.last)
            text = tokens.text[span.start : span.end]
            ids: list[str] = []
            confusable: list[str] = []
            for named in stretch.names:
                number = a.drug[named.alias]
                ids.append(a.ids[number])
                if a.confusable_name:
                    confusable += [a.confusable_name[c] for c in a.confusable[number]]
                candidates.append(
                    Candidate(
                        message=message,
                        span=span,
                        text=text,
                        kind="drug",
                        source=SOURCE,
                        id=ids[-1],
                        name=a.names[number],
                        match=named.match,
                        score=named.score,
                        why=named.why,
                    )
                )
            mentions.append(
                Mention(
                    message=message,
                    span=span,
                    text=text,
                    status=stretch.status,
                    candidate_ids=tuple(ids),
                    confusable_with=tuple(dict.fromkeys(confusable)),
                    reason=stretch.reason,
                    kind="drug",
                )
            )
        return Found(tuple(candidates), tuple(mentions))


def _apart(tokens: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    """The stretches that no better one overlaps: one that names something before one that was turned down, a longer one
    before a shorter, an earlier before a later; in the order of the text."""
    if len(stretches) == 1:
        return stretches
    kept: list[Stretch] = []

    def rank(s: Stretch) -> tuple[bool, int, bool, int]:
        span = tokens.span(s.first, s.last)
        return (s.status == "suppressed", span.start - span.end, not s.names, s.first)

    for stretch in sorted(stretches, key=rank):
        if all(stretch.last <= other.first or other.last <= stretch.first for other in kept):
            kept.append(stretch)
    return sorted(kept, key=lambda s: s.first)
