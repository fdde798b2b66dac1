"""The command of a verb: its parameters, and its helps."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from urlset._cli.console import set_quiet
from urlset._cli.options import parameters_of
from urlset._cli.parameters import VerbArgument, VerbOption
from urlset._options.http import OVER_HTTP
from urlset._options.publish import PAGES, SET

#: Groups of many options that few people need, each with the option that shows it and what that says. They are left out
#: of the help, so that it fits a screen or two.
APART = {
    OVER_HTTP: ("--help-http", "Show the options for requests over HTTP, such as timeouts, retries and headers."),
    PAGES: ("--help-html", "Show the options for publishing built HTML pages: --html, URLs, links, what to leave out."),
    SET: ("--help-sitemaps", "Show the options for the sitemaps: shards, names, compression, layout, extra sitemaps."),
}


class VerbCommand(click.Command):
    """The command of a verb.

    Args:
        name: Its name.
        verb: Its function, whose docstring is the help.
    """

    def __init__(self, name: str, verb: Callable[..., None]) -> None:
        params = parameters_of(verb)
        panels = {each.declared.panel for each in params}
        helps = [_help_option(panel) for panel in APART if panel in panels]
        super().__init__(name, params=[*params, *helps], callback=verb, help=inspect.getdoc(verb))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb, quietly if that is asked for."""
        set_quiet(bool(ctx.params.get("quiet")))
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments and the options in their groups, without the groups that have a help of their own."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for each in self.get_params(ctx):
            panel = _panel(each)
            record = each.get_help_record(ctx)
            if record is not None and panel not in APART:
                groups.setdefault(panel, []).append(record)
        for title, records in groups.items():
            _write(formatter, title, records)

    def help_of(self, panel: str, ctx: click.Context) -> str:
        """Return the help about one group."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        records = [each.get_help_record(ctx) for each in self.get_params(ctx) if _panel(each) == panel]
        _write(formatter, panel, [record for record in records if record is not None])
        return formatter.getvalue().rstrip("\n")


def _panel(each: click.Parameter) -> str:
    """Return the group of a parameter."""
    if isinstance(each, VerbArgument):
        return "Arguments"
    return (each.declared.panel if isinstance(each, VerbOption) else None) or "Options"


def _write(formatter: click.HelpFormatter, title: str, records: list[tuple[str, str]]) -> None:
    if records:
        with formatter.section(title):
            formatter.write_dl(records)


def _help_option(panel: str) -> click.Option:
    """Return the option that shows the help of a group."""
    flag, text = APART[panel]

    def show(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:
        if is_wanted and not ctx.resilient_parsing and isinstance(ctx.command, VerbCommand):
            click.echo(ctx.command.help_of(panel, ctx))
            ctx.exit()

    return click.Option([flag], is_flag=True, is_eager=True, expose_value=False, callback=show, help=text)
