"""What has changed since the last run: against sets of Python, and never more than is known."""

from __future__ import annotations

import gzip
import random
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
import urlset
from support.http_server import Answer, Handler, Site
from support.publish.model import small
from support.watch.watched import BASE, Change, Shop, changes
from urlset import Http, SiteChange
from urlset._watch import holding

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def run(source: str | Path, state: Path, http: Http | None = None) -> list[SiteChange]:
    """Watch, confirm, and return the changes."""
    with urlset.watch(source, state=state, http=http, now=NOW) as found:
        return list(found)


def pages(found: list[SiteChange]) -> set[Change]:
    """Return the changes of pages, each of which must be there once."""
    compared = [(change.change, change.loc, change.how) for change in found if change.kind == "page"]
    assert len(compared) == len(set(compared))
    return set(compared)


def sitemaps(found: list[SiteChange]) -> list[tuple[str, str, str | None]]:
    """Return the changes of sitemaps, by their names."""
    return [(each.change, each.loc.rpartition("/")[2], each.how) for each in found if each.kind == "sitemap"]


def shop(folder: Path, chance: random.Random, names: int = 4) -> Shop:
    """Return a shop of some sitemaps."""
    made = Shop(folder, {f"{number}.xml": {} for number in range(names)})
    for entries in made.sitemaps.values():
        entries.update({f"{BASE}{chance.randrange(60)}": ("2026-01-15", 0.5) for _ in range(15)})
    made.write()
    return made


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 60))])
def test_changes_are_those_of_the_sets(tmp_path: Path, state: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # What shrinks by much is told a run later: see test_holding.
    for name in ("_PAGES", "_LISTS"):
        monkeypatch.setattr(holding, name, getattr(holding, name).replace(holding._SHRUNK, "false"))
    chance = random.Random(seed)
    made = shop(tmp_path / "shop", chance)
    assert run(made.index, state) == []
    for _ in range(6):
        before, was = made.facts(), made.listing()
        made.change(chance)
        made.write()
        assert pages(run(made.index, state)) == changes(before, made.facts(), was, made.listing())
    assert run(made.index, state) == []


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 40))])
def test_a_sitemap_that_fails_today_removes_nothing(tmp_path: Path, state: Path, seed: int) -> None:
    """What a sitemap lists that cannot be read is what it listed before, whatever happens to the others."""
    chance = random.Random(seed)
    made = shop(tmp_path / "shop", chance)
    run(made.index, state)
    for _ in range(5):
        before, was = made.facts(), made.listing()
        broken = chance.choice(list(made.sitemaps))
        kept = dict(made.sitemaps[broken])
        made.change(chance)
        meant, made.sitemaps[broken] = made.sitemaps[broken], kept
        made.write()
        damage(made.folder / broken, chance)
        with urlset.watch(made.index, state=state, now=NOW) as found:
            assert len(found.failures) == 1
            assert pages(list(found)) == changes(before, made.facts(), was, made.listing())
        before, was = made.facts(), made.listing()
        made.sitemaps[broken] = meant
        made.write()
        assert pages(run(made.index, state)) == changes(before, made.facts(), was, made.listing())


def damage(path: Path, chance: random.Random) -> None:
    """Make a document unreadable in one of several ways; none of its entries is in what is left."""
    kind = chance.randrange(3)
    if kind == 0:
        path.unlink()
    elif kind == 1:
        path.write_bytes(b"<html>not now</html>")
    else:
        path.write_bytes(path.read_bytes().partition(b"<url>")[0])


def test_a_document_that_is_cut_off_adds_and_changes_but_removes_nothing(tmp_path: Path, state: Path) -> None:
    made = Shop(tmp_path / "shop", {"a.xml": {f"{BASE}{n}": ("2026-01-01", None) for n in range(6)}})
    made.write()
    run(made.index, state)
    made.sitemaps["a.xml"] = {f"{BASE}new": (None, None), f"{BASE}1": ("2026-02-01", None), f"{BASE}2": (None, None)}
    made.write()
    path = made.folder / "a.xml"
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"<url>") + 12])
    found = run(made.index, state)
    assert pages(found) == {("added", f"{BASE}new", None), ("lastmod", f"{BASE}1", "forward")}
    path.write_bytes(whole)
    assert pages(run(made.index, state)) == {
        ("lastmod", f"{BASE}2", "vanished"),
        *(("removed", f"{BASE}{n}", None) for n in (0, 3, 4, 5)),
    }


