"""The project file's tables for the service: ``[serve]``, ``[[serve.key]]`` and ``[privacy]``."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]
Port = Annotated[int, Meta(ge=0, le=65535)]
Hash = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}$")]
KeyId = Annotated[str, Meta(pattern=r"^[0-9a-f]{8}$")]


class KeyTable(msgspec.Struct, frozen=True, kw_only=True):
    """One ``[[serve.key]]``, as ``dragoman serve key new`` prints it: what identifies a key, never the key.

    ``tenants`` limits it to those tenants; empty: all, and the project itself. ``admin``: it may switch layers and the
    model off and on.
    """

    id: KeyId
    hash: Hash
    name: str = ""
    tenants: tuple[str, ...] = ()
    admin: bool = False


class ServeTable(msgspec.Struct, frozen=True, kw_only=True):
    """``[serve]``: the HTTP service. Times in seconds; ``max_concurrent`` and ``max_asks`` for each of the ``workers``.

    ``max_asks`` bounds the turns that wait for a model apart, so that a silent provider holds up nothing else.
    ``key_file`` holds further ``[[key]]`` tables, away from the project file. ``reload_s``: how often a newer index,
    project file or key file is looked for. ``shutdown_s``: how long open requests may take once the service is told to
    stop. ``cors_origins``: pages of other sites that may call from a browser; none. ``allowed_hosts``: the names that
    the service answers to; empty: any, but only those of the loopback where no key is asked for. ``pages``: a
    JSONL file (``id``, ``title``, ``text``, ``url``) that the page at ``/`` searches; by default ``pages.jsonl`` beside
    the project file, if it is there. ``reports``: the folder of ``eval --json`` files that it shows.
    """

    host: str = "127.0.0.1"
    port: Port = 8080
    workers: Count = 1
    max_concurrent: Count = 64
    max_asks: Count = 32
    retry_after_s: Count = 1
    body_timeout_s: Seconds = 10.0
    request_timeout_s: Seconds = 30.0
    shutdown_s: Count = 30
    reload_s: Seconds = 10.0
    key: tuple[KeyTable, ...] = ()
    key_file: str | None = None
    cors_origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    access_log: bool = True
    metrics_open: bool = False
    page: bool = True
    mcp: bool = True
    pages: str | None = None
    reports: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None


class PrivacyTable(msgspec.Struct, frozen=True, kw_only=True):
    """``[privacy]``: whether the person's text may be kept; by default it is nowhere: no log, trace, metric or file.

    With ``keep_text`` the service writes each turn, obvious identifiers masked, into a file a day in the folder
    ``path``, that only its user may read, for ``keep_days`` days. ``dragoman serve forget`` deletes them.
    """

    keep_text: bool = False
    path: str = ".dragoman/kept"
    keep_days: Count = 30
