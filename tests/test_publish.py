"""`publish`: rows to a set, what the next one changes, what makes none. Kills: test_publish_crash.py."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import urlset
from support import BYTES_PER_DOCUMENT, ENTRIES_PER_DOCUMENT, locs_of, tree, violations
from urlset import (
    EntryError,
    InputError,
    NotASitemapError,
    Publication,
    PublishError,
    SitemapEntry,
    UrlEntry,
)

pa: Any = import_module("pyarrow")
stage: Any = import_module("urlset.publish._stage")

BASE = "https://example.com/"
DAY = [datetime(2024, 1, day, 12, tzinfo=UTC) for day in range(1, 8)]


def locs(count: int, mark: str = "p") -> list[str]:
    """Locs of as many different pages."""
    return [f"{BASE}{mark}{number}" for number in range(count)]


# A set of three shards, and the same with the middle one changed.
BIG = locs(100_001)
CHANGED = [*BIG[:60_000], BASE + "changed", *BIG[60_001:]]


def publish(rows: Any, folder: Path, day: int = 1, **options: Any) -> Publication:
    """Publishes on that day of January 2024, at noon."""
    return urlset.publish(rows, folder, **{"base_url": BASE, "now": DAY[day - 1], **options})


def document(path: Path) -> bytes:
    """The XML of a published file."""
    stored = path.read_bytes()
    return gzip.decompress(stored) if path.suffix == ".gz" else stored


def names(folder: Path) -> set[str]:
    """The files that are served: all but the folder of our own."""
    return {path.name for path in folder.iterdir() if path.name != ".urlset"}


def read_back(folder: Path) -> list[Any]:
    """The locs of the set, in order."""
    return [entry.loc for entry in urlset.read(folder)]


def index(folder: Path) -> dict[str, datetime | None]:
    """The entry point's own entries."""
    return {str(entry.loc): entry.lastmod for entry in urlset.read(folder, follow=False)}


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
        entries=2,
        shards=(urlset.Shard("sitemap.xml", BASE + "sitemap.xml", 2, size, size, DAY[0]),),
        written=("sitemap.xml",),
        unchanged=(),
        removed=(),
        refused=0,
        refusals=(),
        passed=(),
    )
    assert list(urlset.read(tmp_path)) == [UrlEntry(BASE), rows[1]]


@pytest.mark.parametrize(
    ("count", "sizes"),
    [
        (ENTRIES_PER_DOCUMENT, [50_000]),
        (ENTRIES_PER_DOCUMENT + 1, [50_000, 1]),
        (2 * ENTRIES_PER_DOCUMENT, [50_000, 50_000]),
        (2 * ENTRIES_PER_DOCUMENT + 1, [50_000, 50_000, 1]),
    ],
)
def test_a_shard_ends_at_50_000_entries(tmp_path: Path, count: int, sizes: list[int]) -> None:
    publication = publish(locs(count), tmp_path)
    assert [shard.entries for shard in publication.shards] == sizes
    assert publication.entries == count
    assert len(names(tmp_path)) == (1 if len(sizes) == 1 else len(sizes) + 1)
    assert read_back(tmp_path) == locs(count)
    for name in names(tmp_path):
        assert violations(document(tmp_path / name)) == []


def test_a_shard_ends_at_52_428_800_bytes(tmp_path: Path) -> None:
    rows = locs_of(BYTES_PER_DOCUMENT)
    assert [shard.bytes for shard in publish(rows, tmp_path).shards] == [BYTES_PER_DOCUMENT]
    assert (tmp_path / "sitemap.xml").stat().st_size == BYTES_PER_DOCUMENT

    longer = [*rows[:-1], rows[-1] + "x"]
    publication = publish(longer, tmp_path, compression="none")
    assert [shard.entries for shard in publication.shards] == [len(rows) - 1, 1]
    for shard in publication.shards:
        assert (tmp_path / shard.name).stat().st_size == shard.size == shard.bytes <= BYTES_PER_DOCUMENT
    assert read_back(tmp_path) == longer


def test_two_shards_of_exactly_52_428_800_bytes(tmp_path: Path) -> None:
    publication = publish(locs_of(BYTES_PER_DOCUMENT) * 2, tmp_path)
    assert [shard.bytes for shard in publication.shards] == [BYTES_PER_DOCUMENT] * 2


