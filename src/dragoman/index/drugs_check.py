"""Whether a stretch of text that has a name's letters is that name: marks, joints, evidence, and rules that are off."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dragoman.index.drugs_evidence import Evidence
from dragoman.index.drugs_fuzzy import has_fingerprint
from dragoman.index.drugs_store import (
    ABBREVIATION,
    GUARDED,
    KNOWN,
    MARKED,
    MARKS,
    NO_DRUG,
    PUNCTUATED,
    Arrays,
    Named,
    Stretch,
)
from dragoman.index.drugs_words import COMMON, SYLLABLE
from dragoman.text.phrases import typed_bare
from dragoman.text.tokens import HYPHENS, Token, Tokens
from dragoman.types import MentionStatus

JOINTS = frozenset(" \t\u00a0\u202f-‐‑–'’_/+®™")  # what may stand between the words of one name
_NEVER = frozenset("\n\r?!;")
_PARTICULAR = ABBREVIATION | GUARDED | KNOWN | MARKED  # what asks for more than the same letters
_LEAST_VARIANT = 5  # letters of a word that spelling rules may make a name
_LEAST_SPLIT = 6  # letters of a word that may be written in pieces

ELSEWHERE = "a name known elsewhere that the catalogue lacks"


class Checker:
    """Reads stretches of a text against the aliases that share their canonical form."""

    def __init__(self, arrays: Arrays, evidence: Evidence) -> None:
        self.a = arrays
        self.evidence = evidence
        self._marked_words = frozenset(arrays.written.words)

    def check(self, tokens: Tokens, first: int, last: int, entries: Sequence[int]) -> Stretch | None:
        """What tokens ``first`` up to ``last`` are, given the entries of their canonical form; None: nothing."""
        a = self.a
        key = tokens.key(first, last)
        aliases = a.exact.get(key)
        if aliases is not None:
            if len(aliases) == 1 and last - first == 1:  # by far the most frequent case
                token, flags = tokens.tokens[first], a.flags[aliases[0]]
                if not flags & _PARTICULAR and token.key == token.marked:
                    return Stretch(first, last, (Named(aliases[0], "exact"),), "exact")
            found = [
                named
                for alias in aliases
                if self.may_join(tokens, first, last, alias)
                and (named := self._with_marks(tokens, first, last, alias)) is not None
            ]
            own = [n for n in found if a.drug[n.alias] != NO_DRUG]
            exact = [n for n in own if n.match == "exact"]
            if own:
                return self.guarded(tokens, first, last, self.one_a_drug(exact or own))
            if found:
                return self.elsewhere(tokens, first, last, found[0].alias, None)
        return self._variant(tokens, first, last, key, entries)

    def elsewhere(self, tokens: Tokens, first: int, last: int, alias: int, why: str | None) -> Stretch | None:
        """A name that the catalogue lacks; where it is an ordinary word as well, only beside evidence."""
        named = Named(alias, "exact")
        if not self.stands(tokens, first, last, named) or (
            why and last - first == 1 and self._is_frequent(tokens.keys[first])
        ):
            return None
        return Stretch(first, last, (), "unknown", f"{ELSEWHERE} ({why})" if why else ELSEWHERE)

    def run_on(self, tokens: Tokens, i: int, entries: Sequence[int], why: str) -> Stretch | None:
        """Token ``i`` is a name with something run on to it (``hapacol250``), which ``why`` says; ``entries`` are of
        the name alone."""
        a = self.a
        names = [
            Named(alias, "variant", why, 0.9)
            for entry in entries
            if a.drug[alias := a.entry_alias[entry]] != NO_DRUG and not a.flags[alias] & (ABBREVIATION | GUARDED)
        ]
        if names:
            found = self.one_a_drug(names)
            return Stretch(i, i + 1, found, "variant" if len(found) == 1 else "ambiguous", names[0].why)
        return self.elsewhere(tokens, i, i + 1, a.entry_alias[entries[0]], None) if entries else None

    def _with_marks(self, tokens: Tokens, first: int, last: int, alias: int) -> Named | None:
        marks = self.marks(tokens, first, last, alias, True)
        if marks is None:
            return None
        return Named(alias, "exact") if not marks else Named(alias, "variant", marks, 0.95)

    def _variant(self, tokens: Tokens, first: int, last: int, key: str, entries: Sequence[int]) -> Stretch | None:
        """Variants, without those whose rules are off because they would make two different drugs one."""
        a = self.a
        found: list[tuple[int, str, str, str]] = []
        for entry in entries:
            alias, form = a.entry_alias[entry], a.entry_key[entry]
            if not self.may_join(tokens, first, last, alias) or not self._pieces_fit(tokens, first, last, key, form):
                continue
            marks = self.marks(tokens, first, last, alias, False)
            rule = a.rules[a.entry_rule[entry]]
            if marks is not None and (form == key or not self._too_slight(tokens, first, last)):
                found.append((alias, form, rule, marks))
        if not found:
            return None
        owners = {(a.drug[alias], form if a.drug[alias] == NO_DRUG else "") for alias, form, _, _ in found}
        if len(owners) > 1:
            found = self._without_collisions(key, found)
        best: dict[int, tuple[int, str, str, str]] = {}
        for reading in found:
            drug = a.drug[reading[0]]
            if drug not in best or self._distance(key, reading) < self._distance(key, best[drug]):
                best[drug] = reading
        names = tuple(self._reading(key, *reading) for drug, reading in best.items() if drug != NO_DRUG)
        if names:
            if last - first == 1 and names[0].match == "variant" and self._is_frequent(key):
                return self._suppressed_unless_beside(tokens, first, last, names)
            return self.guarded(tokens, first, last, names)
        if best:
            return self.elsewhere(tokens, first, last, best[NO_DRUG][0], self._reading(key, *best[NO_DRUG]).why)
        return None

    def _too_slight(self, tokens: Tokens, first: int, last: int) -> bool:
        """Whether a word is too short, or too ordinary a syllable, for rules to make a name of it."""
        key = tokens.keys[first]
        return last - first == 1 and key.isalpha() and (len(key) < _LEAST_VARIANT or self.is_syllable(key))

    @staticmethod
    def _distance(key: str, reading: tuple[int, str, str, str]) -> tuple[bool, int, bool]:
        return bool(reading[2]), abs(len(reading[1]) - len(key)) + 2 * (reading[1] != key), bool(reading[3])

    def _reading(self, key: str, alias: int, form: str, rule: str, marks: str) -> Named:
        if form == key or _same_but_digits(form, key):
            rules: tuple[str, ...] = ()
        else:
            rules = self.a.written.explain(key, form)
        why = [w for w in dict.fromkeys([rule, *rules, marks]) if w]
        if not why:
            return Named(alias, "exact")
        return Named(alias, "variant", ", ".join(why), 0.9)

    def _without_collisions(self, key: str, found: list[tuple[int, str, str, str]]) -> list[tuple[int, str, str, str]]:
        """A rule that makes names of two drugs one is off for the two: a text that needs it names neither."""
        a, explain = self.a, self.a.written.explain

        def owner(reading: tuple[int, str, str, str]) -> tuple[int, str]:
            drug = a.drug[reading[0]]
            return drug, reading[1] if drug == NO_DRUG else ""

        def rival(mine: tuple[int, str], yours: tuple[int, str]) -> bool:
            return mine != yours and not mine[0] == yours[0] == NO_DRUG  # two names elsewhere are unknown either way

        kept = []
        for reading in found:
            mine = set(explain(key, reading[1])) if reading[1] != key else set()
            rivals = {r[1] for r in found if rival(owner(reading), owner(r))} - {reading[1]}
            if not any(mine & set(explain(reading[1], rival)) for rival in rivals):
                kept.append(reading)
        return kept

    def one_a_drug(self, names: list[Named]) -> tuple[Named, ...]:
        """The best reading for each drug, in the order of the file."""
        best: dict[int, Named] = {}
        for named in names:
            held = best.get(self.a.drug[named.alias])
            if held is None or named.score > held.score:
                best[self.a.drug[named.alias]] = named
        return tuple(best.values())

    # --- evidence ---

    def guarded(self, tokens: Tokens, first: int, last: int, names: tuple[Named, ...]) -> Stretch:
        """Names that are an abbreviation, short or an ordinary word need capitals or evidence."""
        kept = tuple(n for n in names if self.stands(tokens, first, last, n))
        if not kept:
            abbreviation = any(self.a.flags[n.alias] & ABBREVIATION for n in names)
            reason = "an abbreviation" if abbreviation else "an ordinary word or too short"
            return Stretch(first, last, (), "suppressed", f"{reason}, and nothing beside it says that it is a drug")
        if len({self.a.drug[n.alias] for n in kept}) > 1:
            return Stretch(first, last, kept, "ambiguous", "the name of several drugs")
        status: MentionStatus = kept[0].match
        return Stretch(first, last, kept, status, kept[0].why)

    def _suppressed_unless_beside(self, tokens: Tokens, first: int, last: int, names: tuple[Named, ...]) -> Stretch:
        """A frequent word that only the spelling rules make a name."""
        if self.evidence.announced(tokens, first) or self.evidence.dosed(tokens, last):
            return self.guarded(tokens, first, last, names)
        return Stretch(first, last, (), "suppressed", "an ordinary word, and a name only under spelling rules")

    def _is_frequent(self, key: str) -> bool:
        flags = self.a.words.get(key)
        return flags is not None and bool(flags[0] & COMMON)

    def stands(self, tokens: Tokens, first: int, last: int, named: Named) -> bool:
        """Whether a name may be meant here: it is no abbreviation and no ordinary word, or something says so."""
        flags = self.a.flags[named.alias]
        if flags & ABBREVIATION and _continues(tokens, first):
            return False  # in "5-ASA" there is no ASA
        if not flags & (ABBREVIATION | GUARDED) or self.evidence.beside(tokens, first, last):
            return True
        if not flags & ABBREVIATION:
            return False
        if self._in_capitals(tokens, first, last, named):
            return True
        return not flags & GUARDED and not any(self.a.words.get(t.key) for t in tokens.tokens[first:last])

    def _in_capitals(self, tokens: Tokens, first: int, last: int, named: Named) -> bool:
        """Whether an abbreviation was typed as one: as the catalogue has it, in a text that is not all capitals."""
        span, text = tokens.span(first, last), tokens.text
        typed = text[span.start : span.end]
        shouted = not any(c.islower() for c in text) and len(tokens) > last - first + 1
        if shouted:
            return False
        return typed.isupper() or (typed == self.a.text[named.alias] and any(c.isupper() for c in typed[1:]))

    # --- what the text must agree in ---

    def may_join(self, tokens: Tokens, first: int, last: int, alias: int) -> bool:
        """Whether the words stand close enough to be one name: no punctuation and no line end between them, but what
        the alias itself has, and the point of a decimal number."""
        text, items = tokens.text, tokens.tokens
        for i in range(first, last - 1):
            gap = text[items[i].end : items[i + 1].start]
            if gap == " " or JOINTS.issuperset(gap):
                continue
            if gap in {".", ","} and items[i].key[-1].isdigit() and items[i + 1].key[0].isdigit():
                continue
            if self.a.flags[alias] & PUNCTUATED and _NEVER.isdisjoint(gap):
                continue
            return False
        return True

    def _pieces_fit(self, tokens: Tokens, first: int, last: int, key: str, form: str) -> bool:
        """Whether a name may be split or joined as the text has it.

        A word written in pieces needs some length, and a piece that is no word of the language. A letter with a number
        (``B12``) stays together or has a hyphen: in "vitamin B 1 tablet a day" there is no vitamin B1.
        """
        if key == form or last - first == 1:
            return True
        items = tokens.tokens[first:last]
        if any(_letter_and_number(w) for w in form.split(" ")):
            for left, right in pairwise(items):
                loose = not HYPHENS.intersection(tokens.text[left.end : right.start])
                if loose and len(left.key) <= 2 and left.key.isalpha() and right.key.isdigit():
                    return False
        typed = [len(k) for k in self.a.written.canonical([t.key for t in items])]
        own = [len(k) for k in self.a.written.canonical(form.split(" "))]
        if _boundaries(typed) <= _boundaries(own) or _same_but_digits(form, key):
            return True
        if sum(typed) < _LEAST_SPLIT or (len(items) == 2 and (len(items[0].key) < 2 or len(items[1].key) < 3)):
            return False
        return not all(self.is_ordinary(t.key) for t in items)

    def is_ordinary(self, key: str) -> bool:
        """Whether a word says nothing of a drug: two letters or digits, or a word of the languages."""
        return len(key) <= 2 or key.isdigit() or self.a.words.row(key) >= 0 or has_fingerprint(self.a.dictionary, key)

    def marks(self, tokens: Tokens, first: int, last: int, alias: int, comparable: bool) -> str | None:
        """``""`` where the marks agree, what differs where that may be, None where another word was written.

        ``comparable``: the text has the alias's own letters. A word typed without its mark is a variant, and exact in a
        text without any marks; a word with another mark is another word. Marks on what is no syllable of a language
        whose marks carry meaning (``fenytoïne``) are ignorable.
        """
        items = tokens.tokens[first:last]
        flags = self.a.flags[alias]
        if not flags & MARKED and all(t.key == t.marked for t in items):
            return ""
        matter = bool(flags & MARKS)
        own = (self.a.marked[alias] if flags & MARKED else tokens.key(first, last)).split(" ")
        found = ""
        for i, token in enumerate(items):
            mark = own[i] if comparable and len(own) == len(items) else self._likeliest(token, own)
            if token.marked == mark:
                continue
            if token.key == token.marked:
                if matter and not typed_bare(tokens):
                    if last - first == 1 and self.is_syllable(token.key):
                        return None
                    found = "mark left out"
            elif self.is_syllable(token.key) or (matter and mark != token.key):
                return None
            elif matter:
                found = found or "mark added"
        return found

    def _likeliest(self, token: Token, own: list[str]) -> str:
        return token.marked if token.marked in own or token.marked in self._marked_words else token.key

    def is_syllable(self, key: str) -> bool:
        """Whether ``key`` is a word by its form in a language of single syllables."""
        flags = self.a.words.get(key)
        return flags is not None and bool(flags[0] & SYLLABLE)


def _continues(tokens: Tokens, first: int) -> bool:
    """Whether a short word is tied to token ``first`` with a hyphen: then what begins there is a part of a name."""
    if first == 0 or len(tokens.keys[first - 1]) > 2:
        return False
    gap = tokens.gap(first - 1)
    return bool(gap) and HYPHENS.issuperset(gap)


def _same_but_digits(a: str, b: str) -> bool:
    """Equal but for spaces between a letter and a digit: ``5mg``, ``5 mg``."""
    return a.replace(" ", "") == b.replace(" ", "") and _glued(a) == _glued(b)


def _glued(key: str) -> str:
    words = key.split(" ")
    out = words[0]
    for word in words[1:]:
        out += word if out[-1:].isdigit() != word[:1].isdigit() else f" {word}"
    return out


def _letter_and_number(word: str) -> bool:
    letters = word.rstrip("0123456789")
    return bool(letters) and letters != word and len(letters) <= 2 and letters.isalpha()


def _boundaries(lengths: list[int]) -> set[int]:
    found, at = set(), 0
    for length in lengths:
        at += length
        found.add(at)
    return found
