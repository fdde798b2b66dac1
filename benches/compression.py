"""Measure what each level of gzip makes of a published sitemap, and in what time: why the level is the one it is.

    python benches/compression.py

The time is that of the processor, the best of five. What was compressed is unpacked with zlib and compared.
"""

from __future__ import annotations

import sys
import tempfile
import time
import zlib
from itertools import islice
from pathlib import Path

import urlset
from inputs import SITE, rows
from report import table
from urlset import _core
from urlset._util.arguments import GZIP_LEVEL

LEVELS = range(1, 10)
ROUNDS = 5


def measured(xml: bytes, level: int) -> tuple[float, int]:
    """Return the seconds that compressing takes, and the bytes of the result."""
    best, packed = float("inf"), b""
    for _ in range(ROUNDS):
        start = time.process_time()
        packed = _core.gzip(xml, level)
        best = min(best, time.process_time() - start)
    if zlib.decompress(packed, 31) != xml:
        sys.exit(f"WRONG: level {level} does not unpack to what was compressed")
    return best, len(packed)


def published() -> bytes:
    """Return the XML of a full document, as `publish` writes it."""
    entries = [
        {"loc": row.loc, "lastmod": row.lastmod, "changefreq": row.changefreq, "priority": float(row.priority)}
        for row in islice(rows(), 50_000)
    ]
    with tempfile.TemporaryDirectory() as folder:
        urlset.publish(entries, folder, base_url=f"{SITE}/")
        return Path(folder, "sitemap.xml").read_bytes()


def main() -> None:
    """Print one line for each level, as ratios to level 6."""
    xml = published()
    found = {level: measured(xml, level) for level in LEVELS}
    seconds, size = found[6]
    rows = [
        [
            f"{level}{' (used)' if level == GZIP_LEVEL else ''}",
            f"{one:.3f}",
            f"{one / seconds:.2f}",
            f"{count:,}",
            f"{count / size:.3f}",
        ]
        for level, (one, count) in found.items()
    ]
    print(f"{len(xml):,} bytes of XML\n")
    print(table(["level", "CPU s", "x level 6", "bytes", "x level 6"], rows))


if __name__ == "__main__":
    main()