def test_a_shards_name_says_its_content(tmp_path: Path) -> None:
    for compression, suffix in [("gzip", ".xml.gz"), ("none", ".xml")]:
        folder = tmp_path / compression
        publication = publish(BIG, folder, compression=compression)
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


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    rows = [{"loc": loc, "priority": 0.5} for loc in BIG]
    assert publish(rows, tmp_path / "a").written == publish(iter(rows), tmp_path / "b").written
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


# --- where it is served -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://example.com", "https://example.com/sitemap.xml"),
        ("https://example.com/", "https://example.com/sitemap.xml"),
        ("https://example.com/maps", "https://example.com/maps/sitemap.xml"),
        ("https://example.com/maps/", "https://example.com/maps/sitemap.xml"),
        ("https://example.com:8443/", "https://example.com:8443/sitemap.xml"),
        ("HTTP://EXAMPLE.COM/", "HTTP://EXAMPLE.COM/sitemap.xml"),
    ],
)
def test_forms_of_base_url(tmp_path: Path, base_url: str, url: str) -> None:
    publication = publish(locs(50_001), tmp_path, base_url=base_url)
    assert publication.url == url
    assert set(index(tmp_path)) == {url.removesuffix("sitemap.xml") + shard.name for shard in publication.shards}
    assert read_back(tmp_path) == locs(50_001)


@pytest.mark.parametrize(
    "base_url",
    [
        *("", "/maps/", "example.com", "//example.com/", "ftp://example.com/", "https://", "https://a b/"),
        *("https://example.com/?a=b", "https://example.com/maps?a=b", "https://example.com/#maps"),
    ],
)
def test_what_is_no_base_url(tmp_path: Path, base_url: str) -> None:
    with pytest.raises(InputError, match="base_url is "):
        publish(locs(2), tmp_path, base_url=base_url)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("loc", ["https://example.org/", "https://www.example.com/", "https://example.com.evil/"])
def test_a_foreign_host_is_refused(tmp_path: Path, loc: str) -> None:
    with pytest.raises(EntryError) as raised:
        publish([BASE, loc], tmp_path)
    assert (raised.value.index, raised.value.loc, raised.value.code) == (1, loc, "LOC011")
    assert names(tmp_path) == set()
    fine = ["https://EXAMPLE.com/a", "http://example.com:8080/b", "https://user@example.com/c"]
    assert publish(fine, tmp_path).entries == 3


# --- the next set -------------------------------------------------------------------------------------------


def test_the_same_rows_write_nothing(tmp_path: Path) -> None:
    for rows in (locs(3), BIG):
        folder = tmp_path / str(len(rows))
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


def test_lastmod_moves_only_where_bytes_do(tmp_path: Path) -> None:
    first = publish(BIG, tmp_path, day=1)
    second = publish(CHANGED, tmp_path, day=2)
    assert [shard.lastmod for shard in second.shards] == [DAY[0], DAY[1], DAY[0]]
    assert index(tmp_path) == {shard.url: shard.lastmod for shard in second.shards}
    assert second.written == (second.shards[1].name, "sitemap.xml")
    assert second.unchanged == (first.shards[0].name, first.shards[2].name)
    third = publish(CHANGED, tmp_path, day=3)
    assert [shard.lastmod for shard in third.shards] == [DAY[0], DAY[1], DAY[0]]


def test_now_is_written_in_utc_to_the_second(tmp_path: Path) -> None:
    now = datetime(2024, 1, 1, 1, 30, 15, 999_999, tzinfo=timezone(timedelta(hours=2)))
    publish(BIG, tmp_path, now=now)
    assert {entry.lastmod_raw for entry in urlset.read(tmp_path, follow=False)} == {"2023-12-31T23:30:15Z"}
    with pytest.raises(InputError, match="now has no time zone"):
        publish(BIG, tmp_path, now=datetime(2024, 1, 1))  # noqa: DTZ001  (the mistake)


