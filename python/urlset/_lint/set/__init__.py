"""The rules over a whole set of documents: what no document shows alone.

Each rule is a few lines of SQL, or of Python where it is about indexes only, under its code and with its source. The
entries of all documents are read once more into DuckDB, which keeps to its share of memory and spills the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from urlset._lint.set import alternates, duplicates, indexes, lastmods, tables
from urlset._lint.set import robots as robots_rules
from urlset._lint.set.findings import Gathered, SetDocument, SetFindings
from urlset._lint.set.robots import Sites, proven_hosts
from urlset._model.diagnostics import Severity
from urlset._model.limits import Budget

__all__ = ["CODES", "SetDocument", "SetFindings", "Sites", "check", "needs", "proven_hosts"]

_INDEXES = ("IDX001", "IDX002")
_ALTERNATES = ("ALT005", "ALT009")
_ROBOTS = ("ROB001", "ROB003", "ROB004")
#: The rules of this package. MOD009 is one of single documents too.
CODES = (*_ALTERNATES, *_INDEXES, "IDX007", "IDX008", "MOD009", "MOD010", *_ROBOTS)


def needs(
    rules: Mapping[str, str],
    documents: Sequence[SetDocument],
    alternates: int,
    robots: Mapping[str, bytes] | Sites,
) -> bool:
    """Whether any of the rules could find anything in these documents, which have so many alternates in all.

    One document without alternates and without a robots.txt needs no look, unless it is an index, which may list
    itself, or MOD010 is asked of a file.
    """
    asked = set(rules)
    pages = [document for document in documents if document.has_pages]
    has_index = any(document.kind == "sitemapindex" and document.entries for document in documents)
    return bool(
        (asked & {*_INDEXES} and has_index)
        or (asked & {"IDX007"} and has_index and pages)
        or (asked & {"IDX008", "MOD009"} and len(pages) > 1)
        or (asked & {"MOD010"} and any(document.modified is not None for document in pages))
        or (asked & {*_ALTERNATES} and alternates)
        or (asked & {*_ROBOTS} and (not isinstance(robots, Mapping) or robots))
    )


def check(
    documents: Sequence[SetDocument],
    rules: Mapping[str, Severity],
    *,
    agents: Sequence[str],
    robots: Mapping[str, bytes] | Sites,
    fold: int,
    memory: str = "1GB",
    threads: int | None = None,
    progress: tables.Progress | None = None,
    budget: Budget | None = None,
    now: datetime | None = None,
) -> SetFindings:
    """Asks the rules, given as code and severity, about the documents of one lint call.

    `agents` are the crawlers that the rules of a robots.txt are asked for. Of each rule and document the first `fold`
    findings are kept. `memory` bounds what DuckDB holds, `threads` how many documents are read at once; `progress` is
    called with the number of entries read so far. With `now`, lastmods more than a day later do not count for IDX007.

    Raises FetchError for a document that is gone since it was checked.
    """
    found = Gathered(documents, rules, fold)
    budget = budget or Budget()
    sites = robots if isinstance(robots, Sites) else Sites(robots if found.asks(*_ROBOTS) else {})
    listed = indexes.listings(documents, budget) if found.asks(*_INDEXES, "IDX007", "ROB001") else []
    indexes.check(documents, listed, found)
    robots_rules.check_documents(documents, listed, sites, agents, found)

    several = sum(document.has_pages for document in documents) > 1
    stale = found.asks("IDX007") and any(listing.lastmod and listing.target is not None for listing in listed)
    twice = found.asks("IDX008") and several
    identical = found.asks("MOD009") and several
    of_build = found.asks("MOD010") and any(document.modified is not None for document in documents)
    linked = found.asks(*_ALTERNATES)
    disallowed = found.asks("ROB004") and any(sites)
    wanted = tables.Wanted(
        locs=twice or linked or disallowed, lastmods=bool(stale) or identical or of_build, links=linked
    )
    if wanted.locs or wanted.lastmods:
        with tables.loaded(
            documents, wanted, memory=memory, threads=threads, progress=progress, budget=budget
        ) as connection:
            if stale:
                lastmods.stale(connection, found, listed, now and now + timedelta(days=1))
            if identical:
                lastmods.identical(connection, found)
            if of_build:
                lastmods.of_build(connection, found)
            if twice:
                duplicates.check(connection, found)
            if linked:
                alternates.check(connection, found)
            if disallowed:
                robots_rules.check_pages(connection, sites, agents, found)
    return found.findings()
