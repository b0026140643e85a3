"""How good and how safe the drug resolver is: the tables of docs/resolver-quality.md.

    python bench/resolver_quality.py --vocabulary DRUGBANK.csv --misspellings REDMED.tsv [--labelled LABELS.tsv]
        [--dutch ARTICLES.csv] [--pairs PAIRS.csv ...] [--sentences FILE ...] [--words LANGUAGE=FILE ...]

``--vocabulary``: the DrugBank open vocabulary (CC0). ``--misspellings``: RedMed's lexicon of spellings in social media
(MIT): ``written, drug, drugbank_id, kind, known_names``. ``--labelled``: rows of it read by hand, ``written, right``
(the name that was meant, or ``-``). ``--dutch``: substances and articles, columns ``stof, artikelnaam``. ``--pairs``:
look-alike names, columns ``a, b``. ``--sentences``: one ordinary sentence a line (``_`` joins and spaced
punctuation are undone). ``--words``: frequent words of a language, one a line.

The catalogue is 684 drugs drawn with a fixed seed from those that have misspellings, with their synonyms and brands.
Nothing is memoised; the same arguments give the same figures.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract_iter

from dragoman.folder import language
from dragoman.index.arrays import Part, Writer
from dragoman.index.drugs import DrugIndex
from dragoman.index.drugs_build import compile_drugs, load_spelling
from dragoman.index.drugs_fuzzy import LEAST, allowed
from dragoman.index.drugs_report import DrugReport
from dragoman.readers.deployment import Alias, Catalog, Drug
from dragoman.text.tokens import fold_key, tokenize
from dragoman.text.words import words as dictionary
from dragoman.types import Candidate

SEED = 684
DRUGS = 684
OTHER_NAMES = 20_000
LANGUAGES = ("en", "nl", "vi", "mul")
# made-up endings and beginnings: what brands and generics are given, none of them a spelling of nothing
ENDINGS = ("ol", "ix", "ex", "an", "ine", "aril", "axin", "odol", "ium", "etta", "onex", "imab", "statin", "olol",
           "pril", "flox", "cort", "zide", "mycin", "sal", "via", "ora", "tine", "dex", "ant")  # fmt: skip
BEGINNINGS = ("neo", "para", "ultra", "pro", "xe")


class Name(NamedTuple):
    """A drug's name and whose it is."""

    text: str
    drug: str


class Resolver:
    """A catalogue, built and opened."""

    def __init__(self, catalog: Catalog, folder: Path, codes: Sequence[str] = LANGUAGES) -> None:
        packs = [language(code) for code in codes]
        folder.mkdir()
        self.report: DrugReport = compile_drugs(catalog, packs, Writer(folder))
        self.index = DrugIndex.open(Part(folder), packs)

    def candidates(self, text: str) -> tuple[Candidate, ...]:
        tokens = tokenize(text)
        found = self.index.match(tokens)
        near = self.index.near(tokens, -1, [m.span for m in found.mentions])
        return (*found.candidates, *near.candidates)

    def best(self, text: str, drug: str | None = None) -> str | None:
        """The surest match of ``text`` with ``drug`` (or any drug)."""
        kinds = {c.match for c in self.candidates(text) if drug in {None, c.id}}
        return next((k for k in ("exact", "variant", "fuzzy") if k in kinds), None)


def read(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL))


def usable(name: str) -> bool:
    """A name as people write it: no formula, no sentence."""
    return 4 <= len(name) <= 40 and name.count(" ") < 3 and bool(re.fullmatch(r"[^\W\d_][\w' -]*", name))


