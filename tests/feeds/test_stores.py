"""A feed and an llms.txt in an object store, on a real S3 server, and of a set that a job has written in parts."""

from __future__ import annotations

from pathlib import Path

import pytest
import urlset
from support.jobs import publish_in_parts
from support.s3 import S3Server, s3_server
from urlset import DocumentError, InputError, PublishError
from urlset._stores.open import open_store

__all__ = ["s3_server"]

BASE = "https://tea.example/"
ROWS = [{"loc": "/a", "lastmod": "2026-01-01", "title": "A"}, {"loc": "/b", "lastmod": "2026-01-02", "title": "B"}]


def test_a_bucket_has_the_same_bytes_as_a_folder(s3_server: S3Server, tmp_path: Path) -> None:
    dest, options = f"s3://{s3_server.new_bucket()}/set", s3_server.options
    with pytest.raises(InputError, match="has no published set"):
        urlset.feed(ROWS, dest, title="Tea", store=options)
    bucket = open_store(dest, **options)
    for to, store in ((dest, options), (tmp_path, None)):
        urlset.publish(ROWS, to, base_url=BASE, store=store)
        assert urlset.feed(ROWS, to, title="Tea", store=store).is_written
        assert urlset.llms(ROWS, to, title="Tea", store=store).is_written
        assert not urlset.feed(ROWS, to, title="Tea", store=store).is_written
    for name in ("feed.xml", "llms.txt", ".urlset/lists.json"):
        assert bucket.read(name, 10_000) == (tmp_path / name).read_bytes()
    bucket.put("feed.xml", b"<rss/>")
    with pytest.raises(PublishError, match="replace must be given"):
        urlset.feed(ROWS, dest, title="Tea", store=options)
    assert urlset.feed(ROWS, dest, title="Tea", store=options, replace=True).is_written
    assert urlset.verify(dest, store=options).is_intact


def test_the_rows_of_a_set_in_parts_are_found(tmp_path: Path) -> None:
    rows = [{"loc": f"/{number}", "lastmod": "2020-01-01"} for number in range(20)]
    publish_in_parts([rows[::2], rows[1::2]], tmp_path, allow=["one-lastmod"])
    assert list(tmp_path.glob(".urlset/parts/*.parquet"))
    assert urlset.feed([*rows, "/none"], tmp_path, title="Tea").entries == len(rows)
    assert urlset.llms(rows, tmp_path, title="Tea").unpublished == 0
    for part in tmp_path.glob(".urlset/parts/*.parquet"):
        part.unlink()
    with pytest.raises(DocumentError, match="damaged; publish again"):
        urlset.feed(rows, tmp_path, title="Tea")
