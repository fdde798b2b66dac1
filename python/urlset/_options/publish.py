"""How a set is published: what publish, jobs and Spark's writer have in common."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from urlset._model.errors import InputError
from urlset._options import kinds
from urlset._options.option import Option, check_values, documented
from urlset._options.shared import Zone
from urlset._util.arguments import folder_url, standard_url
from urlset._util.text import did_you_mean
from urlset._util.zones import check_zone

Names = Literal["content", "stable"]
#: What may stop a publish whose set is valid and still most likely a mistake.
GuardName = Literal["empty", "shrunk", "base-url", "one-lastmod", "future", "foreign", "oversize"]

#: The longest time, in days, that derived documents can look back.
_MAX_DAYS = 1_000

ROWS = "Source of the rows"
PAGES = "HTML pages"
SET = "Sitemaps"
CHECKS = "Checks"

#: The columns of rows that urlset knows, in the order in which they are taken.
KNOWN_COLUMNS = (
    *("loc", "lastmod", "changefreq", "priority", "images", "videos", "news", "alternates"),
    *("group", "lang", "lastmod_source", "content", "title", "description", "markdown", "file"),
)


def _check_columns(columns: Mapping[str, str]) -> None:
    for name in columns:
        if name not in KNOWN_COLUMNS:
            raise InputError(f"unknown column mapping {name!r}{did_you_mean(name, KNOWN_COLUMNS, or_all=True)}")


RowColumns = Annotated[
    Mapping[str, str] | None,
    Option(
        f"Columns of the rows that have other names, for {', '.join(KNOWN_COLUMNS[:-1])} or {KNOWN_COLUMNS[-1]}.",
        kind=kinds.COLUMNS,
        example='{ loc = "url", lastmod = "updated_at", group = "product", lang = "locale" }',
        check=_check_columns,
        metavar="NAME=COLUMN",
        panel=ROWS,
    ),
]
OnError = Annotated[
    Literal["raise", "collect"],
    Option(
        "Write nothing if a row is refused (raise), or leave out refused rows and report them (collect).",
        example='"collect"',
        panel=CHECKS,
    ),
]
OnBadValue = Annotated[
    Literal["refuse", "drop", "fix"],
    Option(
        "Refuse a row with an invalid value (refuse), leave out that value (drop), or repair it by the fix of its rule,"
        " and refuse the row if there is no safe one (fix).",
        example='"drop"',
        panel=CHECKS,
    ),
]
SHARD_BY = Option(
    "How to split the rows into shards: sticky, hash:16, key:COLUMN, date:month, path:1 or sequence.",
    kind=kinds.STRING,
    example='"sticky"',
    metavar="METHOD",
    panel=SET,
)
X_DEFAULT = Option(
    "Language whose page is the x-default of its translations.", example='"en"', metavar="LANG", panel=SET
)
DEST = Option(
    "Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.",
    kind=kinds.DESTINATION,
    example='"public"',
    metavar="DEST",
)
Dest = Annotated[str | os.PathLike[str], DEST]
BaseUrl = Annotated[
    str,
    Option("Public URL of the destination.", example='"https://example.com/"', check=folder_url, metavar="URL"),
]
Scope = Annotated[
    str | None,
    Option(
        "URL prefix that every loc must have.",
        example='"https://example.com/shop/"',
        default="the origin of the base URL",
        check=partial(standard_url, "scope"),
        metavar="URL",
        panel=SET,
    ),
]
Memory = Annotated[
    str,
    Option(
        "Memory limit; what does not fit goes to temporary files.",
        example='"512MB"',
        metavar="SIZE",
        panel=SET,
    ),
]
#: Of each task of a job.
Threads = Annotated[int, Option("How many threads each task may use for planning.", flags="")]
DryRun = Annotated[bool, Option("Show what would be done, and change nothing.", flags="--dry-run")]
UpdateRobots = Annotated[bool, Option("Add the set to robots.txt in the destination.", example="true", panel=SET)]


@documented
@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the documents of a set are written.

    Raises:
        InputError: A value is not one of these.

    Example:
        >>> import urlset
        >>> rows, base = ["/", "/tea"], "https://shop.example/"
        >>> layout = urlset.Layout(pretty=True, stylesheet=True)
        >>> urlset.publish(rows, "public", base_url=base, layout=layout).written
        ('sitemap.css', 'sitemap.xml')
    """

    compression: Annotated[
        Literal["gzip", "none"],
        Option(
            "Compression of the sitemaps.",
            more="An index and a single document are never compressed.",
            example='"gzip"',
            panel=SET,
        ),
    ] = "gzip"
    names: Annotated[
        Names,
        Option(
            "Names of the shards: with a hash of their content, so that a set changes in one step (content), or the"
            " same names every time, so that shards are replaced one by one and a rollback is refused (stable).",
            more="With `stable`, a reader can see new and old shards at once.",
            example='"stable"',
            panel=SET,
        ),
    ] = "content"
    pretty: Annotated[
        bool,
        Option(
            "Write one element per line instead of one entry per line.",
            example="true",
            panel=SET,
            flags="--pretty/--dense",
        ),
    ] = False
    stylesheet: Annotated[
        bool,
        Option("Add a stylesheet, with which browsers show the sitemaps as tables.", example="true", panel=SET),
    ] = False

    def __post_init__(self) -> None:
        check_values(self)

    @property
    def href(self) -> str | None:
        """The stylesheet that documents name."""
        return "sitemap.css" if self.stylesheet else None

    @property
    def indent(self) -> int:
        """The bytes that pretty layout adds to a line: its blanks and its line feed."""
        return 5 if self.pretty else 0

    def __str__(self) -> str:
        """Return it as the manifest records it."""
        names = ["stable"] * (self.names == "stable")
        stylesheet = [self.href] if self.href else []
        return " ".join([self.compression, "pretty" if self.pretty else "dense", *names, *stylesheet])


