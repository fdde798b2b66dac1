"""What a source may be, what is refused, and with which words."""

from __future__ import annotations

import io
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import urlset
from urlset import InputError, NotASitemapError, UrlEntry

XML = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.example/é</loc></url></urlset>'
DATA = XML.encode()
ENTRIES = [UrlEntry("http://a.example/é")]


class Slow:
    """A reader that gives little at a time, and knows no more than `read`."""

    def __init__(self, data: bytes, size: int) -> None:
        self._left = io.BytesIO(data)
        self._size = size

    def read(self, size: int = -1, /) -> bytes:
        """At most so many bytes, and never as many as requested."""
        assert size > 0
        return self._left.read(min(size, self._size))


# --- what is taken ------------------------------------------------------------------------------------------

IN_MEMORY: dict[str, Callable[[bytes], Any]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "part of a memoryview": lambda data: memoryview(b"xx" + data + b"xx")[2:-2],
    "every second byte": lambda data: memoryview(bytes(b for byte in data for b in (byte, 0)))[::2],
}
IN_PIECES: dict[str, Callable[[bytes], Any]] = {
    "list": lambda data: [data[:10], data[10:]],
    "tuple with empty pieces": lambda data: (b"", data[:1], b"", data[1:], b""),
    "iterator": lambda data: iter([data]),
    "generator": lambda data: (data[at : at + 3] for at in range(0, len(data), 3)),
    "bytearrays": lambda data: [bytearray(data[:10]), bytearray(data[10:])],
    "memoryviews": lambda data: [memoryview(data)[:10], memoryview(data)[10:]],
    "BytesIO": io.BytesIO,
    "buffered": lambda data: io.BufferedReader(io.BytesIO(data)),
    "one byte a read": lambda data: Slow(data, 1),
    "seven bytes a read": lambda data: Slow(data, 7),
}


@pytest.mark.parametrize("make", [*IN_MEMORY.values(), *IN_PIECES.values()], ids=[*IN_MEMORY, *IN_PIECES])
def test_bytes_in_any_form(make: Callable[[bytes], Any]) -> None:
    assert list(urlset.scan(make(DATA))) == ENTRIES
    assert list(urlset.read(make(DATA))) == ENTRIES


@pytest.mark.parametrize("make", IN_MEMORY.values(), ids=IN_MEMORY)
def test_parse_takes_any_bytes_in_memory(make: Callable[[bytes], Any]) -> None:
    assert list(urlset.parse(make(DATA))) == ENTRIES


def test_paths_and_open_files(tmp_path: Path) -> None:
    path = tmp_path / "a b é.xml"
    path.write_bytes(DATA)
    with os.scandir(tmp_path) as listed:
        found_by_listing = next(listed)
    for source in (path, str(path), found_by_listing):
        [found] = urlset.read(source)
        assert (found, found.document) == (ENTRIES[0], str(path))
    with path.open("rb") as buffered, path.open("rb", buffering=0) as raw:
        assert list(urlset.read(buffered)) == list(urlset.read(raw)) == ENTRIES
    with path.open("rb") as file:
        # A file is known by its name.
        assert urlset.read(file)[0].document == str(path)
        assert not file.closed


def test_a_file_is_read_from_its_current_position() -> None:
    file = io.BytesIO(b"skipped" + DATA)
    file.seek(len("skipped"))
    assert list(urlset.read(file)) == ENTRIES


def test_a_file_without_a_usable_name() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(DATA)
        file.seek(0)
        # On Unix its name is a number.
        [entry] = urlset.read(file)
        assert entry == ENTRIES[0]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names are of Unix")
def test_a_pipe() -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(DATA)
    with os.fdopen(reading, "rb") as pipe:
        assert list(urlset.scan(pipe)) == ENTRIES


def test_later_changes_of_the_callers_buffer_have_no_effect() -> None:
    data = bytearray(DATA)
    scan = urlset.scan(data)
    data[:] = b"x" * len(data)
    assert list(scan) == ENTRIES


# --- what is refused ----------------------------------------------------------------------------------------


def test_a_url_cannot_be_fixed() -> None:
    with pytest.raises(InputError, match="is a URL, and a fix changes a file: download it"):
        urlset.fix("https://a.example/sitemap.xml")


@pytest.mark.parametrize("source", [[], ()])
def test_an_empty_list_is_refused(source: Any) -> None:
    with pytest.raises(InputError, match="the list of sources must not be empty"):
        urlset.scan(source)


@pytest.mark.parametrize("text", [XML, [XML], "\n  " + XML, "\ufeff" + XML, "<?xml version='1.0'?>" + XML])
def test_xml_as_text_is_refused_with_a_hint(text: Any) -> None:
    with pytest.raises(InputError, match=r"must be a path or bytes, got XML text: pass bytes"):
        urlset.read(text)


def test_a_missing_path_raises_file_not_found(tmp_path: Path) -> None:
    for source in (tmp_path / "gone.xml", str(tmp_path / "gone" / "sitemap.xml")):
        with pytest.raises(FileNotFoundError) as caught:
            urlset.scan(source)
        assert caught.value.filename == str(source)


