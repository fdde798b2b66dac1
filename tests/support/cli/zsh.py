"""A real zsh on a terminal, in which a line is typed and completed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.cli import SCRIPT, SECONDS

ZSH = shutil.which("zsh")

#: Words that match are written down as zsh adds them, and the line as it is when Ctrl-X is pressed after the Tab.
_SETUP = r"""
PS1='> '; autoload -Uz compinit && compinit -u -D
eval "$(urlset --completion zsh)"
compadd() { local -a hits; builtin compadd -O hits "$@"; found+=($hits); builtin compadd "$@" }
dump() { print -rl -- "$BUFFER" $found > out.new; mv out.new out; found=(); BUFFER="" }
typeset -a found; zle -N dump; bindkey '^X' dump; bindkey '^I' complete-word; setopt no_beep
print -r -- READY > out
"""


class Zsh:
    """A shell in a folder."""

    def __init__(self, terminal: int, folder: Path) -> None:
        self._terminal = terminal
        self._out = folder / "out"

    @classmethod
    @contextmanager
    def running(cls, folder: Path) -> Iterator[Zsh]:
        """Start a shell, and end it with the block."""
        assert ZSH is not None
        (folder / "setup.zsh").write_text(_SETUP)
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
            os.execve(ZSH, ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "PATH": path, "ZDOTDIR": str(folder)})
        try:
            shell = cls(terminal, folder)
            assert shell._typed(b". ./setup.zsh\n") == ["READY"]
            yield shell
        finally:
            os.close(terminal)  # which ends an interactive shell
            os.waitpid(child, 0)

    def completed(self, line: str) -> tuple[str, list[str]]:
        """Type a line and Tab; return the line that it becomes, and the words that match."""
        becomes, *words = self._typed(line.encode() + b"\t\x18")
        return becomes, list(dict.fromkeys(words))

    def _typed(self, keys: bytes) -> list[str]:
        """Return what the shell writes down, and read what it shows meanwhile: it stops if nobody does."""
        os.write(self._terminal, keys)
        end, shown = time.monotonic() + SECONDS, b""
        while not self._out.exists():
            assert time.monotonic() < end, shown.decode(errors="replace")
            if select.select([self._terminal], [], [], 0.02)[0]:
                shown += os.read(self._terminal, 65_536)
        written = self._out.read_text().splitlines()
        self._out.unlink()
        return written
