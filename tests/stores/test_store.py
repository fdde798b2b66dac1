"""Stores: a folder and an object store give the same guarantees."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.s3 import S3Server
from support.stores import Destination
from urlset import LimitError, PublishError
from urlset._stores import folder as folder_store
from urlset._stores import objects
from urlset._stores.store import Store

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


@pytest.fixture(params=["folder", "s3"])
def destination(request: pytest.FixtureRequest, tmp_path: Path) -> Destination:
    """A folder that does not exist yet, or an empty prefix."""
    if request.param == "folder":
        folder = tmp_path / "to" / "be" / "made"

        def lies(name: str) -> bytes | None:
            return (folder / name).read_bytes() if (folder / name).exists() else None

        return Destination(str(folder), {}, lies)
    server: S3Server = request.getfixturevalue("s3_server")
    bucket = server.new_bucket()

    def served(name: str) -> bytes | None:
        status, _, content = server.ask("GET", f"/{bucket}/some/prefix/{name}")
        return content if status == 200 else None

    return Destination(f"s3://{bucket}/some/prefix", server.options, served)


@pytest.fixture
def store(destination: Destination) -> Store:
    return destination.open()


def test_what_was_put_is_read_back(destination: Destination, store: Store, tmp_path: Path) -> None:
    for data in (b"", b"<urlset/>", bytes(range(256)) * 1000):
        store.put("sitemap.xml", data)
        assert destination.raw("sitemap.xml") == data
        assert (store.read("sitemap.xml", len(data)), store.size("sitemap.xml")) == (data, len(data))
        assert store.fetch("sitemap.xml", tmp_path / "fetched")
        assert (tmp_path / "fetched").read_bytes() == data


def test_a_file_is_stored_byte_for_byte(destination: Destination, store: Store, tmp_path: Path) -> None:
    store.put(".urlset/manifest.parquet", b"old")
    (tmp_path / "new").write_bytes(b"new")
    store.put_file(".urlset/manifest.parquet", tmp_path / "new")
    assert destination.raw(".urlset/manifest.parquet") == b"new"


def test_a_renamed_file_replaces_what_has_the_name(destination: Destination, store: Store) -> None:
    store.put(".urlset/manifest.parquet", b"old")
    store.put(".urlset/next.parquet", b"new")
    for _ in range(2):  # the second time there is nothing to rename
        store.rename(".urlset/next.parquet", ".urlset/manifest.parquet")
        assert destination.raw(".urlset/manifest.parquet") == b"new"
        assert store.list("") == [".urlset/manifest.parquet"]


def test_a_missing_file_is_not_an_error(store: Store, tmp_path: Path) -> None:
    for _ in range(2):
        assert store.read("robots.txt", 10) is None
        assert store.size("a/b/robots.txt") is None
        assert not store.fetch("robots.txt", tmp_path / "fetched")
        assert not (tmp_path / "fetched").exists()
        assert store.list("") == store.list("sitemap") == store.list(".urlset/") == []
        store.delete(["robots.txt", "a/b"])
        store.delete([])
        store.put("sitemap.xml", b"")
        store.delete(iter(["sitemap.xml", "robots.txt", "sitemap.xml"]))


def test_a_file_over_the_limit_is_refused(store: Store) -> None:
    store.put("robots.txt", b"12345")
    assert store.read("robots.txt", 5) == b"12345"
    with pytest.raises(LimitError, match=r"robots\.txt: the file has more than 4 bytes"):
        store.read("robots.txt", 4)


def test_files_are_listed_by_prefix(store: Store) -> None:
    names = [".urlset/manifest.parquet", "a.html", "sitemap-0001.xml", "sitemap.xml", "sitemaps/b.xml", "sitemaq", "z"]
    for name in [*names, "a/sitemap.xml"]:
        store.put(name, b"")
    with store.lock():
        assert store.list("") == sorted([*names, "a/sitemap.xml"])
        assert store.list(".urlset/") == names[:1]
    assert store.list("sitemap") == names[2:5]
    assert store.list("sitemap.xml") == ["sitemap.xml"]
    assert store.list("sitemaps/") == store.list("sitemaps/b") == ["sitemaps/b.xml"]
    assert store.list("s") == names[2:6]
    assert store.list("sitemap-0002") == store.list("b") == store.list("sitemap.xml/") == []


def test_a_list_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (folder_store, objects):
        monkeypatch.setattr(module, "MAX_NAMES", 2)
    store.put("sitemap-1.xml", b"")
    store.put("sitemap-2.xml", b"")
    assert len(store.list("sitemap")) == 2
    store.put("sitemap-3.xml", b"")
    with pytest.raises(PublishError, match=r"has more than 2 files named sitemap…"):
        store.list("sitemap")


@pytest.mark.parametrize("name", ["sitemap-日本 ü~%20+&'.xml", "%2e%2e/a#b", "a" * 200 + ".xml", "..a", "a/.b/c..d"])
def test_a_name_is_stored_unchanged(store: Store, name: str) -> None:
    store.put(name, b"1")
    assert (store.read(name, 1), store.list(""), store.list(name)) == (b"1", [name], [name])
    store.delete([name])
    assert store.list("") == []


HOSTILE = [
    *("", "/etc/passwd", "../x", "a/../../x", "a/..", ".", "./a", "a//b", "a/", "a\\b", "..\\x", "C:x", "C:/x", "a:b"),
    *("a\0b", "a\nb", "a\r\nSet-Cookie: x", "a\u2028b", "a\u202eb", "\ud800", "a. ", "a./b", "x" * 1025),
    *(".urlset/lock", ".urlset/stage", ".urlset/stage/x", ".urlset/lock/x"),
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_refused(store: Store, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"kept")
    attempts: list[Callable[[], object]] = [
        *(lambda: store.read(name, 10), lambda: store.size(name), lambda: store.fetch(name, tmp_path / "fetched")),
        *(lambda: store.put(name, b""), lambda: store.put_file(name, tmp_path / "file")),
        *(lambda: store.rename(name, "robots.txt"), lambda: store.rename("robots.txt", name)),
        lambda: store.delete(["sitemap.xml", name]),
    ]
    store.put("sitemap.xml", b"")
    for attempt in attempts:
        with pytest.raises(PublishError, match=r"the name of a file must be|reserved for the store"):
            attempt()
    assert store.list("") == ["sitemap.xml"]
    assert (tmp_path / "file").read_bytes() == b"kept"


@pytest.mark.parametrize("prefix", ["/", "../", "a/../", "/etc/", "a\\", "C:", ".urlset/stage/", "\0"])
def test_a_hostile_prefix_is_refused(store: Store, prefix: str) -> None:
    with pytest.raises(PublishError, match=r"the name of a file must be|reserved for the store"):
        store.list(prefix)


def test_a_missing_file_cannot_be_stored(store: Store, tmp_path: Path) -> None:
    with pytest.raises(PublishError, match="gone"):
        store.put_file("sitemap.xml", tmp_path / "gone")
    assert store.list("") == []


def test_a_fetch_that_fails_leaves_nothing(store: Store, tmp_path: Path) -> None:
    store.put("a", b"1")
    with pytest.raises(PublishError, match="no/folder"):
        store.fetch("a", tmp_path / "no" / "folder")


LARGE = 64 * 1024 * 1024
SEND_AND_FETCH = """
from pathlib import Path

