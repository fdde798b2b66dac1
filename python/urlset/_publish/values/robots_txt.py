"""The Sitemap lines of a robots.txt, which announce a set.

Source: sitemaps.org protocol, "Specifying the sitemap location in your robots.txt file": `Sitemap:` and the whole URL,
anywhere in the file, as often as there are sitemaps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from urlset._model.errors import InputError
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.store import Store

ROBOTS = "robots.txt"
#: Bytes of a robots.txt that are read. Source: RFC 9309, section 2.5: a parser must take at least 500 KiB.
MAX_BYTES = 512_000
#: The indexes after the entry point: their names contain a hash of their content.
INDEX = rb"sitemap-index-\d{4,}-[0-9a-f]{16}\.xml"
_INDEX = re.compile(INDEX)


def index_name(number: int, content: str) -> str:
    """Return the name of an index after the entry point."""
    return f"sitemap-index-{number:04}-{content}.xml"


def is_index_name(name: str) -> bool:
    """Return whether a name is one of an index after the entry point."""
    return _INDEX.fullmatch(name.encode("utf-8", "replace")) is not None


def urls_of(base: str, indexes: Sequence[str]) -> list[str]:
    """Return the URLs that crawlers have to know: the entry point and the indexes after it."""
    return [base + name for name in (ENTRY_POINT, *indexes)]


def check(base: str) -> None:
    """Check that the set is at the root of its host, where a robots.txt counts.

    Raises:
        InputError: `base_url` leads to a folder.
    """
    path = base.split("/", 3)[3]
    if path:
        raise InputError(
            f"update_robots needs a set at the root of its host, but base_url leads to /{path}:"
            " add the Sitemap line by hand"
        )


def update(store: Store, base: str, indexes: Sequence[str], *, is_asked: bool) -> bool:
    """Write the lines into the robots.txt; return whether that changed it.

    If `is_asked` is False, only a robots.txt that names the set already is updated.
    """
    there = store.read(ROBOTS, MAX_BYTES)
    if not is_asked and (base + ENTRY_POINT).encode() not in sitemaps_of(there):
        return False
    robots = merged(there, base, indexes)
    if robots == there:
        return False
    store.put(ROBOTS, robots)
    return True


def merged(robots: bytes | None, base: str, indexes: Sequence[str]) -> bytes:
    """Return a robots.txt with a line for the entry point and each index, without those for indexes that are gone.

    All other lines stay as they are.
    """
    urls = [url.encode() for url in urls_of(base, indexes)]
    lines = (robots or b"").splitlines(keepends=True)
    kept = [line for line in lines if (url := _sitemap(line)) in urls or not _is_index(url, base)]
    there = {_sitemap(line) for line in kept}
    new = [url for url in urls if url not in there]
    end = b"\r\n" if kept and kept[0].endswith(b"\r\n") else b"\n"
    if new and kept and not kept[-1].endswith((b"\n", b"\r")):
        kept[-1] += end
    return b"".join(kept) + b"".join(b"Sitemap: " + url + end for url in new)


def sitemaps_of(robots: bytes | None) -> list[bytes]:
    """Return the URLs of the sitemaps that a robots.txt names."""
    urls = (_sitemap(line) for line in (robots or b"").splitlines())
    return [url for url in urls if url is not None]


def _is_index(url: bytes | None, base: str) -> bool:
    start = base.encode()
    return url is not None and url.startswith(start) and _INDEX.fullmatch(url, len(start)) is not None


def _sitemap(line: bytes) -> bytes | None:
    """Return the URL of a `Sitemap:` line, or None for any other line."""
    name, colon, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
    if not colon or name.strip().lower() != b"sitemap":
        return None
    return value.partition(b"#")[0].strip()
