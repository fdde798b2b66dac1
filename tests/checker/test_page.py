"""The page of the checker in a real Chromium: what it shows, what it asks for, and who can use it."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.axe import violations
from support.checker.node import WASM
from support.checker.page import checker_page
from support.chromium import Chromium, Page, Served, serving

pytestmark = pytest.mark.long

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".wasm": "application/wasm",
}
STATUS = "document.getElementById('status').textContent"
#: Of the whole page, as it goes over the wire.
MAX_BYTES = 1_000_000
BAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n<url><loc>/tea</loc><lastmod>2026-1-3</lastmod></url></urlset>'


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page."""
    folder = tmp_path_factory.mktemp("site") / "checker"
    checker_page.build(folder, WASM)
    return folder


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    """Where it is served."""

    def served(path: Path) -> Served:
        return Served(path.read_bytes(), {"Content-Type": TYPES[path.suffix]})

    files = {f"checker/{path.name}": served(path) for path in built.iterdir()}
    files["checker/"] = files["checker/index.html"]
    with serving(files) as root:
        yield f"{root}checker/"


@pytest.fixture
def page(chromium: Chromium, address: str) -> Iterator[Page]:
    """The page in a tab."""
    with chromium.page() as page:
        page.look(width=1280, height=900)
        for domain in ("Runtime", "Log", "Network"):
            page.command(f"{domain}.enable")
        assert page.load(address) is None
        wait(page, "document.getElementById('profile').options.length")
        yield page


def wait(page: Page, condition: str) -> None:
    end = time.monotonic() + 30
    while not page.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, f"{condition}: {page.evaluate('document.body.innerText')}"
        time.sleep(0.05)


def give(page: Page, text: str, location: str = "") -> None:
    """Pastes a text and checks it."""
    values = f"text.value = {json.dumps(text)}; document.getElementById('location').value = {json.dumps(location)};"
    page.evaluate(f"{values} document.getElementById('check').click()")
    wait(page, f"/^Checked \\d+ documents? in/.test({STATUS})")


def drop(page: Page, files: dict[str, bytes]) -> None:
    """Gives files as if they were chosen."""
    made = ", ".join(f"new File([new Uint8Array({list(data)})], {json.dumps(name)})" for name, data in files.items())
    script = f"""(() => {{
        const given = new DataTransfer();
        for (const file of [{made}]) given.items.add(file);
        const input = document.getElementById('files');
        input.files = given.files;
        input.dispatchEvent(new Event('change'));
    }})()"""
    page.evaluate(f"{STATUS} = ''")
    page.evaluate(script)
    wait(
        page,
        f"/^(Checked \\d+ documents? in|Nothing)/.test({STATUS})",
    )


def texts(page: Page, selector: str) -> list[str]:
    found: list[str] = page.evaluate(f"[...document.querySelectorAll({selector!r})].map(e => e.innerText.trim())")
    return found


def test_it_is_small(built: Path) -> None:
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in built.iterdir())
    print(f"{size:,} bytes gzipped, {(built / 'urlset.wasm').stat().st_size:,} of WebAssembly")
    assert size < MAX_BYTES


def test_it_finds_and_points(page: Page) -> None:
    give(page, BAD)
    codes = texts(page, ".findings li a")
    assert codes == ["LOC002", "MOD004"]
    assert texts(page, ".findings mark") == ["/tea", "2026-1-3"]
    source, caret = page.evaluate("document.querySelectorAll('.findings pre')[1].textContent.split('\\n')")
    assert source[len(caret) - 8 : len(caret)] == "2026-1-3"
    assert caret.strip() == "^" * 8
    assert page.evaluate("document.querySelector('.findings a').getAttribute('href')") == "../rules/LOC002/"
    assert texts(page, ".summary h2") == ["Found: 2 errors"]


def test_profiles_differ(page: Page) -> None:
    give(page, BAD.replace("</lastmod>", "</lastmod><priority>0.5</priority>"))
    choose = "(e => { e.value = 'google'; e.dispatchEvent(new Event('change')) })(document.getElementById('profile'))"
    before = texts(page, ".findings li a")
    page.evaluate(f"{STATUS} = ''; {choose}")
    wait(page, f"{STATUS}.startsWith('Checked 1 document in')")
    assert texts(page, ".findings li a") != before


def test_a_fix_is_made_and_offered(page: Page) -> None:
    give(page, BAD, "https://shop.example/sitemap.xml")
    page.evaluate("document.querySelector('.fixes button').click()")
    wait(page, "document.querySelector('a[download]')")
    data = page.evaluate("fetch(document.querySelector('a[download]').href).then(r => r.text(), e => String(e))")
    # The page may fetch nothing but its own files, not even what it has made.
    assert "Failed to fetch" in data
    assert texts(page, ".findings li") == []
    assert texts(page, ".fixed")[0].startswith("Fixed: LOC002 1 ×, MOD004 1 ×.")


def test_an_index_and_its_sitemaps_are_a_set(page: Page) -> None:
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    names = ("a.xml.gz", "b.xml", "c.xml")
    children = "".join(f"<sitemap><loc>https://shop.example/maps/{name}</loc></sitemap>" for name in names)
    inside = f'<urlset xmlns="{space}"><url><loc>https://shop.example/maps/tea</loc></url></urlset>'.encode()
    outside = inside.replace(b"/maps/tea", b"/tea")
    index = f'<sitemapindex xmlns="{space}">{children}</sitemapindex>'.encode()
    drop(page, {"b.xml": outside, "sitemap.xml": index, "a.xml.gz": gzip.compress(inside), "notes.md": b"# notes"})
    assert texts(page, "article h3") == ["b.xml", "sitemap.xml", "a.xml.gz", "notes.md"]
    # Its URL comes from the index, and the URL says that the loc is outside of its folder.
    assert "LOC013" in texts(page, "article:nth-of-type(1) .findings a")
    assert texts(page, "article:nth-of-type(3) .clean") == ["Nothing found."]
    assert texts(page, ".summary details summary") == ["1 sitemap is named, but was not given"]


