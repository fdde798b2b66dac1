"""The rows of a manifest that are written while the documents are made are those that would be written after it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
import urlset
from support.documents import tree
from support.publish import BASE, DAY
from support.publish.model import small
from urlset import Checks, PublishError
from urlset._publish.commit import staging
from urlset._publish.plan import in_core_plan
from urlset._publish.stored import manifest

ROWS = [{"loc": f"/{number:03}", "lastmod": "2023-01-02"} for number in range(20)]


def publish(rows: list[dict[str, str]], folder: Path, day: int = 1, *, is_beside: bool = True) -> urlset.Publication:
    checks = Checks(allow=["shrunk", "one-lastmod"])
    with patch.object(in_core_plan, "_MANY", 1 if is_beside else 1_000), small():
        return urlset.publish(rows, folder, base_url=BASE, now=DAY[day - 1], checks=checks)


def files(folder: Path) -> dict[str, bytes]:
    """All files but the stamps, which say when a file was written."""
    return {name: data for name, data in tree(folder).items() if name != ".urlset/stamps.json"}


def test_the_manifest_is_the_same(tmp_path: Path) -> None:
    """At first, after a change, with rows that are gone, and when nothing has changed."""
    changed = [{**ROWS[0], "lastmod": "2023-02-03"}, *ROWS[1:], {"loc": "/new"}]
    for day, rows in enumerate((ROWS, changed, changed[3:], changed[3:], ROWS), 1):
        found = publish(rows, tmp_path / "beside", day)
        expected = publish(rows, tmp_path / "after", day, is_beside=False)
        assert found.plan == expected.plan
        assert files(tmp_path / "beside") == files(tmp_path / "after")


def test_rows_are_written_on_another_thread(tmp_path: Path) -> None:
    threads = set()
    write = manifest.ManifestWriter.write

    def noted(writer: manifest.ManifestWriter, *tables: Any) -> None:
        threads.add(threading.current_thread() is threading.main_thread())
        write(writer, *tables)

    with patch.object(manifest.ManifestWriter, "write", noted):
        publish(ROWS, tmp_path / "set")
        assert threads == {False, True}  # what is gone is written on this one
        threads.clear()
        publish([*ROWS, {"loc": "/new"}], tmp_path / "set", 2, is_beside=False)
        assert threads == {True}


def test_a_failure_of_documents_ends_the_writing_of_rows(tmp_path: Path) -> None:
    publish(ROWS, tmp_path / "set")
    before, running = tree(tmp_path / "set"), threading.active_count()
    begun, is_cancelled = threading.Event(), threading.Event()

    def waiting(_: manifest.ManifestWriter, *tables: Any) -> None:
        assert tables
        begun.set()
        assert is_cancelled.wait(60)
        raise PublishError("the rows are not needed")

    def failing(*_: Any) -> Any:
        assert begun.wait(60)
        raise PublishError("the disk is full")

    with (
        patch.object(manifest.ManifestWriter, "write", waiting),
        patch.object(manifest.ManifestWriter, "cancel", lambda _: is_cancelled.set()),
        patch.object(staging, "stage_shards", failing),
        pytest.raises(PublishError, match="the disk is full"),
    ):
        publish(ROWS[1:], tmp_path / "set", 2)
    assert (tree(tmp_path / "set"), threading.active_count()) == (before, running)


def test_a_failure_of_rows_fails_the_publish(tmp_path: Path) -> None:
    publish(ROWS, tmp_path / "set")
    before = tree(tmp_path / "set")

    def failing(_: manifest.ManifestWriter, *tables: Any) -> None:
        assert tables
        raise PublishError("the disk is full")

    with (
        patch.object(manifest.ManifestWriter, "write", failing),
        pytest.raises(PublishError, match="the disk is full"),
    ):
        publish(ROWS[1:], tmp_path / "set", 2)
    assert tree(tmp_path / "set") == before


def test_a_cancelled_manifest_takes_no_rows(tmp_path: Path) -> None:
    writer = manifest.ManifestWriter(tmp_path / "rows.parquet")
    known = tmp_path / "set"
    publish(ROWS, known)

    rows = pq.read_table(known / manifest.MANIFEST)
    writer.write(rows)
    writer.cancel()
    with pytest.raises(RuntimeError, match="nobody needs this manifest"):
        writer.write(rows)
    with pytest.raises(PublishError, match="has ended"):
        writer.finish(None)
