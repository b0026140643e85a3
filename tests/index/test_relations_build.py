"""Relations as arrays say what plain lists say."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from dragoman.index.arrays import Part, Writer
from dragoman.index.relations_build import Relations

COUNT = 12
numbers = st.integers(0, COUNT - 1)
relations = st.lists(st.tuples(numbers, st.sampled_from(("is_a", "due_to", "unheard_of")), numbers), max_size=60)


def plain(rows: list[tuple[int, str, int]], kind: str) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(COUNT)]
    for source, type_, target in rows:
        if type_ == kind and target not in found[source]:
            found[source].append(target)
    return found


@given(relations, st.sets(numbers))
def test_what_is_written_is_what_was_said_of_the_living(rows: list[tuple[int, str, int]], dead: set[int]) -> None:
    made = Relations()
    for row in rows:
        made.add(*row)
    made.prune([n in dead for n in range(COUNT)])
    living = [(s, k, t) for s, k, t in rows if s != t and not {s, t} & dead]
    assert len(made) == len(living)
    with TemporaryDirectory() as folder:
        made.write(Writer(Path(folder)), COUNT)
        part = Part(Path(folder))
        for kind in ("is_a", "due_to"):
            assert [list(part.runs(f"terms.{kind}")[n]) for n in range(COUNT)] == plain(living, kind)
        up = plain(living, "is_a")
        children = [[s for s in range(COUNT) if n in up[s]] for n in range(COUNT)]
        assert [list(part.runs("terms.children")[n]) for n in range(COUNT)] == children


@given(relations, st.dictionaries(numbers, st.sampled_from("abc")))
def test_the_nearest_named_ancestor_counts(rows: list[tuple[int, str, int]], named: dict[int, str]) -> None:
    made = Relations()
    for row in rows:
        made.add(*row)
    up = plain(rows, "is_a")
    expected: dict[int, str] = {}
    for number in range(COUNT):
        seen, level = {number}, [number]
        while level and number not in expected:
            values = sorted(named[n] for n in level if n in named)
            if values:
                expected[number] = values[0]
            level = sorted({p for n in level for p in up[n]} - seen)
            seen.update(level)
    assert made.nearest(named, COUNT) == expected
