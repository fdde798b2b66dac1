"""What a set holds at a glance: entries by section and host, ages of lastmods, extensions, sizes, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from urlset._model.documents import Completeness, Document
from urlset._model.errors import InputError, UrlsetError
from urlset._model.instants import instant_of, rfc3339
from urlset._model.limits import Budget
from urlset._model.progress import OnProgress
from urlset._model.skipped import Sample, Skipped
from urlset._options.filters import Filter
from urlset._options.http import Http
from urlset._options.shared import Follow, StoreOptions, Strict
from urlset._read.api import scan
from urlset._read.source import SourceLike, SourcesLike
from urlset._util.arguments import moment_of
from urlset._util.duckdb import insert_batches, interruptible
from urlset._util.instances import in_memory

#: The ages of lastmods, from the youngest to the oldest, with the days up to which they go.
AGES: Mapping[str, int] = {"future": 0, "a day": 1, "a week": 7, "a month": 30, "a year": 365}
OLDER, ABSENT, INVALID = "older", "absent", "invalid"
#: The parts of an entry that are not of the protocol itself.
EXTENSIONS = ("images", "videos", "alternates", "news")

_HOST = "lower(regexp_extract(loc, '^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)', 1))"
_PATH = "regexp_extract(loc, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*(/[^?#]*)', 1)"
#: The first folder of the path.
_SECTION = f"coalesce(nullif(regexp_extract({_PATH}, '^/[^/]+/'), ''), '/')"


@dataclass(frozen=True, slots=True)
class Stats:
    """What a set holds. All counts are exact, and of each the greatest comes first.

    Attributes:
        entries: How many entries there are.
        documents: The documents that were read, without their entries: what each is, its size, and its findings.
        sections: How many entries are below each first folder of the path, such as `"/blog/"`; `"/"` has the others.
        hosts: How many entries each host has; `""` has locs that are not absolute.
        ages: How old lastmods are: `"future"`, up to `"a day"`, `"a week"`, `"a month"`, `"a year"`, `"older"`, and
            `"absent"` or `"invalid"`. They come in this order.
        extensions: How many entries have `images`, `videos`, `alternates` and `news`, as far as there are any.
        oldest: The earliest lastmod, or None.
        newest: The latest lastmod, or None.
        bytes: How many bytes the text of all documents has, decoded to UTF-8.
        completeness: How much was read, as in `Entries`.
        counts: How often each code was found while reading; `lint` finds more.
        failures: What went wrong and was collected instead of raised.
        skipped: What a filter has left out.
        sample: What the sitemaps that were drawn stand for; None without a sample.
    """

    entries: int
    documents: tuple[Document, ...] = field(repr=False)
    sections: Mapping[str, int]
    hosts: Mapping[str, int]
    ages: Mapping[str, int]
    extensions: Mapping[str, int]
    oldest: datetime | None
    newest: datetime | None
    bytes: int
    completeness: Completeness
    counts: Mapping[str, int]
    failures: tuple[UrlsetError, ...] = field(default=(), compare=False)
    skipped: Skipped = field(default_factory=Skipped)
    sample: Sample | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON; moments are RFC 3339 text."""
        documents = [
            {
                "location": each.location,
                "kind": each.kind,
                "entries": each.rows,
                "bytes": each.bytes,
                "completeness": each.completeness,
                "counts": each.counts,
            }
            for each in self.documents
        ]
        names = ("entries", "sections", "hosts", "ages", "extensions", "bytes", "completeness", "counts")
        return {
            **{name: getattr(self, name) for name in names},
            "oldest": self.oldest and rfc3339(self.oldest),
            "newest": self.newest and rfc3339(self.newest),
            "documents": documents,
            "failures": [str(failure) for failure in self.failures],
            "skipped": asdict(self.skipped),
            "sample": None if self.sample is None else _of_sitemaps(self.sample),
        }


