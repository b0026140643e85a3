"""What ``dragoman demo`` does: ask, and search the same pages with and without enrichment."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from dragoman import demo
from dragoman.engine import Dragoman
from dragoman.retrieve.sqlite import SqliteRetriever
from dragoman.types import Answer, Turn

DEPTH = 10  # pages that a reader would look at


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """One question of the tour. Ranks count from 1; ``None`` where the page is not among the first ``DEPTH``."""

    question: demo.Question
    answer: Answer
    plain: int | None
    enriched: int | None

    @property
    def missed(self) -> bool:
        """The page that should be found is not found, even with enrichment."""
        return self.question.expects_page is not None and self.enriched is None


class Tour(msgspec.Struct, frozen=True, kw_only=True):
    """One demo: its index and its questions, answered. ``pages`` is how many there are to search."""

    name: str
    index: str
    pages: int
    stops: tuple[Stop, ...]


def tour(name: str) -> Tour:
    """Open the demo (building its index when there is none), ask its questions, search its pages."""
    engine = Dragoman.demo(name)
    pages = demo.pages(name)
    packs = engine.project.languages
    stop = [word for pack in packs for word in pack.lines("stopwords.txt")]
    with SqliteRetriever(marks_matter=packs[0].marks_matter, stop=stop) as search:
        search.index((p.id, p.whole) for p in pages)
        stops = tuple(_stop(engine, search, question) for question in demo.questions(name))
    return Tour(name=name, index=engine.info.id, pages=len(pages), stops=stops)


def _stop(engine: Dragoman, search: SqliteRetriever, question: demo.Question) -> Stop:
    answer = engine.ask(Turn(question.text))
    queries = answer.enrichment.queries
    enriched = [(t.term, t.weight) for t in queries.sparse] or [(question.text, 1.0)]
    return Stop(
        question=question,
        answer=answer,
        plain=_rank(search.search([(question.text, 1.0)], DEPTH), question.expects_page),
        enriched=_rank(search.search(enriched, DEPTH), question.expects_page),
    )


def _rank(found: Iterable[tuple[str, float]], page: str | None) -> int | None:
    return next((rank for rank, (id_, _) in enumerate(found, 1) if id_ == page), None)
