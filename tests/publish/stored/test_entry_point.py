"""The entry point, the manifest and the previous set, damaged: they prove each other, and nothing is forgotten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import urlset
from support.documents import tree
from support.publish import locs, publish, read_back, shards
from support.publish.model import small
from urlset import PublishError
from urlset._stores.folder import FolderStore


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]


@pytest.mark.parametrize("number", [1, 7], ids=["a single document", "an index"])
@pytest.mark.parametrize("style", ["content", "stable"])
def test_any_other_bit_of_the_entry_point_is_repaired(tmp_path: Path, number: int, style: str) -> None:
    """And what was known of the pages is not forgotten."""
    rows = [{"loc": loc, "content": "old"} for loc in locs(number)]
    changed: list[Any] = [{"loc": loc, "content": "new"} for loc in locs(number)]
    with small():
        publish(rows, tmp_path, names=style)
        publish(changed, tmp_path, day=2, names=style)
        good = tree(tmp_path)
        entry_point = tmp_path / "sitemap.xml"
        for place in range(0, len(good["sitemap.xml"]), 7):
            entry_point.write_bytes(flipped(good["sitemap.xml"], place))
            damage = urlset.Damage("sitemap.xml", "has other bytes than were published")
            assert urlset.verify(tmp_path).damage == (damage,)
            again = publish(changed, tmp_path, day=3, names=style)
            assert again.written == ("sitemap.xml",)
            assert tree(tmp_path) == good


@pytest.mark.parametrize("way", ["flipped", "empty", "of another program"])
def test_a_damaged_index_becomes_the_previous_one_as_it_was_published(folder: Path, way: str) -> None:
    good = tree(folder)
    foreign = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/</loc></url></urlset>'
    bad = {"flipped": flipped(good["sitemap.xml"], 60), "empty": b"", "of another program": foreign}[way]
    (folder / "sitemap.xml").write_bytes(bad)
    with small():
        publish(locs(8), folder, day=2)
        assert urlset.verify(folder).is_intact
        urlset.rollback(folder)
    assert {name: data for name, data in tree(folder).items() if name in good} == good


def test_a_damaged_document_never_becomes_the_previous_set(tmp_path: Path) -> None:
    """It cannot be made again, so the set before it stays the previous one."""
    publish(locs(1), tmp_path)
    first = tree(tmp_path)
    publish(locs(2), tmp_path, day=2)
    (tmp_path / "sitemap.xml").write_bytes(flipped((tmp_path / "sitemap.xml").read_bytes(), 60))
    publish(locs(3), tmp_path, day=3)
    assert urlset.verify(tmp_path).is_intact
    urlset.rollback(tmp_path)
    assert {name: tree(tmp_path)[name] for name in first} == first


def test_a_document_that_was_damaged_with_its_manifest_is_made_anew(tmp_path: Path) -> None:
    """Nothing proves then what was published, but a malformed document is not taken for a set of another program."""
    publish(locs(2), tmp_path)
    good = (tmp_path / "sitemap.xml").read_bytes()
    for bad in (good.replace(b"/0.9", b"/0.8"), good.replace(b"</urlset>", b"</urlsex>")):
        (tmp_path / "sitemap.xml").write_bytes(bad)
        (tmp_path / ".urlset" / "manifest.parquet").unlink()
        publish(locs(2), tmp_path, day=2)
        assert (tmp_path / "sitemap.xml").read_bytes() == good
        with pytest.raises(PublishError, match="there is no previous set"):
            urlset.rollback(tmp_path)


def test_a_set_with_a_damaged_document_is_not_recovered_for_a_rollback(folder: Path) -> None:
    (folder / ".urlset" / "manifest.parquet").unlink()
    victim = shards(folder)[0]
    victim.write_bytes(victim.read_bytes()[:60])
    with small():
        publish(locs(7, "other"), folder, day=2)
    assert urlset.verify(folder).is_intact
    with pytest.raises(PublishError, match="there is no previous set"):
        urlset.rollback(folder)


@pytest.mark.parametrize(("method", "name"), [("put", ".urlset/previous.xml"), ("rename", ".urlset/next.parquet")])
def test_an_entry_point_that_is_damaged_during_a_commit_is_made_again(folder: Path, method: str, name: str) -> None:
    """The documents of the set to come are all there, so the commit is completed."""
    whole: Callable[..., None] = getattr(FolderStore, method)

    def torn(store: FolderStore, first: str, *others: Any) -> None:
        if first == name:
            raise PublishError("the power is gone")
        whole(store, first, *others)

    with small(), patch.object(FolderStore, method, torn), pytest.raises(PublishError):
        publish(locs(8), folder, day=2)
    (folder / "sitemap.xml").write_bytes(b"")
    with small():
        again = publish(locs(8), folder, day=2)
        assert (again.plan.added, again.written) == (0, ("sitemap.xml",))
        assert read_back(folder) == locs(8)
        urlset.rollback(folder)
    assert read_back(folder) == locs(7)


def test_a_damaged_stable_document_dates_no_page_after_the_manifest_is_lost(tmp_path: Path) -> None:
    """The entry point has a hash over all documents: if it is not right, their lastmods are not believed."""
    columns = {"content": "text"}
    options: dict[str, Any] = {"names": "stable", "compression": "none", "columns": columns}
    with small():
        for day, text in enumerate(["old", "new"], 1):
            publish([{"loc": loc, "text": text} for loc in locs(7)], tmp_path, day, **options)
        (tmp_path / ".urlset" / "manifest.parquet").unlink()
        rows = [{"loc": loc, "text": "new"} for loc in locs(7)]
        right = publish(rows, tmp_path, day=3, **options, dry_run=True).plan
        assert right.lastmod_sources == {"published": 7}
        victim = shards(tmp_path)[1]
        victim.write_bytes(victim.read_bytes().replace(b"2024-01-02", b"2024-01-03"))
        found = publish(rows, tmp_path, day=3, **options).plan
    assert found.lastmod_sources == {"none": 7}


@pytest.mark.parametrize("name", ["previous.parquet", "previous.xml"])
def test_verify_looks_at_the_previous_manifest(folder: Path, name: str) -> None:
    with small():
        publish(locs(8), folder, day=2)
    path = folder / ".urlset" / name
    path.write_bytes(flipped(path.read_bytes(), 50))
    [found] = urlset.verify(folder).damage
    assert (found.name, found.is_previous) == (f".urlset/{name}", True)
    with pytest.raises(PublishError, match="there is no previous set"):
        urlset.rollback(folder)


def test_a_rerun_mends_rows_of_the_manifest(folder: Path) -> None:
    good, path = tree(folder), folder / ".urlset" / "manifest.parquet"
    path.write_bytes(flipped(path.read_bytes(), 100))
    assert [each.name for each in urlset.verify(folder).damage] == [".urlset/manifest.parquet"]
    with small():
        assert publish(locs(7), folder, day=1).written == ()
        assert urlset.verify(folder).is_intact
    served = {name: data for name, data in good.items() if not name.startswith(".urlset/")}
    assert {name: tree(folder)[name] for name in served} == served
