"""The command line: one module per verb, and `main`, which the `urlset` script calls."""

import codecs
import io
import os
import sys

import urlset

#: What is printed where an encoding, such as cp1252 or ASCII, lacks a character that urlset itself prints.
_PLAIN = {"…": "...", "→": "->", "’": "'", "·": "-"} | dict.fromkeys("▏▎▍▌▋▊▉█", "#")


def main() -> None:
    """Run the command line and end the process with its exit code."""
    # A shell can close the streams (`>&-`): then nothing is read or written, and nothing fails.
    sys.stdin = sys.stdin or io.TextIOWrapper(io.FileIO(os.devnull))
    sys.stdout = sys.stdout or io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    sys.stderr = sys.stderr or io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    codecs.register_error("urlset.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character is not a reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="urlset.plain")
    if sys.argv[1:] == ["--version"]:
        # Scripts ask for it, and need not wait for what reads the options and draws the help.
        print(f"urlset {urlset.__version__}")
        return
    from urlset._cli.app import app  # noqa: PLC0415

    app(prog_name="urlset")


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks: our own by similar ones, those of others by their escapes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    plain = (_PLAIN.get(each) or each.encode("ascii", "backslashreplace").decode() for each in lacking)
    return "".join(plain), error.end
