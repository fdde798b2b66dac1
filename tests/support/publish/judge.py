"""What is published in a folder, read without a line of the package: lxml, gzip, hashlib and DuckDB."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import duckdb
from lxml import etree

from support.publish.manifests import said

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
MANIFEST, PREVIOUS = ".urlset/manifest.parquet", ".urlset/previous.parquet"
DERIVED = ("sitemap-recent-", "sitemap-removed-")

#: Of each loc: its lastmod and its priority as text.
Pages = dict[str, tuple[str | None, str | None]]
#: Of each loc that a manifest knows: its content, its lastmod and the source of that.
Memory = dict[str, tuple[str | None, str | None, str | None]]


@dataclass(frozen=True, slots=True)
class Found:
    """What readers of the set see: its pages, and those of its derived documents by the kind of these."""

    pages: Pages
    derived: dict[str, Pages]


def read_set(folder: Path, base: str) -> Found:
    """Read a set. A document that is missing, malformed or of another kind, or a page that is listed twice, fails."""
    root = _parsed((folder / "sitemap.xml").read_bytes())
    if root.tag == f"{{{NAMESPACE}}}urlset":
        return Found(_pages(root), {})
    assert root.tag == f"{{{NAMESPACE}}}sitemapindex"
    pages, derived = Pages(), dict[str, Pages]()
    for child in root:
        name = str(child.findtext(f"{{{NAMESPACE}}}loc")).removeprefix(base)
        data = (folder / name).read_bytes()
        document = _parsed(gzip.decompress(data) if name.endswith(".gz") else data)
        assert document.tag == f"{{{NAMESPACE}}}urlset"
        kind = next((each for each in DERIVED if name.startswith(each)), None)
        found = _pages(document)
        into = pages if kind is None else derived.setdefault(kind, {})
        assert not into.keys() & found.keys()
        into.update(found)
    return Found(pages, derived)


def _parsed(data: bytes) -> etree._Element:
    assert data.startswith(b"<?xml")
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))


def _pages(root: etree._Element) -> Pages:
    found = Pages()
    for entry in root:
        assert entry.tag == f"{{{NAMESPACE}}}url"
        texts = {child.tag.rpartition("}")[2]: child.text for child in entry if isinstance(child.tag, str)}
        loc = str(texts["loc"])
        assert loc not in found
        found[loc] = texts.get("lastmod"), texts.get("priority")
    return found


def digest(path: Path) -> str | None:
    """The hash of a file, or None."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def memory_of(path: Path) -> Memory:
    """What a manifest knows of each loc."""
    rows = duckdb.execute(f"SELECT loc, content, lastmod, lastmod_source FROM '{path}'").fetchall()
    return {loc: (content, lastmod, source) for loc, content, lastmod, source in rows}


def names_of(path: Path) -> set[str]:
    """The documents and indexes of a manifest, without the entry point."""
    return hashes_of(path).keys() - {"sitemap.xml"} if path.is_file() else set()


def hashes_of(path: Path) -> dict[str, str]:
    """The documents and indexes of a manifest with their hashes, or how these begin."""
    found = said(path)
    hashes = {shard["name"]: shard["sha256"] for shard in json.loads(found["urlset.shards"])}
    return hashes | {name: name.split("-")[-1].split(".")[0] for name in json.loads(found["urlset.indexes"])}


def damaged_files(folder: Path, manifest: str, entry_point: str, current: str | None = None) -> set[str]:
    """The files of a set that have other bytes than its manifest says, unless those of the current one are there."""
    hashes = {name: sha256 for name, sha256 in hashes_of(folder / manifest).items() if name != "sitemap.xml"}
    replaced = hashes_of(folder / current) if current else {}
    hashes = {name: sha256 for name, sha256 in hashes.items() if replaced.get(name, sha256) == sha256}
    hashes[entry_point] = said(folder / manifest)["urlset.entry_point"]
    return {name for name, sha256 in hashes.items() if not (digest(folder / name) or "-").startswith(sha256)}
