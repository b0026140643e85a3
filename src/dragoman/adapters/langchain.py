"""LangChain: a ``Runnable`` that enriches a question, and a retriever around any other.

``EnrichQuery() | ...`` gives ``{"query", "terms", "metadata"}``; ``DragomanRetriever`` asks the retriever it wraps with
the enriched text and puts the metadata into each document it returns, under ``dragoman``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from dragoman.adapters.carry import KEY, Asker, Carried
from dragoman.errors import ConfigError, DataError
from dragoman.types import Message, Turn

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable, RunnableConfig, RunnableSerializable
    from pydantic import PrivateAttr
except ImportError:
    raise ConfigError("langchain-core is not installed", advice="pip install 'dragoman[langchain]'") from None

_ROLES = {"human": "user", "ai": "assistant"}


class EnrichedQuery(TypedDict):
    """What ``EnrichQuery`` gives: the text for a retriever, its terms with weights, and the metadata of ``carry``."""

    query: str
    terms: list[tuple[str, float]]
    metadata: dict[str, Any]


class EnrichQuery(RunnableSerializable[Any, EnrichedQuery]):
    """Enriches a question: a string, a mapping with the keys of a ``Turn``, or messages of which the last is the turn.

    ``project``, ``understand`` and ``without`` are as for ``adapters.carry.Asker``; the first question opens the
    project. ``EnrichQuery.over(engine)`` takes one that is open.
    """

    project: str = "dragoman.toml"
    understand: bool = False
    without: tuple[str, ...] = ()
    _asker: Asker | None = PrivateAttr(default=None)

    @classmethod
    def over(cls, engine: Any, **options: Any) -> EnrichQuery:
        """The same over a ``Dragoman`` that is open."""
        made = cls(project=str(engine.project.path), **options)
        made._asker = Asker(engine, understand=made.understand, without=made.without)
        return made

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> EnrichedQuery:
        """Enrich one question."""
        return self._call_with_config(lambda given: _query(self._open().ask(turn_of(given))), input, config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> EnrichedQuery:
        """Enrich one question; waits for a model without holding up the event loop."""

        async def ask(given: Any) -> EnrichedQuery:
            return _query(await self._open().aask(turn_of(given)))

        return await self._acall_with_config(ask, input, config, **kwargs)

    def _open(self) -> Asker:
        if self._asker is None:
            self._asker = Asker(self.project, understand=self.understand, without=self.without)
        return self._asker


class DragomanRetriever(BaseRetriever):
    """Asks ``base`` with the enriched question; every document comes back with the metadata under ``dragoman``.

    ``base`` is a retriever, or any ``Runnable`` from a text to documents. The documents themselves are not changed: the
    ones returned are copies.
    """

    base: Runnable[Any, Any]
    enrich: EnrichQuery

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        config: RunnableConfig = {"callbacks": run_manager.get_child()}
        asked = self.enrich.invoke(query, config)
        return _marked(self.base.invoke(asked["query"], config), asked)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        config: RunnableConfig = {"callbacks": run_manager.get_child()}
        asked = await self.enrich.ainvoke(query, config)
        return _marked(await self.base.ainvoke(asked["query"], config), asked)


def turn_of(given: Any) -> Turn:
    """A turn of what LangChain passes on. Raises ``DataError`` for anything else, without repeating it."""
    if isinstance(given, Turn):
        return given
    if isinstance(given, str):
        return Turn(given)
    if isinstance(given, Mapping) and isinstance(given.get("text"), str):
        return Turn(**{name: given[name] for name in Turn.__struct_fields__ if name in given})
    if isinstance(given, Sequence) and given and all(isinstance(message, BaseMessage) for message in given):
        said = [Message(role=_ROLES.get(m.type, m.type), text=str(m.text)) for m in given]
        if said[-1].role == "user":
            return Turn(said[-1].text, history=tuple(said[:-1]))
    raise DataError(
        "is no turn", where="EnrichQuery", advice="give a string, {'text': ...}, or messages that end with the person's"
    )


def _query(found: Carried) -> EnrichedQuery:
    terms = [(term.term, term.weight) for term in found.terms]
    return EnrichedQuery(query=found.text, terms=terms, metadata=found.metadata)


def _marked(documents: Sequence[Document], asked: EnrichedQuery) -> list[Document]:
    return [d.model_copy(update={"metadata": {**d.metadata, KEY: asked["metadata"]}}) for d in documents]
