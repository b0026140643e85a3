"""Arrow batches: the same answers as one by one, whatever kind of column the texts come in."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman import Dragoman
from dragoman.arrow import AT_ONCE, arrow_type
from dragoman.errors import DataError, LimitExceeded
from dragoman.types import Enrichment, QueryFrame

pa = pytest.importorskip("pyarrow", reason="Arrow needs the extra batch")

TEXTS = [
    "ik heb last van hypothyreoïdie",
    None,
    "rugpijn",
    "",
    "geen rugpijn, wel hoofdpijn",
    "mijn hond heeft rugpijn",
    "rugpijn",
    "bij welke dokters kan ik terecht voor suikerziekte?",
]


@pytest.fixture(scope="module")
def hospital() -> Dragoman:
    return Dragoman.demo("hospital")


def as_json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def plain(value: Any) -> Any:
    """What Arrow gives back, with spans as JSON has them."""
    if isinstance(value, dict):
        if value.keys() == {"start", "end"}:
            return [value["start"], value["end"]]
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def rows(data: Any, column: str) -> list[Any]:
    return [plain(row) for row in data.column(column).to_pylist()]


def batch(texts: Any) -> Any:
    return pa.RecordBatch.from_pydict({"id": list(range(len(texts))), "text": texts})


def expected(engine: Dragoman, texts: list[str | None]) -> list[Any]:
    return [None if text is None else as_json(engine.enrich(text)) for text in texts]


def test_a_row_says_what_a_call_says(hospital: Dragoman) -> None:
    made = hospital.enrich_arrow(batch(TEXTS))
    assert rows(made, "enrichment") == expected(hospital, TEXTS)
    assert made.column("id").to_pylist() == list(range(len(TEXTS)))
    assert made.schema.names == ["id", "text", "enrichment"]


def test_resolve_and_understand_say_what_their_calls_say(hospital: Dragoman) -> None:
    resolved = rows(hospital.resolve_arrow(batch(TEXTS)), "resolved")
    understood = hospital.understand_arrow(batch(TEXTS))
    for text, row, frame, enrichment in zip(
        TEXTS, resolved, rows(understood, "frame"), rows(understood, "enrichment"), strict=True
    ):
        if text is None:
            assert row is frame is enrichment is None
            continue
        one, answer = hospital.resolve(text), hospital.ask(text)
        assert row == {
            "language": one.turn.language,
            **{name: as_json(getattr(one, name)) for name in ("scope", "mentions", "candidates")},
        }
        assert frame == as_json(answer.frame)
        assert enrichment == as_json(answer.enrichment)


@pytest.mark.parametrize(
    "kind",
    [
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.dictionary(pa.int8(), pa.large_string()),
    ],
    ids=str,
)
def test_the_kind_of_text_column_changes_nothing(hospital: Dragoman, kind: Any) -> None:
    wanted = hospital.enrich_arrow(batch(TEXTS)).column("enrichment")
    given_ = pa.array(TEXTS).dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else pa.array(TEXTS, kind)
    made = hospital.enrich_arrow(batch(given_))
    assert made.column("enrichment").equals(wanted)
    assert made.column("text").type == kind


def test_a_dictionary_with_nulls_and_words_that_no_row_uses(hospital: Dragoman) -> None:
    column = pa.DictionaryArray.from_arrays(
        pa.array([2, 0, None, 2, 1], pa.int8()), pa.array(["rugpijn", None, "hoofdpijn", "x" * 100_000])
    )
    wanted = expected(hospital, ["hoofdpijn", "rugpijn", None, "hoofdpijn", None])
    assert rows(hospital.enrich_arrow(batch(column)), "enrichment") == wanted


def test_a_slice_is_read_from_where_it_begins(hospital: Dragoman) -> None:
    part = batch(TEXTS).slice(4, 3)
    assert rows(hospital.enrich_arrow(part), "enrichment") == expected(hospital, TEXTS[4:7])


def test_a_table_keeps_its_chunks(hospital: Dragoman) -> None:
    table = pa.Table.from_batches([batch(TEXTS[:3]), batch([]).cast(batch(["x"]).schema), batch(TEXTS[3:])])
    made = hospital.enrich_arrow(table)
    assert rows(made, "enrichment") == expected(hospital, TEXTS)
    assert made.schema.equals(hospital.enrich_arrow(batch(TEXTS)).schema)


def test_more_rows_than_are_held_at_once(hospital: Dragoman) -> None:
    texts = [f"rugpijn {n % 7}" for n in range(AT_ONCE + 3)]
    made = hospital.enrich_arrow(batch(texts))
    assert [row["original"] for row in made.column("enrichment").to_pylist()] == texts


@pytest.mark.parametrize("method", ["enrich_arrow", "resolve_arrow", "understand_arrow"])
def test_the_schema_does_not_hang_on_the_rows(hospital: Dragoman, method: str) -> None:
    add = getattr(hospital, method)
    full = add(batch(TEXTS)).schema
    text = pa.array([], pa.string())
    assert add(batch(text)).schema.types[2:] == full.types[2:]
    assert add(batch(pa.array([None, None]))).schema.types[2:] == full.types[2:]  # a column of Arrow's type null
    assert add(batch(text).schema.empty_table()).schema.types[2:] == full.types[2:]


def test_a_struct_has_the_fields_of_its_value() -> None:
    assert [field.name for field in arrow_type(Enrichment)] == list(Enrichment.__struct_fields__)
    assert str(arrow_type(QueryFrame).field("weight_kg").type) == "double"
    assert str(arrow_type(QueryFrame).field("quick_replies").type) == "list<item: string>"
    with pytest.raises(TypeError):
        arrow_type(dict[str, str])


def test_what_is_no_text_column_is_told(hospital: Dragoman) -> None:
    with pytest.raises(DataError, match=r"no column 'text'.*there are: question"):
        hospital.enrich_arrow(pa.RecordBatch.from_pydict({"question": ["rugpijn"]}))
    with pytest.raises(DataError, match="holds int64"):
        hospital.enrich_arrow(pa.RecordBatch.from_pydict({"text": [1]}))
    with pytest.raises(DataError, match="'enrichment' already"):
        hospital.enrich_arrow(hospital.enrich_arrow(batch(["rugpijn"])))
    with pytest.raises(DataError, match="several columns"):
        hospital.enrich_arrow(pa.RecordBatch.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"]))
    with pytest.raises(DataError, match="no Arrow data"):
        hospital.enrich_arrow(["rugpijn"])


def test_a_text_that_is_too_long_names_its_row_or_is_null(hospital: Dragoman) -> None:
    limit = hospital.project.file.limits.text
    table = pa.Table.from_batches([batch(["rugpijn", None]), batch(["a", "x" * (limit + 1)])])
    with pytest.raises(LimitExceeded) as told:
        hospital.enrich_arrow(table)
    assert told.value.where == "row 3"
    assert "xxx" not in str(told.value)
    found = rows(hospital.enrich_arrow(table, on_error="null"), "enrichment")
    assert [row is None for row in found] == [False, True, False, True]


def test_another_column_language_and_fewer_layers(hospital: Dragoman) -> None:
    data = pa.RecordBatch.from_pydict({"vraag": ["rugpijn"]})
    made = hospital.enrich_arrow(data, text="vraag", language="nl", without=("terminology", "taxonomy"))
    assert rows(made, "enrichment") == [as_json(hospital.enrich("rugpijn", without=("terminology", "taxonomy")))]
    assert rows(hospital.resolve_arrow(data, text="vraag", language="en"), "resolved")[0]["language"] == "en"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.none() | st.text(max_size=40), max_size=8))
def test_any_texts_in_any_order(hospital: Dragoman, texts: list[str | None]) -> None:
    data = batch(pa.array(texts, pa.string()))
    assert rows(hospital.enrich_arrow(data), "enrichment") == expected(hospital, texts)
