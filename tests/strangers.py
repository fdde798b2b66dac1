"""Read, lint and fix every file of a folder of other people's sitemaps, and compare the results with lxml and expat.

    python tests/strangers.py DIR [--json FILE]        also `make strangers DIR=…`

Every file below DIR is checked in a process of its own, which is killed after TIME. Prints a line per file with what
was found in it, what it cost and which check failed, then how often each check could be made. A check that needs a
second opinion is skipped where lxml or expat has none: they read no text list, and lxml does not say what a document
that is not well-formed holds.

Exit codes: 0 if no check failed, 1 if one did, 2 if DIR has no files.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import resource
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import urlset
from lxml import etree
from support import oracle
from support.read.differential import MARKUP, WE_TAKE, is_theirs, takes
from support.reading import Outcome, cut, of_entry, outcome, plain, without_empty_lists

TIME = 120.0
"""Seconds after which the process of a file is killed."""

SECONDS, SECONDS_PER_MB = 1.0, 0.5
"""What reading, linting or fixing one document may take: a constant, and per megabyte of its text."""

PEAK_MB, PEAK_PER_MB = 200, 30
"""What the process of a file may take in memory: a constant, and per megabyte of the document's text."""

BY_BYTE = 100_000
"""Documents up to so many bytes are also read one byte at a time."""

LARGEST_FOR_EXPAT = 20_000_000
"""Larger documents are not given to expat, whose handlers keep every element."""

LARGEST_UNPACKED = 256_000_000
"""Bytes that are unpacked of one member of a gzip file."""

GZIP = b"\x1f\x8b"

_PROCESSES = multiprocessing.get_context("forkserver")
"""Each process is forked from one that has read nothing, but has imported what is large: also pandas, by which pyarrow
makes values of times."""

_PROCESSES.set_forkserver_preload(
    ["urlset", "duckdb", "pandas", "pyarrow", "lxml.etree", "support.oracle", "support.reading"]
)

Check = Callable[["Document"], bool]
"""Raises AssertionError if it fails; returns whether there was anything to compare."""


@dataclass
class Result:
    """What was seen of one file."""

    name: str
    bytes: int
    kind: str | None = None
    completeness: str = ""
    rows: int = 0
    findings: int = 0
    fixes: int = 0
    seconds: float = 0.0
    peak_mb: int = 0
    compared: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


