"""`write`: to a path, a compressed path or a file object, and what a failure leaves there."""

from __future__ import annotations

import gzip
import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import ENTRIES_PER_DOCUMENT
from urlset import EntryError, InputError, LimitError, SitemapEntry

from write.test_write import LOC, written


def test_a_path_a_compressed_path_and_a_file_object(tmp_path: Path) -> None:
    plain = written([LOC])
    for name, compression, is_gzip in [
        ("a.xml", "auto", False),
        ("a.xml.gz", "auto", True),
        ("b.xml", "gzip", True),
        ("b.xml.gz", "none", False),
    ]:
        path = tmp_path / name
        for dest in (path, str(path)):
            result = urlset.write([LOC], dest, compression=compression)  # type: ignore[arg-type]
            stored = path.read_bytes()
            assert (gzip.decompress(stored) if is_gzip else stored) == plain
            assert (result.location, result.kind, result.entries) == (str(path), "urlset", 1)
            assert (result.bytes, result.size) == (len(plain), len(stored))
    buffer = io.BytesIO(b"before, ")
    buffer.seek(8)
    assert urlset.write([LOC], buffer).location is None
    assert buffer.getvalue() == b"before, " + plain
    assert urlset.write([SitemapEntry(LOC)], io.BytesIO()).kind == "sitemapindex"


def test_any_class_of_file_object_gets_bytes(tmp_path: Path) -> None:
    class Parts(io.BytesIO):
        """A class of somebody else's, which may take no other bytes than those that are an object of their own."""

        def write(self, data: Any, /) -> int:
            assert type(data) is bytes
            return super().write(data)

    parts = Parts()
    urlset.write([LOC], parts)
    path = tmp_path / "sitemap.xml"
    for buffering in (0, -1):
        with path.open("wb", buffering=buffering) as file:
            urlset.write([LOC], file)
        assert path.read_bytes() == parts.getvalue() == written([LOC])


def test_a_raw_file_may_take_less_than_it_is_given() -> None:
    class Reluctant(io.RawIOBase):
        """Takes at most a thousand bytes at once."""

        def __init__(self) -> None:
            self.taken = bytearray()

        def write(self, data: Any, /) -> int:
            part = bytes(data[:1_000])
            self.taken += part
            return len(part)

    rows = [f"{LOC}{number}" for number in range(10_000)]
    file = Reluctant()
    urlset.write(rows, file)
    assert file.taken == written(rows)


def test_a_raw_file_that_takes_nothing_is_an_error() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with io.FileIO(reading), io.FileIO(writing, "w") as full, pytest.raises(BlockingIOError, match="a part"):
        urlset.write([f"{LOC}{number}" for number in range(10_000)], full)


def test_a_raw_file_that_says_it_took_no_bytes_does_not_hold_up_for_ever() -> None:
    class Stuck(io.RawIOBase):
        def write(self, data: Any, /) -> int:
            return 0

    with pytest.raises(BlockingIOError, match="a part"):
        urlset.write([LOC], Stuck())


def test_what_was_written_stays_when_the_document_is_gone() -> None:
    kept: list[bytes] = []

    class Keeping:
        def write(self, data: bytes, /) -> None:
            kept.append(data)

    urlset.write([f"{LOC}{number}" for number in range(10_000)], Keeping())
    expected = written([f"{LOC}{number}" for number in range(10_000)])
    assert kept == [expected]


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    urlset.write([LOC + "old"], path)
    before = path.stat().st_ino
    with path.open("rb") as reader:
        urlset.write([LOC + "new"], path)
        assert reader.read() == written([LOC + "old"])  # whoever had it open goes on with the old one
    assert path.read_bytes() == written([LOC + "new"])
    assert path.stat().st_ino != before
    assert stat.S_IMODE(path.stat().st_mode) & 0o444 == 0o444  # a web server has to read it
    assert list(tmp_path.iterdir()) == [path]


def _raising() -> Iterator[str]:
    yield LOC
    raise ZeroDivisionError("midway")


UNWRITABLE: dict[str, tuple[Callable[[], Any], type[Exception]]] = {
    "a refused row": (lambda: [LOC, "/x"], EntryError),
    "nothing": (list, InputError),
    "too much": (lambda: (f"{LOC}{n}" for n in range(ENTRIES_PER_DOCUMENT + 1)), LimitError),
    "rows that fail": (_raising, ZeroDivisionError),
    "a wrong row": (lambda: [LOC, 5], InputError),
}


@pytest.mark.parametrize(("rows", "error"), UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_a_failure_leaves_the_old_file_alone(tmp_path: Path, rows: Callable[[], Any], error: type[Exception]) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(b"old")
    before = path.stat()
    with pytest.raises(error):
        urlset.write(rows(), path)
    assert path.read_bytes() == b"old"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert list(tmp_path.iterdir()) == [path]
    buffer = io.BytesIO()
    with pytest.raises(error):
        urlset.write(rows(), buffer)
    assert buffer.getvalue() == b""


def test_a_path_that_cannot_be_written_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        urlset.write([LOC], tmp_path / "nowhere" / "sitemap.xml")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        urlset.write([LOC], tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    with pytest.raises(io.UnsupportedOperation), (tmp_path / "read only").open("w+b") as file:
        urlset.write([LOC], io.BufferedReader(file.raw))