def test_shards_stay_for_one_more_set(tmp_path: Path) -> None:
    shards = []
    for day in range(1, 6):
        publication = publish(locs(50_001, f"set{day}-"), tmp_path, day)
        shards.append({shard.name for shard in publication.shards})
        assert names(tmp_path) == {"sitemap.xml"} | shards[-1] | (shards[-2] if day > 1 else set())
        assert set(publication.removed) == (shards[-3] if day > 2 else set())
        assert read_back(tmp_path) == locs(50_001, f"set{day}-")


def test_back_to_an_earlier_set(tmp_path: Path) -> None:
    first, second, third = (locs(50_001, mark) for mark in "abc")
    for day, rows in enumerate([first, second, first, third, second, second, first], 1):
        publish(rows, tmp_path, day)
        assert read_back(tmp_path) == rows
    assert len(names(tmp_path)) == 5


def test_from_an_index_to_one_document_and_back(tmp_path: Path) -> None:
    big = {shard.name for shard in publish(BIG, tmp_path, day=1).shards}
    assert publish(locs(3), tmp_path, day=2).removed == ()
    assert (names(tmp_path), read_back(tmp_path)) == ({"sitemap.xml"} | big, locs(3))
    assert set(publish(locs(4), tmp_path, day=3).removed) == big
    assert (names(tmp_path), read_back(tmp_path)) == ({"sitemap.xml"}, locs(4))
    publish(BIG, tmp_path, day=4)
    assert (names(tmp_path), read_back(tmp_path)) == ({"sitemap.xml"} | big, BIG)


def test_files_of_others_are_never_touched(tmp_path: Path) -> None:
    publish(BIG, tmp_path)
    foreign = [
        *("robots.txt", "sitemap-news.xml", "sitemap-0001.xml.gz", "sitemap-0001-0123456789abcde.xml"),
        *("sitemap-0001-0123456789abcdef.xml", "sitemap-0001-0123456789abcdef.xml.gz.bak"),
        *("sitemap-0001-0123456789ABCDEF.xml.gz", "maps/sitemap-0001-0123456789abcdef.xml.gz", ".urlset.txt"),
    ]
    (tmp_path / "maps").mkdir()
    for name in foreign:
        (tmp_path / name).write_text(name)
    for day in range(2, 6):
        publish(locs(50_001, f"set{day}-"), tmp_path, day)
        publish(locs(day), tmp_path, day)
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
    first = publish(BIG, tmp_path, day=1)
    before = tree(tmp_path)
    damage(tmp_path / first.shards[1].name)
    again = publish(BIG, tmp_path, day=2)
    assert again.written == (first.shards[1].name,)
    assert tree(tmp_path) == before


# --- what makes no set --------------------------------------------------------------------------------------


def _raising() -> Iterator[str]:
    yield from BIG
    raise ZeroDivisionError("midway")


NOT_PUBLISHED: dict[str, tuple[Callable[[], Any], dict[str, Any], type[Exception], str]] = {
    "nothing": (list, {}, PublishError, "no entry .* 0 rows"),
    "an empty table": (lambda: pa.table({"loc": pa.array([], pa.string())}), {}, PublishError, "no entry"),
    "only refused rows": (lambda: ["/a", "/b"], {"on_error": "collect"}, PublishError, "no entry .* 2 rows"),
    "a refused row": (lambda: [*BIG, "/a"], {}, EntryError, "entry 100001"),
    "rows that fail": (_raising, {}, ZeroDivisionError, "midway"),
    "a wrong row": (lambda: [*BIG, 5], {}, InputError, "entry 100001 is int"),
    "a table without a loc": (lambda: pa.table({"url": BIG}), {}, InputError, "no column"),
    "another compression": (lambda: BIG, {"compression": "auto"}, InputError, "compression is 'auto'"),
    "another on_error": (lambda: BIG, {"on_error": "ignore"}, InputError, "on_error is 'ignore'"),
}


@pytest.mark.parametrize("case", NOT_PUBLISHED.values(), ids=NOT_PUBLISHED.keys())
def test_the_old_set_stands(tmp_path: Path, case: tuple[Any, dict[str, Any], type[Exception], str]) -> None:
    rows, options, error, message = case
    for old in (locs(3, "old"), locs(50_001, "old")):
        folder = tmp_path / str(len(old))
        publish(old, folder)
        before = tree(folder)
        with pytest.raises(error, match=message):
            publish(rows(), folder, day=2, **options)
        assert tree(folder) == before
        assert read_back(folder) == old
    with pytest.raises(error, match=message):
        publish(rows(), tmp_path / "new", **options)
    assert tree(tmp_path / "new") == {}


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    publish(locs(2), tmp_path / "not" / "there" / "yet")
    assert read_back(tmp_path / "not" / "there" / "yet") == locs(2)
    with pytest.raises(OSError, match=r"sitemap\.xml"):
        publish(locs(2), tmp_path / "not" / "there" / "yet" / "sitemap.xml")


