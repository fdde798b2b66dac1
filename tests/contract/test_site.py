"""The documentation site: it builds without a warning, its links lead somewhere, and everybody can read it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import urlset
import yaml
from filelock import FileLock
from selectolax.lexbor import LexborHTMLParser
from support.axe import violations
from support.chromium import SECONDS, Chromium, Page
from support.cli import SCRIPT
from urlset._rules.profiles import profile

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
SETTINGS: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
URL: str = SETTINGS["site_url"]
#: One page of each kind.
KINDS = ["", "publish/", "rules/", "rules/LOC001/", "cli/publish/", "api/reading/", "speed/", "benchmarks/read/"]
TROUBLE = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
#: Attributes that have a browser load something.
LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src", "link": "href"}

pytestmark = pytest.mark.long


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The built site. One process builds it, and the others wait."""
    shared = tmp_path_factory.getbasetemp() if worker_id == "master" else tmp_path_factory.getbasetemp().parent
    done = shared / "site-is-built"
    with FileLock(shared / "site.lock"):
        if not done.exists():
            command = [sys.executable, str(ROOT / "docs" / "make" / "build.py")]
            ended = subprocess.run(command, capture_output=True, text=True, timeout=10 * SECONDS, check=False)
            assert ended.returncode == 0, ended.stdout + ended.stderr
            done.touch()
    return SITE


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, LexborHTMLParser]:
    """The pages by their addresses."""
    found = {}
    for path in site.rglob("*.html"):
        name = path.relative_to(site).as_posix()
        found[URL + re.sub(r"(^|/)index\.html$", r"\1", name)] = LexborHTMLParser(path.read_bytes())
    return found


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_every_link_of_the_page_on_pypi_leads_to_the_site(site: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "packaging" / "pypi.md").read_text("utf-8"))
    own = [link.removeprefix(URL).partition("#")[0] for link in links if link.startswith(URL)]
    assert len(own) > 30
    assert [link for link in own if not (site / link).exists()] == []
    assert [link for link in links if not link.startswith(("https://", "http://"))] == []


def test_every_link_leads_to_a_page_and_an_anchor(site: Path, pages: dict[str, LexborHTMLParser]) -> None:
    anchors = {url: {each.attributes.get("id") for each in page.css("[id]")} for url, page in pages.items()}
    broken = []
    for url, page in pages.items():
        base = URL if url.endswith("404.html") else url
        for link in page.css("a[href], img[src], script[src], link[href]"):
            target = urljoin(base, link.attributes.get("href") or link.attributes.get("src") or "")
            if not target.startswith(URL):
                continue
            address, _, anchor = target.partition("#")
            if address in anchors:
                is_there = not anchor or unquote(anchor) in anchors[address]
            else:
                is_there = (site / unquote(urlsplit(address).path).lstrip("/")).is_file()
            if not is_there:
                broken.append((url, target))
    assert broken == []
    assert len(pages) > len(urlset.rules())


def test_no_markup_is_left_in_the_text(pages: dict[str, LexborHTMLParser]) -> None:
    for url, page in pages.items():
        for each in page.css("article p, article li, article td"):
            assert re.search(r"\\\||```|\]\(|^\|", each.text()) is None, (url, each.text())


def test_no_page_loads_anything_from_another_host(pages: dict[str, LexborHTMLParser]) -> None:
    for url, page in pages.items():
        for tag, attribute in LOADED.items():
            for each in page.css(f"{tag}[{attribute}]"):
                if each.attributes.get("rel") != "canonical":
                    assert urljoin(url, each.attributes[attribute]).startswith(URL), (url, each.html)


def test_every_rule_has_a_page_with_its_facts(pages: dict[str, LexborHTMLParser]) -> None:
    rows = {row.css("a")[0].text(): row.text(separator=" ") for row in pages[f"{URL}rules/"].css(".rules tbody tr")}
    assert list(rows) == [rule.code for rule in urlset.rules()]
    for rule in urlset.rules():
        text = pages[f"{URL}rules/{rule.code}/"].css("article")[0].text()
        for fact in (rule.name, rule.severity, rule.authority, rule.scope, rule.fix, "What it does"):
            assert fact in text
    differs = pages[f"{URL}rules/PRI004/"].css("article")[0].text()
    assert "Off in protocol, yandex, baidu, naver: In the protocol these tags are hints" in differs


def test_its_sitemap_lists_every_page_and_llms_txt_names_pages(site: Path, pages: dict[str, LexborHTMLParser]) -> None:
    listed = urlset.read(site / "sitemap.xml")
    assert (listed.documents[0].kind, listed.completeness) == ("urlset", "complete")
    assert {entry.loc for entry in listed} == pages.keys() - {f"{URL}404.html"}
    assert not urlset.lint(site, location=URL, rules=urlset.Rules(profile="google"))
    assert set(re.findall(r"\]\((\S+)\)", (site / "llms.txt").read_text("utf-8"))) <= pages.keys()


