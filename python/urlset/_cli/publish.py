"""`urlset publish`: rows to a set of sitemaps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from urlset import publish as publish_set
from urlset._cli.options import RUN, Config, Isolated, Quiet, TextOrJson, with_options
from urlset._cli.parameters import Argument
from urlset._config.publish_settings import PublishSettings
from urlset._options.option import Option


@with_options(PublishSettings)
@with_options(publish_set, names=["dry_run"])
def publish(
    rows: Annotated[
        list[str] | None,
        Argument(
            "Files of rows (CSV, JSON Lines, Parquet, lists of URLs, sitemaps), folders with a sitemap.xml,"
            " or - for standard input.",
            metavar="ROWS",
            default="the source in urlset.toml",
        ),
    ] = None,
    *,
    plan_out: Annotated[Path | None, Option("Write the plan to a JSON file.", metavar="FILE", panel=RUN)] = None,
    shown_as: TextOrJson = "text",
    quiet: Quiet = False,
    roll_back: Annotated[
        bool, Option("Restore the previous set; no rows are read.", panel=RUN, flags="--rollback")
    ] = False,
    config: Config = None,
    isolated: Isolated = False,
    **options: Any,
) -> None:
    """Publish rows as sitemaps: one document, or an index and its shards.

    Rows have a column loc, and may have lastmod, changefreq, priority,
    images, videos, alternates and news, of which the last four are nested
    values or JSON text. If the columns have other names, --columns maps them.
    An empty cell is an absent value. A loc may be relative to the base URL.

    Settings that no option gives are read from [publish] in urlset.toml,
    which `urlset init` writes.

    \b
    Examples:
      urlset publish             publish what urlset.toml describes
      urlset publish --dry-run   show what that would change
      urlset publish rows.csv --dest public --base-url https://example.com/
      urlset publish shop.parquet --columns loc=url --shard-by key:brand \\
        --dest s3://bucket/sitemaps --base-url https://example.com/
      urlset publish --html dist --dest dist --base-url https://example.com/
      urlset publish --database-env DATABASE_URL \\
        --query "SELECT loc, lastmod FROM pages" --rejects refused.jsonl \\
        --dest public --base-url https://example.com/
      urlset publish --rollback --dest public

    \b
    Exit codes:
      0  published, or planned
      1  published without the rows that were refused; or stopped by a guard,
         and nothing was published
      2  failed: nothing was published
    """
    from urlset._cli.publishing import run  # noqa: PLC0415  (a help asks for the declarations alone)

    run(rows, options, plan_out=plan_out, shown_as=shown_as, roll_back=roll_back, config=config, isolated=isolated)