@documented
@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """Further sitemaps that are made of a set each day.

    Raises:
        InputError: A value is not one of these.

    Example:
        >>> import urlset
        >>> urlset.Derived(recent=3, news=True).recent
        3
    """

    recent: Annotated[
        int | None,
        Option(
            "Add a sitemap of the pages that changed in this number of days.",
            example="3",
            metavar="DAYS",
            most=_MAX_DAYS,
            panel=SET,
        ),
    ] = None
    news: Annotated[
        bool, Option("Move the news of the last 48 hours to a sitemap of its own.", example="true", panel=SET)
    ] = False
    removed: Annotated[
        int | None,
        Option(
            "Add a sitemap of the pages that were removed in this number of days.",
            example="30",
            metavar="DAYS",
            most=_MAX_DAYS,
            panel=SET,
        ),
    ] = None

    def __post_init__(self) -> None:
        check_values(self)


@documented
@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What is checked before a set is published, and what is let through.

    Raises:
        InputError: A value is not one of these.

    Example:
        >>> import urlset
        >>> rows = [{"loc": "/", "lastmod": "2026-01-02"}, {"loc": "https://other.example/"}]
        >>> checks = urlset.Checks(on_error="collect", allow=["foreign"])
        >>> urlset.publish(rows, "public", base_url="https://shop.example/", checks=checks).entries
        1
    """

    allow: Annotated[
        Collection[GuardName],
        Option(
            "Guards that may not stop the publish: empty, shrunk, base-url, one-lastmod, future, foreign or oversize.",
            example='["shrunk"]',
            metavar="GUARD",
            panel=CHECKS,
        ),
    ] = ()
    on_error: OnError = "raise"
    zone: Zone = None
    on_bad_value: OnBadValue = "refuse"
    verify: Annotated[
        bool,
        Option(
            "Compare every stored sitemap with its hash first, and write damaged ones again.",
            example="true",
            panel=CHECKS,
        ),
    ] = False

    def __post_init__(self) -> None:
        check_values(self)
        if self.zone is not None:
            check_zone(self.zone)
