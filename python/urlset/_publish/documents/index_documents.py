"""Index documents, which name the shards of a set, and the stylesheet, which the documents name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from urlset._model.entries import SitemapEntry
from urlset._model.errors import PublishError
from urlset._model.limits import PROTOCOL
from urlset._options.publish import Layout
from urlset._publish.documents import names, stylesheet
from urlset._publish.documents.documents import stage_file
from urlset._publish.values.header import Header, ShardRecord, moment
from urlset._publish.values.robots_txt import INDEX, index_name
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.store import Store
from urlset._write.api import write

_NAMED = re.compile(rb"<!-- (%s) -->" % INDEX)


def stage_indexes(records: Sequence[ShardRecord], folder: Path, layout: Layout) -> list[str]:
    """Stage the entry point, and further indexes if one cannot name all shards; return the names of these.

    The entry point names them in comments at its end, so that whatever changes in the set changes the entry point.
    The names of these indexes always contain a hash of their content.
    """
    indexes = []
    for name, xml, entries in _indexes(records, layout):
        stage_file(folder, name, xml, xml, entries)
        indexes.append(name)
    return indexes[:-1]


def entry_point_of(header: Header) -> bytes | None:
    """Return the entry point of a set, made again from its manifest; None if the set is a single document."""
    if [record.name for record in header.shards] == [ENTRY_POINT]:
        return None
    words = header.layout.split()
    layout = Layout(names="stable" if "stable" in words else "content", stylesheet=stylesheet.STYLESHEET in words)
    *_, (_, xml, _) = _indexes(header.shards, layout)
    return xml


def _indexes(records: Sequence[ShardRecord], layout: Layout) -> Iterator[tuple[str, bytes, int]]:
    """Yield the name, the XML and the number of entries of each index; the entry point, which names them, is last."""
    children = [SitemapEntry(record.url, moment(record.lastmod)) for record in records]
    most = PROTOCOL.entries
    named = []
    for number, begin in enumerate(range(most, len(children), most), 2):
        part = children[begin : begin + most]
        xml = _index(part, layout)
        named.append(index_name(number, hashlib.sha256(xml).hexdigest()[:16]))
        yield named[-1], xml, len(part)
    first = _index(children[:most], layout) + b"".join(b"<!-- %s -->\n" % name.encode() for name in named)
    yield ENTRY_POINT, first + names.mark(records, layout), len(children[:most])


def _index(children: Sequence[SitemapEntry], layout: Layout) -> bytes:
    buffer = BytesIO()
    write(children, buffer, compression="none")
    return stylesheet.dressed(buffer.getvalue(), layout.href) if layout.href else buffer.getvalue()


def indexes_of(entry_point: bytes) -> list[str]:
    """Return the names of the further indexes that an entry point of `publish` lists in its comments."""
    end = entry_point.rfind(b"</sitemapindex>")
    return [name.decode() for name in _NAMED.findall(entry_point, max(end, 0))]


def check_stylesheet(store: Store, layout: Layout) -> None:
    """Check that the name of the stylesheet is free.

    Raises:
        PublishError: Somebody else's file has that name.
    """
    for name in stylesheet.files() if layout.href else ():
        there = store.read(name, PROTOCOL.bytes)
        if there is not None and not stylesheet.is_ours(there):
            raise PublishError(
                f"{store.location}/{name} was not made by urlset: move it away, or publish without stylesheet"
            )


def put_stylesheet(store: Store, layout: Layout) -> list[str]:
    """Store the stylesheet if the layout has one and it is not there yet; return the names of the files written."""
    written = []
    for name, content in stylesheet.files().items() if layout.href else ():
        if store.read(name, PROTOCOL.bytes) != content:
            store.put(name, content)
            written.append(name)
    return written
