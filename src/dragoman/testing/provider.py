"""A model provider that does as it is told, over real HTTP on the loopback interface."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from dragoman.testing import dialects
from dragoman.testing.faults import FAULTS, Step

CHUNK = 65_536


class Seen:
    """One request that arrived: ``path``, ``headers`` (names in lower case) and the ``body`` as JSON.

    ``sent`` counts the bytes of the reply's body that went out before the client had enough.
    """

    def __init__(self, path: str, headers: dict[str, str], body: Any) -> None:
        self.path = path
        self.headers = headers
        self.body = body
        self.sent = 0

    @property
    def dialect(self) -> str:
        """``openai``, ``anthropic``, ``gemini`` or ``bedrock``; empty for an unknown path."""
        found = dialects.of_path(urlsplit(self.path).path)
        return found.name if found else ""

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that the reply must keep to, if the request carries one."""
        found = dialects.of_path(urlsplit(self.path).path)
        schema = found.schema(self.body) if found else None
        if isinstance(schema, str):
            schema = json.loads(schema)
        return schema if isinstance(schema, dict) else None

    @property
    def text(self) -> str:
        """All that the request says in words: prompt and person's text, messages joined by line ends."""
        return "\n".join(dialects.texts(self.body))

    def enums(self) -> Iterator[list[Any]]:
        """Every ``enum`` of the schema, in its order."""
        yield from _enums(self.schema)


class FakeProvider:
    """Speaks the chat API of OpenAI (and of Anthropic, Gemini and Bedrock), and fails on request.

    ::

        with FakeProvider() as fake:
            fake.reply({"turn_type": "smalltalk"})
            fake.fault("rate_limited_once", {"turn_type": "smalltalk"})
            ...                                    # point ``[llm] base_url`` at ``fake.base_url``
            assert fake.requests[0].schema

    Each request takes the next step of the script; beyond its end, ``otherwise`` is done. Safe to share between
    threads; ends all that still hangs when it is closed.
    """

    def __init__(self, *script: Step, otherwise: Step | None = None) -> None:
        self.requests: list[Seen] = []
        self.otherwise = otherwise or Step(text="{}")
        self._script = deque(script)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def root_url(self) -> str:
        """Where it listens, without a path: the base URL of every dialect but OpenAI's."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """The base URL for OpenAI-compatible clients."""
        return f"{self.root_url}/v1"

    def script(self, *steps: Step) -> None:
        """Do these next, after what was scripted before."""
        with self._lock:
            self._script.extend(steps)

    def reply(self, reply: dict[str, Any] | str) -> None:
        """Answer the next request with this reply: an object, or the model's text as it is."""
        self.script(Step(text=reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)))

    def fault(self, name: str, reply: dict[str, Any] | None = None) -> None:
        """Fail as ``FAULTS[name]`` says; ``reply`` is what a sound provider would have said."""
        self.script(*FAULTS[name].steps(reply or {}))

    def next_step(self) -> Step:
        """Take the next step of the script."""
        with self._lock:
            return self._script.popleft() if self._script else self.otherwise

    def wait(self, seconds: float) -> bool:
        """Sleep, unless the provider is closed first; true where it was."""
        return self._closing.wait(seconds)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and let go of every connection."""
        self._closing.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    fake: FakeProvider

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up early is part of the play, not an error to print."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else head and body wait 40 ms for each other
    server: _Server

    def do_POST(self) -> None:
        """Read the request, then do the next step."""
        fake = self.server.fake
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        seen = Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw) if raw else None)
        fake.requests.append(seen)
        step = fake.next_step()
        if step.hang_s is not None and fake.wait(step.hang_s):
            self.close_connection = True
            return
        if step.reset:
            self._reset()
        elif step.size is not None:
            self._flood(seen, step)
        else:
            self._answer(seen, step)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the requests are kept in ``FakeProvider.requests``."""

    def _answer(self, seen: Seen, step: Step) -> None:
        body = step.body
        headers = {"content-type": "application/json", "x-request-id": "req-fake", **step.headers}
        if body is None:
            dialect = dialects.of_path(urlsplit(self.path).path)
            model = seen.body.get("model", "fake") if isinstance(seen.body, dict) else "fake"
            envelope = (dialect or dialects.DIALECTS[0]).wrap(step.text, step.stop, str(model))
            body = json.dumps(envelope, ensure_ascii=False).encode()
        self._head(step.status, {**headers, "content-length": str(len(body))})
        if step.drip_s is None:
            self._send(seen, body)
            return
        self.close_connection = True
        for byte in body:
            if not self._send(seen, bytes([byte])) or self.server.fake.wait(step.drip_s):
                return

    def _flood(self, seen: Seen, step: Step) -> None:
        """The start of a sound reply, then text without end, in chunks, so that no header tells its size."""
        self.close_connection = True
        self._head(200, {"content-type": "application/json", "transfer-encoding": "chunked"})
        start = b'{"id":"x","object":"chat.completion","created":1,"model":"fake","choices":[{"index":0,"message":'
        self._chunk(seen, start + b'{"role":"assistant","content":"')
        filler = b"a" * CHUNK
        while step.size is not None and seen.sent < step.size:
            if not self._chunk(seen, filler):
                return
        self._chunk(seen, b'"},"finish_reason":"stop"}]}')
        self._chunk(seen, b"")

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _chunk(self, seen: Seen, data: bytes) -> bool:
        return self._send(seen, f"{len(data):x}\r\n".encode() + data + b"\r\n", len(data))

    def _send(self, seen: Seen, data: bytes, counted: int | None = None) -> bool:
        try:
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:  # the client has gone
            self.close_connection = True
            return False
        seen.sent += len(data) if counted is None else counted
        return True

    def _reset(self) -> None:
        """Break off so that the client sees a reset, not an orderly end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()


def _enums(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("enum"), list):
            yield value["enum"]
        for inner in value.values():
            yield from _enums(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _enums(inner)
