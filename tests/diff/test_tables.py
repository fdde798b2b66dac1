"""The two sets of a diff: documents of every kind, published folders and manifests."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.diff import DAY, LASTMODS, LOCS, SITE, check, xml
from support.jobs import write
from support.properties import times
from support.publish import locs
from support.publish.model import small
from support.reading import index_of, urlset_of
from urlset import FetchError, InputError, diff
from urlset._stores.seal import BLANK, KEY, seal

pa: Any = import_module("pyarrow")

Row = tuple[str, str | None]


# --- published sets, and manifests --------------------------------------------------------------------------


def publish(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """A published folder."""
    urlset.publish(rows, folder, base_url=SITE, now=DAY)
    return folder


def pages(count: int) -> list[dict[str, Any]]:
    """Rows of so many pages, each of a minute of its own."""
    begun = datetime(2025, 1, 1, tzinfo=UTC)
    return [{"loc": f"{SITE}{number}", "lastmod": begun + timedelta(minutes=number)} for number in range(count)]


def test_published_sets_are_read_through_their_indexes(tmp_path: Path) -> None:
    rows = pages(5_010)
    later = [{**row, "lastmod": "2026-01-02"} for row in rows[100:200]]
    with small(5_000):
        old = publish(tmp_path / "old", rows)
        new = publish(tmp_path / "new", [*rows[:100], *later, *rows[300:], {"loc": f"{SITE}new"}])
    assert len(list(old.glob("sitemap-*"))) == 2
    with diff(old, new) as found:
        assert (found.added, found.removed, found.changed, found.same) == (1, 100, 100, 5_010 - 200)
        check(found, list(urlset.read(old)), list(urlset.read(new)))
    with diff(old, str(old / "sitemap.xml")) as found:
        assert not found


def manifest(path: Path, rows: Sequence[tuple[Any, ...]], *, version: str | None = "1") -> Path:
    """A manifest of loc, lastmod, entry_hash, and whether the page is gone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rows (loc VARCHAR, lastmod VARCHAR, entry_hash UBIGINT, gone TIMESTAMPTZ)")
        for loc, lastmod, entry_hash, is_gone in rows:
            row = [loc, lastmod, entry_hash, DAY if is_gone else None]
            connection.execute("INSERT INTO rows VALUES (?, ?, ?, ?)", row)
        said = {} if version is None else {"urlset.manifest": version, "urlset.base_url": SITE}
        metadata = ", ".join(f"'{name}': '{text}'" for name, text in {**said, KEY: BLANK}.items())
        connection.execute(
            f"COPY (SELECT loc, '' AS section, 'shard' AS shard, entry_hash, lastmod, 'column' AS lastmod_source,"
            " '' AS content, gone AS first_seen, gone AS last_seen, gone FROM rows)"
            f" TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT parquet, KV_METADATA {{{metadata}}})"
        )
    seal(path)
    return path


def test_the_content_of_two_manifests_that_publish_wrote(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"loc": f"{SITE}{name}"} for name in "abc"]
    old = publish(tmp_path / "old", rows) / ".urlset" / "manifest.parquet"
    new = publish(tmp_path / "new", [*rows[:2], {**rows[2], "priority": 0.5}]) / ".urlset" / "manifest.parquet"
    with diff(old, new, compare=["content"]) as found:
        assert [(change.change, change.loc) for change in found] == [("changed", f"{SITE}c")]
    with diff(old, new) as found:
        assert not found


def test_two_manifests(tmp_path: Path) -> None:
    old = manifest(
        tmp_path / "old.parquet",
        [
            ("a", "2026-01-01", 1, False),
            ("b", "2026-01-01T00:00:00Z", 2, False),
            ("c", "2026", 3, False),
            ("d", None, 4, False),
            ("e", "2026-01-01", 5, False),
            ("f", None, 6, True),
            (None, None, 7, False),
        ],
    )
    new = manifest(
        tmp_path / "new.parquet",
        [
            ("a", "2026-01-01", 1, False),
            ("b", "2026-01-01T02:00:00+02:00", 2, False),
            ("c", "2026-01", 3, False),
            ("d", None, 5, False),
            ("e", "2026-01-01", 5, True),
            ("f", "2026-01-01", 6, False),
        ],
    )
    e = ("e", "removed", "2026-01-01", None, ())
    f = ("f", "added", None, "2026-01-01", ())
    with diff(old, new) as found:
        assert [astuple(change) for change in found] == [("c", "changed", "2026", "2026-01", ("lastmod",)), e, f]
        assert (found.old_entries, found.new_entries, found.same) == (6, 5, 3)
        assert (found.without_loc_old, found.without_loc_new, found.duplicates_old) == (1, 0, 0)
    for compare in ("all", ["content", "lastmod"]):
        with diff(old, new, compare=compare) as found:
            assert found.compared == ("lastmod", "content")
            assert [(change.loc, change.fields) for change in found] == [
                *(("c", ("lastmod",)), ("d", ("content",)), ("e", ()), ("f", ()))
            ]
    with diff(old, new, compare=["content"]) as found:
        assert [change.loc for change in found] == ["d", "e", "f"]