def test_refused_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    rows: list[Any] = [*BIG[:3], "/relative", "https://example.org/", {"loc": BASE, "priority": 2}, *BIG[3:]]
    publication = publish(rows, tmp_path, on_error="collect")
    assert (publication.entries, publication.refused) == (len(BIG), 3)
    assert [(error.index, error.code) for error in publication.refusals] == [
        *((3, "LOC002"), (4, "LOC011"), (5, "PRI002"))
    ]
    assert read_back(tmp_path) == BIG
    assert [shard.entries for shard in publication.shards] == [50_000, 50_000, 1]


def test_a_refused_row_does_not_end_a_shard(tmp_path: Path) -> None:
    huge = {"loc": BASE, "images": [{"loc": BASE, "caption": "x" * BYTES_PER_DOCUMENT}]}
    publication = publish([BASE + "a", huge, BASE + "b"], tmp_path, on_error="collect")
    assert [(error.index, error.code) for error in publication.refusals] == [(1, "LIM002")]
    assert [shard.name for shard in publication.shards] == ["sitemap.xml"]
    assert read_back(tmp_path) == [BASE + "a", BASE + "b"]


@pytest.mark.parametrize(
    "row",
    [
        {"loc": BASE, "images": [{"loc": BASE, "caption": " a caption, padded\n"}]},
        {"loc": BASE, "images": [{"loc": BASE, "title": "\t"}]},
        {"loc": BASE, "alternates": [{"hreflang": " de ", "href": BASE, "media": " print "}]},
        {"loc": BASE, "images": [{"loc": BASE, "caption": "\x85a\r\n\tb]]>&amp;\u2028"}]},
    ],
)
def test_what_write_accepts_can_be_published(tmp_path: Path, row: dict[str, Any]) -> None:
    publish([row], tmp_path)
    assert list(urlset.read(tmp_path)) == [UrlEntry(**row)]


# --- two at a time ------------------------------------------------------------------------------------------

SLOW = """
import sys, urlset
def rows():
    yield "https://example.com/slow"
    print("under way", flush=True)
    sys.stdin.read()
urlset.publish(rows(), sys.argv[1], base_url="https://example.com/")
"""


def test_a_second_publish_is_refused_while_one_runs(tmp_path: Path) -> None:
    publish(locs(3), tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as slow:
        assert slow.stdin is not None
        assert slow.stdout is not None
        assert slow.stdout.readline() == "under way\n"
        with pytest.raises(PublishError, match=r"another publish into .* is running"):
            publish(locs(4), tmp_path)
        assert read_back(tmp_path) == locs(3)
        slow.stdin.close()
    assert slow.returncode == 0
    assert read_back(tmp_path) == ["https://example.com/slow"]
    publish(locs(4), tmp_path)
    assert read_back(tmp_path) == locs(4)


def test_a_publish_inside_a_publish_is_refused(tmp_path: Path) -> None:
    def rows() -> Iterator[str]:
        yield BASE
        with pytest.raises(PublishError, match="is running"):
            publish(locs(3), tmp_path)
        yield BASE + "last"

    publish(rows(), tmp_path)
    assert read_back(tmp_path) == [BASE, BASE + "last"]


# --- rows from elsewhere ------------------------------------------------------------------------------------


def test_tables_and_relations_and_scans(tmp_path: Path) -> None:
    stamps = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=number) for number in range(50_001)]
    rows = [{"loc": loc, "lastmod": stamp} for loc, stamp in zip(locs(50_001), stamps, strict=True)]
    publish(rows, tmp_path / "rows")
    expected = tree(tmp_path / "rows")

    frame = pl.DataFrame({"loc": locs(50_001), "title": "a title", "lastmod": stamps})
    relation = duckdb.sql(
        "SELECT concat('https://example.com/p', n) AS loc, "
        "TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_seconds(n) AS lastmod, n AS position "
        "FROM range(50_001) numbers(n) ORDER BY n"
    )
    for name, table, passed in [
        ("polars", frame, ("title",)),
        ("pyarrow", frame.to_arrow(), ("title",)),
        ("pandas", frame.to_arrow().to_pandas(), ("title",)),
        ("duckdb", relation, ("position",)),
        ("read", urlset.read(tmp_path / "rows"), ()),
        ("scan", urlset.scan(tmp_path / "rows"), ()),
    ]:
        publication = publish(table, tmp_path / name)
        assert tree(tmp_path / name) == expected, name
        assert publication.passed == passed, name


