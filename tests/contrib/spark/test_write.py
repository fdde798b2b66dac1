"""`df.write.format("sitemap")` on a real Spark: a set like any other, whatever becomes of single tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import tree
from support.jobs import own_files
from support.publish import BASE, document, locs, names, read_back
from support.s3 import S3Server
from urlset import InputError

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

COUNT = 3000


def frame_of(spark: Any, count: int = COUNT, partitions: int = 3, first: int = 0) -> Any:
    """Rows in as many partitions, each a range of locs."""
    columns = (
        "format_string('https://example.com/p%06d', id) AS loc",
        "format_string('2023-%02d-01', id % 12 + 1) AS lastmod",
    )
    return spark.range(first, first + count, 1, partitions).selectExpr(*columns)


def write(frame: Any, folder: Path | str, **options: Any) -> None:
    options = {"base_url": BASE, **options}
    frame.write.format("sitemap").options(**options).mode("overwrite").save(str(folder))


def test_a_frame_becomes_the_set_of_a_publish_by_sections(spark: Any, tmp_path: Path) -> None:
    write(frame_of(spark), tmp_path / "spark", update_robots="true")
    rows = [{"loc": loc, "lastmod": f"2023-{number % 12 + 1:02}-01"} for number, loc in enumerate(locs(COUNT))]
    parts = [rows[begin : begin + COUNT // 3] for begin in range(0, COUNT, COUNT // 3)]
    sections = {f"{number:05}": urlset.Section(rows) for number, rows in enumerate(parts)}
    urlset.publish(sections, tmp_path / "one", base_url=BASE)
    mine, expected = names(tmp_path / "spark") - {"robots.txt"}, names(tmp_path / "one")
    assert mine == expected
    assert len(mine) == 4
    for name in mine - {"sitemap.xml"}:  # whose lastmods are those of two moments
        assert document(tmp_path / "spark" / name) == document(tmp_path / "one" / name)
    assert (tmp_path / "spark" / "robots.txt").read_text() == f"Sitemap: {BASE}sitemap.xml\n"
    assert urlset.verify(tmp_path / "spark").is_intact
    assert not urlset.lint(tmp_path / "spark").diagnostics
    assert own_files(tmp_path / "spark") == ["manifest.parquet"]


def test_what_spark_writes_it_reads(spark: Any, tmp_path: Path) -> None:
    write(frame_of(spark), tmp_path)
    found = spark.read.format("sitemap").load(str(tmp_path)).select("loc").collect()
    assert [row.loc for row in found] == locs(COUNT)


def test_a_second_write_of_the_same_rows_writes_nothing(spark: Any, tmp_path: Path) -> None:
    write(frame_of(spark), tmp_path)
    before = tree(tmp_path)
    write(frame_of(spark).sortWithinPartitions("lastmod"), tmp_path)
    assert tree(tmp_path) == before


def test_columns_types_and_nested_values(spark: Any, tmp_path: Path) -> None:
    frame = spark.sql("""
        SELECT '/a' AS url, TIMESTAMP '2023-05-06 07:08:09' AS lastmod, 0.5D AS priority, 'daily' AS changefreq,
            array(named_struct('loc', 'https://example.com/a.jpg')) AS images
        UNION ALL SELECT '/b', NULL, NULL, NULL, NULL
    """)
    write(frame.coalesce(1), tmp_path, **{"columns.loc": "url", "pretty": "true", "compression": "none"})
    a, b = list(urlset.scan(tmp_path))
    assert (a.loc, a.lastmod_raw, a.priority, a.changefreq) == (BASE + "a", "2023-05-06T07:08:09Z", 0.5, "daily")
    assert [image.loc for image in a.images] == ["https://example.com/a.jpg"]
    assert (b.loc, b.lastmod, b.images) == (BASE + "b", None, ())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": ""}, "needs a base_url to write"),
        ({"update_robot": "true"}, "no option 'update_robot' for writing; did you mean update_robots"),
        ({"update_robots": "yes"}, "update_robots must be 'true' or 'false'"),
        ({"columns.loc": "url"}, 'there is no column "url"; the columns are '),
        ({"allow": "shrunken"}, "did you mean shrunk"),
        ({"memory": "much"}, "memory must be an amount"),
    ],
)
def test_a_wrong_option_is_explained_and_leaves_nothing(
    options: dict[str, str], message: str, spark: Any, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match=message):
        write(frame_of(spark, 2, 1), tmp_path / "set", **options)
    assert own_files(tmp_path / "set") == []


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("'/a' AS loc, '2026' AS lastmodd", "unknown columns: lastmodd"),
        (
            "'/a' AS loc, array(named_struct('loc', 'https://example.com/a.jpg', 'captoin', 'A')) AS images",
            'the column "images" has an unknown field "captoin"',
        ),
        ("'/a' AS loc, TIMESTAMP_NTZ '2026-01-31 08:00:00' AS lastmod", "holds times without a zone"),
    ],
)
def test_columns_are_checked_before_any_task_begins(columns: str, message: str, spark: Any, tmp_path: Path) -> None:
    from urlset.contrib.spark import publish

    frame = spark.sql(f"SELECT {columns}")
    with pytest.raises(Exception, match=message):
        write(frame, tmp_path / "set")
    # What a task raises is an error of Spark.
    with pytest.raises(InputError, match=message):
        publish(frame, tmp_path / "set", base_url=BASE, shard_by="hash:2")
    assert own_files(tmp_path / "set") == []


def test_rows_are_not_appended(spark: Any, tmp_path: Path) -> None:
    write(frame_of(spark, 2, 1), tmp_path)
    with pytest.raises(Exception, match="use mode\\('overwrite'\\)"):
        frame_of(spark, 2, 1, first=2).write.format("sitemap").option("base_url", BASE).mode("append").save(
            str(tmp_path)
        )
    assert sorted(read_back(tmp_path)) == locs(2)


def test_a_loc_in_two_partitions_is_refused_and_the_old_set_stays(spark: Any, tmp_path: Path) -> None:
    write(frame_of(spark), tmp_path)
    before = tree(tmp_path)
    twice = frame_of(spark).union(frame_of(spark, 1, 1))
    with pytest.raises(Exception, match="is in another part too, such as https://example"):
        write(twice, tmp_path)
    assert tree(tmp_path) == before


def test_a_guard_stops_it(spark: Any, tmp_path: Path) -> None:
    write(frame_of(spark), tmp_path)
    before = tree(tmp_path)
    with pytest.raises(Exception, match=r"fewer than the 3,000 of the current set \(shrunk\)"):
        write(frame_of(spark, COUNT // 2), tmp_path)
    assert tree(tmp_path) == before
    write(frame_of(spark, COUNT // 2), tmp_path, allow="shrunk future")
    assert read_back(tmp_path) == locs(COUNT // 2)


# --- tasks that fail ----------------------------------------------------------------------------------------


def spoiled(how: str) -> Any:
    """What a task does before its rows are written: half of them come, and then it ends like that, the first time."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        is_bad = context.partitionId() == 1 and (how == "always" or context.attemptNumber() == 0)
        for number, batch in enumerate(batches):
            if is_bad and number == 1:
                if how == "killed":
                    os._exit(9)
                raise RuntimeError("spoiled")
            yield batch

    return run


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("how", ["killed", "failed"])
def test_a_task_that_ends_half_way_is_tried_again(how: str, spark: Any, tmp_path: Path) -> None:
    write(frame_of(spark), tmp_path / "whole")
    frame = frame_of(spark).mapInArrow(spoiled(how), "loc string, lastmod string")
    write(frame, tmp_path / "set")
    assert names(tmp_path / "set") == names(tmp_path / "whole")
    assert read_back(tmp_path / "set") == locs(COUNT)
    assert own_files(tmp_path / "set") == ["manifest.parquet"]


