from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.adapters.conftest import ENRICHED, PAGES, TEXT, without_text
from tests.adapters.test_langchain import absent

from dragoman import Dragoman

pytest.importorskip("llama_index.core", reason="the extra llama-index is not installed")

from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from dragoman.adapters.llama_index import DragomanPostprocessor, DragomanQueryTransform, EnrichedQuery


def nodes() -> list[NodeWithScore]:
    return [
        NodeWithScore(node=TextNode(text=text, id_=id_, metadata={"page": id_}), score=1.0 - n / 10)
        for n, (id_, text) in enumerate(PAGES)
    ]


def test_a_query_is_enriched_for_words_and_for_meanings(engine: Dragoman) -> None:
    given: dict[str, Any] = {"kept": 1}
    query = DragomanQueryTransform(engine).run(TEXT, given)
    assert isinstance(query, EnrichedQuery)
    assert query.query_str == ENRICHED
    assert query.embedding_strs == [ENRICHED]
    assert query.dragoman["terms"][0]["term"] == "Dikke voet"
    assert given["dragoman"] == query.dragoman
    assert without_text(query.dragoman)


def test_what_holds_the_terms_is_lifted(engine: Dragoman) -> None:
    query = DragomanQueryTransform(engine).run(TEXT)
    found = DragomanPostprocessor.over(engine).postprocess_nodes(nodes(), query)
    assert [n.node.node_id for n in found] == ["voet", "hand", "parkeren"]
    assert [n.score for n in found] == sorted((n.score or 0 for n in found), reverse=True)
    assert found[0].node.metadata["dragoman"]["held"] == ["Dikke voet"]
    assert found[1].node.metadata["dragoman"]["held"] == []
    assert found[0].node.metadata["dragoman"]["trace"]
    assert without_text(found[0].node.metadata)


def test_a_query_of_another_kind_is_enriched_here(project: Path) -> None:
    step = DragomanPostprocessor(project=str(project))
    for found in (
        step.postprocess_nodes(nodes(), query_str=TEXT),
        step.postprocess_nodes(nodes(), QueryBundle(TEXT)),
    ):
        assert [n.node.node_id for n in found] == ["voet", "hand", "parkeren"]


def test_nothing_is_lifted_without_a_term_or_without_the_wish(engine: Dragoman) -> None:
    for step, text in ((DragomanPostprocessor.over(engine, lift=0.0), TEXT), (DragomanPostprocessor.over(engine), "?")):
        found = step.postprocess_nodes(nodes(), query_str=text)
        assert [(n.node.node_id, n.score) for n in found] == [("hand", 1.0), ("parkeren", 0.9), ("voet", 0.8)]
    step = DragomanPostprocessor.over(engine)
    assert step.postprocess_nodes([], query_str=TEXT) == []
    assert [n.score for n in step.postprocess_nodes(nodes())] == [1.0, 0.9, 0.8]


def test_neither_model_nor_embedder_sees_the_metadata_and_the_nodes_stay_as_they_were(engine: Dragoman) -> None:
    given = nodes()
    found = DragomanPostprocessor.over(engine).postprocess_nodes(given, query_str=TEXT)
    for mode in (MetadataMode.LLM, MetadataMode.EMBED):
        assert "dragoman" not in found[0].node.get_content(mode)
        assert "page: voet" in found[0].node.get_content(mode)
    assert all(set(n.node.metadata) == {"page"} for n in given)
    assert [n.score for n in given] == [1.0, 0.9, 0.8]


def test_without_the_framework_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    absent(monkeypatch, "llama_index", "dragoman.adapters.llama_index", "llama-index")
