"""Stands between a person's question and a medical corpus."""

from dragoman._version import __version__

__all__ = ["__version__"]
