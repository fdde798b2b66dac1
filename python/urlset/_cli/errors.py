"""Where errors end: every expected one becomes a sentence on standard error and an exit code."""

import os
import sys
import zlib
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from urlset import EntryError, UrlsetError
from urlset._cli.console import BROKEN_PIPE, FAILED, INTERRUPTED, note


class Boundary(TyperGroup):
    """The group of verbs. What is not expected goes on as a traceback: it is a bug of ours."""

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; a failure it does not handle itself ends the process with exit code 2."""
        # The codes are raised below, outside: an error that lived on as their context would keep
        # its frames, and so DuckDB beyond its own shutdown.
        try:
            try:
                return super().invoke(ctx)
            finally:
                # Here, so that a reader that has left is noticed while it can be handled.
                sys.stdout.flush()
        except BrokenPipeError:
            _drop(sys.stdout)
            code = BROKEN_PIPE
        except KeyboardInterrupt:
            # Everything with a `finally` has been tidied by now. A thread may still be waiting for
            # standard input, and an orderly end would wait with it.
            os._exit(INTERRUPTED)
        # The last two are what gzip raises for rows in a damaged file.
        except (UrlsetError, OSError, EOFError, zlib.error) as error:
            note(explain(error))
            code = FAILED
        raise typer.Exit(code)


def explain(error: Exception) -> str:
    """One message a person understands, with the file or the row it is about."""
    if isinstance(error, EntryError):
        return f"{row(error)} is refused, and so nothing is published: {refusal(error)}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def row(error: EntryError) -> str:
    """Which row it is, counted from 1, and of which section."""
    of = f" of {error.section}" if error.section else ""
    return f"row {error.index + 1:,}{of}"


def refusal(error: EntryError) -> str:
    """The code, the loc if there is one, and the reason."""
    loc = "" if error.loc is None else f"{error.loc}: "
    return f"{error.code} {loc}{error.reason}"


def _drop(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that the interpreter's last flush finds no broken pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
