"""A retrieval-augmented answer in sixty lines: dragoman reads the question, SQLite finds pages, a model answers.

The pages are the demo hospital's, the model is the fake provider that dragoman ships for tests: see README.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import dragoman
from dragoman import Answer, Dragoman
from dragoman.retrieve.sqlite import SqliteRetriever
from dragoman.testing import FakeProvider

PAGES = Path(dragoman.__file__).parent / "demo" / "hospital" / "pages.jsonl"


def say_first(read: Answer) -> str | None:
    """What must be said before anything is searched: an outage, an animal, a question back; None where nothing must."""
    frame = read.frame
    if frame.system_error:
        return "The question could not be read just now; please try again."  # an outage is no question back
    if read.scope.subject == "veterinary":
        return "These pages are about people."
    if frame.needs_clarify and frame.quick_replies:
        return "Do you mean: " + " / ".join(frame.quick_replies)
    return None


def answer(question: str, found: list[dict[str, str]], base_url: str, model: str = "any") -> str:
    """Let a model word an answer from the pages that were found, and from nothing else."""
    pages = "\n\n".join(f"[{page['url']}]\n{page['text']}" for page in found)
    system = "Answer from these pages alone, name the page, and say so where they do not answer.\n\n" + pages
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    body = json.dumps({"model": model, "messages": messages}).encode()
    request = Request(f"{base_url}/chat/completions", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=30) as response:
        return str(json.load(response)["choices"][0]["message"]["content"])


def main(question: str) -> str:
    """The whole way of one question."""
    pages = {page["id"]: page for page in map(json.loads, PAGES.read_text("utf-8").splitlines())}
    engine = Dragoman.demo("hospital")
    read = engine.ask(question)
    if (first := say_first(read)) is not None:
        return first
    with SqliteRetriever() as search, FakeProvider() as model:
        search.index((key, f"{page['title']}. {page['text']}") for key, page in pages.items())
        terms = [(term.term, term.weight) for term in read.enrichment.queries.sparse]
        found = [pages[key] for key, _ in search.search(terms, 3)]
        model.reply(f"See {found[0]['title']}: {found[0]['url']}" if found else "No page.")  # a real one would read
        return answer(question, found, model.base_url) if found else "No page is about that."


if __name__ == "__main__":
    print(main(" ".join(sys.argv[1:]) or "Ik heb last van hypothyreoïdie"))
