"""`publish`: what makes no set, what is left out of one, and that the old set stands meanwhile."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import BYTES_PER_DOCUMENT, tree
from support.publish import BASE, locs, publish, read_back
from support.publish.model import small
from urlset import EntryError, InputError, NotASitemapError, PublishError, UrlEntry
from urlset._model.errors import GuardError

pa: Any = import_module("pyarrow")

# --- what makes no set --------------------------------------------------------------------------------------


# So many that some are stored before the last one comes.
MANY = locs(20_001)


def _raising() -> Iterator[str]:
    yield from MANY
    raise ZeroDivisionError("midway")


NOT_PUBLISHED: dict[str, tuple[Callable[[], Any], dict[str, Any], type[Exception], str]] = {
    "nothing": (list, {}, GuardError, r"no entries .* 0 rows .* \(empty\)"),
    "an empty table": (lambda: pa.table({"loc": pa.array([], pa.string())}), {}, GuardError, "no entries"),
    "only refused rows": (lambda: ["", "mailto:a"], {"on_error": "collect"}, GuardError, "no entries .* 2 rows"),
    "nothing, as it is allowed": (list, {"allow": ["empty"]}, PublishError, "no entry .* remove the set by hand"),
    "a refused row": (lambda: [*MANY, "mailto:a"], {}, EntryError, "row 20002"),
    "a set that shrank": (lambda: [BASE], {"allow": ["future"]}, GuardError, r"\(shrunk\).* allow it: shrunk"),
    "rows that fail": (_raising, {}, ZeroDivisionError, "midway"),
    "a wrong row": (lambda: [*MANY, 5], {}, InputError, "row 20002 is int"),
    "a table without a loc": (lambda: pa.table({"url": MANY}), {}, InputError, "no column"),
    "another compression": (
        lambda: MANY,
        {"compression": "auto"},
        InputError,
        "compression must be one of gzip, none",
    ),
    "another on_error": (
        lambda: MANY,
        {"on_error": "ignore"},
        InputError,
        "on_error must be one of raise, collect",
    ),
    "another guard": (lambda: MANY, {"allow": ["shrunken"]}, InputError, "'shrunken'; did you mean shrunk"),
    "one guard": (lambda: MANY, {"allow": "shrunk"}, InputError, "a list of texts"),
    "another column": (
        lambda: MANY,
        {"columns": {"groups": "g"}},
        InputError,
        "unknown key 'groups'; did you mean group",
    ),
    "no column": (lambda: MANY, {"columns": {"content": None}}, InputError, "columns.'content'. must be .* got None"),
    "a group without languages": (
        lambda: MANY,
        {"columns": {"group": "g"}},
        InputError,
        "columns needs group and lang together",
    ),
    "no day": (lambda: MANY, {"recent": 0}, InputError, "recent must be a whole number from 1 up, got 0"),
    "too many days": (lambda: MANY, {"removed": 10**9}, InputError, "removed must be at most 1,000, got 1,000,000,000"),
    "another way of splitting": (
        lambda: MANY,
        {"shard_by": "hash:0"},
        InputError,
        "shard_by must have a valid argument, got 'hash:0'",
    ),
    "no memory": (lambda: MANY, {"memory": "much"}, InputError, "memory must be an amount such as '512MB', got 'much'"),
    "too little memory": (
        lambda: [{"loc": loc, "content": "text"} for loc in MANY],  # which is planned with SQL
        {"memory": "2MB"},
        PublishError,
        "give it more memory",
    ),
    "memory without end": (lambda: MANY, {"memory": "9" * 400 + "GB"}, InputError, "memory must be an amount"),
    "no memory at all": (lambda: MANY, {"memory": "0MB"}, InputError, "memory must be more than 0, got '0MB'"),
}
#: What there has to be a set for, so that it can be said.
OF_A_SET = {"a set that shrank"}


@pytest.fixture(scope="module")
def old_sets(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, list[str]]:
    """A set of one document and one of two, to be copied, with their locs."""
    sets = {tmp_path_factory.mktemp("old"): locs(count, "old") for count in (3, 4)}
    for folder, old in sets.items():
        with small():
            publish(old, folder)
    return sets


@pytest.mark.parametrize("name", NOT_PUBLISHED)
def test_the_old_set_stands(tmp_path: Path, name: str, old_sets: dict[Path, list[str]]) -> None:
    rows, options, error, message = NOT_PUBLISHED[name]
    for published, old in old_sets.items():
        folder = shutil.copytree(published, tmp_path / published.name)
        before = tree(folder)
        with pytest.raises(error, match=message):
            publish(rows(), folder, day=2, **options)
        assert tree(folder) == before
        assert read_back(folder) == old
    if name not in OF_A_SET:
        with pytest.raises(error, match=message):
            publish(rows(), tmp_path / "new", **options)
        assert tree(tmp_path / "new") == {}


def test_a_missing_folder_is_made_and_a_file_in_its_path_is_an_error(tmp_path: Path) -> None:
    publish(locs(2), tmp_path / "not" / "there" / "yet")
    assert read_back(tmp_path / "not" / "there" / "yet") == locs(2)
    with pytest.raises(PublishError, match=r"sitemap\.xml.* a part of its path is a file") as raised:
        publish(locs(2), tmp_path / "not" / "there" / "yet" / "sitemap.xml")
    assert isinstance(raised.value.__cause__, NotADirectoryError | FileExistsError)


def test_refused_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    good = locs(81)
    rows: list[Any] = [*good[:3], "mailto:a", "https://example.org/", {"loc": BASE, "priority": 2}, *good[3:]]
    told: list[EntryError] = []
    with small(40):
        publication = publish(rows, tmp_path, on_error="collect", on_refusal=told.append)
    assert (publication.entries, publication.refused) == (len(good), 3)
    assert publication.refused_by_code == {"LOC003": 1, "LOC011": 1, "PRI002": 1}
    assert tuple(told) == publication.refusals
    assert [(error.index, error.code) for error in publication.refusals] == [
        *((3, "LOC003"), (4, "LOC011"), (5, "PRI002"))
    ]
    assert read_back(tmp_path) == good
    assert [shard.entries for shard in publication.shards] == [40, 40, 1]


def test_a_refused_row_does_not_end_a_shard(tmp_path: Path) -> None:
    huge = {"loc": BASE, "images": [{"loc": BASE, "caption": "x" * BYTES_PER_DOCUMENT}]}
    publication = publish([BASE + "a", huge, BASE + "b"], tmp_path, on_error="collect")
    assert [(error.index, error.code) for error in publication.refusals] == [(1, "LIM007")]
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
urlset.publish(rows(), sys.argv[1], base_url="https://example.com/", checks=urlset.Checks(allow=["shrunk"]))
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
    "two entries for one another": lambda data: _edited(data, b"p000001<", b"p000002<"),
    "another namespace": lambda data: _edited(data, b"sitemap/0.9", b"sitemap/0.8"),
    "something after it": lambda data: data + b"\0",
}


@pytest.mark.parametrize("rows", [locs(3), locs(10)], ids=["one document", "an index"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_file_that_does_not_read_back_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[bytes], bytes], rows: list[str]
) -> None:
    publish(locs(3, "old"), tmp_path)
    before = tree(tmp_path)
    write = Path.write_bytes
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", lambda path, data: write(path, damage(bytes(data))))
        with small(), pytest.raises(PublishError, match=r"sitemap.*\.xml"):
            publish(rows, tmp_path)
    assert tree(tmp_path) == before
    assert read_back(tmp_path) == locs(3, "old")
    with small():
        publish(rows, tmp_path)
    assert read_back(tmp_path) == rows


def test_a_published_file_that_is_emptied_raises_when_read(tmp_path: Path) -> None:
    publish(locs(3), tmp_path)
    (tmp_path / "sitemap.xml").write_bytes(b"")
    with pytest.raises(NotASitemapError):
        urlset.read(tmp_path)


# --- a switch that fails ------------------------------------------------------------------------------------


def test_a_switch_that_fails_leaves_the_old_set_and_nothing_else(tmp_path: Path) -> None:
    old = locs(4, "old")
    with small():
        publish(old, tmp_path)
        before = tree(tmp_path)
        obstacle = tmp_path / ".urlset" / "replaced.xml"
        obstacle.mkdir()  # the switch wants a file there
        with pytest.raises(PublishError, match="replaced"):
            publish(locs(7), tmp_path, day=2)
        assert read_back(tmp_path) == old
        obstacle.rmdir()
        publish(old, tmp_path, day=3)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("kept", [0, 10, 200])
def test_a_copy_of_the_index_that_was_cut_off(tmp_path: Path, kept: int) -> None:
    """As a kill leaves it that meets the copying of the current index, before the switch."""
    first, second = locs(4, "a"), locs(4, "b")
    with small():
        publish(first, tmp_path, day=1)
        publish(second, tmp_path, day=2)
        before = tree(tmp_path)
        (tmp_path / ".urlset" / "replaced.xml").write_bytes(before["sitemap.xml"][:kept])
        publish(second, tmp_path, day=3)
    assert tree(tmp_path) == before
