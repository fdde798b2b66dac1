"""Every verb says the same of one site: how many documents and entries it has, and what could not be read."""

from __future__ import annotations

import ctypes
import gzip
import os
import re
import struct
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import urlset
from click.testing import CliRunner
from support.http_server import NAMESPACE, Answer, Site, serve
from support.s3 import S3Server
from urlset import Found
from urlset._cli.app import app

#: robots.txt, the index, the nested index, three lists of pages, and the one that is cut off.
DOCUMENTS = 7
#: Of the lists of pages: 3, 4 of which one has no loc, 1, and 2 before the end of the one that is cut off.
ENTRIES = 10


@pytest.fixture
def nasty() -> Iterator[Site]:
    """A site with everything that verbs could count differently."""
    with serve() as site:
        nameless = f'<urlset xmlns="{NAMESPACE}">{"".join(f"<url>{loc}</url>" for loc in _locs(site))}</urlset>'
        cut = site.urlset("/cut", 3)
        site.pages |= {
            "/robots.txt": Answer(f"User-agent: *\nDisallow:\nSitemap: {site.url}/index.xml\n".encode()),
            "/index.xml": Answer(site.index("/a.xml", "/a.xml", "/b.xml.gz", "/nested.xml", "/cut.xml", "/gone.xml")),
            "/nested.xml": Answer(site.index("/b.xml.gz", "/c.txt")),
            "/a.xml": Answer(site.urlset("/a", 3)),
            "/b.xml.gz": Answer(gzip.compress(nameless.encode())),
            "/c.txt": Answer(f"{site.url}/c/0\n".encode(), headers={"Content-Type": "text/plain"}),
            "/cut.xml": Answer(cut[: cut.rindex(b"/cut/2")]),
        }
        yield site


def _locs(site: Site) -> list[str]:
    return [f"<loc>{site.url}/b/{number}</loc>" for number in range(3)] + ["<priority>0.5</priority>"]


def found_in(found: tuple[Found, ...]) -> Iterator[Found]:
    for each in found:
        yield each
        yield from found_in(each.children)


def test_every_verb_counts_the_same(nasty: Site, tmp_path: Path) -> None:
    entries = urlset.read(nasty.url)
    scan = urlset.scan(nasty.url)
    stats = urlset.stats(nasty.url)
    lint = urlset.lint(nasty.url)
    counted = {
        "read": (len(entries.documents), len(entries)),
        "scan": (sum(1 for _ in scan), len(scan.documents))[::-1],
        "stats": (len(stats.documents), stats.entries),
        "lint": (len(lint.documents), lint.entries),
    }
    with urlset.audit(nasty.url) as audit:
        counted["audit"] = len(audit.report.documents), audit.report.entries
    with urlset.diff(nasty.url, nasty.url) as diff:
        assert (diff.old_entries, diff.new_entries) == (ENTRIES, ENTRIES)
        assert len(diff) == 0
    assert counted == dict.fromkeys(counted, (DOCUMENTS, ENTRIES))

    # A robots.txt is no sitemap, so that `discover` and `watch` have one document less.
    for _ in range(2):  # what is unchanged counts although it is not read again
        with urlset.watch(nasty.url, state=tmp_path / "state.sqlite") as watch:
            assert (watch.sitemaps, watch.entries) == (DOCUMENTS - 1, ENTRIES)
    discovery = urlset.discover(nasty.url, tree=True)
    sitemaps = [each for each in found_in(discovery.sitemaps) if each.kind is not None]
    assert len(sitemaps) == DOCUMENTS - 1
    assert sum(each.entries for each in sitemaps if each.kind != "sitemapindex") == ENTRIES


def stored_in(site: Site) -> dict[str, bytes]:
    """The documents of a site as files."""
    answers = {path: answer for path, answer in site.pages.items() if isinstance(answer, Answer)}
    return {path.removeprefix("/"): answer.body for path, answer in answers.items()}


