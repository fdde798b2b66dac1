"""The group of all verbs, and its own options."""

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
