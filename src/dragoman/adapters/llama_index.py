"""LlamaIndex: a query transform that enriches, and a node post-processor that lifts what holds the appended terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dragoman.adapters.carry import KEY, Asker, Carried
from dragoman.errors import ConfigError
from dragoman.text.tokens import fold_key

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.indices.query.query_transform.base import BaseQueryTransform
    from llama_index.core.postprocessor.types import BaseNodePostprocessor
    from llama_index.core.schema import NodeWithScore, QueryBundle
except ImportError:
    raise ConfigError("llama-index-core is not installed", advice="pip install 'dragoman[llama-index]'") from None

RANK = 60  # of reciprocal rank fusion: Cormack, Clarke, Büttcher, SIGIR 2009


@dataclass
class EnrichedQuery(QueryBundle):
    """A query with the metadata of ``adapters.carry``; its text is the person's with the appended terms."""

    dragoman: dict[str, Any] = field(default_factory=dict)


class DragomanQueryTransform(BaseQueryTransform):
    """Enriches a query. ``project``, ``understand`` and ``without`` are as for ``adapters.carry.Asker``."""

    def __init__(
        self, project: Any = "dragoman.toml", *, understand: bool = False, without: Iterable[str] = ()
    ) -> None:
        self._asker = Asker(project, understand=understand, without=without)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: dict[str, Any]) -> None:
        """It has none."""

    def _run(self, query_bundle: QueryBundle, metadata: dict[str, Any]) -> QueryBundle:
        found = self._asker.ask(query_bundle.query_str)
        metadata[KEY] = found.metadata
        return _enriched(query_bundle, found)


class DragomanPostprocessor(BaseNodePostprocessor):
    """Fuses the retriever's order with that of the appended terms, and puts the metadata into each node.

    A node that holds appended terms in its text (compared without case and marks) is ranked by the sum of their
    weights; both orders are fused by reciprocal ranks, the terms' at ``lift`` (0: the order and the scores stay). Each
    node gets, under ``dragoman``, the metadata of the query and ``held``, the appended terms that it holds; neither an
    embedder nor a model is shown them. The nodes that were given are not changed.

    The query is that of ``DragomanQueryTransform``; any other is enriched here.
    """

    project: str = "dragoman.toml"
    understand: bool = False
    without: tuple[str, ...] = ()
    lift: float = 1.0
    _asker: Asker | None = PrivateAttr(default=None)

    @classmethod
    def over(cls, engine: Any, **options: Any) -> DragomanPostprocessor:
        """The same over a ``Dragoman`` that is open."""
        made = cls(project=str(engine.project.path), **options)
        made._asker = Asker(engine, understand=made.understand, without=made.without)
        return made

    @classmethod
    def class_name(cls) -> str:
        """The name by which LlamaIndex keeps it."""
        return "DragomanPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None or not nodes:
            return nodes
        if not isinstance(query_bundle, EnrichedQuery):
            if self._asker is None:
                self._asker = Asker(self.project, understand=self.understand, without=self.without)
            query_bundle = _enriched(query_bundle, self._asker.ask(query_bundle.query_str))
        carried = query_bundle.dragoman
        held = [_held(node, carried["terms"]) for node in nodes]
        marked = [_marked(node, carried, terms) for node, terms in zip(nodes, held, strict=True)]
        if self.lift <= 0 or not any(held):
            return marked
        weights = [sum(term["weight"] for term in terms) for terms in held]
        by_terms = sorted((i for i, weight in enumerate(weights) if weight > 0), key=lambda i: -weights[i])
        scores = [1 / (RANK + rank) for rank in range(1, len(nodes) + 1)]
        for rank, i in enumerate(by_terms, 1):
            scores[i] += self.lift / (RANK + rank)
        for node, score in zip(marked, scores, strict=True):
            node.score = score
        return sorted(marked, key=lambda node: -(node.score or 0.0))


def _enriched(query: QueryBundle, found: Carried) -> EnrichedQuery:
    return EnrichedQuery(
        query_str=found.text,
        image_path=query.image_path,
        custom_embedding_strs=[found.dense],
        dragoman=found.metadata,
    )


def _held(node: NodeWithScore, terms: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The terms that the node's text holds, word by word."""
    text = f" {fold_key(node.node.get_content())} "
    return [term for term in terms if f" {fold_key(term['term'])} " in text]


def _marked(node: NodeWithScore, carried: dict[str, Any], held: list[dict[str, Any]]) -> NodeWithScore:
    inner = node.node.model_copy()
    inner.metadata = {**inner.metadata, KEY: {**carried, "held": [term["term"] for term in held]}}
    inner.excluded_embed_metadata_keys = [*inner.excluded_embed_metadata_keys, KEY]
    inner.excluded_llm_metadata_keys = [*inner.excluded_llm_metadata_keys, KEY]
    return NodeWithScore(node=inner, score=node.score)