@given(st.lists(st.tuples(LOCS, LASTMODS), max_size=8, unique_by=lambda row: row[0]))
@times(30)
def test_a_manifest_and_a_document_that_say_the_same(rows: list[tuple[str, str | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        known = manifest(Path(folder, "manifest.parquet"), [(loc, lastmod, 1, False) for loc, lastmod in rows])
        for old, new in ((known, xml(*rows)), (xml(*rows), known)):
            with diff(old, new) as found:
                assert list(found) == []
                assert found.same == len(rows)


@given(*[st.lists(st.tuples(LOCS, LASTMODS), max_size=12)] * 2)
@times(60)
def test_manifests_differ_as_their_documents_do(old: list[Row], new: list[Row]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sides = (("old", old), ("new", new))
        known = [
            manifest(Path(folder, side), [(loc, lastmod, 1, False) for loc, lastmod in rows]) for side, rows in sides
        ]
        documents = [xml(*rows) for _, rows in sides]
        with diff(*documents) as expected:
            check(expected, list(urlset.read(documents[0])), list(urlset.read(documents[1])))
            # Where content is compared as well, no row says nothing but a lastmod, and SQL compares them.
            for compare in (["lastmod"], ["lastmod", "content"]):
                with diff(*known, compare=compare) as found:
                    assert list(found) == list(expected)
                    assert (found.same, found.duplicates_old) == (expected.same, expected.duplicates_old)


def test_more_rows_than_are_kept_together(tmp_path: Path) -> None:
    # Of every kind some: the same, moved, moved with a text that names no date, there twice, gone and new.
    numbers = range(30_000)
    old = [(f"{SITE}{number}", "2026-01-01") for number in numbers if number % 900 != 7]
    days = ["2026-01-01", "2026-01-02", "2026-01-01T00:00:00Z", "soon", None]
    new = [(f"{SITE}{number}", days[number % 5] if number % 700 < 9 else days[0]) for number in numbers]
    new += [(f"{SITE}{number}", "2026-01-03") for number in numbers[::4_001]]
    del new[::1_003]
    documents = [xml(*old), xml(*new)]
    entries = [list(urlset.read(document)) for document in documents]
    for one, two in ((0, 1), (1, 0)):
        with diff(documents[one], documents[two]) as found:
            assert min(found.added, found.removed, found.changed) > 0
            check(found, entries[one], entries[two])
        with diff(documents[one], documents[two], compare=["lastmod", "priority"]) as found:
            check(found, entries[one], entries[two])
        with diff(documents[one], documents[two], compare=["priority"]) as found:
            assert (found.changed, found.added > 0) == (0, True)


def test_where_it_runs_does_not_matter(tmp_path: Path) -> None:
    rows = [("a", "2026-01-01"), ("b", "2026"), ("c", "2026-01-01T00:00:00Z")]
    known = manifest(tmp_path / "manifest.parquet", [(*row, 1, False) for row in rows])
    (tmp_path / "sitemap.xml").write_bytes(xml(*rows))
    script = "import sys; import urlset; print(len(urlset.diff(*sys.argv[1:])))"
    ended = subprocess.run(
        [sys.executable, "-c", script, str(known), str(tmp_path)],
        env={**os.environ, "TZ": "America/New_York"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "0\n"


def test_a_published_folder_against_its_own_manifest(tmp_path: Path) -> None:
    folder = publish(tmp_path / "set", [*pages(3), {"loc": SITE + "é?a=1&b=2", "lastmod": DAY.date()}, {"loc": SITE}])
    known = folder / ".urlset" / "manifest.parquet"
    with diff(known, folder) as found:
        assert (found.same, list(found)) == (5, [])


def test_a_manifest_is_recognised_by_its_content_and_its_name_is_not_a_pattern(tmp_path: Path) -> None:
    rows = [("a", None, 1, False)]
    old = manifest(tmp_path / "[1]" / "it's * a?.xml", rows)
    manifest(tmp_path / "1" / "it's  ab.xml", [("b", None, 1, False)])
    with diff(old, xml(("a", None))) as found:
        assert not found


def test_parquet_without_a_manifest_is_refused(tmp_path: Path) -> None:
    document = xml(("a", None))
    with pytest.raises(InputError, match=r"rows.parquet is Parquet, but not a manifest of urlset: name a sitemap"):
        diff(manifest(tmp_path / "rows.parquet", [], version=None), document)
    with pytest.raises(InputError, match=r"a manifest of version 3, not 1 or 2"):
        diff(document, manifest(tmp_path / "later.parquet", [], version="3"))
    said = f"{{'urlset.manifest': '1', '{KEY}': '{BLANK}'}}"
    duckdb.sql(f"COPY (SELECT 1 AS loc) TO '{tmp_path}/poor.parquet' (KV_METADATA {said})")
    seal(tmp_path / "poor.parquet")
    with pytest.raises(InputError, match=r"poor.parquet cannot be read as a manifest: Binder Error: .*gone"):
        diff(tmp_path / "poor.parquet", document)
    whole = manifest(tmp_path / "whole.parquet", [("a", None, 1, False)]).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[:-9])
    with pytest.raises(InputError, match=r"cut.parquet cannot be read as a manifest"):
        diff(document, tmp_path / "cut.parquet")


@pytest.mark.parametrize("place", [10, -200])
def test_one_changed_bit_of_a_manifest_is_damage(tmp_path: Path, place: int) -> None:
    known = manifest(tmp_path / "manifest.parquet", [("a", None, 1, False)])
    content = bytearray(known.read_bytes())
    content[place] ^= 1
    known.write_bytes(content)
    with pytest.raises(InputError, match=r"manifest.parquet is damaged: its checksum is wrong; publish again"):
        diff(xml(("a", None)), known)


def test_one_changed_bit_in_a_part_of_a_manifest_is_damage(tmp_path: Path) -> None:
    write([locs(5)], tmp_path)
    (part,) = (tmp_path / ".urlset" / "parts").iterdir()
    content = bytearray(part.read_bytes())
    content[10] ^= 1
    part.write_bytes(content)
    with pytest.raises(InputError, match=rf"{part.name} is damaged: its checksum is wrong"):
        diff(xml(("a", None)), tmp_path / ".urlset" / "manifest.parquet")


def test_fields_that_a_manifest_does_not_have_cannot_be_compared(tmp_path: Path) -> None:
    known = manifest(tmp_path / "manifest.parquet", [("a", None, 1, False)])
    document = xml(("a", None))
    for compare in ("all", ["priority"]):
        with pytest.raises(InputError, match=r"a manifest has no (changefreq|priority): compare the pub"):
            diff(known, document, compare=compare)
    with pytest.raises(InputError, match=r"has no images"):
        diff(known, known, compare=["images"])
    for old, new in ((known, document), (document, document)):
        with pytest.raises(InputError, match=r"compare can name content only if both sets are manifests"):
            diff(old, new, compare=["content"])


# --- what a set is ------------------------------------------------------------------------------------------


def test_sources_of_all_kinds(tmp_path: Path) -> None:
    locs = [f"{SITE}{page}" for page in "abc"]
    (tmp_path / "list.txt").write_text("\n".join(locs))
    (tmp_path / "packed.xml.gz").write_bytes(gzip.compress(urlset_of(*locs)))
    (tmp_path / "robots.txt").write_text(f"Sitemap: {SITE}packed.xml.gz\nSitemap: {SITE}list.txt\n")
    (tmp_path / "nested.xml").write_bytes(index_of(SITE + "packed.xml.gz"))
    # One document that two lead to is read once.
    (tmp_path / "sitemap.xml").write_bytes(index_of(SITE + "nested.xml", SITE + "packed.xml.gz"))
    sources = [
        *(tmp_path, str(tmp_path / "list.txt"), tmp_path / "packed.xml.gz", urlset_of(*locs)),
        *(
            bytearray(urlset_of(*locs)),
            io.BytesIO(urlset_of(*locs)),
            [urlset_of(*locs[:2])[:60], urlset_of(*locs)[60:]],
        ),
    ]
    for source in sources:
        with diff(urlset_of(*locs), source) as found:  # type: ignore[arg-type]
            assert (found.same, found.new_entries, bool(found)) == (3, 3, False)
    with diff(tmp_path / "robots.txt", tmp_path) as found:
        assert (found.same, found.old_entries, found.duplicates_old, found.duplicates_new) == (3, 6, 3, 0)
    with diff(b"", b"") if False else diff(urlset_of(), urlset_of()) as found:
        assert (found.same, len(found)) == (0, 0)
    # An index that is given as bytes has no children beside it, so that what it lists is not known.
    with (
        pytest.raises(FetchError, match="could not be followed"),
        diff(index_of(SITE + "1.xml"), urlset_of(), strict=True),
    ):
        pass


def test_feeds_are_sets_as_well() -> None:
    item = "<item><link>https://example.com/1</link><pubDate>Thu, 01 Jan 2026 01:00:00 +0100</pubDate></item>"
    feed = f'<rss version="2.0"><channel>{item}</channel></rss>'.encode()
    with diff(feed, xml((SITE + "1", "2026-01-01T00:00:00Z"))) as found:
        assert found.same == 1


def test_many_small_documents(tmp_path: Path) -> None:
    names = [f"{number}.xml" for number in range(300)]
    for name in names:
        (tmp_path / name).write_bytes(urlset_of(*(f"{SITE}{name}/{page}" for page in range(3))))
    (tmp_path / "sitemap.xml").write_bytes(index_of(*(SITE + name for name in names)))
    with diff(urlset_of(), tmp_path) as found:
        assert (found.added, found.new_entries) == (900, 900)
        locs = [change.loc for change in found]
        assert locs == sorted(locs)
