"""Rules about what indexes list: documents of the set, other indexes, or themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from urlset import _core
from urlset._lint.set.findings import FindingCollector, Hit, SetDocument
from urlset._read.walk import child_name
from urlset._stores.store import is_object_url


class IndexEntry(NamedTuple):
    """One entry of an index, and the index among the documents of the one that it means.

    Its `lastmod` is in microseconds since the epoch.
    """

    document: int
    line: int
    loc: str
    lastmod: int | None
    lastmod_raw: str | None
    target: int | None


def entries_of(documents: Sequence[SetDocument]) -> list[IndexEntry]:
    """Return all entries of all indexes. An index has at most 50,000, so they fit into memory."""
    by_url = {
        _core.normalized_url(document.url): number
        for number, document in reversed([*enumerate(documents)])
        if document.url
    }
    # A document with a known URL is meant by that URL only.
    by_path = {
        place: number for number, document in enumerate(documents) if not document.url and (place := _place(document))
    }
    found: list[IndexEntry] = []
    for number, document in enumerate(documents):
        children = [child for child in document.children if child.loc] if document.kind == "sitemapindex" else []
        near = _Folders([*(child.loc for child in children), *([document.url] if document.url else [])])
        for child in children:
            target = by_url.get(_core.normalized_url(child.loc))
            if target is None and near.is_with_others(child.loc) and (name := child_name(child.loc)):
                target = by_path.get(_place(document, name) or "")
            found.append(IndexEntry(number, child.line, child.loc, child.lastmod, child.lastmod_raw, target))
    return found


def _place(document: SetDocument, name: str | None = None) -> str | None:
    """Return the path of a document, or its URL in an object store, or that of another name beside it."""
    if document.location and is_object_url(document.location):
        return document.location if name is None else f"{document.location.rpartition('/')[0]}/{name}"
    if document.path is None or name is None:
        return document.path
    return str(Path(document.path).parent / name)


class _Folders:
    """The folders of the URLs that an index lists.

    A document on disk without a known URL is meant by a loc with its name if that is in the folder of the others: a
    `sitemap.xml` that lists the `sitemap.xml` of a subfolder does not list itself.
    """

    def __init__(self, locs: Sequence[str]) -> None:
        self._many = len(locs) > 1
        self._inside: Counter[str] = Counter()
        for loc in locs:
            parts = loc.split("/")
            self._inside.update("/".join(parts[:end]) for end in range(3, len(parts)))

    def is_with_others(self, loc: str) -> bool:
        """Return whether another entry is in the folder of `loc` or below it, or there are no others."""
        return not self._many or self._inside[loc.rpartition("/")[0]] > 1


def check(documents: Sequence[SetDocument], listed: Sequence[IndexEntry], found: FindingCollector) -> None:
    """IDX001 and IDX002: entries of indexes that lead to indexes.

    A loop is IDX002. It is reported once, at the entry that closes it when the documents are followed in their order;
    its entries are not IDX001.

    Source:
        Google Search Console Help, Sitemaps report: an index that lists indexes is an error; sitemaps.org lets an index
        list sitemaps only.
    """
    edges: dict[int, dict[int, IndexEntry]] = defaultdict(dict)
    for listing in listed:
        if listing.target is not None and documents[listing.target].kind == "sitemapindex":
            # The same child twice is IDX005.
            edges[listing.document].setdefault(listing.target, listing)
    closing, groups = _loops(edges)
    if found.is_enabled("IDX002"):
        hits = (Hit(each.document, each.line, _loop(documents, edges, each)) for each in closing)
        found.add("IDX002", hits, "take the entry out")
    if found.is_enabled("IDX001"):
        nested = (each for targets in edges.values() for each in targets.values())
        hits = (
            Hit(each.document, each.line, f"{documents[each.target].name} is an index, and no index may list one")
            for each in nested
            if each.target is not None and groups[each.document] != groups[each.target]
        )
        found.add("IDX001", hits, "list its children here instead, or name it in robots.txt")


def _loops(edges: dict[int, dict[int, IndexEntry]]) -> tuple[list[IndexEntry], dict[int, int]]:
    """Return the entries that close a loop, and for each index the group of those that can reach each other.

    Tarjan's algorithm, with a list instead of recursion, because indexes can be nested to any depth.
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    groups: dict[int, int] = {}
    open_, closing = [], []
    for start in sorted(edges):
        if start in order:
            continue
        order[start] = low[start] = len(order)
        open_.append(start)
        path: list[tuple[int, Iterator[tuple[int, IndexEntry]]]] = [(start, iter(edges[start].items()))]
        on_path = {start}
        while path:
            index, left = path[-1]
            step = next(left, None)
            if step is None:
                path.pop()
                on_path.discard(index)
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[index])
                while low[index] == order[index] and index not in groups:
                    groups[open_.pop()] = index
                continue
            target, listing = step
            if target in on_path:
                closing.append(listing)
            if target not in order:
                order[target] = low[target] = len(order)
                open_.append(target)
                on_path.add(target)
                path.append((target, iter(edges.get(target, {}).items())))
            elif target not in groups:
                low[index] = min(low[index], order[target])
    return closing, groups


def _loop(documents: Sequence[SetDocument], edges: dict[int, dict[int, IndexEntry]], closing: IndexEntry) -> str:
    """Return the message about the entry that closes a loop: the shortest way from its target back to it."""
    if closing.target == closing.document:
        return "the index lists itself"
    assert closing.target is not None
    came: dict[int, int | None] = {closing.target: None}
    for index in (waiting := [closing.target]):
        for target in edges.get(index, {}):
            if target not in came:
                came[target] = index
                waiting.append(target)
    way: list[str] = []
    step: int | None = closing.document
    while step is not None:
        way.append(documents[step].name)
        step = came[step]
    return f"this leads back: {' lists '.join([*reversed(way), way[-1]])}"