def test_a_dropped_folder_is_walked(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    inner = folder / "maps" / "deep"
    inner.mkdir(parents=True)
    for number in range(2_100):  # more than are checked together, but none is a sitemap
        folder.joinpath(f"page-{number}.html").touch()
    inner.joinpath("sitemap.xml").write_text(BAD, "utf-8")
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.command("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 200, "data": data})
    wait(page, f"/^(Checked \\d+ documents? in|Nothing)/.test({STATUS})")
    assert texts(page, "article h3") == ["sitemap.xml"]
    assert texts(page, ".findings li a") == ["LOC002", "MOD004"]
    assert texts(page, ".summary details summary") == ["2,100 files were left out"]


def test_hostile_texts_stay_texts(page: Page) -> None:
    evil = "<script>document.title='run'</script><img src=x onerror=alert(1)>\u202e\u0007"
    named = {f"{evil}.xml".replace("/", ":"): BAD.replace("/tea", f"<![CDATA[{evil}]]>").encode()}
    drop(page, {**named, "x.xml": b"\0\xff" * 999, "empty.xml": b""})
    assert page.evaluate("document.querySelectorAll('main img, main script, main iframe').length") == 0
    assert page.evaluate("document.title") == "Sitemap checker · urlset"
    assert page.evaluate("/[\\u202e\\u0007]/.test(document.querySelector('.findings').textContent)") is False
    assert len(texts(page, "article")) == 3


def test_a_link_holds_a_short_text(page: Page, address: str) -> None:
    give(page, BAD, "https://shop.example/s.xml")
    page.evaluate("document.getElementById('share').click()")
    wait(page, "location.hash.includes('text=')")
    link = str(page.evaluate("location.href"))
    page.load("about:blank")
    page.load(link)
    wait(page, "document.querySelectorAll('.findings li').length === 2")
    assert page.evaluate("document.getElementById('location').value") == "https://shop.example/s.xml"
    for name in ("__proto__", "constructor", "nonsense"):
        page.load("about:blank")
        page.load(re.sub("profile=[a-z]+", f"profile={name}", link))
        wait(page, "document.querySelectorAll('.findings li').length === 2")
        assert page.evaluate("document.getElementById('profile').value") == "protocol"
    for bad in ("#text=%%%", f"#text={'A' * 40_000}"):
        page.load("about:blank")
        page.load(address + bad)
        wait(page, "document.getElementById('status').textContent.includes('no text that can be read')")


def test_it_loads_its_own_files_and_says_nothing(page: Page, address: str) -> None:
    give(page, BAD)
    asked = {each["params"]["request"]["url"] for each in page.events("Network.requestWillBeSent")}
    assert all(url.startswith(address) for url in asked)
    assert page.events("Runtime.exceptionThrown", "Log.entryAdded") == []
    blocked = page.evaluate("fetch('https://example.com/').then(() => 'sent', () => 'blocked')")
    assert blocked == "blocked"


def test_it_works_without_a_network(page: Page, address: str) -> None:
    page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    page.command(
        "Network.emulateNetworkConditions",
        {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
    )
    assert page.load(address) is None
    wait(page, "document.getElementById('profile').options.length")
    give(page, BAD)
    assert texts(page, ".findings li a") == ["LOC002", "MOD004"]


def test_the_page_answers_while_a_large_document_is_checked(page: Page) -> None:
    entry = "<url><loc>https://shop.example/tea/${i}</loc><lastmod>2026-01-02</lastmod></url>"
    started = page.evaluate(
        f"""(async () => {{
            let text = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
            for (let i = 0; i < 50000; i++) text += `{entry}`;
            const given = new DataTransfer();
            given.items.add(new File([text + '</urlset>'], 'sitemap.xml'));
            const input = document.getElementById('files');
            input.files = given.files;
            let [longest, last] = [0, performance.now()];
            const timer = setInterval(() => {{
                const now = performance.now();
                [longest, last] = [Math.max(longest, now - last), now];
            }}, 10);
            input.dispatchEvent(new Event('change'));
            while (!{STATUS}.startsWith('Checked 1 document in')) await new Promise(done => setTimeout(done, 20));
            clearInterval(timer);
            return [longest, {STATUS}];
        }})()"""
    )
    print(started)
    assert started[0] < 500
    assert "50,000 entries" in texts(page, ".summary p")[0]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(page: Page, *, dark: bool, width: int) -> None:
    page.look(width=width, height=900, dark=dark)
    page.evaluate("document.getElementById('example').click()")
    wait(page, "document.querySelectorAll('.findings li').length > 2")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_keyboard_suffices(page: Page) -> None:
    page.evaluate("document.getElementById('text').focus()")
    page.command("Input.insertText", {"text": BAD})
    page.evaluate("document.getElementById('check').focus()")
    page.press("Enter", text="\r")
    wait(page, "document.querySelectorAll('.findings li').length === 2")
    assert page.evaluate("document.activeElement.id") == "results"
