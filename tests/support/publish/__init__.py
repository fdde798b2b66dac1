"""What the tests of publishing share: sets of any size on given days, and looks at what lies in the folder."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import urlset
from urlset import Publication

from support.documents import ENTRY, FOOT, HEAD
from support.publish.grouped import grouped

BASE = "https://example.com/"
DAY = [datetime(2024, 1, day, 12, tzinfo=UTC) for day in range(1, 8)]


def shards(folder: Path) -> list[Path]:
    """The files of the shards of a set with names of its content, in order."""
    return sorted(folder.glob("sitemap-*"))


def locs(count: int, mark: str = "p") -> list[str]:
    """Locs of as many different pages, in the order of their texts."""
    return [f"{BASE}{mark}{number:06}" for number in range(count)]


def exact_locs(total: int, mark: str = "p") -> list[str]:
    """Locs of different pages, in the order of their texts, whose document has exactly `total` bytes.

    Half of their letters are ampersands, so that bytes of a loc and of the document cannot be mistaken for each other.
    """
    fixed, most = len(ENTRY.format("")), 2_000
    left = total - len((HEAD + FOOT).encode())
    count = -(-left // (fixed + most))
    found = []
    for number in range(count):
        size = left // (count - number) - fixed
        start = f"{BASE}{mark}{number:06}/"
        pairs, odd = divmod(size - len(start), len("a&amp;"))
        found.append(start + "a&" * pairs + "x" * odd)
        left -= fixed + size
    return found


def publish(rows: Any, folder: Path, day: int = 1, **options: Any) -> Publication:
    """Publishes on that day of January 2024, at noon."""
    return urlset.publish(
        rows, folder, **grouped({"base_url": BASE, "now": DAY[day - 1], "allow": ["shrunk"], **options})
    )


def document(path: Path) -> bytes:
    """The XML of a published file."""
    stored = path.read_bytes()
    return gzip.decompress(stored) if path.suffix == ".gz" else stored


def names(folder: Path) -> set[str]:
    """The files that are served: all but the folder of our own."""
    return {path.name for path in folder.iterdir() if path.name != ".urlset"}


def read_back(folder: Path) -> list[Any]:
    """The locs of the set, in order."""
    return [entry.loc for entry in urlset.read(folder)]


def index(folder: Path) -> dict[str, datetime | None]:
    """The entry point's own entries."""
    return {str(entry.loc): entry.lastmod for entry in urlset.read(folder, follow=False)}


def known_rows(folder: Path) -> list[Any]:
    """What the current manifest knows of each loc."""
    own = folder / ".urlset"
    query = (
        "SELECT * REPLACE (first_seen::TEXT AS first_seen, last_seen::TEXT AS last_seen, gone::TEXT AS gone) FROM '{}'"
    )
    whole = duckdb.execute(query.format(own / "manifest.parquet")).fetchall()
    said = dict(
        duckdb.execute(
            "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(own / "manifest.parquet")]
        ).fetchall()
    )
    parts = duckdb.execute("SELECT unnest(?::JSON::VARCHAR[])", [said.get("urlset.parts", "[]")]).fetchall()
    return sorted(
        [*whole, *(row for (part,) in parts for row in duckdb.execute(query.format(folder / part)).fetchall())]
    )
