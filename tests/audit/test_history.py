"""What is new, still there and fixed; a baseline; a kill in the middle; and the set without what was found."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from support.audit.planted import NAMESPACES, Planted, html, text_of
from support.http_server import Answer, Site, serve

HTTP = urlset.Http(retries=0, timeout=10)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def lay(site: Site, *paths: str, gone: tuple[str, ...] = ()) -> None:
    """Serve pages, list them and those that are gone."""
    site.pages.clear()
    for path in paths:
        site.pages[path] = Answer(html(path, text_of(path)), headers={"Content-Type": "text/html", "ETag": '"1"'})
    rows = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in (*paths, *gone))
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())


def look(site: Site, state: Path, **more: Any) -> dict[str, tuple[str, int, int]]:
    """Audit for pages that are gone, and return the state, the number and the new ones of each pattern."""
    with urlset.audit(
        site.url, state=state, http=HTTP, now=NOW, **more, rules=urlset.Rules(select=["LIVE001"])
    ) as audit:
        return {each.pattern: (each.state, each.count, each.new) for each in audit.findings}


def test_findings_are_new_then_open_then_fixed(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    lay(site, "/", gone=("/a/1", "/b/1"))
    assert look(site, state) == {"404 /a/…": ("new", 1, 1), "404 /b/…": ("new", 1, 1)}
    lay(site, "/", "/b/1", gone=("/a/1", "/a/2"))
    assert look(site, state) == {"404 /a/…": ("open", 2, 1), "404 /b/…": ("fixed", 0, 0)}
    lay(site, "/", gone=())
    assert look(site, state) == {"404 /a/…": ("fixed", 0, 0)}
    assert look(site, state) == {}


def test_what_cannot_be_judged_any_more_is_not_fixed(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    lay(site, "/", gone=("/a/1",))
    look(site, state)
    site.pages["/a/1"] = Answer(b"", 503)
    assert look(site, state) == {}


def test_a_baseline_knows_what_another_file_has_found(site: Site, tmp_path: Path) -> None:
    lay(site, "/", gone=("/a/1",))
    look(site, tmp_path / "main.duckdb")
    lay(site, "/", gone=("/a/1", "/b/1"))
    found = look(site, tmp_path / "new.duckdb", baseline=tmp_path / "main.duckdb")
    assert found == {"404 /a/…": ("open", 1, 0), "404 /b/…": ("new", 1, 1)}
    with pytest.raises(urlset.InputError, match=r"^baseline must be another file than state"):
        look(site, tmp_path / "new.duckdb", baseline=tmp_path / "new.duckdb")
    with pytest.raises(urlset.InputError, match=r"must be a file that a crawl or an audit has written"):
        look(site, tmp_path / "new.duckdb", baseline=tmp_path / "missing.duckdb")


@pytest.mark.long
def test_a_baseline_of_another_host_knows_the_same_paths(site: Site, tmp_path: Path) -> None:
    lay(site, "/", gone=("/a/1", "/a/2"))
    look(site, tmp_path / "main.duckdb")
    with serve() as preview:
        lay(preview, "/", gone=("/a/1", "/a/3"))
        found = look(preview, tmp_path / "new.duckdb", baseline=tmp_path / "main.duckdb")
        assert found == {"404 /a/…": ("open", 2, 1)}


def test_a_lastmod_that_did_not_move_again_is_not_fixed(site: Site, tmp_path: Path) -> None:
    """It was moved for nothing, and only a move can show that the next one is not."""

    def moved(day: int, edition: int) -> dict[str, str]:
        site.pages["/tea"] = Answer(html("Tea", text_of(edition)), headers={"Content-Type": "text/html"})
        site.pages["/sitemap.xml"] = Answer(
            f"<urlset {NAMESPACES}><url><loc>{site.url}/tea</loc><lastmod>2026-01-{day:02}</lastmod></url>"
            "</urlset>".encode()
        )
        asked: dict[str, Any] = {"state": tmp_path / "site.duckdb", "rules": urlset.Rules(select=["LIVE016"])}
        with urlset.audit(f"{site.url}/sitemap.xml", http=HTTP, now=NOW + timedelta(days=day), **asked) as audit:
            return {each.code: each.state for each in audit.findings}

    assert moved(1, 1) == {}
    assert moved(2, 1) == {"LIVE016": "new"}
    assert moved(2, 1) == {}
    assert moved(3, 1) == {"LIVE016": "new"}
    assert moved(4, 2) == {"LIVE016": "fixed"}


def test_orphans_are_not_fixed_by_a_crawl_that_ended_early(site: Site, tmp_path: Path) -> None:
    lay(site, "/", "/alone")
    asked: dict[str, Any] = {"state": tmp_path / "site.duckdb", "http": HTTP, "now": NOW}

    def orphans(**bounds: Any) -> dict[str, str]:
        urlset.crawl(site.url + "/", **asked, **bounds).close()
        with urlset.audit(site.url, **asked, rules=urlset.Rules(select=["LIVE006"])) as audit:
            return {each.verdict: each.state for each in audit.findings}

    assert orphans() == {"found": "new"}
    site.pages["/"] = Answer(html("/", text_of("/"), links=["/a"]), headers={"Content-Type": "text/html"})
    assert orphans(max_pages=1) == {"inconclusive": "new"}
    site.pages["/"] = Answer(html("/", text_of("/"), links=["/alone"]), headers={"Content-Type": "text/html"})
    assert orphans() == {"inconclusive": "fixed"}


def test_a_list_of_some_pages_fixes_nothing_of_the_others(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    lay(site, "/", gone=("/a/1", "/b/1"))
    look(site, state)
    (tmp_path / "changed.txt").write_text(f"{site.url}/b/1\n")
    with urlset.audit(
        tmp_path / "changed.txt", state=state, http=HTTP, rules=urlset.Rules(select=["LIVE001"])
    ) as audit:
        assert {each.pattern: each.state for each in audit.findings} == {"404 /b/…": "new"}
    assert {pattern: each[0] for pattern, each in look(site, state).items()} == {
        "404 /a/…": "open",
        "404 /b/…": "open",
    }


def test_the_state_of_another_site_is_refused(site: Site, tmp_path: Path) -> None:
    lay(site, "/")
    look(site, tmp_path / "site.duckdb")
    (tmp_path / "other.txt").write_text("https://shop.example/\n")
    with pytest.raises(
        urlset.InputError, match=r"is about http://127\.0\.0\.1:\d+/: name another file for https://shop"
    ):
        urlset.audit(tmp_path / "other.txt", state=tmp_path / "site.duckdb")


def test_local_sitemaps_of_a_site_that_can_be_reached(site: Site, tmp_path: Path) -> None:
    lay(site, "/", gone=("/a/1",))
    urlset.write([f"{site.url}/", f"{site.url}/a/1"], tmp_path / "sitemap.xml")
    with urlset.audit(tmp_path, http=HTTP, rules=urlset.Rules(select=["LIVE001"])) as audit:
        assert (audit.site, audit.counts) == (f"{site.url}/", {"LIVE001": 1})
        (finding,) = audit
        assert finding.location == str(tmp_path / "sitemap.xml")


_KILLED = """
import sys, urlset
http = urlset.Http(retries=0)
told = lambda so_far: print(so_far.what, so_far.done, so_far.total, flush=True)
urlset.audit(sys.argv[1], state=sys.argv[2], http=http, rules=urlset.Rules(select=["LIVE001"]), progress=told)
"""


def test_an_audit_that_was_killed_goes_on(site: Site, tmp_path: Path) -> None:
    paths = [f"/{number}" for number in range(2_500)]
    lay(site, *paths, gone=("/gone/1",))
    state = tmp_path / "site.duckdb"
    process = subprocess.Popen([sys.executable, "-c", _KILLED, site.url, str(state)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as told:
        for line in told:
            what, done, total = line.split()
            if what == "pages" and int(done) >= 2_100:
                assert total == "2501"
                process.send_signal(signal.SIGKILL)
                break
    process.wait(30)
    with duckdb.connect(str(state), read_only=True) as connection:
        [(kept,)] = connection.execute("SELECT count(*) FROM pages").fetchall()
        assert 0 < kept < 2_501
        assert connection.execute("SELECT run, state FROM runs").fetchall() == [(1, "running")]
    asked = len(site.requests)
    with urlset.audit(site.url, state=state, http=HTTP, rules=urlset.Rules(select=["LIVE001"])) as audit:
        assert (audit.run, audit.looked_at, audit.counts) == (1, 2_501, {"LIVE001": 1})
    # The pages that were kept are not asked for again: the rest, the sitemap, the robots.txt, and one page once more.
    assert len(site.requests) - asked < 2_501 - kept + 10


def test_the_rows_are_the_set_without_what_was_found(planted: Planted, tmp_path: Path) -> None:
    with urlset.audit(planted.url, http=HTTP, now=NOW) as audit:
        rows = list(audit.rows())
        again = list(audit.rows())
    assert rows == again
    locs = [(entry.loc or "").removeprefix(planted.url) for entry in rows]
    assert len(locs) == len(set(locs))
    listed = {"/", *(entry.path for entry in planted.entries), *(f"/hubs/{number}.html" for number in range(9))}
    removed = {
        path
        for code in ("LIVE001", "LIVE003", "LIVE004", "LIVE005", "LIVE012", "LIVE013", "LIVE022", "LIVE031", "LIVE036")
        for path in planted.expected[code]
        # A page that names another language stays, whatever its text.
        if not path.startswith("/fallback/")
    }
    # What redirects and canonical links lead to is listed already here.
    assert set(locs) <= listed - removed
    assert listed - removed - set(locs) <= {f"/hubs/{number}.html" for number in range(9)}
    by_path = dict(zip(locs, rows, strict=True))
    for path in planted.expected["LIVE008"] | planted.expected["LIVE015"]:
        assert str(by_path[path].lastmod)[:10] == "2026-01-01"
    picture = next(iter(path for path in planted.expected["LIVE009"] if path in by_path))
    assert by_path[picture].images or by_path[picture].videos


def test_the_cleaned_set_has_nothing_left_to_find(site: Site, tmp_path: Path) -> None:
    lay(site, "/", "/tea", gone=("/gone",))
    site.pages["/old"] = Answer(status=301, headers={"Location": "/new"})
    site.pages["/new"] = site.pages["/tea"]
    rows = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/", "/gone", "/old"))
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
    with urlset.audit(site.url, http=HTTP, rules=urlset.Rules(ignore=["LIVE006", "LIVE007", "LIVE02"])) as audit:
        assert audit.counts == {"LIVE001": 1, "LIVE003": 1}
        urlset.publish(audit.rows(), tmp_path / "public", base_url=site.url)
    assert [entry.loc for entry in urlset.read(tmp_path / "public")] == [f"{site.url}/", f"{site.url}/new"]
    with urlset.audit(
        tmp_path / "public", http=HTTP, rules=urlset.Rules(ignore=["LIVE006", "LIVE007", "LIVE02"])
    ) as audit:
        assert not audit


@pytest.mark.long
def test_trust_is_counted_over_runs(site: Site, tmp_path: Path) -> None:
    """Four weeks, in which a model changes pages and lastmods and counts what `trust` has to say."""
    import random

    chance, state = random.Random(8), tmp_path / "site.duckdb"
    sections = {"/honest/": (1.0, 0.0), "/stamped/": (1.0, 1.0), "/silent/": (0.0, 0.0)}
    # So many that never most of a section change at once, which might be a rotation, and counts for nothing at first.
    paths = [f"{section}{number}" for section in sections for number in range(12)]
    edition, lastmod = dict.fromkeys(paths, 0), dict.fromkeys(paths, NOW)
    counts = {section: [0, 0, 0] for section in sections}
    for week in range(4):
        for path in paths if week else ():
            section = path[: path.index("/", 1) + 1]
            tells, lies = sections[section]
            is_changed = chance.random() < 0.4
            is_moved = chance.random() < (tells if is_changed else lies)
            edition[path] += is_changed
            lastmod[path] += timedelta(days=7) if is_moved else timedelta()
            step = (is_moved, is_changed, is_moved and is_changed)
            counts[section] = [a + b for a, b in zip(counts[section], step, strict=True)]
        for path in paths:
            body = html(path, text_of(f"{path} {edition[path]}"))
            site.pages[path] = Answer(body, headers={"Content-Type": "text/html"})
        rows = "".join(
            f"<url><loc>{site.url}{path}</loc><lastmod>{lastmod[path].isoformat()}</lastmod></url>" for path in paths
        )
        site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
        with urlset.audit(site.url, state=state, http=HTTP, now=NOW + timedelta(days=7 * week)) as audit:
            trust = {each.section: each for each in audit.trust}
    for section, (moved, changed, told) in counts.items():
        found = trust[section]
        assert (found.pairs, found.moved, found.changed, found.told) == (36, moved, changed, told)
        assert found.precision == (told / moved if moved else None)
        assert found.recall == told / changed
    assert trust["/honest/"].score == 1
    assert (trust["/stamped/"].recall, trust["/silent/"].recall) == (1, 0)
    assert trust[None].pairs == 108
