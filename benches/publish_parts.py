"""The parts of a publish, each alone: what the whole could cost at least, and what lies between.

python benches/publish_parts.py [--rows N]

A CSV of rows becomes documents of 50,000 entries. Each part is timed over what the part before it has made: reading
the file, rendering the documents, compressing and hashing them, reading them back, a table of all locs, and getting the
files to the disk. Beside it stands a publish of the same file into an empty folder, and what gzip needs for the same
documents. What each part makes is counted.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa  # type: ignore[import-untyped]
import urlset
from inputs import ensure
from pyarrow import parquet
from report import table
from shop import SITE
from urlset import _core
from urlset.sources import files

#: Entries of a document, and the level at which documents are compressed.
ENTRIES, LEVEL = 50_000, 5


class Parts:
    """The seconds of each part: of the clock, and of the processor."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, float, float]] = []

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Time the block."""
        began, worked = time.perf_counter(), time.process_time()
        yield
        self.rows.append((name, time.perf_counter() - began, time.process_time() - worked))

    def of(self, name: str) -> tuple[float, float]:
        return next((clock, worked) for known, clock, worked in self.rows if known == name)


def documents(rows: pa.Table) -> Iterator[bytes]:
    """Yield the documents of the rows, as the writer makes them."""
    for start in range(0, len(rows), ENTRIES):
        written = io.BytesIO()
        urlset.write(rows.slice(start, ENTRIES), written, compression="none")
        yield written.getvalue()


def measure(source: Path, count: int, folder: Path) -> Parts:
    """Measure each part alone, and the whole."""
    parts = Parts()
    with parts.timed("read the rows"), files.rows([source]) as relation:
        rows = pa.table(relation)
    assert len(rows) == count
    with parts.timed("render"):
        plain = list(documents(rows))
    with parts.timed("deflate"):
        packed = [_core.gzip(each, LEVEL) for each in plain]
    with parts.timed("hash"):
        hashes = {hashlib.sha256(each).hexdigest() for each in packed}
    assert len(hashes) == len(plain)
    with parts.timed("read back"):
        read = sum(len(urlset.parse(each)) for each in packed)
    assert read == count
    with parts.timed("fsync"):
        for number, each in enumerate(packed):
            with (folder / f"{number}.xml.gz").open("wb") as file:
                file.write(each)
                file.flush()
                os.fsync(file.fileno())
    with parts.timed("gzip alone"):
        zipped = sum(len(gzip.compress(each, 6)) for each in plain)
    assert zipped
    with parts.timed("publish"), files.rows([source]) as relation:
        publication = urlset.publish(relation, folder / "set", base_url=f"{SITE}/")
    assert sum(shard.entries for shard in publication.shards) == count
    known = parquet.read_table(folder / "set" / ".urlset" / "manifest.parquet")
    assert len(known) == count
    with parts.timed("manifest"):
        writer = _core.ManifestWriter(folder / "manifest.parquet")
        writer.write([known])
        writer.finish([])
    return parts


def main() -> None:
    """Print the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    count = parser.parse_args().rows
    made = ensure("rows", entries=count)
    with TemporaryDirectory() as name:
        parts = measure(made.path, count, Path(name))
    shown = [(name, f"{clock:.2f}", f"{worked:.2f}") for name, clock, worked in parts.rows]
    print(table(("part", "seconds", "of processor"), shown))
    known = [worked for name, _, worked in parts.rows if name not in ("gzip alone", "publish")]
    whole = parts.of("publish")[1]
    print(f"all parts {sum(known):.2f} s of processor; the publish is {whole / sum(known):.2f} times as much, and")
    print(f"{whole / parts.of('gzip alone')[1]:.2f} times what gzip needs for its documents")


if __name__ == "__main__":
    main()
