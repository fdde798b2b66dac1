"""Rows of a table that are given as the last time are not rendered, and a publish says the same as if they were."""

from __future__ import annotations

import datetime as dt
import errno
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.documents import tree
from support.properties import times
from support.publish import BASE, DAY
from support.publish.grouped import grouped
from support.publish.model import small
from support.publish.row_files import INPUT, published, reads, said
from urlset import EntryError, InputError, Publication, PublishError, Section
from urlset._publish import pipeline
from urlset._publish.rows import held_rows, ingest, known_input

ROWS: dict[str, list[Any]] = {
    "loc": ["/a", "/b/", "/é", "https://example.com/d", "/e"],
    "lastmod": ["2023-01-02", "2023-01-03", None, None, "2023"],
    "priority": [0.5, None, 0.7, None, 1.0],
}


@pytest.fixture(autouse=True)
def few_rows_count() -> Iterator[None]:
    """A few rows are known too, and fill several shards."""
    with patch.object(known_input, "_FEW", 1), small():
        yield


def publish(table: Any, folder: Path, day: int = 1, **options: Any) -> Publication:
    """Publishes a table."""
    usual = {"base_url": BASE, "now": DAY[day - 1], "allow": ["shrunk", "base-url"]}
    return urlset.publish(table, folder, **grouped({**usual, **options}))


def slowly(*arguments: Any, **options: Any) -> Publication:
    """Publishes as if no table could be held."""
    with patch.object(pipeline, "may_be_held", lambda *_: False):
        return publish(*arguments, **options)


def is_rendered(*arguments: Any, **options: Any) -> bool:
    """Publishes, and says whether the rows were rendered."""
    with reads() as found:
        publish(*arguments, **options)
    return bool(found)


FORMS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "a table": pa.table,
    "a reader": lambda rows: pa.table(rows).to_reader(max_chunksize=2),
    "a data frame": pl.DataFrame,
    "a relation": lambda rows: duckdb.from_arrow(pa.table(rows)),
    "large texts": lambda rows: pa.table(rows).cast(
        pa.schema([("loc", pa.large_string()), ("lastmod", pa.string()), ("priority", pa.float32())])
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_rerun_renders_no_rows_and_says_the_same(tmp_path: Path, form: str) -> None:
    options: dict[str, Any] = {"base_url": BASE + "shop/"}
    first = publish(FORMS[form](ROWS), tmp_path / "set", **options)
    assert (first.plan.normalized, first.plan.outside) == (4, 5)
    slowly(FORMS[form](ROWS), tmp_path / "twin", **options)
    before = tree(tmp_path / "set")
    counted: list[urlset.Progress] = []
    with reads() as found:
        again = publish(FORMS[form](ROWS), tmp_path / "set", 2, progress=counted.append, **options)
    assert (found, counted[-1], again.written) == ([], urlset.Progress("rows", 5, 5), ())
    assert said(again) == said(slowly(FORMS[form](ROWS), tmp_path / "twin", 2, **options))
    assert tree(tmp_path / "set") == before
    assert published(tmp_path / "set") == published(tmp_path / "twin")


def test_the_same_rows_in_another_order_and_in_other_batches_are_known(tmp_path: Path) -> None:
    table = pa.table(ROWS)
    publish(table, tmp_path / "set")
    turned = table.take([3, 1, 4, 0, 2])
    for same in (turned, turned.to_reader(max_chunksize=1), table.select(["priority", "loc", "lastmod"])):
        assert not is_rendered(same, tmp_path / "set", 2)


#: Rows of which every value is another one in turn.
WHOLE: dict[str, Any] = {
    "loc": "/a",
    "lastmod": dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
    "changefreq": "daily",
    "priority": 0.5,
    "images": [{"loc": "/i.png", "title": "A title"}],
    "videos": [{"thumbnail_loc": "/t.png", "title": "A", "description": "B", "content_loc": "/v.mp4", "tags": ["x"]}],
    "alternates": [{"href": "/de/a", "hreflang": "de"}],
    "brand": "x",
}
OTHERS: list[tuple[str, Any]] = [
    ("loc", "/b"),
    ("lastmod", dt.datetime(2024, 1, 2, 3, 4, 6, tzinfo=dt.UTC)),
    ("lastmod", None),
    ("changefreq", "weekly"),
    ("priority", 0.25),
    ("images", [{"loc": "/j.png", "title": "A title"}]),
    ("images", [{"loc": "/i.png", "title": "Another"}]),
    ("images", []),
    ("videos", [{**WHOLE["videos"][0], "tags": ["y"]}]),
    ("alternates", [{"href": "/fr/a", "hreflang": "fr"}]),
    ("brand", "y"),
]


def whole(**other: Any) -> pa.Table:
    """A table of a row with every column, and of usual rows."""
    given = {**WHOLE, **other}
    rows = [given, *({**given, "loc": f"/{number}"} for number in range(3))]
    types = {"lastmod": pa.timestamp("us", "UTC")}
    schema = pa.Table.from_pylist([WHOLE]).schema
    return pa.Table.from_pylist(
        rows, schema=pa.schema([(field.name, types.get(field.name, field.type)) for field in schema])
    )


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: str(other)[:30])
def test_another_value_is_published(tmp_path: Path, other: tuple[str, Any]) -> None:
    options: dict[str, Any] = {"columns": {"content": "brand"}}
    for folder in ("set", "twin"):
        publish(whole(), tmp_path / folder, **options)
    assert not is_rendered(whole(), tmp_path / "set", 2, **options)
    changed = whole(**dict([other]))
    with reads() as found:
        again = publish(changed, tmp_path / "set", 3, **options)
    assert found
    assert said(again) == said(slowly(changed, tmp_path / "twin", 3, **options))
    assert published(tmp_path / "set") == published(tmp_path / "twin")
    if other != ("lastmod", None):  # a lastmod that a page had stays, so the set is the same, and its manifest as well
        assert not is_rendered(changed, tmp_path / "set", 4, **options)


