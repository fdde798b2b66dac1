"""The verb `watch`: look at a site, and say what has changed since the last run."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import astuple, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from urlset._model.documents import Completeness
from urlset._model.errors import InputError, UrlsetError
from urlset._model.fetches import Fetch, Savings
from urlset._model.limits import Budget
from urlset._model.progress import OnProgress
from urlset._model.tables import _ArrowExport
from urlset._options import kinds
from urlset._options.http import Http
from urlset._options.option import Option
from urlset._options.shared import STATE, ByPlan, StoreOptions, Strict
from urlset._read.source import SourceLike, SourcesLike, resolve_all
from urlset._util.arguments import moment_of
from urlset._util.duckdb import connect, insert_rows
from urlset._util.plans import planned_pages
from urlset._util.tempdirs import temporary_folder
from urlset._util.text import plural
from urlset._watch.age import Age, age_of, check_age
from urlset._watch.changes import COLUMNS, SiteChange
from urlset._watch.compare import end_look
from urlset._watch.holding import HeldSitemap
from urlset._watch.hooks import check_hooks, tell
from urlset._watch.reading import Reader, Reading
from urlset._watch.state import State, locked

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: How much DuckDB holds in memory of a table of changes.
_MEMORY = "256MB"


class WatchRun(_ArrowExport):
    """What has changed on a site: iterate it, or take it as a table. It is true if anything has.

    The changes are those of all runs that were not confirmed yet, in the order of the runs. Confirm them once they
    are where they should be: `confirm()`, or a `with` block that ends without an error. What is not confirmed is handed
    out again by the next run, with the same numbers, so that a kill at any moment loses nothing.

    Attributes:
        number: Number of the last run; 0 if there was none.
        is_first: Whether it was the first one, which has nothing to compare with.
        sitemaps: How many sitemaps of the site were read, in this run or in an earlier one, with indexes.
        entries: How many entries they have, in the counting of all verbs: a loc that is listed twice counts twice.
        counts: How many changes of each kind there are.
        failures: What could not be read, or not to its end. What it listed before still counts.
        held: Sitemaps that have shrunk by more than half at once. What they listed before still counts until the next
            run confirms it.
        newest: The newest lastmod that is not in the future, as a moment; None without one, or without `max_age`.
        is_stale: Whether that is older than `max_age`, or there is none.
        fetches: What came of each document that was fetched.
        completeness: How much was read, as in `Entries`.
        not_due: How many sitemaps were not read, because its plan has them for later. What they listed still counts.
    """

    def __init__(
        self,
        state: State,
        since: int | None,
        reading: Reading | None,
        held: tuple[HeldSitemap, ...] = (),
        age: Age | None = None,
        *,
        hooks: Sequence[str] = (),
        http: Http,
    ) -> None:
        self._state, self._hooks, self._http = state, hooks, http
        self.number = state.last_run
        self.is_first = reading is not None and self.number == 1
        self._since = state.unconfirmed() if since is None else since
        row = state.connection.execute("SELECT sitemaps, entries FROM runs WHERE run = ?", [self.number]).fetchone()
        self.sitemaps, self.entries = (0, 0) if row is None else (int(row[0]), int(row[1]))
        self.counts: Mapping[str, int] = state.counts(self._since, self.number)
        self.failures: tuple[UrlsetError, ...] = () if reading is None else reading.failures
        self.held = held
        self.newest = None if age is None else age.newest
        self.is_stale = age is not None and age.is_stale
        self.fetches: tuple[Fetch, ...] = () if reading is None else reading.fetches
        self.completeness: Completeness = "complete" if reading is None else reading.completeness
        self.not_due = 0 if reading is None else reading.not_due
        self._table: DuckDBPyConnection | None = None
        self._resources = ExitStack()
        self._resources.callback(state.close)
        self._finalizer = weakref.finalize(self, self._resources.close)

    @property
    def savings(self) -> Savings:
        """What was not fetched again, and how far indexes could be trusted."""
        return Savings.of(self.fetches)

    def __len__(self) -> int:
        """Return how many changes there are."""
        return sum(self.counts.values())

    def __bool__(self) -> bool:
        """Return whether anything has changed."""
        return len(self) > 0

    def __repr__(self) -> str:
        """Return what was seen."""
        found = "the first run" if self.is_first else plural(len(self), "change")
        failed = f", {plural(len(self.failures), 'failure')}" if self.failures else ""
        failed += f", {len(self.held):,} held back" if self.held else ""
        seen = f"{plural(self.entries, 'entry', 'entries')} in {plural(self.sitemaps, 'sitemap')}"
        return f"<WatchRun {self.number}: {seen}, {found}{failed}>"

    def __iter__(self) -> Iterator[SiteChange]:
        """Iterate the changes."""
        for changes in self._state.changes(self._since, self.number):
            yield from changes

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the changes as an Arrow stream, with a column for each attribute of `SiteChange`."""
        if self._table is None:
            spill = self._resources.enter_context(temporary_folder())
            self._table = self._resources.enter_context(connect(threads=1, memory=_MEMORY, spill=spill))
            columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
            self._table.execute(f"CREATE TABLE changes ({columns})")
            for changes in self._state.changes(self._since, self.number):
                insert_rows(self._table, "changes", [astuple(change) for change in changes])
        return self._table.cursor().sql("FROM changes").__arrow_c_stream__(requested_schema)

    def confirm(self) -> None:
        """Say that the changes have arrived: the next run does not hand them out again. Hooks are told before that.

        Raises:
            FetchError: A hook did not take the changes, which are handed out again then.
        """
        hooks, self._hooks = self._hooks, ()
        tell(hooks, self, self._http)
        self._state.confirm(self.number)

    def close(self) -> None:
        """Close the state. The changes cannot be read any more; the counts stay."""
        self._finalizer()

    def __enter__(self) -> WatchRun:
        """Return the run. At the end of the block, without an error, its changes are confirmed, and it is closed."""
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Confirm and close."""
        try:
            if error is None:
                self.confirm()
        finally:
            self.close()


def watch(
    source: SourceLike | SourcesLike | None = None,
    *,
    state: Annotated[str | os.PathLike[str], STATE],
    since: Annotated[
        int | None,
        Option(
            "Return the changes of all runs after this number.",
            default="those that were not returned yet",
            metavar="RUN",
            least=0,
        ),
    ] = None,
    max_age: Annotated[
        str | timedelta | None,
        Option(
            "Report it as a finding if the newest lastmod is older than this, such as 12h or 2d.",
            kind=kinds.STRING,
            metavar="TIME",
        ),
    ] = None,
    hooks: Annotated[
        Sequence[str | os.PathLike[str]],
        Option(
            "File or named pipe to append the changes to as lines of JSON, or URL to post them to.",
            kind=kinds.STRINGS,
            metavar="FILE|URL",
        ),
    ] = (),
    plan: ByPlan = None,
    strict: Strict = False,
    http: Http | None = None,
    store: StoreOptions = None,
    budget: Budget | None = None,
    now: datetime | None = None,
    progress: OnProgress | None = None,
) -> WatchRun:
    """Look at a site, and return what has changed since the last run.

    A page is added, removed or moved to another sitemap, or its lastmod or another field changes; a sitemap is added,
    removed or moved. A page counts as removed only if every sitemap that listed it was read whole or is not listed any
    more itself: what could not be read today goes on listing what it listed before, and so does a sitemap that has
    shrunk by more than half, until the next run confirms it. A sitemap that is known by the hash
    of its body, or that the server says is unchanged, is not read again.

    A run is one transaction: a kill at any moment leaves the state before it or the one after it.

    Args:
        source: A URL, path, folder or glob, or a list of them, as in `scan`; None to look at nothing, and only hand out
            what runs before have found.
        state: File that keeps the results for the next run over the site. It is the cache, too, has the changes,
            and is created if it does not exist.
        since: Return the changes of all runs after this number. Those that are not confirmed yet if None. The
            changes of the last 1,000 runs are kept.
        max_age: Report it as a finding if the newest lastmod is older than this, such as 12h or 2d. It can be a
            timedelta. A lastmod in the future does not count; one without a time is as new as the end of its day.
        hooks: File or named pipe to append the changes to as lines of JSON, or URL to post them to. They are told when
            the run is confirmed, and before that: if one fails, `confirm` raises, and all are told again next time. A
            token for a web server is in the environment variable `URLSET_HOOK_TOKEN`.
        plan: Plan of schedule: request only what is due. It is a `Schedule`, or any table with the columns `loc` and
            `next`. A sitemap whose `next` is after `now` is not read, and still lists what it listed before. An index,
            and what the plan does not have or no run has read, is always read.
        strict: Stop at the first document that fails, instead of going on with the others. The
            state is as it was then.
        http: How documents are fetched; `Http()` if None. Its `cache` is the state, unless it names another file.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.
        budget: What reading a document may cost; the default `Budget()` if None.
        now: Aware datetime of the run; the present if None.
        progress: Called with how many documents were looked at so far, of those that are known, and how many entries
            were read of them.

    Returns:
        The changes, as objects and as a table.

    Raises:
        InputError: An argument is invalid, or the state belongs to another source or is in use.
        FileNotFoundError: There is nothing at a path.
        UrlsetError: Nothing of the source could be read, or the state failed.

    Example:
        >>> import urlset
        >>> _ = urlset.write(["https://shop.example/", "https://shop.example/tea"], "shop.xml")
        >>> with urlset.watch("shop.xml", state="shop.sqlite") as run:
        ...     print(run.is_first, run.entries)
        True 2
        >>> _ = urlset.write(["https://shop.example/", "https://shop.example/coffee"], "shop.xml")
        >>> with urlset.watch("shop.xml", state="shop.sqlite") as run:
        ...     for change in run:
        ...         print(change.change, change.loc)
        added https://shop.example/coffee
        removed https://shop.example/tea
    """
    if since is not None and (not isinstance(since, int) or since < 0):
        raise InputError(f"since must be the number of a run from 0 up, got {since!r}")
    longest, told = check_age(max_age), check_hooks(hooks)
    if source is None:
        if not os.path.exists(state):  # noqa: PTH110  (a path of any kind)
            raise InputError(f"state must be a file that a run has written, got {os.fspath(state)!r}")
        return WatchRun(State(state), since, None, hooks=told, http=http or Http())
    names = _named(source)
    sources = resolve_all(names, store=store)
    began = moment_of(now)
    chosen = http or Http()
    chosen = replace(chosen, cache=state) if chosen.cache is None else chosen
    with ExitStack() as stack:
        stack.enter_context(locked(state))
        looking = stack.enter_context(closing(State(state)))
        looking.begin(names)
        with looking.errors():
            planned = () if plan is None else planned_pages(plan, began)
            reading = Reader(looking, sources, chosen, budget, progress, planned, strict=strict).read()
            held = end_look(looking, names, began.isoformat(), len(reading.failures))
            age = None if longest is None else age_of(looking, longest, began)
    return WatchRun(State(state), since, reading, held, age, hooks=told, http=chosen)


def _named(source: SourceLike | SourcesLike) -> list[str]:
    """Return the sources as the state calls them: URLs, and paths that do not depend on the current folder.

    Raises:
        InputError: One is not a path or a URL, so that it cannot be looked at again.
    """
    given = source if isinstance(source, list | tuple) else [source]
    named = []
    for each in given:
        if not isinstance(each, str | os.PathLike):
            raise InputError("source must be a path or a URL, which can be looked at again, or a list of them")
        text = os.fspath(each)
        named.append(text if "://" in text else os.path.abspath(text))  # noqa: PTH100  (a glob stays one)
    return named
