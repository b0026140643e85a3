"""A made-up terminology of full size as a SNOMED CT release package: the files, columns and habits of a real one.

    python bench/generate_rf2.py FOLDER [--descriptions 529000] [--concepts N] [--relationships N] [--project]

Writes the snapshot of a Dutch edition: concepts, descriptions (preferred terms, other synonyms, some fully specified
names), inferred relationships, a language reference set; with retired rows among the live ones, and ids that carry a
check digit. Live rows are exactly as many as asked for. Words are made up from syllables; a few are frequent and many
rare. The same arguments write the same bytes. ``--project`` adds a taxonomy and a project file.
"""

from __future__ import annotations

import argparse
import random
import uuid
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from pathlib import Path

from dragoman.bench import generate

DATE = "20260331"
CORE, NAMESPACE = "900000000000207008", "1000146"
FSN, SYNONYM = "900000000000003001", "900000000000013009"
PREFERRED, ACCEPTABLE = "900000000000548007", "900000000000549004"
INFERRED, SOME, CASE = "900000000000011006", "900000000000451002", "900000000000448009"
DEFINED, PRIMITIVE = "900000000000073002", "900000000000074008"
DUTCH = "31000146106"  # the reference set of the Netherlands
IS_A = "116680003"
OTHERS = ("363698007", "116676008", "42752001", "246075003", "370135005")  # site, morphology, due to, agent, process
ROOT = 138875005
TOPS = ("aandoening", "bevinding", "verrichting", "lichaamsstructuur", "organisme", "substantie", "product", "situatie")
RETIRED = 20  # one row in so many is a retired one beside the live ones
PER_CONCEPT = 350_000 / 529_000
RELATIONS = 1_400_000 / 529_000

_D = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_P = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip
_INVERSE = "0432156789"


def sctid(item: int, partition: str, namespace: str = NAMESPACE) -> str:
    """An id with its Verhoeff check digit, as in the release format's specification."""
    digits = f"{item}{namespace}{partition}"
    check = 0
    for place, digit in enumerate(reversed(digits), 1):
        check = int(_D[check][int(_P[place % 8][int(digit)])])
    return digits + _INVERSE[check]


def release(folder: Path, descriptions: int, concepts: int, relationships: int) -> list[str]:
    """Write the package; returns the ids of its live concepts."""
    rng = random.Random(generate.SEED + 7)
    base = folder / f"SnomedCT_MadeUpNL_PRODUCTION_{DATE}T120000Z" / "Snapshot"
    ids = [str(ROOT), *(sctid(n, "10") for n in range(1, concepts))]
    _table(
        base / "Terminology" / f"sct2_Concept_Snapshot_NL_{DATE}.txt",
        "id effectiveTime active moduleId definitionStatusId",
        _with_retired(rng, ((i, rng.choice((DEFINED, PRIMITIVE))) for i in ids), lambda n: sctid(n, "10", "9999999")),
    )
    accepted: list[tuple[str, str]] = []
    _table(
        base / "Terminology" / f"sct2_Description_Snapshot-nl_NL_{DATE}.txt",
        "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId",
        _with_retired(rng, _descriptions(rng, ids, descriptions, accepted), lambda n: sctid(n, "11", "9999999")),
    )
    _table(
        base / "Refset" / "Language" / f"der2_cRefset_LanguageSnapshot-nl_NL_{DATE}.txt",
        "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId",
        (
            (str(uuid.UUID(int=rng.getrandbits(128), version=4)), DATE, "1", CORE, DUTCH, description, how)
            for description, how in accepted
        ),
    )
    _table(
        base / "Terminology" / f"sct2_Relationship_Snapshot_NL_{DATE}.txt",
        "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId"
        " modifierId",
        _with_retired(rng, _relationships(rng, ids, relationships), lambda n: sctid(n, "12", "9999999")),
    )
    return ids


def _descriptions(
    rng: random.Random, ids: list[str], count: int, accepted: list[tuple[str, str]]
) -> Iterator[tuple[str, ...]]:
    """``(id, concept, language, type, term, case)``: each concept's preferred term, then what is left over."""
    terms = _terms(rng, count)
    for place in range(count):
        concept = ids[place % len(ids)]
        id_ = sctid(place + 1, "11")
        first = place < len(ids)
        full = not first and rng.random() < 0.3
        term = TOPS[place - 1] if 0 < place <= len(TOPS) else next(terms)
        if full:
            term = f"{term} ({TOPS[place % len(TOPS)]})"
        accepted.append((id_, PREFERRED if first or full else ACCEPTABLE))
        yield id_, concept, "nl", FSN if full else SYNONYM, term, CASE


