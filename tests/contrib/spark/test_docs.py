"""docs/spark.md: its Python runs, with folders in place of buckets, and its table has every option."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import urlset
from contract.test_docs import ROOT
from jobs.test_archives import CRAWL
from jobs.test_reading import index, pages
from pyarrow import parquet  # type: ignore[import-untyped]
from support.pages import blocks
from support.warc import archive

pytestmark = pytest.mark.long

PAGE = (ROOT / "docs" / "spark.md").read_text("utf-8")


@pytest.fixture
def bucket(spark: Any, tmp_path: Path) -> Path:
    """What the page reads: a set, a crawl with an index of it, an archive, and a table of pages."""
    folder = tmp_path / "bucket"
    (folder / "sitemaps").mkdir(parents=True)
    (folder / "sitemaps" / "sitemap.xml").write_bytes(index("a.xml"))
    (folder / "sitemaps" / "a.xml").write_bytes(pages(0, 10))
    (folder / "crawl").mkdir()
    (folder / "crawl" / "1.xml.gz").write_bytes(gzip.compress(pages(0, 10)))
    (folder / "robotstxt").mkdir()
    (folder / "robotstxt" / "1.warc.gz").write_bytes(archive(CRAWL))
    rows = [(str(folder / "crawl" / "1.xml.gz"), 200)]
    spark.createDataFrame(rows, "path string, status int").write.parquet(str(folder / "crawl-index"))
    entries = urlset.read(folder / "crawl" / "1.xml.gz").to_arrow()
    for name in ("yesterday", "sitemaps-of-robots"):
        parquet.write_table(entries, folder / name)
    spark.range(5).selectExpr("concat('/', id) AS loc").createOrReplaceTempView("pages")
    return folder


def test_what_the_page_shows_works(spark: Any, bucket: Path, tmp_path: Path) -> None:
    names: dict[str, Any] = {"spark": spark}
    found = [block for block in blocks(PAGE) if block.language == "py"]
    assert len(found) >= 7
    for number, block in enumerate(found):
        here = shutil.copytree(bucket, tmp_path / str(number))
        text = re.sub(r'"(?:s3://bucket|s3://crawl|/data)/', f'"{here}/', block.text)
        text = text.replace("repartition(2000)", "repartition(2)").replace("ByRange(200,", "ByRange(2,")
        exec(compile("\n" * (block.line - 1) + text, "docs/spark.md", "exec"), names)
        for query in spark.streams.active:
            query.processAllAvailable()
            query.stop()
    assert (names["done"].rows, names["published"].entries) == (10, 5)


def test_the_table_has_every_option_of_reading() -> None:
    from urlset.contrib.spark.options import KNOWN

    table = PAGE.partition("| option | meaning |")[2].partition("\n\n")[0]
    cells = (line.split(" | ")[0] for line in table.splitlines())
    # Spark passes the names in small letters.
    named = {name.lower() for cell in cells for name in re.findall(r"`([A-Za-z_.]+?)(?:NAME)?`", cell)}
    assert named == set(KNOWN) - {"path", "paths", "maxfilespertrigger"} | {"store."}
    assert "`maxFilesPerTrigger`" in PAGE