rows = st.fixed_dictionaries(
    {
        "loc": st.sampled_from(["/a", "/b", "/c", "https://example.com/d", "/é", "mailto:x"]),
        "lastmod": st.sampled_from([None, "2023-01-02", "2023-01-02T03:04:05Z", "2024"]),
        "priority": st.sampled_from([None, 0.5, 1.0]),
    }
)
tables = st.lists(rows, max_size=6).map(
    lambda found: pa.Table.from_pylist(
        found, schema=pa.schema([("loc", pa.string()), ("lastmod", pa.string()), ("priority", pa.float64())])
    )
)


def outcome(way: Callable[..., Publication], *arguments: Any, **options: Any) -> object:
    """What a publish says, or the words of its error."""
    try:
        return said(way(*arguments, **options))
    except PublishError as error:
        return str(error)


@times(40)
@given(histories=st.lists(tables, min_size=1, max_size=4))
def test_any_history_is_as_if_no_rows_were_held(
    tmp_path_factory: pytest.TempPathFactory, histories: list[pa.Table]
) -> None:
    folder = tmp_path_factory.mktemp("histories")
    options: dict[str, Any] = {"on_error": "collect", "allow": ["shrunk", "empty", "one-lastmod"]}
    with patch.object(known_input, "_FEW", 1), small(), patch.object(held_rows, "_HELD", 1):
        for day, table in enumerate([histories[0], *histories, histories[-1]], 1):
            found, expected = (
                outcome(way, table.to_reader(max_chunksize=2), folder / name, day, **options)
                for way, name in ((publish, "set"), (slowly, "twin"))
            )
            assert found == expected
            assert published(folder / "set") == published(folder / "twin")


def test_rows_that_exceed_the_memory_wait_in_files(tmp_path: Path) -> None:
    publish(pa.table(ROWS), tmp_path / "set")
    changed = {**ROWS, "loc": ["/z", *ROWS["loc"][1:]]}
    with patch.object(held_rows, "_HELD", 1):
        assert not is_rendered(pa.table(ROWS).to_reader(max_chunksize=2), tmp_path / "set", 2)
        plan = publish(pa.table(changed).to_reader(max_chunksize=2), tmp_path / "set", 3).plan
    assert (plan.added, plan.removed, plan.same) == (1, 1, 4)


def test_relations_of_one_connection_are_held_one_after_the_other(tmp_path: Path) -> None:
    """A connection of DuckDB ends a stream when the next one begins."""
    connection = duckdb.connect()

    def both(last: int) -> dict[str, Section]:
        queries = [f"SELECT '/{name}' || range AS loc FROM range({last})" for name in "ab"]
        one, two = (Section(connection.sql(query)) for query in queries)
        return {"one": one, "two": two}

    for day, last in enumerate((5_000, 5_000, 6_000), 1):
        with small(50_000), reads() as found:
            publication = publish(both(last), tmp_path / "set", day)
        assert publication.entries == 2 * last
        assert bool(found) is (last == 6_000 or day == 1)


@pytest.mark.parametrize(
    "table",
    [
        pa.table(ROWS).set_column(0, "loc", pa.array(ROWS["loc"]).dictionary_encode()),
        [{"loc": loc} for loc in ROWS["loc"]],
    ],
    ids=["a dictionary", "dicts"],
)
def test_rows_of_other_kinds_are_rendered(tmp_path: Path, table: Any) -> None:
    publish(pa.table(ROWS), tmp_path / "set")
    for day in (2, 3):
        assert is_rendered(table, tmp_path / "set", day)


@pytest.mark.parametrize("options", [{"shard_by": "sequence"}, {"recent": 3}, {"news": True}])
def test_what_depends_on_more_than_the_rows_is_not_recorded(tmp_path: Path, options: dict[str, Any]) -> None:
    for day in (1, 2):
        assert is_rendered(pa.table(ROWS), tmp_path / "set", day, **options)
    assert not (tmp_path / "set" / INPUT).exists()


