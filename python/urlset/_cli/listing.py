"""What `urlset feed` and `urlset llms` do with the rows that `urlset publish` takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from urlset import InputError, PageList
from urlset._cli.arguments import standard_input
from urlset._cli.console import FINDINGS, note, remark, show, show_json
from urlset._cli.destination import published
from urlset._cli.options import TextOrJson, configured, given
from urlset._cli.parameters import Argument
from urlset._config.publish_settings import PublishSettings, SiteSettings
from urlset._config.section_settings import SectionSettings
from urlset._config.sections import with_given
from urlset._config.settings import stated
from urlset._options.option import options_of
from urlset._util.text import plural

#: The settings of a publish that say where the rows are, and where the set is.
SOURCES: Final = (
    *(
        each.name
        for each in options_of(SectionSettings)
        if each.name not in ("name", "shard_by", "images", "alternates")
    ),
    *("base_url", "scope", "dest", "memory", "store"),
)
ROWS: Final = Argument(
    "Files of rows, as for urlset publish, or - for standard input.",
    metavar="ROWS",
    default="the source in urlset.toml",
)


def run(
    verb: Callable[..., PageList],
    rows: Sequence[str] | None,
    options: Mapping[str, Any],
    *,
    shown_as: TextOrJson,
    config: Path | None,
    isolated: bool,
) -> None:
    """Write a list of pages, and show what it has.

    Args:
        verb: The function that writes it.
        rows: The files of rows, if the command line names any.
        options: The options that the settings and the function declare.
        shown_as: How the result is shown.
        config: The configuration file; the nearest one if None.
        isolated: Ignore configuration files.
    """
    # Opening a site imports the sources of rows.
    from urlset._cli.plan import pages_left_out  # noqa: PLC0415
    from urlset._config.site import STDIN, Listeners, opened  # noqa: PLC0415

    file = configured(config, isolated=isolated)
    settings = PublishSettings() if file is None else file.publish
    names = {each.name for each in options_of(verb)} - {*SOURCES}
    said = stated(settings.site or SiteSettings()) | given(verb, options)
    about = {name: value for name, value in said.items() if name in names}
    if "title" not in about:
        raise InputError("the title is missing: pass --title, or set title in [publish.site] of urlset.toml")
    dest, store = published(settings, options)
    sources = given(PublishSettings, options)
    merged = with_given(settings, sources | ({"rows": tuple(rows)} if rows else {}))
    stdin = standard_input("standard input") if STDIN in (merged.rows or ()) else None
    with opened(merged, Listeners(remark, _ignore), environment=os.environ, stdin=stdin, metadata=True) as site:
        shared = {name: site.options[name] for name in ("scope", "memory", "columns") if name in site.options}
        result = verb(site.entries, dest, store=store, **shared, **about)
        left_out = dict(site.left_out)
    if shown_as == "json":
        show_json({"left_out": left_out} | result.as_dict())
    else:
        for line in _lines(result):
            show(line)
        if left_out:
            show(f"Left out {pages_left_out(left_out)}")
    for hint in site.hints:
        remark(hint)
    if result.unpublished:
        note(
            f"left out {plural(result.unpublished, 'page')} that the published set does not have: publish the same rows"
            " first"
        )
        raise click.exceptions.Exit(FINDINGS)


def _ignore(page: str, reason: str, detail: str) -> None:
    """Leave it to the counts of the site what becomes of a page."""


def _lines(result: PageList) -> Iterator[str]:
    """Yield the summary for a person."""
    verb = "Wrote" if result.is_written else "Unchanged:"
    yield f"{verb} {result.url} with {plural(result.entries, 'page')}"
    for number, reason in (
        (result.undated, "without a lastmod in the set"),
        (result.beyond, "beyond the limit"),
    ):
        if number:
            yield f"  left out {plural(number, 'page')} {reason}"
    if result.untitled:
        yield f"  {plural(result.untitled, 'page')} without a title, listed with the URL"
    if result.bad_markdown:
        yield f"  {plural(result.bad_markdown, 'page')} whose Markdown twin is not an http(s) URL"
    if result.shortened:
        yield f"  {plural(result.shortened, 'text')} cut"
