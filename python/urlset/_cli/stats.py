"""`urlset stats`: what a set holds, at a glance."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from urlset import Filter, Http
from urlset import stats as count_stats
from urlset._cli.arguments import sources
from urlset._cli.console import end_with, show_json
from urlset._cli.filter import filter_of, note_choice
from urlset._cli.options import Quiet, given, value_of, with_options
from urlset._cli.parameters import Argument
from urlset._cli.progress import counting
from urlset._options.option import Option
from urlset._stats.result import lines
from urlset._util import drawing


@with_options(count_stats, Filter, Http)
def stats(
    source: Annotated[
        list[str],
        Argument("Files, folders, globs, URLs, or - for standard input; one set.", metavar="SOURCE"),
    ],
    *,
    form: Annotated[Literal["text", "json"], Option("Output format.", flags="--format,-f")] = "text",
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Show what a set holds: sections, hosts, ages of lastmods, extensions, sizes, and what was wrong.

    \b
    Examples:
      urlset stats public/
      urlset stats sitemap-*.xml.gz --format json
      urlset stats https://example.com
      urlset stats https://example.com --sample-sitemaps 20

    \b
    Exit codes:
      0  everything was counted
      2  a document could not be read, or not to its end
    """
    with counting() as count:
        found = count_stats(
            sources(source),
            **given(count_stats, options),
            http=value_of(Http, options),
            progress=count,
            filter=filter_of(options),
        )
    if form == "json":
        show_json(found.as_dict())
    else:
        for line in lines(found):
            drawing.print_line(line)
    note_choice(found.skipped, found.sample)
    end_with(found.failures)
