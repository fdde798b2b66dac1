"""`write` from tables: every Arrow type that can mean the value, and what a table cannot say."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import urlset
from urlset import EntryError, InputError, UrlEntry

pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")

LOC = "https://example.com/"
LOCS = [f"{LOC}{word}" for word in ("a", "b", "a", "é", "x" * 100)]
WORDS = ["daily", None, "never", "daily", "always"]


def written(rows: Any, **options: Any) -> bytes:
    """The bytes that `write` gives for the rows."""
    buffer = io.BytesIO()
    urlset.write(rows, buffer, **options)
    return buffer.getvalue()


def one(**columns: Any) -> Any:
    """A table of one row, loc and the columns given."""
    return pa.table({"loc": [LOC], **columns})


def the(table: Any) -> UrlEntry:
    """The one entry that comes back of a table of one row."""
    (entry,) = urlset.read(written(table))
    assert isinstance(entry, UrlEntry)
    return entry


# --- texts --------------------------------------------------------------------------------------------------

TEXTS = [
    *(pa.string(), pa.large_string(), pa.string_view()),
    *(pa.dictionary(index, text) for index in (pa.int8(), pa.uint32()) for text in (pa.string(), pa.large_string())),
]


@pytest.mark.parametrize("type_", TEXTS, ids=str)
def test_texts_of_every_type(type_: Any) -> None:
    table = pa.table({"loc": pa.array(LOCS).cast(type_), "changefreq": pa.array(WORDS).cast(type_)})
    rows = [{"loc": loc, "changefreq": word} for loc, word in zip(LOCS, WORDS, strict=True)]
    assert written(table) == written(rows)


def test_texts_of_other_libraries() -> None:
    expected = written([{"loc": loc, "changefreq": word} for loc, word in zip(LOCS, WORDS, strict=True)])
    frame = pl.DataFrame({"loc": LOCS, "changefreq": WORDS})
    assert written(frame) == expected
    assert written(frame.with_columns(pl.col("loc", "changefreq").cast(pl.Categorical))) == expected
    assert written(frame.with_columns(pl.col("changefreq").cast(pl.Enum(["never", "daily", "always"])))) == expected
    pandas = pd.DataFrame({"loc": LOCS, "changefreq": pd.Categorical(WORDS)})
    assert written(pandas) == expected
    assert written(pandas.astype(object)) == expected


def test_chunks_with_dictionaries_of_their_own_and_none_at_all() -> None:
    pieces = [LOCS[:2], [], LOCS[2:3], LOCS[3:]]
    chunks = pa.chunked_array([pa.array(piece, pa.string()).dictionary_encode() for piece in pieces])
    assert written(pa.table({"loc": chunks})) == written(LOCS)
    batches = pa.table({"loc": pa.chunked_array(pieces, pa.string())}).to_batches()
    assert len(batches) > 1
    assert written(pa.RecordBatchReader.from_batches(batches[0].schema, batches)) == written(LOCS)


def test_a_dictionary_whose_values_and_keys_are_missing() -> None:
    keys = pa.array([0, None, 1], pa.int8())
    words = pa.DictionaryArray.from_arrays(keys, pa.array(["daily", None]))
    assert [entry.changefreq for entry in urlset.read(written(pa.table({"loc": LOCS[:3], "changefreq": words})))] == [
        *("daily", None, None)
    ]
    empty = pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array([], pa.string()))
    assert the(one(changefreq=empty)).changefreq is None


def test_a_batch_with_more_text_than_a_column_can_hold_is_refused() -> None:
    many = pa.DictionaryArray.from_arrays(pa.array([0] * 40_000, pa.int32()), pa.array([LOC + "x" * 60_000]))
    with pytest.raises(InputError, match='the column "loc" has more than 2 GiB of text in one batch'):
        written(pa.table({"loc": many}))


@pytest.mark.parametrize("type_", [pa.int64(), pa.binary(), pa.list_(pa.string()), pa.bool_()], ids=str)
@pytest.mark.parametrize("name", ["loc", "changefreq"])
def test_values_other_than_text_are_refused(name: str, type_: Any) -> None:
    with pytest.raises(InputError, match=f'the column "{name}" has to be text, not '):
        written(pa.table({"loc": pa.array([LOC]), name: pa.nulls(1, type_)}))


# --- times --------------------------------------------------------------------------------------------------

MOMENT = datetime(2024, 3, 31, 0, 30, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+05:45", "-12:00"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_every_unit_and_zone(unit: str, zone: str) -> None:
    entry = the(one(lastmod=pa.array([MOMENT], pa.timestamp(unit, zone))))
    assert (entry.lastmod, entry.lastmod_raw) == (MOMENT, "2024-03-31T00:30:00Z")


@pytest.mark.parametrize(
    ("unit", "number", "text"),
    [
        ("ms", 1, "1970-01-01T00:00:00.001000Z"),
        ("us", 1, "1970-01-01T00:00:00.000001Z"),
        ("ns", 1_999, "1970-01-01T00:00:00.000001Z"),
        ("ns", 999, "1970-01-01T00:00:00Z"),
        ("ms", -1, "1969-12-31T23:59:59.999000Z"),
        ("us", -1, "1969-12-31T23:59:59.999999Z"),
        ("ns", -1, "1969-12-31T23:59:59.999999Z"),
        ("s", -62_135_596_800, "0001-01-01T00:00:00Z"),
        ("s", 253_402_300_799, "9999-12-31T23:59:59Z"),
    ],
)
def test_times_are_cut_to_the_microsecond_and_never_moved_on(unit: str, number: int, text: str) -> None:
    assert the(one(lastmod=pa.array([number], pa.timestamp(unit, "UTC")))).lastmod_raw == text


@pytest.mark.parametrize(
    ("unit", "number"),
    [("s", 253_402_300_800), ("s", -62_135_596_801), ("s", 10**15), ("ms", -(2**62)), ("us", 2**62)],
)
def test_times_beyond_the_calendar_are_refused_and_not_lost(unit: str, number: int) -> None:
    with pytest.raises(EntryError) as raised:
        written(one(lastmod=pa.array([number], pa.timestamp(unit, "UTC"))))
    # A year before the first has four digits and is not valid; one after the last has five.
    code = "MOD005" if number == -62_135_596_801 else "MOD001"
    assert (raised.value.index, raised.value.code) == (0, code)


def test_days_and_texts() -> None:
    days = [date(2024, 2, 29), None, date(1969, 12, 31)]
    for type_ in (pa.date32(), pa.date64()):
        table = pa.table({"loc": LOCS[:3], "lastmod": pa.array(days, type_)})
        raws = [entry.lastmod_raw for entry in urlset.read(written(table))]
        assert raws == ["2024-02-29", None, "1969-12-31"]
    assert the(one(lastmod=["2024-02"])).lastmod_raw == "2024-02"


def test_a_time_without_a_zone_is_refused_before_any_row_is_read() -> None:
    def batches() -> Iterator[Any]:
        raise AssertionError("a row was read")
        yield

    schema = pa.schema({"loc": pa.string(), "lastmod": pa.timestamp("us")})
    with pytest.raises(InputError, match="times without a zone: give it one, such as UTC") as raised:
        written(pa.RecordBatchReader.from_batches(schema, batches()))
    assert not isinstance(raised.value, EntryError)
    frame = pl.DataFrame({"loc": [LOC], "lastmod": [datetime(2024, 1, 1)]})  # noqa: DTZ001  (the mistake)
    with pytest.raises(InputError, match="without a zone"):
        written(frame)
    written(frame.with_columns(pl.col("lastmod").dt.replace_time_zone("UTC")))


def test_pandas_times_with_gaps() -> None:
    frame = pd.DataFrame({"loc": LOCS[:2], "lastmod": pd.to_datetime(["2024-03-31T00:30Z", None])})
    assert [entry.lastmod for entry in urlset.read(written(frame))] == [MOMENT, None]


# --- numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("priority", "text"),
    [
        (pa.array([0.8], pa.float64()), "0.8"),
        (pa.array([0.8], pa.float32()), "0.8"),
        (pa.array([0.5], pa.float32()).cast(pa.float16()), "0.5"),
        (pa.array([Decimal("0.80")], pa.decimal128(3, 2)), "0.8"),
        (pa.array([Decimal("0.80")], pa.decimal256(40, 2)), "0.8"),
        (pa.array([1], pa.int8()), "1.0"),
        (pa.array([0], pa.uint64()), "0.0"),
        (pa.array(["0.80"]), "0.80"),
        (pa.array(["0.80"]).dictionary_encode(), "0.80"),
        (pa.array([1e-7], pa.float64()), "0.0000001"),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else value,
)
def test_priorities_of_every_type(priority: Any, text: str) -> None:
    assert f"<priority>{text}</priority>".encode() in written(one(priority=priority))


def test_a_missing_number_is_absent_and_nan_is_none() -> None:
    assert the(one(priority=pa.array([None], pa.float64()))).priority is None
    frame = pd.DataFrame({"loc": LOCS[:2], "priority": [0.5, None]})
    assert [entry.priority for entry in urlset.read(written(frame))] == [0.5, None]
    with pytest.raises(EntryError) as raised:
        written(pl.DataFrame({"loc": [LOC], "priority": [float("nan")]}))
    assert raised.value.code == "PRI001"
    with pytest.raises(InputError, match='the column "priority"'):
        written(one(priority=pa.array([True])))


# --- lists --------------------------------------------------------------------------------------------------

PICTURES: list[list[str] | None] = [[LOC + "1", LOC + "2"], None, [], [LOC + "3"], [LOC + "4", LOC + "5"]]
PLAIN_ROWS = [{"loc": loc, "images": images} for loc, images in zip(LOCS, PICTURES, strict=True)]


@pytest.mark.parametrize("items", ["texts", "structs"])
@pytest.mark.parametrize("make", [pa.list_, pa.large_list, pa.list_view], ids=lambda make: make.__name__)
def test_images_in_lists_of_every_type(make: Any, items: str) -> None:
    if items == "texts":
        lists = pa.array(PICTURES, make(pa.string()))
    else:
        structs = [None if images is None else [{"loc": loc} for loc in images] for images in PICTURES]
        lists = pa.array(structs, make(pa.struct([("loc", pa.string())])))
    table = pa.table({"loc": LOCS, "images": lists})
    assert written(table) == written(PLAIN_ROWS)
    assert written(table.slice(1, 3)) == written(PLAIN_ROWS[1:4])
    assert written(table.slice(3)) == written(PLAIN_ROWS[3:])


def test_lists_of_a_fixed_size() -> None:
    pairs = [[LOC + "1", LOC + "2"], None, [LOC + "3", LOC + "4"]]
    table = pa.table({"loc": LOCS[:3], "images": pa.array(pairs, pa.list_(pa.string(), 2))})
    rows = [{"loc": loc, "images": images} for loc, images in zip(LOCS, pairs, strict=False)]
    assert written(table) == written(rows)
    assert written(table.slice(1)) == written(rows[1:])
    polars = pl.DataFrame({"loc": LOCS[:3], "images": pairs}, schema_overrides={"images": pl.Array(pl.String, 2)})
    assert written(polars) == written(rows)
    assert written(polars.slice(2)) == written(rows[2:])


def test_lists_of_structs_with_some_of_the_fields() -> None:
    rows = [
        {"loc": LOC, "images": [{"loc": LOC + "1", "title": "A"}, {"loc": LOC + "2", "title": None}]},
        {"loc": LOC, "alternates": [{"hreflang": "de", "href": LOC + "de"}]},
        {"loc": LOC, "images": [{"loc": LOC + "3", "title": "B"}], "alternates": []},
    ]
    for type_ in TEXTS:
        images = pa.list_(pa.struct([("title", type_), ("loc", type_)]))
        alternates = pa.large_list(pa.struct([("href", type_), ("hreflang", type_), ("media", pa.null())]))
        schema = pa.schema([("loc", type_), ("images", images), ("alternates", alternates)])
        table = pa.Table.from_pylist(rows, schema)
        assert written(table) == written(rows)
        assert written(table.slice(2)) == written(rows[2:])
    assert written(pl.DataFrame(rows)) == written(rows)


def test_unknown_columns_are_refused_as_unknown_keys_are() -> None:
    """A typing error would lose the values."""
    with pytest.raises(InputError, match="unknown columns: width, lastmodd; leave them out, the columns are loc, last"):
        written(one(width=[640], lastmodd=["2026"], images=[[{"loc": LOC + "1"}]]))
    with pytest.raises(InputError, match='has a key "width"'):
        written([{"loc": LOC, "width": 640}])


def test_columns_that_say_where_an_entry_came_from_are_known() -> None:
    there = {name: ["x"] for name in ("document", "kind", "line", "file", "lastmod_source", "content", "lastmod_raw")}
    there["lastmod_raw"] = ["2026"]
    assert written(one(**there)) == written([{"loc": LOC, "lastmod": "2026"}])


@pytest.mark.parametrize(
    ("column", "value", "place", "name"),
    [
        ("images", [{"loc": LOC + "1", "captoin": "x"}], "images", "captoin"),
        ("videos", [{"title": "T", "lenght": 3}], "videos", "lenght"),
        ("videos", [{"title": "T", "prices": [{"price": "1", "curency": "EUR"}]}], "videos.prices", "curency"),
        ("videos", [{"title": "T", "tvshow": {"season": "1"}}], "videos.tvshow", "season"),
        ("alternates", [{"href": LOC, "lang": "de"}], "alternates", "lang"),
        ("news", {"title": "T", "date": "2026-01-31"}, "news", "date"),
    ],
)
def test_unknown_fields_of_structs_are_refused_as_unknown_keys_are(
    column: str, value: Any, place: str, name: str
) -> None:
    with pytest.raises(InputError, match=f'the column "{place}" has an unknown field "{name}"; the fields are '):
        written(one(**{column: [value]}))
    with pytest.raises(InputError, match=f'has a key "{name}" in {place.rsplit(".", maxsplit=1)[-1]}; the keys are '):
        written([{"loc": LOC, column: value}])


def test_slices_of_structs_and_lists() -> None:
    locs = pa.array([LOC + str(number) for number in range(8)])
    structs = pa.StructArray.from_arrays([locs], ["loc"]).slice(2)
    lists = pa.ListArray.from_arrays(pa.array([1, 3, 3, 6], pa.int32()), structs).slice(1)
    table = pa.table({"loc": LOCS[:2], "images": lists})
    rows = [{"loc": LOCS[0]}, {"loc": LOCS[1], "images": [LOC + "5", LOC + "6", LOC + "7"]}]
    assert written(table) == written(rows)


def test_values_under_a_null_are_ignored() -> None:
    texts = pa.array([LOC + "hidden", LOC + "shown"])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2]), texts, mask=pa.array([True, False]))
    rows = [{"loc": LOCS[0]}, {"loc": LOCS[1], "images": [LOC + "shown"]}]
    assert written(pa.table({"loc": LOCS[:2], "images": lists})) == written(rows)

    structs = pa.StructArray.from_arrays([texts], ["loc"], mask=pa.array([True, False]))
    images = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), structs)
    with pytest.raises(EntryError) as raised:  # as None in a dict is not an image either
        written(one(images=images))
    assert raised.value.code == "IMG001"


def test_columns_of_nulls_are_absent() -> None:
    names = ("lastmod", "changefreq", "priority", "images", "alternates")
    table = pa.table({"loc": LOCS, **{name: pa.nulls(len(LOCS)) for name in names}})
    assert written(table) == written(LOCS)
    assert written(one(images=pa.array([[]], pa.list_(pa.null())))) == written([LOC])
    with pytest.raises(EntryError) as raised:
        written(pa.table({"loc": pa.nulls(2)}))
    assert (raised.value.index, raised.value.code, raised.value.loc) == (0, "LOC001", None)


def test_values_other_than_lists_are_refused() -> None:
    with pytest.raises(InputError, match='the column "images" has to be a list, not '):
        written(one(images=[1]))
    with pytest.raises(InputError, match='the column "images" has to be text, not '):
        written(one(images=[[1]]))


# --- the table ----------------------------------------------------------------------------------------------


def test_the_error_of_a_table_without_a_loc_names_its_columns() -> None:
    with pytest.raises(InputError, match='there is no column "loc"; the columns are url, title'):
        written(pa.table({"url": [LOC], "title": ["x"]}))
    with pytest.raises(InputError, match="no entries to write"):
        written(pa.table({"loc": pa.array([], pa.string())}))


def test_a_table_that_fails_midway_leaves_the_old_file(tmp_path: Path) -> None:
    schema = pa.schema({"loc": pa.string()})

    def batches() -> Iterator[Any]:
        yield pa.record_batch([[LOC]], schema=schema)
        raise RuntimeError("the database has gone")

    path = tmp_path / "sitemap.xml"
    path.write_bytes(b"old")
    with pytest.raises(InputError, match="the database has gone"):
        urlset.write(pa.RecordBatchReader.from_batches(schema, batches()), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_lastmods_keep_their_text_when_written_back() -> None:
    rows = [{"loc": LOC, "lastmod": text} for text in ("2024", "2024-02", "2024-02-03T04:05+06:00", None)]
    table = pa.table(urlset.read(written(rows)))
    assert table.column("lastmod_raw").to_pylist() == [row["lastmod"] for row in rows]
    assert written(table) == written(rows)
    assert written(pl.DataFrame(table)) == written(rows)


def test_a_lastmod_that_was_changed_counts_and_not_its_old_text() -> None:
    rows = [{"loc": LOC, "lastmod": text} for text in ("2024", "2024-02", "2024-02-03T04:05+06:00", "2024-05")]
    table = pa.table(urlset.read(written(rows)))
    moments = table.column("lastmod").to_pylist()
    changed = pa.array([moments[0], MOMENT, None, moments[3]], pa.timestamp("us", "UTC"))
    table = table.set_column(table.schema.get_field_index("lastmod"), "lastmod", changed)
    raws = [entry.lastmod_raw for entry in urlset.read(written(table))]
    assert raws == ["2024", "2024-03-31T00:30:00Z", None, "2024-05"]
    # A text that means nothing stands beside a null, as it was read: it is refused, not lost.
    wrong = one(lastmod=pa.array([None], pa.timestamp("us", "UTC")), lastmod_raw=["yesterday"])
    with pytest.raises(EntryError) as raised:
        written(wrong)
    assert raised.value.code == "MOD001"


def test_own_tables_keep_the_kind_of_their_entries() -> None:
    class Table:
        """Somebody else's class with the one method."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return one(priority=[0.5]).__arrow_c_stream__(requested_schema)

    assert written(Table()) == written([{"loc": LOC, "priority": 0.5}])
