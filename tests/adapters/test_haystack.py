from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.adapters.conftest import ENRICHED, PAGES, TEXT, without_text
from tests.adapters.test_langchain import absent

pytest.importorskip("haystack", reason="the extra haystack is not installed")

from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from dragoman.adapters.haystack import DragomanEnricher


def pipeline(project: Path) -> Pipeline:
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=id_, content=text) for id_, text in PAGES])
    made = Pipeline()
    made.add_component("enrich", DragomanEnricher(str(project)))
    made.add_component("find", InMemoryBM25Retriever(store, top_k=1))
    made.connect("enrich.query", "find.query")
    return made


def test_a_pipeline_finds_by_the_enriched_query(project: Path) -> None:
    given = {"enrich": {"query": "zwelvoet"}}
    found = pipeline(project).run(given, include_outputs_from={"enrich"})
    assert [d.id for d in found["find"]["documents"]] == ["voet"]
    assert found["enrich"]["query"] == "zwelvoet (Dikke voet)"
    assert found["enrich"]["terms"] == [{"term": "zwelvoet", "weight": 1.0}, {"term": "Dikke voet", "weight": 0.3}]
    assert found["enrich"]["meta"]["spans"][0]["id"] == "k1"
    assert found["enrich"]["meta"]["trace"]
    found = asyncio.run(pipeline(project).run_async(given))
    assert [d.id for d in found["find"]["documents"]] == ["voet"]


def test_a_pipeline_survives_yaml(project: Path) -> None:
    made = Pipeline()
    made.add_component("enrich", DragomanEnricher(str(project), without=["near"]))
    text = made.dumps()
    assert "dragoman.adapters.haystack.DragomanEnricher" in text
    again = Pipeline.loads(text, allowed_modules=["dragoman.adapters.haystack"])
    assert again.run({"enrich": {"query": TEXT}})["enrich"]["query"] == ENRICHED
    assert again.dumps() == text


def test_the_component_as_plain_data(project: Path) -> None:
    made = DragomanEnricher(str(project), understand=True, without=("near", "words"))
    data = made.to_dict()
    assert data["init_parameters"] == {"project": str(project), "understand": True, "without": ["near", "words"]}
    again = DragomanEnricher.from_dict(data)
    assert again.to_dict() == data
    again.warm_up()
    found = again.run(TEXT)
    assert found["meta"]["frame"]["drugs"] == ["r1"]
    assert without_text(found["meta"])


def test_earlier_messages_are_the_history(project: Path) -> None:
    step = DragomanEnricher(str(project), understand=True)
    history = [ChatMessage.from_user("ik neem zorbalin"), ChatMessage.from_assistant("Wat is uw vraag?")]
    spans = step.run("en een zwelvoet?", history=history, language="nl")["meta"]["spans"]
    assert {(s["message"], s["id"]) for s in spans} == {(-1, "k1"), (0, "r1")}


def test_without_the_framework_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    absent(monkeypatch, "haystack", "dragoman.adapters.haystack", "haystack")
