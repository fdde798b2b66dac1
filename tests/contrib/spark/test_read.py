"""`spark.read.format("sitemap")` on a real Spark: the same rows as `urlset.read`, in Spark's types."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urlset
from lxml import etree

pytestmark = pytest.mark.long

NEVER = datetime(1, 1, 1, tzinfo=UTC)
SITEMAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A set of three shards with an index."""
    rows = [
        {"loc": f"https://shop.example/p{number}", "lastmod": f"2026-11-{1 + number % 20:02}"}
        for number in range(120_000)
    ]
    urlset.publish(rows, tmp_path / "site", base_url="https://shop.example/")
    return tmp_path / "site"


def locs_by_lxml(folder: Path) -> list[str]:
    found = []
    for path in sorted(folder.glob("sitemap-*.xml.gz")):
        tree = etree.fromstring(gzip.decompress(path.read_bytes()))
        found += [loc.text or "" for loc in tree.iter(f"{SITEMAPS}loc")]
    return found


def test_a_set_is_read_as_by_others(spark: Any, site: Path) -> None:
    frame = spark.read.format("sitemap").option("min_partitions", 4).load(str(site))
    assert frame.rdd.getNumPartitions() == 4
    assert [row.loc for row in frame.select("loc").collect()] == locs_by_lxml(site)


def test_every_column_is_that_of_read(spark: Any, site: Path) -> None:
    frame = spark.read.format("sitemap").load(str(site))
    mine = urlset.read(site)
    assert frame.columns == mine.to_arrow().column_names
    found = frame.limit(1000).collect()
    assert [row.lastmod.isoformat() for row in found] == [
        (entry.lastmod or NEVER).replace(tzinfo=None).isoformat() for entry in mine[:1000]
    ]
    assert [(row.document, row.kind, row.line) for row in found] == [(e.document, e.kind, e.line) for e in mine[:1000]]
