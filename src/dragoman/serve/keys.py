"""Keys of the service: made at random, kept as digests, compared in constant time.

A key reads ``dgm_<id>_<secret>``. The id is public and finds the digest; the secret has 256 random bits, so that one
SHA-256 keeps it as well as a slow hash keeps a password, at a microsecond a request.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import secrets
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from dragoman.errors import ConfigError
from dragoman.project import Project
from dragoman.serve_tables import KeyTable

PREFIX = "dgm"
NO_HASH = "sha256:" + "0" * 64  # compared with where no key has the id: that takes as long
OTHERS = 0o022  # a mode that lets others write


class KeyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``[serve] key_file`` holds."""

    key: tuple[KeyTable, ...] = ()


class Made(NamedTuple):
    """A new key: ``text`` is shown once, ``table`` is kept."""

    text: str
    table: KeyTable


def make(name: str = "", tenants: tuple[str, ...] = (), admin: bool = False) -> Made:
    """A new key, from the system's source of randomness."""
    id_ = secrets.token_hex(4)
    text = f"{PREFIX}_{id_}_{secrets.token_urlsafe(32)}"
    return Made(text, KeyTable(id=id_, hash=digest(text), name=name, tenants=tenants, admin=admin))


def digest(text: str) -> str:
    """What is kept of a key."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


class KeyRing:
    """The keys that open a service."""

    def __init__(self, keys: Iterable[KeyTable]) -> None:
        self._keys = {key.id: key for key in keys}

    def __bool__(self) -> bool:
        return bool(self._keys)

    def find(self, text: str) -> KeyTable | None:
        """The key that ``text`` is, if any."""
        _, _, rest = text.partition("_")
        key = self._keys.get(rest.partition("_")[0])
        same = hmac.compare_digest(digest(text), key.hash if key else NO_HASH)
        return key if same else None


def presented(authorization: str, api_key: str) -> tuple[str, bool]:
    """The key that the headers ``Authorization`` (Bearer, or the password of Basic) and ``X-API-Key`` hold, and whether
    it came as Basic, which a browser sends on its own."""
    if api_key:
        return api_key, False
    scheme, _, value = authorization.partition(" ")
    value = value.strip()
    if scheme.lower() == "bearer":
        return value, False
    if scheme.lower() == "basic":
        try:
            decoded = base64.b64decode(value, validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return "", True
        return decoded.partition(":")[2], True
    return "", False


def ring(project: Project) -> KeyRing:
    """The keys of a project: those of its file, and those of its key file.

    Raises ``ConfigError`` for a key file that is missing, wrong, or that others may write to; for two keys with one id;
    and for a key of an unknown tenant.
    """
    table = project.file.serve
    keys = list(table.key)
    if table.key_file is not None:
        keys += read(project.at(table.key_file))
    seen: set[str] = set()
    for key in keys:
        if key.id in seen:
            raise ConfigError(f"two keys have the id {key.id}", where=str(project.path), advice="make one of them anew")
        seen.add(key.id)
        for tenant in key.tenants:
            if tenant not in project.tenants:
                raise ConfigError(
                    f"key {key.id} is for the tenant {tenant!r}, which there is not",
                    where=str(project.path),
                    advice=f"there are: {', '.join(project.tenants) or 'none'}",
                )
    return KeyRing(keys)


def read(path: Path) -> tuple[KeyTable, ...]:
    """The keys of a key file. Raises ``ConfigError``."""
    try:
        if path.stat().st_mode & OTHERS:
            raise ConfigError("others may write to the key file", where=str(path), advice=f"chmod 600 {path}")
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), KeyFile).key
    except OSError as error:
        raise ConfigError(
            f"cannot be read ({error.strerror})", where=str(path), advice="make a key with `dragoman serve key new`"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise ConfigError(f"is no key file: {error}", where=str(path), advice="it holds [[key]] tables") from None


def append(path: Path, table: KeyTable) -> None:
    """Add a key to a key file, which is made with mode 0600 where it is not there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as file:
        file.write(toml(table, "key"))


def toml(table: KeyTable, name: str = "serve.key") -> str:
    """A key as a table of the project file, or of a key file (``name = "key"``)."""
    lines = [f"[[{name}]]", f'id = "{table.id}"', f'hash = "{table.hash}"']
    if table.name:
        lines.append(f"name = {msgspec.json.encode(table.name).decode()}")
    if table.tenants:
        lines.append(f"tenants = {msgspec.json.encode(table.tenants).decode()}")
    if table.admin:
        lines.append("admin = true")
    return "\n".join(lines) + "\n\n"
