from __future__ import annotations

import asyncio
import builtins
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.adapters.conftest import ENRICHED, TEXT, without_text

from dragoman import Dragoman, Turn
from dragoman.errors import ConfigError, DataError

pytest.importorskip("langchain_core", reason="the extra langchain is not installed")

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda

from dragoman.adapters.langchain import DragomanRetriever, EnrichQuery, turn_of

STORED = Document("Uw voet wordt dikker.", metadata={"source": "voet"})


class Echo(BaseRetriever):
    """Gives one document, and remembers what it was asked."""

    asked: list[str]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        self.asked.append(query)
        return [STORED]


def test_a_question_goes_through_a_chain(engine: Dragoman) -> None:
    chain = EnrichQuery.over(engine) | RunnableLambda(lambda found: found["query"].upper())
    assert chain.invoke(TEXT) == ENRICHED.upper()
    assert chain.batch([TEXT, "parkeren"]) == [ENRICHED.upper(), "PARKEREN"]
    assert asyncio.run(chain.ainvoke(TEXT)) == ENRICHED.upper()


def test_terms_and_metadata(engine: Dragoman) -> None:
    found = EnrichQuery.over(engine).invoke(TEXT)
    assert found["terms"] == [(TEXT, 1.0), ("Dikke voet", 0.3)]
    assert found["metadata"]["terms"][0]["entity_id"] == "c-1"
    assert without_text(found["metadata"])


def test_a_retriever_is_asked_the_enriched_text_and_its_documents_are_marked(engine: Dragoman) -> None:
    for ask in (lambda r: r.invoke(TEXT), lambda r: asyncio.run(r.ainvoke(TEXT))):
        base = Echo(asked=[])
        (document,) = ask(DragomanRetriever(base=base, enrich=EnrichQuery.over(engine)))
        assert base.asked == [ENRICHED]
        assert document.page_content == STORED.page_content
        assert document.metadata["source"] == "voet"
        assert document.metadata["dragoman"]["spans"][0]["id"] == "k1"
        assert document.metadata["dragoman"]["trace"]
        assert without_text(document.metadata["dragoman"])
    assert STORED.metadata == {"source": "voet"}


def test_it_opens_its_project_itself(project: Path) -> None:
    step = EnrichQuery(project=str(project), without=("terminology", "taxonomy"))
    assert step.invoke(TEXT)["query"] == TEXT
    assert "frame" in EnrichQuery(project=str(project), understand=True).invoke(TEXT)["metadata"]


def test_what_may_be_a_turn() -> None:
    assert turn_of(TEXT) == turn_of({"text": TEXT}) == turn_of(Turn(TEXT)) == turn_of([HumanMessage(TEXT)])
    talk = [SystemMessage("s"), HumanMessage("ik heb zorbalin"), AIMessage("Ja?"), HumanMessage("hoeveel?")]
    turn = turn_of(talk)
    assert turn.text == "hoeveel?"
    assert [m.role for m in turn.history] == ["system", "user", "assistant"]
    assert turn_of({"text": TEXT, "language": "nl", "other": 1}).language == "nl"


@pytest.mark.parametrize("given", [None, 3, [], {}, {"text": 3}, [AIMessage("geheim")], ["geheim"]])
def test_what_is_no_turn_is_refused_and_not_repeated(given: Any) -> None:
    with pytest.raises(DataError, match="is no turn") as caught:
        turn_of(given)
    assert "geheim" not in str(caught.value)


def test_without_the_framework_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    absent(monkeypatch, "langchain_core", "dragoman.adapters.langchain", "langchain")


def absent(monkeypatch: pytest.MonkeyPatch, package: str, module: str, extra: str) -> None:
    real = builtins.__import__

    def fail(name: str, *arguments: Any, **named: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(ConfigError, match=rf"pip install 'dragoman\[{extra}\]'"):
        importlib.import_module(module)
