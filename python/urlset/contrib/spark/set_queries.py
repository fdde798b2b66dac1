"""What takes all entries of a set at once, over frames: how two sets differ, and rules that no document shows alone.

The queries are those of `urlset.diff` and `urlset.lint`, which both engines run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from urlset import _core
from urlset._diff.api import FIELDS as ALL_FIELDS
from urlset._diff.sql import PRECISION, changes_sql
from urlset._lint.options import FOLD
from urlset._lint.set import sql
from urlset._model.errors import InputError
from urlset._rules.catalogue import rules as all_rules
from urlset._util.identity import USUAL, host_sql
from urlset._util.text import did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: What two entries can differ in; only manifests have a hash of the content.
FIELDS = ALL_FIELDS[:-1]
_OWN_TIMES = "give each page the time of its own last change, or leave lastmod out"
#: The rules over a set that are asked here, with what is to be done about their findings.
RULES = {
    "ALT005": "list all languages of a page at each of them, itself included",
    "ALT009": "list it with a `<url>` of its own, or take the link out",
    "IDX008": "keep it in one document",
    "MOD009": _OWN_TIMES,
    "MOD012": _OWN_TIMES,
}
_USUAL_RULES = tuple(code for code in RULES if code != "MOD012")
#: SQL for the values that are compared: nested ones as a digest, which has one size.
_VALUES = {name: f"sha2(to_json({name}), 256)" for name in ("images", "videos", "alternates", "news")}
#: SQL for the file name of a document, which is what messages call it.
_NAME = "regexp_extract({}, '[^/]*$', 0)"


def diff(old: DataFrame, new: DataFrame, *, compare: Sequence[str] = ("lastmod",)) -> DataFrame:
    """Compare two sets by loc, as `urlset.diff` does: which locs were added, removed and changed.

    Args:
        old: The entries of the set before, with the columns of `spark.read.format("sitemap")` that are compared; for
            lastmods, `lastmod` and `lastmod_raw`.
        new: The entries of the set after.
        compare: Fields in which entries may differ: lastmod, changefreq, priority, images, videos, alternates, news.

    Returns:
        A row for each loc that is not the same on both sides: `loc`, `change` (added, removed or changed),
        `old_lastmod` and `new_lastmod` as W3C text in UTC, and `fields`, the names of the fields that differ. Entries
        without a loc are left out, and of several entries of one loc the one with the latest lastmod counts.

    Raises:
        InputError: A field is unknown, or a frame does not have its column.

    Example:
        >>> from urlset.contrib.spark import diff, read
        >>> changes = diff(read(spark, "monday/"), read(spark, "tuesday/"))  # doctest: +SKIP
        >>> changes.groupBy("change").count().show()  # doctest: +SKIP
    """
    if isinstance(compare, str):
        raise InputError(f"compare must be a list of fields, got {compare!r}")
    for name in compare:
        if name not in FIELDS:
            raise InputError(f"compare must name {', '.join(FIELDS)}, got {name!r}{did_you_mean(name, FIELDS)}")
    fields = [name for name in FIELDS if name in compare]
    sides = {side: _once(frame, fields) for side, frame in (("old", old), ("new", new))}
    changes = old.sparkSession.sql(changes_sql("{old}", "{new}", fields), **sides)
    names = ", ".join(f"CASE WHEN fields & {1 << bit} > 0 THEN '{name}' END" for bit, name in enumerate(fields))
    return changes.selectExpr(
        "loc",
        "change",
        f"{_lastmod_text('old')} AS old_lastmod",
        f"{_lastmod_text('new')} AS new_lastmod",
        f"filter(CAST(array({names}) AS array<string>), name -> name IS NOT NULL) AS fields",
    )


def check_set(entries: DataFrame, *, select: Sequence[str] = _USUAL_RULES, fold: int = FOLD) -> DataFrame:
    """Ask the rules that take all entries of a set: pages in several documents, links between translations, lastmods.

    ALT011, and rules that also take the indexes, the files or the robots.txt of a site, are asked by `urlset.lint`.

    Args:
        entries: The entries, with the columns `loc`, `document`, `line`, `kind`, `news` and, for ALT005 and ALT009,
            `alternates`, for MOD009 and MOD012, `lastmod` of `spark.read.format("sitemap")`. They are read several
            times: cache them, or store them as a table.
        select: Codes of rules: ALT005, ALT009, IDX008, MOD009, and MOD012, a preview rule that has to be named.
        fold: How many findings of one rule are kept for one document.

    Returns:
        The findings, with the columns `code`, `severity`, `message`, `document`, `line`, `help` and `more`: how many of
        its rule in its document are not kept, at the last of those that are. The first document is that whose location
        sorts first.

    Raises:
        InputError: A code is unknown, or the frame does not have a column.

    Example:
        >>> from urlset.contrib.spark import check_set, read
        >>> check_set(read(spark, "s3://bucket/sitemaps/")).show()  # doctest: +SKIP
    """
    if isinstance(select, str) or not select:
        raise InputError(f"select must be a list of rules, such as ['IDX008'], got {select!r}")
    for code in select:
        if code not in RULES:
            raise InputError(f"select must name {', '.join(RULES)}, got {code!r}{did_you_mean(code, list(RULES))}")
    if fold < 1:
        raise InputError(f"fold must be at least 1, got {fold!r}")
    linked = bool({"ALT005", "ALT009"} & set(select))
    dated = [code for code in ("MOD009", "MOD012") if code in select]
    needed = ["loc", "document", "line", "kind", "news", *["alternates"] * linked, *["lastmod"] * bool(dated)]
    _check_columns(entries, needed)
    pages = entries.where("kind IN ('urlset', 'text', 'rss', 'atom') AND loc IS NOT NULL")
    hits = [_repeated(pages)] if "IDX008" in select else []
    if linked:
        hits += _unanswered(pages, select)
    hits += [_generated(pages, code) for code in dated]
    found = hits[0]
    for more in hits[1:]:
        found = found.unionAll(more)
    return _findings(found, fold)


def within_budgets(sitemaps: DataFrame, *, per_domain: int, column: str = "location") -> tuple[DataFrame, DataFrame]:
    """Keep so many sitemaps of each registered domain: some domains announce tens of thousands, to be crawled more.

    Which ones are kept does not depend on the order or the partitions of the frame. What is kept now is kept again with
    a larger budget.

    Args:
        sitemaps: A frame with the URLs of sitemaps.
        per_domain: How many sitemaps of one domain are kept. The hosts of a domain share it; a host without one, such
            as an address, has its own.
        column: Its column with the URLs.

    Returns:
        The frame with the rows that are kept, and a frame that says what is left out: `domain`, `sitemaps` and
        `left_out`, one row for each domain that is over its budget. Rows whose URL has no host are left out, and
        counted with a null domain.

    Raises:
        InputError: The frame does not have the column, or the budget is less than 1.

    Example:
        >>> from urlset.contrib.spark import within_budgets
        >>> kept, left_out = within_budgets(announced, per_domain=100, column="sitemap")  # doctest: +SKIP
        >>> left_out.orderBy("left_out", ascending=False).show()  # doctest: +SKIP

    Source:
        Common Crawl, November 2017: 125,000 hosts had announced 2.5 billion sitemaps.
    """
    if per_domain < 1:
        raise InputError(f"per_domain must be at least 1, got {per_domain!r}")
    _check_columns(sitemaps, [column])
    session = sitemaps.sparkSession
    url = f"`{column.replace('`', '``')}`"
    hosts = sitemaps.selectExpr(f"{url} AS url").distinct().mapInArrow(_with_domain, "url string, domain string")
    numbered = session.sql(
        "SELECT *, row_number() OVER (PARTITION BY domain ORDER BY xxhash64(url), url) AS place FROM {hosts}",
        hosts=hosts,
    )
    wanted = numbered.where(f"domain IS NOT NULL AND place <= {per_domain}").select("url")
    query = f"SELECT given.* FROM {{given}} AS given SEMI JOIN {{wanted}} AS wanted ON given.{url} = wanted.url"  # noqa: S608
    kept = session.sql(query, given=sitemaps, wanted=wanted)
    left = session.sql(
        f"""
        SELECT domain, count(*) AS sitemaps,
            count(CASE WHEN domain IS NULL OR place > {per_domain} THEN 1 END) AS left_out
        FROM {{numbered}} GROUP BY domain HAVING domain IS NULL OR count(*) > {per_domain}
        """,  # noqa: S608
        numbered=numbered,
    )
    return kept, left


def _check_columns(frame: DataFrame, names: Sequence[str]) -> None:
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise InputError(f"the frame must have the columns {', '.join(names)}, and has no {', '.join(missing)}")


# --- diff ---------------------------------------------------------------------------------------------------


def _once(frame: DataFrame, fields: Sequence[str]) -> DataFrame:
    """Return one row per loc: that with the latest lastmod, whatever the order of the rows."""
    others = [name for name in fields if name != "lastmod"]
    _check_columns(frame, ["loc", "lastmod", "lastmod_raw", *others])
    values = ", ".join(f"{_VALUES.get(name, name)} AS {name}" for name in others)
    order = ", ".join(f"{name} DESC NULLS LAST" for name in ("lastmod", "raw", *others))
    columns = ", ".join(("loc", "key", "lastmod", "raw", *others))
    return frame.sparkSession.sql(
        f"""
        SELECT {columns} FROM (
            SELECT {columns}, row_number() OVER (PARTITION BY key ORDER BY {order}) AS place
            FROM (
                SELECT loc, key, unix_micros(lastmod) * 4 + {PRECISION.format("lastmod_raw")} AS lastmod,
                    CASE WHEN lastmod IS NULL THEN lastmod_raw END AS raw{f", {values}" if values else ""}
                FROM {{rows}}
            ) AS coded
        ) AS numbered WHERE place = 1
        """,  # noqa: S608
        rows=_normalized(frame.where("loc IS NOT NULL"), "loc", "key"),
    )


def _lastmod_text(side: str) -> str:
    """Return SQL for a lastmod as text: an instant in UTC, with a fraction only if there is one, or a date."""
    number = f"{side}_lastmod"
    micros = f"(({number} - ({number} & 3)) DIV 4)"
    text = f"CAST({_moment(micros)} AS STRING)"
    dates = " ".join(f"WHEN {at} THEN left({text}, {size})" for at, size in enumerate((4, 7, 10)))
    return (
        f"CASE WHEN {number} IS NULL THEN {side}_raw"
        f" ELSE CASE {number} & 3 {dates} ELSE concat(replace({text}, ' ', 'T'), 'Z') END END"
    )


def _normalized(frame: DataFrame, column: str, name: str) -> DataFrame:
    """Add a column with the normal form of the URLs in another one. Python sees only those that may differ."""
    is_odd = f"NOT {column} RLIKE '^{USUAL}$' OR contains({column}, '/.') OR contains({column}, '//xn--')"
    usual = frame.where(f"NOT ({is_odd})").selectExpr("*", f"{column} AS {name}")
    return usual.unionAll(
        frame.where(is_odd).mapInArrow(partial(_normal_forms, column=column, name=name), usual.schema)
    )


# --- rules --------------------------------------------------------------------------------------------------


def _repeated(pages: DataFrame) -> DataFrame:
    """IDX008, as `urlset._lint.set.duplicates` says: feeds and news do not count, and locs are in their normal form."""
    session = pages.sparkSession
    counted = pages.where("kind NOT IN ('rss', 'atom') AND news IS NULL")
    listed = _normalized(counted.selectExpr("document", "line", "loc AS written"), "written", "loc")
    listed = listed.selectExpr("*", "xxhash64(loc) AS hash")
    twice = session.sql(sql.twice_sql("{listed}"), listed=listed)
    places = session.sql(sql.places_sql("{listed}", "{twice}"), listed=listed, twice=twice)
    repeated = session.sql(sql.repeated_sql("{places}"), places=places)
    other = "CASE WHEN written = written_there THEN '' ELSE concat(', as `', written_there, '`') END"
    message = f"concat('`', written, '` is in ', {_NAME.format('there')}, ':', line_there, ' too', {other})"
    return repeated.selectExpr("'IDX008' AS code", f"{message} AS message", "document", "line", "written AS place")


def _unanswered(pages: DataFrame, select: Sequence[str]) -> list[DataFrame]:
    """ALT005 and ALT009, as `urlset._lint.set.alternates` says."""
    session = pages.sparkSession
    entries = _normalized(pages.selectExpr("document", "line", "loc AS written"), "written", "loc")
    entries = entries.selectExpr("*", "xxhash64(loc) AS hash")
    links = pages.selectExpr("document", "line", "loc", "explode(alternates) AS link").where(
        "link.href IS NOT NULL AND link.hreflang IS NOT NULL AND lower(link.rel) = 'alternate' AND link.href <> loc"
    )
    links = _normalized(links.selectExpr("document", "line", "loc", "link.href AS written"), "loc", "page")
    links = _normalized(links, "written", "href").selectExpr(
        "*", "xxhash64(page) AS hash", "xxhash64(href) AS href_hash"
    )
    unanswered = session.sql(sql.unanswered_sql("{links}"), links=links)
    hits = []
    if "ALT005" in select:
        place = "named_struct('document', entries.document, 'line', entries.line)"
        query = sql.one_way_sql("{unanswered}", "{entries}", place)
        found = session.sql(query, unanswered=unanswered, entries=entries)
        message = f"concat('`', href, '` (', {_NAME.format('there')}, ':', line_there, ') does not link back')"
        hits.append(found.selectExpr("'ALT005' AS code", f"{message} AS message", "document", "line", "href AS place"))
    if "ALT009" in select:
        query = sql.unlisted_sql("{unanswered}", "{entries}")
        unlisted = session.sql(query, unanswered=unanswered, entries=entries)
        # The set cannot know what is listed of a host of which it lists nothing.
        hosts = entries.where("loc LIKE '%://%'").selectExpr(f"{host_sql('loc')} AS host").distinct()
        found = unlisted.selectExpr("*", f"{host_sql('href')} AS host").join(hosts, "host", "left_semi")
        message = "concat('`', href, '` is not a loc of this set')"
        hits.append(found.selectExpr("'ALT009' AS code", f"{message} AS message", "document", "line", "href AS place"))
    return hits


def _generated(pages: DataFrame, code: str) -> DataFrame:
    """MOD009 or MOD012, as `urlset._lint.set.lastmods` says: one finding for the set, in its first document."""
    session = pages.sparkSession
    entries = pages.selectExpr("document", "unix_micros(lastmod) AS lastmod", "news IS NOT NULL AS news")
    if code == "MOD009":
        query = sql.identical_sql("{entries}")
        message = "concat(same, ' of ', entries, ' entries in ', documents, ' documents have one and the same lastmod')"
    else:
        query = sql.clustered_sql("{entries}")
        where = "concat(format_number(documents, 0), IF(documents = 1, ' document', ' documents'))"
        between = f"{_time_text('first_time')}, ' and ', {_time_text('last_time')}"
        message = f"concat('all ', times, ' lastmods with a time in ', {where}, ' lie between ', {between})"
    first = "(SELECT min(document) FROM {entries})"
    return session.sql(
        f"SELECT '{code}' AS code, {message} AS message, {first} AS document, 1 AS line, '' AS place FROM {{found}}",  # noqa: S608
        entries=entries,
        found=session.sql(query, entries=entries),
    )


def _time_text(micros: str) -> str:
    """Return SQL for a time in UTC as text. A fraction has no zero at its end."""
    text = f"date_format({_moment(micros)}, 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS')"
    return f"concat(rtrim('.', rtrim('0', {text})), 'Z')"


def _moment(micros: str) -> str:
    """Return SQL for microseconds since the epoch as a timestamp without a zone: the session's zone must not count."""
    # Not timestampadd, which takes no more than 32 bits in Spark 3.5.
    seconds = f"CAST(CAST({micros} AS DECIMAL(18, 0)) / 1000000 AS DECIMAL(18, 6))"
    return f"(timestamp_ntz'1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, {seconds}))"


