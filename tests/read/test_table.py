"""The table: its schema, and who takes it. How it flows: test_table_stream.py."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest
import urlset
from support.reading import CORE, many

pa: Any = import_module("pyarrow")
pd: Any = import_module("pandas")
duckdb: Any = import_module("duckdb")

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


VIDEO = pa.struct(
    [
        *((name, TEXT) for name in ("thumbnail_loc", "title", "description", "content_loc", "player_loc")),
        *((name, TEXT) for name in ("player_loc_allow_embed", "player_loc_autoplay", "duration", "expiration_date")),
        *(("rating", TEXT), ("content_segments", pa.list_(structs("loc", "duration")))),
        *(("view_count", TEXT), ("publication_date", TEXT), ("tags", pa.list_(TEXT)), ("category", TEXT)),
        *((name, TEXT) for name in ("family_friendly", "restriction", "restriction_relationship", "gallery_loc")),
        *(("gallery_loc_title", TEXT), ("prices", pa.list_(structs("price", "currency", "type", "resolution")))),
        *((name, TEXT) for name in ("requires_subscription", "uploader", "uploader_info")),
        (
            "tvshow",
            structs(
                *("show_title", "video_type", "episode_title"), *("season_number", "episode_number", "premier_date")
            ),
        ),
        *((name, TEXT) for name in ("platform", "platform_relationship", "live")),
        ("ids", pa.list_(structs("id", "type"))),
    ]
)
SCHEMA = pa.schema(
    [
        ("loc", TEXT),
        ("lastmod", pa.timestamp("us", tz="UTC")),
        ("lastmod_raw", TEXT),
        ("changefreq", pa.dictionary(pa.int8(), TEXT)),
        ("priority", pa.float64()),
        ("images", pa.list_(structs("loc", "title", "caption", "geo_location", "license"))),
        ("videos", pa.list_(VIDEO)),
        ("alternates", pa.list_(structs("hreflang", "href", "media", "rel"))),
        (
            "news",
            structs(
                *("publication_name", "publication_language", "access", "genres", "publication_date", "title"),
                *("keywords", "stock_tickers"),
            ),
        ),
        ("document", pa.dictionary(pa.int32(), TEXT)),
        ("kind", pa.dictionary(pa.int8(), TEXT)),
        ("line", pa.uint32()),
    ]
)


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


def test_selected_columns_come_in_their_order() -> None:
    columns = ["line", "loc", "images"]
    for taken in (urlset.scan(FULL, columns=columns), urlset.read(FULL, columns=columns)):
        assert pa.schema(taken) == pa.schema([SCHEMA.field(name) for name in columns])
        assert pa.table(taken).to_pydict() == pa.table(urlset.read(FULL)).select(columns).to_pydict()


@pytest.mark.parametrize("column", SCHEMA.names)
def test_a_column_read_alone_equals_that_of_the_whole_table(column: str) -> None:
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


def test_entries_of_selected_columns_have_only_those() -> None:
    assert next(iter(urlset.scan(FULL, columns=["priority"]))) == urlset.UrlEntry(None, priority=0.0)
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
    def asked(entries: Any) -> list[Any]:
        counted: list[Any] = duckdb.sql("select count(*), min(line), max(loc) from entries").fetchall()
        joined: list[Any] = duckdb.sql("select count(*) from entries a join entries b using (loc)").fetchall()
        return counted + joined

    held = table(many(40_000))
    for _ in range(3):
        assert asked(held) == [(40_000, 2, "http://a.example/9999"), (40_000,)]


def test_dictionary_columns_equal_the_rows() -> None:
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


def test_absent_values_have_no_defaults() -> None:
    rows = pa.table(urlset.read(FULL)).to_pylist()
    assert [row["priority"] for row in rows] == [0.0, None, None, None]
    assert [row["changefreq"] for row in rows] == ["daily", None, "never", None]
    assert [row["lastmod_raw"] for row in rows] == ["2005-01-01T10:00:00.5+02:00", None, "0001", "never"]
    assert [row["line"] for row in rows] == [2, 3, 4, 5]
    assert [row["images"] for row in rows][1:] == [None, None, None]
    assert all(row["videos"] is None and row["news"] is None for row in rows)


# --- the kind -----------------------------------------------------------------------------------------------

INDEX = f'<sitemapindex xmlns="{CORE}"><sitemap><loc>http://a.example/a.xml</loc></sitemap></sitemapindex>'
EACH_KIND = {
    "urlset": FULL,
    "sitemapindex": INDEX.encode(),
    "text": b"http://a.example/1\nhttp://a.example/2\n",
    "rss": b'<rss version="2.0"><channel><item><link>http://a.example/1</link></item></channel></rss>',
    "atom": b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://a.example/1"/></entry></feed>',
    "robots": b"User-agent: *\nSitemap: http://a.example/a.xml\nSitemap: http://a.example/b.xml\n",
}


@pytest.mark.parametrize("kind", EACH_KIND)
def test_each_row_has_the_kind_of_its_document(kind: str) -> None:
    data = EACH_KIND[kind]
    whole = urlset.parse(data)
    assert (whole.kind, kind in get_args(urlset.Kind)) == (kind, True)
    expected = [kind] * len(whole)
    assert expected
    assert pa.table(whole)["kind"].to_pylist() == expected
    assert [entry.kind for entry in whole] == expected
    assert urlset.read(data, columns=["kind"], follow=False)["kind"] == expected
    pieces = (data[at : at + 1] for at in range(len(data)))
    assert pa.table(urlset.scan(pieces, follow=False))["kind"].to_pylist() == expected
    again = pickle.loads(pickle.dumps(urlset.read(data, follow=False)))
    assert pa.table(again)["kind"].to_pylist() == expected


def test_the_kind_tells_pages_from_sitemaps_in_one_table(tmp_path: Path) -> None:
    for kind, data in EACH_KIND.items():
        (tmp_path / f"{kind}.xml").write_bytes(data)
    (tmp_path / "large.xml").write_bytes(many(70_000))
    names = [*EACH_KIND, "large"]
    entries = urlset.read([tmp_path / f"{name}.xml" for name in names], follow=False)
    rows = duckdb.sql("SELECT kind, count(*) FROM entries GROUP BY kind").fetchall()
    assert dict(rows) == {"urlset": 70_004, "sitemapindex": 1, "text": 2, "rss": 1, "atom": 1, "robots": 2}
    named = duckdb.sql("SELECT loc FROM entries WHERE kind IN ('sitemapindex', 'robots') ORDER BY loc").fetchall()
    assert named == [("http://a.example/a.xml",), ("http://a.example/a.xml",), ("http://a.example/b.xml",)]
    assert [entry.kind for entry in entries if isinstance(entry, urlset.SitemapEntry)] == [
        *("sitemapindex", "robots", "robots")
    ]


def test_the_rows_of_a_followed_index_are_those_of_its_children(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(INDEX, encoding="utf-8")
    (tmp_path / "a.xml").write_bytes(EACH_KIND["text"])
    assert urlset.read(tmp_path)["kind"] == ["text", "text"]
    assert urlset.read(tmp_path, follow=False)["kind"] == ["sitemapindex"]


def test_a_second_root_belongs_to_the_document() -> None:
    document = urlset.parse(INDEX.encode() + EACH_KIND["urlset"])
    assert (document.kind, {entry.kind for entry in document}) == ("sitemapindex", {"sitemapindex"})
