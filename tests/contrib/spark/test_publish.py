"""`urlset.contrib.spark.publish` on a real Spark: the set of one machine, byte by byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import tree
from support.jobs import own_files
from support.publish import BASE, DAY, locs, names, read_back
from support.publish.grouped import grouped
from support.s3 import S3Server
from urlset import GuardError, InputError

from contrib.spark.test_write import COUNT, frame_of, spoiled

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]


def publish(frame: Any, folder: Path, day: int = 1, **options: Any) -> urlset.Publication:
    from urlset.contrib.spark import publish as publish_frame

    usual = {"base_url": BASE, "now": DAY[day - 1], "allow": ["shrunk"]}
    return publish_frame(frame, folder, **grouped(usual | options))


def documents(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in tree(folder).items() if not name.startswith(".urlset/")}


def rows_of(frame: Any) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.asDict().items() if value is not None} for row in frame.collect()]


@pytest.mark.parametrize("way", ["hash:7", "key:brand"])
def test_a_history_of_frames_is_that_of_one_machine(way: str, spark: Any, tmp_path: Path) -> None:
    brand = (
        "CASE id % 3 WHEN 0 THEN 'Tea' WHEN 1 THEN 'cups' END AS brand"
        if way == "key:brand"
        else "'daily' AS changefreq"
    )
    columns = ("concat('/p', id) AS loc", brand, "format_string('2023-%02d-01', id % 12 + 1) AS lastmod")
    first = spark.range(COUNT).selectExpr(*columns)
    changed = spark.range(5, COUNT + 50).selectExpr(*columns[:2], "IF(id % 500 = 0, '2024', '2023-05-01') AS lastmod")
    history = [first, changed.repartition(5), first.unionByName(first.limit(9)).repartition(2, "loc"), first]
    mine, one = tmp_path / "mine", tmp_path / "one"
    for day, frame in enumerate(history, 1):
        # Brands that are null are no values of a dict.
        rows = rows_of(frame)
        options: dict[str, Any] = {"shard_by": way, "allow": ["shrunk", "one-lastmod"]}
        expected = urlset.publish(rows, one, base_url=BASE, now=DAY[day - 1], **grouped(options))
        found = publish(frame, mine, day, **options)
        counts = ("entries", "added", "changed", "removed", "moved", "same", "rows", "duplicates")
        for name in (*counts, "lastmod_sources"):
            assert getattr(found.plan, name) == getattr(expected.plan, name), (day, name)
        assert documents(mine) == documents(one), day
        assert urlset.verify(mine).is_intact
    again = publish(first.repartition(4), mine, 5, **options)
    assert (again.written, again.plan.same, again.plan.moved) == ((), COUNT, 0)
    assert own_files(mine) == ["manifest.parquet", "previous.parquet", "previous.xml"]


def test_a_set_in_a_bucket_is_continued_there(spark: Any, s3_server: S3Server) -> None:
    from urlset.contrib.spark import publish as publish_frame

    dest, store = f"s3://{s3_server.new_bucket()}/set", s3_server.options
    options: dict[str, Any] = {"base_url": BASE, "shard_by": "hash:3", "store": store, **grouped({"allow": ["shrunk"]})}
    first = publish_frame(frame_of(spark, 900), dest, now=DAY[0], **options)
    assert (first.entries, first.plan.added) == (900, 900)
    second = publish_frame(frame_of(spark, 1000).repartition(3), dest, now=DAY[1], **options)
    assert (second.plan.same, second.plan.added, second.plan.moved) == (900, 100, 0)
    assert publish_frame(frame_of(spark, 1000), dest, now=DAY[2], **options).written == ()
    assert sorted(str(entry.loc) for entry in urlset.scan(f"{dest}/sitemap.xml", store=store)) == locs(1000)
    assert urlset.verify(dest, store=store).is_intact
    _, _, listing = s3_server.ask("GET", f"/{dest.split('/')[2]}?list-type=2&prefix=set/.urlset/jobs")
    assert b"<Key>" not in listing


def test_a_dry_run_writes_nothing(spark: Any, tmp_path: Path) -> None:
    publish(frame_of(spark), tmp_path, shard_by="hash:3")
    before = tree(tmp_path)
    planned = publish(frame_of(spark, COUNT + 10, first=4), tmp_path, 2, shard_by="hash:3", dry_run=True)
    assert tree(tmp_path) == before
    assert (planned.plan.added, planned.plan.removed, planned.plan.same) == (14, 4, COUNT - 4)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("how", ["killed", "failed"])
def test_a_task_that_ends_half_way_is_tried_again(how: str, spark: Any, tmp_path: Path) -> None:
    frame = frame_of(spark).mapInArrow(spoiled(how), "loc string, lastmod string")
    published = publish(frame, tmp_path, shard_by="hash:4")
    assert (published.entries, published.plan.rows) == (COUNT, COUNT)
    assert sorted(read_back(tmp_path)) == locs(COUNT)
    assert own_files(tmp_path) == ["manifest.parquet"]


@pytest.mark.usefixtures("small_batches")
def test_a_task_that_always_fails_leaves_nothing(spark: Any, tmp_path: Path) -> None:
    frame = frame_of(spark).mapInArrow(spoiled("always"), "loc string, lastmod string")
    with pytest.raises(Exception, match="spoiled"):
        publish(frame, tmp_path / "set", shard_by="hash:4")
    assert own_files(tmp_path / "set") == []


def test_the_errors_of_the_driver_are_ours(spark: Any, tmp_path: Path) -> None:
    publish(frame_of(spark), tmp_path, shard_by="hash:3")
    before = tree(tmp_path)
    with pytest.raises(GuardError) as error:
        publish(frame_of(spark, 5), tmp_path, 2, shard_by="hash:3", allow=[])
    assert error.value.plan.removed == COUNT - 5
    with pytest.raises(InputError, match='there is no column "url"'):
        publish(frame_of(spark), tmp_path, 2, shard_by="hash:3", columns={"loc": "url"})
    with pytest.raises(InputError, match='there is no column "brand"'):
        publish(frame_of(spark), tmp_path, 2, shard_by="key:brand")
    with pytest.raises(InputError, match="partitions must be a number from 1 up"):
        publish(frame_of(spark), tmp_path, 2, shard_by="hash:3", partitions=0)
    assert tree(tmp_path) == before


def test_refused_rows_are_counted(spark: Any, tmp_path: Path) -> None:
    frame = frame_of(spark, 20).union(spark.sql("SELECT 'https://other.example/', NULL"))
    with pytest.raises(Exception, match="LOC011"):
        publish(frame, tmp_path, shard_by="hash:3")
    found = publish(frame, tmp_path, shard_by="hash:3", on_error="collect")
    assert (found.entries, found.refused, [each.code for each in found.refusals]) == (20, 1, ["LOC011"])
    assert names(tmp_path) == {"sitemap.xml", *(shard.name for shard in found.shards)}