def stats(
    source: SourceLike | SourcesLike,
    *,
    location: str | None = None,
    follow: Follow = True,
    strict: Strict = False,
    now: datetime | None = None,
    content_encoding: str | None = None,
    http: Http | None = None,
    store: StoreOptions = None,
    budget: Budget | None = None,
    progress: OnProgress | None = None,
    filter: Filter | None = None,  # noqa: A002  (as in scan)
) -> Stats:
    """Count what a set holds, in bounded memory.

    Args:
        source: As in `scan`.
        location: As in `scan`.
        follow: As in `scan`.
        strict: Stop at the first document that fails, instead of going on with the others.
        now: Aware datetime from which the ages of lastmods are counted; the present if None.
        content_encoding: As in `scan`.
        http: As in `scan`.
        store: As in `scan`.
        budget: As in `scan`.
        progress: Called with how many documents were read so far, of those that are known, and of how many entries.
        filter: As in `scan`, without `sample_entries`.

    Returns:
        The counts.

    Raises:
        InputError: An argument is invalid, or a folder has no sitemap.
        FileNotFoundError: There is nothing at the path.
        NotASitemapError: The root is something else.
        MalformedError: A document ends too early.
        LimitError: A document exceeds the budget.
        FetchError: A child is missing.

    Example:
        >>> import urlset
        >>> found = urlset.stats(b"https://shop.example/\\nhttps://shop.example/tea/1\\nhttps://shop.example/tea/2\\n")
        >>> found.entries, found.sections, found.ages
        (3, {'/tea/': 2, '/': 1}, {'absent': 3})
    """
    moment = moment_of(now)
    if filter is not None and filter.sample_entries is not None:
        raise InputError("sample_entries must not be set: stats counts all that it reads, and sample draws sitemaps")
    columns = ["loc", "lastmod", "lastmod_raw", *EXTENSIONS]
    rows = scan(
        source,
        location=location,
        follow=follow,
        columns=columns,
        strict=strict,
        content_encoding=content_encoding,
        http=http,
        store=store,
        budget=budget,
        filter=filter,
    )
    rows._tell(progress)
    entries = 0
    with interruptible(), in_memory(threads=1) as connection:
        connection.execute(f"CREATE TABLE groups ({', '.join(f'{name} {kind}' for name, kind in _GROUPS.items())})")
        for batch in rows.batches():
            insert_batches(connection, [batch], columns, f"INSERT INTO groups {_grouped(moment)}")
            entries += len(batch)

        def counted(key: str, where: str = "true") -> dict[str, int]:
            query = f"SELECT {key}, sum(entries) FROM groups WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1"  # noqa: S608
            return {str(name): int(count) for name, count in connection.execute(query).fetchall()}

        ages = counted("age")
        extensions = {name: number for name in EXTENSIONS if (number := counted("true", name).get("True", 0))}
        oldest, newest = connection.execute("SELECT min(oldest), max(newest) FROM groups").fetchall()[0]
        return Stats(
            entries=entries,
            documents=rows.documents,
            sections=counted("section"),
            hosts=counted("host"),
            ages={age: ages[age] for age in (*AGES, OLDER, INVALID, ABSENT) if age in ages},
            extensions=dict(sorted(extensions.items(), key=lambda item: -item[1])),
            oldest=_moment(oldest),
            newest=_moment(newest),
            bytes=sum(document.bytes for document in rows.documents),
            completeness=rows.completeness,
            counts=dict(sorted(rows.counts.items(), key=lambda item: (-item[1], item[0]))),
            failures=rows.failures,
            skipped=rows.skipped,
            sample=rows.sample,
        )


#: Entries that are alike, counted: many entries become a few rows.
_GROUPS = {
    "section": "VARCHAR",
    "host": "VARCHAR",
    "age": "VARCHAR",
    **dict.fromkeys(EXTENSIONS, "BOOLEAN"),
    "oldest": "BIGINT",
    "newest": "BIGINT",
    "entries": "BIGINT",
}


def _grouped(now: datetime) -> str:
    """Return SQL that counts the entries of `rows` that are alike."""
    age = f"(epoch_us(TIMESTAMPTZ '{now.astimezone(UTC).isoformat()}') - epoch_us(lastmod)) / 86400e6"
    ages = [f"WHEN {age} {'<' if name == 'future' else '<='} {days} THEN '{name}'" for name, days in AGES.items()]
    known = f"CASE WHEN lastmod IS NOT NULL THEN CASE {' '.join(ages)} ELSE '{OLDER}' END"
    age_name = f"{known} WHEN lastmod_raw IS NOT NULL THEN '{INVALID}' ELSE '{ABSENT}' END"
    extensions = ", ".join(f"{name} IS NOT NULL" for name in EXTENSIONS)
    moments = "min(epoch_us(lastmod)), max(epoch_us(lastmod))"
    return f"SELECT {_SECTION}, {_HOST}, {age_name}, {extensions}, {moments}, count(*) FROM rows GROUP BY ALL"  # noqa: S608


def _of_sitemaps(sample: Sample) -> dict[str, Any]:
    """Return a sample of sitemaps as values of JSON; statistics never draw entries."""
    return {name: value for name, value in asdict(sample).items() if name != "drawn"}


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else instant_of(micros)
