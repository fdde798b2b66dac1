"""The command line: `main()` in this process, or the `urlset` script in one of its own, with pipes or on a terminal."""

import errno
import fcntl
import io
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import chdir, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from unittest.mock import patch

SCRIPT = Path(sys.executable).with_name("urlset")
SECONDS = 60
"""Longer than any command takes on a slow machine, so that a hang fails instead of blocking the run."""


LOOKS = {"COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONIOENCODING"}
"""Environment variables that change how output looks."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it had said until then."""

    code: int
    out: str
    err: str


def unwrapped(text: str) -> str:
    """A message out of the box that folds it."""
    return " ".join(text.replace("│", " ").split())


@dataclass(frozen=True, slots=True)
class Cli:
    """The command line, run in `folder`."""

    folder: Path

    def __call__(self, *arguments: str, stdin: bytes = b"", **env: str) -> Ended:
        """Run `main()` in this process, which spares the half second that a process takes to start.

        Variables of `LOOKS` are read when a process starts, so with one of them it is a process.
        """
        if env.keys() & LOOKS:
            return self.process(*arguments, stdin=stdin, **env)
        with TemporaryFile("w+b") as out, TemporaryFile("w+b") as err, _piped(stdin) as pipe:
            streams: dict[str, Any] = {"stdin": _text(pipe), "stdout": _text(out), "stderr": _text(err)}
            with (
                chdir(self.folder),
                patch.dict(os.environ, _env(env), clear=True),
                patch.multiple(sys, argv=[str(SCRIPT), *arguments], **streams),
            ):
                try:
                    code = _main()
                finally:
                    for stream in streams.values():
                        stream.close()
            return Ended(code, _said(out), _said(err))

    def process(self, *arguments: str, stdin: bytes = b"", **env: str) -> Ended:
        """Run the script with pipes. It must never print a traceback or what another library reports at its end."""
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


def _main() -> int:
    """The exit code of the command line. What it does not handle is raised, as it would be a traceback there."""
    # Imported here, where no terminal can be seen: the consoles look for one when they are made.
    from urlset._cli import main

    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def _text(file: IO[bytes]) -> io.TextIOWrapper:
    """A stream as Python makes the standard ones. Its descriptor is a copy, so that it can be closed."""
    mode = "rb" if file.mode == "rb" else "wb"
    return io.TextIOWrapper(os.fdopen(os.dup(file.fileno()), mode), encoding="utf-8")


def _said(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


@contextmanager
def _piped(data: bytes) -> Iterator[IO[bytes]]:
    """A pipe that gives the data, to whoever reads it."""
    reading, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as pipe:
            pipe.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(reading, "rb") as pipe:
        yield pipe
    writer.join()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError as error:
        if error.errno == errno.EIO:  # Linux's way to say that the other side is closed
            return b""
        raise


def _env(more: dict[str, str]) -> dict[str, str]:
    """The environment without what would change how output looks, and with `more`."""
    return {name: value for name, value in os.environ.items() if name not in LOOKS} | more
