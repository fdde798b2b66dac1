"""Parts of a read in an object store: planned by the beginnings of objects, read object by object."""

from __future__ import annotations

import gzip
import pickle

import pytest
import urlset
from support.s3 import S3Server, s3_server
from support.warc import archive
from urlset.jobs import plan_partitions, scan_partition

from jobs.test_archives import CRAWL
from jobs.test_reading import index, pages

__all__ = ["s3_server"]


@pytest.fixture
def bucket(s3_server: S3Server) -> str:
    name = s3_server.new_bucket()
    s3_server.put(name, "maps/sitemap.xml", index("a.xml", "b.xml.gz", "missing.xml", "empty.xml"))
    s3_server.put(name, "maps/a.xml", pages(0, 10))
    s3_server.put(name, "maps/b.xml.gz", gzip.compress(pages(100, 9_000)))
    s3_server.put(name, "maps/empty.xml", b"")
    s3_server.put(name, "crawl/1.warc.gz", archive(CRAWL))
    return name


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_prefix_is_read_as_by_read(s3_server: S3Server, bucket: str, scheme: str) -> None:
    parts = plan_partitions(f"{scheme}://{bucket}/maps/", min_partitions=9, store=s3_server.options)
    scans = [scan_partition(pickle.loads(pickle.dumps(part)), store=s3_server.options) for part in parts]
    rows = [(entry.loc, entry.document, entry.line) for scan in scans for entry in scan]
    whole = urlset.read(f"s3://{bucket}/maps/", store=s3_server.options)
    assert rows == [(entry.loc, entry.document, entry.line) for entry in whole]
    outcomes = {each.location.rpartition("/")[2]: each for scan in scans for each in scan.outcomes}
    assert outcomes.keys() == {"sitemap.xml", "a.xml", "b.xml.gz", "missing.xml", "empty.xml"}
    assert {name for name, each in outcomes.items() if each.errors} == {"missing.xml", "empty.xml"}
    assert f"(s3://{bucket}/maps/sitemap.xml lists it)" in str(outcomes["missing.xml"].errors[0])
    sizes = {each.path.rpartition("/")[2]: each.bytes for part in parts for each in part.documents}
    assert sizes["a.xml"] == len(pages(0, 10))
    assert sizes["empty.xml"] == sizes["missing.xml"] == 0


def test_an_archive_is_read_from_a_store(s3_server: S3Server, bucket: str) -> None:
    [part] = plan_partitions(f"s3://{bucket}/crawl/*.warc.gz", store=s3_server.options)
    assert len(scan_partition(part, store=s3_server.options).collect()) == 11
