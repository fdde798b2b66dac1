"""The two consoles, and what the exit codes mean."""

from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from urlset._util.text import escape_controls

FINE: Final = 0
FINDINGS: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130
"""128 and the number of SIGINT, as a shell reports it."""
BROKEN_PIPE: Final = 141
"""128 and the number of SIGPIPE: what a program gets that writes on after `head` has left."""

# Both consoles look up sys.stdout and sys.stderr at each print, and follow NO_COLOR and the terminal.
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def watched(stream: TextIO) -> bool:
    """Whether a person looks at `stream`. Not rich's own answer, which FORCE_COLOR overrides."""
    return stream.isatty()


def note(message: str) -> None:
    """Say `message` on standard error, marked as ours and never folded."""
    err.print(Text(f"urlset: {visible_lines(message)}"), soft_wrap=True)


def visible_lines(message: str) -> str:
    """`message` fit for a terminal, its line ends kept."""
    return "\n".join(escape_controls(line) for line in message.splitlines())
