"""`write`: what is read back, which bytes are written, how much fits.

Refusals are in test_refused.py, tables in test_tables.py, destinations in test_destinations.py.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl
import pytest
import urlset
from hypothesis import example, given
from hypothesis import strategies as st
from support import oracle
from support.documents import (
    BYTES_PER_DOCUMENT,
    CORE,
    ENTRIES_PER_DOCUMENT,
    FOOT,
    HEAD,
    IMAGE,
    XHTML,
    locs_of,
    violations,
)
from support.reading import of_entry, plain, without_empty_lists
from support.strategies import entries
from support.strategies.media import NEWS_TEXTS, SHOW, VIDEO_TEXTS
from urlset import Alternate, EntryError, Image, LimitError, SitemapEntry, UrlEntry

pa: Any = import_module("pyarrow")

LOC = "https://example.com/"
ROWS = st.lists(entries(), min_size=1, max_size=4)


def written(rows: Any, **options: Any) -> bytes:
    """The bytes that `write` gives for the rows."""
    buffer = io.BytesIO()
    urlset.write(rows, buffer, **options)
    return buffer.getvalue()


def body(rows: Any) -> str:
    """What stands between the root's tags."""
    return written(rows).decode().split("\n", 2)[2].removesuffix(FOOT)


# --- read(write(x)) == x ------------------------------------------------------------------------------------


@given(ROWS)
@example([{"loc": LOC, "priority": 1e-7}, {"loc": LOC, "priority": 0.1 + 0.2}, {"loc": LOC, "priority": -0.0}])
@example([{"loc": LOC, "images": [{"loc": LOC, "caption": "a\r\n\tb\x85]]>&amp;😀"}]}])
@example([{"loc": LOC, "alternates": [{"hreflang": "de", "href": LOC, "media": "a\r\n\tb  c"}]}])
def test_written_documents_are_valid_and_read_back_equal(rows: list[dict[str, Any]]) -> None:
    meant = [UrlEntry(**row) for row in rows]
    xml = written(rows)
    assert violations(xml) == []
    assert list(urlset.read(xml)) == meant
    assert written(meant) == xml
    assert list(urlset.read(written(meant, compression="gzip"))) == meant


@given(ROWS)
def test_another_reader_finds_the_same(rows: list[dict[str, Any]]) -> None:
    meant = [of_entry(UrlEntry(**row)) for row in rows]
    assert [plain(without_empty_lists(row)) for row in oracle.rows(written(rows))] == meant


def _table(rows: list[dict[str, Any]]) -> Any:
    text = pa.string()

    def structs(*names: str) -> Any:
        return pa.struct([(name, text) for name in names])

    nested = [
        *(("prices", pa.list_(structs("resolution", "currency", "price", "type"))), ("tags", pa.large_list(text))),
        *(("content_segments", pa.list_(structs("loc", "duration"))), ("ids", pa.list_(structs("type", "id")))),
        ("tvshow", structs(*SHOW)),
    ]
    video = pa.struct([*nested, *((name, text) for name in reversed(VIDEO_TEXTS))])
    image = structs("loc", "title", "caption", "geo_location", "license")
    alternate = structs("hreflang", "href", "media")
    schema = pa.schema(
        [
            *((name, text) for name in ("loc", "lastmod", "changefreq")),
            *(("priority", pa.float64()), ("images", pa.list_(image)), ("alternates", pa.list_(alternate))),
            *(("videos", pa.large_list(video)), ("news", structs(*NEWS_TEXTS))),
        ]
    )
    plain = [{**row, "lastmod": UrlEntry(**row).lastmod_raw} for row in rows]
    return pa.Table.from_pylist(plain, schema=schema)


@given(ROWS)
def test_a_table_of_the_same_rows_gives_the_same_bytes(rows: list[dict[str, Any]]) -> None:
    table, xml = _table(rows), written(rows)
    assert written(table) == xml
    assert written(pl.from_arrow(table)) == xml
    assert written(urlset.read(xml)) == xml


@given(st.lists(st.datetimes(timezones=st.just(UTC)), min_size=1))
def test_instants_of_a_table_read_back(instants: list[datetime]) -> None:
    table = pa.table({"loc": [LOC] * len(instants), "lastmod": pa.array(instants, pa.timestamp("us", "UTC"))})
    assert list(urlset.read(written(table))) == [UrlEntry(LOC, lastmod=instant) for instant in instants]


