"""The drug resolver at run time: which stretches of a text name a drug of the catalogue, and how surely.

``match`` finds what is equal after folding (``exact``) or under the spelling rules (``variant``); ``near`` what is
close to a name (``fuzzy``, only ever a question) in the words that nothing holds. Both read the arrays that
``index.drugs_build`` wrote and nothing else, so the same text gives the same answer in any process.

How a line is read: its tokens are rewritten to canonical forms in one go, and the line is looked at without its spaces.
At each token's beginning the next five letters are looked up in a table of flags that turns most words away; where some
name begins so, the lengths of such names say which stretches to look up. Joined and split names need no effort of
their own. What is found is then checked against the text: marks, punctuation, evidence, rules that are off for a pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from xxhash import xxh3_64_intdigest

from dragoman.folder import Language
from dragoman.index.arrays import Part, Runs, Strings, Table
from dragoman.index.drugs_build import (
    ABBREVIATION,
    GUARDED,
    HEAD,
    KINDS,
    LONGEST,
    MARKS,
    NO_DRUG,
    PUNCTUATED,
    unpack_rules,
)
from dragoman.index.drugs_evidence import Evidence
from dragoman.index.drugs_words import SYLLABLE, merge_words
from dragoman.index.found import Found
from dragoman.text.phrases import typed_bare
from dragoman.text.tokens import Tokens, fold_key
from dragoman.types import Candidate, Match, Mention, MentionStatus, Span

SOURCE = "catalog"
_JOINTS = frozenset(" \t\u00a0\u202f-‐‑–'’_/+®™")  # what may stand between the words of one name
_LEAST_SPLIT = 6  # letters of a name that may be written in pieces
_LEAST_SOUND = 3  # syllables of a name written as it sounds


class Named(NamedTuple):
    """One reading of a stretch: the alias it is, how, and by which rules."""

    alias: int
    match: Match
    why: str | None


class Stretch(NamedTuple):
    """Tokens ``first`` up to ``last`` taken for a name. ``names`` is empty where the reading was turned down."""

    first: int
    last: int
    names: tuple[Named, ...]
    status: MentionStatus
    reason: str | None = None


class DrugIndex:
    """The drug part of an opened index. Immutable; safe to share between threads."""

    def __init__(self, part: Part, languages: Sequence[Language]) -> None:
        self._entry_key: Strings = part.strings("drugs.entry.key")
        self._entry_alias = part.ints("drugs.entry.alias")
        self._entry_rule = part.ints("drugs.entry.rule", "B")
        self._rules: list[str] = list(part.strings("drugs.rule"))
        self._text: Strings = part.strings("drugs.alias.text")
        self._marked: Strings = part.strings("drugs.alias.marked")
        self._drug = part.ints("drugs.alias.drug")
        self._flags = part.ints("drugs.alias.flags", "B")
        self._kind = part.ints("drugs.alias.kind", "B")
        self._language: Strings = part.strings("drugs.alias.language")
        self._keys: Table = part.table("drugs.key")
        self._short = frozenset(part.strings("drugs.short"))
        self._heads: Table = part.table("drugs.head")
        self._gate = part.ints("drugs.gate", "B")
        self._sounds: Table = part.table("drugs.sound")
        self._sound_heads: Table = part.table("drugs.sound.head")
        self._sound_gate = part.ints("drugs.sound.gate", "B")
        self._ids: Strings = part.strings("drugs.id")
        self._names: Strings = part.strings("drugs.name")
        self._number: Table = part.table("drugs.number")
        self._aliases: Runs = part.runs("drugs.aliases")
        self._confusable_names: Strings = part.strings("drugs.confusable.name")
        self._confusable: Runs = part.runs("drugs.confusable")
        self._words: Table = part.table("drugs.word")
        written, spoken = part.strings("drugs.spelling")
        self._written = unpack_rules(written)
        self._spoken = unpack_rules(spoken)
        self._evidence = Evidence(merge_words(languages))
        self._word_marks = frozenset(w for w in self._written.words)

    @classmethod
    def open(cls, part: Part, languages: Sequence[Language]) -> DrugIndex:
        """Map the drug part of an index that was built with the packs ``languages``."""
        return cls(part, languages)

    # --- names ---

    def __len__(self) -> int:
        return len(self._ids)

    def drugs(self) -> Iterator[tuple[str, str]]:
        """``(drug_id, name)`` of every drug, in the catalogue's order."""
        return zip(self._ids, self._names, strict=True)

    def name(self, drug_id: str) -> str | None:
        """The drug's own display name."""
        number = self._number.get(drug_id)
        return None if number is None else self._names[number[0]]

    def aliases(self, drug_id: str) -> tuple[str, ...]:
        """The drug's names as they are shown: its own, then by display rank, generic before brand, file order."""
        number = self._number.get(drug_id)
        return () if number is None else tuple(self._text[a] for a in self._aliases[number[0]])

    def lookup(self, term_or_id: str) -> list[dict[str, Any]]:
        """The drugs that an id or a name (in any spelling that the rules allow) stands for, with all their names."""
        numbers = list(self._number.get(term_or_id) or ())
        key = fold_key(term_or_id)
        if not numbers and key:
            found = self._keys.get(self._written.joined(key)) or ()
            numbers = sorted({d for e in found if (d := self._drug[self._entry_alias[e]]) != NO_DRUG})
        return [
            {
                "id": self._ids[n],
                "name": self._names[n],
                "aliases": [{"alias": self._text[a], "kind": KINDS[self._kind[a]]} for a in self._aliases[n]],
                "confusable_with": [self._confusable_names[c] for c in self._confusable[n]],
            }
            for n in numbers
        ]

    # --- exact and variant ---

    def match(self, tokens: Tokens, message: int = -1) -> Found:
        """Every name in ``tokens`` that is exact or a variant, the longest where several overlap.

        ``mentions`` has also what is a name and no drug of the catalogue (``unknown``, ``class``) and what was turned
        down (``suppressed``), each with its reason.
        """
        keys = tokens.keys
        if not keys:
            return Found()
        canonical = self._written.canonical(keys)
        line = "".join(canonical)
        gate, mask = self._gate, len(self._gate) - 1
        short, digest = self._short, xxh3_64_intdigest
        stretches: list[Stretch] = []
        at = 0
        for i, form in enumerate(canonical):
            head = line[at : at + HEAD]
            if gate[digest(head.encode()) & mask]:
                stretch = self._longest(tokens, canonical, line, i, at)
                if stretch is not None:
                    stretches.append(stretch)
            if len(form) < HEAD and form in short:
                stretch = self._check(tokens, i, i + 1, self._keys.get(form) or ())
                if stretch is not None:
                    stretches.append(stretch)
            at += len(form)
        if len(self._sounds):
            stretches.extend(self._as_spoken(tokens, keys))
        stretches.extend(self._evidence.classes(tokens))
        return self._found(tokens, message, _apart(tokens, stretches)) if stretches else Found()

    def _longest(self, tokens: Tokens, canonical: list[str], line: str, first: int, at: int) -> Stretch | None:
        """The longest name that begins with token ``first``, whose canonical form begins at ``at`` of ``line``."""
        lengths = self._heads.get(line[at : at + HEAD])
        if lengths is None:
            return None
        bits = lengths[0] | lengths[1] << 32
        size, last, windows = 0, first, []
        longest = bits.bit_length() - 1
        while last < len(canonical):
            size += len(canonical[last])
            last += 1
            if size > longest and longest < LONGEST:
                break
            if bits >> min(size, LONGEST) & 1:
                entries = self._keys.get(line[at : at + size])
                if entries is not None:
                    windows.append((last, entries))
            if size > 4 * LONGEST:
                break
        turned_down: Stretch | None = None
        for last, entries in reversed(windows):
            stretch = self._check(tokens, first, last, entries)
            if stretch is not None and (stretch.names or stretch.status != "suppressed"):
                return stretch
            turned_down = turned_down or stretch
        return turned_down

    def _check(self, tokens: Tokens, first: int, last: int, entries: Sequence[int]) -> Stretch | None:
        """What tokens ``first`` up to ``last`` are, given the names of the same canonical form; None: nothing."""
        key = tokens.key(first, last)
        exact: list[Named] = []
        variant: list[tuple[int, Named, str]] = []
        for entry in entries:
            alias = self._entry_alias[entry]
            if last - first > 1 and not self._may_join(tokens, first, last, alias):
                continue
            form, rule = self._entry_key[entry], self._rules[self._entry_rule[entry]]
            if not self._pieces_fit(tokens, first, last, form):
                continue
            same = form == key or _same_but_digits(form, key)
            marks = self._compare_marks(tokens, first, last, alias, form == key and not rule)
            if marks is None:
                continue
            if same and not rule and not marks:
                exact.append(Named(alias, "exact", None))
            else:
                rules = () if same else self._written.explain(key, form)
                why = ", ".join(dict.fromkeys([*([rule] if rule else []), *rules, *([marks] if marks else [])]))
                variant.append((entry, Named(alias, "variant", why), form))
        catalogue = [n for n in exact if self._drug[n.alias] != NO_DRUG]
        if catalogue:
            return self._guarded(tokens, first, last, self._one_a_drug(catalogue))
        if exact:
            return Stretch(first, last, (), "unknown", "a name known elsewhere that the catalogue lacks")
        return self._variants(tokens, first, last, key, variant) if variant else None

    def _variants(
        self, tokens: Tokens, first: int, last: int, key: str, found: list[tuple[int, Named, str]]
    ) -> Stretch | None:
        """Variants, without those whose rules are off because they would make two different drugs one."""

        def identity(named: Named, form: str) -> tuple[int, str]:
            drug = self._drug[named.alias]
            return drug, form if drug == NO_DRUG else ""

        kept: list[Named] = []
        for _, named, form in found:
            mine = set(self._written.explain(key, form)) if form != key else set()
            rivals = [f for _, n, f in found if identity(n, f) != identity(named, form)]
            if any(mine & set(self._written.explain(form, rival)) for rival in rivals if rival != form):
                continue
            kept.append(named)
        if not kept:
            return None
        catalogue = [n for n in kept if self._drug[n.alias] != NO_DRUG]
        if catalogue:
            return self._guarded(tokens, first, last, self._one_a_drug(catalogue))
        return Stretch(first, last, (), "unknown", f"a name known elsewhere that the catalogue lacks ({kept[0].why})")

    def _one_a_drug(self, names: list[Named]) -> tuple[Named, ...]:
        """The best reading for each drug: fewest rules, in the order of the file."""
        best: dict[int, Named] = {}
        for named in names:
            held = best.get(self._drug[named.alias])
            if held is None or _weight(named) < _weight(held):
                best[self._drug[named.alias]] = named
        return tuple(best.values())

    def _guarded(self, tokens: Tokens, first: int, last: int, names: tuple[Named, ...]) -> Stretch:
        """Names that are an abbreviation, short or an ordinary word need capitals or evidence."""
        reasons: list[str] = []
        kept: list[Named] = []
        for named in names:
            flags = self._flags[named.alias]
            if (
                not flags & (ABBREVIATION | GUARDED)
                or self._evidence.beside(tokens, first, last)
                or (flags & ABBREVIATION and self._in_capitals(tokens, first, last, named))
                or (flags & ABBREVIATION and not flags & GUARDED and not self._is_word(tokens, first, last))
            ):
                kept.append(named)
            else:
                reasons.append(
                    "an abbreviation without capitals or evidence"
                    if flags & ABBREVIATION
                    else "an ordinary word, and nothing beside it says that it is a drug"
                )
        if not kept:
            return Stretch(first, last, (), "suppressed", reasons[0])
        names = tuple(kept)
        several = len({self._drug[n.alias] for n in names}) > 1
        weakest: MentionStatus = "exact" if all(n.match == "exact" for n in names) else "variant"
        return Stretch(
            first, last, names, "ambiguous" if several else weakest, "names several drugs" if several else names[0].why
        )

    # --- what the text must agree in ---

    def _may_join(self, tokens: Tokens, first: int, last: int, alias: int) -> bool:
        """Whether the words stand close enough to be one name: no punctuation and no line end between them, except
        what the alias itself has, and the point of a decimal number."""
        text, items = tokens.text, tokens.tokens
        for i in range(first, last - 1):
            gap = text[items[i].end : items[i + 1].start]
            if gap == " " or _JOINTS.issuperset(gap):
                continue
            if gap in {".", ","} and items[i].key[-1].isdigit() and items[i + 1].key[0].isdigit():
                continue
            if self._flags[alias] & PUNCTUATED and not set(gap) & set("\n?!;"):
                continue
            return False
        return True

    def _pieces_fit(self, tokens: Tokens, first: int, last: int, form: str) -> bool:
        """Whether a name may be split or joined as the text has it.

        A word of the name in pieces needs some length, and a piece that is no word of the language. A letter with a
        number (``B12``) stays together, or has a hyphen: "vitamin B, 1 tablet" is no vitamin B1.
        """
        key = tokens.key(first, last)
        if key == form or (_same_but_digits(form, key) and not any(_LETTER_NUMBER(w) for w in form.split(" "))):
            return True
        if last - first == 1:
            return True
        text, items = tokens.text, tokens.tokens
        if any(_LETTER_NUMBER(w) for w in form.split(" ")):
            for i in range(first, last - 1):
                if (
                    len(items[i].key) <= 2
                    and items[i].key.isalpha()
                    and items[i + 1].key.isdigit()
                    and text[items[i].end : items[i + 1].start].strip(" ") not in {"-", "‐", "‑"}
                ):
                    return False
        typed = [len(k) for k in self._written.canonical(tokens.keys[first:last])]
        own = [len(k) for k in self._written.canonical(form.split(" "))]
        if typed == own or _boundaries(typed) <= _boundaries(own):
            return True
        letters = sum(typed)
        pieces = [items[i].key for i in range(first, last)]
        if letters < _LEAST_SPLIT:
            return False
        if all(len(p) <= 2 for p in pieces) and len(pieces) < 3:
            return False
        return len(pieces) >= 4 or any(not self._words.get(p) and not p.isdigit() for p in pieces)

    def _compare_marks(self, tokens: Tokens, first: int, last: int, alias: int, comparable: bool) -> str | None:
        """``""`` where the marks agree, what differs where that may be, None where another word was written."""
        items = tokens.tokens[first:last]
        matter = bool(self._flags[alias] & MARKS)
        name = self._marked[alias] or ""
        if not name and all(t.key == t.marked for t in items):
            return ""
        own = (name or tokens.key(first, last)).split(" ")
        if comparable and len(own) == len(items):
            pairs = list(zip(items, own, strict=True))
        else:
            pairs = [(t, t.marked if t.marked in own or self._is_marked_word(t.marked) else t.key) for t in items]
        found = ""
        for token, mark in pairs:
            if token.marked == mark:
                continue
            if token.key == token.marked:  # typed bare
                if matter and not typed_bare(tokens):
                    if last - first == 1 and self._is_syllable(token.key):
                        return None
                    found = "mark left out"
            elif self._is_syllable(token.key):
                return None
            elif matter and comparable and mark != token.key:
                return None  # a changed mark
            elif matter:
                found = found or "mark added"
        return found

    def _is_syllable(self, key: str) -> bool:
        flags = self._words.get(key)
        return flags is not None and bool(flags[0] & SYLLABLE)

    def _is_marked_word(self, marked: str) -> bool:
        return marked in self._word_marks

    def _is_word(self, tokens: Tokens, first: int, last: int) -> bool:
        return any(self._words.get(tokens.tokens[i].key) is not None for i in range(first, last))

    def _in_capitals(self, tokens: Tokens, first: int, last: int, named: Named) -> bool:
        """Whether an abbreviation was typed as one, in a text that is not all capitals."""
        span = tokens.span(first, last)
        typed, text = tokens.text[span.start : span.end], tokens.text
        if typed == self._text[named.alias] and any(c.isupper() for c in typed[1:]):
            return any(c.islower() for c in text) or len(tokens) == last - first
        return typed.isupper() and any(c.islower() for c in text)

    # --- names as they sound ---

    def _as_spoken(self, tokens: Tokens, keys: list[str]) -> Iterator[Stretch]:
        """Names written in three or more syllables, as they sound."""
        count = len(keys)
        if count < _LEAST_SOUND:
            return
        heads = _runs_of_short(keys)
        for first, stop in heads:
            forms = self._spoken.canonical(["".join(keys[first:stop])])[0]
            yield from self._spoken_run(tokens, keys, first, stop, forms)

    def _spoken_run(self, tokens: Tokens, keys: list[str], first: int, stop: int, _: str) -> Iterator[Stretch]:
        gate, mask = self._sound_gate, len(self._sound_gate) - 1
        rewrite = self._spoken.canonical
        for i in range(first, stop - _LEAST_SOUND + 1):
            head = rewrite(["".join(keys[i : i + 4])])[0][:HEAD]
            if not gate[xxh3_64_intdigest(head.encode()) & mask]:
                continue
            best: Stretch | None = None
            for j in range(i + _LEAST_SOUND, min(stop, i + 8) + 1):
                entries = self._sounds.get(rewrite(["".join(keys[i:j])])[0])
                if entries is None or not all(
                    _JOINTS.issuperset(tokens.text[tokens.tokens[k].end : tokens.tokens[k + 1].start])
                    for k in range(i, j - 1)
                ):
                    continue
                names = [Named(self._entry_alias[e], "variant", "written as it sounds") for e in entries]
                best = self._guarded(tokens, i, j, self._one_a_drug(names))
            if best is not None:
                yield best

    # --- fuzzy ---

    def near(self, tokens: Tokens, message: int, covered: Sequence[Span]) -> Found:
        """Names near to words that nothing in ``covered`` holds: candidates for a question, never a pick."""
        return Found()

    # --- results ---

    def _found(self, tokens: Tokens, message: int, stretches: list[Stretch]) -> Found:
        candidates: list[Candidate] = []
        mentions: list[Mention] = []
        for stretch in stretches:
            span = tokens.span(stretch.first, stretch.last)
            text = tokens.text[span.start : span.end]
            numbers: list[int] = []
            for named in stretch.names:
                number = self._drug[named.alias]
                numbers.append(number)
                candidates.append(
                    Candidate(
                        message=message,
                        span=span,
                        text=text,
                        kind="drug",
                        source=SOURCE,
                        id=self._ids[number],
                        name=self._names[number],
                        match=named.match,
                        score=1.0 if named.match == "exact" else 0.9,
                        why=named.why,
                    )
                )
            mentions.append(
                Mention(
                    message=message,
                    span=span,
                    text=text,
                    status=stretch.status,
                    candidate_ids=tuple(self._ids[n] for n in numbers),
                    confusable_with=tuple(
                        dict.fromkeys(self._confusable_names[c] for n in numbers for c in self._confusable[n])
                    ),
                    reason=stretch.reason,
                    kind="drug",
                )
            )
        return Found(tuple(candidates), tuple(mentions))


