from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from dragoman.errors import ConfigError, DataError, ServiceError
from dragoman.retrieve.postgres import PostgresRetriever, _vector
from dragoman.retrieve.sqlite import SqliteRetriever
from dragoman.text.tokens import tokenize

PAGES = [
    ("lever", "Leververvetting\nBij leververvetting zit er te veel vet in de lever. De lever wordt groter."),
    ("nier", "Nierstenen\nStenen in de nier geven hevige pijn in de flank."),
    ("rug", "Rugpijn\nPijn in de rug gaat meestal vanzelf over."),
    ("parkeren", "Parkeren\nParkeren kan achter het gebouw."),
]
VIETNAMESE = [("sot", "Sốt\nSốt cao kéo dài"), ("sotnhau", "Sót nhau\nSót nhau sau sinh"), ("ho", "Ho\nHo khan")]
_numbers = itertools.count()

Open = Callable[..., PostgresRetriever]


@pytest.fixture
def make(postgres: str) -> Iterator[Open]:
    """Opens retrievers on tables of their own."""
    with ExitStack() as stack:

        def open_(pages: Sequence[tuple[str, str]] = PAGES, terms: Any = None, **options: Any) -> PostgresRetriever:
            made = stack.enter_context(PostgresRetriever(postgres, f'pages "{next(_numbers)}', **options))
            made.index(pages, terms)
            return made

        yield open_


def ids(found: Sequence[tuple[str, float]]) -> list[str]:
    return [id_ for id_, _ in found]


@pytest.mark.service
def test_rare_words_count_more_and_the_best_comes_first(make: Open):
    assert ids(make().search([("pijn in de rug", 1.0)], 3))[:2] == ["rug", "nier"]
    assert ids(make().search([("pijn in de rug", 1.0)], 1)) == ["rug"]
    assert make().search([("", 1.0), ("rug", 0.0), ("nier", -1.0)], 5) == []


@pytest.mark.service
def test_weights_of_terms_decide(make: Open):
    base = make()
    assert ids(base.search([("rug", 1.0), ("nierstenen", 0.2)], 5))[0] == "rug"
    assert ids(base.search([("rug", 0.2), ("nierstenen", 1.0)], 5))[0] == "nier"
    half, whole = (dict(base.search([("rug", w)], 5))["rug"] for w in (0.5, 1.0))
    assert whole == pytest.approx(2 * half)


@pytest.mark.service
def test_the_field_of_terms_has_its_own_weight(make: Open):
    terms = {"nier": ["nefrolithiasis", "niersteenlijden"]}
    assert ids(make(terms=terms).search([("nefrolithiasis", 1.0)], 5)) == ["nier"]
    low, high = (make(terms=terms, weights={"terms": w}).search([("nefrolithiasis", 1.0)], 5)[0][1] for w in (0.1, 0.8))
    assert low < high


@pytest.mark.service
def test_a_misspelt_word_is_taken_for_the_most_similar_one(make: Open):
    assert ids(make().search([("leververveting", 1.0)], 5)) == ["lever"]
    assert make(typos=False).search([("leververveting", 1.0)], 5) == []
    assert make().search([("xyzzy", 1.0)], 5) == []


@pytest.mark.service
def test_marks_are_meaning_where_the_language_says_so(make: Open):
    base = make(VIETNAMESE, marks_matter=True)
    assert ids(base.search([("sốt", 1.0)], 5)) == ["sot"]
    assert set(ids(base.search([("sot", 1.0)], 5))) == {"sot", "sotnhau"}
    assert set(ids(make(VIETNAMESE).search([("sốt", 1.0)], 5))) == {"sot", "sotnhau"}


@pytest.mark.service
def test_stop_words_are_left_out_unless_there_are_no_others(make: Open):
    base = make(stop=["de", "in", "het"])
    assert ids(base.search([("de rug", 1.0)], 5)) == ["rug"]
    assert len(base.search([("de", 1.0)], 5)) == 3


@pytest.mark.service
def test_an_id_that_stands_twice_leaves_everything_as_it_was(make: Open):
    base = make()
    with pytest.raises(DataError, match="twice"):
        base.index([("nieuw", "nieuw"), ("rug", "x")])
    assert base.search([("nieuw", 1.0)], 5) == []


@pytest.mark.service
@pytest.mark.parametrize("text", ["a'b", "rug & ! ( | ) :*", "\\", "'; DROP TABLE x; --", "<->", "x" * 5000, "𝒳 ½ ﬁ"])
def test_a_text_is_data(make: Open, text: str):
    base = make([("1", text), ("2", f"{text}\n{text}"), ("rug", "rug")])
    base.search([(text, 1.0)], 5)
    assert ids(base.search([("rug", 1.0)], 1))


@pytest.mark.service
def test_finds_what_sqlite_finds(make: Open):
    with SqliteRetriever() as other:
        other.index(PAGES)
        for query in ("lever", "pijn", "stenen nier", "gebouw parkeren rug"):
            theirs = set(ids(other.search([(query, 1.0)], 10)))
            assert set(ids(make(typos=False).search([(query, 1.0)], 10))) == theirs


@pytest.mark.service
def test_a_role_that_may_only_read_searches(database: str):
    import psycopg

    with PostgresRetriever(database) as base:
        base.index(PAGES)
    role = f"searches_{psycopg.conninfo.conninfo_to_dict(database)['dbname']}"
    with psycopg.connect(database, autocommit=True) as base:
        base.execute(f"CREATE ROLE {role} LOGIN")
        base.execute(f"GRANT SELECT ON dragoman_pages, dragoman_pages_words TO {role}")
    try:
        with PostgresRetriever(psycopg.conninfo.make_conninfo(database, user=role)) as reads:
            assert ids(reads.search([("leververveting", 1.0)], 5)) == ["lever"]
            with pytest.raises(ConfigError, match="may not do that"):
                reads.index([("x", "x")])
    finally:
        with psycopg.connect(database, autocommit=True) as base:
            base.execute(f"DROP OWNED BY {role}")
            base.execute(f"DROP ROLE {role}")


def test_a_server_that_does_not_answer():
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with pytest.raises(ServiceError, match="did not answer") as caught:
        PostgresRetriever("host=/nonexistent user=nobody password=geheim connect_timeout=1")
    assert caught.value.exit_code == 3
    assert "geheim" not in str(caught.value)


def test_without_the_driver_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def absent(name: str, *arguments: Any, **named: Any) -> Any:
        if name.startswith("psycopg"):
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ConfigError, match=r"pip install 'dragoman\[postgres\]'"):
        PostgresRetriever("")


def test_a_page_as_words_with_their_places():
    fields = [(tokenize("Lever"), "A"), (tokenize("de lever, O'Brien"), "D")]
    assert _vector(fields, marked=False) == "'lever':1A,3D 'de':2D 'o':4D 'brien':5D"
