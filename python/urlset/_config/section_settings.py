"""The settings of a section: where its rows come from, and how they are read and split."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from urlset._config.settings import Settings, table_of
from urlset._options import kinds
from urlset._options.option import Option
from urlset._options.publish import PAGES, ROWS, SHARD_BY, RowColumns
from urlset._publish.values.shards import ShardBy
from urlset.sources import files, html
from urlset.sources.generators import GeneratorName

#: Where a lastmod can come from if the rows have none, in order of precedence.
LASTMOD_FROM = ("front-matter", "git")


@table_of(files.rows, html.pages)
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
    columns: RowColumns = None
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
            "Folder of the project that a generator builds, or of the source files that rows name in a column file.",
            example='"content"',
            default="the nearest one with a generator's settings, at or above the HTML pages",
            metavar="DIR",
            panel=ROWS,
        ),
    ] = None
    generator: Annotated[
        GeneratorName | None,
        Option(
            "Generator of the HTML pages, whose naming rules lead from a page to its source file.",
            example='"hugo"',
            default="the one whose settings are in the folder of the project",
            metavar="NAME",
            panel=PAGES,
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
    robots_txt: Annotated[
        Path | None,
        Option(
            "robots.txt whose disallowed pages are left out.",
            example='"public/robots.txt"',
            metavar="FILE",
            panel=PAGES,
        ),
    ] = None
    shard_by: Annotated[str | None, replace(SHARD_BY, check=ShardBy.parse, default="sticky")] = None
