"""The tables of language packs as the build read them: TOML takes Python long to parse, and what msgspec decodes does
not."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from dragoman.folder import Language, Lent, digest_of

FILE = "packs.json"


def write(folder: Path, packs: Sequence[Language]) -> None:
    """Write every TOML table of ``packs`` into the index's ``folder``, each with a digest of its file."""
    tables: dict[str, dict[str, Lent]] = {}
    for pack in packs:
        of = tables.setdefault(pack.code, {})
        for path in sorted(pack.path.glob("*.toml")):
            with suppress(UnicodeDecodeError, tomllib.TOMLDecodeError):  # who needs it says what is wrong with it
                table = tomllib.loads(path.read_text("utf-8"))
                encoded = msgspec.json.encode(table)
                if msgspec.json.decode(encoded) == table:  # JSON has no dates
                    of[path.name] = Lent(digest_of(path.read_bytes()), msgspec.Raw(encoded))
    (folder / FILE).write_bytes(msgspec.json.encode(tables))


def lend(folder: Path, packs: Sequence[Language]) -> None:
    """Let ``packs`` take what ``write`` left in ``folder`` for their files, where these are unchanged."""
    with suppress(OSError, msgspec.DecodeError):  # an index of before has none: the packs read their files
        tables = msgspec.json.decode((folder / FILE).read_bytes(), type=dict[str, dict[str, Lent]])
        for pack in packs:
            pack.lend(tables.get(pack.code, {}))
