"""The command line: one module per verb, and `main`, which the `urlset` script calls."""

import io
import os
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from urlset._cli import diff, discover, init, lint, publish, read, rule, stats, submit, verify, watch
from urlset._cli.errors import Boundary

app = typer.Typer(
    name="urlset",
    cls=Boundary,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("read")(read.read)
app.command("stats")(stats.stats)
app.command("discover")(discover.discover)
app.command("watch")(watch.watch)
app.command("init")(init.init)
app.command("publish")(publish.publish)
app.command("verify")(verify.verify)
app.command("submit")(submit.submit)
app.command("diff")(diff.diff)
app.command("lint")(lint.lint)
app.command("rule")(rule.rule)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"urlset {version('urlset')}")
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
