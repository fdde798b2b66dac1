"""`urlset feed`: a feed of the pages of a published set."""

from __future__ import annotations

from typing import Annotated, Any

from urlset import feed as write_feed
from urlset._cli.listing import ROWS, SOURCES
from urlset._cli.options import Config, Isolated, Quiet, TextOrJson, with_options
from urlset._config.publish_settings import PublishSettings
from urlset._feeds.api import TITLE


@with_options(write_feed)
@with_options(PublishSettings, names=SOURCES)
def feed(
    rows: Annotated[list[str] | None, ROWS] = None,
    *,
    title: Annotated[str | None, TITLE] = None,  # the file can have it
    shown_as: TextOrJson = "text",
    quiet: Quiet = False,
    config: Config = None,
    isolated: Isolated = False,
    **options: Any,
) -> None:
    """Write a feed of the pages of a published set that changed last.

    Run it after each publish, with the same rows. It writes DEST/feed.xml, an
    Atom feed. Rows can have the columns title, description, and markdown, the
    URL of the page as Markdown; HTML pages say all of these themselves. When
    a page changed is what the published set says, so a page without a lastmod
    is left out.

    \b
    Examples:
      urlset feed --title "Tea shop"   of what urlset.toml describes
      urlset feed rows.csv --title "Tea shop" --limit 20 \\
        --dest public --base-url https://example.com/

    \b
    Exit codes:
      0  written, or it was up to date
      1  written without rows that are not in the published set
      2  failed: nothing was written
    """
    from urlset._cli.listing import run  # noqa: PLC0415  (a help asks for the declarations alone)

    given = {"title": title} if title is not None else {}
    run(write_feed, rows, options | given, shown_as=shown_as, config=config, isolated=isolated)