@pytest.mark.parametrize("place", ["a folder", "an object store"])
def test_what_is_stored_counts_as_what_is_fetched(nasty: Site, tmp_path: Path, s3_server: S3Server, place: str) -> None:
    if place == "a folder":
        source, options = str(tmp_path / "site"), dict[str, Any]()
        (tmp_path / "site").mkdir()
        for name, data in stored_in(nasty).items():
            (tmp_path / "site" / name).write_bytes(data)
    else:
        bucket = s3_server.new_bucket()
        source, options = f"s3://{bucket}/", {"store": s3_server.options}
        for name, data in stored_in(nasty).items():
            s3_server.put(bucket, name, data)
    entries = urlset.read(source, **options)
    stats = urlset.stats(source, **options)
    lint = urlset.lint(source, **options)
    counted = {
        "read": (len(entries.documents), len(entries)),
        "stats": (len(stats.documents), stats.entries),
        "lint": (len(lint.documents), lint.entries),
    }
    with urlset.watch(source, state=tmp_path / "state.sqlite", **options) as watch:
        counted["watch"] = watch.sitemaps + 1, watch.entries
        failed = {"read": entries.failures, "stats": stats.failures, "lint": lint.failures, "watch": watch.failures}
    with urlset.diff(source, source, **options) as diff:
        assert (diff.old_entries, diff.new_entries, len(diff)) == (ENTRIES, ENTRIES, 0)
    assert counted == dict.fromkeys(counted, (DOCUMENTS, ENTRIES))
    for verb, failures in failed.items():
        assert sum("gone.xml" in str(each) for each in failures) == 1, verb


def test_a_publish_from_a_set_counts_its_entries(nasty: Site, tmp_path: Path) -> None:
    rows: dict[str, Any] = {"base_url": f"{nasty.url}/", "checks": urlset.Checks(on_error="collect")}
    with pytest.raises(urlset.UrlsetError, match=r"(cut|gone)\.xml"):
        urlset.publish(urlset.scan(nasty.url), tmp_path, **rows)
    assert not list(tmp_path.glob("*.xml"))
    # Without what could not be read whole, it has all entries as rows, of which one has no loc.
    nasty.pages["/index.xml"] = Answer(nasty.index("/a.xml", "/b.xml.gz", "/nested.xml"))
    plan = urlset.publish(urlset.scan(nasty.url), tmp_path, **rows).plan
    assert (plan.rows, plan.refused, plan.entries) == (ENTRIES - 2, 1, ENTRIES - 3)
    with urlset.diff(nasty.url, tmp_path) as diff:
        assert (diff.old_entries, diff.without_loc_old, diff.new_entries, len(diff)) == (ENTRIES - 2, 1, ENTRIES - 3, 0)


def test_every_verb_names_what_failed_and_gives_the_rest(nasty: Site, tmp_path: Path) -> None:
    gone = f"{nasty.url}/gone.xml"
    with (
        urlset.audit(nasty.url) as audit,
        urlset.diff(nasty.url, nasty.url) as diff,
        urlset.watch(nasty.url, state=tmp_path / "state.sqlite") as watch,
    ):
        failed = {
            "watch": watch.failures,
            "read": urlset.read(nasty.url).failures,
            "stats": urlset.stats(nasty.url).failures,
            "lint": urlset.lint(nasty.url).failures,
            "discover": urlset.discover(nasty.url, tree=True).failures,
            "audit": audit.failures,
            "diff": diff.failures,
        }
    for verb, failures in failed.items():
        # Of a diff, each side has it.
        assert {str(each) for each in failures if gone in str(each)} == {f"{gone}: status 404"}, verb


@pytest.mark.parametrize("verb", ["read", "stats", "lint", "discover", "diff"])
def test_strict_raises_the_first_failure(nasty: Site, verb: str) -> None:
    call = getattr(urlset, verb)
    sides = [f"{nasty.url}/index.xml"] * (2 if verb == "diff" else 1)
    with pytest.raises(urlset.UrlsetError):
        call(*sides, strict=True, **({"tree": True} if verb == "discover" else {}))


