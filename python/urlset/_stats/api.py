"""What a set holds at a glance: entries by section and host, ages of lastmods, extensions, sizes, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from urlset._model.errors import InputError
from urlset._model.instants import instant_of
from urlset._model.limits import Budget
from urlset._model.progress import OnProgress
from urlset._options.filters import Filter
from urlset._options.http import Http
from urlset._options.shared import Follow, StoreOptions, Strict
from urlset._read.api import scan
from urlset._read.source import SourceLike, SourcesLike
from urlset._stats.result import Stats
from urlset._util.arguments import moment_of
from urlset._util.duckdb import insert_batches, interruptible
from urlset._util.instances import in_memory

#: The ages of lastmods, from the youngest to the oldest, with the days up to which they go.
AGES: Mapping[str, int] = {"future": 0, "a day": 1, "a week": 7, "a month": 30, "a year": 365}
OLDER, ABSENT, INVALID = "older", "absent", "invalid"
#: The parts of an entry that are not of the protocol itself.
EXTENSIONS = ("images", "videos", "alternates", "news")

_HOST = "coalesce(lower(regexp_extract(loc, '^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)', 1)), '')"
_PATH = "regexp_extract(loc, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*(/[^?#]*)', 1)"
#: The first folder of the path.
_SECTION = f"coalesce(nullif(regexp_extract({_PATH}, '^/[^/]+/'), ''), '/')"


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
        months = dict(sorted(counted("month", "month IS NOT NULL").items()))
        extensions = {name: number for name in EXTENSIONS if (number := counted("true", name).get("True", 0))}
        oldest, newest = connection.execute("SELECT min(oldest), max(newest) FROM groups").fetchall()[0]
        return Stats(
            entries=entries,
            documents=rows.documents,
            sections=counted("section"),
            hosts=counted("host"),
            ages={age: ages[age] for age in (*AGES, OLDER, INVALID, ABSENT) if age in ages},
            months=months,
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
    "month": "VARCHAR",
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
    month = "strftime(make_timestamp(epoch_us(lastmod)), '%Y-%m')"
    return f"SELECT {_SECTION}, {_HOST}, {age_name}, {month}, {extensions}, {moments}, count(*) FROM rows GROUP BY ALL"  # noqa: S608


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else instant_of(micros)
