"""`write`: which entries it refuses, by which rule, and what it cannot use at all."""

from __future__ import annotations

import io
import re
from datetime import datetime
from importlib import import_module
from typing import Any

import pytest
import urlset
from support.documents import BYTES_PER_DOCUMENT
from urlset import EntryError, InputError, SitemapEntry, UrlEntry

pa: Any = import_module("pyarrow")

LOC = "https://example.com/"


def written(rows: Any, **options: Any) -> bytes:
    """The bytes that `write` gives for the rows."""
    buffer = io.BytesIO()
    urlset.write(rows, buffer, **options)
    return buffer.getvalue()


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
        (code, {"loc": LOC, "lastmod": lastmod})
        for code, lastmod in (
            *(("MOD001", "yesterday"), ("MOD001", " 2024"), ("MOD005", "0000"), ("MOD003", "2024-01-31T08:00+0100")),
            *(("MOD004", "20240131"), ("MOD004", "2024-1-31"), ("MOD005", "2024-02-30"), ("MOD005", "0000-01-31")),
        )
    ),
    *(("MOD002", {"loc": LOC, "lastmod": lastmod}) for lastmod in ("2024-01-31T08:00:00", "2024-01-31T08:00")),
    ("MOD002", {"loc": LOC, "lastmod": datetime(2024, 1, 31, 8)}),  # noqa: DTZ001  (that is the mistake)
    *(("FRQ001", {"loc": LOC, "changefreq": word}) for word in ("Daily", "often", "daily ")),
    *(("PRI001", {"loc": LOC, "priority": value}) for value in ("high", "0,5", "1e-1")),
    *(("PRI002", {"loc": LOC, "priority": value}) for value in (1.1, -0.1, "2", 5, float("inf"))),
    *(("IMG001", image(loc=loc)) for loc in (None, "")),
    ("IMG002", {"loc": LOC, "images": [LOC] * 1_001}),
    *(("IMG004", image(loc=loc)) for loc in ("/i.png", "data:image/png;base64,AA", "ftp://example.com/i.png")),
    *(("ALT001", link(**{name: None})) for name in ("href", "hreflang")),
    *(("ALT007", link(href=href)) for href in ("/de/", "ftp://example.com/de/", "https://example.com/a b")),
    *(("XML007", LOC + character) for character in ("\ufffe", "\uffff")),
    *(("XML007", image(caption=character)) for character in ("\x00", "\x08", "\x1f", "\ufffe")),
    ("XML007", link(media="\x0b")),
    ("LIM007", image(caption="x" * BYTES_PER_DOCUMENT)),
    ("LIM007", image(title="x" * (1 << 20) + "x")),
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
    assert re.fullmatch(r"row 2( \(.*\))?: " + re.escape(f"{code} {error.reason}"), str(error))

    buffer = io.BytesIO()
    result = urlset.write(rows, buffer, on_error="collect")
    assert buffer.getvalue() == written([rows[0], rows[2]])
    assert (result.entries, result.refused, result.refused_by_code) == (2, 1, {code: 1})
    assert [(refusal.index, refusal.code) for refusal in result.refusals] == [(1, code)]


@pytest.mark.parametrize(
    "row",
    [
        *(LOC + half for half in ("\ud800", "\udfff")),
        *({"loc": LOC, field: "\ud800"} for field in ("lastmod", "priority")),
        {"loc": LOC, "images": [LOC + "\ud800"]},
        image(title="\udfff"),
    ],
)
def test_half_a_character_refuses_its_row(row: Any) -> None:
    rows = [LOC + "before", row, LOC + "after"]
    with pytest.raises(EntryError, match="not valid Unicode") as raised:
        written(rows)
    assert (raised.value.index, raised.value.code) == (1, "XML007")
    buffer = io.BytesIO()
    result = urlset.write(rows, buffer, on_error="collect")
    assert buffer.getvalue() == written([rows[0], rows[2]])
    assert (result.refused, result.refused_by_code) == (1, {"XML007": 1})


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
    assert result.refused_by_code == {"LOC002": 12_000}
    assert [refusal.index for refusal in result.refusals] == list(range(10_000))


# --- what cannot be used ------------------------------------------------------------------------------------

