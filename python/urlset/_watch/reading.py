"""Reading a site for a run: each document that has changed, into the temporary tables of `schema`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from urlset import _core
from urlset._model.documents import Completeness, Document
from urlset._model.errors import FetchError, NotASitemapError, UrlsetError
from urlset._model.fetches import Fetch
from urlset._model.limits import Budget
from urlset._model.progress import OnProgress, Progress
from urlset._options.http import Http
from urlset._read.failures import Failures, unreadable
from urlset._read.opening import Opener
from urlset._read.results import worst_completeness
from urlset._read.scan_pass import Ended, Hooks, ScanPass
from urlset._read.source import Remote, Source
from urlset._read.walk import Walk, child_key, not_read
from urlset._util.instances import in_memory
from urlset._util.plans import PlannedPage
from urlset._watch.state import State

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_OTHERS: Final = ("changefreq", "priority", "images", "videos", "alternates", "news")
_COLUMNS: Final = ["loc", "lastmod", "lastmod_raw", *_OTHERS]
_PRECISION: Final = "CASE length(lastmod_raw) WHEN 4 THEN 0 WHEN 7 THEN 1 WHEN 10 THEN 2 ELSE 3 END"
#: SQL for what a row of `staged` needs of an entry. The hash is half of an MD5, which SQLite keeps as a number.
_ROWS: Final = (
    f"SELECT loc, epoch_us(lastmod) * 4 + {_PRECISION}, lastmod_raw,"  # noqa: S608
    f" CASE WHEN {' OR '.join(f'{name} IS NOT NULL' for name in _OTHERS)} THEN"
    f" CAST(md5_number_lower(CAST(to_json(row({', '.join(_OTHERS)})) AS VARCHAR)) >> 1 AS BIGINT) END"
    " FROM rows WHERE loc IS NOT NULL"
)
#: Of a loc that a document lists twice, the entry with the latest lastmod counts.
_STAGE: Final = """
    INSERT INTO temp.staged VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET moment = excluded.moment, lastmod = excluded.lastmod, fields = excluded.fields
    WHERE excluded.moment > coalesce(moment, -9223372036854775808)
