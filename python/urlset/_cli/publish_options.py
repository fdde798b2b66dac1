"""The options of `urlset publish`: each is a field of PublishSettings and a key of urlset.toml, but those of a run."""

from pathlib import Path
from typing import Annotated, Literal

import typer

_ROWS = "Rows"
_PAGES = "Rows: pages of HTML"
_SET = "The set"
_SAFETY = "Safety"
_RUN = "This run"

Rows = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ROWS",
        help="CSV, JSON lines, Parquet, lists of locs, sitemaps, folders with a sitemap.xml, or - for standard"
        " input. Without them, what urlset.toml says.",
    ),
]
To = Annotated[
    str | None, typer.Option(metavar="DIR|URL", help="The folder that is served, or s3://, gs://, az:// BUCKET/PREFIX.")
]
BaseUrl = Annotated[str | None, typer.Option(metavar="URL", help="Where that is on the web.")]
Form = Annotated[
    Literal["csv", "jsonl", "parquet", "txt", "xml"] | None,
    typer.Option("--from", help="What ROWS are.", show_default="by name, else by content", rich_help_panel=_ROWS),
]
Set = Annotated[
    Path | None, typer.Option("--set", metavar="PATH", help="An existing set, to be taken over.", rich_help_panel=_ROWS)
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="sqlite:///FILE or postgresql://USER@HOST/NAME, with --query.", rich_help_panel=_ROWS
    ),
]
DatabaseEnv = Annotated[
    str | None, typer.Option(metavar="NAME", help="The environment's variable that holds it.", rich_help_panel=_ROWS)
]
Query = Annotated[str | None, typer.Option(metavar="SQL", help="The SELECT.", rich_help_panel=_ROWS)]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="What a column of ours is called there: loc, lastmod, changefreq, priority, images, videos, news,"
        " alternates, group, lang, evidence, content, file.",
        rich_help_panel=_ROWS,
    ),
]
LastmodFrom = Annotated[
    list[str] | None,
    typer.Option(
        metavar="front-matter|git",
        help="Where the lastmods of other rows come from, by their column file.",
        rich_help_panel=_ROWS,
    ),
]
Files = Annotated[Path | None, typer.Option(metavar="DIR", help="Where these files are.", rich_help_panel=_ROWS)]
Name = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="What the section is called, and its documents.", rich_help_panel=_ROWS),
]
Html = Annotated[Path | None, typer.Option(metavar="DIR", help="A folder of built pages.", rich_help_panel=_PAGES)]
HtmlUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where it is served.", show_default="the base URL", rich_help_panel=_PAGES),
]
IndexPages = Annotated[
    Literal["slash", "keep"] | None,
    typer.Option(help="Whether a/index.html is a/.", show_default="slash", rich_help_panel=_PAGES),
]
TrailingSlash = Annotated[
    Literal["keep", "always", "never"] | None,
    typer.Option(help="Whether locs end with one.", show_default="keep", rich_help_panel=_PAGES),
]
Alternates = Annotated[
    bool | None, typer.Option("--alternates/--no-alternates", help="Take their hreflang links.", rich_help_panel=_PAGES)
]
Images = Annotated[bool | None, typer.Option("--images/--no-images", help="Take their images.", rich_help_panel=_PAGES)]
RobotsTxt = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Leave out what it disallows.", rich_help_panel=_PAGES)
]
Mask = Annotated[
    list[str] | None,
    typer.Option(metavar="SELECTOR", help="CSS of what is no content of a page.", rich_help_panel=_PAGES),
]
Include = Annotated[
    list[str] | None, typer.Option(metavar="GLOB", help="Only these.", show_default="**/*.html", rich_help_panel=_PAGES)
]
Exclude = Annotated[list[str] | None, typer.Option(metavar="GLOB", help="Not these.", rich_help_panel=_PAGES)]
ShardBy = Annotated[
    str | None,
    typer.Option(
        metavar="WAY",
        help="sticky, hash:16, key:COLUMN, date:month, path:1 or sequence.",
        show_default="sticky",
        rich_help_panel=_SET,
    ),
]
Scope = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="What every loc begins with.",
        show_default="the base URL's origin",
        rich_help_panel=_SET,
    ),
]
XDefault = Annotated[
    str | None, typer.Option(metavar="LANG", help="Whose page of a group is for everybody else.", rich_help_panel=_SET)
]
Recent = Annotated[
    int | None, typer.Option(min=1, metavar="DAYS", help="A sitemap of what changed lately.", rich_help_panel=_SET)
]
News = Annotated[
    bool | None, typer.Option("--news/--no-news", help="A sitemap of the news of 48 hours.", rich_help_panel=_SET)
]
Removed = Annotated[
    int | None, typer.Option(min=1, metavar="DAYS", help="A sitemap of what is gone.", rich_help_panel=_SET)
]
Compression = Annotated[
    Literal["gzip", "none"] | None,
    typer.Option(help="How the sitemaps are stored.", show_default="gzip", rich_help_panel=_SET),
]
Pretty = Annotated[bool | None, typer.Option("--pretty/--dense", help="One element a line.", rich_help_panel=_SET)]
Stylesheet = Annotated[
    bool | None, typer.Option("--stylesheet/--no-stylesheet", help="Show a table in a browser.", rich_help_panel=_SET)
]
Robots = Annotated[
    bool | None, typer.Option("--robots/--no-robots", help="Name the set in its robots.txt.", rich_help_panel=_SET)
]
Store = Annotated[
    list[str] | None,
    typer.Option(
        "--store-option", metavar="KEY=VALUE", help="Of an object store: endpoint, region.", rich_help_panel=_SET
    ),
]
Headers = Annotated[
    list[str] | None, typer.Option("--header", metavar="GLOB:NAME=VALUE", help="Of its objects.", rich_help_panel=_SET)
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        metavar="GUARD",
        help="Publish in spite of it: empty, shrunk, one-lastmod, future, foreign, oversize.",
        rich_help_panel=_SAFETY,
    ),
]
OnError = Annotated[
    Literal["raise", "collect"] | None,
    typer.Option(
        help="Publish nothing if a row is refused, or leave such rows out and report them.",
        show_default="raise; with --rejects collect",
        rich_help_panel=_SAFETY,
    ),
]
Rejects = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write there what was left out, one JSON object a line.",
        rich_help_panel=_SAFETY,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE", help="For planning; the rest goes to disk.", show_default="512MB", rich_help_panel=_SAFETY
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.", rich_help_panel=_RUN)
]
PlanOut = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the plan there, as JSON.", rich_help_panel=_RUN)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.", rich_help_panel=_RUN)]
RollBack = Annotated[
    bool, typer.Option("--rollback", help="Bring the set before back, and read no rows.", rich_help_panel=_RUN)
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="The urlset.toml or pyproject.toml that holds.",
        show_default="the nearest",
        rich_help_panel=_RUN,
    ),
]
Isolated = Annotated[bool, typer.Option("--isolated", help="Look at no configuration.", rich_help_panel=_RUN)]