def test_what_could_not_be_read_at_the_first_look_is_not_new_later(tmp_path: Path, state: Path) -> None:
    made = Shop(tmp_path / "shop", {"a.xml": {f"{BASE}a": (None, None)}, "b.xml": {f"{BASE}b": (None, None)}})
    made.write()
    (made.folder / "b.xml").unlink()
    with urlset.watch(made.index, state=state) as found:
        assert (found.is_first, found.entries, len(found.failures)) == (True, 1, 1)
    made.sitemaps["c.xml"] = {f"{BASE}c": (None, None)}
    made.write()
    found_now = run(made.index, state)
    assert pages(found_now) == {("added", f"{BASE}c", None)}
    assert sitemaps(found_now) == [("added", "c.xml", None)]
    made.sitemaps["b.xml"][f"{BASE}d"] = (None, None)
    made.write()
    assert pages(run(made.index, state)) == {("added", f"{BASE}d", None)}


def test_a_sitemap_that_is_not_listed_any_more_takes_its_entries_along(tmp_path: Path, state: Path) -> None:
    made = Shop(tmp_path / "shop", {f"{n}.xml": {f"{BASE}{n}": (None, None)} for n in "abc"})
    made.write()
    run(made.index, state)
    del made.sitemaps["b.xml"]
    made.write()
    found = run(made.index, state)
    assert pages(found) == {("removed", f"{BASE}b", None)}
    assert sitemaps(found) == [("removed", "b.xml", None)]


def test_an_index_that_is_not_read_whole_goes_on_listing_what_it_listed(site: Site, state: Path) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/a-index.xml", "/b.xml"))
    site.pages["/a-index.xml"] = Answer(site.index("/a1.xml", "/a2.xml"))
    for name in ("a1", "a2", "b", "c"):
        site.pages[f"/{name}.xml"] = Answer(site.urlset(f"/{name}", 2))
    url, http = f"{site.url}/sitemap.xml", Http(retries=0)
    run(url, state, http)
    site.pages["/a-index.xml"] = Answer(status=500)
    assert run(url, state, http) == []
    body = site.index("/a1.xml", "/a2.xml")
    site.pages["/a-index.xml"] = Answer(body[: body.index(b"<sitemap>", 100)])
    assert run(url, state, http) == []
    # Nothing is known of what it leads to, as long as it fails, even if it is the only one that does.
    site.pages["/sitemap.xml"] = Answer(site.index("/a-index.xml", "/c.xml"))
    assert sitemaps(run(url, state, http)) == [("added", "c.xml", None), ("removed", "b.xml", None)]
    site.pages["/a-index.xml"] = Answer(site.index("/a2.xml"))
    found = run(url, state, http)
    assert pages(found) == {("removed", f"{site.url}/a1/{n}", None) for n in range(2)}


@pytest.mark.parametrize("how", ["redirect", "body", "entries"])
def test_a_sitemap_that_has_moved_adds_and_removes_nothing(site: Site, state: Path, how: str) -> None:
    body = site.urlset("/a", 20)
    site.pages["/sitemap.xml"] = Answer(site.index("/a.xml", "/b.xml"))
    site.pages["/a.xml"], site.pages["/b.xml"] = Answer(body), Answer(site.urlset("/b", 5))
    run(f"{site.url}/sitemap.xml", state)
    site.pages["/sitemap.xml"] = Answer(site.index("/new.xml", "/b.xml"))
    site.pages["/new.xml"] = Answer(body if how == "body" else site.urlset("/a", 21))
    if how == "redirect":
        site.pages["/new.xml"] = Answer(status=301, headers={"Location": "/a.xml"})
        site.pages["/a.xml"] = Answer(site.urlset("/a", 21))
    found = run(f"{site.url}/sitemap.xml", state)
    assert sitemaps(found) == [("moved", "new.xml", how)]
    assert pages(found) == (set() if how == "body" else {("added", f"{site.url}/a/20", None)})
    assert [each.old_sitemap for each in found if each.kind == "sitemap"] == [f"{site.url}/a.xml"]
    assert run(f"{site.url}/sitemap.xml", state) == []


def test_a_sitemap_that_redirects_now_has_moved(site: Site, state: Path) -> None:
    site.pages["/a.xml"] = site.pages["/b.xml"] = Answer(site.urlset("/a", 2))
    run(f"{site.url}/a.xml", state)
    site.pages["/a.xml"] = Answer(status=302, headers={"Location": "/b.xml"})
    [found] = run(f"{site.url}/a.xml", state)
    assert (found.change, found.kind, found.how) == ("moved", "sitemap", "redirect")
    assert (found.sitemap, found.old_sitemap) == (f"{site.url}/b.xml", f"{site.url}/a.xml")


