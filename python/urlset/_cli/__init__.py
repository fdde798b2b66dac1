"""The command line: one module per verb, and `main`, which the `urlset` script calls."""

import io
import os
import sys

import urlset


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
    if sys.argv[1:] == ["--version"]:
        # Scripts ask for it, and need not wait for what reads the options and draws the help.
        print(f"urlset {urlset.__version__}")
        return
    from urlset._cli.app import app  # noqa: PLC0415

    app(prog_name="urlset")