def test_few_rows_are_not_recorded(tmp_path: Path) -> None:
    with patch.object(known_input, "_FEW", 6):
        for day in (1, 2):
            assert is_rendered(pa.table(ROWS), tmp_path / "set", day)
    assert not (tmp_path / "set" / INPUT).exists()


def test_a_lost_record_costs_only_time(tmp_path: Path) -> None:
    publish(pa.table(ROWS), tmp_path / "set")
    (tmp_path / "set" / INPUT).unlink()
    assert is_rendered(pa.table(ROWS), tmp_path / "set", 2)
    assert not is_rendered(pa.table(ROWS), tmp_path / "set", 3)


def test_unused_columns_are_told_again(tmp_path: Path) -> None:
    table = pa.table({**ROWS, "modified": ROWS["lastmod"]})
    options: dict[str, Any] = {"columns": {"lastmod": "modified"}}
    told = [publish(table, tmp_path / "set", day, **options).unused_columns for day in (1, 2)]
    assert told == [("lastmod",)] * 2
    assert publish(table.drop(["lastmod"]), tmp_path / "set", 3, **options).unused_columns == ()


def failing(error: Exception, *batches: pa.RecordBatch) -> pa.RecordBatchReader:
    """A table that fails after its batches."""

    def pulled() -> Iterator[pa.RecordBatch]:
        yield from batches
        raise error

    return pa.RecordBatchReader.from_batches(batches[0].schema, pulled())


@contextmanager
def spilling(memory: int) -> Iterator[None]:
    with patch.object(held_rows, "_HELD", memory):
        yield


@pytest.mark.parametrize("memory", [1, 1 << 20])
def test_a_table_that_fails_says_the_same_and_changes_nothing(tmp_path: Path, memory: int) -> None:
    publish(pa.table(ROWS), tmp_path / "set")
    before = tree(tmp_path / "set")
    [batch] = pa.table(ROWS).to_batches()
    for way in (publish, slowly):
        with spilling(memory), pytest.raises(InputError, match="the connection was lost"):
            way(failing(OSError("the connection was lost"), batch, batch), tmp_path / "set", 2)
        assert tree(tmp_path / "set") == before


@pytest.mark.parametrize("memory", [1, 1 << 20])
def test_the_first_error_counts(tmp_path: Path, memory: int) -> None:
    """A row that is refused many rows before the table fails is what is wrong."""
    publish(pa.table(ROWS), tmp_path / "set")
    batch = pa.RecordBatch.from_pydict({"loc": ["/a", "mailto:x", *(f"/{number}" for number in range(10_000))]})
    for way in (publish, slowly):
        with spilling(memory), pytest.raises(EntryError, match="mailto:x") as found:
            way(failing(OSError("the connection was lost"), batch), tmp_path / "set", 2)
        assert (found.value.index, found.value.code) == (1, "LOC003")


def test_text_that_is_not_valid_is_an_error_in_its_place(tmp_path: Path) -> None:
    publish(pa.table(ROWS), tmp_path / "set")
    broken = pa.array([b"/a", b"\xff"], pa.binary()).view(pa.string())
    fine = pa.RecordBatch.from_pydict({"loc": ["/a"]})
    reader = pa.RecordBatchReader.from_batches(fine.schema, iter([fine, pa.RecordBatch.from_arrays([broken], ["loc"])]))
    with spilling(1), pytest.raises(InputError, match='"loc" is not valid Arrow data'):
        publish(reader, tmp_path / "set", 2)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.list_(pa.string())])
def test_offsets_that_lead_nowhere_are_an_error_in_their_place(tmp_path: Path, kind: pa.DataType) -> None:
    """Another program may hand over anything."""
    publish(pa.table(ROWS), tmp_path / "set")
    width = "q" if kind == pa.large_string() else "i"
    offsets = pa.py_buffer(struct.pack(f"<3{width}", 0, 1 << 30, 1))
    values = [pa.array(["/a"])] if kind == pa.list_(pa.string()) else None
    buffers = [None, offsets] if values else [None, offsets, pa.py_buffer(b"/a")]
    broken = pa.Array.from_buffers(kind, 2, buffers, children=values)
    name = "alternates" if values else "loc"
    columns = {"loc": pa.array(["/a", "/b"]), name: broken}
    for way in (publish, slowly):
        table = pa.Table.from_arrays([*columns.values()], [*columns])
        with pytest.raises(InputError, match=f'"{name}" is not valid Arrow data'):
            way(table, tmp_path / "set", 2)


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    publish(pa.table(ROWS), tmp_path / "set")
    before = tree(tmp_path / "set")

    class Full:
        def __init__(self, source: Any) -> None:
            self._source = source

        def spill_held(self, _: str) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        def __getattr__(self, name: str) -> Any:
            return getattr(self._source, name)

    opened = ingest.checked_source
    with (
        spilling(1),
        patch.object(held_rows, "checked_source", lambda *given, **options: Full(opened(*given, **options))),
        pytest.raises(PublishError, match="No space left on device"),
    ):
        publish(pa.table(ROWS), tmp_path / "set", 2)
    assert tree(tmp_path / "set") == before
