"""Each message of a search engine that docs/messages.md names: something that provokes it, and what we say of that."""

from __future__ import annotations

import gzip
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.http_server import NAMESPACE, Answer, Site, closed_port, serve
from urlset import Http, Rules, UrlsetError

PAGE = (Path(__file__).parents[2] / "docs" / "messages.md").read_text("utf-8")
SHOP = "https://shop.example"
CORE = f'xmlns="{NAMESPACE}"'
HREFLANG = f'{CORE} xmlns:xhtml="http://www.w3.org/1999/xhtml"'
VIDEO = f'{CORE} xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
NEWS = f'{CORE} xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
HTTP = Http(retries=0, timeout=5)

#: What was found: the codes, and the failures as text.
Found = tuple[set[str], str]


def rows() -> Iterator[tuple[str, str, str]]:
    """The engine, the message and our answer of each row of the page."""
    for section in PAGE.split("\n## ")[1:]:
        engine = section.partition("\n")[0].split()[0].lower()
        for message, here in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE):
            if message != "message":
                yield engine, message, here


ROWS = list(rows())


def document(*entries: str, spaces: str = CORE) -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {spaces}>{"".join(entries)}</urlset>'.encode()


def entry(loc: str = f"{SHOP}/a", more: str = "") -> str:
    return f"<url><loc>{loc}</loc>{more}</url>"


def index(*locs: str) -> bytes:
    children = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f"<sitemapindex {CORE}>{children}</sitemapindex>".encode()


def video(more: str = "", **values: str | None) -> bytes:
    whole = {
        "thumbnail_loc": f"{SHOP}/t.jpg",
        "title": "T",
        "description": "D",
        "content_loc": f"{SHOP}/v.mp4",
    } | values
    parts = "".join(f"<video:{name}>{value}</video:{name}>" for name, value in whole.items() if value is not None)
    return document(entry(more=f"<video:video>{parts}{more}</video:video>"), spaces=VIDEO)


def article(publication: str, number: int = 0) -> str:
    more = (
        f"<news:news>{publication}<news:publication_date>2026-01-01</news:publication_date><news:title>T</news:title>"
    )
    return entry(f"{SHOP}/{number}", more + "</news:news>")


PUBLICATION = "<news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>"


def checked(engine: str, data: bytes, location: str = f"{SHOP}/sitemap.xml", **more: Any) -> Found:
    report = urlset.lint(data, location=location, rules=Rules(profile=engine, preview=True, **more))
    return set(report.counts), " ".join(map(str, report.failures))


def linted(url: str, engine: str) -> Found:
    """What a lint of a URL says, which may be all in an error."""
    try:
        report = urlset.lint(url, rules=Rules(profile=engine), http=HTTP)
    except UrlsetError as error:
        return set(), str(error)
    return set(report.counts), " ".join(map(str, report.failures))


@contextmanager
def served() -> Iterator[Site]:
    with serve() as site:
        site.pages["/sitemap.xml"] = Answer(site.urlset("", 3))
        yield site


def of_status(status: int, **headers: str) -> Callable[[str], Found]:
    def find(engine: str) -> Found:
        with served() as site:
            whole = site.pages["/sitemap.xml"]
            assert isinstance(whole, Answer)
            site.pages["/whole.xml"] = whole
            site.pages["/sitemap.xml"] = Answer(whole.body, status, headers)
            return linted(f"{site.url}/sitemap.xml", engine)

    return find


def of_robots(rule: str) -> Callable[[str], Found]:
    robots = {f"{SHOP}/robots.txt": f"User-agent: *\nDisallow: {rule}\n".encode()}
    return lambda engine: checked(engine, document(entry(f"{SHOP}/private/x")), robots=robots)


def audited(status: int, **headers: str) -> Callable[[str], Found]:
    """What an audit says of a page with an answer."""

    def find(engine: str) -> Found:
        with serve() as site:
            site.pages["/sitemap.xml"] = Answer(document(entry(f"{site.url}/a")))
            site.pages["/a"] = Answer(b"<title>A</title>", status, headers)
            site.pages["/b"] = Answer(b"<title>B</title><p>It is another page.", headers={"Content-Type": "text/html"})
            with urlset.audit(f"{site.url}/sitemap.xml", http=HTTP, rules=Rules(profile=engine)) as audit:
                return {each.code for each in audit.findings if each.verdict == "found"}, ""

    return find


