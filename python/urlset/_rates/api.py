"""The verb `rates`: how often each page changes, and what the lastmods of its section are worth."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, Self, cast, get_args

from urlset._model.errors import InputError
from urlset._model.instants import instant_of
from urlset._model.tables import _ArrowExport
from urlset._options.option import Option
from urlset._options.publish import Memory
from urlset._rates.estimates import estimate
from urlset._rates.looks import Subject, load_state, load_table, name_by_watches, prepare
from urlset._rates.sections import SectionTable, sections_of
from urlset._rates.steps import count_steps
from urlset._util.arguments import check_choice
from urlset._util.duckdb import connect, scalar
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable

#: What a rate rests on.
Basis = Literal["dates", "content", "lastmods", "section", "changefreq", "site"]
#: Rows that are fetched at once.
_FETCHED: Final = 10_000
#: Histories that can be given at once: each takes two numbers of a byte.
_MOST: Final = 100
_COLUMNS: Final = (
    "loc, change_rate, low, high, section, looks, changes, basis, precision, recall, signals, {fetched}, bytes,"
    " priority, inlinks"
)


class PageRate(NamedTuple):
    """How often one page changes.

    Attributes:
        loc: The page.
        change_rate: Changes per day; None if nothing is known that it could be estimated of.
        low: Between this and `high` the rate is with a probability of 95 %.
        high: See `low`.
        section: The first folder of its path, such as `"/blog/"`, or that of a column `section`. If there are pages of
            several hosts, it begins with the host.
        looks: How often it was looked at again, so that a change could be seen.
        changes: At how many of these it had changed.
        basis: What the rate rests on: `"dates"` (changes of the content, and the lastmods that date them), `"content"`
            (changes of the content alone), `"lastmods"` (moves of the lastmod alone), or for a page that was not
            looked at again, `"section"` (the pages of its section), `"changefreq"` or `"site"` (all pages of its host).
            None if there is no rate.
        precision: The share of moved lastmods in its section that came with a change; None if that is not known, or
            they are ignored.
        recall: Which share of the changes of its section a moved lastmod told.
        signals: How often its lastmod has moved since it was fetched last.
        fetched: When it was fetched last; None if it never was.
        bytes: Its size, on average.
        priority: The priority in its sitemap.
        inlinks: How many pages of the site link to it.
    """

    loc: str
    change_rate: float | None
    low: float | None
    high: float | None
    section: str
    looks: int
    changes: int
    basis: Basis | None
    precision: float | None
    recall: float | None
    signals: int
    fetched: datetime | None
    bytes: float | None
    priority: float | None
    inlinks: int | None


class Rates(_ArrowExport):
    """How often each page changes: a row for each, by loc. Iterate it, or take it by `__arrow_c_stream__`.

    It holds a temporary file until it is closed.

    Attributes:
        sections: What is known of each section, the largest first.
        looks: How many looks there were.
        left_out: How much was left out, by reason.
    """

    def __init__(self, connection: DuckDBPyConnection, stack: ExitStack) -> None:
        self._connection = connection
        self._stack = stack
        self._pages = int(scalar(connection, "SELECT count(*) FROM rates"))
        self.looks = int(scalar(connection, "SELECT count(*) FROM looks"))
        self.sections: SectionTable = sections_of(connection)
        self.left_out: Mapping[str, int] = dict(
            connection.execute(
                "SELECT why, sum(count)::BIGINT FROM left_out GROUP BY why HAVING sum(count) > 0 ORDER BY why"
            ).fetchall()
        )

    def __len__(self) -> int:
        """Return how many pages there are."""
        return self._pages

    def __iter__(self) -> Iterator[PageRate]:
        """Iterate the pages."""
        cursor = self._connection.cursor()
        cursor.execute(f"SELECT {_COLUMNS.format(fetched='epoch_us(fetched)')} FROM rates ORDER BY place")
        while rows := cursor.fetchmany(_FETCHED):
            for page in map(PageRate._make, rows):
                yield page if page.fetched is None else page._replace(fetched=instant_of(cast("int", page.fetched)))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the pages as an Arrow stream, with a column for each attribute of `PageRate`."""
        query = f"SELECT {_COLUMNS.format(fetched='fetched')} FROM rates ORDER BY place"
        return self._connection.cursor().sql(query).__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Remove the temporary file."""
        self._stack.close()

    def __enter__(self) -> Self:
        """Return the rates, and close them at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


