"""Which sitemaps of an index are read, which of their entries are rows, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.reading import CORE, index_of, lay, locs, urlset_of
from urlset import Filter, InputError, _core

HOST = "http://a.example/"


def dated(root: str, entry: str, *named: tuple[str, str | None]) -> bytes:
    """A document of entries with a lastmod, or none."""
    entries = "".join(
        f"<{entry}><loc>{HOST}{loc}</loc>{'' if lastmod is None else f'<lastmod>{lastmod}</lastmod>'}</{entry}>"
        for loc, lastmod in named
    )
    return f'<{root} xmlns="{CORE}">{entries}</{root}>'.encode()


def index(*named: tuple[str, str | None]) -> bytes:
    return dated("sitemapindex", "sitemap", *named)


def pages(*named: tuple[str, str | None]) -> bytes:
    return dated("urlset", "url", *named)


def paths(entries: Any) -> list[str]:
    """What follows the host in each loc."""
    return [str(loc).removeprefix(HOST) for loc in locs(entries)]


# --- sitemaps -----------------------------------------------------------------------------------------------


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A shop with four sitemaps, one of which is broken and one of which is missing."""
    names = ("products-1", "products-2", "blog", "missing")
    lay(
        tmp_path,
        sitemap=index_of(*(f"{HOST}maps/{name}.xml" for name in names)),
        blog=urlset_of("B").removesuffix(b"</urlset>"),
        **{name: urlset_of(name) for name in names[:2]},
    )
    return tmp_path


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(include_sitemaps=["products-*"]),
        Filter(include_sitemaps=["/maps/products-*"]),
        Filter(include_sitemaps=[HOST + "*products-*"]),
        Filter(include_sitemaps=["products-1.xml", "*-2.xml"]),
        Filter(exclude_sitemaps=["blog.xml", "missing*"]),
        Filter(include_sitemaps=["maps/*"], exclude_sitemaps=["/maps/blog*", "/*missing.xml"]),
    ],
)
def test_sitemaps_are_chosen_before_they_are_opened(shop: Path, wanted: Filter) -> None:
    # Nothing raises: the broken one and the missing one are not looked at.
    scan = urlset.scan(shop, filter=wanted)
    assert locs(scan) == ["products-1", "products-2"]
    assert sum(scan.skipped.sitemaps.values()) == 2
    assert scan.completeness == "complete"


def test_what_was_left_out_is_counted_once(shop: Path) -> None:
    (shop / "sitemap.xml").write_bytes(index_of(*[HOST + "blog.xml"] * 3, HOST + "products-1.xml"))
    scan = urlset.scan(shop, filter=Filter(include_sitemaps=["products-*"]))
    assert locs(scan) == ["products-1"]
    assert scan.skipped == urlset.Skipped(sitemaps={"include_sitemaps": 1})


def test_an_index_is_not_hidden_by_accident(tmp_path: Path) -> None:
    lay(
        tmp_path,
        sitemap=index_of(HOST + "blog-index.xml", HOST + "shop-index.xml", HOST + "index-of-none.xml"),
        **{"blog-index": index_of(HOST + "blog-1.xml"), "shop-index": index_of(HOST + "shop-1.xml")},
        **{"blog-1": urlset_of("B"), "shop-1": urlset_of("S"), "index-of-none": urlset_of("N1", "N2")},
    )
    scan = urlset.scan(tmp_path, filter=Filter(include_sitemaps=["shop-1.xml"]))
    assert locs(scan) == ["S"]
    # One was called an index and was none: its entries are left out, and counted.
    assert scan.skipped == urlset.Skipped(sitemaps={"include_sitemaps": 2}, entries={"sitemaps": 2})
    assert scan.completeness == "complete"
    # To leave out an index takes a word.
    scan = urlset.scan(tmp_path, filter=Filter(exclude_sitemaps=["*-index.xml"]))
    assert locs(scan) == ["N1", "N2"]
    assert scan.skipped.sitemaps == {"exclude_sitemaps": 2}


