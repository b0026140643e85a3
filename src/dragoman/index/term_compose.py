"""Finds terms that a text composes otherwise: compounds, phrases, words run together or apart, shared parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.index.term_runs import runs
from dragoman.index.term_values import COMPOUND, LEAST_COMPOUND, LEAST_PART, SYNONYM, pair_keys
from dragoman.index.term_verbs import separated, with_object
from dragoman.text.compounds import Compounds
from dragoman.text.morphology import PLURAL

if TYPE_CHECKING:
    from dragoman.index.term_match import Matcher
    from dragoman.index.term_take import Take

BODY = "body_structure"
FINDINGS = frozenset({"condition", "symptom", "procedure", "morphology"})
LONG = 6  # letters of a condition that any word may follow
_REACH = 4  # words between a part with a hyphen and the word that it shares the rest with
_FINITE = 5  # letters of a verb behind its subject: "hangt"


class Composer:
    """The third pass; see ``index.term_match``."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self.rules = Compounds(matcher.index.languages, matcher.morphology)
        self._readings = (
            self._general_head,
            self._known_pair,
            self._general_modifier,
            self._site_and_finding,
            self._any_head,
        )

    def compose(self, take: Take) -> None:
        """Offer what the words of ``take`` make together or apart."""
        self._shared(take)
        separated(take, self.matcher, self.rules)
        with_object(take, self.matcher)
        runs(take, self.matcher, self.rules)
        if len(self.matcher.pairs):
            self._phrases(take)
        if self.rules.joined:
            for at in take.open(LEAST_COMPOUND):
                self._compound(take, at)

    # --- words apart and together -------------------------------------------------------------------------------------

    def _shared(self, take: Take) -> None:
        """``hypo- en hyperthyreoïdie``: a part with a hyphen takes the rest of its word from the next one."""
        keys, text = take.keys, take.tokens.text
        if "- " not in text and " -" not in text and "-," not in text:
            return
        for at in range(len(keys) - 1):
            if len(keys[at]) < LEAST_PART:
                continue
            gap = take.gap(at)
            if gap.startswith("-") and gap[1:2] in (" ", ",", "/", "\n"):
                for other in range(at + 1, min(at + _REACH, len(keys))):
                    if self._finish(take, at, keys[other]):
                        break
            if gap.endswith(" -") or gap.endswith(",-"):
                for other in range(at, max(at - _REACH, -1), -1):
                    if self._begin(take, at + 1, keys[other]):
                        break

    def _finish(self, take: Take, at: int, whole: str) -> bool:
        for cut in range(2, len(whole) - 2):
            terms = self.matcher.term_of_word(take.keys[at] + whole[cut:])
            if terms and take.offer(at, at + 1, terms, f"{COMPOUND}: shared part -{whole[cut:]}"):
                return True
        return False

    def _begin(self, take: Take, at: int, whole: str) -> bool:
        for cut in range(len(whole) - 2, LEAST_PART - 1, -1):
            terms = self.matcher.term_of_word(whole[:cut] + take.keys[at])
            if terms and take.offer(at, at + 1, terms, f"{COMPOUND}: shared part {whole[:cut]}-"):
                return True
        return False

    # --- phrases ------------------------------------------------------------------------------------------------------

    def _phrases(self, take: Take) -> None:
        """``steen in de nier``, ``vergrote prostaat``, ``enkel verstuikt``, where the vocabulary has a compound of the
        two, or another phrase."""
        keys, rules, stops = take.keys, self.rules, self.matcher.stops
        for at in range(len(keys)):
            if len(keys[at]) < LEAST_PART or keys[at] in stops or not self._modifier(take, at):
                continue
            head = rules.head_before(keys, at)
            if head is not None and keys[head] not in stops:
                if self._located(take, head, at):
                    continue
                finding = keys[head + 1] in rules.links_any or rules.head(keys[head], rules.findings)
                if self._with(take, head, at + 1, head, at, origins=not finding):  # "verslaafd aan alcohol"
                    continue
            if at + 1 < len(keys) and take.gap(at) == " " and rules.head(keys[at + 1], rules.findings):
                self._with(take, at, at + 2, at + 1, at, origins=False)  # "nek hernia"
            if self._predicate(take, at):
                continue
            if at and len(keys[at - 1]) > 5 and keys[at - 1] not in stops:
                self._with(take, at - 1, at + 1, at - 1, at)
            after = at + 1
            while after < len(keys) and keys[after] in stops and after - at < _REACH:
                after += 1
            if after < len(keys) and len(keys[after]) >= _FINITE and keys[after] not in stops:
                self._with(take, at, after + 1, after, at)

    def _predicate(self, take: Take, noun: int) -> bool:
        """Offer findings of a noun and what is said of it: ``mijn ogen zijn droog``, *droge ogen*."""
        keys, morphology = take.keys, self.matcher.morphology
        said = self.rules.predicate(keys, noun)
        if said is None or len(keys[said]) < LEAST_PART:
            return False
        for modifier in morphology.bases(keys[noun], take.lemmas(noun)):
            for key in (f"{modifier}+{adjective}=" for adjective in morphology.adjectives(keys[said])):
                terms = [t for t in self.matcher.pairs.get(key) or () if self._is_finding(t)]
                if terms and take.offer(noun, said + 1, terms, f"{COMPOUND}: {key[:-1]}"):
                    return True
        return False

    def _located(self, take: Take, head: int, part: int) -> bool:
        """Offer terms that say the same with another determiner or preposition: ``bloed bij de urine``."""
        morphology, keys = self.matcher.morphology, take.keys
        for modifier in morphology.bases(keys[part], take.lemmas(part)):
            for noun in morphology.bases(keys[head], take.lemmas(head)):
                terms = self.matcher.pairs.get(f"{modifier} < {noun}")
                if terms is not None and take.offer(head, part + 1, terms, f"{COMPOUND}: {noun} … {modifier}"):
                    return True
        return False

    def _modifier(self, take: Take, at: int) -> bool:
        """Whether any pair has the word at ``at`` for its modifier."""
        row = self.matcher.pairs.row
        return row(f"{take.keys[at]}+") >= 0 or any(row(f"{form.word}+") >= 0 for form in take.lemmas(at))

    def _with(self, take: Take, first: int, last: int, head: int, part: int, *, origins: bool = True) -> bool:
        """Offer what the words at ``head`` and ``part`` make together; ``origins``: only by what both come from."""
        morphology, keys = self.matcher.morphology, take.keys
        heads = morphology.origins(keys[head], take.lemmas(head))
        if not origins:
            heads = [*heads, *morphology.bases(keys[head], take.lemmas(head))]
        return bool(heads) and self._pair(take, first, last, morphology.bases(keys[part], take.lemmas(part)), heads)

    def _pair(self, take: Take, first: int, last: int, modifiers: list[str], heads: list[str]) -> bool:
        for key in pair_keys(modifiers, heads):
            terms = self.matcher.pairs.get(key)
            if terms is not None and take.offer(first, last, terms, f"{COMPOUND}: {key}"):
                return True
        return False

    # --- compounds ----------------------------------------------------------------------------------------------------

    def _compound(self, take: Take, at: int) -> None:
        for form in dict.fromkeys([take.keys[at], *(f.word for f in take.lemmas(at) if f.part != "verb")]):
            if len(form) < LEAST_COMPOUND:
                continue
            if any(reading(take, at, form) for reading in self._readings):
                return

    def _general_head(self, take: Take, at: int, word: str) -> bool:
        """A term with a head that leaves it what it is: hartfalen-polikliniek."""
        rules, matcher = self.rules, self.matcher
        for cut in range(len(word) - LEAST_PART, LEAST_PART - 1, -1):
            head = word[cut:]
            if head not in rules.heads:
                continue
            firsts = [*rules.bare(word[:cut]), *(word[:cut] + ending for ending in rules.stems)]
            for first in firsts:
                terms = [
                    t
                    for t in matcher.term_of_word(first, PLURAL)
                    if (head in rules.organ_heads or not self.is_body(t)) and not self._is_top(t)
                ]
                if terms and take.offer(at, at + 1, terms, f"{COMPOUND}: {first}+{head}"):
                    return True
        return False

    def _known_pair(self, take: Take, at: int, word: str) -> bool:
        """A finding and what it is of, where the vocabulary says it otherwise: nek-hernia, hernia van de nek."""
        rules, morphology, row = self.rules, self.matcher.morphology, self.matcher.pairs.row
        if row(f"{word[:LEAST_PART]}>") < 0:
            return False
        for cut in range(LEAST_PART, len(word) - LEAST_PART + 1):
            for first in rules.bare(word[:cut]):
                if row(f"{first}+") >= 0 and self._pair(take, at, at + 1, [first], morphology.roots(word[cut:])):
                    return True
        return False

    def _general_modifier(self, take: Take, at: int, word: str) -> bool:
        """A term behind a modifier that leaves it what it is: kinder-astma."""
        for cut in range(LEAST_PART, len(word) - LEAST_PART + 1):
            if word[:cut] in self.rules.modifiers:
                found = self.matcher.term_of_word(word[cut:], PLURAL)
                terms = [t for t in found if self._is_finding(t) and not self._is_top(t)]
                if terms and take.offer(at, at + 1, terms, f"{COMPOUND}: {word[:cut]}+{word[cut:]}"):
                    return True
        return False

    def _site_and_finding(self, take: Take, at: int, word: str) -> bool:
        """A finding with a part of the body before it: pols-fractuur is a fractuur.

        Only by what the finding is really called, and where it may be: a nose that is stopped is no constipation,
        though "verstopping" may be a synonym of that.
        """
        matcher, rules = self.matcher, self.rules
        for cut in range(LEAST_PART, len(word) - LEAST_PART):
            head = word[cut:]
            if matcher.vocabulary.row(head) < 0:
                continue
            anywhere = rules.head(head, rules.anywhere)
            terms = [
                t
                for t in matcher.term_of_word(head)
                if self._is_finding(t) and not self._is_top(t) and (anywhere or self._is_name(t))
            ]
            if not terms:
                continue
            for first in rules.bare(word[:cut]):
                if matcher.qualifiers.is_other(first, head):
                    continue
                sites = {matcher.owner[t] for t in matcher.term_of_word(first, PLURAL) if self.is_body(t)}
                fitting = terms if anywhere else [t for t in terms if self._may_be_at(t, sites)]
                if sites and fitting:
                    return take.offer(at, at + 1, fitting, f"{COMPOUND}: {first}+{head}")
        return False

    def _is_name(self, term: int) -> bool:
        return self.matcher.index.term_type[term] != SYNONYM

    def _may_be_at(self, term: int, sites: set[int]) -> bool:
        """Whether what ``term`` names has no site of its own, or one of ``sites`` or a part of one."""
        index, owner = self.matcher.index, self.matcher.owner[term]
        own = set(index.related(owner, "finding_site")) if owner < index.count else set()
        if not own:
            return True
        level, seen = set(own), set(own)
        while level:
            level = {p for c in level for kind in ("is_a", "part_of") for p in index.related(c, kind)} - seen
            seen |= level
        return bool(seen & sites)

    def _any_head(self, take: Take, at: int, word: str) -> bool:
        """A long name of a condition with any word of the language behind it: migraine-dagboek."""
        matcher = self.matcher
        if len(word) < LONG + LEAST_PART or not matcher.begins(word):
            return False
        for cut in range(len(word) - LEAST_PART - 1, LONG - 1, -1):
            rest = word[cut:]
            for first in self.rules.bare(word[:cut], LONG):
                if len(first) < LONG or not matcher.index.everyday(rest) or rest in matcher.stops:
                    continue
                terms = [t for t in matcher.exact_word(first) if self._is_finding(t) and not self._is_top(t)]
                if terms and take.offer(at, at + 1, terms, f"{COMPOUND}: {first}+{rest}"):
                    return True
        return False

    def _type(self, term: int) -> str | None:
        index, owner = self.matcher.index, self.matcher.owner[term]
        return index.semantic_type(owner) if owner < index.count else index.entity_types[owner - index.count]

    def is_body(self, term: int) -> bool:
        """Whether a term names a part of the body, or a department."""
        return self._type(term) in (BODY, "department")

    def _is_top(self, term: int) -> bool:
        """Whether a term names a concept that everything of its kind is below: a compound of it says nothing."""
        index, owner = self.matcher.index, self.matcher.owner[term]
        return owner < index.count and not len(index.related(owner, "is_a")) and len(index.children[owner]) > 0

    def _is_finding(self, term: int) -> bool:
        return self._type(term) in FINDINGS