@pytest.mark.usefixtures("small_batches")
def test_a_task_that_always_fails_leaves_the_old_set_and_nothing_else(spark: Any, tmp_path: Path) -> None:
    write(frame_of(spark), tmp_path)
    before = tree(tmp_path)
    frame = frame_of(spark, partitions=4).mapInArrow(spoiled("always"), "loc string, lastmod string")
    with pytest.raises(Exception, match="spoiled"):
        write(frame, tmp_path)
    assert tree(tmp_path) == before
    assert own_files(tmp_path) == ["manifest.parquet"]


def test_a_refused_row_fails_the_job_unless_refusals_are_collected(spark: Any, tmp_path: Path) -> None:
    frame = frame_of(spark, 20).union(spark.sql("SELECT 'https://other.example/', NULL"))
    with pytest.raises(Exception, match="LOC011"):
        write(frame, tmp_path)
    assert own_files(tmp_path) == []
    write(frame, tmp_path, on_error="collect")
    assert read_back(tmp_path) == locs(20)


def test_to_an_object_store(spark: Any, s3_server: S3Server) -> None:
    dest, options = f"s3a://{s3_server.new_bucket()}/set", s3_server.options
    store = {f"store.{name}": str(value).lower() if value is True else str(value) for name, value in options.items()}
    write(frame_of(spark, 1000), dest, **store)
    found = spark.read.format("sitemap").options(**store).load(dest + "/").select("loc").collect()
    assert [row.loc for row in found] == locs(1000)
