"""What a pharmacist signs: how this index reads the names of its own catalogue, and what must not happen.

Nothing here needs a model or a person's question. Each name of the catalogue is asked as it is written, in capitals and
with a slip of the pen; names that are no drug of the catalogue (with an ending that makes another product of them, or
listed as known elsewhere) are asked to see that nothing is taken for them. A drug is *taken* where a candidate is exact
or a variant, *asked back* where it is only near: a near name is a question, never a drug.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Protocol

import msgspec
from rapidfuzz.distance import OSA

from dragoman.evaluate.golden import Result
from dragoman.text.tokens import fold_key
from dragoman.types import Candidate


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``safety_pack.toml``."""

    endings: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()
    most_names: int = 2000
    near_letters: int = 2
    near_least: int = 5
    most_pairs: int = 200


class Drugs(Protocol):
    """What is asked of the index's catalogue."""

    def drugs(self) -> Iterable[tuple[str, str]]:
        """``(drug_id, name)`` of every drug."""
        ...

    def aliases(self, drug_id: str) -> Sequence[str]:
        """Every name of a drug."""
        ...

    def lookup(self, term_or_id: str) -> list[dict[str, object]]:
        """The drugs of an id or a name, with ``confusable_with``."""
        ...


class Wrong(msgspec.Struct, frozen=True, kw_only=True):
    """A name for which another drug was taken, or none where one should be. ``took`` are drug ids."""

    asked: str
    of: str
    took: tuple[str, ...]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of names: how many were ``asked``; ``right``, ``asked_back``, ``nothing``; ``wrong`` are dangerous.

    ``parts``: of a combination with a slip in one name, the drug whose own name stands in it unharmed was taken alone.
    """

    kind: str
    means: str
    asked: int
    right: int
    asked_back: int
    nothing: int
    parts: tuple[Wrong, ...] = ()
    wrong: tuple[Wrong, ...] = ()


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two names of different drugs that look alike; ``declared`` in ``confusable``."""

    a: str
    b: str
    letters: int | None
    declared: bool


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A golden question of a safety category, or a known failure."""

    id: str
    category: str
    text: str
    passed: bool
    why: str = ""
    known_failure: str | None = None


class Pack(msgspec.Struct, frozen=True, kw_only=True):
    """All that the report says. ``problems`` keep it from being signed as it is."""

    project: str
    profile: str
    languages: tuple[str, ...]
    index: str
    built: str
    dragoman: str
    sources: tuple[tuple[str, str], ...]
    drugs: int
    names: int
    names_asked: int
    known_names: int
    asked: tuple[Asked, ...]
    collisions: tuple[tuple[str, ...], ...]
    ambiguous: dict[str, tuple[str, ...]]
    guarded: tuple[str, ...]
    pairs: tuple[Pair, ...]
    cases: tuple[Case, ...]
    known_failures: tuple[Case, ...]
    settings: dict[str, str]
    problems: tuple[str, ...]
    notes: tuple[str, ...]


Resolve = Callable[[str], Sequence[Candidate]]


def settings() -> Settings:
    """The pack's own table."""
    text = files("dragoman.evaluate").joinpath("safety_pack.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Settings)


def names_of(drugs: Drugs) -> dict[str, frozenset[str]]:
    """Every name of the catalogue and the ids that bear it."""
    found: dict[str, set[str]] = {}
    for drug_id, name in drugs.drugs():
        for alias in dict.fromkeys((name, *drugs.aliases(drug_id))):
            found.setdefault(alias, set()).add(drug_id)
    return {name: frozenset(ids) for name, ids in found.items()}


def ask_names(
    resolve: Resolve,
    names: Mapping[str, frozenset[str]],
    known: Iterable[str],
    table: Settings,
    guarded: frozenset[str],
) -> tuple[Asked, ...]:
    """Ask every kind of name. ``guarded`` names count only beside evidence, so that nothing is expected of them."""
    open_ = {name: ids for name, ids in names.items() if name not in guarded}
    keys = {fold_key(name) for name in names}

    def others(made: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, frozenset[str]]]:
        yield from ((text, of, frozenset()) for text, of in made if fold_key(text) not in keys)

    own = [(name, name, ids) for name, ids in open_.items()]
    capitals = [(name.upper(), name, ids) for name, ids in open_.items()]
    slips = [(text, name, ids) for name, ids in open_.items() for text in _slips(name) if fold_key(text) not in keys]
    longer = others((made, name) for name in open_ for made in _longer(name, table))
    elsewhere = others((name, name) for name in known)
    return (
        _asked(resolve, "as written", "its own drug is taken", own),
        _asked(resolve, "in capitals", "its own drug is taken", capitals),
        _asked(resolve, "with a slip of the pen", "its own drug, or a question back; never another", slips),
        _asked(resolve, "made another name", "no drug is taken; at most a question back", longer),
        _asked(resolve, "known elsewhere", "no drug is taken; at most a question back", elsewhere),
    )


