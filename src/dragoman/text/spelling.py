"""Spelling rules as data: two spellings are the same name when the rules rewrite both to one canonical form.

A language pack's ``spelling_drugs.toml`` holds the rules, each with examples and counter-examples that the tests run.
A rule is an ordered list of plain replacements; ``^`` and ``$`` stand for a token's edges. Rules apply to tokens of at
least ``LEAST`` letters only: in shorter words a letter more or less is another word. ``[words]`` maps a whole token to
another (``natri`` to ``natrium``), whatever its length.

The canonical form has no meaning of its own. It is the same for all spellings of a name, and the rules that made two
spellings equal can be told (``explain``), so that a match can say why, and a rule can be switched off for one pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from dragoman.errors import ConfigError
from dragoman.text.tokens import Tokens, fold_key

FILE = "spelling_drugs.toml"
LEAST = 6


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One spelling rule.

    ``safe``: two names that differ by this rule are the same substance even where one of them stands in the list of
    names known elsewhere. ``spoken``: applies to names written syllable by syllable, as they sound, and to those only.
    ``examples`` are pairs that become equal and would not without the rule; ``counter_examples`` stay apart.
    """

    name: str
    replace: tuple[tuple[str, str], ...]
    examples: tuple[tuple[str, str], ...]
    counter_examples: tuple[tuple[str, str], ...] = ()
    safe: bool = False
    spoken: bool = False
    source: str = ""


class JoinedAcid(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a language makes one word of an acid's name: ``strip`` off its end, then each of ``add``."""

    name: str
    strip: tuple[str, ...]
    add: tuple[str, ...]
    examples: tuple[tuple[str, str], ...]


class SpellingTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``spelling_drugs.toml``. ``acid`` is the word that ``[words]`` gives for an acid, ``cations`` those it gives for
    the metals of salts: names with them are written in either order. ``codas``: consonants that the spoken rules take
    off a syllable before another consonant; ``tones``: the tone marks that a syllable of such a name may bear."""

    rule: tuple[Rule, ...] = ()
    joined_acid: tuple[JoinedAcid, ...] = ()
    acid: str = ""
    codas: tuple[str, ...] = ()
    tones: tuple[str, ...] = ()
    cations: tuple[str, ...] = ()
    words: dict[str, str] = {}


class Speller:
    """Rules in order, compiled to one chain of replacements over a line of tokens."""

    __slots__ = ("_chain", "_words", "least", "rules", "words")

    def __init__(self, rules: Sequence[Rule], words: dict[str, str] | None = None, least: int = LEAST) -> None:
        self.rules = tuple(rules)
        self.words = dict(words or {})
        self.least = least
        self._chain = tuple((_edges(old), _edges(new)) for rule in self.rules for old, new in rule.replace)
        for (old, new), rule in zip(self._chain, (r for r in self.rules for _ in r.replace), strict=True):
            if not old or old.count(" ") != new.count(" "):
                raise ConfigError(
                    f"the rule {rule.name!r} must keep the token's edges", where=FILE, advice="repeat ^ and $ in both"
                )
        self._words: dict[str, str] = {}
        plain = {self._letters(fold_key(a)): self._letters(fold_key(b)) for a, b in self.words.items()}
        self._words.update((a, b) for a, b in plain.items() if a != b)

    def _letters(self, key: str) -> str:
        """One key (tokens joined by spaces) rewritten letter by letter."""
        return " ".join(self._rewrite(key.split(" ")))

    def _rewrite(self, keys: Sequence[str]) -> list[str]:
        least = self.least
        line = " ".join([k for k in keys if len(k) >= least])
        if not line:
            return list(keys)
        line = f" {line.replace(' ', '  ')} "
        for old, new in self._chain:
            if old in line:
                line = line.replace(old, new)
        long = iter(line[1:-1].split("  "))
        return [next(long) if len(k) >= least else k for k in keys]

    def canonical(self, keys: Sequence[str]) -> list[str]:
        """The canonical form of each folded token, in order; as many as there were."""
        words = self._words
        forms = self._rewrite(keys)
        return forms if words.keys().isdisjoint(forms) else [words.get(k, k) for k in forms]

    def forms(self, tokens: Tokens) -> list[str]:
        """As ``canonical`` of the keys of ``tokens``, which several steps ask of the same text."""
        known: dict[Speller, list[str]] = tokens.__dict__.setdefault("_forms", {})
        if self not in known:
            known[self] = self.canonical(tokens.keys)
        return known[self]

    def joined(self, key: str) -> str:
        """The canonical form of a folded key without spaces: where a name is split does not matter to it."""
        return "".join(self.canonical(key.split(" ")))

    def plain(self, endings: bool) -> Speller:
        """The same rules without those that read a letter by the ones beside it: what is left rewrites single letters
        and, with ``endings``, the ends of words.

        A slip of the pen is one letter in this form too. In the canonical form it is more where it parts or makes a
        pair of letters that a rule reads as one (``th``, ``ph``), or moves a c to where it is another sound.
        """
        kept = [
            r for r in self.rules if all(len(a) == len(b) == 1 or (endings and a.endswith("$")) for a, b in r.replace)
        ]
        return Speller(kept, None, self.least)

    def explain(self, a: str, b: str) -> tuple[str, ...]:
        """The names of the rules that two folded keys of equal canonical form need, in order.

        A rule is needed where it rewrites one of the two more often than the other; ``words`` and ``spaces`` stand for
        the word table and for a name split or joined elsewhere.
        """
        left, right = (f" {'  '.join(k for k in key.split(' ') if len(k) >= self.least)} " for key in (a, b))
        needed: list[str] = []
        for rule in self.rules:
            differs = False
            for old, new in rule.replace:
                old, new = _edges(old), _edges(new)
                differs = differs or left.count(old) != right.count(old)
                left, right = left.replace(old, new), right.replace(old, new)
            if differs and rule.name not in needed:
                needed.append(rule.name)
        if self._words:
            one, other = (sorted(k for k in self._rewrite(key.split(" ")) if k in self._words) for key in (a, b))
            if one != other:
                needed.append("words")
        if [len(k) for k in self.canonical(a.split(" "))] != [len(k) for k in self.canonical(b.split(" "))]:
            needed.append("spaces")
        return tuple(needed) or (("spaces",) if a != b else ())


def _edges(pattern: str) -> str:
    return pattern.replace("^", " ").replace("$", " ")


def merge(tables: Iterable[SpellingTable]) -> tuple[Speller, Speller]:
    """The packs' tables as two spellers: for names as they are written, and as they are spoken.

    Raises ``ConfigError`` where two rules bear one name.
    """
    rules: list[Rule] = []
    words: dict[str, str] = {}
    for table in tables:
        rules.extend(table.rule)
        words.update(table.words)
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"two spelling rules are named {name!r}", where=FILE, advice="rename one of them")
    written = Speller([r for r in rules if not r.spoken], words)
    return written, Speller([r for r in rules if r.spoken], {}, least=1)
