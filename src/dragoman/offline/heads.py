"""Linear heads: a matrix, a bias, a temperature and a threshold each, as arrays; and the card that goes with them.

A set of heads is a folder with ``heads.npz`` and ``card.json``. The head ``question`` tells *what is asked* as one of
its fine classes, each a turn type with a detail (``drug_attribute/bao_quan``, ``condition_relation/adverse_effect``);
the turn type's probability is the sum over its details, and the detail is told given the turn type. The further heads
tell one field each.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dragoman.errors import ConfigError
from dragoman.offline.features import BUCKETS, Seen, rows

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
        self._weights = {name: (arrays[f"{name}.weight"], arrays[f"{name}.bias"]) for name in card.heads}
        question = card.heads[QUESTION].classes
        self._types: dict[str, list[int]] = {}
        for i, fine in enumerate(question):
            self._types.setdefault(fine.partition("/")[0], []).append(i)

    def tell(self, seen: list[Seen], vectors: NDArray[np.float32]) -> list[Told]:
        """Read several turns at once; ``vectors`` are their masked texts', one row each."""
        probabilities = {name: _softmax(z) for name, z in self.logits(seen, vectors).items()}
        question = probabilities.pop(QUESTION)
        fine = self.card.heads[QUESTION].classes
        told = []
        for i, p in enumerate(question):
            by_type = {kind: float(p[at].sum()) for kind, at in self._types.items()}
            kind = max(by_type, key=lambda k: by_type[k])
            best = max(self._types[kind], key=lambda j: p[j])
            others = {}
            for name, q in probabilities.items():
                j = int(q[i].argmax())
                others[name] = (self.card.heads[name].classes[j], float(q[i][j]))
            detail = fine[best].partition("/")[2]
            told.append(Told(kind, by_type[kind], detail, float(p[best]) / max(by_type[kind], 1e-9), others, by_type))
        return told

    def logits(self, seen: list[Seen], vectors: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """By head the scores ``(n, classes)``, divided by its temperature."""
        x = rows(seen, vectors, self._mean, self._names, self._idf)
        return {name: (x @ w + b) / self.card.heads[name].temperature for name, (w, b) in self._weights.items()}


def _softmax(z: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    e: NDArray[np.float32] = np.exp(z - z.max(axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
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
