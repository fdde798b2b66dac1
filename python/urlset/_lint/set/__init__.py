"""The rules over a whole set of documents: what one document alone does not show.

Each rule is a few lines of SQL, or of Python if it is about indexes only, with its code and its source. While documents
are checked one by one, their entries go into DuckDB, which keeps to its share of memory and spills the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from urlset._lint.set import alternates as linked
from urlset._lint.set import duplicates, indexes, lastmods, tables
from urlset._lint.set import robots as robots_rules
from urlset._lint.set.findings import FindingCollector, SetDocument, SetFindings
from urlset._lint.set.robots import Sites, proven_hosts
from urlset._lint.set.sql import MANY
from urlset._model.core_types import EntryRows
from urlset._model.diagnostics import Severity
from urlset._util.duckdb import interruptible

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["CODES", "SetCheck", "SetDocument", "SetFindings", "Sites", "proven_hosts"]

_INDEXES = ("IDX001", "IDX002")
_ALTERNATES = ("ALT005", "ALT009", "ALT011")
_ROBOTS = ("ROB001", "ROB003", "ROB004")
#: The rules that compare lastmods, and those of them for a single document.
_DATES = ("IDX007", "MOD009", "MOD010", "MOD012")
_DATES_OF_ONE = ("MOD010", "MOD012")
#: The rules of this package. MOD009 is also a rule of single documents.
CODES = (*_ALTERNATES, *_INDEXES, "IDX007", "IDX008", "MOD009", "MOD010", "MOD012", *_ROBOTS)


class SetCheck:
    """The check of all documents of one lint call: takes entries while they are read, and applies rules at the end.

    Args:
        rules: Severities of the enabled rules, by code.
        agents: The crawlers that a robots.txt is checked for.
        fold: How many findings of one rule are kept for one document.
        has_robots: Whether the robots.txt of a site may be known.
        is_alone: Whether there is one document so far, which can be read twice: see `asks_again`.
        memory: How much DuckDB may hold.
        threads: How many threads work on a query; as many as there are cores if None.
    """

    def __init__(
        self,
        rules: Mapping[str, Severity],
        *,
        agents: Sequence[str],
        fold: int,
        has_robots: bool = True,
        is_alone: bool = False,
        memory: str = "1GB",
        threads: int | None = None,
    ) -> None:
        self._rules = rules.keys()
        self._agents = agents
        self._fold = fold
        self._has_robots = has_robots
        self._is_alone = is_alone
        self._new_tables = partial(tables.EntryTables, memory=memory, threads=threads)
        self._tables = self._made()

    def _made(self) -> tables.EntryTables | None:
        """Return tables for what the rules ask of entries; None if they ask for nothing."""
        is_alone, asked = self._is_alone, self._rules
        links = not is_alone and not asked.isdisjoint(_ALTERNATES)
        wanted = tables.EntryColumns(
            locs=links or (self._has_robots and "ROB004" in asked) or (not is_alone and "IDX008" in asked),
            lastmods=not asked.isdisjoint(_DATES_OF_ONE if is_alone else _DATES),
            links=links,
        )
        return self._new_tables(wanted) if wanted.locs or wanted.lastmods else None

    def rows_of(self, document: int) -> EntryRows | None:
        """Return what the core hands the entries of a document to, if any rule asks for entries."""
        return None if self._tables is None else self._tables.rows_of(document)

    def asks_again(self, *, pages: int, alternates: int, leads_on: bool) -> bool:
        """Return whether a document that was alone is to be read again, now that more is known of it.

        Most documents that are alone have no links to other languages, and then no rule asks for their locs. To hand
        those over would take a third of the time that the whole check takes.

        Args:
            pages: How many of its entries are pages.
            alternates: How many of them have links to other languages.
            leads_on: Whether other documents follow.
        """
        has_links = alternates > 0 and not self._rules.isdisjoint(_ALTERNATES)
        if not self._is_alone or not (leads_on or has_links):
            return False
        self._is_alone = False
        self.close()
        self._tables = self._made()
        return self._tables is not None and pages > 0

    def findings(
        self,
        documents: Sequence[SetDocument],
        rules: Mapping[str, Severity],
        robots: Sites,
        *,
        alternates: int,
        now: datetime | None = None,
    ) -> SetFindings:
        """Apply the enabled rules to the documents.

        Args:
            documents: The documents, all of which were checked.
            rules: Severities of the enabled rules, by code.
            robots: The robots.txt files.
            alternates: How many of their entries have links to other languages.
            now: Lastmods more than a day later do not count for IDX007.
        """
        if not (alternates or robots or len(documents) > 1 or any(map(_may_have_findings, documents))):
            return SetFindings((), {}, frozenset())
        found = FindingCollector(documents, rules, self._fold)
        listed = indexes.entries_of(documents) if found.is_enabled(*_INDEXES, "IDX007", "ROB001") else []
        indexes.check(documents, listed, found)
        robots_rules.check_documents(documents, listed, robots, self._agents, found)

        pages = [document for document in documents if document.has_pages]
        several = len(pages) > 1
        checks: list[Callable[[DuckDBPyConnection], None]] = []
        if found.is_enabled("IDX007") and any(listing.lastmod and listing.target is not None for listing in listed):
            checks.append(lambda db: lastmods.stale(db, found, listed, now and now + timedelta(days=1)))
        if found.is_enabled("MOD009") and several:
            checks.append(lambda db: lastmods.identical(db, found))
        if found.is_enabled("MOD012") and sum(document.entries for document in pages) >= MANY:
            checks.append(lambda db: lastmods.clustered(db, found))
        if found.is_enabled("MOD010") and any(document.modified is not None for document in pages):
            checks.append(lambda db: lastmods.of_build(db, found))
        if found.is_enabled("IDX008") and several:
            checks.append(lambda db: duplicates.check(db, found))
        if found.is_enabled(*_ALTERNATES) and alternates:
            checks.append(lambda db: linked.check(db, found))
        if found.is_enabled("ROB004") and robots_rules.may_disallow(robots, self._agents):
            checks.append(lambda db: robots_rules.check_pages(db, robots, self._agents, found))
        if checks and pages and self._tables is not None:
            connection = self._tables.finished(documents)
            with interruptible():
                for apply in checks:
                    apply(connection)
        return found.findings()

    def close(self) -> None:
        """Remove the tables, whatever happened."""
        if self._tables is not None:
            self._tables.close()


def _may_have_findings(document: SetDocument) -> bool:
    """Return whether a rule of this package may have findings of a document that is alone."""
    return document.kind == "sitemapindex" or document.modified is not None or document.entries >= MANY