class Document:
    """One file and what reading it gave, for the checks to look at."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.text, self.is_intact = unpacked(data)
        """What lxml and expat are given: the data without its gzip layers, and whether all of those are valid."""
        self.seconds: dict[str, float] = {}
        self.read: Outcome = self._timed("reading", lambda: outcome(data))
        self.report = self._timed("linting", lambda: urlset.lint(data))
        self.fixed = self._timed("fixing", lambda: urlset.fix(data)) if self.read.error is None else None

    def _timed(self, what: str, work: Callable[[], Any]) -> Any:
        before = time.process_time()
        try:
            return work()
        finally:
            self.seconds[what] = time.process_time() - before

    @property
    def is_comparable(self) -> bool:
        """Whether the oracle says which rows the document has."""
        return (
            self.read.kind in ("urlset", "sitemapindex")
            and self.read.completeness == "complete"
            and _is_known_to_lxml(self.text)
        )


def unpacked(data: bytes) -> tuple[bytes, bool]:
    """Return the data without its gzip layers, by zlib, and whether every layer is valid as gzip(1) sees it.

    A layer is one or more members; zeros may follow the last one (padding), and nothing else. What zlib cannot read
    is left as it is.
    """
    is_intact = True
    while data.startswith(GZIP):
        text, rest = b"", data
        while rest.startswith(GZIP):
            member = zlib.decompressobj(wbits=31)
            try:
                text += member.decompress(rest, LARGEST_UNPACKED)
            except zlib.error:
                return text or data, False
            rest = member.unused_data
            is_intact &= member.eof
        is_intact &= not rest.strip(b"\0")
        data = text
    return data, is_intact


def _is_known_to_lxml(data: bytes) -> bool:
    if any(difference.without(data) != data for difference in (WE_TAKE["charset"], WE_TAKE["declarations"])):
        return False
    try:
        return not oracle.is_tangled(data)
    except (etree.XMLSyntaxError, ValueError):
        return False


# --- the checks ---------------------------------------------------------------------------------------------


def well_formed(document: Document) -> bool:
    """`complete` is what expat accepts; what it accepts and we recover has a reason."""
    read, data = document.read, document.text
    if read.kind not in MARKUP or len(data) > LARGEST_FOR_EXPAT or not _is_utf8(data):
        return False
    if read.completeness == "complete":
        assert document.is_intact, "read as complete, but its gzip data is damaged"
        assert takes(data), "read as complete, but expat refuses it"
    elif document.is_intact and takes(data):
        assert is_theirs(data), f"expat accepts it, but it was {read.completeness}"
    return True


def _is_utf8(data: bytes) -> bool:
    """Whether the charset is beyond doubt: expat knows few others, and checks some of them less than we do."""
    declared = re.match(rb"""<\?xml[^>]*encoding\s*=\s*["']([^"']*)""", data.removeprefix(b"\xef\xbb\xbf"))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return (declared is None or declared[1].lower() in (b"utf-8", b"utf8")) and b"\0" not in data


def rows(document: Document) -> bool:
    """Every field of every row is the one that lxml sees."""
    if not document.is_comparable:
        return False
    # libxml2 counts lines in its own way.
    got = [{name: row[name] for name in row if name != "line"} for row in document.read.rows]
    wanted = [plain(without_empty_lists(row)) for row in oracle.rows(document.text)]
    for number, (ours, theirs) in enumerate(zip(got, wanted, strict=False)):
        assert ours == theirs, f"row {number} is {ours}, lxml says {theirs}"
    assert len(got) == len(wanted), f"{len(got):,} rows, lxml sees {len(wanted):,}"
    return True


def objects(document: Document) -> bool:
    """Entries as objects are the rows of the table."""
    if document.read.error is not None:
        return False
    entries = urlset.scan(document.data, follow=False)
    assert [of_entry(entry) for entry in entries] == document.read.rows, "entries and the table differ"
    return True


def cuts(document: Document) -> bool:
    """Reading does not depend on how the bytes arrive."""
    data = document.data
    offsets = sorted(random.Random(len(data)).choices(range(len(data) + 1), k=7))
    assert outcome(cut(data, offsets)).telling == document.read.telling, f"cut at {offsets}, it reads differently"
    if len(data) <= BY_BYTE:
        by_byte = outcome(data[at : at + 1] for at in range(len(data)))
        assert by_byte.telling == document.read.telling, "byte by byte, it reads differently"
    return True


def fixes_end(document: Document) -> bool:
    """Fixing what was fixed changes nothing."""
    if document.fixed is None:
        return False
    again = urlset.fix(document.fixed.data)
    assert not again.applied, f"fixed again, it changes: {again.applied}"
    assert again.data == document.fixed.data, "fixed again, it changes, and no fix says so"
    return True


def fixes_are_safe(document: Document) -> bool:
    """Safe fixes keep a document well-formed for expat, and for lxml every row, each with its host and its instant."""
    if document.fixed is None or not document.fixed.applied:
        return False
    after, _ = unpacked(document.fixed.data)
    if len(after) <= LARGEST_FOR_EXPAT and takes(document.text):
        assert takes(after), "expat accepts it before the fixes, and not after"
    if document.is_comparable:
        before, fixed = oracle.rows(document.text), oracle.rows(after)
        assert len(before) == len(fixed), f"{len(before):,} rows before the fixes, {len(fixed):,} after"
        for number, (old, new) in enumerate(zip(before, fixed, strict=True)):
            # A relative loc has no host, and an invalid date no instant: a fix may give them one.
            for what, was, now in (
                ("host", _host(old["loc"]), _host(new["loc"])),
                ("lastmod", old["lastmod"], new["lastmod"]),
            ):
                assert was is None or was == now, f"the fixes change the {what} of row {number} from {was} to {now}"
    return True


def _host(loc: str | None) -> str | None:
    try:
        return urlsplit(loc or "").hostname
    except ValueError:
        return None


def cost(document: Document) -> bool:
    """Time and memory are bounded by the size of the text."""
    size = len(document.text) / 1e6
    for what, seconds in document.seconds.items():
        assert seconds <= SECONDS + SECONDS_PER_MB * size, f"{what} took {seconds:.1f} s for {size:.1f} MB"
    assert document_peak() <= PEAK_MB + PEAK_PER_MB * size, f"{document_peak()} MB for {size:.1f} MB"
    return True


def document_peak() -> int:
    """The peak of this process's memory, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000


CHECKS: dict[str, Check] = {
    check.__name__.replace("_", " "): check
    for check in (cost, well_formed, rows, objects, cuts, fixes_end, fixes_are_safe)
}
"""In the order in which they run: what it costs is asked before the oracles take memory."""


# --- one file, and all of them ------------------------------------------------------------------------------


def examine(path: Path, name: str) -> Result:
    """Make every check of one file, in this process."""
    data = path.read_bytes()
    result = Result(name, len(data))
    document = Document(data)
    read, fixed = document.read, document.fixed
    result.kind, result.completeness, result.rows = read.kind, read.completeness, len(read.rows)
    result.findings = sum(document.report.counts.values())
    result.fixes = 0 if fixed is None else sum(fixed.applied.values())
    result.seconds, result.peak_mb = round(sum(document.seconds.values()), 3), document_peak()
    for label, check in CHECKS.items():
        try:
            if check(document):
                result.compared.append(label)
        except AssertionError as error:
            result.failed[label] = str(error)[:500]
    return result


def examined_apart(path: Path, name: str) -> Result:
    """Make every check of one file in a process of its own; what ends that process is a failed check, too."""
    receiving, sending = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=_send, args=(sending, path, name))
    process.start()
    sending.close()
    try:
        if receiving.poll(TIME):
            return Result(**json.loads(receiving.recv_bytes()))
        why = f"not finished after {TIME:.0f} s"
    except EOFError:
        process.join()
        why = f"its process ended with exit code {process.exitcode}"
    finally:
        process.kill()
        process.join()
    return Result(name, path.stat().st_size, failed={"end": why})


def _send(sending: Connection, path: Path, name: str) -> None:
    sending.send_bytes(json.dumps(asdict(examine(path, name))).encode())


def files(folder: Path) -> Iterator[Path]:
    """Every file below the folder, in order; no link is followed."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def line(result: Result) -> str:
    """A file as a line of the table."""
    figures = (
        f"{result.bytes:>12,} {result.kind or '-':<13} {result.completeness:<10} {result.rows:>8,}"
        f" {result.findings:>8,} {result.fixes:>6,} {result.seconds:>8.3f} {result.peak_mb:>6,}"
    )
    failed = "".join(f"\n    {label.upper()}: {why}" for label, why in result.failed.items())
    return f"{figures}  {result.name}{failed}"


HEAD = (
    f"{'bytes':>12} {'kind':<13} {'read':<10} {'rows':>8} {'findings':>8} {'fixes':>6} {'seconds':>8} {'MB':>6}  file"
)


def summary(results: list[Result]) -> str:
    """How often each check was made, and how often it failed."""
    compared = Counter(label for result in results for label in result.compared)
    failed = Counter(label for result in results for label in result.failed)
    lines = [f"{'check':<15} {'passed':>8} {'failed':>8} {'skipped':>8}"]
    for label in [*CHECKS, "end"] if failed["end"] else CHECKS:
        skipped = len(results) - compared[label] - failed[label] if label != "end" else 0
        lines.append(f"{label:<15} {compared[label]:>8,} {failed[label]:>8,} {skipped:>8,}")
    return "\n".join(lines)


def main() -> int:
    """Check all files of a folder."""
    parser = argparse.ArgumentParser(description="Check reading, linting and fixing over a folder of any files.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder; all files below it are checked")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results to FILE, a line per file")
    options = parser.parse_args()
    paths = list(files(options.folder))
    if not paths:
        print(f"{options.folder} has no files", file=sys.stderr)
        return 2
    print(HEAD)
    results = []
    with ThreadPoolExecutor(2) as pool:
        names = [path.relative_to(options.folder).as_posix() for path in paths]
        for result in pool.map(examined_apart, paths, names):
            print(line(result), flush=True)
            results.append(result)
    print(f"\n{summary(results)}")
    if options.json:
        options.json.write_text("".join(json.dumps(asdict(result)) + "\n" for result in results), "utf-8")
    return 1 if any(result.failed for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
