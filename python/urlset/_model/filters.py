"""Which of what is found is read, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, get_args

from urlset import _core
from urlset._model.entries import Kind
from urlset._model.errors import InputError

#: Whether what has no valid lastmod is inside a window of lastmods.
UnknownLastmod = Literal["keep", "skip"]

_PATTERNS = ("include_sitemaps", "exclude_sitemaps", "include", "exclude")
#: The most entries that are drawn: twice as many are held.
_MAX_DRAWN = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which of the sitemaps that an index or a robots.txt names are read, and which of their entries become rows.

    In a pattern, `*` stands for any text, slashes included, and every other character for itself. One that begins with
    `/` or `*` must match the whole path and query of a URL, such as `/blog/*`, the section of that name. One with `://`
    must match the whole URL. Any other may begin after any slash: `sitemap-products-*` names files.

    No filter hides an index by accident. The sitemaps that you name yourself are always read. One that a robots.txt
    names, or with `index` in its file name, may be an index: unless `exclude_sitemaps` matches it, it is opened for
    the sitemaps that it names, and if it is not an index, its entries are left out and counted. Entries that name
    sitemaps are not filtered.

    Attributes:
        include_sitemaps: Patterns of sitemaps, of which one must match; every sitemap if empty.
        exclude_sitemaps: Patterns of sitemaps that are not fetched at all.
        include: Patterns of locs of entries, of which one must match; every loc if empty.
        exclude: Patterns of locs of entries to leave out.
        modified_since: Entries whose lastmod is earlier are left out. A sitemap is not fetched if its index gives it an
            earlier lastmod. A date is the beginning of that day in UTC.
        modified_before: Entries whose lastmod is not earlier are left out. Sitemaps are fetched all the same: a newer
            one has older entries too.
        unknown_lastmod: Whether what has no valid lastmod is inside that window (`"keep"`) or not (`"skip"`). A sitemap
            is skipped for that only if its index gives a lastmod to others: many indexes give none.
        kinds: Kinds of documents whose entries are rows; all if empty. Indexes and robots.txt are always followed.
        sample: How many sitemaps to read, drawn evenly from those that the indexes name and the filter wants; all if
            None. `Scan.sample` says what they stand for.
        sample_entries: How many entries to draw evenly from those that are wanted; all if None, and at most 1,000,000.
            All documents are read, and the rows come at the end. `Scan.sample` says what they stand for.
        max_entries: How many rows are enough: once there are as many, no further sitemap is begun. A failure says so.

    Raises:
        InputError: A value is not one of these.

    Example:
        >>> import urlset
        >>> wanted = urlset.Filter(include_sitemaps=["sitemap-products-*"], exclude=["/sale/*"])
        >>> wanted.include_sitemaps, wanted.modified_since
        (('sitemap-products-*',), None)
    """

    include_sitemaps: Sequence[str] = ()
    exclude_sitemaps: Sequence[str] = ()
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    modified_since: datetime | date | None = None
    modified_before: datetime | date | None = None
    unknown_lastmod: UnknownLastmod = "keep"
    kinds: Sequence[Kind] = ()
    sample: int | None = None
    sample_entries: int | None = None
    max_entries: int | None = None

    def __post_init__(self) -> None:
        for name in (*_PATTERNS, "kinds"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        for kind in self.kinds:
            if kind not in get_args(Kind):
                raise InputError(f"Filter.kinds must be of {', '.join(get_args(Kind))}, got {kind!r}")
        if self.unknown_lastmod not in get_args(UnknownLastmod):
            raise InputError(f"Filter.unknown_lastmod must be 'keep' or 'skip', got {self.unknown_lastmod!r}")
        for name in ("sample", "sample_entries", "max_entries"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise InputError(f"Filter.{name} must be a whole number from 1 up, got {value!r}")
        if (self.sample_entries or 0) > _MAX_DRAWN:
            raise InputError(f"Filter.sample_entries must be at most {_MAX_DRAWN:,}, got {self.sample_entries:,}")
        if self.sample is not None and self.sample_entries is not None:
            raise InputError("Filter.sample_entries draws from all sitemaps: leave out Filter.sample, or take it alone")
        since, before = self._window
        if since is not None and before is not None and since >= before:
            raise InputError(
                "Filter.modified_since must be earlier than modified_before, "
                f"got {self.modified_since} and {self.modified_before}"
            )
        if self.unknown_lastmod == "skip" and since is None and before is None:
            raise InputError("Filter.unknown_lastmod needs modified_since or modified_before")

    @property
    def _window(self) -> tuple[int | None, int | None]:
        """Return the window in microseconds since the epoch."""
        return _micros("modified_since", self.modified_since), _micros("modified_before", self.modified_before)

    def _of_entries(self) -> _core.Filter | None:
        """Return what the core judges entries by; None if every one is wanted."""
        since, before = self._window
        if not self.kinds and not self.include and not self.exclude and since is None and before is None:
            return None
        skips_unknown = self.unknown_lastmod == "skip"
        return _core.Filter(list(self.kinds), list(self.include), list(self.exclude), since, before, skips_unknown)

    def _of_sitemaps(self) -> _core.Filter | None:
        """Return what the sitemaps that an index names are judged by; None if every one is wanted."""
        include, exclude = list(self.include_sitemaps), list(self.exclude_sitemaps)
        if not include and not exclude and self.modified_since is None:
            return None
        return _core.Filter([], include, exclude, self._window[0], None, self.unknown_lastmod == "skip")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """What a filter left out, by the field of `Filter` that did. It is not a failure.

    Attributes:
        sitemaps: How many sitemaps were not read, or were opened in vain.
        entries: How many entries of the others are not among the rows. Those under `"sitemaps"` were in a sitemap that
            was opened because it could have been an index.

    Example:
        >>> import urlset
        >>> pages = b"https://shop.example/\\nhttps://shop.example/sale/tea\\n"
        >>> scan = urlset.scan(pages, filter=urlset.Filter(exclude=["/sale/*"]))
        >>> [entry.loc for entry in scan], scan.skipped.entries
        (['https://shop.example/'], {'exclude': 1})
    """

    sitemaps: Mapping[str, int] = field(default_factory=dict)
    entries: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether anything was left out."""
        return bool(self.sitemaps or self.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What a sample stands for: one of sitemaps, or one of the entries of all sitemaps.

    If a share p of n drawn entries has some property, so has about that share of all N `entries`, with a standard error
    of `sqrt(p * (1 - p) / n * (1 - n / N))`. Entries of one sitemap are alike, so that this does not hold for a sample
    of sitemaps.

    Attributes:
        sitemaps: How many sitemaps were drawn and read; all that could be, if entries were drawn.
        of: How many there are, as far as they are known: a drawn index stands for others that were not opened.
        entries: How many entries those that were read have, as far as the filter wants them.
        estimated_entries: How many all of them have, by that.
        standard_error: Of that estimate, as if the sample were drawn at random; None for fewer than two sitemaps.
        drawn: How many of `entries` were drawn and are the rows; None if all of them are.

    Example:
        >>> import urlset
        >>> print(urlset.Sample(sitemaps=20, of=500, entries=900_000, estimated_entries=22_500_000, standard_error=4e5))
        20 of 500 sitemaps, with about 22,500,000 entries in all (standard error 400,000)
        >>> pages = b"https://shop.example/\\nhttps://shop.example/tea\\nhttps://shop.example/pots\\n"
        >>> scan = urlset.scan(pages, filter=urlset.Filter(sample_entries=2))
        >>> print(len(list(scan)), "rows:", scan.sample)
        2 rows: 2 of 3 entries, drawn evenly
    """

    sitemaps: int
    of: int
    entries: int
    estimated_entries: int
    standard_error: float | None
    drawn: int | None = None

    def __str__(self) -> str:
        """Return what it stands for."""
        if self.drawn is not None:
            return f"{self.drawn:,} of {'1 entry' if self.entries == 1 else f'{self.entries:,} entries'}, drawn evenly"
        error = "" if self.standard_error is None else f" (standard error {self.standard_error:,.0f})"
        sitemaps = "1 sitemap" if self.of == 1 else f"{self.of:,} sitemaps"
        return f"{self.sitemaps:,} of {sitemaps}, with about {self.estimated_entries:,} entries in all{error}"


def _texts(name: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InputError(f"Filter.{name} must be a list of texts, got {values!r}")
    for value in values:
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"Filter.{name} must have only texts that are not empty, got {value!r}")
    return tuple(values)


def _micros(name: str, moment: datetime | date | None) -> int | None:
    if moment is None:
        return None
    if not isinstance(moment, date):
        raise InputError(f"Filter.{name} must be a datetime or a date, got {moment!r}")
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time(), UTC)
    if moment.tzinfo is None:
        raise InputError(f"Filter.{name} must have a time zone, such as datetime.now(UTC), got {moment.isoformat()!r}")
    return (moment - _EPOCH) // timedelta(microseconds=1)