def test_the_sitemap_of_a_page_is_the_one_that_was_found_for_its_site(site: Site, state: Path) -> None:
    site.pages["/sitemap.xml"] = Answer(status=301, headers={"Location": "/first.xml"})
    site.pages["/first.xml"] = Answer(site.urlset("/a", 1))
    run(site.url, state)
    site.pages["/first.xml"] = Answer(site.urlset("/b", 1))
    found = {(each.change, each.sitemap, each.old_sitemap) for each in run(site.url, state)}
    assert found == {("added", f"{site.url}/first.xml", None), ("removed", None, f"{site.url}/first.xml")}
    # At another place, the pages are compared with where they were.
    site.pages["/sitemap.xml"] = Answer(site.urlset("/c", 1))
    found = {(each.change, each.sitemap, each.old_sitemap) for each in run(site.url, state) if each.kind == "page"}
    assert found == {("added", f"{site.url}/sitemap.xml", None), ("removed", None, f"{site.url}/first.xml")}


def test_a_published_set_whose_shards_get_new_names_has_only_the_changes_of_its_pages(
    tmp_path: Path, state: Path
) -> None:
    folder = tmp_path / "public"
    rows = [f"/{number}" for number in range(100)]
    with small(60):
        urlset.publish(rows, folder, base_url=BASE)
        run(folder, state)
        urlset.publish([*rows, "/new"], folder, base_url=BASE)
    found = run(folder, state)
    assert pages(found) == {("added", f"{BASE}new", None)}
    assert [(change, how) for change, _, how in sitemaps(found)] == [("moved", "entries")]


def test_the_directions_of_a_lastmod(tmp_path: Path, state: Path) -> None:
    path = tmp_path / "a.xml"
    moves = {
        "forward": ("2026-01-01", "2026-01-02"),
        "backward": ("2026-01-02T10:00:00Z", "2026-01-02"),
        "appeared": (None, "2026-01-02"),
        "vanished": ("2026-01-02", None),
        "rewritten": ("2026-01-02T00:00:00Z", "2026-01-02"),
        "the same": ("2026-01-02T10:00:00Z", "2026-01-02T11:00:00+01:00"),
    }

    def write(at: int) -> None:
        stated = {how: texts[at] for how, texts in moves.items()}
        rows = "".join(
            f"<url><loc>{BASE}{how}</loc>{f'<lastmod>{text}</lastmod>' if text else ''}</url>"
            for how, text in stated.items()
        )
        path.write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>')

    write(0)
    run(path, state)
    write(1)
    found = run(path, state)
    assert {(change.loc.removeprefix(BASE), change.how) for change in found} == {
        (how, how) for how in moves if how != "the same"
    }
    [forward] = [change for change in found if change.how == "forward"]
    assert forward == SiteChange(
        2, NOW, "lastmod", "page", f"{BASE}forward", "forward", "2026-01-02", "2026-01-01", str(path), str(path)
    )


def test_hashes_of_another_version_are_not_changes(tmp_path: Path, state: Path) -> None:
    made = Shop(tmp_path / "shop", {"a.xml": {f"{BASE}{n}": (None, 0.5) for n in range(3)}})
    made.write()
    run(made.index, state)
    with sqlite3.connect(state) as connection:
        connection.execute("UPDATE sitemaps SET form = 'another'")
        connection.execute("UPDATE entries SET fields = fields + 1")
    made.sitemaps["a.xml"][f"{BASE}new"] = (None, None)
    made.write()
    assert pages(run(made.index, state)) == {("added", f"{BASE}new", None)}
    made.sitemaps["a.xml"][f"{BASE}1"] = (None, 0.9)
    made.write()
    assert pages(run(made.index, state)) == {("fields", f"{BASE}1", None)}


def test_the_latest_entry_of_a_loc_counts(tmp_path: Path, state: Path) -> None:
    path = tmp_path / "a.xml"
    row = f"<url><loc>{BASE}a</loc><lastmod>2026-0{{}}-01</lastmod></url>"
    for months, expected in (((1, 3, 2), set()), ((3, 1), set()), ((1, 2), {("lastmod", f"{BASE}a", "backward")})):
        rows = "".join(row.format(month) for month in months)
        path.write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>')
        assert pages(run(path, state)) == expected


