"""The cache: a second run asks whether a document has changed, and never takes one for another."""

from __future__ import annotations

import gzip
import hashlib
import os
import sqlite3
import stat
import threading
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import httpx2
import pytest
import urlset
from support.http_server import Answer, Handler, Page, Site
from urlset import Http
from urlset._fetch import cache as caches


def changing(site: Site, path: str, *, etag: bool = True, dated: bool = False) -> list[bytes]:
    """Serve what the list holds, as a server does that knows conditional requests; return the list."""
    bodies = [site.urlset(path, 2)]

    def page(handler: Handler) -> Answer:
        tag, date = f'"{len(bodies)}"', formatdate(1_700_000_000 + len(bodies), usegmt=True)
        headers = {"ETag": tag} if etag else {}
        headers |= {"Last-Modified": date} if dated else {}
        asked = handler.headers.get("If-None-Match") if etag else handler.headers.get("If-Modified-Since")
        if asked == (tag if etag else date):
            return Answer(status=304, headers=headers)
        return Answer(gzip.compress(bodies[-1]), headers={**headers, "Content-Encoding": "gzip"})

    site.pages[path] = page
    return bodies


@pytest.fixture
def http(tmp_path: Path) -> Http:
    """Options with a cache."""
    return Http(cache=tmp_path / "cache.sqlite")


@pytest.mark.parametrize("value", ['"caf\xe9"', '"a\tb"', '"\xff"'])
@pytest.mark.parametrize("name", ["ETag", "Last-Modified"])
def test_a_validator_that_cannot_be_sent_back_spoils_nothing(site: Site, http: Http, name: str, value: str) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 1), headers={name: value})
    for _ in range(3):
        assert len(urlset.read(f"{site.url}/a.xml", http=http)) == 1
    assert not any("if-none-match" in headers or "if-modified-since" in headers for _, headers in site.requests)


@pytest.mark.parametrize(("etag", "dated"), [(True, False), (False, True), (True, True)])
def test_what_has_not_changed_is_not_sent_again(site: Site, http: Http, etag: bool, dated: bool) -> None:
    bodies = changing(site, "/a.xml", etag=etag, dated=dated)
    first, second = (urlset.scan(f"{site.url}/a.xml", http=http) for _ in range(2))
    assert [entry.loc for entry in first] == [entry.loc for entry in second]
    assert [(scan.fetches[0].status, scan.fetches[0].cache) for scan in (first, second)] == [
        (200, "stored"),
        (304, "unchanged"),
    ]
    assert second.fetches[0].bytes == 0
    assert second.fetches[0].content_encoding == "gzip"
    bodies.append(site.urlset("/a", 5))
    third = urlset.scan(f"{site.url}/a.xml", http=http)
    assert (len(list(third)), third.fetches[0].cache) == (5, "stored")
    assert len(urlset.read(f"{site.url}/a.xml", http=http)) == 5


def test_a_set_with_one_changed_child_fetches_that_one(site: Site, http: Http) -> None:
    paths = [f"/{number}.xml" for number in range(5)]
    site.pages["/sitemap.xml"] = Answer(site.index(*paths))  # without a validator: always sent
    served = {path: changing(site, path) for path in paths}
    assert len(urlset.read(f"{site.url}/sitemap.xml", http=http)) == 10
    served["/3.xml"].append(site.urlset("/3", 7))
    scan = urlset.scan(f"{site.url}/sitemap.xml", http=http)
    assert len(list(scan)) == 8 + 7
    assert {fetch.url.rpartition("/")[2]: fetch.cache for fetch in scan.fetches} == {
        "sitemap.xml": "same",
        **{f"{number}.xml": "unchanged" for number in (0, 1, 2, 4)},
        "3.xml": "stored",
    }


def test_a_robots_txt_that_was_read_compressed_still_leads_to_its_sitemaps(site: Site, http: Http) -> None:
    text = f"Sitemap: {site.url}/a.xml\n".encode()

    def robots(handler: Handler) -> Answer:
        if handler.headers.get("If-None-Match") == '"1"':
            return Answer(status=304)
        is_packed = "gzip" in (handler.headers.get("Accept-Encoding") or "")
        headers = {"ETag": '"1"'} | ({"Content-Encoding": "gzip"} if is_packed else {})
        return Answer(gzip.compress(text) if is_packed else text, headers=headers)

    site.pages["/robots.txt"] = robots
    changing(site, "/a.xml")
    for url in (f"{site.url}/robots.txt", site.url, site.url):
        assert len(urlset.read(url, http=http)) == 2