def most():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) // 1024

store.put("sitemap.xml", b"<urlset/>")
store.read("sitemap.xml", 100)
before = most()
store.put_file(".urlset/manifest.parquet", Path(sys.argv[2]))
sent = most() - before
assert store.fetch(".urlset/manifest.parquet", Path(sys.argv[3]))
print(sent, most() - before)
"""


@needs_proc
def test_a_large_file_is_never_in_memory(destination: Destination, tmp_path: Path) -> None:
    piece = os.urandom(1024 * 1024)
    with (tmp_path / "large").open("wb") as file:
        for _ in range(LARGE // len(piece)):
            file.write(piece)
    with destination.run(SEND_AND_FETCH, str(tmp_path / "large"), str(tmp_path / "fetched")) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    sent, fetched = map(int, out.split())
    assert sent < 48
    assert fetched < 48
    assert (tmp_path / "fetched").stat().st_size == destination.open().size(".urlset/manifest.parquet") == LARGE
    assert (tmp_path / "fetched").read_bytes() == piece * (LARGE // len(piece))


def test_one_publish_at_a_time(destination: Destination, store: Store) -> None:
    with store.lock():
        store.put("sitemap.xml", b"1")
        for other in (store, destination.open()):
            with pytest.raises(PublishError, match=f"another publish into {destination.dest} is running"), other.lock():
                raise AssertionError("two at once")
    with destination.open().lock(), pytest.raises(PublishError), store.lock():
        raise AssertionError("two at once")


def test_the_lock_ends_with_an_error(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.lock():
        raise ZeroDivisionError
    with store.lock():
        pass


COUNT = """
import time
from urlset import PublishError

done = refused = 0
while done < 10:
    try:
        with store.lock():
            count = int(store.read("count.txt", 10) or b"0")
            time.sleep(0.002)
            store.put("count.txt", str(count + 1).encode())
            done += 1
    except PublishError as error:
        assert "another publish" in str(error) or "several publishes" in str(error), error
        refused += 1
        time.sleep(0.003)
print(refused)
"""


def test_two_processes_never_hold_the_lock_at_once(destination: Destination) -> None:
    processes = [destination.run(COUNT) for _ in range(2)]
    for process in processes:
        with process:
            _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert destination.raw("count.txt") == b"20"