def test_a_path_through_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(DATA)
    with pytest.raises(OSError, match=r"a\.xml"):
        urlset.read(tmp_path / "a.xml" / "b.xml")


@pytest.mark.parametrize("path", ["a\0b.xml", "x" * 5_000])
def test_an_invalid_path_raises(path: str) -> None:
    with pytest.raises((ValueError, OSError)):
        urlset.read(path)


@pytest.mark.parametrize("source", [None, 5, 5.0, True, object(), sys])
def test_an_invalid_source_is_named(source: Any) -> None:
    with pytest.raises(InputError, match=rf"got {type(source).__name__}$"):
        urlset.scan(source)


TEXTS: dict[str, Callable[[], Any]] = {
    "StringIO": lambda: io.StringIO(XML),
    "generator of str": lambda: (part for part in (XML, "")),
}


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_text_is_refused_for_its_bytes_are_not_known(make: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match=r"str instead of bytes|open it with mode 'rb'"):
        list(urlset.scan(make()))


def test_a_file_opened_as_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(DATA)
    source: Any
    with path.open(encoding="utf-8") as source, pytest.raises(InputError, match=r"open it with mode 'rb'"):
        urlset.read(source)


@pytest.mark.parametrize("piece", [60, 0, None, 1.5, True, object(), ["<"]])
def test_pieces_of_other_types_than_bytes_are_refused(piece: Any) -> None:
    # bytes(60) would be sixty zeros, and bytes([60]) a "<".
    for source in ([piece], iter([DATA[:20], piece])):
        with pytest.raises(InputError, match=r"instead of bytes"):
            urlset.read(source)


def test_a_non_blocking_reader_is_refused() -> None:
    class Empty:
        def read(self, _size: int = -1, /) -> Any:
            """What a file that does not wait says when nothing has come yet."""

    with pytest.raises(InputError, match=r"NoneType instead of bytes"):
        urlset.read(Empty())


def test_errors_of_the_source_are_its_own() -> None:
    class Broken:
        def read(self, _size: int = -1, /) -> bytes:
            raise ConnectionResetError("gone")

    def pieces() -> Iterator[bytes]:
        yield DATA[:20]
        raise KeyError("gone")

    for strict in (True, False):
        with pytest.raises(ConnectionResetError, match=r"gone"):
            urlset.read(Broken(), strict=strict)
        with pytest.raises(KeyError, match=r"gone"):
            urlset.read(pieces(), strict=strict)


@pytest.mark.parametrize("source", [XML, Path("sitemap.xml"), io.BytesIO(DATA), [DATA], None])
def test_parse_refuses_other_types_than_bytes(source: Any) -> None:
    with pytest.raises(InputError, match=r"data must be bytes, got "):
        urlset.parse(source)


@pytest.mark.parametrize("text", [XML, "sitemap.xml", ""])
def test_parse_says_what_to_do_with_a_str(text: Any) -> None:
    message = r"data must be bytes, got str: encode\(\) a document, or give a path to read\(\)"
    with pytest.raises(InputError, match=message):
        urlset.parse(text)


@pytest.mark.parametrize("source", [iter([]), [b""], io.BytesIO(), b""])
def test_an_empty_document_is_not_a_sitemap(source: Any) -> None:
    with pytest.raises(NotASitemapError, match=r"it is empty"):
        urlset.read(source)


def test_an_empty_path_is_not_the_current_folder() -> None:
    with pytest.raises(InputError, match=r"got an empty text: pass '\.' for the current folder"):
        urlset.read("")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("shop.example", "; did you mean https://shop.example?"),
        ("shop.example:8080/sitemap.xml", "; did you mean https://shop.example:8080/sitemap.xml?"),
        ("file:///nowhere/sitemap.xml", "; write a path, without file://"),
        ("nowhere.xml", ""),
        ("nowhere/sitemap.xml", ""),
    ],
)
def test_a_path_at_which_there_is_nothing_may_be_meant_as_something_else(text: str, meant: str) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        urlset.read(text)
    assert caught.value.strerror == f"No such file or directory{meant}"
    assert caught.value.filename in {text, str(Path(text))}


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no sockets among the files")
@pytest.mark.parametrize("verb", [urlset.read, urlset.lint, urlset.stats])
def test_an_error_of_the_system_names_its_file(verb: Callable[[str], object], monkeypatch: Any) -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as endpoint:
        monkeypatch.chdir(folder)  # the name of a socket must be short
        endpoint.bind("sitemap.xml")
        with pytest.raises(OSError, match="No such device") as caught:
            verb("sitemap.xml")
        assert (caught.value.filename, caught.value.strerror) == ("sitemap.xml", "No such device or address")
        other: list[str | io.BytesIO] = ["sitemap.xml", io.BytesIO(b"https://a.example/")]
        found = urlset.read(other)
        assert str(found.failures[0]) == "sitemap.xml: No such device or address"
