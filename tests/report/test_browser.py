"""The page in a real Chromium: hostile texts, scripts on and off, light and dark, keyboard, paper, and axe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import urlset
from support.axe import violations
from support.chromium import Chromium, Page
from support.report.run_file import HOSTILE, make_run_file

FIRST_LIST = "noscript details:first-of-type tr[data-f^=pattern]"
TROUBLE = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


@pytest.fixture
def page(chromium: Chromium, report_file: Path) -> Iterator[Page]:
    """The report, with all that the tab says of it."""
    with chromium.page() as page:
        page.look(width=1280, height=900)
        for domain in ("Runtime", "Log", "Network"):
            page.command(f"{domain}.enable")
        assert page.load(report_file.as_uri()) is None
        yield page


def rows(page: Page) -> list[list[str]]:
    """The texts of the rows that are shown."""
    script = "[...document.querySelectorAll('#rows tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim()))"
    found: list[list[str]] = page.evaluate(script)
    return found


def choose(page: Page, control: str, value: str) -> None:
    page.evaluate(
        f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('change')) }})(document.getElementById('{control}'))"
    )


def search(page: Page, words: str) -> None:
    script = f"(e => {{ e.value = {words!r}; e.dispatchEvent(new Event('input')) }})(document.getElementById('search'))"
    page.evaluate(f"{script}; new Promise(done => setTimeout(done, 300))")


def shown(page: Page) -> str:
    return str(page.evaluate("document.getElementById('shown').textContent"))


def test_it_asks_for_nothing_and_says_nothing(page: Page, report_file: Path) -> None:
    choose(page, "kind", "")
    while not page.evaluate("document.getElementById('after').disabled"):
        page.evaluate("document.getElementById('after').click()")
    asked = [each["params"]["request"]["url"] for each in page.events("Network.requestWillBeSent")]
    assert asked == [report_file.as_uri()]
    assert page.events(*TROUBLE) == []


def test_hostile_texts_stay_texts(page: Page) -> None:
    choose(page, "kind", "")
    search(page, "onerror")
    found = rows(page)
    assert len(found) == 50
    # A title, a URL and a pattern can say it, and it is there to be read: a control character as its picture.
    assert all("<script>document.title='run'</script><img src=x onerror=alert(1)>" in row[3] for row in found)
    assert page.evaluate("document.title") == "https://shop.example/ · audit of 2026-11-23"
    assert (
        page.evaluate("document.querySelectorAll('img, iframe, object, form, link, body script ~ script').length") == 0
    )
    assert page.evaluate("document.scripts.length") == 1
    attributes = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
    assert page.evaluate(f"{attributes}.filter(n => n.startsWith('on') || n === 'style').length") == 0
    hrefs = page.evaluate("[...document.links].map(a => a.protocol)")
    assert set(hrefs) == {"https:", "file:"}  # those of the page itself are anchors
    assert "\u202e" not in page.evaluate("document.documentElement.outerHTML")


def test_the_policy_stops_what_would_slip_through(page: Page) -> None:
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.slipped = 1'}))"
    )
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('img'), {src: 'https://shop.example/i.png'}))"
    )
    page.draw()
    assert page.evaluate("window.slipped") is None
    blocked = [each["params"]["entry"]["text"] for each in page.events("Log.entryAdded")]
    assert len(blocked) == 2
    assert all("Content Security Policy" in text for text in blocked)


def test_findings_are_filtered_sorted_and_searched(page: Page) -> None:
    assert shown(page).startswith("120 of ")
    assert len(rows(page)) == 50
    choose(page, "severity", "warning")
    assert {row[0] for row in rows(page)} <= {"warning", "inconclusive"}
    choose(page, "verdict", "inconclusive")
    assert {row[0] for row in rows(page)} == {"inconclusive"}
    page.evaluate("document.getElementById('reset').click()")
    assert shown(page).startswith("120 of ")
    choose(page, "state", "fixed")
    assert {row[4] for row in rows(page)} == {"fixed"}
    page.evaluate("document.getElementById('reset').click()")
    search(page, "PAGE-18 ")
    assert ["page-18 " in row[3] for row in rows(page)] == [True]
    search(page, "<script>")
    assert shown(page).startswith("17 of ")  # every seventh of 120, from the fourth on
    search(page, "no such words")
    assert shown(page).startswith("0 of ")
    assert rows(page) == []


def test_a_head_sorts_and_says_how(page: Page) -> None:
    page.evaluate("document.querySelector('[data-sort=count]').focus()")
    page.press("Enter", text="\r")
    counts = [int(row[2].replace(",", "")) for row in rows(page)]
    assert counts == sorted(counts, reverse=True)
    sort = "document.querySelector('[data-sort=count]').parentElement.getAttribute('aria-sort')"
    assert page.evaluate(sort) == "ascending"
    page.press(" ", text=" ")
    assert page.evaluate(sort) == "descending"
    counts = [int(row[2].replace(",", "")) for row in rows(page)]
    assert counts == sorted(counts)


def test_each_page_of_a_pattern_can_be_shown(page: Page) -> None:
    choose(page, "kind", "each")
    choose(page, "rule", "LOC011")
    count, _, whole = shown(page).partition(" of ")
    assert int(count.replace(",", "")) > 50
    assert int(whole.split()[0].replace(",", "")) > int(count.replace(",", ""))
    assert page.evaluate("document.getElementById('at').textContent").startswith("Page 1 of ")
    first = rows(page)
    page.evaluate("document.getElementById('after').click()")
    assert rows(page) != first
    page.evaluate("document.getElementById('before').click()")
    assert rows(page) == first


def test_everything_is_reached_by_keyboard(page: Page) -> None:
    reached = set()
    for _ in range(400):
        page.press("Tab")
        name = page.evaluate("(e => e.id || e.dataset.sort || e.className || e.tagName)(document.activeElement)")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none" or name == "BODY", name
        reached.add(name)
        if name == "after":
            break
    assert {"skip", "search", "kind", "severity", "rule", "state", "reset", "count", "SUMMARY", "after"} <= reached


def test_a_rule_leads_to_its_findings(page: Page) -> None:
    page.evaluate("document.querySelector('a[data-rule=IDX008]').click()")
    assert {row[1] for row in rows(page)} == {"IDX008"}
    assert page.evaluate("document.activeElement.id") == "rule"


def test_axe_finds_nothing(page: Page) -> None:
    axe(page, width=1280, dark=False)


@pytest.mark.long
@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)])
def test_axe_finds_nothing_in_the_dark_and_on_a_phone(page: Page, width: int, dark: bool) -> None:
    axe(page, width=width, dark=dark)


def axe(page: Page, *, width: int, dark: bool) -> None:
    """Opens all that can be opened, and asks axe."""
    page.look(width=width, height=900, dark=dark)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert violations(page) == []


@pytest.mark.parametrize("width", [320, 390, 800, 1280, 2400])
def test_nothing_reaches_out_of_the_window(page: Page, width: int) -> None:
    page.look(width=width, height=900)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    page.draw()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_every_pattern_can_be_read(chromium: Chromium, report_file: Path) -> None:
    with chromium.page() as page:
        page.look(width=1280, height=900)
        page.stop_scripts()
        assert page.load(report_file.as_uri()) is None
        document = page.command("DOM.getDocument", {"depth": -1})["root"]["nodeId"]
        found = page.command("DOM.querySelectorAll", {"nodeId": document, "selector": "noscript tr[data-f^=pattern]"})
        assert len(found["nodeIds"]) == 120
        before = [run.text.strip() for run in page.drawn()]
        texts = set(before)
        assert "Search" not in texts
        assert any(text.startswith("LOC011, found: ") for text in texts)
        first = page.command("DOM.querySelector", {"nodeId": document, "selector": "noscript summary"})["nodeId"]
        page.command("DOM.focus", {"nodeId": first})
        page.press("Enter", text="\r")
        listed = page.command("DOM.querySelectorAll", {"nodeId": document, "selector": FIRST_LIST})["nodeIds"]
        drawn = [run.text for run in page.drawn()]
        shown = sum(text.startswith("https://shop.example/example-") for text in drawn)
        in_cards = sum(text.startswith("https://shop.example/example-") for text in before)
        assert shown - in_cards == len(listed) > 5
        assert any("<script>document.title='run'</script>" in text for text in drawn)


def test_on_paper_every_rule_is_open(chromium: Chromium, report_file: Path) -> None:
    with chromium.page() as page:
        page.stop_scripts()
        page.look(width=800, height=900, media="print", dark=True)
        page.load(report_file.as_uri())
        texts = [run.text.strip() for run in page.drawn()]
        rules = report_file.read_text("utf-8").count('<details class="card"')
        assert texts.count("Why") == texts.count("Effect") == rules > 10
        assert page.pixel(2, 2) == (255, 255, 255)
        assert page.command("Page.printToPDF")["data"]


def test_a_lint_has_the_same_page(chromium: Chromium, tmp_path: Path) -> None:
    lines = ["https://shop.example/", *(f"/{number}/{HOSTILE}" for number in range(30))]
    found = urlset.lint("\n".join(lines).encode(), location="https://shop.example/sitemap.txt")
    path = urlset.report(found, tmp_path / "lint.html")
    with chromium.page() as page:
        for domain in ("Runtime", "Log", "Network"):
            page.command(f"{domain}.enable")
        assert page.load(path.as_uri()) is None
        assert shown(page) == f"{len(found.diagnostics)} of {len(found.diagnostics)} rows"
        assert {row[1] for row in rows(page)} == set(found.counts)
        assert page.events(*TROUBLE) == []
        assert page.evaluate("getComputedStyle(document.getElementById('kind').parentElement).display") == "none"


@pytest.mark.long
def test_a_hundred_thousand_findings_open_fast(chromium: Chromium, tmp_path: Path) -> None:
    file = make_run_file(tmp_path / "site.duckdb", pages=20_000, findings=5_000)
    path = urlset.report(file, tmp_path / "report.html")
    with chromium.page() as page:
        assert page.load(path.as_uri()) is None
        whole = int(shown(page).partition(" of ")[2].split()[0].replace(",", ""))
        assert whole > 100_000
        timing = page.evaluate("(t => t.loadEventEnd - t.startTime)(performance.getEntriesByType('navigation')[0])")
        assert timing < 5_000, timing  # a second where nothing else runs
        assert page.evaluate("document.querySelectorAll('*').length") < 6_000
        before = page.evaluate("performance.now()")
        choose(page, "kind", "each")
        search(page, "page=16")
        assert page.evaluate("performance.now()") - before < 5_000
