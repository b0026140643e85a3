"""From a turn's evidence to the numbers that the heads weigh.

Three blocks, side by side: the embedding of the masked text; what the rules saw (facts, cues, the turn type they would
tell), which is the same in every language; and the folded words and pairs of words of the masked text, hashed. The
embedding carries meaning over to words nobody wrote down, the rules are exact where they speak, the words learn the
fixed expressions of a language.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from xxhash import xxh3_64_intdigest

from dragoman.evidence.gather import Evidence
from dragoman.evidence.settle import Settled, settle
from dragoman.offline.mask import Masked, masked
from dragoman.text.tokens import fold_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUCKETS = 4096  # hashed words and pairs; two in a hundred share one where a profile has some thousands
EMBEDDING_WEIGHT = 8.0  # unit vectors differ by little (their cosines are .76 to .88): spread them
WORDS_WEIGHT = 3.0
FEW = 3  # words of a turn that is hardly more than a name


class Seen(NamedTuple):
    """One turn before it is embedded: the masked text, and the named features with their values."""

    masked: Masked
    named: dict[str, float]


def see(evidence: Evidence, told: Settled | None = None) -> Seen:
    """The features of a turn that need no encoder; ``told`` is what the rules settle of it, where it is known. Pure."""
    told = told or settle(evidence)
    hidden = masked(evidence)
    named = {f"fact {fact}": 1.0 for fact in told.facts}
    named[f"told {told.turn_type}"] = 1.0
    named[f"told attribute {told.attribute}"] = 1.0
    named[f"told relation {told.relation}"] = 1.0
    if told.cue is not None:
        named["told by a post-condition" if told.cue.post else "told by a cue"] = 1.0
    for found in evidence.found:
        sets = found.cue.set
        for field in ("turn_type", "attribute", "condition_relation", "fact"):
            value = getattr(sets, field)
            if value is not None:
                named[f"cue {field} {value}"] = 1.0
    for kind, count in hidden.kinds.items():
        named[f"kind {kind}"] = 1.0
        if count > 1:
            named[f"kind {kind} twice"] = 1.0
    text = evidence.reading.turn.text
    words = len(evidence.reading.tokens)
    named["length"] = min(words, 40) / 40
    named["few words"] = float(words <= FEW)
    named["question mark"] = float("?" in text)
    named["digit"] = float(any(c.isdigit() for c in text))
    return Seen(hidden, named)


def buckets(text: str) -> dict[int, float]:
    """Hashed words and pairs of neighbouring words of ``text``, folded; each counts once."""
    keys = fold_key(text).split(" ")
    pairs = [f"{a} {b}" for a, b in pairwise(keys)]
    return {xxh3_64_intdigest(key.encode()) % BUCKETS: 1.0 for key in (*keys, *pairs) if key}


class Row(NamedTuple):
    """The numbers of one turn. ``dense`` is its vector; behind it ``values`` stand at ``places``, the rest is zero."""

    dense: NDArray[np.float32]
    places: NDArray[np.int64]
    values: NDArray[np.float32]


def row(
    item: Seen, vector: NDArray[np.float32], mean: NDArray[np.float32], names: dict[str, int],
    idf: NDArray[np.float32],
) -> Row:  # fmt: skip
    """A turn's ``vector`` (dim) about the ``mean``, the features of ``names``, the words by ``idf``."""
    import numpy as np

    dim = len(vector)
    known = [(dim + names[name], value) for name, value in item.named.items() if name in names]
    words = list(buckets(item.masked.text))
    weights = idf[words]
    length = float(np.sqrt((weights * weights).sum()))
    if length > 0:
        weights = weights * np.float32(WORDS_WEIGHT / length)
    first = dim + len(names)
    return Row(
        (vector - mean) * np.float32(EMBEDDING_WEIGHT),
        np.array([*(place for place, _ in known), *(first + bucket for bucket in words)], dtype=np.int64),
        np.concatenate([np.array([value for _, value in known], dtype=np.float32), weights]),
    )


def rows(
    seen: list[Seen], vectors: NDArray[np.float32], mean: NDArray[np.float32], names: dict[str, int],
    idf: NDArray[np.float32],
) -> NDArray[np.float32]:  # fmt: skip
    """One row a turn, zeros and all, as the heads are trained on them."""
    import numpy as np

    dim = vectors.shape[1]
    out = np.zeros((len(seen), dim + len(names) + BUCKETS), dtype=np.float32)
    for line, item, vector in zip(out, seen, vectors, strict=True):
        found = row(item, vector, mean, names, idf)
        line[:dim] = found.dense
        line[found.places] = found.values
    return out
