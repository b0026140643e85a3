"""One small project for all adapters; the frameworks send nothing anywhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.index import project as small

from dragoman import Dragoman
from dragoman.index.build import build

TEXT = "ik heb een zwelvoet en neem zorbalin"
ENRICHED = f"{TEXT} (Dikke voet)"
PAGES = [
    ("hand", "Warme hand\nUw hand is warm."),
    ("parkeren", "Parkeren\nParkeren kan achter het gebouw. Neem een kaartje."),
    ("voet", "Dikke voet\nUw voet wordt dikker."),
]

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
for _name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
    os.environ[_name] = "false"


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built project."""
    folder = tmp_path_factory.mktemp("adapters")
    build(small.write(folder))
    return folder


@pytest.fixture(scope="session")
def engine(project: Path) -> Dragoman:
    return Dragoman.open(project)


def without_text(value: object) -> bool:
    """Whether nothing of ``TEXT`` stands in it but what is also a name of the vocabulary's."""
    return not any(words in repr(value).lower() for words in ("ik heb", "en neem", TEXT))
