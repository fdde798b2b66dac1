"""Sites that real generators build: an audit finds what a second crawler finds, which shares no code with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest
import urlset
from support.audit.judge import Judge
from support.audit.second_reader import Browser
from support.audit.sites import django, eleventy, mkdocs, pelican, sphinx, wordpress
from support.audit.sites.site import Built, served, spoil
from support.nginx import free_port

pytestmark = pytest.mark.long

HTTP = urlset.Http(retries=0, timeout=30)
#: A site of files also with what happens to sites after they were built.
SITES: dict[str, Callable[[Path, str], Built]] = {
    "django": django.build,
    "eleventy": eleventy.build,
    "eleventy, spoiled": lambda folder, url: spoil(eleventy.build(folder, url)),
    "mkdocs": mkdocs.build,
    "mkdocs, spoiled": lambda folder, url: spoil(mkdocs.build(folder, url)),
    "pelican": pelican.build,
    "pelican, spoiled": lambda folder, url: spoil(pelican.build(folder, url)),
    "sphinx": sphinx.build,
    "sphinx, spoiled": lambda folder, url: spoil(sphinx.build(folder, url)),
    "wordpress": wordpress.build,
}


@pytest.fixture(scope="module", params=SITES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Build a site and serve it."""
    folder = tmp_path_factory.mktemp(request.param[:3])
    port = free_port()
    built = SITES[request.param](folder, f"http://127.0.0.1:{port}")
    with served(built, tmp_path_factory.mktemp("server"), port) as url:
        yield url


@contextmanager
def audited(site: str, state: Path, source: str | Path | None = None) -> Iterator[urlset.Audit]:
    """Crawl a site and audit its sitemaps, or others of it."""
    urlset.crawl(site, state=state, http=HTTP).close()
    with urlset.audit(source or site, state=state, http=HTTP) as audit:
        assert audit.is_complete
        yield audit


def found_pages(state: Path) -> dict[str, set[str]]:
    """The pages that each rule has found in the last run, read by DuckDB alone."""
    found: dict[str, set[str]] = {}
    with duckdb.connect(str(state), read_only=True) as file:
        query = "SELECT code, loc FROM page_findings WHERE run = (SELECT max(run) FROM runs) AND verdict = 'found'"
        for code, loc in file.execute(query).fetchall():
            found.setdefault(code, set()).add(loc)
    return found


def test_an_audit_finds_what_a_second_crawler_finds(site: str, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    with audited(site, state) as audit:
        severities = {each.code: each.severity for each in audit.findings}
    found = found_pages(state)
    with closing(Browser(site)) as browser:
        judge = Judge(site, browser)
        expected, (sure, possible) = judge.verdicts(), judge.near()
    for code, pages in sorted(expected.items()):
        assert found.get(code, set()) == pages, code
    assert sure <= found.get("LIVE038", set()) <= possible
    # What the second crawler does not judge must be no fault.
    assert {code for code in found if severities[code] != "info"} <= expected.keys()


def test_the_corrected_set_of_a_site_is_better_by_every_count(site: str, tmp_path: Path) -> None:
    public = tmp_path / "public"
    with audited(site, tmp_path / "first.duckdb") as audit:
        # What Pelican's sitemap has in place of a link is left out, and MkDocs has the day of its build on each page.
        checks = urlset.Checks(on_bad_value="drop", allow=["one-lastmod"])
        urlset.publish(audit.rows(), public, base_url=site, checks=checks)
        before, linted = audit.counts, urlset.lint(site, http=HTTP).counts
    with audited(site, tmp_path / "second.duckdb", public) as audit:
        after = audit.counts
    assert {code: count for code, count in after.items() if count > before.get(code, 0)} == {}
    # A redirect stays if its target has another fault, such as a language that does not link back to it.
    assert not after.keys() & {"LIVE001", "LIVE004", "LIVE005"}
    again = urlset.lint(public, location=f"{site}/").counts
    assert {code: count for code, count in again.items() if count > linted.get(code, 0)} == {}
