"""Jobs whose tasks do all of the work: what they leave behind, also when something goes wrong on the way."""

from __future__ import annotations

import gzip
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from jobs.test_reading import broken, index, pages
from support.contrib.spark import PACKAGE
from support.s3 import S3Server

pytestmark = pytest.mark.long


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    names = [f"{number}.xml" for number in range(6)]
    (folder / "sitemap.xml").write_bytes(index(*names))
    for number, name in enumerate(names):
        (folder / name).write_bytes(pages(number * 1000, 1000))
    return folder


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_scan_to_parquet_writes_what_read_reads(spark: Any, site: Path, tmp_path: Path) -> None:
    from urlset.contrib.spark import scan_to_parquet

    done = scan_to_parquet(spark, str(site), str(tmp_path / "out"), min_partitions=3)
    assert files_below(tmp_path / "out") == sorted(["_SUCCESS", *done.files])
    assert (done.rows, done.documents, done.broken, done.errors) == (6000, 7, 0, ())
    assert done.bytes == sum((tmp_path / "out" / name).stat().st_size for name in done.files)
    mine = urlset.read(site)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("mine", mine)
        files = f"read_parquet('{tmp_path}/out/*.parquet')"
        columns = ", ".join(mine.to_arrow().column_names)
        text = f"SELECT {columns.replace('changefreq', 'changefreq::VARCHAR').replace('kind', 'kind::VARCHAR')}"
        for first, second in (("mine", files), (files, "mine")):
            assert connection.execute(f"{text} FROM {first} EXCEPT {text} FROM {second}").fetchall() == []
    assert spark.read.parquet(str(tmp_path / "out")).count() == 6000
    with pytest.raises(urlset.InputError, match="has Parquet files already, such as part-00000-"):
        scan_to_parquet(spark, str(site), str(tmp_path / "out"))


def test_broken_documents_are_counted(spark: Any, tmp_path: Path) -> None:
    from urlset.contrib.spark import scan_to_parquet

    found = broken(tmp_path)
    paths = [str(found[name]) for name in ("page", "cut", "empty", "whole")]
    done = scan_to_parquet(spark, paths, str(tmp_path / "out"), columns=["loc", "line"], compression="snappy")
    assert (done.documents, done.broken) == (4, 3)
    assert all(any(str(found[name]) in error for error in done.errors) for name in ("page", "cut", "empty"))
    assert done.rows == len(urlset.read(paths))
    with pytest.raises(Exception, match="not a sitemap"):
        scan_to_parquet(spark, paths, str(tmp_path / "failed"), strict=True)
    assert not files_below(tmp_path / "failed")


def test_scan_to_parquet_into_a_bucket(spark: Any, site: Path, s3_server: S3Server) -> None:
    from urlset.contrib.spark import scan_to_parquet
    from urlset.contrib.spark.parquet import ParquetJob

    bucket = s3_server.new_bucket()
    dest, store = f"s3://{bucket}/entries", s3_server.options
    done = scan_to_parquet(spark, str(site), dest, columns=["loc"], min_partitions=2, store=store)
    assert done.rows == 6000
    assert ParquetJob(dest, "x", None, "zstd", store)._objects().list("") == sorted(["_SUCCESS", *done.files])
    status, _, data = s3_server.ask("GET", f"/{bucket}/entries/{done.files[0]}")
    assert (status, data[:4], data[-4:]) == (200, b"PAR1", b"PAR1")
    with pytest.raises(urlset.InputError, match="has Parquet files already"):
        scan_to_parquet(spark, str(site), dest, store=store)


def test_an_attempt_that_is_repeated_or_killed_leaves_nothing(site: Path, tmp_path: Path) -> None:
    from urlset.contrib.spark.options import ReadOptions
    from urlset.contrib.spark.parquet import ParquetJob
    from urlset.jobs import plan_partitions

    job = ParquetJob.begin(str(tmp_path / "out"), ["loc"], "zstd", None)
    [part] = plan_partitions(str(site))
    copy = pickle.loads(pickle.dumps(job))
    first = copy.write(part, ReadOptions(()), 1)
    second = copy.write(part, ReadOptions(()), 2)
    (tmp_path / "out" / "_temporary" / job.id / "0-3.parquet").write_bytes(b"PAR1 half a file")
    assert first | {"file": second["file"]} == second
    other = ParquetJob.begin(str(tmp_path / "out"), ["loc"], "zstd", None)
    other.write(part, ReadOptions(()), 1)
    names = job.commit([second])
    assert files_below(tmp_path / "out") == sorted(["_SUCCESS", *names, f"_temporary/{other.id}/0-1.parquet"])
    other.abort()
    assert files_below(tmp_path / "out") == sorted(["_SUCCESS", *names])


#: A driver whose disk, and that of its tasks, refuses to let any file grow beyond 2 MB, as a full one does.
FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from support.contrib.spark import session
from urlset.contrib.spark import scan_to_parquet
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
with session("local[2]") as spark:
    try:
        scan_to_parquet(spark, sys.argv[1], sys.argv[2], columns=["loc"], compression="none", min_partitions=2)
    except Exception as error:
        print(error)
"""


def test_a_full_disk_fails_the_job_and_leaves_nothing(spark: Any, tmp_path: Path) -> None:
    from urlset.contrib.spark import scan_to_parquet

    folder, out = tmp_path / "site", tmp_path / "out"
    folder.mkdir()
    (folder / "sitemap.xml").write_bytes(index("small.xml", "large.xml"))
    (folder / "small.xml").write_bytes(pages(0, 10))
    (folder / "large.xml").write_bytes(pages(10, 100_000))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(Path(__file__).parents[2])])}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FULL, str(folder), str(out)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"File too large: '.*/_temporary/[0-9a-f]+/[0-9]+-[0-9]+\.parquet'", done.stdout), done.stdout
    assert files_below(out) == []
    assert scan_to_parquet(spark, str(folder), str(out), columns=["loc"]).rows == 100_010


def test_lint_finds_what_lint_finds(spark: Any, tmp_path: Path) -> None:
    from urlset.contrib.spark import lint

    (tmp_path / "sitemap.xml").write_bytes(index("a.xml", "b.xml.gz"))
    (tmp_path / "a.xml").write_bytes(
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/tea</loc><priority>2</priority></url>'
        b"<url><loc>https://shop.example/?a=1&b=2</loc><lastmod>2026-1-3</lastmod></url></urlset>"
    )
    (tmp_path / "b.xml.gz").write_bytes(gzip.compress(pages(0, 100)[:-30]))
    report = urlset.lint(tmp_path, rules=urlset.Rules(profile="google"))
    rows = lint(spark, str(tmp_path), min_partitions=3, rules=urlset.Rules(profile="google")).collect()
    found = [(row.code, row.severity, row.message, row.document, row.line, row.column, row.more) for row in rows]
    assert len({row.code for row in rows}) >= 4
    assert found == [
        (each.code, each.severity, each.message, each.location, each.line, each.column, each.more) for each in report
    ]
    frame = lint(spark, str(tmp_path), min_partitions=3)
    (tmp_path / "a.xml").unlink()
    [missing] = frame.where("code is null").collect()
    assert missing.document == str(tmp_path / "a.xml")
    assert "No such file" in missing.message