def test_an_index_reads_back() -> None:
    index = [
        SitemapEntry(LOC + "a.xml", "2024-01-31"),
        SitemapEntry(LOC + "b.xml", datetime(2024, 2, 1, tzinfo=UTC)),
    ]
    xml = written(index)
    assert violations(xml) == []
    assert list(urlset.read(xml)) == index
    assert written(urlset.read(xml, follow=False)) == xml
    assert written(urlset.scan(xml, follow=False)) == xml
    # Its sitemaps were not read, so it is not whole.
    with pytest.raises(urlset.FetchError, match="could not be followed"):
        written(urlset.scan(xml))


# Each of these is beyond what the strategy draws. `write` may refuse it; what it accepts has to come back.
ODD_ROWS: dict[str, list[Any]] = {
    "an alternate without a rel": [UrlEntry(LOC, alternates=[Alternate("de", LOC, rel=None)])],
    "a link that is not an alternate": [UrlEntry(LOC, alternates=[Alternate(None, LOC, rel="amphtml")])],
    "a caption longer than the reader holds": [UrlEntry(LOC, images=[Image(LOC, caption="x" * 9_000_000)])],
    "more alternates than the reader holds": [UrlEntry(LOC, alternates=[Alternate("de", LOC)] * 10_001)],
    "a zone with seconds": [
        UrlEntry(LOC, datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=1, seconds=30)))),
    ],
    "strange blanks around": [
        UrlEntry("https://example.com/\xa0\x85\u2028"),
        UrlEntry(LOC, changefreq="\u2003daily"),
    ],
}


@pytest.mark.parametrize("rows", ODD_ROWS.values(), ids=ODD_ROWS.keys())
def test_accepted_rows_read_back_equal(rows: list[Any]) -> None:
    try:
        xml = written(rows)
    except EntryError:
        return
    assert list(urlset.read(xml)) == rows


def test_documents_without_errors_can_be_written() -> None:
    link = f'<x:link rel="amphtml" href="{LOC}amp"/>'
    xml = f'{HEAD[:-2]} xmlns:x="{XHTML}"><url><loc>{LOC}</loc>{link}</url></urlset>'.encode()
    assert not urlset.lint(xml)
    assert list(urlset.read(written(urlset.read(xml)))) == list(urlset.read(xml))


@pytest.mark.parametrize(
    "dicts",
    [lambda entries: [asdict(entry) for entry in entries], lambda entries: pa.table(entries).to_pylist()],
    ids=["of entries", "of a table"],
)
def test_entries_can_be_written_as_dicts(dicts: Callable[[Any], Any]) -> None:
    lastmods = (None, "2024", "2024-02", "2024-02-03", "2024-02-03T04:05+06:00", "2024-02-03T04:05:06.7890Z")
    xml = written([UrlEntry(LOC, lastmod, images=[LOC], alternates=[Alternate("de", LOC)]) for lastmod in lastmods])
    assert written(dicts(urlset.read(xml))) == xml


@pytest.mark.parametrize(
    "row",
    [
        {"loc": LOC, "lastmod": date(2024, 1, 31), "lastmod_raw": ""},
        {"loc": LOC, "lastmod": date(2024, 1, 31), "lastmod_raw": "2020"},
        {"loc": LOC, "lastmod": date(2024, 1, 31), "lastmod_raw": "2024-01-31T00:00Z"},
        {"loc": LOC, "lastmod": datetime(2024, 1, 31, tzinfo=UTC), "lastmod_raw": "2024-01-31"},
        {"loc": LOC, "lastmod": None, "lastmod_raw": "2020"},
        {"loc": LOC, "lastmod": "2024"},
        {"loc": LOC, "lastmod": datetime(2024, 1, 31, 8, tzinfo=timezone(timedelta(hours=2)))},
        {"loc": LOC, "changefreq": "", "images": [], "alternates": None},
        {"loc": LOC, "images": [LOC, {"loc": LOC, "title": "", "caption": None}]},
        {"loc": LOC, "alternates": [{"hreflang": "de", "href": LOC, "rel": "", "media": None}]},
    ],
)
def test_a_dict_equals_its_entry(row: dict[str, Any]) -> None:
    entry = UrlEntry(**{**row, "images": row.get("images") or (), "alternates": row.get("alternates") or ()})
    assert body([row]) == body([entry])


