"""A GGUF file on this machine, through llama-cpp-python where the user has it. No word leaves the machine.

The schema becomes a grammar that the sampler cannot leave, so the enum of shown ids is enforced, not asked for.
"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from time import monotonic
from typing import Any

from dragoman.errors import ConfigError
from dragoman.models.guard import malformed, unavailable
from dragoman.protocols import Answered, Request, Usage

CONTEXT_MARGIN = 256  # tokens that a chat template adds


class Local:
    """A ``Transport`` to a model file. One reply at a time: a llama.cpp context is no more than one conversation."""

    host = "this machine"

    def __init__(self, path: Path, *, context: int, reply_limit: int) -> None:
        try:
            from llama_cpp import Llama
        except ImportError:
            raise ConfigError(
                "[llm] provider 'local' needs llama-cpp-python, which is not installed",
                advice="pip install llama-cpp-python (it compiles for some minutes), or choose another provider",
            ) from None
        if not path.is_file():
            raise ConfigError(
                "[llm] there is no such model file", where=str(path), advice="set model to the path of a GGUF file"
            )
        self._llama = Llama(model_path=str(path), n_ctx=context + CONTEXT_MARGIN, verbose=False)
        self._limit = reply_limit
        self._busy = threading.Lock()

    async def send(self, request: Request, timeout_s: float) -> Answered:
        """See ``guard.Transport``."""
        return await asyncio.to_thread(self._write, request, monotonic() + timeout_s)

    async def aclose(self) -> None:
        """Free the model's memory."""
        close = getattr(self._llama, "close", None)
        if close is not None:
            close()

    def _write(self, request: Request, until: float) -> Answered:
        """Generate piece by piece: a thread cannot be cancelled, so it looks at the clock itself."""
        if not self._busy.acquire(timeout=max(0.0, until - monotonic())):
            raise unavailable("the model was busy until the deadline", trips=False)
        try:
            pieces: list[str] = []
            size = 0
            finish = None
            for chunk in self._llama.create_chat_completion(
                messages=[{"role": m.role, "content": m.content} for m in request.messages],
                response_format={"type": "json_object", "schema": request.schema},
                max_tokens=request.max_output_tokens,
                temperature=0.0,
                stream=True,
            ):
                if monotonic() > until:
                    raise unavailable("the model was too slow", trips=False)
                piece, finish = _piece(chunk, finish)
                size += len(piece)
                if size > self._limit:
                    raise malformed("the reply is larger than [limits] allow")
                pieces.append(piece)
        except (ValueError, RuntimeError) as error:
            # The library's words for a prompt that does not fit, or a schema that makes no grammar.
            raise unavailable("the model could not be run", trips=False, cause=type(error).__name__) from None
        finally:
            self._busy.release()
        text = "".join(pieces)
        if finish == "length":
            raise malformed("the reply was cut short at max_output_tokens")
        if not text.strip():
            raise malformed("the reply is empty")
        return Answered(text=text, usage=Usage(input_tokens=request.tokens, output_tokens=len(pieces), cost_usd=0.0))


def _piece(chunk: Any, finish: str | None) -> tuple[str, str | None]:
    choice = chunk["choices"][0]
    return choice.get("delta", {}).get("content") or "", choice.get("finish_reason") or finish
