"""The rules over a whole set of documents: what one document alone does not show.

Each rule is a few lines of SQL, or of Python if it is about indexes only, with its code and its source. While documents
are checked one by one, their entries go into DuckDB, which keeps to its share of memory and spills the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
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
#: The rules of this package. MOD009 is also a rule of single documents.
CODES = (*_ALTERNATES, *_INDEXES, "IDX007", "IDX008", "MOD009", "MOD010", "MOD012", *_ROBOTS)


class SetCheck:
    """The check of all documents of one lint call: takes entries while they are read, and applies rules at the end.

    Args:
        rules: Severities of the enabled rules, by code.
        agents: The crawlers that a robots.txt is checked for.
        fold: How many findings of one rule are kept for one document.
        is_alone: Whether there is one document only, which leads nowhere.
        memory: How much DuckDB may hold.
        threads: How many threads work on a query; as many as there are cores if None.
    """

    def __init__(
        self,
        rules: Mapping[str, Severity],
        *,
        agents: Sequence[str],
        fold: int,
        is_alone: bool = False,
        memory: str = "1GB",
        threads: int | None = None,
    ) -> None:
        asked = rules.keys()
        self._agents = agents
        self._fold = fold
        wanted = tables.EntryColumns(
            locs=bool(asked & {*_ALTERNATES, "ROB004"} or ("IDX008" in asked and not is_alone)),
            lastmods=bool(asked & {"MOD010", "MOD012"} or (asked & {"IDX007", "MOD009"} and not is_alone)),
            links=bool(asked & {*_ALTERNATES}),
        )
        is_wanted = wanted.locs or wanted.lastmods
        self._tables = tables.EntryTables(wanted, memory=memory, threads=threads) if is_wanted else None

    def rows_of(self, document: int) -> EntryRows | None:
        """Return what the core hands the entries of a document to, if any rule asks for entries."""
        return None if self._tables is None else self._tables.rows_of(document)

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