def test_what_is_unchanged_is_not_fetched_or_parsed_again(site: Site, state: Path) -> None:
    def page(handler: Handler) -> Answer:
        if handler.headers.get("If-None-Match") == '"1"':
            return Answer(status=304)
        body = site.urlset(handler.path, 3)
        return Answer(gzip.compress(body), headers={"ETag": '"1"', "Content-Encoding": "gzip"})

    children = [f"/{number}.xml" for number in range(4)]
    site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/sitemap.xml\n".encode())
    site.pages["/sitemap.xml"] = Answer(site.index(*children))
    site.pages.update(dict.fromkeys(children, page))
    read: list[urlset.Progress] = []
    with urlset.watch(site.url, state=state, progress=read.append) as first:
        assert (first.is_first, first.entries, first.sitemaps) == (True, 12, 5)
    assert read[-1] == urlset.Progress("documents", 6, 6, 12)
    read.clear()
    with urlset.watch(site.url, state=state, progress=read.append) as second:
        assert (len(second), second.entries, second.savings.unchanged) == (0, 12, 4)
    assert read[-1] == urlset.Progress("documents", 6, 6)
    assert str(second) == "<WatchRun 2: 12 entries in 5 sitemaps, 0 changes>"


def test_what_is_not_confirmed_is_handed_out_again(tmp_path: Path, state: Path) -> None:
    path = tmp_path / "a.txt"

    def site_of(*names: str) -> None:
        path.write_text("".join(f"{BASE}{name}\n" for name in names))

    def locs(found: urlset.WatchRun) -> list[tuple[int, str, str]]:
        return [(change.run, change.change, change.loc.removeprefix(BASE)) for change in found]

    site_of("a")
    run(path, state)
    site_of("a", "b")
    lost = urlset.watch(path, state=state)
    assert locs(lost) == [(2, "added", "b")]
    lost.close()
    site_of("b")
    broken = urlset.watch(path, state=state)
    assert locs(broken) == [(2, "added", "b"), (3, "removed", "a")]
    broken.__exit__(ZeroDivisionError)
    with urlset.watch(path, state=state) as kept:
        assert locs(kept) == [(2, "added", "b"), (3, "removed", "a")]
        assert kept.counts == {"added": 1, "removed": 1}
    with urlset.watch(path, state=state) as after:
        assert not after
    with urlset.watch(state=state, since=2) as again:
        assert locs(again) == [(3, "removed", "a")]
        assert again.to_arrow().column("loc").to_pylist() == [f"{BASE}a"]
    with urlset.watch(state=state) as nothing:
        assert (nothing.number, len(nothing)) == (5, 0)


def test_the_lastmods_of_a_page_are_kept(tmp_path: Path, state: Path) -> None:
    made = Shop(tmp_path / "shop", {"a.xml": {f"{BASE}a": (None, None)}})
    for day in ("2026-01-01", "2026-01-02", "2026-01-03"):
        made.sitemaps["a.xml"][f"{BASE}a"] = (day, None)
        made.write()
        run(made.index, state)
    with urlset.watch(state=state, since=0) as found:
        assert [(change.old_lastmod, change.lastmod) for change in found] == [
            ("2026-01-01", "2026-01-02"),
            ("2026-01-02", "2026-01-03"),
        ]


def test_a_site_that_is_down_changes_nothing(site: Site, state: Path) -> None:
    site.pages["/sitemap.xml"] = Answer(site.urlset("/a", 3))
    run(f"{site.url}/sitemap.xml", state)
    site.pages["/sitemap.xml"] = Answer(status=404)
    with pytest.raises(urlset.FetchError, match="status 404"):
        run(f"{site.url}/sitemap.xml", state)
    site.pages["/sitemap.xml"] = Answer(site.urlset("/a", 2))
    assert pages(run(f"{site.url}/sitemap.xml", state)) == {("removed", f"{site.url}/a/2", None)}


def test_a_run_that_reaches_a_bound_removes_nothing(site: Site, state: Path) -> None:
    children = [f"/{number}.xml" for number in range(4)]
    site.pages["/sitemap.xml"] = Answer(site.index(*children))
    site.pages.update({path: Answer(site.urlset(path, 2)) for path in children})
    run(f"{site.url}/sitemap.xml", state)
    with urlset.watch(f"{site.url}/sitemap.xml", state=state, http=Http(max_documents=3, concurrency=1)) as found:
        assert not found
        assert "2 sitemaps that were found are not read" in str(found.failures[0])
