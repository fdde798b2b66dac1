"""What the tests of writing and publishing share: our schemas as a judge, and documents of an exact size."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lxml import etree

SCHEMAS = Path(__file__).parent / "xsd"
CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO = "http://www.google.com/schemas/sitemap-video/1.1"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
XHTML = "http://www.w3.org/1999/xhtml"

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
HEAD = f'{DECLARATION}<urlset xmlns="{CORE}">\n'
FOOT = "</urlset>\n"
ENTRY = "<url><loc>{}</loc></url>\n"

ENTRIES_PER_DOCUMENT = 50_000
BYTES_PER_DOCUMENT = 52_428_800


@cache
def _schema(kind: str) -> etree.XMLSchema:
    return etree.XMLSchema(file=str(SCHEMAS / f"{kind}.xsd"))


def violations(xml: bytes) -> list[str]:
    """What lxml has against a document by its root's schema. Raises XMLSyntaxError where it is not XML."""
    root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    schema = _schema(etree.QName(root).localname)
    return [] if schema.validate(root) else str(schema.error_log).splitlines()


def locs_of(total: int, host: str = "example.com") -> list[str]:
    """Locs of different pages whose urlset, as `write` writes it, has exactly `total` bytes.

    They are mostly of two-byte letters, so that bytes and characters cannot be mistaken for each other.
    """
    fixed, most = len(ENTRY.format("")), 2_000
    left = total - len((HEAD + FOOT).encode())
    count = -(-left // (fixed + most))
    locs = []
    for number in range(count, 0, -1):
        size = left // number - fixed
        start = f"https://{host}/{number}/"
        letters, odd = divmod(size - len(start), 2)
        locs.append(start + "é" * letters + "x" * odd)
        left -= fixed + size
    return locs


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its name there, but for what says nothing: the lock, and the stamps of the files."""
    files = (path for path in folder.rglob("*") if path.is_file())
    named = ((path.relative_to(folder).as_posix(), path) for path in files)
    return {
        name: path.read_bytes() for name, path in sorted(named) if name not in (".urlset/lock", ".urlset/stamps.json")
    }