UNUSABLE: dict[str, tuple[Any, str]] = {
    "one str": (LOC, "entries must be a list or a table, got one str: put it into a list"),
    "one dict": ({"loc": LOC}, "one dict: put it into a list"),
    "one entry": (UrlEntry(LOC), "one UrlEntry: put it into a list"),
    "bytes": (b"x", "one bytes"),
    "no rows at all": (5, "entries must be an iterable or a table, got int"),
    "bytes for a row": ([b"x"], "row 1 is bytes"),
    "a number for a row": ([LOC, 5], "row 2 is int"),
    "an unknown key": (
        [LOC, {"loc": LOC, "priorty": 1}],
        'row 2 has a key "priorty"; the keys are loc, lastmod',
    ),
    "a key that is not text": ([{"loc": LOC, 1: 2}], "row 1"),
    "an unknown key of an image": ([image(captoin="x")], "captoin"),
    "an unknown key of an alternate": ([link(lang="x")], "lang"),
    "a loc that is not text": ([{"loc": 5}], "row 1: loc is int, not str"),
    "a lastmod that is a number": ([{"loc": LOC, "lastmod": 5}], "row 1: lastmod is int"),
    "a changefreq that is a number": ([{"loc": LOC, "changefreq": 5}], "row 1: changefreq is int"),
    "a priority that is a list": ([{"loc": LOC, "priority": []}], "row 1: priority is list, not a number"),
    "images that are one dict": (
        [{"loc": LOC, "images": {"loc": LOC}}],
        "row 1: images is dict, not a list",
    ),
    "images that are a number": ([{"loc": LOC, "images": 5}], "row 1: images is int, not a list"),
    "an image that is None": ([{"loc": LOC, "images": [None]}], "row 1: images is NoneType"),
    "alternates that are texts": ([{"loc": LOC, "alternates": [LOC]}], "row 1: alternates is str"),
    "a title that is a number": ([image(title=5)], "row 1: title is int, not str"),
    "half a character, as a key": ([{"loc": LOC, "\ud800": 1}], "row 1"),
}


@pytest.mark.parametrize(("rows", "message"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_unusable_rows_are_refused_with_a_reason(rows: Any, message: str) -> None:
    for on_error in ("raise", "collect"):
        with pytest.raises(InputError) as raised:
            written(rows, on_error=on_error)
        assert not isinstance(raised.value, EntryError)
        assert message in str(raised.value)


def test_options_are_words_of_two_or_three() -> None:
    with pytest.raises(InputError, match="compression must be 'auto', 'gzip' or 'none', got 'zip'"):
        written([LOC], compression="zip")
    with pytest.raises(InputError, match="on_error must be 'raise' or 'collect', got 'ignore'"):
        written([LOC], on_error="ignore")


def test_if_all_rows_are_refused_the_error_counts_them() -> None:
    with pytest.raises(InputError, match="no entries to write; 2 entries were refused"):
        written(["/a", "/b"], on_error="collect")


def test_an_entry_whose_fields_were_never_set_is_refused_with_a_reason() -> None:
    with pytest.raises(InputError, match="row 1 is UrlEntry; an entry is a str"):
        urlset.write([object.__new__(UrlEntry)], io.BytesIO())


# --- tables -------------------------------------------------------------------------------------------------


def test_refusals_count_over_all_chunks() -> None:
    table = pa.table({"loc": pa.chunked_array([[LOC, "/1"], [], ["/2", LOC], ["/4"]])})
    result = urlset.write(table, io.BytesIO(), on_error="collect")
    assert [(error.index, error.loc, error.code) for error in result.refusals] == [
        *((1, "/1", "LOC002"), (2, "/2", "LOC002"), (4, "/4", "LOC002"))
    ]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("priority", 7.0, "PRI002"),
        ("images", [{"loc": f"{LOC}1"}, {"loc": f"{LOC}a b"}], "IMG004"),
        ("alternates", [{"hreflang": "de", "href": LOC}, {"hreflang": "de", "href": f"{LOC}de"}], "ALT006"),
    ],
)
@pytest.mark.parametrize("bad", range(6))
@pytest.mark.parametrize("size", [1, 4, 6])
def test_a_row_is_refused_by_its_number_wherever_it_is(bad: int, size: int, name: str, value: Any, code: str) -> None:
    good = {
        "priority": 0.5,
        "images": [{"loc": f"{LOC}1"}, {"loc": f"{LOC}2"}],
        "alternates": [{"hreflang": "de", "href": LOC}, {"hreflang": "fr", "href": f"{LOC}fr"}],
    }
    rows: list[dict[str, Any]] = [{"loc": f"{LOC}?a&{at}", "priority": 0.5, name: good[name]} for at in range(6)]
    rows[bad][name] = value
    table = pa.Table.from_batches(pa.Table.from_pylist(rows).to_batches(max_chunksize=size))
    written_rows, written_table = io.BytesIO(), io.BytesIO()
    of_rows = urlset.write(rows, written_rows, on_error="collect")
    of_table = urlset.write(table, written_table, on_error="collect")
    assert [(each.index, each.loc, each.code) for each in of_table.refusals] == [(bad, rows[bad]["loc"], code)]
    assert [str(each) for each in of_table.refusals] == [str(each) for each in of_rows.refusals]
    assert written_table.getvalue() == written_rows.getvalue()
