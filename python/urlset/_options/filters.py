"""Which of what is found is read: what the users of every verb that reads a set can choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Annotated, Literal

from urlset import _core
from urlset._model.errors import InputError
from urlset._model.instants import micros_of
from urlset._model.kind import Kind
from urlset._options import kinds as kind_of
from urlset._options.option import Option, check_values, documented

#: Whether what has no valid lastmod is inside a window of lastmods.
UnknownLastmod = Literal["keep", "skip"]

WANTED = "What to read"

_MOMENTS = ("modified_since", "modified_before")
_PATTERNS = ("include_sitemaps", "exclude_sitemaps", "include", "exclude")
#: The most entries that are drawn: twice as many are held.
_MAX_DRAWN = 1_000_000


@documented
@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which of the sitemaps that an index or a robots.txt names are read, and which of their entries become rows.

    In a pattern, `*` stands for any text, slashes included, and every other character for itself. One that begins with
    `/` or `*` must match the whole path and query of a URL, such as `/blog/*`, the section of that name. One with `://`
    must match the whole URL. Any other may begin after any slash: `sitemap-products-*` names files.

    Filters never skip an index silently. The sitemaps that you name yourself are always read. One that a robots.txt
    names, or with `index` in its file name, may be an index: unless `exclude_sitemaps` matches it, it is opened for
    the sitemaps that it names, and if it is not an index, its entries are left out and counted. Entries that name
    sitemaps are not filtered.

    Raises:
        InputError: A value is not one of these.

    Example:
        >>> import urlset
        >>> wanted = urlset.Filter(include_sitemaps=["sitemap-products-*"], exclude=["/sale/*"])
        >>> wanted.include_sitemaps, wanted.modified_since
        (('sitemap-products-*',), None)
    """

    include_sitemaps: Annotated[
        Sequence[str],
        Option(
            "Sitemaps to read, such as 'sitemap-products-*' or '/blog/*'; repeat it for more.",
            more="Every sitemap if empty.",
            metavar="PATTERN",
            panel=WANTED,
        ),
    ] = ()
    exclude_sitemaps: Annotated[
        Sequence[str],
        Option("Sitemaps not to fetch; repeat it for more.", metavar="PATTERN", panel=WANTED),
    ] = ()
    include: Annotated[
        Sequence[str],
        Option(
            "Entries to read, by their loc, such as '/blog/*'; repeat it for more.",
            more="Every entry if empty.",
            metavar="PATTERN",
            panel=WANTED,
        ),
    ] = ()
    exclude: Annotated[
        Sequence[str],
        Option("Entries to leave out, by their loc; repeat it for more.", metavar="PATTERN", panel=WANTED),
    ] = ()
    modified_since: Annotated[
        datetime | date | str | None,
        Option(
            "Leave out entries with an earlier lastmod, and sitemaps to which their index gives one.",
            more="A date is the beginning of that day in UTC. A text is one of both, as in `2026-11-01`.",
            metavar="TIME",
            panel=WANTED,
        ),
    ] = None
    modified_before: Annotated[
        datetime | date | str | None,
        Option(
            "Leave out entries whose lastmod is not earlier.",
            more="Sitemaps are fetched all the same: a newer one has older entries too.",
            metavar="TIME",
            panel=WANTED,
        ),
    ] = None
    unknown_lastmod: Annotated[
        UnknownLastmod,
        Option(
            "Keep or skip entries and sitemaps without a valid lastmod.",
            more="A sitemap is skipped for that only if its index gives a lastmod to others: many indexes give none.",
            panel=WANTED,
        ),
    ] = "keep"
    kinds: Annotated[
        Sequence[Kind],
        Option(
            "Kinds of documents to take entries from, such as urlset,rss.",
            more="All if empty. Indexes and robots.txt are always followed.",
            kind=kind_of.WORDS,
            default="all",
            metavar="KINDS",
            panel=WANTED,
        ),
    ] = ()
    sample_sitemaps: Annotated[
        int | None,
        Option(
            "Read only this many sitemaps, drawn evenly.",
            more="They are drawn from those that the indexes name and the filter wants. `Scan.sample` says what they"
            " stand for.",
            metavar="N",
            panel=WANTED,
        ),
    ] = None
    sample_entries: Annotated[
        int | None,
        Option(
            "Read all sitemaps, and keep only this many of their entries, drawn evenly.",
            more="At most 1,000,000, and the rows come at the end. `Scan.sample` says what they stand for.",
            metavar="N",
            most=_MAX_DRAWN,
            panel=WANTED,
        ),
    ] = None
    max_entries: Annotated[
        int | None,
        Option(
            "Begin no further sitemap after this many entries.",
            more="A failure says so.",
            metavar="N",
            panel=WANTED,
        ),
    ] = None

    def __post_init__(self) -> None:
        check_values(self)
        for name in _MOMENTS:
            if isinstance(given := getattr(self, name), str):
                object.__setattr__(self, name, _moment(name, given))
        for name in (*_PATTERNS, "kinds"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.sample_sitemaps is not None and self.sample_entries is not None:
            raise InputError(
                "Filter.sample_entries draws from all sitemaps: leave out Filter.sample_sitemaps, or take it alone"
            )
        since, before = self._window
        if since is not None and before is not None and since >= before:
            raise InputError(
                "Filter.modified_since must be earlier than Filter.modified_before, "
                f"got {self.modified_since} and {self.modified_before}"
            )
        if self.unknown_lastmod == "skip" and since is None and before is None:
            raise InputError("Filter.unknown_lastmod needs Filter.modified_since or Filter.modified_before")

    @property
    def _window(self) -> tuple[int | None, int | None]:
        """Return the window in microseconds since the epoch."""
        return _micros("modified_since", self.modified_since), _micros("modified_before", self.modified_before)

    def _of_entries(self) -> _core.Filter | None:
        """Return what the core filters entries by; None if every one is wanted."""
        since, before = self._window
        if not self.kinds and not self.include and not self.exclude and since is None and before is None:
            return None
        skips_unknown = self.unknown_lastmod == "skip"
        return _core.Filter(list(self.kinds), list(self.include), list(self.exclude), since, before, skips_unknown)

    def _of_sitemaps(self) -> _core.Filter | None:
        """Return what filters the sitemaps that an index names; None if every one is wanted."""
        include, exclude = list(self.include_sitemaps), list(self.exclude_sitemaps)
        if not include and not exclude and self.modified_since is None:
            return None
        return _core.Filter([], include, exclude, self._window[0], None, self.unknown_lastmod == "skip")


def _moment(name: str, text: str) -> datetime | date:
    try:
        return date.fromisoformat(text) if len(text) == len("2026-11-01") else datetime.fromisoformat(text)
    except ValueError:
        times = "2026-11-01 or 2026-11-01T08:00:00Z"
        raise InputError(f"Filter.{name} must be a time such as {times}, got {text!r}") from None


def _micros(name: str, moment: datetime | date | str | None) -> int | None:
    if moment is None:
        return None
    if not isinstance(moment, date):
        raise InputError(f"Filter.{name} must be a datetime, a date or a text, got {moment!r}")
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time(), UTC)
    if moment.tzinfo is None:
        raise InputError(f"Filter.{name} must have a time zone, such as datetime.now(UTC), got {moment.isoformat()!r}")
    return micros_of(moment)
