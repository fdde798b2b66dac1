"""A stream over a prefix: each version of a document is read once, across restarts, some documents at a time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from jobs.test_reading import pages
from support.s3 import S3Server

pytestmark = pytest.mark.long


def run(spark: Any, source: str, folder: Path, **options: Any) -> list[tuple[str, int]]:
    """Read what is new or has changed, and return all that was read so far, with the number of its batch."""

    def keep(frame: Any, batch: int) -> None:
        rows = [(row.loc, batch) for row in frame.select("loc").collect()]
        with (folder / "rows").open("a") as file:
            file.writelines(f"{loc} {number}\n" for loc, number in rows)

    folder.mkdir(exist_ok=True)
    reader = spark.readStream.format("sitemap").schema("loc string")
    for name, value in options.items():
        reader = reader.option(name, value)
    writer = reader.load(source).writeStream.option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).foreachBatch(keep).start().awaitTermination()
    lines = (folder / "rows").read_text().splitlines() if (folder / "rows").exists() else []
    return [(line.split()[0], int(line.split()[1])) for line in lines]


def locs(*numbers: int) -> list[str]:
    return [f"https://shop.example/{number}" for number in numbers]


def test_each_version_is_read_once(spark: Any, tmp_path: Path) -> None:
    source = tmp_path / "maps"
    source.mkdir()
    for number in range(5):
        (source / f"{number}.xml").write_bytes(pages(number, 1))
        os.utime(source / f"{number}.xml", (1_000_000 + number, 1_000_000 + number))
    (source / "notes.md").write_text("https://shop.example/no\n")
    rows = run(spark, str(source), tmp_path / "q", maxFilesPerTrigger=2)
    assert sorted(loc for loc, _ in rows) == locs(0, 1, 2, 3, 4)
    batches = [{loc for loc, batch in rows if batch == number} for number in sorted({batch for _, batch in rows})]
    assert batches == [set(locs(0, 1)), set(locs(2, 3)), set(locs(4))]  # the oldest first

    assert run(spark, str(source), tmp_path / "q", maxFilesPerTrigger=2) == rows  # nothing is new
    (source / "1.xml").write_bytes(pages(10, 1))
    (source / "2.xml").unlink()
    (source / "sub").mkdir()
    (source / "sub" / "5.xml").write_bytes(pages(5, 1))
    after = run(spark, str(source), tmp_path / "q")
    assert sorted(loc for loc, _ in after[len(rows) :]) == sorted(locs(10, 5))
    (source / "2.xml").write_bytes(pages(2, 1))
    (source / "9.xml").write_bytes(b"<!doctype html><p>broken")
    assert [loc for loc, _ in run(spark, str(source), tmp_path / "q")[len(after) :]] == locs(2)


def test_a_prefix_of_a_bucket_is_watched_by_etags(spark: Any, tmp_path: Path, s3_server: S3Server) -> None:
    bucket = s3_server.new_bucket()
    for number in range(3):
        s3_server.put(bucket, f"maps/{number}.xml", pages(number, 1))
    options = {
        f"store.{name}": str(value).lower() if value is True else value for name, value in s3_server.options.items()
    }
    rows = run(spark, f"s3://{bucket}/maps/", tmp_path / "q", **options)
    assert sorted(loc for loc, _ in rows) == locs(0, 1, 2)
    s3_server.put(bucket, "maps/1.xml", pages(11, 1))
    s3_server.put(bucket, "maps/2.xml", pages(2, 1))  # the same bytes: the same ETag
    assert [loc for loc, _ in run(spark, f"s3://{bucket}/maps/", tmp_path / "q", **options)[3:]] == locs(11)


def test_one_document_is_no_stream(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(pages(0, 1))
    with pytest.raises(Exception, match="what is watched must be a folder, a prefix or a glob"):
        run(spark, str(tmp_path / "a.xml"), tmp_path / "q")
