"""Linear heads: a matrix, a bias, a temperature and a threshold each, as arrays; and the card that goes with them.

A set of heads is a folder with ``heads.npz`` and ``card.json``. The head ``question`` tells *what is asked* as one of
its fine classes, each a turn type with a detail (``drug_attribute/bao_quan``, ``condition_relation/adverse_effect``);
the turn type's probability is the sum over its details, and the detail is told given the turn type. The further heads
tell one field each.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dragoman.errors import ConfigError
from dragoman.offline.features import BUCKETS, Seen, row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DATA = Path(__file__).parent / "data"
VERSION = 2
NEVER = 1.01
QUESTION = "question"


class HeadCard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One head: its classes in the order of its columns, and how sure it must be. ``temperature`` divides the logits.

    ``threshold`` is for the head's own answer; ``agreed`` for one that the rules guess as well; ``overrule`` for one
    against a rule; ``kept`` is what it must grant a rule's answer for that to stand, ``fallback`` the same for what the
    rules guess; ``dismiss`` is for turning a person away by the head alone; ``detail`` is for the detail given the turn
    type. All are probabilities; 1.01 is never reached.
    """

    classes: tuple[str, ...]
    temperature: float = 1.0
    threshold: float = NEVER
    agreed: float = NEVER
    overrule: float = NEVER
    kept: float = 0.0
    fallback: float = 0.0
    dismiss: float = NEVER
    detail: float = NEVER


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """``card.json``: what the heads were made from and for; further keys are figures for readers.

    ``languages`` are those of the training data, in which alone the heads are asked; without any, in all.
    """

    version: int
    profile: str
    encoder: str
    dim: int
    features: tuple[str, ...]
    heads: dict[str, HeadCard]
    languages: tuple[str, ...] = ()


class Told(NamedTuple):
    """What the heads say of one turn: labels with their probabilities; a label is given whether it is sure or not.

    ``types`` has the probability of every turn type.
    """

    turn_type: str
    sure: float
    detail: str
    detail_sure: float
    others: dict[str, tuple[str, float]]
    types: dict[str, float]


class Heads:
    """The heads of one profile. Immutable; safe to share between threads."""

    def __init__(self, card: Card, arrays: dict[str, NDArray[np.float32]]) -> None:
        self.card = card
        self.arrays = arrays
        self._mean = arrays["mean"]
        self._idf = arrays["idf"]
        self._names = {name: i for i, name in enumerate(card.features)}
        self._weights, self._bias, self._columns = _side_by_side(card, arrays)
        question = card.heads[QUESTION].classes
        self._types: dict[str, list[int]] = {}
        for i, fine in enumerate(question):
            self._types.setdefault(fine.partition("/")[0], []).append(i)

    def tell(self, seen: list[Seen], vectors: Iterable[NDArray[np.float32]]) -> list[Told]:
        """Read several turns; ``vectors`` are their masked texts', one row each. A turn is told to the bit the same
        alone and among others."""
        return [self._told(self._scores(item, vector)) for item, vector in zip(seen, vectors, strict=True)]

    def logits(self, seen: list[Seen], vectors: Iterable[NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
        """By head the scores ``(n, classes)``, divided by its temperature."""
        import numpy as np

        found = [self._scores(item, vector) for item, vector in zip(seen, vectors, strict=True)]
        return {name: np.stack([scores[name] for scores in found]) for name in self.card.heads}

    def _scores(self, item: Seen, vector: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """By head the scores ``(classes,)`` of one turn, divided by its temperature.

        Of the thousands of numbers of a row all but some dozens are zero: only theirs are weighed. Without BLAS, whose
        last digits depend on how many rows there are.
        """
        import numpy as np

        parts = row(item, vector, self._mean, self._names, self._idf)
        dim = self.card.dim
        z = self._bias + np.einsum("i,ij->j", parts.dense, self._weights[:dim])
        z += np.einsum("i,ij->j", parts.values, self._weights[parts.places])
        return {name: z[a:b] / np.float32(self.card.heads[name].temperature) for name, (a, b) in self._columns.items()}

    def _told(self, scores: dict[str, NDArray[np.float32]]) -> Told:
        p = _softmax(scores[QUESTION])
        by_type = {kind: float(p[at].sum()) for kind, at in self._types.items()}
        kind = max(by_type, key=lambda k: by_type[k])
        best = max(self._types[kind], key=lambda j: p[j])
        others = {}
        for name, z in scores.items():
            if name != QUESTION:
                q = _softmax(z)
                j = int(q.argmax())
                others[name] = (self.card.heads[name].classes[j], float(q[j]))
        detail = self.card.heads[QUESTION].classes[best].partition("/")[2]
        return Told(kind, by_type[kind], detail, float(p[best]) / max(by_type[kind], 1e-9), others, by_type)


def _side_by_side(
    card: Card, arrays: dict[str, NDArray[np.float32]]
) -> tuple[NDArray[np.float32], NDArray[np.float32], dict[str, tuple[int, int]]]:
    """All heads' weights and biases beside each other, and from which column to which each head's are."""
    import numpy as np

    columns: dict[str, tuple[int, int]] = {}
    at = 0
    for name, head in card.heads.items():
        columns[name] = (at, at + len(head.classes))
        at += len(head.classes)
    weights = np.concatenate([arrays[f"{name}.weight"] for name in card.heads], axis=1)
    return weights, np.concatenate([arrays[f"{name}.bias"] for name in card.heads]), columns


def _softmax(z: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    e: NDArray[np.float32] = np.exp(z - z.max())
    e /= e.sum()
    return e


def load(folder: Path) -> Heads:
    """The heads in ``folder``. Raises ``ConfigError`` where they are missing, damaged, or of another version."""
    return _load(folder.resolve())


@lru_cache(maxsize=8)
def _load(folder: Path) -> Heads:
    import numpy as np

    try:
        card = msgspec.json.decode((folder / "card.json").read_bytes(), type=Card)
        with np.load(folder / "heads.npz", allow_pickle=False) as stored:
            arrays = {name: np.asarray(stored[name], dtype=np.float32) for name in stored.files}
        if card.version != VERSION:
            raise ValueError(f"version {card.version}, this is {VERSION}")
        width = card.dim + len(card.features) + BUCKETS
        for name, head in card.heads.items():
            if arrays[f"{name}.weight"].shape != (width, len(head.classes)):
                raise ValueError(f"head {name} has another shape than its card says")
        return Heads(card, arrays)
    except (OSError, EOFError, ValueError, KeyError, msgspec.DecodeError) as error:
        raise ConfigError(
            f"holds no usable heads ({error})", where=str(folder), advice="make them anew with `make heads`"
        ) from None