def test_of_a_document_without_a_validator_only_the_hash_is_kept(site: Site, http: Http) -> None:
    body = site.urlset("/a", 1)
    states = []
    for served in (body, body, body + b"<!-- changed -->"):
        site.pages["/a.xml"] = Answer(served)
        scan = urlset.scan(f"{site.url}/a.xml", http=http)
        assert len(list(scan)) == 1
        assert scan.fetches[0].sha256 == hashlib.sha256(served).hexdigest()
        states.append(scan.fetches[0].cache)
    assert states == [None, "same", None]
    with sqlite3.connect(http.cache or "") as connection:
        assert connection.execute("SELECT body FROM documents").fetchall() == [(None,)]
        hashes = [sha256 for (sha256,) in connection.execute("SELECT sha256 FROM history ORDER BY rowid")]
    assert hashes == [hashlib.sha256(served).hexdigest() for served in (body, body + b"<!-- changed -->")]


def test_a_document_that_is_cut_off_is_not_kept(site: Site, http: Http) -> None:
    body = site.urlset("/a", 5)
    site.pages["/a.xml"] = Answer(body[:80], headers={"ETag": '"1"'}, length=len(body))
    urlset.read(f"{site.url}/a.xml", http=http)
    site.pages["/a.xml"] = Answer(body, headers={"ETag": '"1"'})
    urlset.read(f"{site.url}/a.xml", http=http)
    assert all("if-none-match" not in headers for _, headers in site.requests)


def test_a_document_that_nobody_read_to_its_end_is_not_kept(site: Site, http: Http) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 300_000), headers={"ETag": '"1"'})
    with pytest.raises(urlset.LimitError):
        urlset.read(f"{site.url}/a.xml", http=http, budget=urlset.Budget(entries=10), strict=True)
    with sqlite3.connect(http.cache or "") as connection:
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (0,)


def test_a_damaged_body_is_fetched_again(site: Site, http: Http) -> None:
    changing(site, "/a.xml")
    urlset.read(f"{site.url}/a.xml", http=http)
    with sqlite3.connect(http.cache or "") as connection:
        connection.execute("UPDATE documents SET body = ?", [gzip.compress(b"<urlset/>")])
    scan = urlset.scan(f"{site.url}/a.xml", http=http)
    assert len(list(scan)) == 2
    assert scan.fetches[0].cache == "stored"