def _asked(resolve: Resolve, kind: str, means: str, made: Iterable[tuple[str, str, frozenset[str]]]) -> Asked:
    count = right = back = nothing = 0
    parts: list[Wrong] = []
    wrong: list[Wrong] = []
    for text, of, owners in made:
        found = [c for c in resolve(text) if c.kind == "drug"]
        took = {c.id for c in found if c.match != "fuzzy"}
        count += 1
        if took - owners:
            unharmed = all(c.text != text and c.text in of for c in found if c.id in took - owners)
            (parts if unharmed else wrong).append(Wrong(asked=text, of=of, took=tuple(sorted(took - owners))))
        elif took:
            right += 1
        elif found:
            back += 1
        else:
            nothing += 1
            right += not owners
    return Asked(
        kind=kind,
        means=means,
        asked=count,
        right=right,
        asked_back=back,
        nothing=nothing,
        parts=tuple(parts),
        wrong=tuple(wrong),
    )


def _slips(name: str) -> Iterator[str]:
    """One letter lost, two changed about, one doubled, in the middle of the longest word; nothing of short names."""
    word = max(name.split(), key=len, default="")
    at = len(word) // 2
    if len(word) < 6 or not word.isalpha():
        return
    for slip in (
        word[:at] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at] + word[at:],
    ):
        if slip != word:
            yield name.replace(word, slip, 1)


def _longer(name: str, table: Settings) -> Iterator[str]:
    if " " not in name and name.isalpha() and len(name) >= 5:
        yield from (name + ending for ending in table.endings)
        yield from (beginning + name.lower() for beginning in table.beginnings)


def sampled(names: Mapping[str, frozenset[str]], most: int) -> dict[str, frozenset[str]]:
    """At most ``most`` names, evenly from first to last in alphabetical order: the same ones each time."""
    ordered = sorted(names)
    step = max(1.0, len(ordered) / most)
    return {ordered[int(i * step)]: names[ordered[int(i * step)]] for i in range(min(most, len(ordered)))}


def look_alikes(names: Mapping[str, frozenset[str]], drugs: Drugs, table: Settings) -> tuple[Pair, ...]:
    """Declared pairs, then names of different drugs that are few letters apart and in no list, nearest first."""
    declared: dict[tuple[str, str], Pair] = {}
    for drug_id, name in drugs.drugs():
        for item in drugs.lookup(drug_id):
            listed = item.get("confusable_with")
            for other_name in listed if isinstance(listed, list) else ():
                a, b = sorted((name, str(other_name)))
                letters = OSA.distance(fold_key(a), fold_key(b))
                declared[a, b] = Pair(a=a, b=b, letters=letters, declared=True)
    told = {frozenset(fold_key(n) for n in pair) for pair in declared}
    by_key = {key: ids for name, ids in names.items() if len(key := fold_key(name)) >= table.near_least}
    found: list[Pair] = []
    ordered = sorted(by_key)
    for i, one in enumerate(ordered):
        for other in ordered[i + 1 :]:
            if by_key[one] & by_key[other] or abs(len(one) - len(other)) > table.near_letters:
                continue
            letters = OSA.distance(one, other, score_cutoff=table.near_letters)
            if letters <= table.near_letters and frozenset((one, other)) not in told:
                found.append(Pair(a=one, b=other, letters=letters, declared=False))
    found.sort(key=lambda pair: (pair.letters or 0, pair.a, pair.b))
    return (*declared.values(), *found[: table.most_pairs])


def cases_of(results: Iterable[Result], safety: frozenset[str]) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """The questions of the safety categories that were asked, and every known failure."""
    guarded: list[Case] = []
    known: list[Case] = []
    for result in results:
        case = Case(
            id=result.case.id,
            category=result.case.category,
            text=result.case.turn.text,
            passed=result.passed or result.stale,
            why="; ".join(result.why),
            known_failure=result.case.known_failure,
        )
        if result.case.known_failure is not None:
            known.append(case)
        elif result.case.category in safety and not result.skipped:
            guarded.append(case)
    return tuple(guarded), tuple(known)


def problems_of(
    asked: Iterable[Asked], cases: Iterable[Case], known: Iterable[Case], safety: frozenset[str]
) -> Iterator[str]:
    """What must be mended, or be signed for by name."""
    for kind in asked:
        if kind.wrong:
            yield f"{kind.kind}: for {len(kind.wrong)} of {kind.asked} names another drug was taken"
        if kind.kind == "as written" and kind.right < kind.asked:
            yield f"as written: {kind.asked - kind.right} of {kind.asked} names of the catalogue are not its own drug's"
    failed = [case.id for case in cases if not case.passed]
    if failed:
        yield f"golden questions of safety categories fail: {', '.join(failed)}"
    borne = [case.id for case in known if case.category in safety and not case.passed]
    if borne:
        yield f"known failures in safety categories, each to be signed for: {', '.join(borne)}"
    stale = [case.id for case in known if case.passed]
    if stale:
        yield f"listed as known failures, and hold: {', '.join(stale)}"