def names_of(vocabulary: Sequence[dict[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in vocabulary:
        names = [row["Common name"], *row["Synonyms"].split("|")]
        found[row["DrugBank ID"]] = [n for name in names if usable(n := name.strip())]
    return found


def brands_of(misspellings: Sequence[dict[str, str]]) -> defaultdict[str, list[str]]:
    """Names beside the vocabulary's, by drug; phrases of the source that are no names left out."""
    phrase = re.compile(r"\b(tak|start|stopp|stop|taking|doctor|prescri|script|shots?|levels?|blood|pills?)")
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in misspellings:
        for name in row["known_names"].split(","):
            if (
                usable(name)
                and name.count(" ") < 2
                and not phrase.search(name)
                and name not in found[row["drugbank_id"]]
            ):
                found[row["drugbank_id"]].append(name)
    return found


def draw(names: dict[str, list[str]], brands: dict[str, list[str]], ordinary: frozenset[str]) -> list[str]:
    """684 drugs of one word that are no everyday thing: those with misspellings first."""

    def pool(of: Iterable[str]) -> list[str]:
        keys = ((i, fold_key(names[i][0])) for i in of if names.get(i))
        return sorted(i for i, key in keys if " " not in key and key.isalpha() and key not in ordinary)

    first = pool(brands)
    rng = random.Random(SEED)
    if len(first) >= DRUGS:
        return sorted(rng.sample(first, DRUGS))
    return sorted([*first, *rng.sample(pool(set(names) - set(first)), DRUGS - len(first))])


def catalogue(
    ids: Iterable[str], names: dict[str, list[str]], brands: dict[str, list[str]], known: Iterable[str]
) -> Catalog:
    drugs, aliases = [], []
    ordinary = frozenset(dictionary([language(code) for code in LANGUAGES]))
    for i in ids:
        drugs.append(Drug(drug_id=i, name=names[i][0]))
        aliases += [Alias(drug_id=i, alias=n) for n in names[i][1:]]
        aliases += [Alias(drug_id=i, alias=b, kind="brand") for b in brands[i] if fold_key(b) not in ordinary]
    return Catalog(drugs=tuple(drugs), aliases=tuple(aliases), known=tuple(known))


def share(count: int, of: int) -> str:
    return f"{count} of {of} ({100 * count / of:.2f}%)" if of else "none"


def rows(title: str, found: Iterator[tuple[str, str]]) -> None:
    print(f"\n### {title}\n\n| measure | found |\n|---|---|")
    for what, value in found:
        print(f"| {what} | {value} |")


# --- measures ---


def misspelt(resolver: Resolver, misspellings: Sequence[dict[str, str]], ids: set[str]) -> Iterator[tuple[str, str]]:
    kinds: dict[str, Counter[str | None]] = defaultdict(Counter)
    for row in misspellings:
        if row["drugbank_id"] in ids:
            kinds[row["kind"]][resolver.best(row["written"], row["drugbank_id"])] += 1
    for kind, counts in sorted(kinds.items()):
        total = counts.total()
        found = ", ".join(f"{k} {counts[k]}" for k in ("exact", "variant", "fuzzy"))
        yield f"RedMed {kind}, as labelled by its makers: offered", f"{share(total - counts[None], total)}: {found}"


def labelled(
    labels: Sequence[dict[str, str]], names: dict[str, list[str]], base: Catalog, folder: Path
) -> Iterator[tuple[str, str]]:
    """Rows read by hand: the name that was meant must be offered. The catalogue has these names and the drawn drugs."""
    meant = sorted({row["right"] for row in labels if row["right"] != "-"})
    owner = {fold_key(n): d for d, ns in names.items() for n in ns}
    owner |= {fold_key(a.alias): a.drug_id for a in base.aliases}
    ids: dict[str, str] = {name: owner.get(fold_key(name), name) for name in meant}
    held = {d.drug_id for d in base.drugs}
    drugs = {i: Drug(drug_id=i, name=n) for n, i in sorted(ids.items()) if i not in held}
    aliases = [*base.aliases, *(Alias(drug_id=i, alias=n) for n, i in ids.items())]
    resolver = Resolver(Catalog(drugs=(*base.drugs, *drugs.values()), aliases=tuple(aliases)), folder)
    right = [row for row in labels if row["right"] != "-"]
    kinds = Counter(resolver.best(row["written"], ids[row["right"]]) for row in right)
    yield "rows read by hand, of these misspellings of the name", f"{len(labels)}, {len(right)}"
    found = ", ".join(f"{k} {kinds[k]}" for k in ("exact", "variant", "fuzzy"))
    yield "right drug offered", f"{share(len(right) - kinds[None], len(right))}: {found}"
    missed = [f"{r['written']} ({r['right']})" for r in right if resolver.best(r["written"], ids[r["right"]]) is None]
    yield "missed", ", ".join(missed) or "none"


def others(resolver: Resolver, names: Sequence[Name], what: str) -> Iterator[tuple[str, str]]:
    """Names of drugs that the catalogue lacks: none may be taken for one of its own."""
    taken: Counter[str | None] = Counter()
    wrong: list[str] = []
    for name in names:
        # a name with several words may hold a catalogue drug's own name: what counts is the whole
        tokens = tokenize(name.text)
        whole = [c for c in resolver.candidates(name.text) if c.span == tokens.span(0, len(tokens))]
        kind = next((k for k in ("exact", "variant", "fuzzy") if any(c.match == k for c in whole)), None)
        taken[kind] += 1
        if kind in {"exact", "variant"}:
            wrong += [f"{name.text} → {c.name} ({c.why or 'the same name'})" for c in whole if c.match != "fuzzy"]
    firm = taken["exact"] + taken["variant"]
    bound = f", upper bound {300 / len(names):.3f}%" if not firm else ""
    yield f"{what}: taken for another drug, exact or variant", f"{share(firm, len(names))}{bound}"
    if wrong:
        yield f"{what}: these", "; ".join(wrong[:40])
    yield f"{what}: offered as fuzzy", share(taken["fuzzy"], len(names))


def invented(resolver: Resolver, ids: Sequence[str], names: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    rng = random.Random(SEED)
    own = [n for i in ids if len(n := fold_key(names[i][0])) >= 6 and n.isalpha()]
    made = {f"{n}{e}" for n in own for e in rng.sample(ENDINGS, 6)}
    made |= {f"{b}{n}" for n in own for b in rng.sample(BEGINNINGS, 2)}
    for first in own:
        other = rng.choice(own)
        made.add(first[: max(3, len(first) // 2 + 1)] + other[len(other) // 2 :])
    written = load_spelling([language(code) for code in LANGUAGES])[0]
    real = {written.joined(fold_key(n)) for ns in names.values() for n in ns}
    tried = sorted(word for word in made if written.joined(word) not in real)
    counts = Counter(resolver.best(word) for word in tried)
    yield (
        "made-up names (an ending or beginning added, two names blended): offered",
        share(len(tried) - counts[None], len(tried)),
    )
    firm = [w for w in tried if resolver.best(w) in {"exact", "variant"}]
    yield "of these as exact or variant", f"{len(firm)} {', '.join(firm[:20])}"


def lookalikes(
    pairs: Sequence[dict[str, str]], names: dict[str, list[str]], known: Sequence[str], folder: Path
) -> Iterator[tuple[str, str]]:
    """Of each pair the catalogue has one name; the other must not lead to it."""
    for lexicon in (False, True):
        counts: Counter[str | None] = Counter()
        shown: list[str] = []
        both = [(p["a"], p["b"]) for p in pairs] + [(p["b"], p["a"]) for p in pairs]
        for number, (own, other) in enumerate(both):
            catalog = Catalog(
                drugs=(Drug(drug_id="own", name=own),),
                known=tuple(n for n in known if fold_key(n) != fold_key(own)) if lexicon else (),
            )
            resolver = Resolver(catalog, folder / f"{lexicon}{number}", ("mul",))  # without the word lists: quick
            kind = resolver.best(other)
            counts[kind] += 1
            if kind:
                shown.append(f"{other} → {own} ({kind})")
        label = "with" if lexicon else "without"
        yield (
            f"look-alike pairs, {label} names known elsewhere: offered",
            f"{share(len(both) - counts[None], len(both))} {'; '.join(shown)}",
        )


POLICIES: dict[str, Callable[[str, str, int], bool]] = {
    "spelling rules alone": lambda a, b, d: d == 0,
    "one letter away": lambda a, b, d: d <= 1,
    "one letter away, same first letter": lambda a, b, d: d <= 1 and a[0] == b[0],
    "as it is": lambda a, b, d: d <= allowed(a, b),
    "two letters away, same first letter": lambda a, b, d: d <= 2 and a[0] == b[0],
    "two letters away": lambda a, b, d: d <= 2,
}


def curve(
    labels: Sequence[dict[str, str]], own: Iterable[str], other: Sequence[str], words: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Recall against look-alikes for other policies, by the distance of canonical forms alone."""
    written = load_spelling([language(code) for code in LANGUAGES])[0]

    def form(name: str) -> str:
        return written.joined(fold_key(name))

    catalogue = sorted({f for n in own if len(f := form(n)) >= LEAST})
    misspelt = [(form(r["written"]), form(r["right"])) for r in labels if r["right"] != "-"]
    asked = {"real": [form(n) for n in other], "words": [form(w) for w in words]}
    near = {
        what: [
            [(f, o, int(d)) for o, d, _ in extract_iter(f, catalogue, scorer=OSA.distance, score_cutoff=2)]
            for f in forms
        ]
        for what, forms in asked.items()
    }
    for policy, passes in POLICIES.items():
        found = sum(passes(a, b, OSA.distance(a, b)) for a, b in misspelt)
        shares = [
            share(sum(any(passes(*n) for n in hits) for hits in near[w]), len(near[w])) for w in ("real", "words")
        ]
        yield policy, f"{share(found, len(misspelt))} | {shares[0]} | {shares[1]}"


def ordinary(resolver: Resolver, words: dict[str, list[str]], sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
    for code, listed in words.items():
        hits = [f"{w} → {c[0].name} ({c[0].match})" for w in listed if (c := resolver.candidates(w))]
        yield f"frequent words ({code}) that give a drug", f"{share(len(hits), len(listed))} {'; '.join(hits[:30])}"
    firm: list[str] = []
    fuzzy: list[str] = []
    for sentence in sentences:
        for each in resolver.candidates(sentence):
            (fuzzy if each.match == "fuzzy" else firm).append(f"{each.text} → {each.name} ({each.match})")
    yield "ordinary sentences", str(len(sentences))
    yield (
        "names found in them, exact or variant (to be read)",
        f"{len(firm)}: {'; '.join(f'{k} ×{n}' for k, n in Counter(firm).most_common(60))}",
    )
    yield (
        "fuzzy candidates in them (to be read)",
        f"{len(fuzzy)}: {'; '.join(f'{k} ×{n}' for k, n in Counter(fuzzy).most_common(60))}",
    )


def dutch_names(articles: Sequence[dict[str, str]], owner: dict[str, str]) -> list[Name]:
    """Brand names of Dutch articles with the drug of their substance, where that is one."""
    found: dict[str, str] = {}
    for row in articles:
        drug = owner.get(fold_key(row["stof"]))
        word = re.split(r"[^A-Za-zÀ-ÿ]+", row["artikelnaam"].strip())[0]
        if drug and len(word) >= 4:
            found.setdefault(word.lower(), drug)
        if drug and usable(row["stof"].lower()):
            found.setdefault(row["stof"].lower(), drug)
    return [Name(text, drug) for text, drug in sorted(found.items())]


def plain(sentence: str) -> str:
    return re.sub(r"\s+([.,;:!?])", r"\1", sentence.replace("_", " ")).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--misspellings", type=Path, required=True)
    parser.add_argument("--labelled", type=Path)
    parser.add_argument("--dutch", type=Path)
    parser.add_argument("--pairs", type=Path, action="append", default=[])
    parser.add_argument("--sentences", type=Path, action="append", default=[])
    parser.add_argument("--words", action="append", default=[], metavar="LANGUAGE=FILE")
    options: Any = parser.parse_args()
    names = names_of(read(options.vocabulary))
    misspellings = read(options.misspellings, "\t")
    brands = brands_of(misspellings)
    ids = draw(names, brands, frozenset(dictionary([language(code) for code in LANGUAGES])))
    own = set(ids)
    owner = {fold_key(n): d for d, ns in names.items() for n in ns}
    own_names = {fold_key(n) for i in ids for n in (*names[i], *brands[i])}
    elsewhere = [Name(n, d) for d, ns in names.items() if d not in own for n in ns if fold_key(n) not in own_names]
    with tempfile.TemporaryDirectory(prefix="dragoman-quality-") as place:
        base = Path(place)
        bare = Resolver(catalogue(ids, names, brands, ()), base / "bare")
        full = Resolver(catalogue(ids, names, brands, [n for ns in names.values() for n in ns]), base / "full")
        print(f"Catalogue: {bare.report.counts}; with names known elsewhere: {full.report.counts}.")
        print(f"Collisions: {len(bare.report.collisions)}, with names known elsewhere {len(full.report.collisions)}.")
        print(
            f"Names known elsewhere that are a catalogue name in another spelling: {len(full.report.same_substance)}."
        )
        rows("Misspellings", misspelt(bare, misspellings, own))
        rows("Misspellings, with names known elsewhere", misspelt(full, misspellings, own))
        if options.labelled:
            rows(
                "Misspellings, read by hand",
                labelled(read(options.labelled, "\t"), names, catalogue(ids, names, brands, ()), base / "labelled"),
            )
        drawn = random.Random(SEED).sample(elsewhere, min(OTHER_NAMES, len(elsewhere)))
        rows("Other real names (vocabulary)", others(bare, drawn, "without the lexicon"))
        far = [Name(b, d) for d, bs in list(brands.items()) if d not in own for b in bs]
        if options.dutch:
            far += [n for n in dutch_names(read(options.dutch), owner) if n.drug not in own]
        far = list({fold_key(n.text): n for n in far if fold_key(n.text) not in own_names}.values())
        covered = sum(fold_key(n.text) in owner for n in far)
        print(f"\nNames from another source (brands, Dutch articles): of {len(far)} the lexicon has {covered}.")
        rows("Other real names (another source), without the lexicon", others(bare, far, "without"))
        rows("Other real names (another source), with the lexicon", others(full, far, "with"))
        rows("Made-up names", invented(bare, ids, names))
        pairs = [row for path in options.pairs for row in read(path)]
        if pairs:
            close = [
                n for p in pairs for side in (p["a"], p["b"]) for n in names.get(owner.get(fold_key(side), ""), ())
            ]
            rows("Look-alikes", lookalikes(pairs, names, close, base))
        words = {w.split("=", 1)[0]: Path(w.split("=", 1)[1]).read_text("utf-8").split() for w in options.words}
        sentences = [plain(s) for path in options.sentences for s in path.read_text("utf-8").splitlines() if s.strip()]
        if options.labelled and words:
            print("\n### Recall against look-alikes\n")
            print("| policy | recall | real names | frequent words |\n|---|---|---|---|")
            every = [w for listed in words.values() for w in listed]
            own_listed = [n for i in ids for n in (*names[i], *brands[i])] + [
                r["right"] for r in read(options.labelled, "\t")
            ]
            for policy, found in curve(read(options.labelled, "\t"), own_listed, [n.text for n in drawn[:5000]], every):
                print(f"| {policy} | {found} |")
        if words or sentences:
            rows("Ordinary words and sentences", ordinary(bare, words, sentences))


if __name__ == "__main__":
    main()
