"""Read each vector with every installed peer, and write docs/peers.md from the results.

    python benches/run.py --peers     makes .venv-peers, where the peers are installed
    python vectors/peers.py           runs them, writes the page

Run it with the Python that has urlset. Each peer has its own process without a network, in which it reads all vectors,
one after the other. A peer that needs longer than TIME for a vector is killed, and continues with the next one in a new
process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from peer_readers import ALL, Answer

HERE = Path(__file__).parent
READERS = HERE / "peer_readers.py"
PAGE = HERE.parent / "docs" / "peers.md"
PEERS = HERE.parent / ".venv-peers" / ("Scripts" if os.name == "nt" else "bin") / "python"
TIME = 20.0
"""Seconds after which a peer is killed, for one vector."""

EXACT, LOST, WRONG, SAID = "✓", "−", "✗", "!"


class Vector(NamedTuple):
    """The parts of one case that are compared."""

    name: str
    path: Path
    location: str | None
    """The URL of the document, if the case has one."""
    kind: str | None
    locs: tuple[str, ...]
    """The locs to find: those of the entries that have one."""


def load(folder: Path = HERE) -> list[Vector]:
    """Return all vectors of the corpus, sorted by name, but for those about what a robots.txt allows."""
    vectors = []
    for path in sorted(folder.glob("*/*.json")):
        answer = json.loads(path.read_text("utf-8"))
        if "verdicts" in answer:
            continue
        [document] = [found for found in path.parent.glob(f"{path.stem}.*") if found.suffix != ".json"]
        locs = tuple(row["loc"] for row in answer["rows"] if row.get("loc") is not None)
        name = f"{path.parent.name}/{path.stem}"
        vectors.append(Vector(name, document, answer.get("location"), answer.get("kind"), locs))
    return vectors


def judge(vector: Vector, answer: Answer) -> str:
    """Return the mark of an answer."""
    # A relative loc may be resolved against the given URL, or left as it is.
    resolved = [urljoin(url_of(vector), loc) for loc in vector.locs]
    if list(answer.locs) in (list(vector.locs), resolved):
        return EXACT
    if not (is_part(answer.locs, vector.locs) or is_part(answer.locs, resolved)):
        return WRONG
    return SAID if answer.said else LOST


def is_part(locs: Iterable[str], all_locs: Iterable[str]) -> bool:
    """Whether `locs` are some of `all_locs`, in the same order and without any others."""
    rest = iter(all_locs)
    return all(loc in rest for loc in locs)


def url_of(vector: Vector) -> str:
    """Return the URL that a peer is given: many peers decide by its ending."""
    if vector.location:
        return vector.location
    # `.bin` only means that an editor would break the file.
    suffixes = "".join(vector.path.suffixes).replace(".bin", ".xml")
    return f"http://a.example/{'robots.txt' if vector.kind == 'robots' else f'sitemap{suffixes}'}"


# --- asking them --------------------------------------------------------------------------------------------


class Running:
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
        """Return the peer's answer; an empty one with a message if its process dies or takes too long."""
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
# How other readers read the vectors

[vectors/](../vectors/README.md) is a corpus of small documents, valid, broken, or not sitemaps at all, each with the
entries that a reader should find in it. On this page, Python readers have read all of them, in the versions that
`benches/requirements-peers.txt` pins. Only the locs and their order are compared: no dates, images or messages.

| mark | meaning |
|---|---|
| ✓ | the same locs in the same order; no locs if the document is not a sitemap |
| ! | some or all locs are missing, and the reader reports it: an exception, or a logged warning or error |
| − | some or all locs are missing, without a report |
| ✗ | there is a loc that should not be there, or one too often, or one in the wrong position |

Read these results with care. This is our own corpus, and many vectors are about rare cases, so the counts do not
show how often a reader fails on the web. Most vectors come from a standard. But how to continue after an error in
XML, and all of `practice`, is what we think a careful person would do, and a different mark there is a different
opinion. XML requires a parser to stop at such an error, so a `!` in `xml` or `xml-names` is correct for a strict
parser. XML also allows a parser to expand the entities that a DOCTYPE declares; urlset never does, so a reader that
does gets a ✗. Duplicates count, so a reader that lists each URL once gets a −. usp requires a title or a description
in each item of a feed, as RSS does, and some of the feeds have neither. The peers also have features that this page
does not cover.

## Method

Each reader got the bytes of the document and a URL with the ending of such a file, in its own process without a
network. Choices were made in favour of the peer: locs found before an exception count, entries without a loc do not,
a relative loc may be resolved or not unless the vector has the URL of the document, and for Scrapy and trafilatura
the loc is taken before they escape, clean or sort it. lxml is not a reader of sitemaps but the parser in many of
them: it is used to find the `loc` of every `url` and `sitemap` in any namespace, once with its defaults and once
with `recover=True`, after Python has decompressed gzip. ultimate-sitemap-parser (usp) is called through its fetcher,
Scrapy through its `SitemapSpider`, advertools through `sitemap_to_df` without following an index, and trafilatura
through the functions below `sitemap_search`. The last three have a separate function for robots.txt.

To repeat it:

```sh
python benches/run.py --peers    # makes .venv-peers with the pinned versions
python vectors/peers.py          # runs all readers and writes this page
```
"""


def page(vectors: Sequence[Vector], marks: dict[str, list[str]], versions: dict[str, str]) -> str:
    """The page from a list of marks for each peer, in the order of the vectors."""
    lines = [INTRODUCTION, "## Summary", "", f"{len(vectors)} vectors.", ""]
    lines += _table(
        ["reader", "version", "exact ✓", "missing, reported !", "missing, not reported −", "wrong locs ✗"],
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
    """Read all vectors with all readers and write the page."""
    if not PEERS.exists():
        print(f"no {PEERS}: `python benches/run.py --peers` makes it", file=sys.stderr)
        return 2
    vectors = load()
    marks: dict[str, list[str]] = {}
    versions: dict[str, str] = {}
    for number, peer in enumerate(ALL):
        python = sys.executable if peer.package == "urlset" else PEERS
        running = Running((python, READERS, str(number)))
        versions[peer.label] = running.version
        marks[peer.label] = [judge(vector, running.ask(vector)) for vector in vectors]
        running.close()
        print(f"{peer.label} {running.version}: {dict(Counter(marks[peer.label]))}", file=sys.stderr, flush=True)
    PAGE.write_text(page(vectors, marks, versions), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