def _weight(named: Named) -> tuple[bool, int]:
    return named.match != "exact", (named.why or "").count(",")


def _apart(tokens: Tokens, stretches: list[Stretch]) -> list[Stretch]:
    """The stretches that no better one overlaps: one that names something before one that was turned down, a longer one
    before a shorter, an earlier before a later; in the order of the text."""
    kept: list[Stretch] = []

    def rank(s: Stretch) -> tuple[bool, int, bool, int]:
        span = tokens.span(s.first, s.last)
        return (s.status == "suppressed", span.start - span.end, not s.names, s.first)

    for stretch in sorted(stretches, key=rank):
        if all(stretch.last <= other.first or other.last <= stretch.first for other in kept):
            kept.append(stretch)
    return sorted(kept, key=lambda s: s.first)


def _same_but_digits(a: str, b: str) -> bool:
    """Equal but for spaces between a letter and a digit: ``5mg``, ``5 mg``."""
    if a.replace(" ", "") != b.replace(" ", ""):
        return False
    return _glue(a) == _glue(b)


def _glue(key: str) -> str:
    words = key.split(" ")
    out = words[0]
    for word in words[1:]:
        out += word if out[-1:].isdigit() != word[:1].isdigit() else f" {word}"
    return out


def _LETTER_NUMBER(word: str) -> bool:
    letters = word.rstrip("0123456789")
    return bool(letters) and letters != word and len(letters) <= 2 and letters.isalpha()


def _boundaries(lengths: list[int]) -> set[int]:
    found, at = set(), 0
    for length in lengths:
        at += length
        found.add(at)
    return found


def _runs_of_short(keys: list[str]) -> Iterator[tuple[int, int]]:
    """Stretches of three or more tokens that could be syllables: short and without digits."""
    first = 0
    for i, key in enumerate([*keys, ""]):
        if not key or len(key) > 5 or not key.isalpha():
            if i - first >= _LEAST_SOUND:
                yield first, i
            first = i + 1
