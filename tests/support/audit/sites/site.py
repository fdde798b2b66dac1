"""What each generator builds, and how it is served."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.nginx import nginx, wait_for


@dataclass(frozen=True, slots=True)
class Built:
    """A built site: its files, and further blocks of the configuration of nginx.

    If it has an application, `command` starts that on `port`, and it answers for what is no file.
    """

    root: Path
    locations: str = ""
    command: Sequence[str] = ()
    port: int = 0


@contextmanager
def served(built: Built, work: Path, port: int) -> Iterator[str]:
    """Serve a site until the block ends, with an empty folder for the server, and yield its URL."""
    with ExitStack() as stack:
        app = None
        if built.command:
            stack.enter_context(running(built.command, built.port, work / "app.log"))
            app = f"http://127.0.0.1:{built.port}"
        yield stack.enter_context(nginx(built.root, work, app=app, locations=built.locations, port=port))


@contextmanager
def running(command: Sequence[str], port: int, log: Path) -> Iterator[None]:
    """Run a server until the block ends."""
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT) as server:
        try:
            wait_for(server, port, log)
            yield
        finally:
            server.terminate()


def run(command: Sequence[str | Path], folder: Path) -> None:
    """Run a generator, and fail with what it says if it does not succeed."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}"


def write(path: Path, text: str) -> None:
    """Write a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
