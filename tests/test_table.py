"""The table: its schema, who takes it, how it flows, and what reaches the consumer when reading fails."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import urlset

pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = (
    f'<urlset xmlns="{CORE}" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    ' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
).encode()
END = b"</urlset>\n"

FULL = (
    HEAD
    + b"<url><loc>http://a.example/0</loc><lastmod>2005-01-01T10:00:00.5+02:00</lastmod>"
    + b"<changefreq>daily</changefreq><priority>0.0</priority>"
    + b"<image:image><image:loc>http://a.example/i.png</image:loc></image:image>"
    + b'<xhtml:link rel="alternate" hreflang="de" href="http://a.example/de"/></url>\n'
    + b"<url><loc>http://a.example/1</loc></url>\n"
    + b"<url><loc>http://a.example/2</loc><lastmod>0001</lastmod><changefreq>never</changefreq></url>\n"
    + b"<url><lastmod>never</lastmod><changefreq>sometimes</changefreq><priority>2</priority></url>\n"
    + END
)
INSTANTS = [datetime(2005, 1, 1, 8, 0, 0, 500_000, tzinfo=UTC), None, datetime(1, 1, 1, tzinfo=UTC), None]

TEXT = pa.string()


def structs(*names: str) -> Any:
    """A struct of texts."""
    return pa.struct([pa.field(name, TEXT) for name in names])


SCHEMA = pa.schema(
    [
        ("loc", TEXT),
        ("lastmod", pa.timestamp("us", tz="UTC")),
        ("lastmod_raw", TEXT),
        ("changefreq", pa.dictionary(pa.int8(), TEXT)),
        ("priority", pa.float64()),
        ("images", pa.list_(structs("loc", "title", "caption", "geo_location", "license"))),
        (
            "videos",
            pa.list_(structs("thumbnail_loc", "title", "description", "content_loc", "player_loc")),
        ),
        ("alternates", pa.list_(structs("hreflang", "href", "media", "rel"))),
        ("news", structs("publication_name", "publication_language", "publication_date", "title")),
        ("document", pa.dictionary(pa.int32(), TEXT)),
        ("line", pa.uint32()),
    ]
)


def many(rows: int) -> bytes:
    """A urlset of so many entries."""
    return HEAD + b"".join(b"<url><loc>http://a.example/%d</loc></url>\n" % at for at in range(rows)) + END


TABLES: dict[str, Callable[[bytes], Any]] = {
    "document": lambda data: urlset.parse(data, location="http://a.example/sitemap.xml"),
    "scan": urlset.scan,
    "entries": urlset.read,
}
each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


# --- the schema ---------------------------------------------------------------------------------------------


@each_table
def test_schema_is_the_documented_one(table: Callable[[bytes], Any]) -> None:
    assert pa.table(table(FULL)).schema == SCHEMA
    assert pa.schema(table(FULL)) == SCHEMA
    assert all(field.nullable for field in pa.schema(table(FULL)))


@pytest.mark.parametrize("data", [many(0), many(1)], ids=["no rows", "no values"])
def test_schema_does_not_depend_on_the_data(data: bytes) -> None:
    for table in TABLES.values():
        assert pa.table(table(data)).schema == SCHEMA


def test_columns_are_those_asked_for_in_that_order() -> None:
    columns = ["line", "loc", "images"]
    for taken in (urlset.scan(FULL, columns=columns), urlset.read(FULL, columns=columns)):
        assert pa.schema(taken) == pa.schema([SCHEMA.field(name) for name in columns])
        assert pa.table(taken).to_pydict() == pa.table(urlset.read(FULL)).select(columns).to_pydict()


@pytest.mark.parametrize("column", SCHEMA.names)
def test_each_column_alone_is_what_it_is_in_the_whole(column: str) -> None:
    alone = pa.table(urlset.scan(FULL, columns=[column]))
    assert alone.to_pydict() == pa.table(urlset.read(FULL)).select([column]).to_pydict()


def test_no_columns_still_count_the_rows() -> None:
    entries = urlset.read(FULL, columns=[])
    assert len(entries) == 4
    assert pa.table(entries).schema.names == []


@pytest.mark.parametrize("columns", [["nope"], ["loc", "url"], ["Loc"], "loc", ["loc", "loc"]])
def test_columns_that_are_none_are_refused_before_anything_is_read(columns: Any) -> None:
    with pytest.raises(urlset.InputError, match=r"column"):
        urlset.scan(FULL, columns=columns)
    with pytest.raises(urlset.InputError, match=r"column"):
        urlset.read(FULL, columns=columns)


def test_objects_of_a_projection_have_what_was_asked_for_and_nothing_else() -> None:
    assert list(urlset.scan(FULL, columns=["priority"]))[0] == urlset.UrlEntry(None, priority=0.0)
    assert list(urlset.scan(FULL, columns=["line"]))[2].line == 4


# --- who takes it -------------------------------------------------------------------------------------------


def by_pyarrow(entries: Any) -> list[Any]:
    """loc, lastmod, priority, the first image's loc and the link's language of every row, by pyarrow."""
    return [
        (row["loc"], row["lastmod"], row["priority"], row["images"], row["alternates"])
        for row in pa.table(entries).to_pylist()
    ]


def by_polars(entries: Any) -> list[Any]:
    """The same by polars."""
    return pl.DataFrame(entries).select("loc", "lastmod", "priority", "images", "alternates").rows()


def by_pandas(entries: Any) -> list[Any]:
    """The same by pandas, which has its own nulls."""
    frame = pd.DataFrame.from_arrow(entries)
    assert str(frame.dtypes["lastmod"]) == "datetime64[us, UTC]"
    return [
        (
            None if pd.isna(row.loc) else row.loc,
            None if pd.isna(row.lastmod) else row.lastmod.to_pydatetime(),
            None if pd.isna(row.priority) else row.priority,
            None if row.images is None else list(row.images),
            None if row.alternates is None else list(row.alternates),
        )
        for row in frame.rename(columns={"index": "position"}).itertuples()
    ]


def by_duckdb(entries: Any) -> list[Any]:
    """The same by DuckDB."""
    # As microseconds: DuckDB hands out instants as Python objects only where pytz is installed.
    rows = duckdb.sql("select loc, epoch_us(lastmod), priority, images, alternates from entries").fetchall()
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    at = {(instant - epoch).total_seconds() * 1e6: instant for instant in INSTANTS if instant is not None}
    return [(loc, at.get(micros), *rest) for loc, micros, *rest in rows]


CONSUMERS = {"pyarrow": by_pyarrow, "polars": by_polars, "pandas": by_pandas, "duckdb": by_duckdb}
each_consumer = pytest.mark.parametrize("consumer", CONSUMERS.values(), ids=CONSUMERS)

IMAGE = {
    "loc": "http://a.example/i.png",
    "title": None,
    "caption": None,
    "geo_location": None,
    "license": None,
}
LINK = {"hreflang": "de", "href": "http://a.example/de", "media": None, "rel": "alternate"}


@each_table
@each_consumer
def test_everybody_takes_every_table(consumer: Callable[[Any], list[Any]], table: Callable[[bytes], Any]) -> None:
    assert consumer(table(FULL)) == [
        ("http://a.example/0", INSTANTS[0], 0.0, [IMAGE], [LINK]),
        ("http://a.example/1", None, None, None, None),
        ("http://a.example/2", INSTANTS[2], None, None, None),
        (None, None, None, None, None),
    ]


@each_table
@each_consumer
def test_everybody_takes_an_empty_table(consumer: Callable[[Any], list[Any]], table: Callable[[bytes], Any]) -> None:
    assert consumer(table(many(0))) == []


@each_table
def test_polars_sees_the_types_of_the_schema(table: Callable[[bytes], Any]) -> None:
    frame = pl.DataFrame(table(FULL))
    assert frame.columns == SCHEMA.names
    assert frame.schema["lastmod"] == pl.Datetime("us", "UTC")
    assert frame.schema["line"] == pl.UInt32
    assert frame.schema["images"] == pl.List(pl.Struct(dict.fromkeys(IMAGE, pl.String)))
    assert frame["changefreq"].cast(pl.String).to_list() == ["daily", None, "never", None]


@each_table
def test_duckdb_opens_one_object_again_and_again(table: Callable[[bytes], Any]) -> None:
    entries = table(many(40_000))
    for _ in range(3):
        counted = duckdb.sql("select count(*), min(line), max(loc) from entries").fetchall()
        assert counted == [(40_000, 2, "http://a.example/9999")]
    joined = duckdb.sql("select count(*) from entries a join entries b using (loc)").fetchall()
    assert joined == [(40_000,)]


def test_dictionary_columns_hold_what_the_rows_say() -> None:
    table = pa.table(urlset.read(FULL))
    assert table["changefreq"].to_pylist() == ["daily", None, "never", None]
    assert table["document"].to_pylist() == [None] * 4
    named = pa.table(urlset.parse(FULL, location="http://a.example/sitemap.xml"))
    assert named["document"].to_pylist() == ["http://a.example/sitemap.xml"] * 4


def test_the_document_column_names_each_row_its_own(tmp_path: Path) -> None:
    index = f'<sitemapindex xmlns="{CORE}">'
    sizes = {"a.xml": 3, "b.xml": 70_000, "c.xml": 0, "d.xml": 2}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(many(size))
        index += f"<sitemap><loc>http://a.example/{name}</loc></sitemap>"
    (tmp_path / "sitemap.xml").write_text(index + "</sitemapindex>", encoding="utf-8")
    expected = [str(tmp_path / name) for name, size in sizes.items() for _ in range(size)]
    scan = urlset.scan(tmp_path)
    assert pa.table(scan)["document"].to_pylist() == expected
    assert pl.DataFrame(scan)["document"].cast(pl.String).to_list() == expected
    assert [entry.document for entry in scan] == expected
    assert [len(document) for document in urlset.read(tmp_path).documents] == [0, *sizes.values()]


def test_nothing_is_a_default() -> None:
    rows = pa.table(urlset.read(FULL)).to_pylist()
    assert [row["priority"] for row in rows] == [0.0, None, None, None]
    assert [row["changefreq"] for row in rows] == ["daily", None, "never", None]
    assert [row["lastmod_raw"] for row in rows] == ["2005-01-01T10:00:00.5+02:00", None, "0001", "never"]
    assert [row["line"] for row in rows] == [2, 3, 4, 5]
    assert [row["images"] for row in rows][1:] == [None, None, None]
    assert all(row["videos"] is None and row["news"] is None for row in rows)


# --- how it flows -------------------------------------------------------------------------------------------


@each_table
def test_batches_are_bounded(table: Callable[[bytes], Any]) -> None:
    sizes = [batch.num_rows for batch in pa.RecordBatchReader.from_stream(table(many(100_000)))]
    assert sum(sizes) == 100_000
    assert max(sizes) <= 65_536
    assert len(sizes) > 1


def test_batches_of_long_texts_are_bounded_by_their_bytes() -> None:
    # Nothing of the protocol: values of a quarter of a megabyte, to come past the bound of 64 MiB.
    entry = b"<url><loc>http://a.example/" + b"x" * 250_000 + b"</loc></url>"
    pieces = (piece for pieces in ([HEAD], [entry] * 400, [END]) for piece in pieces)
    sizes = [(len(batch), batch.nbytes) for batch in pa.RecordBatchReader.from_stream(urlset.scan(pieces))]
    assert sum(rows for rows, _ in sizes) == 400
    assert max(size for _, size in sizes) < 70 << 20


def test_rows_come_before_the_source_has_ended() -> None:
    left = 0

    def pieces() -> Iterator[bytes]:
        nonlocal left
        yield HEAD
        for left in range(99, -1, -1):
            yield b"<url><loc>http://a.example/</loc></url>" * 1_000
        yield END

    batches = urlset.scan(pieces()).batches()
    assert len(next(batches)) > 0
    assert left > 50
    assert sum(map(len, batches)) > 0
    assert left == 0


def test_a_stream_that_is_dropped_half_way_leaves_no_trace() -> None:
    scan = urlset.scan(many(100_000))
    for _ in range(3):
        assert pa.RecordBatchReader.from_stream(scan).read_next_batch().num_rows > 0
    assert len(scan.collect()) == 100_000


MEMORY = """
    import resource, sys, urlset

    def pieces(megabytes):
        yield b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        entry = b"<url><loc>http://a.example/%s</loc><lastmod>2005-01-01</lastmod></url>" % (b"x" * 60)
        for _ in range(megabytes * (1 << 20) // (len(entry) * 500)):
            yield entry * 500
        yield b"</urlset>"

    def peak():
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit >> 20

    def run(megabytes):
        return sum(WAY for batch in urlset.scan(pieces(megabytes)).batches())

    run(12)
    before, rows = peak(), run(60)
    assert rows > 400_000, rows
    print(peak() - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the resource module is of Unix")
@pytest.mark.parametrize("way", ["len(batch)", "len(batch.entries())"], ids=["batches", "objects"])
def test_memory_does_not_grow_with_the_document(way: str) -> None:
    code = textwrap.dedent(MEMORY).replace("WAY", way)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # Of 60 MB, which held as a table are more than 80.
    assert int(ended.stdout) < 24


# --- what reaches the consumer ------------------------------------------------------------------------------

CUT = HEAD + b"<url><loc>http://a.example/</loc></url>\n<url><loc>http://a.exa"


@each_consumer
def test_an_error_reaches_the_consumer_in_our_words(consumer: Callable[[Any], list[Any]]) -> None:
    with pytest.raises(Exception, match=r"MalformedError: 3:1: the document ends inside what begins here"):
        consumer(urlset.scan(CUT))


def test_an_error_of_the_source_reaches_the_consumer_in_its_words() -> None:
    def pieces() -> Iterator[bytes]:
        yield HEAD
        raise RuntimeError("the cable was cut")

    with pytest.raises(Exception, match=r"the cable was cut"):
        pa.table(urlset.scan(pieces()))
    with pytest.raises(RuntimeError, match=r"the cable was cut"):
        list(urlset.scan(pieces()))


def test_full_batches_come_before_the_error() -> None:
    batches = urlset.scan(many(100_000).removesuffix(END)).batches()
    assert len(next(batches)) > 0
    with pytest.raises(urlset.MalformedError):
        list(batches)


#: A consumer lets go of the interpreter before it pulls or drops our stream, and may do both while Python runs that
#: one of our own calls has called. Each of these once took the interpreter down, so each has one of its own.
NESTED = {
    "pulled while reading": """
        def pieces():
            yield HEAD
            for batch in pa.RecordBatchReader.from_stream(urlset.scan(iter([document(50_000)]))):
                yield from (b"<url><loc>%s</loc></url>" % str(loc).encode() for loc in batch["loc"])
            yield END

        print(len(urlset.read(pieces())))
    """,
    "pulled while writing": """
        def rows():
            for batch in pa.RecordBatchReader.from_stream(urlset.scan(iter([document(50_000)]))):
                yield from batch["loc"].to_pylist()

        print(urlset.write(rows(), io.BytesIO()).entries)
    """,
    "dropped while reading": """
        def pieces():
            readers = [pa.RecordBatchReader.from_stream(urlset.scan(document(1)))]
            yield HEAD
            readers.clear()
            yield document(50_000).removeprefix(HEAD)

        print(len(urlset.read(pieces())))
    """,
    "dropped with the error it gave": """
        def fail():
            reader = pa.RecordBatchReader.from_stream(urlset.scan(HEAD))
            try:
                reader.read_next_batch()
            except pa.ArrowInvalid:
                pass

        for _ in range(10):
            fail()
            urlset.scan(b"")
        print(len(urlset.read(document(50_000))))
    """,
}
NESTING = """
import io, pyarrow as pa, urlset

HEAD, END = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">', b"</urlset>"

def document(rows):
    return HEAD + b"".join(b"<url><loc>http://a.example/%d</loc></url>" % at for at in range(rows)) + END

"""


@pytest.mark.parametrize("code", NESTED.values(), ids=NESTED)
def test_a_stream_may_be_pulled_and_dropped_inside_our_own_calls(code: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", NESTING + textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "50000\n"), ended.stderr


def test_rows_before_a_collected_error_come_in_full() -> None:
    scan = urlset.scan(CUT, on_error="collect")
    assert pa.table(scan)["loc"].to_pylist() == ["http://a.example/"]
    [failure] = scan.failures
    assert isinstance(failure, urlset.MalformedError)


# --- opening again ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [bytes, lambda data: [data[:50], data[50:]], lambda data: (data,)])
def test_what_lies_in_memory_is_read_as_often_as_asked(again: Callable[[bytes], Any]) -> None:
    scan = urlset.scan(again(FULL))
    assert pa.table(scan) == pa.table(scan)
    assert list(scan) == list(scan)
    assert len(scan.collect()) == 4
    assert len(scan.documents) == 1


def test_a_path_is_read_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(many(1))
    scan = urlset.scan(path)
    assert pa.table(scan).num_rows == 1
    path.write_bytes(many(2))
    assert pa.table(scan).num_rows == 2
    assert [document.rows for document in scan.documents] == [2]


@pytest.mark.parametrize("kind", ["generator", "file"])
def test_what_flows_by_once_is_read_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(FULL)
    with path.open("rb") as file:
        scan = urlset.scan((piece for piece in [FULL]) if kind == "generator" else file)
        # The schema is known without opening anything.
        assert pa.schema(scan) == SCHEMA
        assert pa.table(scan).num_rows == 4
        for use in (pa.table, list, pl.DataFrame, lambda again: again.collect()):
            with pytest.raises(urlset.InputError, match=r"can be read only once"):
                use(scan)
    assert len(scan.documents) == 1


def test_entries_are_held_and_never_read_again() -> None:
    entries = urlset.read(piece for piece in [FULL])
    assert pa.table(entries) == pa.table(entries)
    [document] = entries.documents
    assert pa.table(document) == pa.table(entries)


def test_documents_of_a_scan_hold_no_rows() -> None:
    scan = urlset.scan(FULL)
    assert pa.table(scan).num_rows == 4
    [document] = scan.documents
    assert document.rows == 4
    for use in (pa.table, list, len):
        with pytest.raises(urlset.UrlsetError, match=r"read\(\) keeps them"):
            use(document)
