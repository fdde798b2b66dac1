"""The writers that are measured, and the process that runs one of them.

    python benches/writers.py NAME ENTRIES SEED
    python benches/writers.py NAME FILE

Run by write.py, with the project's Python. Each writer turns the same rows, already in memory, into
the bytes of one sitemap with all four fields, or the table that was read of a file into a sitemap again.
"""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from contest import Found, found_locs, serve
from inputs import CORE
from shop import rows

NS = f"{{{CORE}}}"


class Entry(TypedDict):
    """One row as a program would hold it."""

    loc: str
    lastmod: datetime.datetime
    changefreq: str
    priority: float


Prepare = Callable[[list[Entry]], Callable[[], bytes]]
"""What is done with the rows before the clock runs, and the work: the XML's bytes from them."""


def _urlset(source: Any) -> bytes:
    import urlset

    target = BytesIO()
    urlset.write(source, target, compression="none")
    return target.getvalue()


def _arrow(entries: list[Entry]) -> Callable[[], bytes]:
    table = _arrow_table(entries)
    return lambda: _urlset(table)


def _arrow_table(entries: list[Entry]) -> Any:
    pyarrow: Any = import_module("pyarrow")
    schema = pyarrow.schema(
        [
            ("loc", pyarrow.utf8()),
            ("lastmod", pyarrow.timestamp("us", "UTC")),
            ("changefreq", pyarrow.utf8()),
            ("priority", pyarrow.float64()),
        ]
    )
    return pyarrow.Table.from_pylist(entries, schema)


def _objects(entries: list[Entry]) -> Callable[[], bytes]:
    import urlset

    objects = [urlset.UrlEntry(**entry) for entry in entries]
    return lambda: _urlset(objects)


def _dicts(entries: list[Entry]) -> Callable[[], bytes]:
    return lambda: _urlset(entries)


def _elementtree(entries: list[Entry]) -> Callable[[], bytes]:
    def write() -> bytes:
        root = ElementTree.Element("urlset", xmlns=CORE)
        for entry in entries:
            url = ElementTree.SubElement(root, "url")
            ElementTree.SubElement(url, "loc").text = entry["loc"]
            ElementTree.SubElement(url, "lastmod").text = entry["lastmod"].isoformat()
            ElementTree.SubElement(url, "changefreq").text = entry["changefreq"]
            ElementTree.SubElement(url, "priority").text = str(entry["priority"])
        data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
        return data

    return write


def _format(entries: list[Entry]) -> Callable[[], bytes]:
    def write() -> bytes:
        urls = "".join(
            f"<url><loc>{escape(entry['loc'])}</loc><lastmod>{entry['lastmod'].isoformat()}</lastmod>"
            f"<changefreq>{entry['changefreq']}</changefreq><priority>{entry['priority']}</priority></url>\n"
            for entry in entries
        )
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{CORE}">\n{urls}</urlset>'.encode()

    return write


WRITERS: dict[str, tuple[str, Prepare]] = {
    "urlset-arrow": ("urlset.write, Arrow table", _arrow),
    "urlset-objects": ("urlset.write, UrlEntry objects", _objects),
    "urlset-dicts": ("urlset.write, dicts", _dicts),
    "elementtree": ("xml.etree, dicts", _elementtree),
    "format": ("f-strings and escape, dicts", _format),
}
NODE = "sitemapjs"
NODE_LABEL = "sitemap.js, objects"
"""The peer of Node, a program of its own: sitemapjs/serve.mjs."""
READ_BACK = "urlset-read"
"""Not a writer: reads what urlset-arrow wrote to the full table, for writing to be compared to."""


TABLE = "urlset-table"
TABLE_ONE = "urlset-table-one"
TABLE_READ = "urlset-table-read"
TABLE_READ_ONE = "urlset-table-read-one"
"""Writing the table that was read of a file, and reading what was written: on all cores and on one."""


def read_back(data: bytes) -> Found:
    """Return the locs that ElementTree finds in a written sitemap, of entries that have all four fields."""
    urls = ElementTree.fromstring(data).iter(f"{NS}url")
    whole = (url for url in urls if all(url.findtext(f"{NS}{field}") for field in Entry.__annotations__))
    return found_locs(url.findtext(f"{NS}loc") for url in whole)


def entries_of(number: int, seed: int) -> list[Entry]:
    """Return so many rows, as a program would hold them."""
    return [
        Entry(
            loc=row.loc,
            lastmod=datetime.datetime.fromisoformat(row.lastmod).astimezone(datetime.UTC),
            changefreq=row.changefreq,
            priority=float(row.priority),
        )
        for row in islice(rows(seed), number)
    ]


def plain_rows(number: int, seed: int) -> list[dict[str, Any]]:
    """Return the same as values that JSON has."""
    return [{**entry, "lastmod": entry["lastmod"].isoformat()} for entry in entries_of(number, seed)]


def serve_table(name: str, path: Path) -> None:
    """Serve rounds of writing the table of a file, or of reading what that gives."""
    import urlset

    pyarrow: Any = import_module("pyarrow")
    if name in (TABLE_ONE, TABLE_READ_ONE) and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    given = pyarrow.table(urlset.read(path.read_bytes()))
    if name in (TABLE, TABLE_ONE):
        locs = f"{NS}url/{NS}loc"
        serve(
            lambda: _urlset(given),
            lambda data: found_locs(loc.text for loc in ElementTree.fromstring(data).iterfind(locs)),
            package="urlset",
            size=len,
        )
        return
    data = _urlset(given)
    serve(
        lambda: pyarrow.table(urlset.read(data)),
        lambda table: found_locs(table["loc"].to_pylist()),
        package="urlset",
        size=lambda table: len(data),
    )


def main(name: str, entries: int, seed: int) -> None:
    """Serve rounds of writing `entries` rows with the writer `name`."""
    given = entries_of(entries, seed)
    if name == READ_BACK:
        import urlset

        pyarrow: Any = import_module("pyarrow")
        data = _urlset(_arrow_table(given))
        serve(
            lambda: pyarrow.table(urlset.read(data)),
            lambda table: found_locs(table["loc"].to_pylist()),
            package="urlset",
            size=lambda table: len(data),
        )
    else:
        package = "urlset" if name.startswith("urlset") else ""
        serve(WRITERS[name][1](given), read_back, package=package, size=len)


if __name__ == "__main__":
    if sys.argv[1] in (TABLE, TABLE_ONE, TABLE_READ, TABLE_READ_ONE):
        serve_table(sys.argv[1], Path(sys.argv[2]))
    else:
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