def test_progress_tells_the_rows_done(tmp_path: Path) -> None:
    told: list[int] = []
    publish(BIG, tmp_path, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == len(BIG)
    assert len(told) > 5


# --- verification -------------------------------------------------------------------------------------------


def _flipped(data: bytes) -> bytes:
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]


def _edited(data: bytes, old: bytes, new: bytes) -> bytes:
    """The stored document with a text replaced, whole and valid as before."""
    is_gzip = data.startswith(b"\x1f\x8b")
    xml = (gzip.decompress(data) if is_gzip else data).replace(old, new, 1)
    return gzip.compress(xml, mtime=0) if is_gzip else xml


def _without_an_entry(data: bytes) -> bytes:
    xml = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    entry = xml.splitlines(keepends=True)[2]
    return _edited(data, entry, b"")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "a bit": _flipped,
    "the end": lambda data: data[:-1],
    "half": lambda data: data[: len(data) // 2],
    "all": lambda _: b"",
    "one entry less": _without_an_entry,
    "two entries for one another": lambda data: _edited(data, b"p1<", b"p2<"),
    "another namespace": lambda data: _edited(data, b"sitemap/0.9", b"sitemap/0.8"),
    "something after it": lambda data: data + b"\0",
}


@pytest.mark.parametrize("rows", [locs(10), BIG[:50_010]], ids=["one document", "an index"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_file_that_does_not_read_back_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[bytes], bytes], rows: list[str]
) -> None:
    publish(locs(3, "old"), tmp_path)
    before = tree(tmp_path)
    write = stage._write
    with monkeypatch.context() as patched:
        patched.setattr(stage, "_write", lambda path, data: write(path, damage(data)))
        with pytest.raises(PublishError, match=r"sitemap.*\.xml"):
            publish(rows, tmp_path)
    assert tree(tmp_path) == before
    assert read_back(tmp_path) == locs(3, "old")
    publish(rows, tmp_path)
    assert read_back(tmp_path) == rows


def test_what_is_published_and_then_broken_is_told_when_read(tmp_path: Path) -> None:
    publish(locs(3), tmp_path)
    (tmp_path / "sitemap.xml").write_bytes(b"")
    with pytest.raises(NotASitemapError):
        urlset.read(tmp_path)


# --- a switch that fails ------------------------------------------------------------------------------------


def test_a_switch_that_fails_leaves_the_old_set_and_nothing_else(tmp_path: Path) -> None:
    old = locs(50_001, "old")
    publish(old, tmp_path)
    before = tree(tmp_path)
    obstacle = tmp_path / ".urlset" / "replaced.xml"
    obstacle.mkdir()  # the switch wants a file there
    with pytest.raises(OSError, match="replaced"):
        publish(BIG, tmp_path, day=2)
    assert read_back(tmp_path) == old
    obstacle.rmdir()
    publish(old, tmp_path, day=3)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("kept", [0, 10, 200])
def test_a_copy_of_the_index_that_was_cut_off(tmp_path: Path, kept: int) -> None:
    """As a kill leaves it that meets the copying of the index in force, before the switch."""
    first, second = locs(50_001, "a"), locs(50_001, "b")
    publish(first, tmp_path, day=1)
    publish(second, tmp_path, day=2)
    before = tree(tmp_path)
    (tmp_path / ".urlset" / "replaced.xml").write_bytes(before["sitemap.xml"][:kept])
    publish(second, tmp_path, day=3)
    assert tree(tmp_path) == before