def of_socket(answer: bytes) -> Callable[[str], Found]:
    """What a lint says of a server that sends this and hangs up."""

    def find(engine: str) -> Found:
        with closing(socket.create_server(("127.0.0.1", 0))) as server:

            def serve_all() -> None:
                try:
                    while True:
                        connection, _ = server.accept()
                        with connection:
                            asked = connection.recv(4096)
                            if b"/robots.txt" in asked:
                                connection.sendall(
                                    b"HTTP/1.1 404 None\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                                )
                            else:
                                connection.sendall(answer)
                except OSError:
                    return

            threading.Thread(target=serve_all, daemon=True).start()
            return linted(f"http://127.0.0.1:{server.getsockname()[1]}/sitemap.xml", engine)

    return find


def nested(engine: str, tmp_path: Path) -> Found:
    (tmp_path / "sitemap.xml").write_bytes(index(f"{SHOP}/b.xml"))
    (tmp_path / "b.xml").write_bytes(index(f"{SHOP}/c.xml"))
    (tmp_path / "c.xml").write_bytes(document(entry()))
    report = urlset.lint(tmp_path, rules=Rules(profile=engine))
    return set(report.counts), ""


def large() -> bytes:
    return document(*(entry(f"{SHOP}/{'x' * 1_900}{number}") for number in range(28_000)))


BROKEN_GZIP = gzip.compress(document(entry()))[:-12]
RELATIONSHIP = '<video:restriction relationship="maybe">DE</video:restriction>'
NOBODY = "http://nobody.invalid/sitemap.xml"

#: By the engine and the message: functions that each provoke it, one for each answer of the row.
CASES: dict[tuple[str, str], list[Callable[[str], Found]]] = {
    ("google", "Sitemap blocked by robots.txt"): [of_robots("/sitemap.xml")],
    ("google", "Sitemap could not be fetched"): [lambda engine: linted(NOBODY, engine)],
    ("google", "HTTP error (a code)"): [of_status(404)],
    ("google", "General HTTP error"): [of_socket(b"nonsense\r\n\r\n")],
    ("google", "URLs not accessible"): [audited(404), audited(500)],
    ("google", "URLs not followed"): [audited(301, Location="/b"), audited(301, Location="/a")],
    ("google", "URL not allowed"): [
        lambda engine: checked(engine, document(entry("https://other.example/a"))),
        lambda engine: checked(engine, document(entry("http://shop.example/a"))),
        lambda engine: checked(engine, document(entry()), f"{SHOP}/catalog/sitemap.xml"),
    ],
    ("google", "Path mismatch: missing www"): [
        lambda engine: checked(engine, document(entry()), "https://www.shop.example/sitemap.xml")
    ],
    ("google", "Path mismatch: includes www"): [
        lambda engine: checked(engine, document(entry("https://www.shop.example/a")))
    ],
    ("google", "Compression error"): [lambda engine: checked(engine, BROKEN_GZIP)],
    ("google", "Empty sitemap"): [lambda engine: checked(engine, document())],
    ("google", "Sitemap file size error"): [lambda engine: checked(engine, large())],
    ("google", "Invalid attribute value"): [
        lambda engine: checked(
            engine,
            document(
                entry(more=f'<xhtml:link rel="alternate" hreflang="zz-zzz" href="{SHOP}/"/>'),
                spaces=HREFLANG,
            ),
        ),
        lambda engine: checked(engine, video(RELATIONSHIP)),
    ],
    ("google", "Invalid date"): [
        lambda engine: checked(engine, document(entry(more="<lastmod>2026-13-01</lastmod>"))),
        lambda engine: checked(engine, document(entry(more="<lastmod>yesterday</lastmod>"))),
    ],
    ("google", "Invalid tag value"): [
        lambda engine: checked(engine, document(entry(more="<changefreq>often</changefreq>"))),
        lambda engine: checked(engine, document(entry(more="<priority>7</priority>"))),
    ],
    ("google", "Invalid URL"): [lambda engine: checked(engine, document(entry("https://")))],
    ("google", "Invalid URL in sitemap index file: incomplete URL"): [lambda engine: checked(engine, index("/a.xml"))],
    ("google", "Invalid XML: too many tags"): [
        lambda engine: checked(engine, document(entry(more=2 * "<lastmod>2026-01-01</lastmod>")))
    ],
    ("google", "Missing XML attribute"): [
        lambda engine: checked(
            engine, document(entry(more=f'<xhtml:link rel="alternate" href="{SHOP}/"/>'), spaces=HREFLANG)
        ),
        lambda engine: checked(engine, video("<video:restriction>DE</video:restriction>")),
    ],
    ("google", "Missing XML tag"): [
        lambda engine: checked(engine, document("<url><lastmod>2026-01-01</lastmod></url>"))
    ],
    ("google", "Missing thumbnail URL"): [lambda engine: checked(engine, video(thumbnail_loc=None))],
    ("google", "Missing video title"): [lambda engine: checked(engine, video(title=None))],
    ("google", "Parsing error"): [lambda engine: checked(engine, document()[:-4] + b"<url><loc>")],
    ("google", "Too many sitemaps in the sitemap index file"): [
        lambda engine: checked(engine, index(*(f"{SHOP}/{number}.xml" for number in range(50_001))))
    ],
    ("google", "Too many URLs in sitemap"): [
        lambda engine: checked(engine, document(*(entry(f"{SHOP}/{number}") for number in range(50_001))))
    ],
    ("google", "Unsupported file format"): [
        lambda engine: checked(engine, b"<!doctype html><html><body>Tea</body></html>")
    ],
    ("google", "Incorrect namespace"): [
        lambda engine: checked(engine, document(entry(), spaces='xmlns="http://shop.example/sitemap"'))
    ],
    ("google", "Leading whitespace"): [lambda engine: checked(engine, b"\n" + document(entry()))],
    ("google", "Video location and play page location are the same"): [
        lambda engine: checked(engine, video(content_loc=f"{SHOP}/a"))
    ],
    ("google", "Video location URL appears to be a play page URL"): [
        lambda engine: checked(engine, video(content_loc=f"{SHOP}/watch.html"))
    ],
    ("google", "Too many news URLs"): [
        lambda engine: checked(
            engine, document(*(article(PUBLICATION, number) for number in range(1_001)), spaces=NEWS)
        )
    ],
    ("google", "Missing publication tag"): [lambda engine: checked(engine, document(article(""), spaces=NEWS))],
    ("google", "Sitemap contains URLs which are blocked by robots.txt"): [of_robots("/private/")],
    ("yandex", "Not indexed"): [lambda engine: linted(NOBODY, engine)],
    ("yandex", "Maximum file size exceeded"): [lambda engine: checked(engine, large())],
    ("yandex", "HTTP error"): [of_status(404)],
    ("yandex", "Invalid URL"): [lambda engine: linted("http://shop.example:99999/sitemap.xml", engine)],
    ("yandex", "Connection lost"): [of_socket(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n<urlset")],
    ("yandex", "DNS error"): [lambda engine: linted(NOBODY, engine)],
    ("yandex", "Connection failed"): [lambda engine: linted(f"http://127.0.0.1:{closed_port()}/sitemap.xml", engine)],
    ("yandex", "The URL is forbidden in robots.txt"): [of_robots("/sitemap.xml")],
    ("yandex", "Incorrect HTTP response"): [of_socket(b"nonsense\r\n\r\n")],
    ("yandex", "Response contains no data"): [lambda engine: checked(engine, b"")],
    ("yandex", "Extraction error"): [lambda engine: checked(engine, BROKEN_GZIP)],
    ("yandex", "Tag found more than once"): [
        lambda engine: checked(engine, document(entry(more=2 * "<lastmod>2026-01-01</lastmod>")))
    ],
    ("yandex", "Unknown tag"): [lambda engine: checked(engine, document(entry(more="<price>1</price>")))],
    ("yandex", "Tag not found"): [lambda engine: checked(engine, document("<url><lastmod>2026-01-01</lastmod></url>"))],
    ("yandex", "Incorrect page address"): [lambda engine: checked(engine, document(entry("https://")))],
    ("yandex", "Incorrect URL (doesn't match the Sitemap file location)"): [
        lambda engine: checked(engine, document(entry()), f"{SHOP}/catalog/sitemap.xml")
    ],
    ("yandex", "URL too long"): [lambda engine: checked(engine, document(entry(f"{SHOP}/{'x' * 1_100}")))],
    ("yandex", "Tag cannot be empty"): [lambda engine: checked(engine, document(entry(more="<lastmod></lastmod>")))],
    ("yandex", "Tag cannot contain other tags"): [
        lambda engine: checked(engine, document(entry(more="<lastmod><b>2026-01-01</b></lastmod>")))
    ],
    ("yandex", "Data limit exceeded"): [
        lambda engine: checked(engine, document(entry(more=f"<lastmod>{'2' * 200}</lastmod>")))
    ],
    ("yandex", "Redirect (a status of the list of sitemaps)"): [of_status(301, Location="/whole.xml")],
}
NESTED = ("google", "Incorrect sitemap index format: nested sitemap indexes")


@pytest.mark.parametrize(("engine", "message", "here"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_what_provokes_a_message_is_reported_as_the_page_says(
    engine: str, message: str, here: str, tmp_path: Path
) -> None:
    if here.startswith("None: "):
        return  # there is nothing to try
    made = (
        [nested(engine, tmp_path)] if (engine, message) == NESTED else [find(engine) for find in CASES[engine, message]]
    )
    codes = re.findall(r"\b[A-Z]{2,4}\d{3}\b", here)
    if not codes:
        assert here.startswith("A failure")
        [(_, failures)] = made
        assert failures
        if quoted := re.findall(r"`([^`]+)`", here):
            assert quoted[0] in failures or "or the reason" in here
        return
    # Each answer of the row is that to one of the cases, and each case has one of them.
    assert all(any(code in found for found, _ in made) for code in codes)
    assert all(found & set(codes) for found, _ in made)


def test_every_case_is_a_row_and_every_rule_is_one() -> None:
    named = {(engine, message) for engine, message, here in ROWS if not here.startswith("None: ")}
    assert named == {*CASES, NESTED}
    known = {rule.code: rule for rule in urlset.rules()}
    for _, message, here in ROWS:
        for code in re.findall(r"\b[A-Z]{2,4}\d{3}\b", here):
            assert (known[code].status == "preview") == ("preview" in here), message
