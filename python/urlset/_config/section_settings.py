"""The settings of a section: where its rows come from, and how they are read and split."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, get_args

from urlset._config.settings import Settings, table_of
from urlset._model.errors import InputError
from urlset._options import kinds
from urlset._options.option import Option
from urlset._publish.shards import ShardBy
from urlset._util.text import did_you_mean
from urlset.sources._column_names import KNOWN
from urlset.sources._encoding import check_encoding
from urlset.sources._locs import IndexPages, TrailingSlash

#: The formats of files of rows; see urlset.sources.files.
FORMS = ("csv", "jsonl", "parquet", "txt", "xml")
#: Where a lastmod can come from if the rows have none, in order of precedence.
LASTMOD_FROM = ("front-matter", "git")

ROWS = "Source of the rows"
PAGES = "HTML pages"
SET = "Sitemaps"


def check_columns(columns: Mapping[str, str]) -> None:
    """Raise InputError for a column mapping that publish does not know."""
    for name in columns:
        if name not in KNOWN:
            raise InputError(f"unknown column mapping {name!r}{did_you_mean(name, KNOWN, or_all=True)}")


@table_of()
class SectionSettings(Settings):
    """Where the rows of a section come from, and how they are read and split. An absent setting is None.

    Exactly one of `rows`, `html`, `set`, `database` and `database_env` is the source of the rows.
    """

    name: Annotated[
        str | None,
        Option(
            "Name of the section, which is part of the file names of its sitemaps.",
            example='"pages"',
            metavar="NAME",
            panel=ROWS,
        ),
    ] = None
    rows: Annotated[
        tuple[str, ...] | None,
        Option(
            "Files of rows: CSV, JSON Lines, Parquet, lists of URLs, or sitemaps.",
            kind=kinds.GLOBS,
            example='["pages.csv", "export/*.parquet"]',
            flags="",
            metavar="ROWS",
            panel=ROWS,
        ),
    ] = None
    form: Annotated[
        str | None,
        Option(
            "Format of the files of rows.",
            example='"csv"',
            default="by file name, else by content",
            choices=FORMS,
            key="from",
            flags="--from",
            panel=ROWS,
        ),
    ] = None
    encoding: Annotated[
        str | None,
        Option(
            "Encoding of CSV files, JSON Lines and lists of URLs that are not UTF-8.",
            example='"windows-1252"',
            default="utf-8",
            check=check_encoding,
            metavar="NAME",
            panel=ROWS,
        ),
    ] = None
    set: Annotated[
        Path | None,
        Option(
            "Existing sitemap or set to take over.",
            example='"old/sitemap.xml"',
            metavar="PATH",
            panel=ROWS,
        ),
    ] = None
    database: Annotated[
        str | None,
        Option(
            "URL of the database to query: sqlite:///FILE or postgresql://USER@HOST/NAME.",
            kind=kinds.DATABASE,
            example='"sqlite:///shop.db"',
            metavar="URL",
            panel=ROWS,
        ),
    ] = None
    database_env: Annotated[
        str | None,
        Option(
            "Environment variable that holds the URL of the database.",
            example='"DATABASE_URL"',
            metavar="NAME",
            panel=ROWS,
        ),
    ] = None
    query: Annotated[
        str | None,
        Option(
            "SQL query that returns the rows.",
            example='"SELECT loc, lastmod FROM pages"',
            metavar="SQL",
            panel=ROWS,
        ),
    ] = None
    columns: Annotated[
        Mapping[str, str] | None,
        Option(
            f"Columns of the rows that have other names, for {', '.join(KNOWN[:-1])} or {KNOWN[-1]}.",
            kind=kinds.COLUMNS,
            example='{ loc = "url", lastmod = "updated_at", group = "product", lang = "locale" }',
            check=check_columns,
            metavar="NAME=COLUMN",
            panel=ROWS,
        ),
    ] = None
    lastmod_from: Annotated[
        tuple[str, ...] | None,
        Option(
            "Sources of lastmod for rows without one: the front matter or the git commits of their source file.",
            example='["front-matter", "git"]',
            choices=LASTMOD_FROM,
            metavar="|".join(LASTMOD_FROM),
            panel=ROWS,
        ),
    ] = None
    files: Annotated[
        Path | None,
        Option(
            "Folder of the source files, which the rows name in a column file.",
            example='"content"',
            default="the folder of HTML pages",
            metavar="DIR",
            panel=ROWS,
        ),
    ] = None
    html: Annotated[
        Path | None,
        Option(
            "Folder of built HTML pages to publish.",
            example='"public"',
            metavar="DIR",
            panel=PAGES,
        ),
    ] = None
    html_url: Annotated[
        str | None,
        Option(
            "Public URL of the folder of HTML pages.",
            example='"https://example.com/"',
            default="the base URL",
            metavar="URL",
            panel=PAGES,
        ),
    ] = None
    index_pages: Annotated[
        str | None,
        Option(
            "Publish a/index.html as a/ (slash), or under its own name (keep).",
            example='"slash"',
            default="slash",
            choices=get_args(IndexPages),
            panel=PAGES,
        ),
    ] = None
    trailing_slash: Annotated[
        str | None,
        Option(
            "Keep the trailing slash of URLs as it is (keep), add it (always), or remove it (never).",
            example='"keep"',
            default="keep",
            choices=get_args(TrailingSlash),
            panel=PAGES,
        ),
    ] = None
    alternates: Annotated[
        bool | None,
        Option(
            "Publish the hreflang links of the pages.",
            example="true",
            panel=PAGES,
        ),
    ] = None
    images: Annotated[
        bool | None,
        Option(
            "Publish the images of the pages.",
            example="true",
            panel=PAGES,
        ),
    ] = None
    robots_txt: Annotated[
        Path | None,
        Option(
            "robots.txt whose disallowed pages are left out.",
            example='"public/robots.txt"',
            metavar="FILE",
            panel=PAGES,
        ),
    ] = None
    mask: Annotated[
        tuple[str, ...] | None,
        Option(
            "CSS selector for page chrome to ignore when pages are compared.",
            example='[".related", "#latest"]',
            metavar="SELECTOR",
            panel=PAGES,
        ),
    ] = None
    include: Annotated[
        tuple[str, ...] | None,
        Option(
            "Pages to include.",
            example='["**/*.html"]',
            default="**/*.html",
            metavar="GLOB",
            panel=PAGES,
        ),
    ] = None
    exclude: Annotated[
        tuple[str, ...] | None,
        Option(
            "Pages to leave out.",
            example='["drafts/**"]',
            metavar="GLOB",
            panel=PAGES,
        ),
    ] = None
    shard_by: Annotated[
        str | None,
        Option(
            "How to split the rows into shards: sticky, hash:16, key:COLUMN, date:month, path:1 or sequence.",
            example='"sticky"',
            default="sticky",
            check=ShardBy.parse,
            metavar="METHOD",
            panel=SET,
        ),
    ] = None