def test_a_304_that_nobody_asked_for_is_a_failure(site: Site, http: Http) -> None:
    site.pages["/a.xml"] = Answer(status=304)
    with pytest.raises(urlset.FetchError, match="status 304"):
        urlset.read(f"{site.url}/a.xml", http=http)


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0" + b"\xff" * 4000, b"<urlset/>" * 1000])
def test_a_file_that_is_no_cache_is_refused_or_begun(site: Site, tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "cache.sqlite"
    file.write_bytes(damage)
    changing(site, "/a.xml")
    if not damage:
        assert len(urlset.read(f"{site.url}/a.xml", http=Http(cache=file))) == 2
        return
    with pytest.raises(urlset.InputError, match=r"cache\.sqlite cannot be used as a cache"):
        urlset.read(f"{site.url}/a.xml", http=Http(cache=file))
    assert file.read_bytes() == damage


def test_a_database_of_something_else_is_left_alone(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "shop.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE pages (url TEXT)")
    with pytest.raises(urlset.InputError, match="is a database of something else"):
        urlset.read(f"{site.url}/a.xml", http=Http(cache=file))
    with sqlite3.connect(tmp_path / "old.sqlite") as connection:
        connection.execute(f"PRAGMA application_id = {caches._APPLICATION}")
        connection.execute("PRAGMA user_version = 99")
        connection.execute("CREATE TABLE documents (url TEXT)")
    with pytest.raises(urlset.InputError, match="the cache of another version"):
        urlset.read(f"{site.url}/a.xml", http=Http(cache=tmp_path / "old.sqlite"))


def test_the_cache_stays_below_its_size(site: Site, http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"/{number}.xml" for number in range(6)]
    site.pages.update({path: _tagged(site, path) for path in paths})
    size = len(site.urlset("/0.xml", 100))
    monkeypatch.setattr(caches, "MAX_IN_ALL", size * 3)
    for path in paths:
        urlset.read(site.url + path, http=http)
    with sqlite3.connect(http.cache or "") as connection:
        query = "SELECT url FROM documents WHERE body IS NOT NULL ORDER BY url"
        kept = [url for (url,) in connection.execute(query)]
    assert kept == [site.url + path for path in paths[3:]]


def _tagged(site: Site, path: str) -> Page:
    return Answer(site.urlset(path, 100), headers={"ETag": '"1"'})


def test_two_runs_share_a_cache(site: Site, http: Http) -> None:
    paths = [f"/{number}.xml" for number in range(20)]
    site.pages["/sitemap.xml"] = Answer(site.index(*paths))
    for path in paths:
        changing(site, path)
    counts: list[int] = []
    runs = [
        threading.Thread(target=lambda: counts.append(len(urlset.read(f"{site.url}/sitemap.xml", http=http))))
        for _ in range(4)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert counts == [40] * 4
    scan = urlset.scan(f"{site.url}/sitemap.xml", http=http)
    assert len(list(scan)) == 40
    assert [fetch.cache for fetch in scan.fetches].count("unchanged") == 20


@pytest.mark.parametrize(("framing", "is_kept"), [("Content-Length: {}", True), ("Connection: close", False)])
def test_a_body_that_may_have_been_cut_is_not_believed(site: Site, http: Http, framing: str, is_kept: bool) -> None:
    """An answer that ends with the connection looks the same whether the server ends it or something on the way."""
    whole = site.urlset("/a", 300)
    cut = whole[: whole.rindex(b"<url>")] + b"</urlset>"
    bodies = [cut, whole]

    def page(handler: Handler) -> None:
        if handler.headers.get("If-None-Match") == '"1"':
            handler.wfile.write(b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n')
            return
        body = bodies.pop(0)
        head = f'HTTP/1.1 200 OK\r\nETag: "1"\r\n{framing.format(len(body))}\r\n\r\n'
        handler.wfile.write(head.encode() + body)

    site.pages["/a.xml"] = page
    assert len(urlset.read(f"{site.url}/a.xml", http=http)) == 299
    assert len(urlset.read(f"{site.url}/a.xml", http=http)) == (299 if is_kept else 300)


@pytest.mark.parametrize("headers", [{"Cache-Control": "max-age=0, No-Store"}, {"Vary": "accept, *"}])
def test_what_a_server_wants_nobody_to_keep_is_not_kept(site: Site, http: Http, headers: dict[str, str]) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 1), headers={"ETag": '"1"', **headers})
    for _ in range(2):
        assert len(urlset.read(f"{site.url}/a.xml", http=http)) == 1
    assert not any("if-none-match" in headers for _, headers in site.requests)


def test_a_document_for_one_secret_is_not_that_for_another(site: Site, http: Http) -> None:
    """Also of a server that gives all of them one ETag."""

    def page(handler: Handler) -> Answer:
        if handler.headers.get("If-None-Match") == '"1"':
            return Answer(status=304, headers={"ETag": '"1"'})
        entries = {"Bearer anna": 1, "Bearer ben": 2}.get(handler.headers.get("Authorization", ""), 3)
        return Answer(site.urlset("/a", entries), headers={"ETag": '"1"'})

    site.pages["/a.xml"] = page
    for _ in range(2):
        for headers, entries in (({"Authorization": "Bearer anna"}, 1), ({"authorization": "Bearer ben"}, 2), ({}, 3)):
            own = replace(http, headers=headers)
            assert len(urlset.read(f"{site.url}/a.xml", http=own)) == entries
    assert sum("if-none-match" in headers for _, headers in site.requests) == 3
    assert http.cache is not None
    assert b"anna" not in Path(http.cache).read_bytes()


def test_what_a_client_of_the_caller_fetches_is_not_kept(site: Site, http: Http) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 1), headers={"ETag": '"1"'})
    with httpx2.Client() as client:
        for _ in range(2):
            assert len(urlset.read(f"{site.url}/a.xml", http=replace(http, client=client))) == 1
    assert not any("if-none-match" in headers for _, headers in site.requests)


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_nobody_else_can_read_a_cache_or_the_state_of_a_watch(site: Site, http: Http, tmp_path: Path) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 1), headers={"ETag": '"1"'})
    urlset.read(f"{site.url}/a.xml", http=http)
    urlset.watch(f"{site.url}/a.xml", state=tmp_path / "watch.sqlite")
    for name in ("cache.sqlite", "watch.sqlite"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
