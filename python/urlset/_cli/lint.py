"""`urlset lint`: findings with their positions, for a person or for a program, and fixes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from urlset import Http
from urlset import lint as lint_documents
from urlset._cli.options import Config, Isolated, Quiet, with_options
from urlset._cli.parameters import Argument
from urlset._config.lint_settings import LintSettings
from urlset._options.option import Option
from urlset._options.rules import FIXES


@with_options(LintSettings, lint_documents, Http)
def lint(
    source: Annotated[
        list[str],
        Argument("Files, folders, globs, URLs, or - for standard input; one set.", metavar="SOURCE"),
    ],
    *,
    statistics: Annotated[
        bool,
        Option("Show only how often each rule was broken, as text or as JSON."),
    ] = False,
    fix: Annotated[bool, Option("Apply the safe fixes to the files.", panel=FIXES)] = False,
    diff: Annotated[bool, Option("Show what --fix would change, and write nothing.", panel=FIXES)] = False,
    report_file: Annotated[
        Path | None,
        Option(
            "Also write the findings as a report (.html), or as a table (.parquet).", metavar="FILE", flags="--report"
        ),
    ] = None,
    quiet: Quiet = False,
    config: Config = None,
    isolated: Isolated = False,
    **options: Any,
) -> None:
    """Check sitemaps, report each finding with its line and column, and fix what can be fixed.

    Settings that no option gives are read from [lint] in urlset.toml, or from
    [tool.urlset.lint] in pyproject.toml.

    \b
    Examples:
      urlset lint sitemap.xml
      urlset lint public/ --profile google --ignore LOC013
      urlset lint public/ --location https://example.com/ --robots https://example.com/robots.txt=robots.txt
      urlset lint sitemap.xml.gz --fix
      urlset lint sitemap.xml --diff --unsafe-fixes
      urlset lint https://example.com --format json

    \b
    Exit codes:
      0  no findings, or none as severe as --fail-on
      1  findings, or changes that --diff shows
      2  a source or a child could not be checked; findings in the others are
         printed first
    """
    from urlset._cli.linting import run  # noqa: PLC0415  (a help asks for the declarations alone)

    run(
        source,
        options,
        statistics=statistics,
        fix=fix,
        diff=diff,
        report_file=report_file,
        config=config,
        isolated=isolated,
    )
