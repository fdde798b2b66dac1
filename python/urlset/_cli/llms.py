"""`urlset llms`: the llms.txt of a published set."""

from __future__ import annotations

from typing import Annotated, Any

from urlset import llms as write_llms
from urlset._cli.listing import ROWS, SOURCES
from urlset._cli.options import Config, Isolated, Quiet, TextOrJson, with_options
from urlset._config.publish_settings import PublishSettings
from urlset._feeds.api import TITLE


@with_options(write_llms)
@with_options(PublishSettings, names=SOURCES)
def llms(
    rows: Annotated[list[str] | None, ROWS] = None,
    *,
    title: Annotated[str | None, TITLE] = None,  # the file can have it
    shown_as: TextOrJson = "text",
    quiet: Quiet = False,
    config: Config = None,
    isolated: Isolated = False,
    **options: Any,
) -> None:
    """Write an overview of the pages of a published set for language models.

    Run it after each publish, with the same rows. It writes DEST/llms.txt, a
    Markdown file with a heading for each section and a link to each page.
    Rows can have the columns title, description, and markdown, the URL of the
    page as Markdown, to which the link then leads; HTML pages say all of these
    themselves.

    \b
    Examples:
      urlset llms --title "Tea shop"   of what urlset.toml describes
      urlset llms rows.csv --title "Tea shop" --description "Tea and cups" \\
        --dest public --base-url https://example.com/

    \b
    Exit codes:
      0  written, or it was up to date
      1  written without rows that are not in the published set
      2  failed: nothing was written
    """
    from urlset._cli.listing import run  # noqa: PLC0415  (a help asks for the declarations alone)

    given = {"title": title} if title is not None else {}
    run(write_llms, rows, options | given, shown_as=shown_as, config=config, isolated=isolated)
