"""The command line: one module per verb, and `main`, which the `urlset` script calls."""

import io
import os
import sys
from typing import Annotated

import typer

import urlset
from urlset._cli.errors import Boundary

app = typer.Typer(
    name="urlset",
    cls=Boundary,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"urlset {urlset.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Publish, read and check sitemaps: rows to sitemaps, sitemaps to rows, and findings about both."""


def main() -> None:
    """Run the command line and end the process with its exit code."""
    # A shell can close the streams (`>&-`): then nothing is read or written, and nothing fails.
    sys.stdin = sys.stdin or io.TextIOWrapper(io.FileIO(os.devnull))
    sys.stdout = sys.stdout or io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    sys.stderr = sys.stderr or io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character is not a reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()