def test_an_audit_of_the_site_finds_nothing(served: str, pages: dict[str, LexborHTMLParser], tmp_path: Path) -> None:
    command = [str(SCRIPT), "audit", URL, "--map", f"{URL.rstrip('/')}={served.rstrip('/')}", "--crawl", "--lint"]
    ended = subprocess.run(
        [*command, "--state", str(tmp_path / "site.duckdb"), "--format", "json"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "[]\n"), ended.stderr
    with urlset.crawl(URL, http=urlset.Http(map={URL.rstrip("/"): served.rstrip("/")})) as crawl:
        linked = {page.loc for page in crawl if page.status == 200 and page.loc.endswith("/")}
    assert linked == pages.keys() - {f"{URL}404.html"}


def look(page: Page, url: str, *, width: int = 1280, dark: bool = False) -> None:
    page.look(width=width, height=900, dark=dark)
    for domain in ("Runtime", "Log", "Network"):
        page.command(f"{domain}.enable")
    assert page.load(url) is None


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_browser_shows_it_to_everybody(chromium: Chromium, served: str, kind: str, width: int, dark: bool) -> None:
    with chromium.page() as page:
        look(page, served + kind, width=width, dark=dark)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        asked = [each["params"]["request"]["url"] for each in page.events("Network.requestWillBeSent")]
        assert [url for url in asked if not url.startswith((served, "data:"))] == []
        assert page.events(*TROUBLE) == []


def test_rules_are_searched_and_filtered_and_the_address_keeps_it(chromium: Chromium, served: str) -> None:
    shown = "[...document.querySelectorAll('.rules tbody tr:not([hidden]) td:first-child')].map(e => e.innerText)"
    with chromium.page() as page:
        look(page, f"{served}rules/?severity=error&profile=yandex&fix=safe")
        enabled = profile("yandex").severities
        of_both = [each.code for each in urlset.rules() if each.severity == "error" and each.fix == "safe"]
        assert page.evaluate(shown) == [code for code in of_both if code in enabled]
        assert "ALT002" in of_both
        assert "ALT002" not in enabled  # Yandex reads no alternates
        page.evaluate("document.querySelector('.rules-filter').reset(); new Promise(done => setTimeout(done, 50))")
        assert len(page.evaluate(shown)) == len(urlset.rules())
        page.evaluate(
            "(e => { e.value = 'Missing-LOC'; e.dispatchEvent(new Event('input', {bubbles: true})) })"
            "(document.querySelector('.rules-filter input'))"
        )
        assert page.evaluate(shown) == ["LOC001"]
        assert page.evaluate("location.search") == "?search=Missing-LOC"
        assert page.evaluate("document.querySelector('.rules-filter [role=status]').innerText").startswith("1 of ")


def test_without_scripts_the_rules_are_a_table(chromium: Chromium, served: str) -> None:
    with chromium.page() as page:
        page.stop_scripts()
        page.look(width=1280, height=900)
        assert page.load(f"{served}rules/") is None
        texts = {run.text.strip() for run in page.drawn()}
    assert {rule.code for rule in urlset.rules()} <= texts
    assert "reset" not in texts


def test_the_keyboard_reaches_the_content_and_the_filters(chromium: Chromium, served: str) -> None:
    with chromium.page() as page:
        look(page, f"{served}rules/")
        reached = []
        for _ in range(40):
            page.press("Tab")
            reached.append(
                page.evaluate("(e => e.name || e.innerText || e.title || e.tagName)(document.activeElement)")
            )
            if "ALT001" in reached:
                break
    assert reached[0] == "Skip to content"
    filters = ["search", "severity", "profile", "authority", "fix", "scope"]
    assert [each for each in reached if each in filters] == filters
    assert "ALT001" in reached


def test_the_search_finds_a_section(chromium: Chromium, served: str) -> None:
    found = """new Promise(done => {
      const root = () => [...document.querySelectorAll('*')].map(each => each.shadowRoot).find(Boolean);
      const wait = () => {
        const link = root()?.querySelector('a[href*="#the-plan-and-the-guards"]');
        link ? done(link.innerText) : setTimeout(wait, 100);
      };
      document.querySelector('.md-search__button').click();
      const type = () => {
        const field = root()?.querySelector('input');
        if (!field) return setTimeout(type, 100);
        field.value = 'guards shrunk';
        field.dispatchEvent(new Event('input', {bubbles: true}));
        wait();
      };
      type();
    })"""
    with chromium.page() as page:
        look(page, served)
        assert "The plan and the guards" in page.evaluate(found)
        asked = [each["params"]["request"]["url"] for each in page.events("Network.requestWillBeSent")]
        assert [url for url in asked if not url.startswith((served, "data:", "blob:"))] == []
