"""The peers: how each one is called, and the process in which it answers. Run by peers.py.

python vectors/peer_readers.py NUMBER     answers as the peer with this number in ALL
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch


class Answer(NamedTuple):
    """The result of a peer for one vector."""

    locs: Sequence[str]
    said: str
    """The exception or the logged warning that reports a problem; empty if there is none."""


Ask = Callable[[bytes, str, str | None], Iterator[str | None]]
"""Yields the locs that a peer finds in a document, given its URL and the location in the vector."""


def _urlset(data: bytes, url: str, location: str | None) -> Iterator[str | None]:
    urlset: Any = import_module("urlset")
    document = urlset.parse(data, location=location)
    yield from (entry.loc for entry in document)
    for diagnostic in document.diagnostics:
        logging.warning("%s", diagnostic)


def _usp(data: bytes, url: str, location: str | None) -> Iterator[str | None]:
    fetch: Any = import_module("usp.fetch_parse")
    client: Any = import_module("usp.web_client.abstract_client")

    class Body(client.LocalWebClientSuccessResponse):  # type: ignore[misc]
        def raw_data(self) -> bytes:
            return data

    class Here(client.LocalWebClient):  # type: ignore[misc]
        """Has the one document, and no child of it."""

        def get(self, asked: str) -> object:
            return Body(asked, "") if asked == url else super().get(asked)

    sitemap = fetch.SitemapFetcher(url, 0, web_client=Here()).sitemap()
    if hasattr(sitemap, "reason"):
        logging.warning("%s", sitemap.reason)
    else:
        yield from (child.url for child in sitemap.sub_sitemaps)
        yield from (page.url for page in sitemap.pages)


def _scrapy(data: bytes, url: str, location: str | None) -> Iterator[str | None]:
    scrapy: Any = import_module("scrapy")
    spiders: Any = import_module("scrapy.spiders")
    http: Any = import_module("scrapy.http")
    if url.endswith("/robots.txt"):
        yield from import_module("scrapy.utils.sitemap").sitemap_urls_from_robots(data, base_url=url)
        return
    locs: list[str] = []

    class Spider(spiders.SitemapSpider):  # type: ignore[misc]
        name = "peers"
        _max_size = _warn_size = 0

        def sitemap_filter(self, entries: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
            for entry in entries:
                locs.append(entry["loc"])  # before it becomes a request, which escapes it
                yield entry

    try:
        Spider()._parse_sitemap(http.Response(url, body=data, request=scrapy.Request(url)))
    finally:
        yield from locs


def _advertools(data: bytes, url: str, location: str | None) -> Iterator[str | None]:
    sitemaps: Any = import_module("advertools.sitemaps")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, url.rpartition("/")[2] or "sitemap.xml")
        path.write_bytes(data)
        if path.name == "robots.txt":  # the function for both fetches every sitemap that it finds
            yield from sitemaps._sitemaps_from_robotstxt(path.as_uri(), {})
            return
        found = sitemaps.sitemap_to_df(path.as_uri(), recursive=False)
        yield from (loc if isinstance(loc, str) else None for loc in found.get("loc", ()))


def _trafilatura(data: bytes, url: str, location: str | None) -> Iterator[str | None]:
    sitemaps: Any = import_module("trafilatura.sitemaps")
    text = import_module("trafilatura.utils").decode_file(data)
    base = url.rpartition("/")[0]
    if url.endswith("/robots.txt"):
        yield from sitemaps.extract_robots_sitemaps(text, base)
        return
    locs: list[str] = []

    class Sitemap(sitemaps.SitemapObject):  # type: ignore[misc]
        def handle_link(self, link: str) -> None:
            locs.append(link.strip())  # before it is cleaned, which changes it, and sorted by its ending

    sitemap = Sitemap(base, "a.example", [], external=True)
    sitemap.current_url, sitemap.content = url, text
    sitemap.process()
    yield from locs


def _lxml(**options: bool) -> Ask:
    def ask(data: bytes, url: str, location: str | None) -> Iterator[str | None]:
        etree: Any = import_module("lxml.etree")
        if data.startswith(b"\x1f\x8b"):
            data = import_module("gzip").decompress(data)
        for _, entry in etree.iterparse(BytesIO(data), tag=("{*}url", "{*}sitemap"), **options):
            loc = entry.findtext("{*}loc")
            yield loc and loc.strip()
            entry.clear()

    return ask


@dataclass(frozen=True, slots=True)
class Peer:
    """One reader: its column, its distribution, and how to call it."""

    label: str
    package: str
    modules: tuple[str, ...]
    """What `ask` imports; done first, so that a broken installation is never taken for an answer."""
    ask: Ask


ALL = (
    Peer("urlset", "urlset", ("urlset",), _urlset),
    Peer("usp", "ultimate-sitemap-parser", ("usp.fetch_parse", "usp.web_client.abstract_client"), _usp),
    Peer("Scrapy", "Scrapy", ("scrapy.spiders", "scrapy.http", "scrapy.utils.sitemap"), _scrapy),
    Peer("advertools", "advertools", ("advertools.sitemaps",), _advertools),
    Peer("trafilatura", "trafilatura", ("trafilatura.sitemaps", "trafilatura.utils"), _trafilatura),
    Peer("lxml", "lxml", ("lxml.etree",), _lxml()),
    Peer("lxml, recover", "lxml", ("lxml.etree",), _lxml(recover=True)),
)


class _Heard(logging.Handler):
    """Keeps the first line that a library logs so that anybody would see it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.line = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.line = self.line or record.getMessage()


def answer(ask: Ask, data: bytes, url: str, location: str | None) -> Answer:
    """Ask a peer once. What it found before it raised counts; a loc that it leaves empty does not."""
    heard = _Heard()
    root = logging.getLogger()
    root.addHandler(heard)
    locs: list[str] = []
    try:
        # One by one, so that those before an exception stay.
        locs.extend(loc for loc in ask(data, url, location) if loc)
    except Exception as error:  # whatever it raises is its answer
        heard.line = f"{type(error).__name__}: {error}"
    finally:
        root.removeHandler(heard)
    return Answer(locs, heard.line)


def serve(peer: Peer) -> None:
    """Answer a line of JSON on stdin by one on stdout, and say first which version is at work."""
    answers, sys.stdout = sys.stdout, sys.stderr  # nothing that a library prints gets between the answers
    for module in peer.modules:
        import_module(module)
    print(json.dumps(version(peer.package)), file=answers, flush=True)
    with patch("socket.socket.connect", side_effect=OSError("there is no network here")):
        for line in sys.stdin:
            path, url, location = json.loads(line)
            print(json.dumps(answer(peer.ask, Path(path).read_bytes(), url, location)), file=answers, flush=True)


if __name__ == "__main__":
    serve(ALL[int(sys.argv[1])])
