"""A large compressed document is read by two threads, one of which undoes the compression, as it is read by one."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.reading import urlset_of
from support.threads import check_bytes_and_file, set_cores

HOST = "https://a.example/"
pyarrow: Any = import_module("pyarrow")


def usual(entries: int = 30_000) -> bytes:
    """Return a document whose compressed bytes are several pieces of those that a thread takes at once."""
    return urlset_of(*(f"{HOST}{zlib.crc32(b'%d' % number)}/{number * 7919}" for number in range(entries)))


def with_entry(number: int, entry: bytes) -> bytes:
    """Return a document with another entry in the place of one."""
    entries = usual().split(b"<url>")
    entries[number + 1] = entry
    return b"<url>".join(entries)


def damaged(at: int) -> bytes:
    """Return a compressed document with one wrong byte."""
    packed = bytearray(gzip.compress(usual()))
    packed[at] ^= 0x55
    return bytes(packed)


def in_members(*, between: bytes) -> bytes:
    """Return a document that was compressed in several parts."""
    whole = usual()
    parts = [whole[at : at + 300_000] for at in range(0, len(whole), 300_000)]
    return between.join(map(gzip.compress, parts))


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "usual": lambda: gzip.compress(usual()),
    "zlib": lambda: zlib.compress(usual()),
    "twice": lambda: gzip.compress(gzip.compress(usual())),
    "several members": lambda: in_members(between=b""),
    "several members and zeros": lambda: in_members(between=b"\0" * 700),
    "over the limit": lambda: gzip.compress(usual(60_000)),
    "a bad date near the end": lambda: gzip.compress(
        with_entry(29_000, b"<loc>https://a.example/x</loc><lastmod>x</lastmod></url>")
    ),
    "broken in the middle": lambda: gzip.compress(with_entry(15_000, b"<loc>https://a.example/a&b</url>")),
    "not UTF-8": lambda: gzip.compress(with_entry(29_000, b"<loc>https://a.example/\xff</loc></url>")),
    "UTF-16": lambda: gzip.compress(b"\xff\xfe" + usual().decode().replace("UTF-8", "UTF-16").encode("utf-16-le")),
    "text cut off": lambda: gzip.compress(usual()[:-100_000]),
    "cut off": lambda: gzip.compress(usual())[:-100_000],
    "a wrong checksum": lambda: damaged(-6),
    "a wrong byte near the beginning": lambda: damaged(20_000),
    "a wrong byte near the end": lambda: damaged(-50_000),
    "bytes after it": lambda: gzip.compress(usual()) + b"<!-- cached -->",
    "a bomb": lambda: gzip.compress(usual() + b" " * (200 << 20)),
    "a page": lambda: gzip.compress(b"<!DOCTYPE html><html>" + usual()),
}


#: What takes longest, and differs from the others only in one bound or in the charset.
LONG = ("over the limit", "UTF-16", "a bomb")


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in DOCUMENTS])
def document(request: pytest.FixtureRequest) -> bytes:
    """A large compressed document."""
    return DOCUMENTS[request.param]()


def test_bytes_and_files_are_read_alike_by_one_thread_and_by_two(
    document: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_bytes_and_file(document, tmp_path / "sitemap.xml.gz", monkeypatch)


def test_what_is_asked_for_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    document = gzip.compress(usual())
    found = []
    for cores in (1, 2):
        set_cores(monkeypatch, cores)
        scan = urlset.scan(document, columns=["loc"], filter=urlset.Filter(include=["*7*"]))
        found.append((pyarrow.table(scan).combine_chunks(), pyarrow.table(urlset.read(document)).combine_chunks()))
    assert found[1] == found[0]
