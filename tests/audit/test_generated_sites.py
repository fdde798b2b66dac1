"""Sites that real generators build: an audit finds what a second crawler finds that has no code of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest
import urlset
from support.audit.judge import Judge
from support.audit.second_reader import Browser
from support.audit.sites import django, eleventy, mkdocs, pelican, sphinx
from support.audit.sites.site import served
from support.nginx import free_port

pytestmark = pytest.mark.long

HTTP = urlset.Http(retries=0, timeout=30)
SITES = {
    "django": django.build,
    "eleventy": eleventy.build,
    "mkdocs": mkdocs.build,
    "pelican": pelican.build,
    "sphinx": sphinx.build,
}


@pytest.fixture(scope="module", params=SITES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Build a site and serve it."""
    folder = tmp_path_factory.mktemp(request.param)
    port = free_port()
    built = SITES[request.param](folder, f"http://127.0.0.1:{port}")
    with served(built, tmp_path_factory.mktemp("server"), port) as url:
        yield url


@contextmanager
def audited(site: str, state: Path) -> Iterator[urlset.Audit]:
    """Crawl and audit a site."""
    urlset.crawl(site, state=state, http=HTTP).close()
    with urlset.audit(site, state=state, http=HTTP) as audit:
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
        expected = Judge(site, browser).verdicts()
    for code, pages in sorted(expected.items()):
        assert found.get(code, set()) == pages, code
    # What the second crawler does not judge must be no fault.
    assert {code for code in found if severities[code] != "info"} <= expected.keys()
