"""An audit of a site with planted faults finds each of them, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
import urlset
from support.audit.planted import Planted

from audit.conftest import planted_site

HTTP = urlset.Http(retries=0, timeout=10)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
#: What only a crawl can tell.
OF_A_CRAWL = ("LIVE006", "LIVE007", "LIVE028", "LIVE029", "LIVE030")


def found(state: Path, run: int, site: str) -> dict[str, set[str]]:
    """The paths that each rule has found, read by DuckDB alone."""
    rows: dict[str, set[str]] = {}
    with duckdb.connect(str(state), read_only=True) as connection:
        for code, loc in connection.execute("SELECT code, loc FROM page_findings WHERE run = ?", [run]).fetchall():
            rows.setdefault(code, set()).add(loc.removeprefix(site))
    return rows


def test_every_planted_fault_is_found_and_none_more(planted: Planted, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    with urlset.crawl(planted.url, state=state, http=HTTP, now=NOW) as crawled:
        assert crawled.is_complete
    with urlset.audit(planted.url, state=state, http=HTTP, now=NOW) as audit:
        assert audit.is_complete
        assert audit.looked_at == audit.pages == planted.listed
        assert audit.failures == ()
    assert found(state, 2, planted.url) == planted.expected
    assert audit.counts == {code: len(paths) for code, paths in planted.expected.items() if code != "LIVE011"}
    for each in audit.findings:
        assert each.verdict == ("inconclusive" if each.code == "LIVE011" else "found")
        assert (each.state, each.new) == ("new", each.count)

    planted.change()
    with urlset.audit(planted.url, state=state, http=HTTP, now=NOW + timedelta(days=7)) as second:
        assert second.previous == "audit 1 of 2026-03-01"
    assert found(state, 3, planted.url) == planted.expected
    new = {each.code: each.new for each in second.findings if each.new}
    assert new == {"LIVE016": planted.each, "LIVE017": planted.each, "LIVE018": planted.each}
    whole = next(each for each in second.trust if each.section is None)
    # Of what `change` moved and changed: both and stale are told, moved is a false alarm, changed is not told.
    once = planted.each
    assert (whole.moved, whole.changed, whole.told) == (3 * once, 3 * once, 2 * once)


def test_without_a_crawl_orphans_and_unlisted_pages_are_not_judged(planted: Planted) -> None:
    with urlset.audit(planted.url, http=HTTP, rules=urlset.Rules(select=[*OF_A_CRAWL])) as audit:
        assert [(each.code, each.verdict, each.pattern) for each in audit.findings] == [
            (code, "inconclusive", "there is no crawl of the site") for code in OF_A_CRAWL
        ]
        assert {each.message for each in audit.findings} == {"not judged: there is no crawl of the site"}
        assert all(each.help.startswith("crawl the whole site into the same file") for each in audit.findings)
        assert not audit
        assert audit.counts == {}
        assert {each.severity for each in audit} == {"info"}
        assert audit.report.warnings == 0


@pytest.mark.long
def test_a_crawl_that_did_not_come_to_its_end_proves_no_orphan(planted: Planted, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    urlset.crawl(planted.url, state=state, http=HTTP, max_pages=3).close()
    with urlset.audit(planted.url, state=state, http=HTTP, rules=urlset.Rules(select=["LIVE006"])) as audit:
        (finding,) = audit.findings
        assert finding.verdict == "inconclusive"
        assert finding.pattern.startswith("the crawl did not come to its end, bounded, ")


def test_a_sample_proves_no_orphan(planted: Planted, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    urlset.crawl(planted.url, state=state, http=HTTP).close()
    rules = urlset.Rules(select=["LIVE006"])
    with urlset.audit(planted.url, state=state, http=HTTP, rules=rules, sample=20) as audit:
        (finding,) = audit.findings
    assert finding.verdict == "inconclusive"
    assert finding.message.startswith("not judged: a sample of the listed pages was fetched")
    assert finding.help == "audit all pages: leave out --sample"


def test_the_coverage_of_a_site(planted: Planted, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    urlset.crawl(planted.url, state=state, http=HTTP).close()
    with urlset.audit(planted.url, state=state, http=HTTP) as audit:
        coverage = {each.section: each for each in audit.coverage}
    tea, unlisted, orphans = coverage["/tea/"], coverage["/unlisted/"], coverage["/orphan/"]
    assert (tea.listed, tea.indexable, tea.linked, tea.both, tea.only_listed) == (50, 50, 50, 50, 0)
    assert (tea.coverage, tea.unique_coverage, tea.signature_coverage) == (1, 0, 1)
    assert (unlisted.listed, unlisted.linked, unlisted.coverage) == (0, planted.each, 0)
    assert (orphans.listed, orphans.only_listed, orphans.unique_coverage) == (planted.each, planted.each, 1)
    assert coverage["/copy/"].listed == 2 * planted.each
    assert coverage["/copy/"].listed_bodies == planted.each
    assert coverage[None].listed == planted.listed


@pytest.mark.long
def test_every_fault_of_a_site_of_5_000_pages_is_found_and_none_more(tmp_path: Path) -> None:
    http = urlset.Http(retries=0, timeout=60, concurrency=16, per_host=16)
    with planted_site(tmp_path, 4_500, each=20) as planted:
        state = tmp_path / "site.duckdb"
        urlset.crawl(planted.url, state=state, http=http).close()
        with urlset.audit(planted.url, state=state, http=http) as audit:
            assert audit.pages > 5_000
        assert found(state, 2, planted.url) == planted.expected