def rates(
    history: str
    | os.PathLike[str]
    | ArrowTable
    | Iterable[Mapping[str, object]]
    | Sequence[str | os.PathLike[str] | ArrowTable],
    *,
    of: Annotated[Subject, Option("Whether rates are those of pages, or of sitemaps, which a watch knows.")] = "pages",
    memory: Memory = "512MB",
) -> Rates:
    """Estimate how often each page of a site changes, by looks at it, and what its lastmods are worth.

    Where lastmods tell the truth, they show changes that fall between two looks; where they do not, they are ignored.
    A page that was never looked at has the rate of its section, or what its changefreq says.

    Args:
        history: A run file of `audit` and `crawl`, a state of `watch`, or a table of looks (Arrow, a data frame, a
            relation, mappings), with `loc`, `time`, and one of `hash` (of the content), `changed` (since the look
            before) and `lastmod`. A table may also have `bytes`, `section`, `changefreq` and `priority`. It can be a
            list of these.
        of: Whether rates are those of pages, or of sitemaps, which a watch knows.
        memory: Memory limit; what does not fit goes to temporary files.

    Returns:
        The rates, whose table `schedule` takes. Close them when done with them, best by `with`.

    Raises:
        InputError: An argument is invalid, a file has no looks, or a column is missing.
        OSError: A file cannot be read.

    Example:
        >>> import urlset
        >>> looks = [
        ...     {"loc": "/news", "time": f"2026-11-{day:02}T06:00:00Z", "hash": str(day // 2)} for day in range(1, 15)
        ... ]
        >>> with urlset.rates(looks) as found:
        ...     [(page.loc, round(page.change_rate, 2), page.looks, page.changes) for page in found]
        [('/news', 0.73, 13, 7)]
    """
    check_choice("of", of, get_args(Subject))
    return rates_of(_all_of(history), of=of, memory=memory)


def rates_of(histories: list[Any], *, of: Subject = "pages", memory: str, names_hosts: bool | None = None) -> Rates:
    """Return the rates of histories, as `rates` does. In a job, a task cannot know whether there are several hosts.

    Raises:
        InputError: A history cannot be read.
    """
    if not 0 < len(histories) <= _MOST:
        raise InputError(f"history must be from 1 to {_MOST} files or tables, got {len(histories):,}")
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        # A file and not memory: there, what does not fit would be written without compression.
        connection = stack.enter_context(connect(folder / "rates.duckdb", memory=memory, spill=folder / "spill"))
        prepare(connection)
        for number, each in enumerate(histories):
            if isinstance(each, str | os.PathLike):
                load_state(connection, 2 * number, each, of)
            elif of == "pages":
                load_table(connection, 2 * number, each)
            else:
                raise InputError("only the state of a watch has looks at sitemaps")
        name_by_watches(connection)
        count_steps(connection, names_hosts=names_hosts)
        estimate(connection)
        return Rates(connection, stack.pop_all())


def _all_of(history: Any) -> list[Any]:
    """Return the histories of what may be one or a list of them; looks as mappings are one."""
    if isinstance(history, str | os.PathLike) or hasattr(history, "__arrow_c_stream__"):
        return [history]
    rest = iter(history)
    first = next(rest, None)
    if first is None or isinstance(first, Mapping):
        return [() if first is None else chain([first], rest)]
    return [first, *rest]
