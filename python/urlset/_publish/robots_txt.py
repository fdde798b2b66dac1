"""The Sitemap lines of a robots.txt, which announce a set.

Source: sitemaps.org protocol, "Specifying the sitemap location in your robots.txt file": `Sitemap:` and the whole URL,
anywhere in the file, as often as there are sitemaps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from urlset._model.errors import InputError
from urlset._read.source import ENTRY_POINT
from urlset._stores.store import Store

ROBOTS = "robots.txt"
#: Source: RFC 9309, section 2.5: a parser takes at least 500 KiB.
MOST = 512_000
#: The indexes behind the entry point, which have names that say their content.
INDEX = rb"sitemap-index-\d{4,}-[0-9a-f]{16}\.xml"
_INDEX = re.compile(INDEX)


def index_name(number: int, content: str) -> str:
    """What an index behind the entry point is called."""
    return f"sitemap-index-{number:04}-{content}.xml"


def urls_of(base: str, indexes: Sequence[str]) -> list[str]:
    """What there is to tell of a set."""
    return [base + name for name in (ENTRY_POINT, *indexes)]


def check(base: str) -> None:
    """Raises InputError where a robots.txt beside the set is none."""
    path = base.split("/", 3)[3]
    if path:
        raise InputError(
            f"a robots.txt is at the root of its host, and base_url leads to /{path}: name the set there by hand"
        )


def tell(store: Store, base: str, indexes: Sequence[str], *, is_asked: bool) -> bool:
    """Puts the lines into the robots.txt, or only renews them where it tells of the set; whether that changed it."""
    there = store.read(ROBOTS, MOST)
    if not is_asked and (base + ENTRY_POINT).encode() not in told(there):
        return False
    robots = merged(there, base, indexes)
    if robots == there:
        return False
    store.put(ROBOTS, robots)
    return True


def merged(robots: bytes | None, base: str, indexes: Sequence[str]) -> bytes:
    """A robots.txt with a line for the entry point and each index, and none for old ones; all else stays as it is."""
    urls = [url.encode() for url in urls_of(base, indexes)]
    lines = (robots or b"").splitlines(keepends=True)
    kept = [line for line in lines if (url := _sitemap(line)) in urls or not _is_index(url, base)]
    there = {_sitemap(line) for line in kept}
    new = [url for url in urls if url not in there]
    end = b"\r\n" if kept and kept[0].endswith(b"\r\n") else b"\n"
    if new and kept and not kept[-1].endswith((b"\n", b"\r")):
        kept[-1] += end
    return b"".join(kept) + b"".join(b"Sitemap: " + url + end for url in new)


def told(robots: bytes | None) -> list[bytes]:
    """The sitemaps that a robots.txt tells of."""
    urls = (_sitemap(line) for line in (robots or b"").splitlines())
    return [url for url in urls if url is not None]


def _is_index(url: bytes | None, base: str) -> bool:
    start = base.encode()
    return url is not None and url.startswith(start) and _INDEX.fullmatch(url, len(start)) is not None


def _sitemap(line: bytes) -> bytes | None:
    """The URL that a line gives, if it is of that kind."""
    name, colon, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
    if not colon or name.strip().lower() != b"sitemap":
        return None
    return value.partition(b"#")[0].strip()
