"""One document from memory is read by a way of its own, which must come to what a scan of it comes to."""

from __future__ import annotations

import gzip
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pyarrow  # type: ignore[import-untyped]  # it ships no types
import pytest
import urlset
from support.read import differential
from support.reading import index_of, many, urlset_of
from urlset import Budget, Limits
from urlset._read import single

T = TypeVar("T")

VECTORS = Path(__file__).parents[2] / "vectors"
SUFFIXES = (".xml", ".gz", ".txt", ".bin")
#: What a caller may ask for, of which each has a say in what comes out.
OPTIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "failures": {"strict": False},
    "no children": {"follow": False},
    "location": {"location": "https://a.example/sitemap.xml"},
    "empty location": {"location": ""},
    "one column": {"columns": ["loc"]},
    "columns in another order": {"columns": ["line", "document", "loc"]},
    "no column": {"columns": []},
    "encoding": {"content_encoding": "gzip"},
    "budget": {"budget": Budget(entries=2, findings=1, decoded_bytes=500)},
    "limits": {"limits": Limits(entries=1, bytes=100)},
    "no limits": {"limits": None},
    "unknown column": {"columns": ["location"]},
    "column twice": {"columns": ["loc", "loc"]},
    "columns as text": {"columns": "loc"},
    "unknown encoding": {"content_encoding": "lzma"},
}


def outcome(read: Callable[[], T], show: Callable[[T], tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return all that comes of reading, or of failing to."""
    try:
        found = read()
    except urlset.UrlsetError as error:
        return type(error), str(error)
    return show(found)


def of_entries(entries: urlset.Entries) -> tuple[Any, ...]:
    """Return all that entries show."""
    failures = [(type(error), str(error), error.__traceback__) for error in entries.failures]
    documents = [of_document(document) for document in entries.documents]
    return pyarrow.table(entries), list(entries), documents, failures, entries.completeness


def of_document(document: urlset.Document) -> tuple[Any, ...]:
    """Return all that a document shows."""
    return document, list(document), pyarrow.table(document)


def check(data: bytes, options: dict[str, Any]) -> None:
    """Compare `read`, and `parse` if it has the options, with a scan."""
    expected = outcome(lambda: urlset.scan(data, **options).collect(), of_entries)
    assert outcome(lambda: urlset.read(data, **options), of_entries) == expected, (options, data)
    if not options.keys() & {"columns", "follow"}:
        expected = outcome(lambda: urlset.scan(data, **options, follow=False).collect().documents[0], of_document)
        assert outcome(lambda: urlset.parse(data, **options), of_document) == expected, (options, data)


def documents() -> Iterator[bytes]:
    """Every vector, a few that lead to others, and a few that nobody would write."""
    for path in sorted(VECTORS.rglob("*")):
        if path.suffix in SUFFIXES:
            yield path.read_bytes()
    yield from (b"", index_of("https://a.example/1.xml"), index_of(), b"Sitemap: https://a.example/1.xml\n")
    yield gzip.compress(urlset_of("https://a.example/"), mtime=0)
    for name, generator in differential.GENERATORS.items():
        yield from (generator(random.Random(f"{name} {number}")) for number in range(40))


@pytest.mark.parametrize("asked", OPTIONS)
def test_it_comes_to_what_a_scan_comes_to(asked: str) -> None:
    """Each document with nothing asked for, and with every fifth of the options, each time other ones."""
    for number, data in enumerate(documents(), list(OPTIONS).index(asked)):
        if number % 5 == 0 or not OPTIONS[asked]:
            check(data, OPTIONS[asked])


@pytest.mark.parametrize("make", [bytearray, memoryview])
def test_whatever_holds_bytes_is_read(make: Any) -> None:
    data = urlset_of("https://a.example/", "https://a.example/tea")
    assert of_entries(urlset.read(make(data))) == of_entries(urlset.read(data))
    assert of_document(urlset.parse(make(data))) == of_document(urlset.parse(data))


@pytest.mark.parametrize("rows", [50_000, 140_000])
def test_documents_of_several_batches_are_read_alike(rows: int) -> None:
    check(many(rows), {})


class StopError(Exception):
    """What the handler of a signal raises, as that of Ctrl-C does."""


def test_a_signal_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single, "cores", lambda: 1)  # two look at it after 64 MB each, which is not much later
    data = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + 5_000_000 * b"<url><loc>a:</loc></url>"

    def handler(_number: int, _frame: object) -> None:
        raise StopError

    def read() -> float:
        began = time.monotonic()
        with suppress(StopError):
            urlset.read(data, columns=["line"], limits=None)
        return time.monotonic() - began

    whole, before = min(read(), read()), signal.signal(signal.SIGUSR1, handler)
    try:
        timer = threading.Timer(whole / 50, signal.raise_signal, (signal.SIGUSR1,))
        timer.start()
        assert read() < whole / 2
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
