"""Documents that are made anew each time: what changed lately, news, and what is gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import NEWS, tree
from support.publish import BASE, DAY, document, locs, publish, read_back
from support.publish.model import small
from urlset import UrlEntry
from urlset._publish.commit.publication import Publication

from publish.plan.test_assign import stamps

NOON = DAY[0]
TITLE = {"publication_name": "The & Times", "publication_language": "en", "title": "What's new"}


def expiring(folder: Path, publication: Publication, section: str) -> list[list[UrlEntry]]:
    """The entries of the documents of a built-in section."""
    names = [shard.name for shard in publication.shards if shard.name.startswith(f"sitemap-{section}-")]
    return [[entry for entry in urlset.read(folder / name) if isinstance(entry, UrlEntry)] for name in names]


def ends(entries: list[UrlEntry]) -> list[str]:
    return [str(entry.loc).removeprefix(BASE) for entry in entries]


def same_again(folder: Path, rows: Any, now: datetime, **options: Any) -> None:
    """A rerun at the same time writes nothing, and removes nothing."""
    before = stamps(folder)
    again = publish(rows, folder, now=now, **options)
    assert (again.written, again.removed) == ((), ())
    assert stamps(folder) == before
    assert {shard.action for shard in again.plan.shards} == {"keep"}


# --- recent -------------------------------------------------------------------------------------------------


def test_what_changed_in_the_last_days_comes_latest_first(tmp_path: Path) -> None:
    since = NOON - timedelta(days=3)
    rows: list[Any] = [
        {"loc": "/b", "lastmod": NOON},
        {"loc": "/a", "lastmod": NOON, "images": [BASE + "i.png"]},
        {"loc": "/edge", "lastmod": since},
        {"loc": "/old", "lastmod": since - timedelta(seconds=1)},
        {"loc": "/day", "lastmod": "2023-12-30"},
        {"loc": "/zone", "lastmod": "2023-12-29T11:30-01:00"},
        {"loc": "/month", "lastmod": "2023-12"},
        {"loc": "/none"},
    ]
    publication = publish(rows, tmp_path, recent=3)
    [found] = expiring(tmp_path, publication, "recent")
    assert ends(found) == ["a", "b", "day", "zone", "edge"]
    # They are all in the other document, too, and the same.
    whole = {entry.loc: entry for entry in urlset.read(tmp_path)}
    assert [whole[entry.loc] for entry in found] == found
    assert publication.entries == 8
    same_again(tmp_path, rows, NOON, recent=3)


def test_what_was_recent_goes_with_the_days(tmp_path: Path) -> None:
    rows = [{"loc": f"/{day}", "lastmod": DAY[day - 1]} for day in (1, 2)]
    publish(rows, tmp_path, recent=2, day=2)
    later = publish(rows, tmp_path, recent=2, day=4)
    assert [ends(part) for part in expiring(tmp_path, later, "recent")] == [["2"]]
    assert [(shard.shard, shard.action) for shard in later.plan.shards] == [
        *(("0001", "keep"), ("recent-0001", "rewrite")),
    ]
    # Without one the document is dropped, and the other one is the whole set.
    last = publish(rows, tmp_path, recent=2, day=5)
    assert [shard.name for shard in last.shards] == ["sitemap.xml"]
    assert ("recent-0001", "remove") in [(shard.shard, shard.action) for shard in last.plan.shards]
    same_again(tmp_path, rows, DAY[4], recent=2)


def test_what_the_content_says_is_recent_too(tmp_path: Path) -> None:
    columns = {"content": "text"}
    publish([{"loc": "/a", "text": "1"}, {"loc": "/b", "text": "1"}], tmp_path, columns=columns, recent=2)
    rows = [{"loc": "/a", "text": "2"}, {"loc": "/b", "text": "1"}]
    for day in (2, 3, 4):
        publication = publish(rows, tmp_path, day, columns=columns, recent=2)
        assert [ends(part) for part in expiring(tmp_path, publication, "recent")] == [["a"]]
    assert expiring(tmp_path, publish(rows, tmp_path, 5, columns=columns, recent=2), "recent") == []


def test_recent_ones_fill_documents_as_others_do(tmp_path: Path) -> None:
    rows = [{"loc": loc, "lastmod": NOON - timedelta(seconds=number)} for number, loc in enumerate(locs(4))]
    with small(expiring=3):
        publication = publish(rows, tmp_path, recent=1)
        assert [shard.entries for shard in publication.shards] == [3, 1, 3, 1]
        same_again(tmp_path, rows, NOON, recent=1)


# --- news ---------------------------------------------------------------------------------------------------


def article(loc: str, published: str) -> dict[str, Any]:
    return {"loc": loc, "lastmod": "2023-12-01", "news": {**TITLE, "publication_date": published}}


def test_news_is_of_the_last_48_hours(tmp_path: Path) -> None:
    rows: list[Any] = [
        article("/now", "2024-01-01T12:00:00Z"),
        article("/edge", "2023-12-30T12:00:00Z"),
        article("/past", "2023-12-30T11:59:59Z"),
        article("/zone", "2023-12-30T13:30+01:00"),
        article("/day", "2023-12-31"),
        # All of that day is news until it is over for 48 hours.
        article("/before", "2023-12-30"),
        article("/gone", "2023-12-29"),
        "/page",
    ]
    publication = publish(rows, tmp_path, news=True)
    [found] = expiring(tmp_path, publication, "news")
    assert ends(found) == ["now", "day", "before", "zone", "edge"]
    assert {entry.news and entry.news.title for entry in found} == {TITLE["title"]}
    # In the other document they are pages.
    [pages] = [shard for shard in publication.shards if "-news-" not in shard.name]
    assert pages.entries == 8
    assert NEWS.encode() not in document(tmp_path / pages.name)
    same_again(tmp_path, rows, NOON, news=True)
    # The whole of the 30th was 48 hours ago at the end of the 1st.
    later = publish(rows, tmp_path, now=datetime(2024, 1, 1, 23, 59, 59, tzinfo=UTC), news=True)
    assert ends(expiring(tmp_path, later, "news")[0]) == ["now", "day", "before"]
    later = publish(rows, tmp_path, now=datetime(2024, 1, 2, tzinfo=UTC), news=True)
    assert ends(expiring(tmp_path, later, "news")[0]) == ["now", "day"]
    [kept] = [shard for shard in later.plan.shards if shard.shard == "0001"]
    assert kept.action == "keep"


def test_a_document_has_a_thousand_articles(tmp_path: Path) -> None:
    rows = [article(f"/{number:04}", "2024-01-01") for number in range(1_001)]
    publication = publish(rows, tmp_path, news=True, allow=["one-lastmod"])
    assert [len(part) for part in expiring(tmp_path, publication, "news")] == [1_000, 1]
    assert not urlset.lint(
        tmp_path, location=BASE + "sitemap.xml", now=NOON, rules=urlset.Rules(profile="google", select=["NWS", "LIM"])
    )
    same_again(tmp_path, rows, NOON, news=True, allow=["one-lastmod"])


def test_news_that_is_no_news_any_more_is_dropped(tmp_path: Path) -> None:
    rows: list[Any] = [article("/a", "2024-01-01"), "/b"]
    publish(rows, tmp_path, news=True)
    later = publish(rows, tmp_path, day=5, news=True)
    assert [shard.name for shard in later.shards] == ["sitemap.xml"]
    assert (later.plan.same, later.plan.changed, later.plan.entries) == (2, 0, 2)


def test_news_is_set_apart_and_put_back(tmp_path: Path) -> None:
    """Asking for it changes the pages, though the rows are the same."""
    rows: list[Any] = [article("/a", "2024-01-01"), "/b"]
    publish(rows, tmp_path)
    assert NEWS.encode() in (tmp_path / "sitemap.xml").read_bytes()
    second = publish(rows, tmp_path, day=2, news=True)
    assert (second.plan.changed, second.plan.same) == (1, 1)
    assert len(expiring(tmp_path, second, "news")[0]) == 1
    third = publish(rows, tmp_path, day=3)
    assert (third.plan.changed, third.plan.same) == (1, 1)
    assert NEWS.encode() in (tmp_path / "sitemap.xml").read_bytes()


# --- removed ------------------------------------------------------------------------------------------------


def test_what_is_gone_is_listed_with_the_moment(tmp_path: Path) -> None:
    publish([*locs(10), "/x?a=1&b='2'"], tmp_path, removed=2)
    second = publish(locs(10), tmp_path, day=2, removed=2)
    [found] = expiring(tmp_path, second, "removed")
    assert [(entry.loc, entry.lastmod_raw) for entry in found] == [(BASE + "x?a=1&b=%272%27", "2024-01-02T12:00:00Z")]
    assert (second.plan.removed, second.entries) == (1, 10)
    same_again(tmp_path, locs(10), DAY[1], removed=2)
    third = publish(locs(9), tmp_path, day=3, removed=2)
    [found] = expiring(tmp_path, third, "removed")
    assert [entry.lastmod for entry in found] == [DAY[2], DAY[1]]
    # Two days it is told, and not longer.
    assert [len(part) for part in expiring(tmp_path, publish(locs(9), tmp_path, 4, removed=2), "removed")] == [2]
    assert [len(part) for part in expiring(tmp_path, publish(locs(9), tmp_path, 5, removed=2), "removed")] == [1]
    last = publish(locs(9), tmp_path, day=6, removed=2)
    assert [shard.name for shard in last.shards] == ["sitemap.xml"]
    same_again(tmp_path, locs(9), DAY[5], removed=2)


def test_what_comes_back_is_not_gone(tmp_path: Path) -> None:
    publish(locs(10), tmp_path, removed=5)
    publish(locs(8), tmp_path, day=2, removed=5)
    third = publish(locs(9), tmp_path, day=3, removed=5)
    assert [ends(part) for part in expiring(tmp_path, third, "removed")] == [["p000009"]]
    assert third.plan.added == 1


def test_removed_lists_what_went_before_the_option_was_set(tmp_path: Path) -> None:
    publish(locs(10), tmp_path)
    publish(locs(9), tmp_path, day=2)
    third = publish(locs(9), tmp_path, day=3, removed=5)
    assert [entry.lastmod for entry in expiring(tmp_path, third, "removed")[0]] == [DAY[1]]


@pytest.mark.parametrize("days", [30, 90, 200])
def test_a_removed_page_is_remembered_as_long_as_it_is_listed(tmp_path: Path, days: int) -> None:
    publish(locs(10), tmp_path, removed=days)
    publish(locs(9), tmp_path, day=2, removed=days)
    # Each of them writes the manifest anew.
    publish([*locs(9), "/new"], tmp_path, now=DAY[1] + timedelta(days=days // 2), removed=days)
    end = DAY[1] + timedelta(days=days)
    for rows, now, is_told in [("/x", end - timedelta(hours=1), True), ("/y", end + timedelta(hours=1), False)]:
        publication = publish([*locs(9), "/new", rows], tmp_path, now=now, removed=days)
        told = [ends(part) for part in expiring(tmp_path, publication, "removed")]
        assert any("p000009" in part for part in told) == is_told


def test_many_that_are_gone_fill_documents_as_others_do(tmp_path: Path) -> None:
    with small(expiring=3):
        publish(locs(10), tmp_path, removed=5)
        publication = publish(locs(5), tmp_path, day=2, removed=5)
    assert [len(part) for part in expiring(tmp_path, publication, "removed")] == [3, 2]


def test_of_a_document_that_stays_the_lastmod_stays(tmp_path: Path) -> None:
    rows: list[Any] = [*locs(4), article("/n", "2024-01-01")]
    options: dict[str, Any] = {"news": True, "removed": 5, "recent": 5}
    with small():
        publish([*rows, {"loc": "/r", "lastmod": NOON}], tmp_path, **options)
        second = publish([*rows, {"loc": "/s", "lastmod": NOON}], tmp_path, day=2, **options)
        third = publish([*rows, {"loc": "/s", "lastmod": NOON}], tmp_path, day=5, **options)
    before = {shard.name: shard.lastmod for shard in second.shards}
    after = {shard.name: shard.lastmod for shard in third.shards}
    # The news is over, and the others are the same.
    assert [name[:12] for name in before.keys() - after.keys()] == ["sitemap-news"]
    assert after.items() < before.items()
    assert read_back(tmp_path)
    assert not [name for name in tree(tmp_path) if "stage" in name]
