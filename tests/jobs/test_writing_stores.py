"""A set that is written in parts to an object store: nothing of the job stays, and documents are served as usual."""

from __future__ import annotations

from typing import Any

import pytest
import urlset
from support.jobs import job, publish_in_parts, write, written
from support.publish import BASE, DAY, locs
from support.publish.model import small
from support.s3 import S3Server, s3_server
from support.stores import FOR_GOOD, FOR_NOW, NEVER, headers_of
from urlset import PublishError, Section
from urlset._stores.open import open_store

__all__ = ["s3_server"]

PARTS = [locs(7, "a"), locs(3, "b"), []]


@pytest.fixture
def bucket(s3_server: S3Server) -> str:
    return s3_server.new_bucket()


def names(dest: str, options: dict[str, Any]) -> list[str]:
    """What is in the store."""
    return open_store(dest, **options).list("")


def test_a_job_in_an_object_store(s3_server: S3Server, bucket: str) -> None:
    dest, options = f"s3://{bucket}/set", s3_server.options
    with small(3):
        published = write(PARTS, dest, store=options)
        shards = [shard.name for shard in published.shards]
        there = names(dest, options)
        assert [name for name in there if not name.startswith(".urlset/")] == sorted([*shards, "sitemap.xml"])
        own = [name.rpartition("-")[2] for name in there if name.startswith(".urlset/")]
        assert own == [".urlset/manifest.parquet", "00000.parquet", "00001.parquet", ".urlset/stamps.json"]
        assert [entry.loc for entry in urlset.read(dest + "/", store=options)] == [*PARTS[0], *PARTS[1]]
        assert urlset.verify(dest, store=options).is_intact
        assert write(PARTS, dest, 2, store=options).written == ()
        assert names(dest, options) == there
        sections = {f"{number:05}": Section(rows) for number, rows in enumerate(PARTS)}
        later = urlset.publish(sections, dest, base_url=BASE, now=DAY[2], store=options)
        assert (later.plan.same, later.plan.moved, later.plan.recovered) == (10, 0, False)


def test_documents_are_served_as_those_of_a_publish(s3_server: S3Server, bucket: str) -> None:
    published = write(PARTS, f"s3://{bucket}/set", store=s3_server.options)
    shard = headers_of(s3_server, f"/{bucket}/set/{published.shards[0].name}")
    assert (shard["content-type"], shard["cache-control"]) == ("application/gzip", FOR_GOOD)
    assert headers_of(s3_server, f"/{bucket}/set/sitemap.xml")["cache-control"] == FOR_NOW
    assert headers_of(s3_server, f"/{bucket}/set/.urlset/manifest.parquet")["cache-control"] == NEVER


def test_a_set_in_an_object_store_is_compared_and_continued(s3_server: S3Server, bucket: str) -> None:
    dest, options = f"s3://{bucket}/set", s3_server.options
    with small(3):
        first = publish_in_parts([locs(9)], dest, 1, parts=2, store=options)
        there = names(dest, options)
        again = publish_in_parts([locs(9)], dest, 2, parts=2, store=options)
        assert (again.written, again.plan.same) == ((), 9)
        assert names(dest, options) == there
        more = publish_in_parts([locs(10)], dest, 3, parts=2, store=options)
    assert (more.plan.same, more.plan.added, more.plan.moved) == (9, 1, 0)
    assert len({shard.name for shard in first.shards} & {shard.name for shard in more.shards}) >= len(first.shards) - 1
    assert urlset.verify(dest, store=options).is_intact
    assert not [name for name in names(dest, options) if name.startswith(".urlset/jobs/")]


def test_nothing_stays_after_an_abort_or_a_refusal(s3_server: S3Server, bucket: str) -> None:
    dest, options = f"s3://{bucket}/set", s3_server.options
    work = job(dest, store=options)
    written(work, PARTS)
    assert len(names(dest, options)) == 4
    work.abort()
    assert names(dest, options) == []
    with pytest.raises(PublishError, match="is in another part too"):
        write([PARTS[0], PARTS[0][1:]], dest, store=options)
    assert names(dest, options) == []


def test_a_job_waits_for_nobody_who_publishes(s3_server: S3Server, bucket: str) -> None:
    dest, options = f"s3://{bucket}/set", s3_server.options
    work = job(dest, store=options)
    facts = written(work, PARTS)
    with open_store(dest, **options).lock(), pytest.raises(PublishError, match=r"another publish into .* is running"):
        work.commit(facts)
    assert names(dest, options) == []