USUAL_LOCS = st.sampled_from([LOC, LOC + "?a=1&b='2'", LOC + "é", LOC + "%41", LOC + "x" * 1000])
USUAL_VALUES = {
    "lastmod": st.none()
    | st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-5))])).filter(
        lambda at: 1 < at.year < 9999
    )
    | st.dates()
    | st.sampled_from(["2024", "2024-02-03", "2024-02-03T04:05:06+06:00", ""]),
    "changefreq": st.sampled_from([None, "daily", "never", ""]),
    "priority": st.none() | st.floats(0, 1) | st.sampled_from([0, 1, -0.0, 0.3, float("nan"), "0.7", "0.75"]),
}


@given(st.lists(st.fixed_dictionaries({"loc": USUAL_LOCS}, optional=USUAL_VALUES), min_size=1))
def test_a_dict_is_written_as_any_other_mapping(rows: list[dict[str, Any]]) -> None:
    """Dicts of the fields of the protocol have a way of their own, and so have entries."""
    xml = written([MappingProxyType(row) for row in rows])
    assert written(rows) == xml
    # The keys of files are not the objects that a program writes down.
    assert written([{"".join(list(name)): value for name, value in row.items()} for row in rows]) == xml
    plain: list[dict[str, Any]] = [
        {name: None if str(value) == "nan" else value for name, value in row.items()} for row in rows
    ]
    if not any(isinstance(row.get("priority"), str) for row in rows):
        assert written([UrlEntry(**row) for row in plain]) == xml
        assert written([type("Own", (UrlEntry,), {"__slots__": ()})(**row) for row in plain]) == xml


# --- the bytes ----------------------------------------------------------------------------------------------


def test_the_bytes_of_a_small_document() -> None:
    rows = [
        "https://example.com/",
        {
            "loc": "https://example.com/teapot?size=1&colour=r",
            "lastmod": datetime(2024, 1, 31, 8, 30, tzinfo=timezone(timedelta(hours=1))),
            "changefreq": "weekly",
            "priority": 1,
            "images": [Image("https://cdn.example.net/1.jpg", "Teapot", "A <big> pot", "Cork", LOC + "free")],
            "alternates": [
                {"hreflang": "de", "href": "https://example.com/de/teapot"},
                {"hreflang": None, "href": "https://m.example.com/teapot", "media": "only screen"},
            ],
        },
        UrlEntry("https://example.com/last", lastmod=date(2024, 2, 29), priority=0.25),
    ]
    assert written(rows).decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="{CORE}" xmlns:image="{IMAGE}" xmlns:xhtml="{XHTML}">\n'
        "<url><loc>https://example.com/</loc></url>\n"
        "<url><loc>https://example.com/teapot?size=1&amp;colour=r</loc>"
        "<lastmod>2024-01-31T08:30:00+01:00</lastmod><changefreq>weekly</changefreq><priority>1.0</priority>"
        "<image:image><image:loc>https://cdn.example.net/1.jpg</image:loc>"
        "<image:caption>A &lt;big&gt; pot</image:caption><image:geo_location>Cork</image:geo_location>"
        "<image:title>Teapot</image:title><image:license>https://example.com/free</image:license></image:image>"
        '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de/teapot"/>'
        '<xhtml:link rel="alternate" media="only screen" href="https://m.example.com/teapot"/></url>\n'
        "<url><loc>https://example.com/last</loc><lastmod>2024-02-29</lastmod><priority>0.25</priority></url>\n"
        "</urlset>\n"
    )


def test_the_bytes_of_a_small_index() -> None:
    assert written([SitemapEntry("https://example.com/a.xml", date(2024, 1, 31))]).decode() == (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{CORE}">\n'
        "<sitemap><loc>https://example.com/a.xml</loc><lastmod>2024-01-31</lastmod></sitemap>\n</sitemapindex>\n"
    )


