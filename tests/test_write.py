"""`write`: what comes back, what is refused, how much fits, where it goes. Tables: test_write_tables.py."""

from __future__ import annotations

import gzip
import io
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import oracle
import polars as pl
import pytest
import urlset
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies import entries
from support import (
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
from urlset import Alternate, EntryError, Image, InputError, LimitError, SitemapEntry, UrlEntry

pa: Any = import_module("pyarrow")

LOC = "https://example.com/"
ROWS = st.lists(entries(), min_size=1, max_size=4)
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def written(rows: Any, **options: Any) -> bytes:
    """The bytes that `write` gives for the rows."""
    buffer = io.BytesIO()
    urlset.write(rows, buffer, **options)
    return buffer.getvalue()


def body(rows: Any) -> str:
    """What stands between the root's tags."""
    return written(rows).decode().split("\n", 2)[2].removesuffix(FOOT)


# --- read(write(x)) == x ------------------------------------------------------------------------------------


@relaxed
@given(ROWS)
@example([{"loc": LOC, "priority": 1e-7}, {"loc": LOC, "priority": 0.1 + 0.2}, {"loc": LOC, "priority": -0.0}])
@example([{"loc": LOC, "images": [{"loc": LOC, "caption": "a\r\n\tb\x85]]>&amp;😀"}]}])
@example([{"loc": LOC, "alternates": [{"hreflang": "de", "href": LOC, "media": "a\r\n\tb  c"}]}])
def test_what_is_written_reads_back_equal_and_is_valid(rows: list[dict[str, Any]]) -> None:
    meant = [UrlEntry(**row) for row in rows]
    xml = written(rows)
    assert violations(xml) == []
    assert list(urlset.read(xml)) == meant
    assert written(meant) == xml
    assert list(urlset.read(written(meant, compression="gzip"))) == meant


@relaxed
@given(ROWS)
def test_another_reader_finds_the_same(rows: list[dict[str, Any]]) -> None:
    meant = [asdict(UrlEntry(**row)) for row in rows]
    for entry in meant:
        del entry["document"], entry["line"]
        entry["images"], entry["alternates"] = list(entry["images"]), list(entry["alternates"])
    assert oracle.rows(written(rows)) == meant


def _table(rows: list[dict[str, Any]]) -> Any:
    text = pa.string()
    image = pa.struct([(name, text) for name in ("loc", "title", "caption", "geo_location", "license")])
    alternate = pa.struct([(name, text) for name in ("hreflang", "href", "media")])
    schema = pa.schema(
        [
            *((name, text) for name in ("loc", "lastmod", "changefreq")),
            *(("priority", pa.float64()), ("images", pa.list_(image)), ("alternates", pa.list_(alternate))),
        ]
    )
    plain = [{**row, "lastmod": UrlEntry(**row).lastmod_raw} for row in rows]
    return pa.Table.from_pylist(plain, schema=schema)


@relaxed
@given(ROWS)
def test_a_table_of_the_same_rows_gives_the_same_bytes(rows: list[dict[str, Any]]) -> None:
    table, xml = _table(rows), written(rows)
    assert written(table) == xml
    assert written(pl.from_arrow(table)) == xml
    assert written(urlset.read(xml)) == xml


@relaxed
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
    assert written(urlset.read(xml)) == xml
    assert written(urlset.scan(xml)) == xml


# Each of these is beyond what the strategy draws. `write` may refuse it; what it accepts has to come back.
ODD_ROWS: dict[str, list[Any]] = {
    "an alternate without a rel": [UrlEntry(LOC, alternates=[Alternate("de", LOC, rel=None)])],
    "a link that is no alternate": [UrlEntry(LOC, alternates=[Alternate(None, LOC, rel="amphtml")])],
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
def test_what_is_not_refused_reads_back_equal(rows: list[Any]) -> None:
    try:
        xml = written(rows)
    except EntryError:
        return
    assert list(urlset.read(xml)) == rows


def test_what_lint_passes_can_be_written() -> None:
    link = f'<x:link rel="amphtml" href="{LOC}amp"/>'
    xml = f'{HEAD[:-2]} xmlns:x="{XHTML}"><url><loc>{LOC}</loc>{link}</url></urlset>'.encode()
    assert not urlset.lint(xml)
    assert list(urlset.read(written(urlset.read(xml)))) == list(urlset.read(xml))


@pytest.mark.parametrize(
    "row",
    [
        {"loc": LOC, "lastmod": date(2024, 1, 31), "lastmod_raw": ""},
        {"loc": LOC, "lastmod": date(2024, 1, 31), "lastmod_raw": "2020"},
        {"loc": LOC, "lastmod": date(2024, 1, 31), "lastmod_raw": "2024-01-31T00:00Z"},
        {"loc": LOC, "lastmod": None, "lastmod_raw": "2020"},
        {"loc": LOC, "lastmod": "2024"},
        {"loc": LOC, "lastmod": datetime(2024, 1, 31, 8, tzinfo=timezone(timedelta(hours=2)))},
        {"loc": LOC, "changefreq": "", "images": [], "alternates": None},
        {"loc": LOC, "images": [LOC, {"loc": LOC, "title": "", "caption": None}]},
        {"loc": LOC, "alternates": [{"hreflang": "de", "href": LOC, "rel": "", "media": None}]},
    ],
)
def test_a_dict_means_what_its_entry_means(row: dict[str, Any]) -> None:
    entry = UrlEntry(**{**row, "images": row.get("images") or (), "alternates": row.get("alternates") or ()})
    assert body([row]) == body([entry])


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


# --- refusals -----------------------------------------------------------------------------------------------


def image(**fields: Any) -> dict[str, Any]:
    """A row with one image."""
    return {"loc": LOC, "images": [{"loc": LOC, **fields}]}


def link(**fields: Any) -> dict[str, Any]:
    """A row with one alternate."""
    return {"loc": LOC, "alternates": [{"href": LOC, "hreflang": "de", **fields}]}


REFUSED: list[tuple[str, Any]] = [
    *(("LOC001", loc) for loc in ("", {"loc": None}, {"loc": ""}, {"lastmod": "2024"}, UrlEntry(None))),
    *(("LOC002", loc) for loc in ("/about", "//example.com/", "www.example.com/", "example.com:80/", "?a=b")),
    *(("LOC003", loc) for loc in ("ftp://example.com/", "mailto:a@example.com", "javascript:void(0)")),
    *(("LOC004", loc) for loc in ("https://", "https:///a", "https://example.com/a b", f" {LOC}", LOC + "\x01")),
    *(("LOC009", loc) for loc in (LOC.ljust(2048, "x"), LOC.ljust(2048, "é"))),
    *(
        ("MOD001", {"loc": LOC, "lastmod": lastmod})
        for lastmod in ("yesterday", "2024-02-30", "20240131", " 2024", "2024-01-31T08:00+0100", "0000")
    ),
    *(("MOD002", {"loc": LOC, "lastmod": lastmod}) for lastmod in ("2024-01-31T08:00:00", "2024-01-31T08:00")),
    ("MOD002", {"loc": LOC, "lastmod": datetime(2024, 1, 31, 8)}),  # noqa: DTZ001  (that is the mistake)
    *(("FRQ001", {"loc": LOC, "changefreq": word}) for word in ("Daily", "often", "daily ")),
    *(("PRI001", {"loc": LOC, "priority": value}) for value in ("high", "0,5", "1e-1", float("nan"))),
    *(("PRI002", {"loc": LOC, "priority": value}) for value in (1.1, -0.1, "2", 5, float("inf"))),
    *(("IMG001", image(loc=loc)) for loc in (None, "")),
    ("IMG002", {"loc": LOC, "images": [LOC] * 1_001}),
    *(("IMG004", image(loc=loc)) for loc in ("/i.png", "data:image/png;base64,AA", "ftp://example.com/i.png")),
    *(("ALT001", link(**{name: None})) for name in ("href", "hreflang")),
    *(("ALT007", link(href=href)) for href in ("/de/", "ftp://example.com/de/", "https://example.com/a b")),
    *(("XML007", LOC + character) for character in ("\ufffe", "\uffff")),
    *(("XML007", image(caption=character)) for character in ("\x00", "\x08", "\x1f", "\ufffe")),
    ("XML007", link(media="\x0b")),
    ("LIM002", image(caption="x" * BYTES_PER_DOCUMENT)),
]


@pytest.mark.parametrize(("code", "row"), REFUSED, ids=[f"{code}-{n}" for n, (code, _) in enumerate(REFUSED)])
def test_refusals(code: str, row: Any) -> None:
    rows = [LOC + "before", row, LOC + "after"]
    with pytest.raises(EntryError) as raised:
        written(rows)
    error = raised.value
    assert (error.index, error.code) == (1, code)
    loc = row if isinstance(row, str) else row.get("loc") if isinstance(row, dict) else row.loc
    assert error.loc == (loc or None)
    assert error.reason
    assert re.fullmatch(r"entry 1( \(.*\))?: " + re.escape(f"{code} {error.reason}"), str(error))

    buffer = io.BytesIO()
    result = urlset.write(rows, buffer, on_error="collect")
    assert buffer.getvalue() == written([rows[0], rows[2]])
    assert (result.entries, result.refused) == (2, 1)
    assert [(refusal.index, refusal.code) for refusal in result.refusals] == [(1, code)]


@pytest.mark.parametrize(
    "extra",
    [{"changefreq": "daily"}, {"priority": 0.0}, {"images": [LOC]}, {"alternates": [{"hreflang": "de"}]}],
)
def test_a_sitemap_has_only_loc_and_lastmod(extra: dict[str, Any]) -> None:
    with pytest.raises(EntryError) as raised:
        written([SitemapEntry(LOC), {"loc": LOC, **extra}])
    assert (raised.value.index, raised.value.code) == (1, "IDX006")


@pytest.mark.parametrize("rows", [[SitemapEntry(LOC), UrlEntry(LOC)], [UrlEntry(LOC), SitemapEntry(LOC)]])
def test_a_document_holds_entries_of_one_kind(rows: list[Any]) -> None:
    with pytest.raises(EntryError) as raised:
        written(rows)
    assert (raised.value.index, raised.value.code) == (1, "IDX006")


def test_every_code_that_refuses_is_a_rule() -> None:
    assert {code for code, _ in REFUSED} <= {rule.code for rule in urlset.rules() if rule.severity == "error"}


def test_all_refusals_are_counted_and_the_first_10_000_kept() -> None:
    result = urlset.write(["/x"] * 12_000 + [LOC], io.BytesIO(), on_error="collect")
    assert (result.refused, len(result.refusals), result.entries) == (12_000, 10_000, 1)
    assert [refusal.index for refusal in result.refusals] == list(range(10_000))


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


# --- where it goes ------------------------------------------------------------------------------------------


def test_a_path_a_compressed_path_and_a_file_object(tmp_path: Path) -> None:
    plain = written([LOC])
    for name, compression, is_gzip in [
        ("a.xml", "auto", False),
        ("a.xml.gz", "auto", True),
        ("b.xml", "gzip", True),
        ("b.xml.gz", "none", False),
    ]:
        path = tmp_path / name
        for dest in (path, str(path)):
            result = urlset.write([LOC], dest, compression=compression)  # type: ignore[arg-type]
            stored = path.read_bytes()
            assert (gzip.decompress(stored) if is_gzip else stored) == plain
            assert (result.location, result.kind, result.entries) == (str(path), "urlset", 1)
            assert (result.bytes, result.size) == (len(plain), len(stored))
    buffer = io.BytesIO(b"before, ")
    buffer.seek(8)
    assert urlset.write([LOC], buffer).location is None
    assert buffer.getvalue() == b"before, " + plain
    assert urlset.write([SitemapEntry(LOC)], io.BytesIO()).kind == "sitemapindex"


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    urlset.write([LOC + "old"], path)
    before = path.stat().st_ino
    with path.open("rb") as reader:
        urlset.write([LOC + "new"], path)
        assert reader.read() == written([LOC + "old"])  # whoever had it open goes on with the old one
    assert path.read_bytes() == written([LOC + "new"])
    assert path.stat().st_ino != before
    assert stat.S_IMODE(path.stat().st_mode) & 0o444 == 0o444  # a web server has to read it
    assert list(tmp_path.iterdir()) == [path]


def _raising() -> Iterator[str]:
    yield LOC
    raise ZeroDivisionError("midway")


UNWRITABLE: dict[str, tuple[Callable[[], Any], type[Exception]]] = {
    "a refused row": (lambda: [LOC, "/x"], EntryError),
    "nothing": (list, InputError),
    "too much": (lambda: (f"{LOC}{n}" for n in range(ENTRIES_PER_DOCUMENT + 1)), LimitError),
    "rows that fail": (_raising, ZeroDivisionError),
    "a wrong row": (lambda: [LOC, 5], InputError),
}


@pytest.mark.parametrize(("rows", "error"), UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_a_failure_leaves_the_old_file_alone(tmp_path: Path, rows: Callable[[], Any], error: type[Exception]) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(b"old")
    before = path.stat()
    with pytest.raises(error):
        urlset.write(rows(), path)
    assert path.read_bytes() == b"old"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert list(tmp_path.iterdir()) == [path]
    buffer = io.BytesIO()
    with pytest.raises(error):
        urlset.write(rows(), buffer)
    assert buffer.getvalue() == b""


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        urlset.write([LOC], tmp_path / "nowhere" / "sitemap.xml")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        urlset.write([LOC], tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    with pytest.raises(io.UnsupportedOperation), (tmp_path / "read only").open("w+b") as file:
        urlset.write([LOC], io.BufferedReader(file.raw))


# --- what cannot be used ------------------------------------------------------------------------------------

UNUSABLE: dict[str, tuple[Any, str]] = {
    "one str": (LOC, "one str: put it into a list"),
    "one dict": ({"loc": LOC}, "one dict: put it into a list"),
    "one entry": (UrlEntry(LOC), "one UrlEntry: put it into a list"),
    "bytes": (b"x", "one bytes"),
    "no rows at all": (5, "neither an iterable nor a table"),
    "bytes for a row": ([b"x"], "entry 0 is bytes"),
    "a number for a row": ([LOC, 5], "entry 1 is int"),
    "an unknown key": (
        [LOC, {"loc": LOC, "priorty": 1}],
        'entry 1 has a key "priorty"; the keys are loc, lastmod',
    ),
    "a key that is no text": ([{"loc": LOC, 1: 2}], "entry 0"),
    "an unknown key of an image": ([image(captoin="x")], "captoin"),
    "an unknown key of an alternate": ([link(lang="x")], "lang"),
    "a loc that is no text": ([{"loc": 5}], "entry 0: loc is int, not str"),
    "a lastmod that is a number": ([{"loc": LOC, "lastmod": 5}], "entry 0: lastmod is int"),
    "a changefreq that is a number": ([{"loc": LOC, "changefreq": 5}], "entry 0: changefreq is int"),
    "a priority that is a list": ([{"loc": LOC, "priority": []}], "entry 0: priority is list, not a number"),
    "images that are one text": ([{"loc": LOC, "images": LOC}], "entry 0: images is str, not a list"),
    "images that are one dict": (
        [{"loc": LOC, "images": {"loc": LOC}}],
        "entry 0: images is dict, not a list",
    ),
    "images that are a number": ([{"loc": LOC, "images": 5}], "entry 0: images is int, not a list"),
    "an image that is None": ([{"loc": LOC, "images": [None]}], "entry 0: images is NoneType"),
    "alternates that are texts": ([{"loc": LOC, "alternates": [LOC]}], "entry 0: alternates is str"),
    "a title that is a number": ([image(title=5)], "entry 0: title is int, not str"),
    "half a character, as a row": ([LOC + "\ud800"], "entry 0: loc is str, not valid Unicode"),
    "half a character, as a loc": ([{"loc": LOC + "\ud800"}], "entry 0: loc is str, not valid Unicode"),
    "half a character, as an image": ([{"loc": LOC, "images": [LOC + "\ud800"]}], "not valid Unicode"),
    "half a character, as a title": ([image(title="\udfff")], "entry 0: title is str, not valid Unicode"),
    "half a character, as a lastmod": ([{"loc": LOC, "lastmod": "\ud800"}], "entry 0: lastmod"),
    "half a character, as a priority": ([{"loc": LOC, "priority": "\ud800"}], "entry 0: priority"),
    "half a character, as a key": ([{"loc": LOC, "\ud800": 1}], "entry 0"),
}


@pytest.mark.parametrize(("rows", "message"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_what_cannot_be_used_is_told(rows: Any, message: str) -> None:
    for on_error in ("raise", "collect"):
        with pytest.raises(InputError) as raised:
            written(rows, on_error=on_error)
        assert not isinstance(raised.value, EntryError)
        assert message in str(raised.value)


def test_options_are_words_of_two_or_three() -> None:
    with pytest.raises(InputError, match="compression is 'zip'"):
        written([LOC], compression="zip")
    with pytest.raises(InputError, match="on_error is 'ignore'"):
        written([LOC], on_error="ignore")


def test_nothing_left_to_write_says_how_much_was_refused() -> None:
    with pytest.raises(InputError, match="no entry to write; 2 were refused"):
        written(["/a", "/b"], on_error="collect")
