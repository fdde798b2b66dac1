"""The error boundary: every expected error becomes a message on standard error and an exit code."""

import os
import re
import sys
import zlib
from collections.abc import Mapping
from typing import Any, TextIO, cast

import click
from click.shell_completion import CompletionItem

from urlset import EntryError, UrlsetError
from urlset._cli.console import BROKEN_PIPE, FAILED, INTERRUPTED, note
from urlset._cli.verbs import VERBS, Commands
from urlset._util.text import escape_controls

#: An error about an argument begins with its keyword: `base_url must be …`, `columns['loc'] must be …`.
_KEYWORD = re.compile(r"(?P<keyword>[a-z_]+)(?=(\[[^\]]*\])? must )")
#: Arguments that the command line calls differently than Python does.
_RENAMED = {"entries": "rows"}


class Boundary(click.Group):
    """The group of verbs. An unexpected error leaves a traceback, because it is a bug."""

    def __init__(self, name: str, **settings: Any) -> None:
        super().__init__(name, **settings)
        self.commands = cast("Any", Commands())  # click only looks commands up

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the help."""
        return list(VERBS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a sentence for each verb, without importing the verbs."""
        with formatter.section("Commands"):
            formatter.write_dl(VERBS.items())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the verbs and options that begin like this, without importing the verbs."""
        verbs = [CompletionItem(name, help=VERBS[name]) for name in VERBS if name.startswith(incomplete)]
        return verbs + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; an expected error that the verb does not handle ends the process with exit code 2."""
        # The exit is raised below, outside of the handlers: an error that lived on as its context would keep
        # its frames, and so DuckDB beyond its own shutdown.
        try:
            try:
                return super().invoke(ctx)
            finally:
                # Here, so that a closed pipe is noticed while it can be handled.
                sys.stdout.flush()
        except BrokenPipeError:
            _drop(sys.stdout)
            code = BROKEN_PIPE
        except KeyboardInterrupt:
            # Every `finally` has run by now. A thread may still be waiting for standard input, and an orderly
            # exit would wait for it.
            note(_interrupted(ctx.invoked_subcommand))
            sys.stderr.flush()
            os._exit(INTERRUPTED)
        # gzip raises the last two for damaged files of rows.
        except (UrlsetError, OSError, EOFError, zlib.error) as error:
            note(with_option_names(explain(error), self._parameters(ctx)))
            code = FAILED
        raise click.exceptions.Exit(code)

    def _parameters(self, ctx: Any) -> dict[str, str]:
        """Return how the command line calls the parameters of the verb that ran."""
        verb = self.get_command(ctx, ctx.invoked_subcommand or "")
        params = [] if verb is None else verb.params
        shown = {each.name: each.opts[0] if isinstance(each, click.Option) else each.metavar for each in params}
        return {str(name): str(shown[name]) for name in shown}


#: What an interrupted verb leaves behind.
_KEPT = {
    "publish": "the published set is the one before, or the new one if it had gone live; the next publish completes or"
    " undoes what was under way",
    "submit": "what was acknowledged is recorded, and the next submit sends the rest",
    "lint": "files that were fixed already stay fixed, and no file is half written",
    "read": "a file named by --output is as it was",
    "watch": "the state is as the last complete run left it, and changes that were not printed come with the next one",
    "diff": "a file named by --output is as it was",
}


def _interrupted(verb: str | None) -> str:
    """Return the line about a run that was interrupted."""
    return f"interrupted; {_KEPT.get(verb or '', 'nothing was written')}"


def explain(error: Exception) -> str:
    """Return a message for a person, with the file or the row that the error is about."""
    if isinstance(error, EntryError):
        return (
            f"{row(error)} was refused, so nothing was published: {refusal(error)}; with --rejects FILE, the other rows"
            " are published, and FILE has all that were refused"
        )
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def with_option_names(message: str, parameters: Mapping[str, str]) -> str:
    """Return the message with the name of the option in place of the keyword that it begins with."""
    found = _KEYWORD.match(message)
    if found is None:
        return message
    name = parameters.get(_RENAMED.get(found["keyword"], found["keyword"]), found["keyword"])
    return name + message[found.end() :]


def row(error: EntryError) -> str:
    """Return where the row is: its file and line, or else its number, from 1, and its section."""
    if error.file is not None:
        return error.place
    return f"row {error.row:,}" + (f" of section {error.section}" if error.section else "")


def refusal(error: EntryError) -> str:
    """Return the code, the loc if there is one, and the reason."""
    loc = "" if error.loc is None else f"{escape_controls(error.loc)}: "
    return f"{error.code} {loc}{error.reason}"


def _drop(stream: TextIO) -> None:
    """Discard what is still buffered, so that the last flush of the interpreter does not find a broken pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
