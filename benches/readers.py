"""The readers that are measured, and the process that runs one of them.

    python benches/readers.py NAME FILE

Run by read.py, with the project's Python or the peers'. Each reader is given the bytes of the
document and gives back everything it is said to read, in memory.
"""

from __future__ import annotations

import hashlib
import os
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from contest import Found, found_locs, serve

Method = tuple[Callable[[bytes], Any], Callable[[Any], Found]]
"""How to read the bytes (timed), and what the result of that holds (not timed)."""

NS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
URL, LOC, LASTMOD, CHANGEFREQ, PRIORITY = (
    f"{NS}{name}" for name in ("url", "loc", "lastmod", "changefreq", "priority")
)


def _table(columns: list[str] | None = None) -> Method:
    import urlset

    # Taking the table over into pyarrow copies nothing, and proves that every batch was built.
    pyarrow: Any = import_module("pyarrow")
    return (
        lambda data: pyarrow.table(urlset.read(data, columns=columns)),
        lambda table: found_locs(table["loc"].to_pylist()),
    )


def _objects() -> Method:
    import urlset

    return (
        lambda data: list(urlset.scan(data)),
        lambda entries: found_locs(entry.loc for entry in entries),
    )


def _lint() -> Method:
    """Every rule of one document, with the location that those of hosts and folders need; the set's read it again."""
    import urlset

    of_set = [rule.code for rule in urlset.rules() if rule.scope == "set"]
    # What the inputs are found to be is so: of as many entries as there may be, and with links that are not returned.
    true = {"LIM004", "ALT004"}
    return (
        lambda data: urlset.lint(
            data, location="https://www.example.com/sitemap.xml", rules=urlset.Rules(ignore=of_set)
        ),
        lambda report: Found(report.entries, "" if report.counts.keys() <= true else str(report.counts)),
    )


def _two(*, threads: int) -> Method:
    """Two documents of the same text, by so many threads: 1 reads one after the other."""
    read, found = _table()
    pool = ThreadPoolExecutor(threads)

    def both(tables: list[Any]) -> Found:
        first, second = map(found, tables)
        return Found(first.number + second.number, first.checksum if first == second else "not the same")

    # Not the same bytes twice: those would be in the cache for the second.
    return lambda data: list(pool.map(read, (data, _copy(data)))), both


@cache
def _copy(data: bytes) -> bytes:
    return bytes(bytearray(data))


def _usp() -> Method:
    usp: Any = import_module("usp.tree")
    return (
        lambda data: list(usp.sitemap_from_str(data.decode()).all_pages()),
        lambda pages: found_locs(page.url for page in pages),
    )


def _scrapy() -> Method:
    scrapy: Any = import_module("scrapy.utils.sitemap")
    return (
        lambda data: list(scrapy.Sitemap(data)),
        lambda rows: found_locs(row["loc"] for row in rows),
    )


Fields = tuple[str | None, str | None, str | None, str | None]


def _fields(url: Any) -> Fields:
    """Return the four fields in one pass over the children: twice as fast as four times `findtext`."""
    loc = lastmod = changefreq = priority = None
    for child in url:
        tag = child.tag
        if tag == LOC:
            loc = child.text
        elif tag == LASTMOD:
            lastmod = child.text
        elif tag == CHANGEFREQ:
            changefreq = child.text
        elif tag == PRIORITY:
            priority = child.text
    return loc, lastmod, changefreq, priority


def _findtext(url: Any) -> Fields:
    """Return the four fields the short way, which is what most programs do."""
    return url.findtext(LOC), url.findtext(LASTMOD), url.findtext(CHANGEFREQ), url.findtext(PRIORITY)


def _lxml(fields: Callable[[Any], Fields]) -> Method:
    etree: Any = import_module("lxml.etree")

    def read(data: bytes) -> list[Fields]:
        rows = []
        for _, url in etree.iterparse(BytesIO(data), tag=URL):
            rows.append(fields(url))
            url.clear()
            while url.getprevious() is not None:  # or the root keeps every emptied entry
                del url.getparent()[0]
        return rows

    return read, lambda rows: found_locs(row[0] for row in rows)


def _elementtree() -> Method:
    from xml.etree import ElementTree

    def read(data: bytes) -> list[Fields]:
        rows = []
        for _, element in ElementTree.iterparse(BytesIO(data)):
            if element.tag == URL:
                rows.append(_fields(element))
                element.clear()  # with it, this is faster than building the whole tree
        return rows

    return read, lambda rows: found_locs(row[0] for row in rows)


def _count() -> Method:
    return lambda data: data.count(b"<"), lambda tags: Found(tags, "")


def _gunzip() -> Method:
    return (
        lambda data: zlib.decompress(data, wbits=31),
        lambda plain: Found(len(plain), hashlib.sha256(plain).hexdigest()),
    )


@dataclass(frozen=True, slots=True)
class Reader:
    """One contestant of read.py."""

    label: str
    load: Callable[[], Method]
    package: str = ""
    """The distribution whose version is reported; "" is Python's own library."""
    python: Literal["project", "peers"] = "project"
    source: Literal["xml", "gz"] = "xml"
    finds: Literal["entries", "number", "tags", "bytes"] = "entries"
    documents: int = 1
    """How often it reads the input in one piece of work."""
    has_all_cores: bool = False
    """Whether it may run on every core. The others have one, because urlset would take what there is."""


READERS = {
    "urlset": Reader("urlset, full table", _table, "urlset"),
    "urlset-cores": Reader("urlset, full table, all cores", _table, "urlset", has_all_cores=True),
    "urlset-loc": Reader("urlset, columns=['loc']", lambda: _table(["loc"]), "urlset"),
    "urlset-objects": Reader("urlset, UrlEntry objects", _objects, "urlset"),
    "urlset-gz": Reader("urlset, full table from gzip", _table, "urlset", source="gz"),
    "urlset-two": Reader("urlset, two in turn", lambda: _two(threads=1), "urlset", documents=2),
    "urlset-threads": Reader("urlset, two at once", lambda: _two(threads=2), "urlset", documents=2, has_all_cores=True),
    "urlset-lint": Reader("urlset, every rule", _lint, "urlset", finds="number"),
    "usp": Reader("ultimate-sitemap-parser", _usp, "ultimate-sitemap-parser", python="peers"),
    "lxml": Reader("lxml iterparse, four fields", lambda: _lxml(_fields), "lxml", python="peers"),
    "lxml-findtext": Reader("lxml iterparse, findtext", lambda: _lxml(_findtext), "lxml", python="peers"),
    "scrapy": Reader("Scrapy Sitemap", _scrapy, "Scrapy", python="peers"),
    "elementtree": Reader("ElementTree, four fields", _elementtree),
    "gunzip": Reader("zlib.decompress alone", _gunzip, source="gz", finds="bytes"),
    "count": Reader('data.count(b"<")', _count, finds="tags"),
}


def main(name: str, path: Path) -> None:
    """Serve rounds of reading the file with the reader `name`."""
    reader = READERS[name]
    if not reader.has_all_cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    read, found = reader.load()
    data = path.read_bytes()
    serve(lambda: read(data), found, package=reader.package, given=data)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
