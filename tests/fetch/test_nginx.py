"""A published set behind a real nginx: what is read over HTTP is what is read from disk."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import urlset
from support.nginx import nginx
from support.publish.model import small
from urlset import Http

ENTRIES = 4_000


@dataclass(frozen=True, slots=True)
class Served:
    """A published set of several gzipped documents: its folder, its URL, and nginx's log of requests."""

    folder: Path
    url: str
    log: Path

    def requests(self) -> list[str]:
        """Return what was asked for, with the status of the answer, and forget it."""
        lines = self.log.read_text().splitlines()
        self.log.write_text("")
        return [f"{line.split()[6]} {line.split()[8]}" for line in lines if "robots.txt" not in line]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A served set."""
    root, work = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("nginx")
    with nginx(root, work) as url:
        rows = [{"loc": f"/{number:05}", "lastmod": f"2026-01-{number % 28 + 1:02}"} for number in range(ENTRIES)]
        with small(500):
            urlset.publish(rows, root, base_url=f"{url}/", update_robots=True)
        # What was changed just now is not asked for by its validators.
        for path in root.rglob("*"):
            os.utime(path, (path.stat().st_mtime - 60,) * 2)
        yield Served(root, url, work / "access.log")


def test_a_set_over_http_is_the_set_on_disk(served: Served) -> None:
    on_disk, over_http = urlset.read(served.folder), urlset.read(f"{served.url}/sitemap.xml")
    assert len(over_http) == ENTRIES
    assert over_http.to_arrow().drop_columns("document").equals(on_disk.to_arrow().drop_columns("document"))
    assert over_http.completeness == "complete"
    with urlset.diff(served.folder, f"{served.url}/sitemap.xml") as found:
        assert not found
    assert urlset.lint(f"{served.url}/sitemap.xml").counts == urlset.lint(served.folder).counts


def test_a_site_leads_to_its_set(served: Served) -> None:
    assert len(urlset.read(served.url)) == ENTRIES
    [found] = urlset.discover(served.url, tree=True)
    assert (found.via, found.kind, found.entries) == ("robots", "sitemapindex", ENTRIES // 500)
    assert [child.entries for child in found.children] == [500] * (ENTRIES // 500)


def test_the_second_look_receives_nothing(served: Served, tmp_path: Path) -> None:
    http = Http(cache=tmp_path / "cache.sqlite")
    served.requests()
    first = urlset.scan(f"{served.url}/sitemap.xml", http=http)
    assert sum(1 for _ in first) == ENTRIES
    assert all(request.endswith(" 200") for request in served.requests())
    second = urlset.scan(f"{served.url}/sitemap.xml", http=http)
    assert sum(1 for _ in second) == ENTRIES
    assert sum(fetch.bytes for fetch in second.fetches) == 0
    assert all(request.endswith(" 304") for request in served.requests())


def test_a_changed_set_is_seen(served: Served, tmp_path: Path) -> None:
    http = Http(cache=tmp_path / "cache.sqlite")
    copy = tmp_path / "before"
    shutil.copytree(served.folder, copy)
    urlset.read(f"{served.url}/sitemap.xml", http=http)
    entries = urlset.read(served.folder)
    rows = [{"loc": str(entry.loc), "lastmod": entry.lastmod_raw} for entry in entries]
    with small(500):
        urlset.publish([*rows[:-1], "/new"], served.folder, base_url=f"{served.url}/", update_robots=True)
    with urlset.diff(copy, f"{served.url}/sitemap.xml", http=http) as found:
        assert (found.added, found.removed, found.changed) == (1, 1, 0)


def test_a_change_within_a_second_is_seen(served: Served, tmp_path: Path) -> None:
    # To nginx, both are one version: it makes its ETag of the time in seconds and the size.
    http, page = Http(cache=tmp_path / "cache.sqlite"), served.folder / "changing.txt"
    later = time.time() + 5
    for text in (f"{served.url}/one", f"{served.url}/two"):
        page.write_text(text)
        os.utime(page, (later, later))
        assert [entry.loc for entry in urlset.scan(f"{served.url}/changing.txt", http=http)] == [text]


def test_redirects_and_refusals_of_a_real_server(served: Served) -> None:
    with pytest.raises(urlset.FetchError, match="status 403"):
        urlset.read(f"{served.url}/moved/a.xml")
    with pytest.raises(urlset.FetchError, match="status 503"):
        urlset.read(f"{served.url}/busy/a.xml", http=Http(retries=0))
