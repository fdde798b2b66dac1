"""A crawl by a plan: what is due is requested, what is not due is not, and links lead to what is new."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from support.crawl.linked_site import html, plant
from support.http_server import Answer, Site
from urlset import Http, InputError
from urlset._report.from_run import run_to_show, view_of
from urlset._runs.file import RunFile

NOW = datetime(2026, 3, 1, tzinfo=UTC)
#: One request after the other, so that they arrive in the order of the plan.
ONE = Http(concurrency=1, per_host=1)
LINKS = {"/": ["/a", "/b", "/c", "/d"], "/a": ["/new", "/b"], "/b": ["/"], "/c": [], "/d": [], "/new": ["/c", "/newer"]}


def rows(site: Site, days: Mapping[str, float | None]) -> list[dict[str, object]]:
    """A plan, of which each page is due in so many days, or never."""
    return [
        {"loc": site.url + path, "next": None if each is None else NOW + timedelta(days=each)}
        for path, each in days.items()
    ]


@pytest.fixture
def planted(site: Site) -> Site:
    plant(site, {**LINKS, "/newer": []})
    return site


def test_what_is_due_and_what_is_new_is_requested(planted: Site) -> None:
    plan = rows(planted, {"/": 1, "/a": 0, "/b": 0.1, "/c": None, "/d": -3})
    with urlset.crawl(planted.url, plan=plan, http=ONE, now=NOW) as found:
        assert [(page.loc.removeprefix(planted.url), page.depth) for page in found] == [
            ("/a", 0),
            ("/d", 0),
            ("/new", 1),
            ("/newer", 2),
        ]
        assert (found.due, found.not_due, found.elsewhere) == (2, 3, 0)
        assert (found.state, found.is_complete) == ("planned", False)
    # The most overdue first.
    assert [path for path in planted.paths() if path != "/robots.txt"] == ["/d", "/a", "/new", "/newer"]


def test_the_first_url_is_requested_unless_the_plan_says_when(planted: Site) -> None:
    for plan, asked in [({"/a": 0}, True), ({"/": 0, "/a": 0}, True), ({"/": 1, "/a": 0}, False)]:
        with urlset.crawl(planted.url, plan=rows(planted, plan), now=NOW) as found:
            assert (f"{planted.url}/" in [page.loc for page in found]) is asked


def test_a_url_that_is_too_long_is_not_cut_and_requested(planted: Site) -> None:
    plan = rows(planted, {"/a": 0, f"/{'x' * 3_000}": 0})
    with urlset.crawl(planted.url, plan=plan, now=NOW) as found:
        assert (found.due, found.elsewhere) == (1, 1)
    assert max(map(len, planted.paths())) < 100


def test_the_first_pages_of_a_plan_can_be_taken(planted: Site) -> None:
    plan = rows(planted, {"/": 1, "/a": 4, "/b": None, "/c": 3, "/d": -3})
    with urlset.crawl(planted.url, plan=plan, take=3, http=ONE, now=NOW) as found:
        assert (found.due, found.not_due, found.state) == (3, 2, "planned")
        assert {page.loc.removeprefix(planted.url) for page in found if page.depth == 0} == {"/", "/c", "/d"}
    # After the first URL, the page that is due first comes first; and what the plan never has is never taken.
    asked = [path for path in planted.paths() if path != "/robots.txt"]
    assert asked[:3] == ["/", "/d", "/c"]
    with urlset.crawl(planted.url, plan=plan, take=9, now=NOW) as found:
        assert (found.due, found.not_due) == (4, 1)
    for bad in (0, -1, True, 1.5):
        with pytest.raises(InputError, match="take must be a whole number from 1 up"):
            urlset.crawl(planted.url, plan=plan, take=bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="take needs a plan"):
        urlset.crawl(planted.url, take=3)


def test_a_plan_without_a_due_page_asks_for_nothing(planted: Site) -> None:
    with urlset.crawl(planted.url, plan=rows(planted, dict.fromkeys(LINKS, 1)), now=NOW) as found:
        assert (list(found), found.state, found.due, found.not_due) == ([], "planned", 0, 6)
    assert planted.paths() == []


def test_a_plan_in_which_all_is_due_sees_all(planted: Site) -> None:
    with urlset.crawl(planted.url, plan=rows(planted, dict.fromkeys(LINKS, -1)), now=NOW) as found:
        assert (found.pages, found.state, found.is_complete) == (7, "complete", True)


def test_a_page_is_the_same_however_it_is_written(planted: Site) -> None:
    plan: list[dict[str, Any]] = [
        {"loc": planted.url.upper().replace("HTTP", "http"), "next": NOW + timedelta(days=1)},
        {"loc": f"{planted.url}/a#top", "next": NOW},
        {"loc": f"{planted.url}/b", "next": NOW + timedelta(days=1)},
        {"loc": f"{planted.url}/b#end", "next": NOW},
    ]
    with urlset.crawl(planted.url, plan=plan, max_clicks=1, now=NOW) as found:
        assert sorted(page.depth or 0 for page in found) == [0, 0, 1]


def test_robots_scope_and_bounds_hold_for_a_plan(planted: Site) -> None:
    planted.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /c")
    plan = [
        *rows(planted, dict.fromkeys(LINKS, -1)),
        {"loc": "http://other.example/", "next": NOW},
        {"loc": "/relative", "next": NOW},
        {"loc": "mailto:a@b.example", "next": NOW},
    ]
    with urlset.crawl(planted.url, plan=plan, now=NOW) as found:
        assert (found.elsewhere, found.refused) == (3, {"robots": 1})
    assert "/c" not in planted.paths()
    with urlset.crawl(planted.url, plan=plan, max_pages=2, now=NOW) as found:
        assert (found.pages, found.state) == (2, "bounded")


def test_the_state_keeps_the_links_of_the_crawl_before(planted: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    urlset.crawl(planted.url, state=state, now=NOW).close()

    def links() -> set[tuple[int, str, str]]:
        with duckdb.connect(str(state), read_only=True) as connection:
            found = connection.execute("SELECT run, source, target FROM links").fetchall()
        return {(run, *(url.removeprefix(planted.url) for url in urls)) for run, *urls in found}

    before = links()
    planted.pages["/d"] = html("/a")
    for run in (2, 3):
        plan = rows(planted, {**dict.fromkeys(LINKS, 1), "/newer": 1, "/d": 0})
        urlset.crawl(planted.url, state=state, plan=plan, now=NOW).close()
        assert links() == before | {(run, "/d", "/a")}
    urlset.crawl(planted.url, state=state, now=NOW).close()
    assert {run for run, *_ in links()} == {4}


def test_an_audit_goes_on_with_the_crawl_of_the_whole_site(planted: Site, tmp_path: Path) -> None:
    locs = "".join(f"<url><loc>{planted.url}{path}</loc></url>" for path in ("/", "/a", "/alone"))
    text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>'
    planted.pages["/sitemap.xml"] = Answer(text.encode(), headers={"Content-Type": "application/xml"})
    planted.pages["/alone"] = html()
    state = tmp_path / "site.duckdb"
    urlset.crawl(f"{planted.url}/", state=state, now=NOW).close()
    urlset.crawl(f"{planted.url}/", state=state, plan=rows(planted, dict.fromkeys(LINKS, 1)), now=NOW).close()
    with urlset.audit(f"{planted.url}/", state=state, now=NOW) as found:
        orphans = [each for each in found.findings if "no page links" in each.message or each.code == "LIVE006"]
        assert [each.verdict for each in orphans] == ["found"]
    with RunFile(state, read_only=True) as file:
        assert view_of(file, run_to_show(file, None)).warning is None
        assert "This run is planned" in (view_of(file, run_to_show(file, "crawl 2")).warning or "")


def test_an_interrupted_crawl_goes_on_without_what_is_not_due(planted: Site, tmp_path: Path) -> None:
    planted.pages["/new"] = Answer(b"", 403)
    plan = rows(planted, {"/": 1, "/a": 0, "/b": 1, "/c": 1, "/d": 1})
    options: dict[str, Any] = {"state": tmp_path / "site.duckdb", "now": NOW, "http": Http(retries=0)}
    with pytest.raises(urlset.FetchError, match="/new: "):
        urlset.crawl(planted.url, plan=plan, strict=True, **options)
    plant(planted, {"/new": ["/c", "/newer"]})
    asked = len(planted.paths())
    with urlset.crawl(planted.url, plan=plan, strict=True, **options) as found:
        assert (found.state, found.due, found.not_due, found.run) == ("planned", 1, 4, 1)
    assert [path for path in planted.paths()[asked:] if path != "/robots.txt"] == ["/new", "/newer"]
    # Without a plan, it is another crawl.
    with urlset.crawl(planted.url, **options) as found:
        assert (found.run, found.pages, found.due) == (2, 7, None)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([{"loc": "/a"}], "the plan rows have no column next"),
        ([{"loc": "/a", "next": "soon"}], "a column of the plan rows has a value of another type"),
        ([{"loc": None, "next": NOW}], "row 1 of the plan: loc must be a text, got None"),
        (["/a"], "a plan row must be a mapping with loc and next, got str"),
    ],
)
def test_a_table_that_is_no_plan_is_refused(planted: Site, plan: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        urlset.crawl(planted.url, plan=plan, now=NOW)
    assert planted.paths() == []
