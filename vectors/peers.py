"""Asks every installed peer what it makes of each vector, and writes docs/peers.md from the answers.

    python benches/run.py --peers     makes .venv-peers, where the peers live
    python vectors/peers.py           asks them, writes the page

Run it with the Python that has urlset. Each peer lives in a process of its own, reads all vectors there, one after
the other, and has no network; one that takes longer than TIME over a vector is ended and begins anew with the next.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch
from urllib.parse import urljoin

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "peers.md"
PEERS = HERE.parent / ".venv-peers" / ("Scripts" if os.name == "nt" else "bin") / "python"
TIME = 20.0
"""Seconds that a peer has for one vector."""

EXACT, LOST, WRONG, SAID = "✓", "−", "✗", "!"


class Vector(NamedTuple):
    """One case, as far as it matters here."""

    name: str
    path: Path
    location: str | None
    """Where the document is said to live, where the case says so."""
    kind: str | None
    locs: tuple[str, ...]
    """What there is to find: the locs of the entries that have one."""


class Answer(NamedTuple):
    """What a peer made of one vector."""

    locs: Sequence[str]
    said: str
    """The exception or the logged warning by which it let its caller know of trouble; empty when there was none."""


def load(folder: Path = HERE) -> list[Vector]:
    """Every vector of the corpus, by name."""
    vectors = []
    for path in sorted(folder.glob("*/*.json")):
        answer = json.loads(path.read_text("utf-8"))
        [document] = [found for found in path.parent.glob(f"{path.stem}.*") if found.suffix != ".json"]
        locs = tuple(row["loc"] for row in answer["rows"] if row.get("loc") is not None)
        name = f"{path.parent.name}/{path.stem}"
        vectors.append(Vector(name, document, answer.get("location"), answer.get("kind"), locs))
    return vectors


def judge(vector: Vector, answer: Answer) -> str:
    """Judge an answer: exact, locs that are not there, less than there is with a word about it, or without one."""
    # Whoever resolves a relative loc against the URL that it was told is as right as who leaves it alone.
    resolved = [urljoin(url_of(vector), loc) for loc in vector.locs]
    if list(answer.locs) in (list(vector.locs), resolved):
        return EXACT
    if not (is_part(answer.locs, vector.locs) or is_part(answer.locs, resolved)):
        return WRONG
    return SAID if answer.said else LOST


def is_part(locs: Iterable[str], whole: Iterable[str]) -> bool:
    """Whether `locs` is `whole` with some left out: the same ones in the same order, and no other."""
    rest = iter(whole)
    return all(loc in rest for loc in locs)


def url_of(vector: Vector) -> str:
    """The URL that a peer is told: many of them go by its end."""
    if vector.location:
        return vector.location
    # `.bin` only means that an editor would break the file.
    suffixes = "".join(vector.path.suffixes).replace(".bin", ".xml")
    return f"http://a.example/{'robots.txt' if vector.kind == 'robots' else f'sitemap{suffixes}'}"


# --- the peers, each in its own process ---------------------------------------------------------------------

Ask = Callable[[bytes, str, str | None], Iterator[str | None]]
"""Yields the locs that a peer finds in a document, by the URL it is told and the location that the vector names."""


def _urlset(data: bytes, url: str, location: str | None) -> Iterator[str | None]:
    urlset: Any = import_module("urlset")
    document = urlset.parse(data, location=location, on_error="collect")
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
    """One reader: its column, its distribution, how it is asked."""

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


# --- asking them --------------------------------------------------------------------------------------------


class Asked:
    """The other end of a peer's process, which it starts again where it had to end it."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self._command = [str(part) for part in command]
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.version = self._read()
        if self.version is None:
            raise SystemExit(f"does not start: {' '.join(self._command)}")

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self, vector: Vector) -> Answer:
        """What the peer makes of the vector; nothing, said aloud, where its process dies or takes too long."""
        assert self._process.stdin is not None
        timer = threading.Timer(TIME, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(json.dumps([str(vector.path), url_of(vector), vector.location]) + "\n")
            self._process.stdin.flush()
            found = self._read()
        finally:
            timer.cancel()
        if found is None:
            self.close()
            self._start()
            return Answer((), "its process died or took too long")
        return Answer(*found)

    def close(self) -> None:
        """End the process: it leaves when its input does."""
        for stream in (self._process.stdout, self._process.stdin):
            assert stream is not None
            stream.close()
        self._process.wait()


# --- the page -----------------------------------------------------------------------------------------------

INTRODUCTION = """\
# What readers make of the vectors

[vectors/](../vectors/README.md) is a corpus of small documents, each with the entries that a reader has to find in
it: right ones, broken ones, and what is no sitemap at all. Here some readers for Python have read all of them, the
versions that `benches/requirements-peers.txt` pins. Compared are the locs and their order, nothing else: no dates, no
images, no messages.

| mark | means |
|---|---|
| ✓ | the same locs in the same order; for what is no sitemap, none |
| ! | some or all are missing, and the caller is told: an exception, or a logged warning or error |
| − | some or all are missing, and nobody is told |
| ✗ | there is a loc that is not to be found there, or one too often, or in another place |

Read it with care. It is our corpus, and many vectors are about rare things: the counts do not say how often a reader
fails on the web. Most vectors come from a standard, but what is to be read after a fault in XML, and all of
`practice`, is what we think a careful person would do, and another mark is another opinion there. XML itself asks a
parser to stop at such a fault, so an `!` in `xml` or `xml-names` is what a strict parser owes. XML also lets a parser
expand the entities that a DOCTYPE declares; we never do, so who does has a ✗ for it. Duplicates count, so who lists
each URL once has a −. usp asks for a title or a description in each item of a feed, as RSS does, and some of our feeds
have none. And the peers do other things besides, which this page does not ask about.

## How they were asked

Each got the bytes of the document and a URL that ends as such a file does, in a process of its own, without a
network. Where there was a choice it was made in the peer's favour: what it found before it raised counts, entries
without a loc do not, a relative loc may be resolved or not unless the vector says where the document lives, and for
Scrapy and trafilatura the loc is taken before they escape, clean or sort it. lxml is no reader of sitemaps but the
parser that many are made of: it is asked for the `loc` of every `url` and `sitemap` in any namespace, once as it is
and once with `recover=True`, and gzip is undone by Python before. ultimate-sitemap-parser (usp) is asked through its
fetcher, Scrapy through its `SitemapSpider`, advertools by `sitemap_to_df` without following an index, trafilatura
through the functions below `sitemap_search`; the latter three have one of their own for robots.txt.

To repeat it:

```sh
python benches/run.py --peers    # makes .venv-peers with the pinned versions
python vectors/peers.py          # asks everybody and writes this page
```
"""


def page(vectors: Sequence[Vector], marks: dict[str, list[str]], versions: dict[str, str]) -> str:
    """The page from a list of marks for each peer, in the order of the vectors."""
    lines = [INTRODUCTION, "## Summary", "", f"{len(vectors)} vectors.", ""]
    lines += _table(
        ["reader", "version", "exact ✓", "missing and told !", "missing in silence −", "wrong locs ✗"],
        [
            [label, versions[label], *(str(Counter(found)[each]) for each in (EXACT, SAID, LOST, WRONG))]
            for label, found in marks.items()
        ],
    )
    for authority in sorted({vector.path.parent.name for vector in vectors}):
        rows = [
            [f"[{vector.name}](../vectors/{vector.name}.json)", *each]
            for vector, *each in zip(vectors, *marks.values(), strict=True)
            if vector.path.parent.name == authority
        ]
        lines += ["", f"## {authority}", "", *_table(["vector", *marks], rows)]
    return "\n".join(lines) + "\n"


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    rule = ["---", *[":-:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)]


def main() -> int:
    """Ask everybody about everything and write the page."""
    if not PEERS.exists():
        print(f"no {PEERS}: `python benches/run.py --peers` makes it", file=sys.stderr)
        return 2
    vectors = load()
    marks: dict[str, list[str]] = {}
    versions: dict[str, str] = {}
    for number, peer in enumerate(ALL):
        python = sys.executable if peer.package == "urlset" else PEERS
        asked = Asked((python, __file__, "--answer", str(number)))
        versions[peer.label] = asked.version
        marks[peer.label] = [judge(vector, asked.ask(vector)) for vector in vectors]
        asked.close()
        print(f"{peer.label} {asked.version}: {dict(Counter(marks[peer.label]))}", file=sys.stderr, flush=True)
    PAGE.write_text(page(vectors, marks, versions), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        serve(ALL[int(sys.argv[2])])
    else:
        raise SystemExit(main())