def test_what_a_robots_txt_names_may_be_an_index(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text(
        f"Sitemap: {HOST}map.xml\nSitemap: {HOST}news.xml\nSitemap: {HOST}shop-2.xml\n"
    )
    lay(tmp_path, map=index_of(HOST + "shop-1.xml"), news=urlset_of("N"))
    lay(tmp_path, **{"shop-1": urlset_of("S1"), "shop-2": urlset_of("S2")})
    scan = urlset.scan(tmp_path / "robots.txt", filter=Filter(include_sitemaps=["shop-*"]))
    assert sorted(filter(None, locs(scan))) == ["S1", "S2"]
    assert scan.skipped == urlset.Skipped(sitemaps={"include_sitemaps": 1}, entries={"sitemaps": 1})


def test_the_entries_of_an_index_alone_are_not_filtered(shop: Path) -> None:
    wanted = Filter(include=["nothing"], kinds=["rss"], include_sitemaps=["products-*"])
    assert len(urlset.read(shop, follow=False, filter=wanted)) == 4


def test_the_index_says_which_sitemaps_are_old(tmp_path: Path) -> None:
    lay(
        tmp_path,
        sitemap=index(
            ("old.xml", "2026-01-31"),
            ("day.xml", "2026-02-01"),
            ("month.xml", "2026-02"),
            ("hour.xml", "2026-02-01T11:59:59Z"),
            ("new.xml", "2026-02-01T12:00:00+00:00"),
            ("odd.xml", "yesterday"),
            ("none.xml", None),
        ),
        **{name: urlset_of(name) for name in ("old", "day", "month", "hour", "new", "odd", "none")},
    )
    since = datetime(2026, 2, 1, 12, tzinfo=UTC)
    scan = urlset.scan(tmp_path, filter=Filter(modified_since=since))
    # A day and a month may have ended later than they began.
    assert locs(scan) == ["day", "month", "new", "odd", "none"]
    assert scan.skipped.sitemaps == {"modified_since": 2}
    # Sitemaps that are newer than a window have older entries.
    assert len(urlset.read(tmp_path, filter=Filter(modified_before=since))) == 7


def test_an_unknown_lastmod_is_skipped_only_where_others_are_known(tmp_path: Path) -> None:
    wanted = Filter(modified_since=date(2026, 1, 1), unknown_lastmod="skip")
    lay(tmp_path, a=pages(("a", "2026-03-01")), b=pages(("b", "2026-03-01"), ("c", None)))
    lay(tmp_path, sitemap=index(("a.xml", "2026-03-01"), ("b.xml", None)))
    scan = urlset.scan(tmp_path, filter=wanted)
    assert paths(scan) == ["a"]
    assert scan.skipped == urlset.Skipped(sitemaps={"unknown_lastmod": 1})
    lay(tmp_path, sitemap=index(("a.xml", None), ("b.xml", None)))
    scan = urlset.scan(tmp_path, filter=wanted)
    assert paths(scan) == ["a", "b"]
    assert scan.skipped == urlset.Skipped(entries={"unknown_lastmod": 1})


# --- entries ------------------------------------------------------------------------------------------------

PAGES = pages(
    ("blog/1", "2026-02-01"),
    ("blog/2?page=2", "2026-02-01T12:00Z"),
    ("shop/1", "2025"),
    ("shop/2", None),
    ("", "tomorrow"),
)


@pytest.mark.parametrize(
    ("wanted", "expected", "skipped"),
    [
        (Filter(include=["/blog/*"]), ["blog/1", "blog/2?page=2"], {"include": 3}),
        (Filter(include=["/"]), [""], {"include": 4}),
        (Filter(exclude=["/blog/*", "*/shop/2"]), ["shop/1", ""], {"exclude": 3}),
        (Filter(include=["*?page=*"]), ["blog/2?page=2"], {"include": 4}),
        (Filter(include=["/blog/*"], exclude=["*page*"]), ["blog/1"], {"exclude": 1, "include": 3}),
        (
            Filter(modified_since=date(2026, 1, 1)),
            ["blog/1", "blog/2?page=2", "shop/2", ""],
            {"modified_since": 1},
        ),
        (
            Filter(modified_since=date(2026, 1, 1), unknown_lastmod="skip"),
            ["blog/1", "blog/2?page=2"],
            {"modified_since": 1, "unknown_lastmod": 2},
        ),
        (Filter(modified_before=date(2026, 1, 1)), ["shop/1", "shop/2", ""], {"modified_before": 2}),
        (
            Filter(
                modified_since=datetime(2026, 2, 1, 12, tzinfo=UTC),
                modified_before=datetime(2026, 2, 1, 13, tzinfo=UTC),
            ),
            ["blog/1", "blog/2?page=2", "shop/2", ""],
            {"modified_since": 1},
        ),
        (Filter(kinds=["urlset"]), ["blog/1", "blog/2?page=2", "shop/1", "shop/2", ""], {}),
        (Filter(kinds=["rss", "text"]), [], {"kinds": 5}),
    ],
)
def test_entries_are_chosen(wanted: Filter, expected: Sequence[str], skipped: dict[str, int]) -> None:
    scan = urlset.scan(PAGES, filter=wanted)
    assert paths(scan) == expected
    assert scan.skipped == urlset.Skipped(entries=skipped)
    assert bool(scan.skipped) == bool(skipped)
    # Which columns are read makes no difference, and the document still says how many entries it has.
    some = urlset.scan(PAGES, filter=wanted, columns=["line"])
    assert sum(len(batch) for batch in some.batches()) == len(expected)
    assert some.documents[0].rows == 5
    [document] = urlset.read(PAGES, filter=wanted).documents
    assert paths(document) == expected


def test_documents_have_the_rows_that_are_left(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml", HOST + "b.xml"))
    lay(tmp_path, a=pages(("x/1", None), ("y/1", None)), b=pages(("y/2", None), ("x/2", None), ("x/3", None)))
    entries = urlset.read(tmp_path, filter=Filter(include=["/x/*"]))
    assert [paths(document) for document in entries.documents] == [[], ["x/1"], ["x/2", "x/3"]]


@given(st.text("ab/*", min_size=1, max_size=8), st.text("ab/", max_size=12))
def test_stars_are_those_of_the_standard_library(pattern: str, path: str) -> None:
    judge = _core.Filter([], ["/" + pattern], [], None, None, False)
    is_wanted = judge.skips(f"http://a.example/{path}", None, None) is None
    assert is_wanted == fnmatchcase("/" + path, "/" + pattern)


# --- a sample, and enough -----------------------------------------------------------------------------------


def numbered(folder: Path, sitemaps: int) -> None:
    """Lay an index of so many sitemaps, of which each has one entry more than the one before."""
    lay(folder, sitemap=index_of(*(f"{HOST}s{number}.xml" for number in range(sitemaps))))
    lay(folder, **{f"s{n}": urlset_of(*(f"{n}/{each}" for each in range(n + 1))) for n in range(sitemaps)})


def test_a_sample_is_drawn_evenly_and_says_what_it_stands_for(tmp_path: Path) -> None:
    numbered(tmp_path, 20)
    scan = urlset.scan(tmp_path, filter=Filter(sample_sitemaps=4))
    rows = list(scan)
    # The middle of each fifth.
    assert [Path(document.location or "").stem for document in scan.documents[1:]] == ["s2", "s7", "s12", "s17"]
    assert scan.skipped.sitemaps == {"sample_sitemaps": 16}
    sample = scan.sample
    assert sample is not None
    assert (sample.sitemaps, sample.of, sample.entries) == (4, 20, len(rows))
    # There are 210. The error by hand: 20 · sqrt((1 - 4/20) · var(3, 8, 13, 18) / 4).
    assert sample.estimated_entries == 210
    assert sample.standard_error == pytest.approx(20 * (0.8 * 125 / 3 / 4) ** 0.5)
    assert str(sample).startswith("4 of 20 sitemaps, with about 210 entries in all (standard error ")
    assert scan.completeness == "complete"
    assert locs(urlset.scan(tmp_path, filter=Filter(sample_sitemaps=4))) == [row.loc for row in rows]


def test_a_sample_of_all_is_all(tmp_path: Path) -> None:
    numbered(tmp_path, 3)
    scan = urlset.scan(tmp_path, filter=Filter(sample_sitemaps=100))
    assert len(list(scan)) == 6
    assert scan.sample == urlset.Sample(sitemaps=3, of=3, entries=6, estimated_entries=6, standard_error=0.0)
    assert not scan.skipped


def test_a_sample_goes_through_indexes(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(*(f"{HOST}part{number}.xml" for number in range(4))))
    for number in range(4):
        lay(tmp_path, **{f"part{number}": index_of(*(f"{HOST}p{number}-{each}.xml" for each in range(10)))})
        lay(tmp_path, **{f"p{number}-{each}": urlset_of("a", "b", "c") for each in range(10)})
    # All four are drawn, and are indexes: the sample is drawn from their children.
    scan = urlset.scan(tmp_path, filter=Filter(sample_sitemaps=8))
    assert len(list(scan)) == 24
    assert scan.sample == urlset.Sample(sitemaps=8, of=40, entries=24, estimated_entries=120, standard_error=0.0)
    # Two of four are drawn, and two of their twenty.
    scan = urlset.scan(tmp_path, filter=Filter(sample_sitemaps=2))
    assert len(list(scan)) == 6
    assert scan.sample == urlset.Sample(sitemaps=2, of=40, entries=6, estimated_entries=120, standard_error=0.0)


def test_a_drawn_sitemap_that_cannot_be_read_is_taken_to_be_like_the_others(tmp_path: Path) -> None:
    numbered(tmp_path, 20)
    lay(tmp_path, s7=b"<!DOCTYPE html><p>404")
    scan = urlset.scan(tmp_path, filter=Filter(sample_sitemaps=4))
    assert len(list(scan)) == 3 + 13 + 18
    assert len(scan.failures) == 1
    sample = scan.sample
    assert sample is not None
    assert (sample.sitemaps, sample.of, sample.entries) == (3, 20, 34)
    assert sample.estimated_entries == round(34 / 3 * 20)


def test_enough_entries_end_a_run_with_whole_documents(tmp_path: Path) -> None:
    numbered(tmp_path, 20)
    entries = urlset.read(tmp_path, filter=Filter(max_entries=10))
    assert len(entries) == 10 == sum(range(5))
    assert [str(failure) for failure in entries.failures] == [
        "the run has read 10 entries (max_entries, --max-entries): 16 sitemaps that were found are not read"
    ]
    assert entries.completeness == "truncated"


# --- arguments ----------------------------------------------------------------------------------------------


def test_a_text_is_the_time_that_it_names() -> None:
    assert urlset.Filter(modified_since="2026-11-01") == urlset.Filter(modified_since=date(2026, 11, 1))
    moment = datetime(2026, 11, 1, 8, tzinfo=UTC)
    assert urlset.Filter(modified_before="2026-11-01T08:00:00Z") == urlset.Filter(modified_before=moment)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"include": "/blog/*"}, r"Filter\.include must be a list of texts, got '/blog/\*'"),
        ({"exclude_sitemaps": [""]}, r"Filter\.exclude_sitemaps must have only texts that are not empty, got ''"),
        ({"kinds": ["html"]}, r"Filter\.kinds must be one of urlset, .*, got 'html'"),
        ({"unknown_lastmod": "drop"}, r"Filter\.unknown_lastmod must be one of keep, skip, got 'drop'"),
        (
            {"unknown_lastmod": "skip"},
            r"Filter\.unknown_lastmod needs Filter\.modified_since or Filter\.modified_before",
        ),
        ({"modified_since": "2026"}, r"Filter\.modified_since must be a time such as 2026-11-01 or .*, got '2026'"),
        ({"modified_since": "2026-11-01T10:00:00"}, r"Filter\.modified_since must have a time zone"),
        ({"modified_since": 2026}, r"Filter\.modified_since must be a datetime, a date or a text, got 2026"),
        ({"modified_since": datetime(2026, 1, 1)}, r"Filter\.modified_since must have a time zone"),  # noqa: DTZ001
        (
            {"modified_since": date(2026, 2, 1), "modified_before": date(2026, 1, 1)},
            r"Filter\.modified_since must be earlier than Filter\.modified_before, got 2026-02-01 and 2026-01-01",
        ),
        ({"sample_sitemaps": 0}, r"Filter\.sample_sitemaps must be a whole number from 1 up, got 0"),
        ({"sample_entries": 0}, r"Filter\.sample_entries must be a whole number from 1 up, got 0"),
        ({"sample_entries": 1_000_001}, r"Filter\.sample_entries must be at most 1,000,000, got 1,000,001"),
        (
            {"sample_sitemaps": 2, "sample_entries": 2},
            r"Filter\.sample_entries draws from all sitemaps: leave out Filter\.sample_sitemaps",
        ),
        ({"max_entries": True}, r"Filter\.max_entries must be a whole number from 1 up, got True"),
    ],
)
def test_invalid_filters_say_what_to_do(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Filter(**arguments)
