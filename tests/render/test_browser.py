"""Pages in a real Chromium: what scripts make of them, and that they reach nothing on their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from support.http_server import Answer, Handler, Site, serve
from urlset._fetch.page_fetcher import PageFetcher
from urlset._options.http import Http
from urlset._render import browser as room
from urlset._render.browser import Browser

HTTP = Http(retries=0, timeout=10)


def shell(script: str) -> bytes:
    """Return a page whose content a script makes."""
    return f"<!doctype html><title>Shell</title><body><div id=root></div>{script}".encode()


def served(site: Site, path: str, body: bytes, kind: str = "text/html") -> None:
    site.pages[path] = Answer(body, headers={"Content-Type": kind})


@contextmanager
def opened(http: Http, named: str) -> Iterator[Browser]:
    with closing(PageFetcher(http, [named])) as fetcher, closing(Browser(fetcher)) as browser:
        yield browser


@pytest.fixture
def browser(site: Site) -> Iterator[Browser]:
    with opened(HTTP, site.url) as browser:
        yield browser


def test_a_page_is_shown_as_its_scripts_make_it(site: Site, browser: Browser) -> None:
    served(site, "/", shell("<script src=app.js></script>"))
    code = b"fetch('/data.json').then(r => r.json()).then(d => { root.innerText = d.text; document.title = d.title })"
    served(site, "/app.js", code, "text/javascript")
    served(site, "/data.json", b'{"title": "Gr\xc3\xbcner Tee", "text": "leaves of spring"}', "application/json")
    shown = browser.show(site.url)
    assert shown.problem is None
    assert shown.page is not None
    assert shown.page.body == shell("<script src=app.js></script>")
    assert shown.html is not None
    assert "leaves of spring" in shown.html.decode()
    assert "<title>Grüner Tee</title>" in shown.html.decode()
    asked = len(site.requests)
    assert browser.show(site.url).html is not None
    assert len(site.requests) == asked + 2  # the script is kept


def test_a_page_reaches_nothing_that_a_fetched_document_may_not(site: Site, browser: Browser) -> None:
    reached: list[str] = []

    def page(handler: Handler) -> Answer:
        reached.append(handler.path)
        return Answer(b"secret", headers={"Access-Control-Allow-Origin": "*"})

    for path in ("/posted", "/frame", "/left", "/image.png", "/beacon"):
        site.pages[path] = page
    with serve("127.0.0.2") as inside:
        inside.pages["/"] = page
        script = f"""<script>
            const tell = text => root.append(text + " ");
            for (const url of ["http://{inside.url[7:]}/", "file:///etc/hostname", "http://169.254.169.254/", "ftp://127.0.0.2/"])
                fetch(url).then(r => r.text()).then(tell, () => tell("refused"));
            fetch("/posted", {{method: "POST"}}).then(() => tell("posted"), () => tell("refused"));
            navigator.sendBeacon("/beacon", "x");
            new WebSocket("ws://{inside.url[7:]}/").onerror = () => tell("no socket");
            new Image().src = "/image.png";
            setTimeout(() => location = "/left", 300);
        </script><iframe src=/frame></iframe><iframe src=file:///etc/hostname></iframe>"""
        served(site, "/", shell(script))
        shown = browser.show(site.url)
        assert inside.requests == []
    assert reached == []
    assert shown.html is not None
    text = shown.html.decode()
    assert "secret" not in text
    assert text.count("refused") >= 5
    assert shown.left == f"{site.url}/left"


def test_a_page_that_never_ends_costs_its_time_and_no_other_page(
    site: Site, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    served(site, "/", shell("<script>for (;;);</script>"))
    with monkeypatch.context() as patched:
        patched.setattr(room, "_SECONDS", 3.0)
        patched.setattr(room, "_QUIET", 1.0)
        shown = browser.show(site.url)
    assert shown.html is None
    assert shown.problem is not None
    served(site, "/next", shell("<script>root.innerText = 'done'</script>"))
    again = browser.show(f"{site.url}/next")
    assert again.html is not None
    assert b"done" in again.html


def test_requests_and_bytes_of_a_page_are_bounded(
    site: Site, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_MAX_REQUESTS", 5)
    monkeypatch.setattr(room, "_QUIET", 1.0)
    served(
        site, "/", shell("<script>for (let n = 0; n < 50; n++) fetch('/' + n).catch(() => root.append('no '))</script>")
    )
    shown = browser.show(site.url)
    assert len(site.requests) == 1 + 5  # with robots.txt
    assert shown.html is not None
    assert shown.html.partition(b"<script>")[0].count(b"no ") == 46


def test_a_page_that_cannot_be_fetched_says_why(site: Site, browser: Browser) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /\n")
    shown = browser.show(f"{site.url}/page")
    assert shown.html is None
    assert shown.page is not None
    assert shown.page.refused == "robots"


def test_the_browser_keeps_to_the_map_of_a_preview(site: Site) -> None:
    served(site, "/", shell("<script src=/app.js></script>"))
    served(site, "/app.js", b"root.innerText = location.host", "text/javascript")
    mapped = Http(retries=0, timeout=10, map={"https://shop.example": site.url})
    with opened(mapped, "https://shop.example") as browser:
        shown = browser.show("https://shop.example/")
    assert shown.page is not None
    assert shown.page.final_url == "https://shop.example/"
    assert shown.html is not None
    assert b">shop.example</div>" in shown.html
