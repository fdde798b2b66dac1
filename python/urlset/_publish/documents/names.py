"""The names of the documents of a set, which contain a hash of their content, or are stable.

    sitemap-products_2026-11-0001-0123456789abcdef.xml.gz   content: other bytes have another name
    sitemap-products_2026-11-0001.xml.gz                    stable: other bytes replace the document

Whoever knows a hash of the content can prove whose document it is. A stable name proves nothing, so the entry point of
a set with stable names says at its end that the set has them, with a hash over all of its documents. That hash also
makes the entry point differ whenever a document does, as the names do otherwise.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from urlset._model.errors import PublishError
from urlset._options.publish import Layout
from urlset._publish.values.header import ShardRecord
from urlset._publish.values.shards import stem
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.store import Store

_BY_CONTENT = re.compile(r"sitemap-((?:.*-)?)(\d{4,9})-([0-9a-f]{16})\.xml(?:\.gz)?")
_STABLE = re.compile(r"sitemap-((?:.*-)?)(\d{4,9})\.xml(?:\.gz)?")
_MARK = re.compile(rb"<!-- documents [0-9a-f]{64} -->")


class ShardName(NamedTuple):
    """What the name of a document says: its series and part, and how the hash of its XML begins; None if stable."""

    series: str
    part: int
    content: str | None

    @property
    def shard(self) -> str:
        """The name of the shard."""
        return stem(self.series, self.part)


def document_name(shard: str, content: str, layout: Layout) -> str:
    """Return the name of a document; `content` is how the hash of its XML begins."""
    suffix = ".xml.gz" if layout.compression == "gzip" else ".xml"
    return f"sitemap-{shard}{suffix}" if layout.names == "stable" else f"sitemap-{shard}-{content}{suffix}"


def parsed(name: str) -> ShardName | None:
    """Return what the name of a document says; None for a name that `publish` does not give."""
    found = _BY_CONTENT.fullmatch(name) or _STABLE.fullmatch(name)
    if found is None:
        return None
    content = found[3] if found.re is _BY_CONTENT else None
    said = ShardName(found[1].removesuffix("-"), int(found[2]), content)
    begin = f"sitemap-{said.shard}{'.' if content is None else '-'}"
    return said if name.startswith(begin) else None  # a number with other zeros is another program's


def is_stable(name: str) -> bool:
    """Return whether other bytes replace the document of that name."""
    said = parsed(name)
    return said is not None and said.content is None


def mark(records: Sequence[ShardRecord], layout: Layout) -> bytes:
    """Return the line at the end of the entry point that says that its documents have stable names, if they do."""
    own = [(record.name, record.sha256) for record in records if record.is_ours]
    if layout.names != "stable" or not own:
        return b""
    return b"<!-- documents %s -->\n" % hash_of(own)


def hash_of(documents: Iterable[tuple[str, str]]) -> bytes:
    """Return the hash over all documents with which a mark proves them, from the name and the hash of each."""
    lines = "".join(f"{name} {sha256}\n" for name, sha256 in documents)
    return hashlib.sha256(lines.encode()).hexdigest().encode()


def is_marked(entry_point: bytes | None) -> bool:
    """Return whether an entry point says that its documents have stable names."""
    end = (entry_point or b"").rfind(b"</sitemapindex>")
    return end >= 0 and _MARK.search(entry_point or b"", end) is not None


def check_free(store: Store, names: Iterable[str], own: Iterable[str]) -> None:
    """Check that no document replaces a file that does not belong to the set.

    Args:
        store: Where the set is stored.
        names: The stable names of the documents to come.
        own: The names of documents that were published.

    Raises:
        PublishError: Somebody else's file has one of the names.
    """
    for name in sorted(set(names) - set(own) - {ENTRY_POINT}):
        if store.size(name) is not None:
            raise PublishError(
                f"{store.location}/{name} was not published by urlset: move it away, or publish without stable names"
            )