def _terms(rng: random.Random, size: int) -> Iterator[str]:
    """Different terms of one to eight words."""
    vocabulary = generate.words(rng, "terms", min(generate.VOCABULARY, max(2_000, size // 3)), (1, 2, 2, 3, 3, 4, 5))
    weights = [1 / (rank + 20) for rank in range(len(vocabulary))]
    cumulated = list(accumulate(weights))
    seen: set[str] = set()
    while True:
        lengths = rng.choices((1, 2, 3, 4, 5, 6, 8), (6, 22, 24, 20, 14, 9, 5), k=4096)
        drawn = iter(rng.choices(vocabulary, cum_weights=cumulated, k=sum(lengths)))
        for length in lengths:
            term = " ".join(next(drawn) for _ in range(length))
            if term not in seen:
                seen.add(term)
                yield term


def _relationships(rng: random.Random, ids: list[str], count: int) -> Iterator[tuple[str, ...]]:
    """``(id, source, target, group, type, kind, modifier)``: a tree first, then further parents and other relations."""
    for number in range(count):
        if number < len(ids) - 1:
            source = number + 1
            target = 0 if source <= len(TOPS) else rng.randrange(1, source)
            kind = IS_A
        else:
            source = rng.randrange(len(TOPS) + 1, len(ids))
            target = rng.randrange(1, source)
            kind = IS_A if rng.random() < 0.2 else rng.choice(OTHERS)
        group = "0" if kind == IS_A else str(rng.randrange(1, 4))
        yield sctid(number + 1, "12"), ids[source], ids[target], group, kind, INFERRED, SOME


def _with_retired(
    rng: random.Random, rows: Iterable[tuple[str, ...]], make: Callable[[int], str]
) -> Iterator[tuple[str, ...]]:
    """Rows with time, flag and module; among them retired ones under ids that ``make`` gives."""
    for number, (id_, *rest) in enumerate(rows, 1):
        yield id_, DATE, "1", CORE, *rest
        if number % RETIRED == 0:
            yield make(number), f"20{rng.randrange(10, 26)}0131", "0", CORE, *rest


def _table(path: Path, header: str, rows: Iterator[tuple[str, ...]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write("\t".join(header.split()) + "\r\n")
        out.writelines("\t".join(row) + "\r\n" for row in rows)


def project(folder: Path, ids: list[str], pages: int = generate.PAGES) -> None:
    """A hospital over the package: ``pages`` conditions with a concept each, departments that treat them."""
    rng = random.Random(generate.SEED + 8)
    names = generate.words(rng, "terms", pages * 2 + 20, (2, 3, 4))
    with (folder / "entities.csv").open("w", encoding="utf-8") as out:
        out.write("entity_id,type,name,language,status,concept_ids\n")
        out.writelines(
            f"c{n},condition,{names[2 * n]} {names[2 * n + 1]},nl,published,{rng.choice(ids)}\n" for n in range(pages)
        )
        out.writelines(f"d{n},department,{names[2 * pages + n]},nl,published,\n" for n in range(20))
    with (folder / "relations.csv").open("w", encoding="utf-8") as out:
        out.write("source_id,relation,target_id,status\n")
        out.writelines(f"d{rng.randrange(20)},TREATS,c{n},published\n" for n in range(pages))
    (folder / "dragoman.toml").write_text(
        '[project]\nname = "full-size"\nprofile = "hospital"\nlanguages = ["nl"]\n\n'
        '[[terminology]]\nname = "made-up"\nformat = "rf2"\npath = "release"\nlanguages = ["nl"]\n'
        'licence = "CC0-1.0"\n\n[taxonomy]\nentities = "entities.csv"\nrelations = "relations.csv"\n',
        "utf-8",
    )


def main() -> None:
    """The command line; see the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--descriptions", type=int, default=529_000)
    parser.add_argument("--concepts", type=int)
    parser.add_argument("--relationships", type=int)
    parser.add_argument("--project", action="store_true")
    given = parser.parse_args()
    concepts = given.concepts or round(given.descriptions * PER_CONCEPT)
    relationships = given.relationships or round(given.descriptions * RELATIONS)
    ids = release(given.folder / "release", given.descriptions, concepts, relationships)
    if given.project:
        project(given.folder, ids)


if __name__ == "__main__":
    main()
