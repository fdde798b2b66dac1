"""The group of all verbs, and its own options."""

import click
from click.shell_completion import get_completion_class

import urlset
from urlset._cli.errors import Boundary

#: The variable by which a shell asks for completions.
_COMPLETE = "_URLSET_COMPLETE"


def _show_version(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    if is_wanted:
        click.echo(f"urlset {urlset.__version__}")
        ctx.exit()


def _show_completion(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell is not None and (script := get_completion_class(shell)) is not None:
        click.echo(script(app, {}, "urlset", _COMPLETE).source())
        ctx.exit()


app = Boundary(
    "urlset",
    help="Publish, read and check sitemaps: rows to sitemaps, sitemaps to rows, and findings about both.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Print the version and exit.",
        ),
        click.Option(
            ["--completion"],
            type=click.Choice(["bash", "fish", "zsh"]),
            metavar="SHELL",
            is_eager=True,
            expose_value=False,
            callback=_show_completion,
            help="Print what makes a shell complete verbs, options and their values: bash, fish or zsh.",
        ),
    ],
)
