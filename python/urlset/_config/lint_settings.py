"""The settings of `lint`: the table `lint` of the configuration file, and options of `urlset lint`."""

from __future__ import annotations

from typing import Annotated, get_args

from urlset._config.settings import Settings, table_of
from urlset._lint.api import lint
from urlset._model.diagnostics import Severity
from urlset._options.option import Option
from urlset._options.rules import FIXES, Rules

#: The formats of `urlset.output`, which is above this room: a test holds the two equal.
FORMATS = ("concise", "full", "github", "gitlab", "json", "jsonl", "junit", "sarif", "statistics")


@table_of(Rules, lint, without=["store"])
class LintSettings(Settings):
    """The table `lint`. An absent setting is None."""

    format: Annotated[
        str | None,
        Option(
            "Output format of the findings.",
            example='"full"',
            default="full",
            choices=FORMATS,
            flags="--format,-f",
        ),
    ] = None
    exit_zero: Annotated[
        bool | None,
        Option(
            "Exit with 0 even if there are findings.",
            example="true",
            flags="--exit-zero",
        ),
    ] = None
    fail_on: Annotated[
        str | None,
        Option(
            "Least severe findings that make the exit code 1.",
            example='"error"',
            default="warning",
            choices=get_args(Severity),
        ),
    ] = None
    unsafe_fixes: Annotated[
        bool | None,
        Option(
            "Include fixes that may change the meaning of a document.",
            example="true",
            flags="--unsafe-fixes",
            panel=FIXES,
        ),
    ] = None