@pytest.mark.parametrize("verb", ["read", "stats", "lint", "diff"])
def test_a_run_that_has_read_nothing_raises(tmp_path: Path, verb: str) -> None:
    times = 2 if verb == "diff" else 1
    with pytest.raises(FileNotFoundError):
        getattr(urlset, verb)(*[tmp_path / "nothing.xml"] * times)
    with serve() as site, pytest.raises(urlset.FetchError, match=r"1\.xml: status 404"):
        getattr(urlset, verb)(*[[f"{site.url}/1.xml", f"{site.url}/2.xml"]] * times)


@pytest.mark.parametrize("arguments", [["read"], ["stats"], ["lint"], ["discover", "--tree"], ["diff"]])
def test_the_command_line_goes_on_names_and_ends_with_2(nasty: Site, arguments: list[str]) -> None:
    sites = [nasty.url] * (2 if arguments[0] == "diff" else 1)
    done = CliRunner().invoke(app, [*arguments, *sites])
    assert done.exit_code == 2
    assert f"urlset: {nasty.url}/gone.xml: status 404\n" in done.stderr
    assert done.stdout or arguments == ["diff"]  # there is no difference to print
    strict = CliRunner().invoke(app, [*arguments, *sites, "--strict"])
    assert strict.exit_code == 2
    assert strict.stderr.startswith("urlset: ")


@pytest.mark.parametrize("verb", ["read", "stats", "lint", "diff", "watch", "audit"])
def test_the_summary_says_how_many_failed(nasty: Site, tmp_path: Path, verb: str) -> None:
    forms = {"read": "table", "diff": "summary", "watch": "summary"}
    more = ["-f", forms[verb]] if verb in forms else []
    more += {"diff": [nasty.url], "watch": ["--state", str(tmp_path / "state.sqlite")]}.get(verb, [])
    done = CliRunner().invoke(app, [verb, nasty.url, *more])
    failures = re.search(r"^urlset: (\d failures?)", done.stderr, re.M)
    assert failures is not None
    assert re.search(rf"^.*\b\d.*[,;] {failures[1]}\b", done.stdout, re.M), done.stdout
    nasty.pages["/index.xml"] = Answer(nasty.index("/a.xml"))
    assert "failure" not in CliRunner().invoke(app, [verb, nasty.url, *more]).stdout


@pytest.mark.parametrize("verb", ["lint", "audit"])
def test_each_sitemap_of_a_site_is_asked_for_once(nasty: Site, verb: str) -> None:
    done = getattr(urlset, verb)(nasty.url)
    asked = Counter(path for path, _ in nasty.requests if path in nasty.pages and path != "/robots.txt")
    assert set(asked.values()) == {1}
    if verb == "audit":
        done.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is of Linux")
@pytest.mark.parametrize("verb", ["lint", "audit"])
def test_each_local_sitemap_is_opened_once(tmp_path: Path, verb: str) -> None:
    with serve() as site:
        (tmp_path / "sitemap.xml").write_bytes(site.index("/a.xml", "/b.xml.gz"))
        (tmp_path / "a.xml").write_bytes(site.urlset("/a", 200))
        (tmp_path / "b.xml.gz").write_bytes(gzip.compress(site.urlset("/a", 200)))
        with opens(tmp_path) as counted:
            done = getattr(urlset, verb)(str(tmp_path / "sitemap.xml"))
    assert counted == {"sitemap.xml": 1, "a.xml": 1, "b.xml.gz": 1}
    if verb == "audit":
        done.close()
    else:
        assert done.counts["IDX008"] == 200  # a rule that needs the entries of both


@contextmanager
def opens(folder: Path) -> Iterator[Counter[str]]:
    """Count how often each file of a folder is opened, by whomever: the kernel says so."""
    libc = ctypes.CDLL(None, use_errno=True)
    watching = libc.inotify_init1(os.O_NONBLOCK)
    counted: Counter[str] = Counter()
    try:
        assert libc.inotify_add_watch(watching, os.fsencode(folder), 0x20) >= 0  # IN_OPEN
        yield counted
        events = os.read(watching, 1 << 16)
        while events:
            length = struct.unpack_from("iIII", events)[3]
            counted[events[16 : 16 + length].rstrip(b"\0").decode()] += 1
            events = events[16 + length :]
    finally:
        os.close(watching)
