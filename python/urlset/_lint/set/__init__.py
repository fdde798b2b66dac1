"""The rules over a whole set of documents: what one document alone does not show.

Each rule is a few lines of SQL, or of Python if it is about indexes only, with its code and its source. The entries of
all documents are read once more into DuckDB, which keeps to its share of memory and spills the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from urlset._lint.set import alternates, duplicates, indexes, lastmods, tables
from urlset._lint.set import robots as robots_rules
from urlset._lint.set.findings import CheckedDocument, FindingCollector, SetDocument, SetFindings, has_pages
from urlset._lint.set.robots import Sites, proven_hosts
from urlset._lint.set.sql import MANY
from urlset._model.diagnostics import Severity
from urlset._model.limits import USUAL, Budget

__all__ = ["CODES", "SetDocument", "SetFindings", "Sites", "check", "needs", "proven_hosts"]

_INDEXES = ("IDX001", "IDX002")
_ALTERNATES = ("ALT005", "ALT009", "ALT011")
_ROBOTS = ("ROB001", "ROB003", "ROB004")
#: The rule about a robots.txt that is itself a document.
_GROUPS = "ROB007"
#: The rules of this package. MOD009 is also a rule of single documents.
CODES = (*_ALTERNATES, *_INDEXES, "IDX007", "IDX008", "MOD009", "MOD010", "MOD012", *_ROBOTS, _GROUPS)


def needs(
    rules: Mapping[str, str],
    documents: Sequence[CheckedDocument],
    alternates: int,
    robots: Mapping[str, bytes] | Sites,
) -> bool:
    """Return whether any of the rules could find anything in these documents, which have `alternates` links in all.

    One document without alternates and without a robots.txt needs no check, unless it is an index, which can list
    itself, or MOD010 is enabled for a file, or MOD012 for a document of many entries.
    """
    asked = rules.keys()
    pages = entries = 0
    has_index = is_dated = has_robots = False
    for document in documents:
        if has_pages(document):
            pages += 1
            entries += document.entries
            is_dated = is_dated or document.modified is not None
        elif document.kind == "sitemapindex" and document.entries:
            has_index = True
        elif document.kind == "robots":
            has_robots = True
    # What the documents have comes first: of most, that ends it.
    return bool(
        (has_index and asked & {*_INDEXES})
        or (has_index and pages and "IDX007" in asked)
        or (pages > 1 and asked & {"IDX008", "MOD009"})
        or (is_dated and "MOD010" in asked)
        or (entries >= MANY and "MOD012" in asked)
        or (alternates and asked & {*_ALTERNATES})
        or (robots and asked & {*_ROBOTS})
        or (has_robots and _GROUPS in asked)
    )


def _has_many(documents: Sequence[SetDocument]) -> bool:
    """Return whether these documents have enough entries for MOD012."""
    return sum(document.entries for document in documents if document.has_pages) >= MANY


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
    """Apply the enabled rules to the documents of one lint call.

    Args:
        documents: The documents, which were checked alone already.
        rules: Severities of the enabled rules, by code.
        agents: The crawlers that a robots.txt is judged for.
        robots: The robots.txt files, by URL or host.
        fold: How many findings of one rule are kept for one document.
        memory: How much DuckDB may hold.
        threads: How many documents are read at once; as many as there are cores if None.
        progress: Called with the number of entries read so far.
        budget: What reading a document may cost.
        now: Lastmods more than a day later do not count for IDX007.

    Raises:
        FetchError: A document was removed after it was checked.
    """
    found = FindingCollector(documents, rules, fold)
    budget = budget or USUAL
    sites = robots if isinstance(robots, Sites) else Sites(robots if found.is_enabled(*_ROBOTS) else {})
    listed = indexes.listings(documents, budget) if found.is_enabled(*_INDEXES, "IDX007", "ROB001") else []
    indexes.check(documents, listed, found)
    robots_rules.check_documents(documents, listed, sites, agents, found)
    if found.is_enabled(_GROUPS):
        robots_rules.check_groups(documents, found)

    several = sum(document.has_pages for document in documents) > 1
    stale = found.is_enabled("IDX007") and any(listing.lastmod and listing.target is not None for listing in listed)
    twice = found.is_enabled("IDX008") and several
    identical = found.is_enabled("MOD009") and several
    of_build = found.is_enabled("MOD010") and any(document.modified is not None for document in documents)
    clustered = found.is_enabled("MOD012") and _has_many(documents)
    linked = found.is_enabled(*_ALTERNATES)
    disallowed = found.is_enabled("ROB004") and robots_rules.may_disallow(sites, agents)
    wanted = tables.EntryColumns(
        locs=twice or linked or disallowed,
        lastmods=bool(stale) or identical or of_build or clustered,
        links=linked,
        languages=found.is_enabled("ALT009") and not several,
    )
    if wanted.locs or wanted.lastmods:
        with tables.loaded(
            documents, wanted, memory=memory, threads=threads, progress=progress, budget=budget
        ) as connection:
            if stale:
                lastmods.stale(connection, found, listed, now and now + timedelta(days=1))
            if identical:
                lastmods.identical(connection, found)
            if clustered:
                lastmods.clustered(connection, found)
            if of_build:
                lastmods.of_build(connection, found)
            if twice:
                duplicates.check(connection, found)
            if linked:
                alternates.check(connection, found)
            if disallowed:
                robots_rules.check_pages(connection, sites, agents, found)
    return found.findings()
