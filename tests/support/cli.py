"""The real `urlset` script in a process of its own, with pipes around it or with a terminal."""

import errno
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("urlset")
SECONDS = 60
"""Longer than any command here takes on a slow machine; a hang is told, not waited for."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it had said until then."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Cli:
    """The script, run in `folder`."""

    folder: Path

    def __call__(self, *arguments: str, stdin: bytes = b"", **env: str) -> Ended:
        """Run with pipes. Nothing that is expected may end in a traceback or in another library's report."""
        ended = subprocess.run(
            [SCRIPT, *arguments],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env=_env(env),
            timeout=SECONDS,
            check=False,
        )
        err = ended.stderr.decode()
        assert "Traceback" not in err
        assert "nanobind" not in err
        return Ended(ended.returncode, ended.stdout.decode(), err)

    def raw(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """The bytes of standard output of a command that has to succeed."""
        return subprocess.run(
            [SCRIPT, *arguments],
            input=stdin,
            stdout=subprocess.PIPE,
            cwd=self.folder,
            env=_env({}),
            timeout=SECONDS,
            check=True,
        ).stdout

    def shell(self, line: str) -> Ended:
        """Run a line of bash, in which `urlset` is the script."""
        path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
        ended = subprocess.run(
            ["bash", "-c", line],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=_env({"PATH": path}),
            timeout=SECONDS,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def terminal(self, *arguments: str, interrupt_at: str | None = None, **env: str) -> Ended:
        """Run on a terminal of 100 columns, which is standard output and error in one.

        Ctrl-C is pressed as soon as `interrupt_at` shows.
        """
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        process = subprocess.Popen(
            [SCRIPT, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            cwd=self.folder,
            env=_env({"TERM": "xterm-256color", **env}),
        )
        os.close(theirs)
        said = b""
        try:
            while piece := _read(ours):
                said += piece
                if interrupt_at is not None and interrupt_at.encode() in said:
                    process.send_signal(signal.SIGINT)
                    interrupt_at = None
            return Ended(process.wait(SECONDS), said.decode(errors="replace"), "")
        finally:
            process.kill()
            os.close(ours)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError as error:
        if error.errno == errno.EIO:  # Linux's way to say that the other side is closed
            return b""
        raise


def _env(more: dict[str, str]) -> dict[str, str]:
    """The environment without what would change a command's looks, and with `more`."""
    looks = {"COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONIOENCODING"}
    return {name: value for name, value in os.environ.items() if name not in looks} | more
