"""`publish`: how rows become a set, and what the next set changes.

Why a publish fails is in commit/test_failures.py, what happens when it is killed in commit/test_crash.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import BYTES_PER_DOCUMENT, ENTRIES_PER_DOCUMENT, FOOT, HEAD, IMAGE, tree, violations
from support.publish import BASE, DAY, document, exact_locs, index, locs, names, publish, read_back
from support.publish.model import small
from urlset import EntryError, InputError, Publication, SitemapEntry, UrlEntry
from urlset._model.plan import Plan, PlannedShard

pa: Any = import_module("pyarrow")
# With `small`, a set of three shards.
MANY = locs(7)
HEAD_OF_IMAGES = HEAD.replace('0.9">', f'0.9" xmlns:image="{IMAGE}">')

# --- a set --------------------------------------------------------------------------------------------------


def test_what_fits_one_document_is_one_document(tmp_path: Path) -> None:
    rows: list[str | UrlEntry] = [
        BASE,
        UrlEntry(BASE + "a", lastmod="2024-01", priority=0.5, images=[BASE + "i.png"]),
    ]
    publication = publish(rows, tmp_path)
    assert names(tmp_path) == {"sitemap.xml"}
    urlset.write(rows, tmp_path / "expected.xml")
    assert document(tmp_path / "sitemap.xml") == document(tmp_path / "expected.xml")
    size = (tmp_path / "sitemap.xml").stat().st_size
    assert publication == Publication(
        location=str(tmp_path / "sitemap.xml"),
        url="https://example.com/sitemap.xml",
        urls=("https://example.com/sitemap.xml",),
        entries=2,
        shards=(urlset.Shard("sitemap.xml", BASE + "sitemap.xml", 2, size, size, DAY[0]),),
        written=("sitemap.xml",),
        unchanged=(),
        removed=(),
        refused=0,
        refused_by_code={},
        refusals=(),
        corrected=0,
        corrected_by_code={},
        corrections=(),
        unused_columns=(),
        plan=Plan(
            entries=2,
            added=2,
            changed=0,
            removed=0,
            moved=0,
            same=0,
            rows=2,
            duplicates=0,
            normalized=0,
            refused=0,
            refused_by_code={},
            lastmod_sources={"column": 1, "none": 1},
            shards=(PlannedShard("0001", "", "new", 2, 0, 2, 0, 0, size - len(HEAD_OF_IMAGES + FOOT)),),
            guards=(),
        ),
    )
    assert list(urlset.read(tmp_path)) == [UrlEntry(BASE), rows[1]]


@pytest.mark.parametrize(
    ("limit", "count", "sizes"),
    [
        (3, 3, [3]),
        (3, 4, [3, 1]),
        (3, 6, [3, 3]),
        (3, 7, [3, 3, 1]),
        (ENTRIES_PER_DOCUMENT, 50_000, [50_000]),
        (ENTRIES_PER_DOCUMENT, 50_001, [50_000, 1]),
        pytest.param(ENTRIES_PER_DOCUMENT, 100_000, [50_000, 50_000], marks=pytest.mark.long),
        pytest.param(ENTRIES_PER_DOCUMENT, 100_001, [50_000, 50_000, 1], marks=pytest.mark.long),
    ],
)
def test_a_shard_ends_at_the_limit_of_entries(tmp_path: Path, limit: int, count: int, sizes: list[int]) -> None:
    with small(limit):
        publication = publish(locs(count), tmp_path)
    assert [shard.entries for shard in publication.shards] == sizes
    assert publication.entries == count
    assert len(names(tmp_path)) == (1 if len(sizes) == 1 else len(sizes) + 1)
    assert read_back(tmp_path) == locs(count)
    for name in names(tmp_path):
        assert violations(document(tmp_path / name)) == []


# Short tests of the limit of bytes, with documents of few and large rows, are in test_plan.py.


@pytest.mark.long
def test_a_shard_ends_at_52_428_800_bytes(tmp_path: Path) -> None:
    rows = exact_locs(BYTES_PER_DOCUMENT)
    assert [shard.bytes for shard in publish(rows, tmp_path).shards] == [BYTES_PER_DOCUMENT]
    assert (tmp_path / "sitemap.xml").stat().st_size == BYTES_PER_DOCUMENT

    longer = [*rows[:-1], rows[-1] + "x"]
    publication = publish(longer, tmp_path, compression="none")
    assert [shard.entries for shard in publication.shards] == [len(rows) - 1, 1]
    for shard in publication.shards:
        assert (tmp_path / shard.name).stat().st_size == shard.size == shard.bytes <= BYTES_PER_DOCUMENT
    assert read_back(tmp_path) == longer


@pytest.mark.long
def test_two_shards_of_exactly_52_428_800_bytes(tmp_path: Path) -> None:
    rows = [*exact_locs(BYTES_PER_DOCUMENT, "a"), *exact_locs(BYTES_PER_DOCUMENT, "b")]
    publication = publish(rows, tmp_path)
    assert [shard.bytes for shard in publication.shards] == [BYTES_PER_DOCUMENT] * 2
    assert read_back(tmp_path) == rows


def test_the_name_of_a_shard_has_the_hash_of_its_content(tmp_path: Path) -> None:
    for compression, suffix in [("gzip", ".xml.gz"), ("none", ".xml")]:
        folder = tmp_path / compression
        with small():
            publication = publish(MANY, folder, compression=compression)
        for number, shard in enumerate(publication.shards, 1):
            xml = document(folder / shard.name)
            digest = hashlib.sha256(xml).hexdigest()[:16]
            assert shard.name == f"sitemap-{number:04}-{digest}{suffix}"
            assert (shard.url, shard.lastmod) == (BASE + shard.name, DAY[0])
            assert (shard.bytes, shard.size) == (len(xml), (folder / shard.name).stat().st_size)
            assert violations(xml) == []
        assert publication.written == (*(shard.name for shard in publication.shards), "sitemap.xml")
        assert index(folder) == {shard.url: DAY[0] for shard in publication.shards}
        assert violations(document(folder / "sitemap.xml")) == []
        assert not urlset.lint(folder, location=BASE + "sitemap.xml")


@pytest.mark.parametrize(
    ("count", "limit"), [(10_001, 5_000), pytest.param(100_001, ENTRIES_PER_DOCUMENT, marks=pytest.mark.long)]
)
def test_the_same_rows_give_the_same_bytes_in_any_order(tmp_path: Path, count: int, limit: int) -> None:
    rows = [{"loc": loc, "priority": 0.5} for loc in locs(count)]
    middle = count * 7 // 10
    with small(limit):
        first = publish(rows, tmp_path / "a")
        assert len(first.shards) == 3
        for name, others in [("b", iter(rows)), ("c", reversed(rows)), ("d", rows[middle:] + rows[:middle])]:
            assert publish(others, tmp_path / name).written == first.written
            # The manifest as well.
            assert tree(tmp_path / "a") == tree(tmp_path / name)


# --- where it is served -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base_url", "url", "origin"),
    [
        ("https://example.com", "https://example.com/sitemap.xml", "https://example.com"),
        ("https://example.com/", "https://example.com/sitemap.xml", "https://example.com"),
        ("https://example.com/maps", "https://example.com/maps/sitemap.xml", "https://example.com"),
        ("https://example.com/maps/", "https://example.com/maps/sitemap.xml", "https://example.com"),
        ("https://example.com:8443/", "https://example.com:8443/sitemap.xml", "https://example.com:8443"),
        ("HTTP://EXAMPLE.COM/", "http://example.com/sitemap.xml", "http://example.com"),
    ],
)
def test_forms_of_base_url(tmp_path: Path, base_url: str, url: str, origin: str) -> None:
    rows = [loc.replace("https://example.com", origin) for loc in MANY]
    with small():
        publication = publish(rows, tmp_path, base_url=base_url)
        assert publication.url == url
        assert set(index(tmp_path)) == {url.removesuffix("sitemap.xml") + shard.name for shard in publication.shards}
        assert read_back(tmp_path) == rows
        # What was published is known by the same URL.
        assert publish(rows, tmp_path, base_url=base_url, day=2).written == ()


@pytest.mark.parametrize(
    "base_url",
    [
        *("", "/maps/", "example.com", "//example.com/", "ftp://example.com/", "https://", "https://a b/"),
        *("https://example.com/?a=b", "https://example.com/maps?a=b", "https://example.com/#maps"),
    ],
)
def test_an_invalid_base_url_is_refused(tmp_path: Path, base_url: str) -> None:
    with pytest.raises(InputError, match="base_url must be "):
        publish(locs(2), tmp_path, base_url=base_url)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("loc", ["https://example.org/", "https://www.example.com/", "https://example.com.evil/"])
def test_a_foreign_host_is_refused(tmp_path: Path, loc: str) -> None:
    with pytest.raises(EntryError) as raised:
        publish([BASE, loc], tmp_path)
    assert (raised.value.index, raised.value.loc, raised.value.code) == (1, loc, "LOC011")
    assert names(tmp_path) == set()
    assert publish(["https://EXAMPLE.com/a", "https://example.com:443/b", "/c"], tmp_path).entries == 3
    assert read_back(tmp_path) == [BASE + "a", BASE + "b", BASE + "c"]


@pytest.mark.parametrize("loc", ["http://example.com/", "https://example.com:8443/", "http://example.com:443/"])
def test_another_scheme_or_port_is_refused(tmp_path: Path, loc: str) -> None:
    with pytest.raises(EntryError) as raised:
        publish([BASE, loc], tmp_path)
    assert (raised.value.index, raised.value.loc, raised.value.code) == (1, loc, "LOC012")


def test_a_loc_is_resolved_and_spelled_as_a_url(tmp_path: Path) -> None:
    rows = ["/thé vert", "b", "../c", "https://example.com/th%C3%A9%20vert", "?page=2", "https://Example.com/100%"]
    publication = publish(rows, tmp_path, base_url=BASE + "maps/")
    expected = ["100%25", "c", "maps/?page=2", "maps/b", "th%C3%A9%20vert"]
    assert read_back(tmp_path) == [BASE + path for path in expected]
    assert (publication.plan.rows, publication.plan.duplicates, publication.plan.normalized) == (6, 1, 5)


# --- the next set -------------------------------------------------------------------------------------------


def test_the_same_rows_write_nothing(tmp_path: Path) -> None:
    for rows in (locs(3), MANY):
        folder = tmp_path / str(len(rows))
        with small():
            first = publish(rows, folder, day=1)
            before = {name: (folder / name).stat() for name in tree(folder)}
            again = publish(rows, folder, day=2)
        assert (again.written, again.removed) == ((), ())
        assert again.unchanged == first.written
        assert [shard.entries for shard in again.shards] == [shard.entries for shard in first.shards]
        after = {name: (folder / name).stat() for name in tree(folder)}
        assert {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in after.items()} == {
            name: (stat.st_ino, stat.st_mtime_ns) for name, stat in before.items()
        }


def test_the_stylesheet_is_listed_among_the_written_files(tmp_path: Path) -> None:
    assert publish(locs(2), tmp_path, stylesheet=True).written == ("sitemap.css", "sitemap.xml")
    assert publish(locs(3), tmp_path, 2, stylesheet=True).written == ("sitemap.xml",)
    assert names(tmp_path) == {"sitemap.css", "sitemap.xml"}


def test_lastmod_moves_only_where_bytes_do(tmp_path: Path) -> None:
    changed: list[Any] = [*MANY[:4], {"loc": MANY[4], "priority": 0.5}, *MANY[5:]]
    with small():
        first = publish(MANY, tmp_path, day=1)
        second = publish(changed, tmp_path, day=2)
        assert [shard.lastmod for shard in second.shards] == [DAY[0], DAY[1], DAY[0]]
        assert index(tmp_path) == {shard.url: shard.lastmod for shard in second.shards}
        assert second.written == (second.shards[1].name, "sitemap.xml")
        assert second.unchanged == (first.shards[0].name, first.shards[2].name)
        third = publish(changed, tmp_path, day=3)
        assert [shard.lastmod for shard in third.shards] == [DAY[0], DAY[1], DAY[0]]
        # A page less is another document, and the others stay where they are.
        fourth = publish(changed[1:], tmp_path, day=4)
    assert [shard.lastmod for shard in fourth.shards] == [DAY[3], DAY[1], DAY[0]]
    assert [shard.entries for shard in fourth.shards] == [2, 3, 1]


def test_now_is_written_in_utc_to_the_second(tmp_path: Path) -> None:
    now = datetime(2024, 1, 1, 1, 30, 15, 999_999, tzinfo=timezone(timedelta(hours=2)))
    with small():
        publish(MANY, tmp_path, now=now)
    assert {entry.lastmod_raw for entry in urlset.read(tmp_path, follow=False)} == {"2023-12-31T23:30:15Z"}
    with pytest.raises(InputError, match="now must have a time zone"):
        publish(MANY, tmp_path, now=datetime(2024, 1, 1))  # noqa: DTZ001  (the mistake)


def test_shards_stay_for_one_more_set(tmp_path: Path) -> None:
    shards = []
    for day in range(1, 6):
        with small():
            publication = publish(locs(7, f"set{day}-"), tmp_path, day)
        shards.append({shard.name for shard in publication.shards})
        assert names(tmp_path) == {"sitemap.xml"} | shards[-1] | (shards[-2] if day > 1 else set())
        assert set(publication.removed) == (shards[-3] if day > 2 else set())
        assert read_back(tmp_path) == locs(7, f"set{day}-")


def test_back_to_an_earlier_set(tmp_path: Path) -> None:
    first, second, third = (locs(4, mark) for mark in "abc")
    for day, rows in enumerate([first, second, first, third, second, second, first], 1):
        with small():
            publish(rows, tmp_path, day)
        assert read_back(tmp_path) == rows
    assert len(names(tmp_path)) == 5


def test_from_an_index_to_one_document_and_back(tmp_path: Path) -> None:
    with small():
        shards = {shard.name for shard in publish(MANY, tmp_path, day=1).shards}
        assert publish(locs(2), tmp_path, day=2).removed == ()
        assert (names(tmp_path), read_back(tmp_path)) == ({"sitemap.xml"} | shards, locs(2))
        assert set(publish(locs(3), tmp_path, day=3).removed) == shards
        assert (names(tmp_path), read_back(tmp_path)) == ({"sitemap.xml"}, locs(3))
        publish(MANY, tmp_path, day=4)
    assert (names(tmp_path), read_back(tmp_path)) == ({"sitemap.xml"} | shards, MANY)


def test_foreign_files_are_never_touched(tmp_path: Path) -> None:
    with small():
        publish(MANY, tmp_path)
    foreign = [
        *("robots.txt", "sitemap-news.xml", "sitemap-0001.xml.gz", "sitemap-0001-0123456789abcde.xml"),
        *("sitemap-0001-0123456789abcdef.xml", "sitemap-0001-0123456789abcdef.xml.gz.bak"),
        *("sitemap-0001-0123456789ABCDEF.xml.gz", "maps/sitemap-0001-0123456789abcdef.xml.gz", ".urlset.txt"),
    ]
    (tmp_path / "maps").mkdir()
    for name in foreign:
        (tmp_path / name).write_text(name)
    with small():
        for day in range(2, 6):
            publish(locs(4, f"set{day}-"), tmp_path, day)
            publish(locs(day % 3 + 1), tmp_path, day)
        publish(locs(1), tmp_path, 6)  # the shards of the last index but one go as well
    assert {name: (tmp_path / name).read_text() for name in foreign} == {name: name for name in foreign}
    assert names(tmp_path) <= {name.partition("/")[0] for name in foreign} | {"sitemap.xml"}


def test_a_set_that_another_program_made_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text("<html>not found</html>")
    publish(locs(2), tmp_path)
    assert read_back(tmp_path) == locs(2)
    urlset.write([SitemapEntry(BASE + "robots.txt"), SitemapEntry(BASE + "other.xml")], tmp_path / "sitemap.xml")
    (tmp_path / "other.xml").write_text("other")
    publish(locs(3), tmp_path)
    publish(locs(4), tmp_path)
    assert names(tmp_path) == {"sitemap.xml", "other.xml"}


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"\x1f\x8b half of it")])
def test_what_was_lost_is_put_back(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    with small():
        first = publish(MANY, tmp_path, day=1)
        before = tree(tmp_path)
        damage(tmp_path / first.shards[1].name)
        again = publish(MANY, tmp_path, day=2)
    assert again.written == (first.shards[1].name,)
    assert tree(tmp_path) == before
