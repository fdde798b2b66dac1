"""A sitemap that shrinks by much at once: one look removes nothing, the next one confirms it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import urlset
from support.http_server import NAMESPACE, Answer, Site
from urlset import Http
from urlset._watch.holding import MIN_ENTRIES

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
BASE = "https://shop.example/"


def put(path: Path, *names: str, lastmod: str | None = None) -> None:
    if names:
        urlset.write([urlset.UrlEntry(BASE + name, lastmod) for name in names], path)
    else:
        path.write_text(f'<urlset xmlns="{NAMESPACE}"></urlset>')


def look(source: object, state: Path) -> tuple[dict[str, int], list[tuple[int, int]]]:
    """Look, and return the counts, and of what is held back how much there was and is."""
    with urlset.watch(source, state=state, now=NOW, http=Http(retries=0)) as run:  # type: ignore[arg-type]
        assert bool(run.counts) == bool(run)
        return dict(run.counts), [(each.before, each.now) for each in run.held]


MANY = [str(number) for number in range(20)]


@pytest.mark.parametrize(
    ("before", "after", "is_held"),
    [
        (MANY, (), True),
        (MANY, MANY[:9], True),
        (MANY, MANY[:10], False),
        (MANY, ["new", *MANY[:8]], True),
        (MANY[:1], (), True),
        (MANY[: MIN_ENTRIES - 1], MANY[:1], False),
        ((), (), False),
    ],
)
def test_what_shrinks_by_more_than_half_is_held_back_once(
    tmp_path: Path, state: Path, before: Sequence[str], after: Sequence[str], is_held: bool
) -> None:
    file = tmp_path / "sitemap.xml"
    put(file, *before)
    assert look(file, state) == ({}, [])
    put(file, *after)
    lost, added = len(set(before) - set(after)), len(set(after) - set(before))
    gone = {"removed": lost} if lost else {}
    came = {"added": added} if added else {}
    if not is_held:
        assert look(file, state) == ({**came, **gone}, [])
        return
    # What is new is listed truly; what is missing is not removed yet.
    assert look(file, state) == (came, [(len(before), len(after))])
    assert look(file, state) == (gone, [])
    assert look(file, state) == ({}, [])


def test_a_failure_for_one_look_changes_nothing(tmp_path: Path, state: Path) -> None:
    file = tmp_path / "sitemap.xml"
    put(file, *MANY)
    look(file, state)
    for _ in range(2):  # and the next failure is held back again
        put(file)
        assert look(file, state) == ({}, [(20, 0)])
        put(file, *MANY)
        assert look(file, state) == ({}, [])


def test_a_look_that_cannot_read_it_neither_confirms_nor_denies(site: Site, state: Path) -> None:
    def serve_it(entries: int) -> None:
        site.pages["/sitemap.xml"] = Answer(site.urlset("", entries))

    url = f"{site.url}/sitemap.xml"
    site.pages["/index.xml"] = Answer(site.index("/sitemap.xml", "/other.xml"))
    site.pages["/other.xml"] = Answer(site.urlset("/other", 1_000))
    url = f"{site.url}/index.xml"
    serve_it(20)
    look(url, state)
    serve_it(0)
    assert look(url, state) == ({}, [(20, 0)])
    site.pages["/sitemap.xml"] = Answer(b"", 404)
    assert look(url, state) == ({}, [])
    serve_it(0)
    assert look(url, state) == ({"removed": 20}, [])


def test_an_index_that_loses_its_sitemaps_is_held_back(site: Site, state: Path) -> None:
    children = [f"/{number}.xml" for number in range(4)]
    for child in children:
        site.pages[child] = Answer(site.urlset(child, 25))
    site.pages["/sitemap.xml"] = Answer(site.index(*children))
    url = f"{site.url}/sitemap.xml"
    look(url, state)
    site.pages["/sitemap.xml"] = Answer(site.index())
    assert look(url, state) == ({}, [(100, 0)])
    site.pages["/sitemap.xml"] = Answer(site.index(*children))
    assert look(url, state) == ({}, [])
    # A set whose names state their content gets new names with every change, and nothing is lost by that.
    for child in children:
        site.pages[f"/new{child}"] = Answer(site.urlset(child, 25) + b"<!-- new -->")
    site.pages["/sitemap.xml"] = Answer(site.index(*(f"/new{child}" for child in children)))
    assert look(url, state) == ({"moved": 4}, [])
    # One that is published without entries has new names, too.
    site.pages["/empty.xml"] = Answer(site.urlset("", 0))
    site.pages["/sitemap.xml"] = Answer(site.index("/empty.xml"))
    assert look(url, state) == ({"added": 1}, [(100, 0)])
    counts, held = look(url, state)
    assert (counts, held) == ({"removed": 104}, [])


@pytest.mark.parametrize(
    ("lastmod", "max_age", "newest", "is_stale"),
    [
        ("2026-11-18", "2d", "2026-11-19T00:00:00", False),  # as new as the end of its day
        ("2026-11-17", "2d", "2026-11-18T00:00:00", True),
        ("2026-11-20", "1h", "2026-11-20T12:00:00", False),
        ("2026-11-20T10:59:59Z", "1h", "2026-11-20T10:59:59", True),
        ("2026-11-20T10:59:59Z", timedelta(hours=2), "2026-11-20T10:59:59", False),
        ("2026-11", "1h", "2026-11-20T12:00:00", False),
        ("2027-01-01", "2d", None, True),  # in the future
        (None, "2d", None, True),
    ],
)
def test_a_newest_lastmod_that_gets_old(
    tmp_path: Path, state: Path, lastmod: str | None, max_age: str, newest: str | None, is_stale: bool
) -> None:
    file = tmp_path / "sitemap.xml"
    entries = [(None, "a"), (lastmod, "b"), ("2001-01-01" if lastmod and newest else None, "c")]
    urlset.write([urlset.UrlEntry(BASE + name, day) for day, name in entries], file)
    with urlset.watch(file, state=state, max_age=max_age, now=NOW) as run:
        found = None if run.newest is None else run.newest.replace(tzinfo=None).isoformat()
        assert (found, run.is_stale) == (newest, is_stale)
    with urlset.watch(file, state=state, now=NOW) as run:
        assert (run.newest, run.is_stale) == (None, False)


@pytest.mark.parametrize("value", ["2", "d", "0d", "-1d", "2 weeks", "9" * 10 + "d", timedelta(0), 2, ""])
def test_what_is_no_age_is_refused(tmp_path: Path, state: Path, value: object) -> None:
    put(tmp_path / "a.xml", "a")
    with pytest.raises(urlset.InputError, match=r"^max_age must be "):
        urlset.watch(tmp_path / "a.xml", state=state, max_age=value)  # type: ignore[arg-type]
    assert not state.exists()
