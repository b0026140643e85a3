"""How far two readings of the real questions agree, and how often the pipeline gives what both accept.

    python scripts/label_agreement.py [--offline]

``training/real/frozen.tsv`` has the first reader's turn types, ``second.tsv`` a second reader's, made from the text
alone, with drugs, negations, weights and scope; those of a third are in the columns ``…_again``. A turn type is right
where both readers accept it (where they share none: either's). Prints one JSON document.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dragoman import Dragoman, Turn
from dragoman.folder import language
from dragoman.text.context import assertions
from dragoman.text.measures import weight
from dragoman.text.tokens import tokenize
from dragoman.types import Answer, Span

HOME = Path(__file__).parents[1] / "training" / "real"
NONE = "none"


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Cohen's kappa of two readers' labels (Cohen 1960, doi 10.1177/001316446002000104)."""
    same = sum(a == b for a, b in pairs) / len(pairs)
    one, two = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(one[label] * two[label] for label in one) / len(pairs) ** 2
    return 1.0 if chance == 1 else (same - chance) / (1 - chance)


def agreement(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Share of equal labels, and kappa."""
    return {"equal": round(sum(a == b for a, b in pairs) / len(pairs), 3), "kappa": round(kappa(pairs), 3)}


def told(answer: Answer) -> str:
    """The turn type, or ``none`` where the person is asked back what they mean."""
    return NONE if answer.frame.clarify_reason == "not_understood" else answer.frame.turn_type


def named(answer: Answer) -> set[str]:
    """What was taken for a drug's name, folded."""
    return {
        m.text.lower()
        for m in answer.mentions
        if m.kind == "drug" and m.message == -1 and m.status in ("exact", "variant", "fuzzy", "ambiguous", "unknown")
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--offline", action="store_true", help="with the offline heads")
    options = parser.parse_args()
    with (HOME / "frozen.tsv").open(encoding="utf-8") as lines:
        first = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    with (HOME / "second.tsv").open(encoding="utf-8") as lines:
        second = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    result: dict[str, object] = {}
    for profile in ("hospital", "formulary"):
        accepted = [(a[profile].split("|"), b[profile].split("|")) for a, b in zip(first, second, strict=True)]
        shared = [set(a) & set(b) or set(a) | set(b) for a, b in accepted]
        engine = Dragoman.demo(profile)
        without = () if options.offline else ("offline",)
        answers = [engine.ask(Turn(row["text"], language=row["language"]), without=without) for row in first]
        given = [told(answer) for answer in answers]
        result[profile] = {
            "best": agreement([(a[0], b[0]) for a, b in accepted]),
            "share_one": round(sum(bool(set(a) & set(b)) for a, b in accepted) / len(accepted), 3),
            "accepted": round(sum(g in s for g, s in zip(given, shared, strict=True)) / len(given), 3),
            "not_understood": round(given.count(NONE) / len(given), 3),
            "wrong_when_told": sum(g != NONE and g not in s for g, s in zip(given, shared, strict=True)),
        }
    for field in ("drugs", "negated", "weight_kg", "scope"):
        pairs = [(b[field].lower(), b[f"{field}_again"].lower()) for b in second]
        result[field] = agreement(pairs) | {"labelled": sum(bool(a) and a != "human" for a, _ in pairs)}
    result["pipeline"] = _facts(first, second, answers)
    print(json.dumps(result, indent=1))


def _facts(
    first: Sequence[dict[str, str]], second: Sequence[dict[str, str]], answers: Sequence[Answer]
) -> dict[str, object]:
    """Drugs found of those in both readings, and those found that are in neither; negations, weights, scope."""
    drugs = found = 0
    extra: list[str] = []
    denied = heard = right_weight = right_scope = 0
    for row, label, answer in zip(first, second, answers, strict=True):
        both = {d.lower() for d in label["drugs"].split("|") if d} & {
            d.lower() for d in label["drugs_again"].split("|") if d
        }
        either = f"{label['drugs']}|{label['drugs_again']}".lower()
        mine = named(answer)
        drugs += len(both)
        found += sum(any(d in m or m in d for m in mine) for d in both)
        extra += [m for m in mine if m not in either and not any(d and d in m for d in either.split("|"))]
        pack, tokens = language(row["language"]), tokenize(row["text"])
        for words in filter(None, label["negated"].split("|")):
            at = row["text"].lower().find(words.lower())
            denied += 1
            heard += assertions(tokens, [Span(at, at + len(words))], pack)[0].negated is not None
        stated = weight(tokens, pack)
        wanted = float(label["weight_kg"]) if label["weight_kg"] else None
        right_weight += (round(stated.kg, 1) if stated else None) == wanted
        right_scope += answer.scope.subject == label["scope"]
    return {
        "drugs_in_both_readings": drugs,
        "drugs_found": found,
        "taken_for_drugs_in_neither": extra,
        "negations": denied,
        "negations_heard": heard,
        "weights_right_of_150": right_weight,
        "scope_right_of_150": right_scope,
    }


if __name__ == "__main__":
    main()