"""
#: Rows that are Python objects at once.
_AT_ONCE: Final = 5_000
#: Kinds of documents whose children have to be known, so that they are read even if they are unchanged.
_LISTS: Final = ("sitemapindex", "robots")
_WHOLE: Final = ("complete", "recovered")


@dataclass(frozen=True, slots=True)
class Reading:
    """How the reading went.

    Attributes:
        failures: What could not be read, or not to its end.
        fetches: What came of each document at a URL.
        completeness: How much was read: the worst of all documents.
        not_due: How many sitemaps were not read, because a plan has them for later.
    """

    failures: tuple[UrlsetError, ...]
    fetches: tuple[Fetch, ...]
    completeness: Completeness
    not_due: int


class Reader:
    """Reads the documents of one run, each once, and passes over those that the state knows by their hash.

    Args:
        state: The state, after `begin`.
        sources: The sources.
        http: How documents are fetched.
        budget: What reading a document may cost.
        progress: Called with how many documents were looked at so far, and how many entries were read of them.
        planned: The pages of a plan. A sitemap that it has for later is not read, and goes on listing what it listed.
        strict: Whether any failure ends the look, and changes nothing.
    """

    def __init__(
        self,
        state: State,
        sources: Sequence[Source],
        http: Http,
        budget: Budget | None,
        progress: OnProgress | None,
        planned: Iterable[PlannedPage] = (),
        *,
        strict: bool,
    ) -> None:
        self._execute = state.connection.execute
        self._state = state
        self._sources = sources
        self._opener = Opener(sources, http)
        # Findings are for `lint`, and the limits of the protocol only lead to findings.
        self._budget = replace(budget or Budget(), findings=1)
        self._progress = progress
        self._planned = planned
        self._later: set[int] = set()
        self._walk: Walk[Source] = Walk()
        self._next = int(state.scalar("SELECT coalesce(max(sitemap), 0) FROM sitemaps"))
        self._done = self._entries = 0
        #: What the hashes of fields depend on: with another version of a library, they can be others.
        self._form: str | None = None
        self._documents: list[Document] = []
        self._failures = Failures(strict=strict)

    def read(self) -> Reading:
        """Read everything.

        Raises:
            UrlsetError: Not one of the sources could be read.
        """
        self._take_plan()
        with closing(self._opener), in_memory(threads=1) as transform:
            for source in self._sources:
                self._number(source.key or "", is_root=True)
                self._add(source)
            while waiting := self._walk.peek(self._opener.http.concurrency):
                self._opener.prepare(waiting)
                if (reason := self._opener.spent(waiting[0])) is not None:
                    self._failures.add(not_read(reason, self._walk.leave()))
                    break
                self._walk.next()
                self._look_at(waiting[0], transform)
                self._done += 1
                self._tell()
        was_read = self._state.scalar("SELECT count(*) FROM temp.seen WHERE state <> 'unread'")
        self._failures.check(is_read=bool(was_read))
        fetches = self._opener.fetches
        self._take_hashes(fetches)
        completeness = worst_completeness(self._documents, self._failures.kept)
        return Reading(tuple(self._failures.kept), fetches, completeness, len(self._later))

    def _take_plan(self) -> None:
        """Take down what a plan has for later."""
        later = ((_core.page_form(page.loc),) for page in self._planned if page.overdue is None)
        self._execute("BEGIN")
        self._state.connection.executemany("INSERT OR IGNORE INTO temp.later VALUES (?)", later)
        self._execute("COMMIT")

    def _add(self, source: Source) -> None:
        """Have a document read, unless it is a sitemap that was read whole before, and a plan has it for later.

        An index is read whatever the plan says: what it lists has to be known.
        """
        key = source.key or ""
        known = self._execute(
            "SELECT sitemap, kind FROM sitemaps WHERE url = ? AND whole_look > 0"
            " AND EXISTS (SELECT 1 FROM temp.later WHERE form = ?)",
            [key, _core.page_form(key)],
        ).fetchone()
        if known is not None and known[1] not in _LISTS:
            self._later.add(known[0])
        else:
            self._walk.add(source, source)

    def _number(self, key: str, *, is_root: bool = False) -> int:
        """Return the number of a document, as the state or this run has it, or a new one."""
        row = self._execute("SELECT sitemap FROM temp.seen WHERE url = ?", [key]).fetchone()
        if row is None:
            row = self._execute("SELECT sitemap FROM sitemaps WHERE url = ?", [key]).fetchone()
            if row is None:
                self._next += 1
                row = (self._next,)
            self._execute("INSERT INTO temp.seen (sitemap, url, is_root) VALUES (?, ?, ?)", [row[0], key, is_root])
        return int(row[0])

    def _look_at(self, source: Source, transform: DuckDBPyConnection) -> None:
        """Read a document, unless it is known."""
        sitemap = self._number(source.key or "")
        try:
            opened = self._opener.open(source)
            opened.wait()
        except FetchError as error:
            self._failures.add(error)
            return
        sha256 = opened.sha256 or _hash_of(source)
        query = "SELECT kind FROM sitemaps WHERE sitemap = ? AND sha256 = ?"
        known = self._execute(query, [sitemap, sha256]).fetchone()
        if known is not None and known[0] not in _LISTS:
            opened.close()
            self._note(sitemap, opened.location, known[0], sha256, "same")
            return
        self._opener.put_back(source, opened)
        self._parse(source, sitemap, sha256, transform)

    def _parse(self, source: Source, sitemap: int, sha256: str | None, transform: DuckDBPyConnection) -> None:
        ends: list[Ended] = []
        hooks = Hooks(on_end=ends.append)
        reading = ScanPass([source], self._failures, self._opener, follow=True, reads_children=False, hooks=hooks)
        try:
            for batch in iter(reading.stream(_COLUMNS, self._budget, None).next_batch, None):
                self._stage(sitemap, batch, transform)
        except (NotASitemapError, FetchError) as error:
            self._failures.add(error)
        except OSError as error:
            self._failures.add(unreadable(source.location, error))
        self._documents += reading.documents
        document = ends[0].document if ends else None
        if document is None or document.completeness == "refused":
            return
        is_whole = document.completeness in _WHOLE and not ends[0].is_broken
        state = "whole" if is_whole else "part"
        self._note(sitemap, document.location, document.kind, sha256 if is_whole else None, state)
        size = 0 if document.kind in _LISTS else document.rows
        if not is_whole:  # what it listed before still counts
            size = max(size, self._state.scalar("SELECT max(size) FROM sitemaps WHERE sitemap = ?", [sitemap]) or 0)
        self._execute("UPDATE temp.seen SET form = ?, size = ? WHERE sitemap = ?", [self._form, size, sitemap])
        for child in ends[0].children:
            if (key := child_key(source, child.loc)) is not None:
                self._execute("INSERT OR IGNORE INTO temp.listed VALUES (?, ?)", [sitemap, self._number(key)])
        for each in reading.take_children():
            self._add(each)

    def _note(self, sitemap: int, location: str | None, kind: str | None, sha256: str | None, state: str) -> None:
        query = "UPDATE temp.seen SET final_url = ?, kind = ?, sha256 = ?, state = ? WHERE sitemap = ?"
        self._execute(query, [location, kind, sha256, state, sitemap])

    def _stage(self, sitemap: int, batch: _core.Batches, transform: DuckDBPyConnection) -> None:
        rows = _core.Batches.concat([batch], _COLUMNS)  # noqa: F841  (DuckDB finds it by its name)
        if self._form is None:
            self._form = _form(transform.execute("DESCRIBE FROM rows").fetchall())
        found = transform.execute(_ROWS)
        pieces = iter(lambda: found.fetchmany(_AT_ONCE), [])
        self._execute("BEGIN")
        self._state.connection.executemany(_STAGE, ((sitemap, *row) for piece in pieces for row in piece))
        self._execute("COMMIT")
        self._entries += len(batch)
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(Progress("documents", self._done, self._walk.added, self._entries))

    def _take_hashes(self, fetches: Sequence[Fetch]) -> None:
        """Take the hashes of the documents that were received, by which the next run knows them."""
        query = "UPDATE temp.seen SET sha256 = ? WHERE final_url = ? AND state = 'whole'"
        hashes: dict[str, str | None] = {}
        for fetch in fetches:
            if fetch.sha256 is not None and hashes.setdefault(fetch.final_url, fetch.sha256) != fetch.sha256:
                hashes[fetch.final_url] = None  # two URLs lead there, and it has changed in between
        self._execute("BEGIN")
        self._state.connection.executemany(query, [(sha256, url) for url, sha256 in hashes.items()])
        self._execute("COMMIT")


def _form(columns: Sequence[tuple[object, ...]]) -> str:
    """Return what hashes of fields depend on: the types of the columns, and who writes them as text."""
    import duckdb  # noqa: PLC0415  (0.15 s, for which the verbs without it should not wait)

    return hashlib.sha256(f"{duckdb.__version__} {columns}".encode()).hexdigest()


def _hash_of(source: Source) -> str | None:
    """Return the hash of a file, or None for what is somewhere else."""
    if isinstance(source.opened, Remote) or source.path is None:
        return None
    try:
        with Path(source.path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # reading it says what is wrong
        return None
