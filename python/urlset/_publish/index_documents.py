"""What lies beside the documents of a set: the indexes that name them, and the stylesheet that they name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from urlset._model.entries import SitemapEntry
from urlset._model.errors import PublishError
from urlset._model.limits import PROTOCOL
from urlset._publish import stylesheet
from urlset._publish.assign import Look
from urlset._publish.documents import put_aside
from urlset._publish.manifest import ShardRecord, moment
from urlset._publish.robots_txt import INDEX, index_name
from urlset._read.source import ENTRY_POINT
from urlset._stores.store import Store
from urlset._write.api import write

_NAMED = re.compile(rb"<!-- (%s) -->" % INDEX)


def stage_indexes(records: Sequence[ShardRecord], folder: Path, look: Look) -> list[str]:
    """Puts the entry point into the stage, and further indexes where one cannot name all shards: their names.

    The entry point names these in comments at its end: whatever changes in the set changes the entry point.
    """
    children = [SitemapEntry(record.url, moment(record.lastmod)) for record in records]
    most = PROTOCOL.entries
    names = []
    for number, begin in enumerate(range(most, len(children), most), 2):
        part = children[begin : begin + most]
        xml = _index(part, look)
        name = index_name(number, hashlib.sha256(xml).hexdigest()[:16])
        put_aside(folder, name, xml, xml, len(part))
        names.append(name)
    first = _index(children[:most], look) + b"".join(b"<!-- %s -->\n" % name.encode() for name in names)
    put_aside(folder, ENTRY_POINT, first, first, len(children[:most]))
    return names


def _index(children: Sequence[SitemapEntry], look: Look) -> bytes:
    buffer = BytesIO()
    write(children, buffer, compression="none")
    return stylesheet.dressed(buffer.getvalue(), look.stylesheet) if look.stylesheet else buffer.getvalue()


def indexes_of(entry_point: bytes) -> list[str]:
    """The further indexes that an entry point of ours names."""
    end = entry_point.rfind(b"</sitemapindex>")
    return [name.decode() for name in _NAMED.findall(entry_point, max(end, 0))]


def check_stylesheet(store: Store, look: Look) -> None:
    """Raises PublishError where the stylesheet's name is taken."""
    for name in stylesheet.files() if look.stylesheet else ():
        there = store.read(name, PROTOCOL.bytes)
        if there is not None and not stylesheet.is_ours(there):
            raise PublishError(f"{store.location}/{name} is somebody else's: move it away")


def put_stylesheet(store: Store, look: Look) -> list[str]:
    """Puts the stylesheet into the place, if one is asked for and it is not there; gives the names of what it wrote."""
    written = []
    for name, content in stylesheet.files().items() if look.stylesheet else ():
        if store.read(name, PROTOCOL.bytes) != content:
            store.put(name, content)
            written.append(name)
    return written
