"""`urlset lint`: findings with their place, for a person or for a program."""

from collections.abc import Sequence
from typing import Annotated, BinaryIO, Literal

import typer

import urlset
from urlset import Report
from urlset.cli._arguments import sources, words
from urlset.cli._console import FINDINGS, note, out
from urlset.cli._progress import progress
from urlset.output import full, json


def lint(
    source: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE", help="Files, folders (their sitemap.xml), or - for standard input."),
    ],
    *,
    form: Annotated[
        Literal["full", "json"], typer.Option("--format", "-f", help="For a person, or one JSON array.")
    ] = "full",
    select: Annotated[
        str | None,
        typer.Option(metavar="CODES", help="Check only these rules: LOC002,MOD001.", show_default="all"),
    ] = None,
    ignore: Annotated[str | None, typer.Option(metavar="CODES", help="Leave these rules out.")] = None,
    location: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the document is published, for the rules that compare hosts."),
    ] = None,
) -> None:
    """Check sitemaps against the protocol, each finding with its line, its column and what to do.

    \b
    Examples:
      urlset lint sitemap.xml
      urlset lint public/ --ignore LOC011
      urlset lint sitemap.xml.gz --location https://example.com/sitemap.xml.gz
      curl -s https://example.com/sitemap.xml | urlset lint - --format json

    \b
    Exit codes:
      0  nothing found
      1  findings
      2  it could not be checked
    """
    if location is not None and len(source) > 1:
        raise typer.BadParameter("one location fits one SOURCE", param_hint="--location")
    selected, ignored = words(select), words(ignore) or []
    reports = []
    for argument, opened in zip(source, sources(source), strict=True):
        report = _checked(argument, opened, location, selected, ignored)
        reports.append(report)
        if form == "full":
            for diagnostic in report:
                out.print(full.render(diagnostic), "", sep="\n", soft_wrap=True)
    if form == "json":
        typer.echo(json.render(diagnostic for report in reports for diagnostic in report))
    else:
        out.print(full.summary(reports), soft_wrap=True)
    hidden = sum(len(report) - len(report.diagnostics) for report in reports)
    if hidden:
        note(f"{hidden:,} more are counted and not shown: the first of each document are")
    if any(reports):
        raise typer.Exit(FINDINGS)


def _checked(
    argument: str,
    source: str | BinaryIO,
    location: str | None,
    select: Sequence[str] | None,
    ignore: Sequence[str],
) -> Report:
    with progress(lambda: f"checking {argument}"):
        return urlset.lint(source, location=location, select=select, ignore=ignore)
