"""Values as Arrow columns: a text column in, struct columns out, whose types follow from the values' own.

A struct's fields are the fields of the value, by name and in order, as in its JSON; a tuple is a list, a ``Span`` the
struct ``{start, end}``, a literal a string. Every field is nullable, as Arrow's readers expect it. Nothing is guessed
from the data, so the schema of an empty batch is that of any other.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from dragoman.errors import ConfigError, DataError, LimitExceeded

AT_ONCE = 4096  # rows whose values are held as objects at one time

Read = tuple[Any, ...] | DataError | LimitExceeded
"""What is made of a text: one value for each new column, or why there is none."""

Answers = Callable[[Sequence[str]], Iterable[Read]]
"""Texts → what is made of each."""

_PLAIN = {str: "string", bool: "bool_", int: "int32", float: "float64"}


def arrow() -> Any:
    """pyarrow; ``ConfigError`` where it is not installed."""
    try:
        import pyarrow
    except ImportError:
        raise ConfigError("Arrow needs pyarrow", advice="pip install 'dragoman[batch]'") from None
    return pyarrow


@cache
def arrow_type(kind: Any) -> Any:
    """The Arrow type of a value's type. Raises ``TypeError`` for one that has none."""
    pa = arrow()
    if kind in _PLAIN:
        return getattr(pa, _PLAIN[kind])()
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return pa.string()
    if origin in (Union, types.UnionType):
        (only,) = (one for one in inside if one is not type(None))
        return arrow_type(only)
    if origin is tuple:
        return pa.list_(arrow_type(inside[0]))
    if isinstance(kind, type) and (issubclass(kind, msgspec.Struct) or hasattr(kind, "_fields")):
        hints = get_type_hints(kind)
        names = getattr(kind, "__struct_fields__", None) or kind._fields
        return pa.struct([(name, arrow_type(hints[name])) for name in names])
    raise TypeError(f"{kind} has no Arrow type")


def to_arrow(values: Sequence[Any], kind: Any) -> Any:
    """Values, or ``None`` among them, as an Arrow array of type ``kind``: a column at a time, never a row as a dict."""
    pa = arrow()
    missing = [value is None for value in values]
    mask = pa.array(missing) if any(missing) else None
    if pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        columns = [to_arrow([getattr(value, f.name, None) for value in values], f.type) for f in fields]
        return pa.StructArray.from_arrays(columns, fields=fields, mask=mask)
    if pa.types.is_list(kind):
        lists = [value or () for value in values]
        ends = pa.array(accumulate(map(len, lists), initial=0), pa.int32())
        inner = to_arrow(list(chain.from_iterable(lists)), kind.value_type)
        return pa.ListArray.from_arrays(ends, inner, type=kind, mask=mask)
    return pa.array(values, kind)


def add_columns(
    data: Any, text: str, columns: Mapping[str, Any], answers: Answers, *, on_error: Literal["raise", "null"] = "raise"
) -> Any:
    """A ``RecordBatch`` or ``Table`` with a struct column for each of ``columns`` (name → type of its values).

    ``text`` names the column to read: strings of any of Arrow's kinds, also as a dictionary; a null has null answers,
    and a text that stands in the batch several times is read once. A ``DataError`` or ``LimitExceeded`` of
    ``answers`` names the row, or gives nulls where ``on_error`` says so.

    Raises ``DataError`` where the text column is missing or holds no strings, or a new one is there already.
    """
    pa = arrow()
    if not isinstance(data, pa.RecordBatch | pa.Table):
        raise DataError(f"{type(data).__name__} is no Arrow data", advice="give a RecordBatch or a Table")
    check_columns(data.schema, text, columns)
    if isinstance(data, pa.RecordBatch):
        made = _answers(data.column(data.schema.get_field_index(text)), columns, answers, on_error, 0)
        arrays = [pa.concat_arrays(chunks) for chunks in zip(*made, strict=True)]
        return pa.RecordBatch.from_arrays([*data.columns, *arrays], schema=schema_with(data.schema, columns))
    made = []
    row = 0
    for chunk in data.column(text).chunks:
        made += _answers(chunk, columns, answers, on_error, row)
        row += len(chunk)
    kinds = [arrow_type(kind) for kind in columns.values()]
    arrays = [pa.chunked_array([part[i] for part in made], kind) for i, kind in enumerate(kinds)]
    return pa.Table.from_arrays([*data.columns, *arrays], schema=schema_with(data.schema, columns))


def schema_with(schema: Any, columns: Mapping[str, Any]) -> Any:
    """The schema of what ``add_columns`` returns for data of ``schema``."""
    pa = arrow()
    for name, kind in columns.items():
        schema = schema.append(pa.field(name, arrow_type(kind)))
    return schema


def check_columns(schema: Any, text: str, columns: Mapping[str, Any]) -> None:
    """``DataError`` where data of ``schema`` has no column of strings ``text``, or has one of ``columns`` already."""
    pa = arrow()
    names = schema.names
    if names.count(text) != 1:
        has = "are several columns" if text in names else "is no column"
        raise DataError(f"there {has} {text!r}", advice=f"name the text column; there are: {', '.join(names)}")
    kind = schema.field(text).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not _is_text(pa, kind):
        raise DataError(f"column {text!r} holds {kind}, not strings", advice="name the column that holds the texts")
    for name in columns:
        if name in names:
            raise DataError(f"there is a column {name!r} already", advice="rename it, or leave it out")


def _is_text(pa: Any, kind: Any) -> bool:
    kinds = pa.types
    return bool(
        kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind) or kinds.is_null(kind)
    )


def _answers(column: Any, columns: Mapping[str, Any], answers: Answers, on_error: str, first: int) -> list[list[Any]]:
    """For each slice of ``column`` its answers, an array for each of ``columns``; at least one slice."""
    pa = arrow()
    kinds = [arrow_type(kind) for kind in columns.values()]
    nothing = (None,) * len(kinds)
    slices = []
    for start in range(0, max(len(column), 1), AT_ONCE):
        part = column.slice(start, AT_ONCE)
        # A dictionary that came with the data may hold more than these rows use; this one holds what they do.
        coded = part.cast(pa.string()).dictionary_encode()
        values = []
        for number, read in enumerate(answers(coded.dictionary.to_pylist())):
            if isinstance(read, DataError | LimitExceeded):
                if on_error == "raise":
                    row = first + start + coded.indices.index(number).as_py()
                    raise type(read)(read.what, where=f"row {row}", advice=read.advice) from None
                values.append(nothing)
            else:
                values.append(read)
        made = [to_arrow([value[i] for value in values], kind) for i, kind in enumerate(kinds)]
        slices.append([array.take(coded.indices) for array in made])
    return slices