@pytest.mark.parametrize(
    ("value", "as_text", "as_attribute"),
    [
        ("a&b", "a&amp;b", "a&amp;b"),
        ("a<b>c", "a&lt;b&gt;c", "a&lt;b&gt;c"),
        ("a'b\"c", "a&apos;b&quot;c", "a&apos;b&quot;c"),
        ("&amp;", "&amp;amp;", "&amp;amp;"),
        ("]]>", "]]&gt;", "]]&gt;"),
        ("a\tb\nc", "a\tb\nc", "a&#9;b&#10;c"),
        ("a\r\nb", "a&#13;\nb", "a&#13;&#10;b"),
        ("é日😀\x85\ufeff", "é日😀\x85\ufeff", "é日😀\x85\ufeff"),
    ],
)
def test_escaping_is_exact(value: str, as_text: str, as_attribute: str) -> None:
    row = UrlEntry(LOC, images=[Image(LOC, title=value)], alternates=[Alternate("de", LOC, media=value)])
    assert f"<image:title>{as_text}</image:title>" in body([row])
    assert f' media="{as_attribute}" ' in body([row])
    assert list(urlset.read(written([row]))) == [row]


def test_gzip_has_neither_name_nor_time(tmp_path: Path) -> None:
    first, second = tmp_path / "a.xml.gz", tmp_path / "another name.xml.gz"
    urlset.write([LOC], first)
    urlset.write([LOC], second)
    stored = first.read_bytes()
    # RFC 1952: magic, deflate, no flags and so no name, no time.
    assert stored[:8] == bytes.fromhex("1f8b0800 00000000")
    assert stored == second.read_bytes() == written([LOC], compression="gzip")
    assert gzip.decompress(stored) == written([LOC])


@pytest.mark.parametrize(
    ("priority", "expected"),
    [
        (1, "1.0"),
        (0, "0.0"),
        (Decimal("0.80"), "0.8"),
        (Fraction(1, 4), "0.25"),
        ("0.80", "0.80"),
        ("+.5", "+.5"),
        (-0.0, "0.0"),
        (1e-7, "0.0000001"),
        (0.1 + 0.2, "0.30000000000000004"),
    ],
)
def test_priorities_are_plain_decimals(priority: Any, expected: str) -> None:
    assert f"<priority>{expected}</priority>" in body([{"loc": LOC, "priority": priority}])


# --- limits -------------------------------------------------------------------------------------------------


def test_50_000_entries_fit_and_50_001_do_not() -> None:
    locs = [f"{LOC}{number}" for number in range(ENTRIES_PER_DOCUMENT + 1)]
    buffer = io.BytesIO()
    assert urlset.write(locs[:-1], buffer).entries == ENTRIES_PER_DOCUMENT
    assert violations(buffer.getvalue()) == []
    with pytest.raises(LimitError, match="more than 50000 entries"):
        written(locs)
    # What is refused takes no place.
    assert urlset.write([*locs[:-1], "/x"], io.BytesIO(), on_error="collect").entries == ENTRIES_PER_DOCUMENT


def test_52_428_800_bytes_fit_and_one_more_does_not() -> None:
    locs = locs_of(BYTES_PER_DOCUMENT)
    result = urlset.write(locs, io.BytesIO())
    assert (result.bytes, result.size, result.entries) == (BYTES_PER_DOCUMENT, BYTES_PER_DOCUMENT, len(locs))
    with pytest.raises(LimitError, match=f"more than {len(locs) - 1} entries"):
        written([*locs[:-1], locs[-1] + "x"])
    with pytest.raises(LimitError):
        written([*locs[:-1], locs[-1][:-1] + "&"])  # five bytes as it is written


def test_the_declaration_that_the_last_entry_needs_counts() -> None:
    last = {"loc": LOC, "alternates": [{"hreflang": "de", "href": LOC}]}
    entry = len(f'<url><loc>{LOC}</loc><xhtml:link rel="alternate" hreflang="de" href="{LOC}"/></url>\n')
    declaration = len(f' xmlns:xhtml="{XHTML}"')
    locs = locs_of(BYTES_PER_DOCUMENT - entry - declaration)
    assert urlset.write([*locs, last], io.BytesIO()).bytes == BYTES_PER_DOCUMENT
    with pytest.raises(LimitError):
        written([locs[0] + "x", *locs[1:], last])


def test_lengths_at_the_limit() -> None:
    assert len(urlset.read(written([LOC.ljust(2047, "é"), {"loc": LOC, "images": [LOC] * 1_000}]))) == 2
