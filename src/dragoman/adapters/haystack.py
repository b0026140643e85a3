"""Haystack: a component that enriches a query, with serialisation, for pipelines in YAML as in Python.

Haystack loads components of others only where it is told to trust them:
``Pipeline.loads(text, allowed_modules=["dragoman.adapters.haystack"])``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dragoman.adapters.carry import Asker, Carried
from dragoman.errors import ConfigError
from dragoman.types import Message, Turn

try:
    from haystack import component, default_from_dict, default_to_dict
    from haystack.dataclasses import ChatMessage
except ImportError:
    raise ConfigError("haystack-ai is not installed", advice="pip install 'dragoman[haystack]'") from None


@component
class DragomanEnricher:
    """Enriches a query before a retriever or an embedder.

    ``project`` is the path of a project file, or the name of a demo; serialisation keeps it, ``warm_up`` or the first
    query opens it. ``understand`` and ``without`` are as for ``adapters.carry.Asker``.
    """

    def __init__(
        self, project: str = "dragoman.toml", *, understand: bool = False, without: Iterable[str] = ()
    ) -> None:
        self.project = project
        self.understand = understand
        self.without = list(without)
        self._asker: Asker | None = None

    def warm_up(self) -> None:
        """Open the project, once."""
        if self._asker is None:
            self._asker = Asker(self.project, understand=self.understand, without=self.without)

    @component.output_types(query=str, dense=str, terms=list[dict[str, Any]], meta=dict[str, Any])
    def run(self, query: str, history: list[ChatMessage] | None = None, language: str | None = None) -> dict[str, Any]:
        """Enrich ``query``, the last message of a conversation whose earlier ones are ``history``.

        Gives ``query`` (the person's text with the appended terms), ``dense`` (that for an embedder), ``terms``
        (``{"term", "weight"}`` for a retriever that weighs terms), ``meta`` (the metadata of ``adapters.carry``).
        """
        return _outputs(self._open().ask(_turn(query, history, language)))

    @component.output_types(query=str, dense=str, terms=list[dict[str, Any]], meta=dict[str, Any])
    async def run_async(
        self, query: str, history: list[ChatMessage] | None = None, language: str | None = None
    ) -> dict[str, Any]:
        """As ``run``, waiting for a model without holding up the event loop."""
        return _outputs(await self._open().aask(_turn(query, history, language)))

    def to_dict(self) -> dict[str, Any]:
        """The component as plain data."""
        plain: dict[str, Any] = default_to_dict(
            self, project=self.project, understand=self.understand, without=self.without
        )
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> DragomanEnricher:
        """The component that ``to_dict`` described."""
        made: DragomanEnricher = default_from_dict(cls, data)
        return made

    def _open(self) -> Asker:
        self.warm_up()
        if self._asker is None:
            raise ConfigError("the project is not open", where="DragomanEnricher", advice="call warm_up first")
        return self._asker


def _turn(query: str, history: list[ChatMessage] | None, language: str | None) -> Turn:
    earlier = tuple(Message(role=message.role.value, text=message.text or "") for message in history or ())
    return Turn(query, language=language, history=earlier)


def _outputs(found: Carried) -> dict[str, Any]:
    terms = [{"term": term.term, "weight": term.weight} for term in found.terms]
    return {"query": found.text, "dense": found.dense, "terms": terms, "meta": found.metadata}
