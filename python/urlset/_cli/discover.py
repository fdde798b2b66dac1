"""`urlset discover`: the sitemaps of a site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import click
from rich.filesize import decimal

from urlset import Discovery, Found, Http
from urlset import discover as find_sitemaps
from urlset._cli.console import FINDINGS, end_with, show, show_json
from urlset._cli.options import Quiet, given, value_of, with_options
from urlset._cli.parameters import Argument
from urlset._cli.progress import waiting
from urlset._options.option import Option
from urlset._util import drawing
from urlset._util.text import escape_controls, plural


@with_options(find_sitemaps, Http)
def discover(
    site: Annotated[str, Argument("URL of a site; its path does not count.", metavar="SITE")],
    *,
    form: Annotated[Literal["text", "json"], Option("Output format.", flags="--format,-f")] = "text",
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Find the sitemaps of a site, and show what each holds and how it was found.

    Looks at the Sitemap lines of its robots.txt, at the usual names, and at
    the links of its home page to sitemaps and feeds.

    \b
    Examples:
      urlset discover https://example.com
      urlset discover https://example.com --tree
      urlset discover https://example.com --format json | jq -r '.sitemaps[].url'

    \b
    Exit codes:
      0  sitemaps were found
      1  the site has none
      2  the site could not be reached, or a sitemap that it names could not
         be read
    """
    with waiting("looking"):
        found = find_sitemaps(site, **given(find_sitemaps, options), http=value_of(Http, options))
    if form == "json":
        show_json(found.as_dict())
    elif options["tree"]:
        drawing.out.print(_drawn(found))
    elif found.sitemaps:
        drawing.out.print(_listed(found.sitemaps), soft_wrap=True)
    else:
        show(f"{found.site}: no sitemaps found")
    end_with(found.failures)
    if not found.sitemaps:
        raise click.exceptions.Exit(FINDINGS)


def _listed(sitemaps: Sequence[Found]) -> drawing.Table:
    table = drawing.Table(box=None, pad_edge=False)
    for name in ("via", "sitemap", "kind", "entries", "newest", "problem"):
        table.add_column(name, overflow="fold", justify="right" if name == "entries" else "left")
    for each in sitemaps:
        table.add_row(each.via, _safe(each.url), each.kind or "", f"{each.entries:,}", _day(each), _problem(each))
    return table


def _drawn(found: Discovery) -> drawing.Tree:
    tree = drawing.Tree(_safe(found.site))
    _grow(tree, found.sitemaps)
    return tree


def _grow(tree: drawing.Tree, sitemaps: Sequence[Found]) -> None:
    for each in sitemaps:
        facts = [each.via, each.kind or "", plural(each.entries, "entry", "entries"), decimal(each.bytes), _day(each)]
        if each.problem is not None:
            facts = [each.via, f"[red]{_problem(each)}[/red]"]
        _grow(tree.add(f"{_safe(each.url)}  [dim]{' · '.join(filter(None, facts))}[/dim]"), each.children)


def _safe(text: str) -> str:
    return drawing.escape(escape_controls(text))


def _day(each: Found) -> str:
    return "" if each.newest is None else each.newest.date().isoformat()


def _problem(each: Found) -> str:
    return _safe(each.problem or "")
