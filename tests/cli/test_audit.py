"""`urlset audit`: its formats, its exit codes, a baseline, a crawl first, and the set that it publishes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import urlset
from support.audit.planted import NAMESPACES, html, text_of
from support.cli import Cli
from support.http_server import Answer, Site, serve

STATUS = ["--ignore", "LIVE006,LIVE007,LIVE02,LIVE03"]


@pytest.fixture
def site() -> Iterator[Site]:
    """A site with pages that are gone, that redirect, that are behind a bot challenge, and that nothing links to."""
    with serve() as site:
        for path, links in (("/", ("/tea", "/unlisted")), ("/tea", ()), ("/unlisted", ()), ("/alone", ())):
            site.pages[path] = Answer(
                html(path, text_of(path), links=links), headers={"Content-Type": "text/html", "ETag": f'"{path}"'}
            )
        site.pages["/old"] = Answer(status=301, headers={"Location": "/tea"})
        site.pages["/wall"] = Answer(b"no", 403)
        lay(site, "/", "/tea", "/alone", "/old", "/wall", "/gone")
        yield site


def lay(site: Site, *paths: str) -> None:
    rows = "".join(f"<url><loc>{site.url}{path}</loc></url>\n" for path in paths)
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>\n{rows}</urlset>".encode())


def test_findings_for_a_person(site: Site, tmp_path: Path) -> None:
    # A process of its own, whose end shows whether everything was closed.
    ended = Cli(tmp_path).process("audit", site.url, *STATUS)
    assert ended.code == 1
    place = f"in {site.url}/sitemap.xml, line 7"
    assert f"LIVE001 error 1 listed page is 404: /…\n  {site.url}/gone {place}\n" in ended.out
    assert "= help: remove the entries, or bring the pages back" in ended.out
    assert (
        "LIVE003 warning 1 listed page redirects to another URL: /… → /…\n"
        f"  {site.url}/old ({site.url}/tea, by 301, which is listed too)" in ended.out
    )
    assert (
        f"LIVE011 info not judged: 1 listed page, because the server blocks this client (403)\n"
        f"  {site.url}/wall " in ended.out
    )
    assert f"{site.url}/: 6 of 6 listed pages requested" in ended.out
    assert "1 error, 1 warning, 1 info in 1 document, 6 entries: 1 LIVE001, 1 LIVE003, 1 LIVE011" in ended.out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--select", "LIVE001"], 1),
        (["--select", "LIVE003", "--fail-on", "error"], 0),
        (["--select", "LIVE011", "--fail-on", "info"], 0),
        (["--select", "LIVE004"], 0),
        (["--select", "LOC"], 2),
        (["--sample", "0"], 2),
        (["--crawl"], 2),
        (["--summary", "--format", "sarif"], 2),
    ],
)
def test_exit_codes(site: Site, tmp_path: Path, options: list[str], code: int) -> None:
    assert Cli(tmp_path)("audit", site.url, *options).code == code


def test_a_sitemap_that_cannot_be_read_and_a_bound(site: Site, tmp_path: Path) -> None:
    site.pages["/sitemap.xml"] = Answer(
        f"<sitemapindex {NAMESPACES}><sitemap><loc>{site.url}/missing.xml</loc></sitemap></sitemapindex>".encode()
    )
    ended = Cli(tmp_path)("audit", site.url)
    assert ended.code == 2
    assert "missing.xml: status 404" in ended.err
    lay(site, "/", "/tea")
    ended = Cli(tmp_path)("audit", f"{site.url}/sitemap.xml", "--max-bytes", "10")
    assert ended.code == 2
    assert "not all pages were requested: the run has received 10 bytes" in ended.err


@pytest.mark.parametrize(
    "form",
    [
        "sarif",
        *(
            pytest.param(form, marks=pytest.mark.long)
            for form in ("json", "jsonl", "concise", "github", "gitlab", "junit", "statistics")
        ),
    ],
)
def test_every_format_has_every_finding(site: Site, tmp_path: Path, form: str) -> None:
    ended = Cli(tmp_path)("audit", site.url, *STATUS, "--format", form)
    assert ended.code == 1
    for code in ("LIVE001", "LIVE003", "LIVE011"):
        assert code in ended.out
    if form in ("json", "gitlab", "sarif"):
        json.loads(ended.out)


def test_a_crawl_first_a_state_and_a_summary(site: Site, tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    ended = cli("audit", site.url, "--state", "a.duckdb", "--crawl", "--summary", "--format", "json")
    found = json.loads(ended.out)
    by_code = {each["code"]: each for each in found["findings"]}
    assert by_code["LIVE006"]["examples"] == [f"{site.url}/alone"]
    assert by_code["LIVE007"]["examples"] == [f"{site.url}/unlisted"]
    assert found["coverage"][0]["linked"] == 3
    assert (found["run"], found["number"], found["previous"]) == (2, 1, None)
    lay(site, "/", "/tea", "/gone", "/gone-too")
    ended = cli("audit", site.url, "--state", "a.duckdb", "--summary")
    assert re.search(r"; since audit 1 of \d{4}-\d\d-\d\d: 3 fixed, 3 open, 0 new findings, with 1 new page", ended.out)
    assert "coverage all: 2 of 4 listed pages may be indexed; in the sitemap: 2 of 3 linked pages (67%)" in ended.out
    assert "lastmod all: nothing moved or changed in 2 comparisons" in ended.out


def test_only_what_the_baseline_does_not_know_fails(site: Site, tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    assert cli("audit", site.url, "--state", "main.duckdb", "--select", "LIVE001").code == 1
    asked = ("audit", site.url, "--baseline", "main.duckdb", "--select", "LIVE001")
    ended = cli(*asked)
    assert (ended.code, "LIVE001" in ended.out) == (0, False)
    lay(site, "/", "/gone", "/gone-too")
    ended = cli(*asked)
    assert ended.code == 1
    assert "LIVE001" in ended.out


def test_the_set_without_what_was_found_is_published(site: Site, tmp_path: Path) -> None:
    ended = Cli(tmp_path)("audit", site.url, *STATUS, "--publish", "public")
    assert ended.code == 1
    assert "corrected: 2 left out\n" in ended.err
    assert f"published 4 entries to public: submit {site.url}/sitemap.xml" in ended.err
    locs = [entry.loc for entry in urlset.read(tmp_path / "public")]
    assert locs == [f"{site.url}{path}" for path in ("/", "/alone", "/tea", "/wall")]
    assert Cli(tmp_path)("lint", "public").code == 0


def test_a_set_of_which_nothing_is_left_is_not_published(site: Site, tmp_path: Path) -> None:
    lay(site, "/gone")
    ended = Cli(tmp_path)("audit", site.url, *STATUS, "--publish", "public")
    assert ended.code == 2
    assert f"there is no corrected set, because nothing is left of it: {site.url}/gone is 404 (LIVE001)" in ended.err
    assert not (tmp_path / "public/sitemap.xml").exists()
