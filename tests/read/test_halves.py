"""A large document is read by two threads, and the result is that of reading it by one."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.reading import urlset_of
from support.threads import check_bytes_and_file, set_cores

HOST = "https://a.example/"
ENTRIES = 60_000
pyarrow: Any = import_module("pyarrow")


def usual(entries: int = ENTRIES) -> bytes:
    """Return a document that is several times as large as what one thread reads alone."""
    return urlset_of(*(f"{HOST}section/page-{number}?number={number}" for number in range(entries)))


def with_entry(document: bytes, number: int, entry: bytes) -> bytes:
    """Return a document with another entry in the place of one."""
    entries = document.split(b"<url>")
    entries[number + 1] = entry
    return b"<url>".join(entries)


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "usual": usual,
    "over the limit in the second half": lambda: usual(90_000),
    "a bad date near the end": lambda: with_entry(
        usual(), 55_000, b"<loc>https://a.example/x</loc><lastmod>x</lastmod></url>"
    ),
    "a bad date near the beginning": lambda: with_entry(
        usual(), 5, b"<loc>https://a.example/x</loc><lastmod>x</lastmod></url>"
    ),
    "broken in the middle": lambda: with_entry(usual(), 30_000, b"<loc>https://a.example/a&b</url>"),
    "not UTF-8 near the end": lambda: with_entry(usual(), 59_000, b"<loc>https://a.example/\xff</loc></url>"),
    "extensions": lambda: usual().replace(b"</url>", b"<x:y xmlns:x='urn:x'>1</x:y></url>"),
    "cut off": lambda: usual()[:-100_000],
    "a comment around entries": lambda: usual().replace(b"page-20000?", b"--><!--").replace(b"<url>", b"<!--<url>", 1),
    "prefixes": lambda: usual().replace(b"<", b"<s:").replace(b"<s:/", b"</s:").replace(b"xmlns=", b"xmlns:s="),
    "an index in it": lambda: with_entry(
        usual(), 50_000, b"</url><sitemap><loc>https://a.example/child.xml</loc></sitemap>"
    ),
}


@pytest.fixture(params=DOCUMENTS)
def document(request: pytest.FixtureRequest) -> bytes:
    """A large document."""
    return DOCUMENTS[request.param]()


def test_bytes_and_files_are_read_alike_by_one_thread_and_by_two(
    document: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_bytes_and_file(document, tmp_path / "sitemap.xml", monkeypatch)


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        (["loc", "kind"], None),
        (None, urlset.Filter(include=["*7*"])),
        (None, urlset.Filter(sample_entries=100)),
    ],
)
def test_what_is_asked_for_is_the_same(
    columns: list[str] | None, wanted: urlset.Filter | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = usual()
    found = []
    for cores in (1, 2):
        set_cores(monkeypatch, cores)
        scan = urlset.scan(document, columns=columns, filter=wanted)
        found.append((pyarrow.table(scan).combine_chunks(), list(scan.documents), scan.skipped))
    assert found[1] == found[0]
