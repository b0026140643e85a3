"""Fit the offline heads: readings to rows, rows to the weights of a multinomial logistic regression.

The loss is strictly convex but for a shift of the biases, and is followed until its gradient is all but nothing: the
same rows give the same weights. The embedding and the named features are dense, the hashed words sparse; kept apart
they cost a tenth of what they cost together.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import heads_data
import numpy as np
import scipy.optimize
import scipy.sparse
from heads_data import Sample
from numpy.typing import NDArray

from dragoman.evidence.gather import Evidence, gather
from dragoman.offline import encoder as encoders
from dragoman.offline.features import BUCKETS, Seen, buckets, rows, see
from dragoman.offline.heads import QUESTION, VERSION, Card, HeadCard, Heads

STRENGTH = 1.0  # of the regularisation; from 0.3 to 3 it makes no difference of a percent
GRADIENT = 1e-3  # the largest slope that is left; the loss is a sum over thousands of turns
ROUGH = 1e-2  # for the folds, whose weights are not kept: no label is another
ROUNDS = 2_000
BATCH = 32  # texts embedded together

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Places = NDArray[np.int64]


class Set(NamedTuple):
    """Samples, what is read and seen of them, and the vectors of their masked texts."""

    samples: list[Sample]
    evidence: list[Evidence]
    seen: list[Seen]
    vectors: Floats

    def part(self, at: Sequence[int] | Places) -> Set:
        """The samples ``at``."""
        places = np.asarray(at, dtype=np.int64)
        return Set(
            [self.samples[i] for i in places], [self.evidence[i] for i in places], [self.seen[i] for i in places],
            self.vectors[places],
        )  # fmt: skip


def fine(labels: dict[str, Any]) -> str | None:
    """The fine class of a family: its turn type, of several the first, with the detail that goes with it."""
    kind = labels.get("turn_type")
    if kind is None:
        return None
    kind = kind.partition("|")[0]
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
        for i in range(0, len(missing), BATCH):
            part = missing[i : i + BATCH]
            self._known.update(zip(part, self.encoder.encode(part), strict=True))
            if i % 1024 == 0:
                print(f"  embedding {i} of {len(missing)}", file=sys.stderr)
        if missing and self._cache is not None:
            np.savez(
                self._cache, encoder=self.encoder.name, texts=np.array(list(self._known)),
                vectors=np.stack(list(self._known.values())),
            )  # fmt: skip
        return np.stack([self._known[t] for t in texts])


def prepare(profile: str, samples: Sequence[Sample], encode: Encoded) -> Set:
    """Read the samples' evidence and embed their masked texts."""
    pack = heads_data.profile(profile)
    evidence = [gather(s.reading, pack) for s in samples]
    seen = [see(e) for e in evidence]
    return Set(list(samples), evidence, seen, encode([s.masked.text for s in seen]))


def train(
    profile: str, data: Set, encoder: encoders.Encoder, *, slope: float = GRADIENT, tasks: Sequence[str] = tuple(TASKS)
) -> Heads:  # fmt: skip
    """Fit the heads of ``tasks`` on ``data``. Temperatures and thresholds are still to be chosen."""
    mean = data.vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    names = {name: i for i, name in enumerate(sorted({n for s in data.seen for n in s.named}))}
    held = Counter(bucket for s in data.seen for bucket in buckets(s.masked.text))
    idf = np.zeros(BUCKETS, dtype=np.float32)
    for bucket, count in held.items():
        if count > 1:
            idf[bucket] = np.log((1 + len(data.seen)) / (1 + count)) + 1
    x = rows(data.seen, data.vectors, mean, names, idf)
    cut = data.vectors.shape[1] + len(names)
    kept = np.flatnonzero(idf)
    dense, sparse = x[:, :cut].astype(np.float64), scipy.sparse.csr_matrix(x[:, cut:][:, kept].astype(np.float64))
    arrays: dict[str, Floats] = {"mean": mean, "idf": idf}
    heads: dict[str, HeadCard] = {}
    for task in tasks:
        label = TASKS[task]
        y = [label(s.labels) for s in data.samples]
        mine = [j for j, value in enumerate(y) if value is not None]
        classes = sorted({value for value in y if value is not None})
        if len(classes) < 2:
            continue
        weight = fit(dense[mine], sparse[mine], [classes.index(str(y[j])) for j in mine], len(classes), slope)
        full = np.zeros((cut + BUCKETS, len(classes)), dtype=np.float32)
        full[:cut] = weight[:cut]
        full[cut + kept] = weight[cut:-1]
        arrays[f"{task}.weight"], arrays[f"{task}.bias"] = full, weight[-1].astype(np.float32)
        heads[task] = HeadCard(classes=tuple(classes))
    card = Card(
        version=VERSION, profile=profile, encoder=encoder.name, dim=encoder.dim, features=tuple(names), heads=heads
    )  # fmt: skip
    return Heads(card, arrays)


def fit(dense: Doubles, sparse: Any, y: Sequence[int], classes: int, slope: float) -> Doubles:
    """Weights ``(dense + sparse + 1, classes)`` of a multinomial logistic regression; the last row is the bias."""
    n, d = dense.shape
    kind: Any = np.float64 if slope <= GRADIENT else np.float32  # half the time, where that is exact enough
    dense, sparse = dense.astype(kind, copy=False), sparse.astype(kind, copy=False)
    truth = np.zeros((n, classes), dtype=kind)
    truth[np.arange(n), y] = 1
    turned = sparse.T.tocsr()

    def loss(flat: Doubles) -> tuple[float, Doubles]:
        weight: Any = flat.astype(kind, copy=False).reshape(-1, classes)
        z = dense @ weight[:d] + sparse @ weight[d:-1] + weight[-1]
        top = z.max(axis=1, keepdims=True)
        e = np.exp(z - top)
        total = e.sum(axis=1, keepdims=True)
        value = float((np.log(total) + top).sum(dtype=np.float64) - (z * truth).sum(dtype=np.float64))
        rest = e / total - truth
        steep = np.concatenate([dense.T @ rest, turned @ rest, rest.sum(axis=0, keepdims=True)]).astype(np.float64)
        steep[:-1] += weight[:-1] / STRENGTH
        return value + 0.5 * float((weight[:-1] ** 2).sum()) / STRENGTH, steep.ravel()

    start = np.zeros((d + sparse.shape[1] + 1) * classes)
    found = scipy.optimize.minimize(
        loss, start, jac=True, method="L-BFGS-B",
        options={"maxiter": ROUNDS, "maxfun": 2 * ROUNDS, "gtol": slope, "ftol": 0.0, "maxcor": 20},
    )  # fmt: skip
    weights: Doubles = found.x.reshape(-1, classes)
    return weights


def softmax(z: Doubles) -> Doubles:
    """Probabilities, row by row."""
    e = np.exp(z - z.max(axis=1, keepdims=True))
    out: Doubles = e / e.sum(axis=1, keepdims=True)
    return out
