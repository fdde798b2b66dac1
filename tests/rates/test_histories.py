"""What audits, crawls and runs of watch have seen, as a history."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
import urlset
from support.audit.changing_kinds import DAY, START
from support.audit.changing_site import ChangingSite
from support.http_server import NAMESPACE, Answer, Site
from urlset._rates.looks import Subject
from urlset._runs.file import RunFile

BASE = "https://shop.example/"
SUBJECTS: tuple[Subject, ...] = ("pages", "sitemaps")
HTTP = urlset.Http(retries=0, timeout=10, concurrency=16, per_host=16)


def write(folder: Path, sitemaps: dict[str, dict[str, str | None]]) -> Path:
    """Write sitemaps with these locs and lastmods, and an index of them."""
    for name, entries in sitemaps.items():
        urlset.write([urlset.UrlEntry(BASE + loc, lastmod) for loc, lastmod in entries.items()], folder / name)
    urlset.write([urlset.SitemapEntry(BASE + name) for name in sitemaps], folder / "sitemap.xml")
    return folder / "sitemap.xml"


def watched(folder: Path, days: Iterable[dict[str, dict[str, str | None]]]) -> Path:
    """Watch a set that is another one each day, and return the state."""
    state = folder / "site.sqlite"
    for day, sitemaps in enumerate(days):
        with urlset.watch(write(folder, sitemaps), state=state, now=START + DAY * day):
            pass
    return state


def iso(day: float) -> str:
    return (START + DAY * day).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_watch_knows_when_lastmods_moved(tmp_path: Path) -> None:
    def on(day: int) -> dict[str, dict[str, str | None]]:
        tea: dict[str, str | None] = {"tea/green": iso(max(day // 3 * 3 - 0.25, -5)), "tea/black": iso(-30)}
        if day >= 4:
            tea["tea/new"] = iso(day - 0.5) if day >= 9 else iso(3.5)
        return {"tea.xml": tea, "old.xml": {"old/page": None} | ({"old/gone": iso(0)} if day < 8 else {})}

    state = watched(tmp_path, map(on, range(10)))
    with urlset.rates(state) as rates:
        found = {page.loc.removeprefix(BASE): page for page in rates}
        assert set(found) == {"tea/green", "tea/black", "tea/new", "old/page"}
        assert rates.left_out == {}
        green, black, new = found["tea/green"], found["tea/black"], found["tea/new"]
        # Looks that found nothing new are not told apart: what counts is how long there was none.
        assert (green.changes, black.changes, new.changes) == (3, 0, 1)
        assert {green.basis, black.basis, new.basis} == {"lastmods"}
        assert (green.change_rate or 0) > (new.change_rate or 0) > (black.change_rate or 0) > 0
        # Six days without a change, three changes 0.25 days old, and none of a group.
        assert green.change_rate == pytest.approx(_standard(3, 9, 6 + 3 * 0.25), rel=0.5)
        assert black.change_rate == pytest.approx(0.5 / 9)
        assert (green.fetched, green.section) == (None, "/tea/")
        assert found["old/page"].basis is None
    with urlset.rates(state, of="sitemaps") as rates:
        found = {page.loc.rpartition("/")[2]: page for page in rates}
        assert set(found) == {"tea.xml", "old.xml", "sitemap.xml"}
        assert (found["tea.xml"].looks, found["tea.xml"].changes) == (9, 4)
        assert (found["old.xml"].looks, found["old.xml"].changes) == (9, 1)


def _standard(changes: int, looks: int, exposure: float) -> float:

    return (changes - 1 - changes / (looks * math.log(1 - changes / looks))) / exposure


def test_audits_know_which_changes_count(site: Site, tmp_path: Path) -> None:
    changing = ChangingSite(site, ["honest", "stamped", "ads", "loose-ads"], pages=6, looks=8)
    state = tmp_path / "site.duckdb"
    for number in range(8):
        audit = changing.look(number, state)
    trust = {each.section: each for each in audit.trust}
    with urlset.rates(state) as rates:
        sections = {each.section: each for each in rates.sections}
        pages = {page.loc.removeprefix(site.url): page for page in rates}
        assert len(pages) == 24
        for kind in ("/honest/", "/stamped/", "/ads/"):
            of_kind, known = sections[kind].trust, trust[kind]
            assert (of_kind.moved, of_kind.changed, of_kind.told) == (known.moved, known.changed, known.told)
            assert of_kind.precision_interval == known.precision_interval
            looks = sum(page.looks for loc, page in pages.items() if loc.startswith(kind))
            assert looks == 6 * 7
            # A change on the day of the lastmod is one, though it need not move for it.
            changes = sum(page.changes for loc, page in pages.items() if loc.startswith(kind))
            assert changes == known.changed + known.unjudged
        assert (sections["/honest/"].hints, sections["/stamped/"].hints) == ("used", "ignored")
        # What is another at each fetch is no change, and where nobody can tell, the look is left out and counted.
        assert rates.left_out["the content is unstable"] > 0
        assert {page.basis for loc, page in pages.items() if loc.startswith("/loose-ads/")} == {"lastmods"}
        assert all(page.fetched is not None and page.bytes for page in pages.values())
        assert {page.basis for loc, page in pages.items() if loc.startswith("/honest/")} <= {"dates", "content"}


def test_crawls_know_contents_and_links(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"

    def page(text: object) -> Answer:
        return Answer(f"<title>T</title><main><p>{text}</p><a href=/a>a</a> <a href=/b>b</a></main>".encode())

    for day in range(5):
        site.pages |= {"/": page("home"), "/a": page(day), "/b": page("b"), "/robots.txt": Answer(status=404)}
        if day == 4:
            site.pages["/b"] = Answer(b"", 503)
        with urlset.crawl(site.url + "/", state=state, http=HTTP, now=START + DAY * day):
            pass
    with urlset.rates(state) as rates:
        found = {each.loc.removeprefix(site.url): each for each in rates}
        assert {loc: (each.looks, each.changes) for loc, each in found.items()} == {"/": (4, 0), "/a": (4, 4)}
        assert rates.left_out == {"the page was not read": 1, "the page is not listed any more": 1}
        # The home page and /b link to /a; a link from the page itself does not count.
        assert (found["/"].inlinks, found["/a"].inlinks) == (None, 2)
        assert found["/a"].fetched == START + DAY * 4
    # A crawl by a plan asks for some pages only. The others are still there.
    site.pages["/a"] = page("new")
    plan = [{"loc": f"{site.url}/a", "next": START}, {"loc": f"{site.url}/", "next": START + DAY * 30}]
    with urlset.crawl(site.url + "/", state=state, http=HTTP, plan=plan, now=START + DAY * 5):
        pass
    with urlset.rates(state) as rates:
        found = {each.loc.removeprefix(site.url): each for each in rates}
        assert {loc: (each.looks, each.changes) for loc, each in found.items()} == {"/": (4, 0), "/a": (5, 5)}
        assert found["/"].fetched == START + DAY * 4


def test_what_could_not_be_read_today_is_not_gone(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    page = Answer(b"<title>T</title><main><p>text</p></main>", headers={"Content-Type": "text/html"})
    site.pages |= {"/robots.txt": Answer(status=404), "/a/1": page, "/b/1": page, "/b/2": page}

    def sitemap(*paths: str) -> Answer:
        locs = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in paths)
        return Answer(f'<urlset xmlns="{NAMESPACE}">{locs}</urlset>'.encode())

    children = "".join(f"<sitemap><loc>{site.url}/{name}.xml</loc></sitemap>" for name in "ab")
    site.pages["/sitemap.xml"] = Answer(f'<sitemapindex xmlns="{NAMESPACE}">{children}</sitemapindex>'.encode())
    days = [sitemap("/b/1", "/b/2"), Answer(b"", 503), sitemap("/b/1")]
    left: list[set[str]] = []
    for day, answer in enumerate(days):
        site.pages |= {"/a.xml": sitemap("/a/1"), "/b.xml": answer}
        with urlset.audit(f"{site.url}/sitemap.xml", state=state, http=HTTP, now=START + DAY * day):
            pass
        with urlset.rates(state) as rates:
            left.append({each.loc.removeprefix(site.url) for each in rates})
    assert left == [{"/a/1", "/b/1", "/b/2"}, {"/a/1", "/b/1", "/b/2"}, {"/a/1", "/b/1"}]


def test_histories_of_several_files(site: Site, tmp_path: Path) -> None:
    """The audit looked at the contents, and the watch has seen more lastmods since."""
    changing = ChangingSite(site, ["honest"], pages=6, looks=9)
    for number in range(8):
        changing.look(number, tmp_path / "site.duckdb")
    with urlset.watch(f"{site.url}/sitemap.xml", state=tmp_path / "s.sqlite", http=HTTP, now=START + DAY * 4):
        pass
    listing = site.pages["/sitemap.xml"]
    assert isinstance(listing, Answer)
    moved = listing.body.decode().replace("</loc><lastmod>2026", "</loc><lastmod>2027", 2)
    site.pages["/sitemap.xml"] = Answer(moved.encode())
    with urlset.watch(f"{site.url}/sitemap.xml", state=tmp_path / "s.sqlite", http=HTTP, now=START + DAY * 5):
        pass
    with urlset.rates([tmp_path / "site.duckdb", tmp_path / "s.sqlite"]) as rates:
        assert sorted(page.signals for page in rates) == [0, 0, 0, 0, 1, 1]
        assert {page.looks for page in rates} == {7}


def test_looking_when_a_lastmod_moves_does_not_make_pages_change_more_often(tmp_path: Path) -> None:
    """A page changes every sixth day, and is fetched on these days alone. The watch has looked on all days."""
    pages = range(6)

    def changed(page: int, day: int) -> int:
        return (day + page) // 6 * 6 - page

    days: list[dict[str, dict[str, str | None]]]
    days = [{"tea.xml": {f"tea/{page}": iso(changed(page, day)) for page in pages}} for day in range(31)]
    state = watched(tmp_path, days)
    looks = [
        {"loc": f"{BASE}tea/{page}", "time": START + DAY * (day + 0.01), "hash": str(changed(page, day))}
        for page in pages
        for day in range(31)
        if day == 0 or changed(page, day) != changed(page, day - 1)
    ]
    with urlset.rates([pa.Table.from_pylist(looks), state]) as rates:
        [section] = rates.sections
        assert (section.hints, section.trust.precision, section.trust.recall) == ("used", 1, 1)
        for page in rates:
            assert page.basis == "lastmods"
            # Six days between two changes, of which the last day is before the change or after it.
            assert page.change_rate == pytest.approx(1 / 5, rel=0.25)
            assert page.fetched is not None
            assert page.signals == 0


def test_files_that_are_no_history_are_refused(tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE VIEW runs AS SELECT 1")
    (tmp_path / "cut.sqlite").write_bytes(b"SQLite format 3\0" + b"\xff" * 200)
    for name in ("other.duckdb", "other.sqlite", "cut.sqlite"):
        with pytest.raises(urlset.InputError, match=name):
            urlset.rates(tmp_path / name)
    with (
        pytest.raises(urlset.InputError, match="only the state of a watch"),
        duckdb.connect(str(tmp_path / "r.duckdb")),
    ):
        urlset.rates(tmp_path / "other.duckdb", of="sitemaps")
    with pytest.raises(OSError, match=r"no\.duckdb"):
        urlset.rates(tmp_path / "no.duckdb")


@pytest.mark.parametrize(
    "change",
    [
        *("UPDATE runs SET began = 'soon'", "UPDATE runs SET began = ''", "ALTER TABLE entries DROP COLUMN moment"),
        *("UPDATE entries SET moment = 9223372036854775807", "UPDATE entries SET moment = -9223372036854775808"),
        *("UPDATE changes SET lastmod = 'infinity'", "UPDATE changes SET run = 999", "DELETE FROM runs"),
        *("UPDATE sitemaps SET whole_look = 100000", "UPDATE runs SET run = run * 1000000000"),
    ],
)
def test_a_state_that_somebody_has_changed_does_no_harm(tmp_path: Path, change: str) -> None:
    state = watched(tmp_path, [{"tea.xml": {"tea/1": iso(day)}} for day in range(3)])
    with sqlite3.connect(state) as connection:
        connection.execute(change)
    connection.close()
    for of in SUBJECTS:
        with suppress(urlset.InputError), urlset.rates(state, of=of) as rates:
            assert len(list(rates)) == rates.to_arrow().num_rows


def test_a_run_file_that_somebody_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "site.duckdb"
    RunFile(path).close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("ALTER TABLE pages ALTER COLUMN fetched TYPE INTEGER[] USING [1]")
    with pytest.raises(urlset.InputError, match=r"site\.duckdb cannot be read as a run file"):
        urlset.rates(path)


def test_a_planned_crawl_is_nearly_as_fresh_as_one_that_knows_the_rates(site: Site, tmp_path: Path) -> None:
    _compare_with_oracle(site, tmp_path, pages=8, looks=12, least=0.93)


@pytest.mark.long
def test_after_30_looks_the_plan_is_within_2_percent(site: Site, tmp_path: Path) -> None:
    _compare_with_oracle(site, tmp_path, pages=24, looks=30, least=0.98)


def _compare_with_oracle(site: Site, folder: Path, *, pages: int, looks: int, least: float) -> None:
    """Compare the freshness of a plan by estimated rates with that of one by the true rates, both by the true rates."""
    kinds, chances = ["honest", "stamped", "ads", "counters"], [0.01, 0.05, 0.15, 0.4]
    changing = ChangingSite(site, kinds, pages=pages, looks=looks, chance=chances)
    for number in range(looks):
        changing.look(number, folder / "site.duckdb")
    locs = [(f"{site.url}/{kind}/{number}", number) for kind in kinds for number in range(pages)]
    # So often a page changes at random moments that stays the same for a step with this chance.
    changes = {loc: -2 * math.log(1 - chances[number % 4]) for loc, number in locs}
    importance = {loc: 1 / (1 + number % 7) for loc, number in locs}
    truth = [{"loc": loc, "change_rate": changes[loc], "importance": importance[loc]} for loc, _ in locs]
    budget = len(truth) / 5
    with urlset.schedule(truth, budget=budget, policy="periodic") as oracle:
        best = oracle.freshness
    with urlset.rates(folder / "site.duckdb") as rates:
        rows = [page._asdict() | {"importance": importance[page.loc]} for page in rates]
    with urlset.schedule(rows, budget=budget, policy="periodic") as plan:
        fresh = sum(importance[page.loc] * _freshness(changes[page.loc], page.rate) for page in plan)
    assert best is not None
    assert least * best <= fresh / sum(importance.values()) <= best * (1 + 1e-9)


def _freshness(change: float, rate: float) -> float:

    return -math.expm1(-change / rate) * rate / change if rate else 0.0


def test_the_moments_of_looks_are_those_of_the_run(site: Site, tmp_path: Path) -> None:
    """A run that was not told a time has looked at each page when it was fetched."""
    site.pages |= {"/": Answer(b"<title>T</title><main><p>home</p></main>"), "/robots.txt": Answer(status=404)}
    before = datetime.now(UTC)
    with urlset.crawl(site.url + "/", state=tmp_path / "site.duckdb", http=HTTP):
        pass
    with urlset.rates(tmp_path / "site.duckdb") as rates:
        [page] = rates
    assert page.fetched is not None
    assert before - timedelta(seconds=1) <= page.fetched <= datetime.now(UTC)