def _findings(hits: DataFrame, fold: int) -> DataFrame:
    """Keep the first findings of each rule and document, and say how many more there are."""
    rules = {rule.code: rule for rule in all_rules() if rule.code in RULES}
    severity = " ".join(f"WHEN '{code}' THEN '{rule.severity}'" for code, rule in rules.items())
    helps = " ".join(f"WHEN '{code}' THEN '{text}'" for code, text in RULES.items())
    numbered = hits.sparkSession.sql(
        "SELECT *, row_number() OVER (PARTITION BY code, document ORDER BY line, place) AS number,"
        " count(*) OVER (PARTITION BY code, document) AS total FROM {hits}",
        hits=hits,
    )
    return numbered.where(f"number <= {fold}").selectExpr(
        "code",
        f"CASE code {severity} END AS severity",
        "message",
        "document",
        "line",
        f"CASE code {helps} END AS help",
        f"CASE WHEN number = {fold} THEN total - {fold} ELSE 0 END AS more",
    )


# --- in the tasks -------------------------------------------------------------------------------------------


def _normal_forms(batches: Iterator[pa.RecordBatch], column: str, name: str) -> Iterator[pa.RecordBatch]:
    """Add a column with the normal form of the URLs in another one."""
    for batch in batches:
        forms = _core.normalized_urls(batch.column(column).to_pylist())
        yield pa.RecordBatch.from_arrays([*batch.columns, pa.array(forms, pa.string())], [*batch.schema.names, name])


def _with_domain(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Give each URL the registered domain of its host, or the host itself; null if it has none."""
    from urlset._fetch.hosts import registrable_domain  # noqa: PLC0415  (it reads its list, which takes a moment)

    for batch in batches:
        hosts = [None if url is None else _core.host_name(url) for url in batch.column(0).to_pylist()]
        domains = [None if host is None else registrable_domain(host) or host for host in hosts]
        yield pa.RecordBatch.from_arrays([batch.column(0), pa.array(domains, pa.string())], ["url", "domain"])
