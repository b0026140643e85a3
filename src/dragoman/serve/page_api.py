"""What the page at ``/`` asks for beside the endpoints of version 1: the pages searched, gaps, golden runs, the system.

Texts travel in bodies, never in addresses. Each is answered on a thread, for each reads files or waits.
"""

from __future__ import annotations

import threading
from typing import Annotated, Any
from weakref import WeakKeyDictionary

import msgspec
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from dragoman.engine import Dragoman
from dragoman.evaluate.compare import Comparison
from dragoman.gaps.counts import opened
from dragoman.gaps.report import Gaps, report
from dragoman.gaps.store import Store
from dragoman.outside import Probe, probe
from dragoman.project_tables import GapsTable
from dragoman.searching import Hit, PageSearch, Stamp, stamp
from dragoman.serve import golden_runs
from dragoman.serve.problems import ProblemError
from dragoman.serve.system import System, system
from dragoman.types import Value, WeightedTerm

MOST = 200  # rows of a list of gaps
WAITS = 0.8  # of the time that a request may take, so that it is told what goes on

_searches: WeakKeyDictionary[Dragoman, tuple[Stamp, PageSearch]] = WeakKeyDictionary()
_runner = golden_runs.Runner()
_lock = threading.Lock()  # one search is opened at a time

Limit = Annotated[int, QueryParameter(ge=1, le=MOST, description="rows of each list")]


class SearchBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The person's words, and the weighted terms of the enriched query (``enrichment.queries.sparse``)."""

    text: str
    terms: Annotated[tuple[WeightedTerm, ...], msgspec.Meta(max_length=200)] = ()


class CompareBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The names of two runs."""

    before: str
    after: str


class SearchResult(Value, frozen=True, kw_only=True):
    """The best ten of ``pages`` pages, for the words alone and for the enriched query.

    ``available``: whether the project has pages to search.
    """

    available: bool
    pages: int = 0
    plain: tuple[Hit, ...] = ()
    enriched: tuple[Hit, ...] = ()


class GapsResult(Value, frozen=True, kw_only=True):
    """What people ask for and the organisation lacks. ``counted``: whether the project counts it."""

    counted: bool
    gaps: Gaps


class GoldenList(Value, frozen=True, kw_only=True):
    """The runs at hand, newest first. ``can_run``: there are golden questions, and no model that they would cost."""

    can_run: bool
    runs: tuple[golden_runs.Summary, ...]


@post("/page/search", status_code=200, sync_to_thread=True)
def search(data: JSONBody[SearchBody], engine: NamedDependency[Dragoman]) -> SearchResult:
    """Search the organisation's pages with and without enrichment."""
    limit = engine.project.file.limits.text
    for text in (data.text, *(t.term for t in data.terms)):
        if len(text) > limit:
            raise ProblemError("limit", f"a text has {len(text)} characters; the limit is {limit}", limit=limit)
        if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
            raise ProblemError("value", "a text has half of a surrogate pair")
    found = _search(engine)
    if found is None:
        return SearchResult(available=False)
    hits = found.search(data.text, data.terms)
    return SearchResult(available=True, pages=hits.pages, plain=hits.plain, enriched=hits.enriched)


@get("/page/gaps", sync_to_thread=True)
def gaps(engine: NamedDependency[Dragoman], limit: Limit = 50) -> GapsResult:
    """What was counted, beside the index as it is now; pages that no term reaches are found in any case."""
    table, v = engine.project.file.gaps, engine.vocabularies
    if table is None:
        counts = Store(None)
        try:
            return GapsResult(counted=False, gaps=report(counts, v.terms, v.drugs, GapsTable().keep_after, limit=limit))
        finally:
            counts.close()
    with opened(engine.project) as kept:
        return GapsResult(counted=True, gaps=report(kept, v.terms, v.drugs, table.keep_after, limit=limit))


@get("/page/golden", sync_to_thread=True)
def golden(engine: NamedDependency[Dragoman]) -> GoldenList:
    """The runs of the golden questions."""
    can_run = engine.project.file.llm is None and golden_runs.golden_file(engine) is not None
    return GoldenList(can_run=can_run, runs=golden_runs.listed(engine))


@post("/page/golden/run", status_code=200, sync_to_thread=True)
def golden_run(engine: NamedDependency[Dragoman]) -> golden_runs.Run:
    """Ask the golden questions, without a model; the same state of them and of the index is asked once.

    Where that takes longer than a request may, it goes on, and who asks again gets the run.
    """
    file = golden_runs.golden_file(engine)
    if file is None:
        raise ProblemError("not-found", "the project has no golden.jsonl beside its project file")
    if engine.project.file.llm is not None:
        raise ProblemError("value", "each question would be a call of the model: run `dragoman eval --json` instead")
    try:
        return _runner.run(engine, file, engine.project.file.serve.request_timeout_s * WAITS)
    except TimeoutError:
        raise ProblemError("timeout", "the questions are still being asked: ask again") from None


@post("/page/golden/compare", status_code=200, sync_to_thread=True)
def golden_compare(data: JSONBody[CompareBody], engine: NamedDependency[Dragoman]) -> Comparison:
    """The questions of two runs, paired."""
    before, after = (golden_runs.read(engine, name) for name in (data.before, data.after))
    if before is None or after is None:
        raise ProblemError("not-found", "there is no run of that name")
    return golden_runs.compared(before, after)


@get("/page/golden/{name:str}", sync_to_thread=True)
def golden_one(engine: NamedDependency[Dragoman], name: FromPath[str]) -> golden_runs.Run:
    """One run with its questions."""
    found = golden_runs.read(engine, name)
    if found is None:
        raise ProblemError("not-found", "there is no run of that name")
    return found


@get("/page/system", sync_to_thread=True)
def page_system(engine: NamedDependency[Dragoman], request: Request[Any, Any, Any]) -> System:
    """Index, versions, licences, limits, what is sent to whom and what is kept."""
    switched = request.scope["state"]["service"].switches.now
    return system(engine, without=switched.without, model=switched.model)


@post("/page/probe", status_code=200, sync_to_thread=True)
def page_probe(engine: NamedDependency[Dragoman]) -> Probe:
    """Ask the provider whether it answers and keeps to a schema; nobody's words are sent."""
    if engine.project.file.llm is None:
        raise ProblemError("not-found", "the project has no [llm]: nobody is asked")
    return probe(engine.project)


def _search(engine: Dragoman) -> PageSearch | None:
    """The search over the project's pages as the file is now."""
    state = stamp(engine.project)
    if state is None:
        return None
    with _lock:
        known = _searches.get(engine)
        if known is not None and known[0] == state:
            return known[1]
        fresh = PageSearch(state.path, engine.project.languages)
        _searches[engine] = (state, fresh)
        return fresh


ROUTES: list[Any] = [search, gaps, golden, golden_run, golden_compare, golden_one, page_system, page_probe]
