"""A pytest plugin that runs a real PostgreSQL in a temporary folder, only on 127.0.0.1, with a password.

A test module asks for it with `pytest_plugins = ["support.postgres"]`, and all that do share one server.
"""

from __future__ import annotations

import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

#: The most seconds for any step on a slow machine; a start takes about two seconds.
SECONDS = 60
USER = "urlset"
INSTALL = "install PostgreSQL's server for this test, as with: apt-get install postgresql"


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server; `log` is its log file."""

    programs: Path
    port: int
    password: str
    log: Path

    def url(self, *, user: str = USER, password: str | None = None, database: str = "postgres", query: str = "") -> str:
        """Return a URL of the server, by default with the correct password."""
        secret = quote(self.password if password is None else password, safe="")
        return f"postgresql://{user}:{secret}@127.0.0.1:{self.port}/{database}{query}"

    def run(self, sql: str, *, database: str = "postgres") -> str:
        """Return what psql prints for the statements, without headers and alignment."""
        ended = subprocess.run(
            [self.programs / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", self.url(database=database)],
            input=sql,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    def connections(self) -> int:
        """Return the number of client connections, without the one that counts them."""
        counted = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
        return int(self.run(f"{counted} AND pid <> pg_backend_pid()"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """The server of this session."""
    programs = find_programs()
    if programs is None:
        pytest.fail(f"no initdb in /usr/lib/postgresql/*/bin or on the PATH: {INSTALL}")
    with started(programs) as server:
        yield server


def find_programs() -> Path | None:
    """Return the folder with `initdb` and `postgres`, which is not on the PATH of Debian."""
    debian = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = sorted(debian, key=lambda path: [int(number) for number in re.findall(r"\d+", path.parts[4])])
    found = newest[-1] if newest else shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@contextmanager
def started(programs: Path) -> Iterator[Postgres]:
    """Run a new server, and remove it with its folder afterwards."""
    identity = _identity()
    folder = Path(tempfile.mkdtemp(prefix="urlset-postgres-"))
    try:
        server = Postgres(programs, _free_port(), secrets.token_urlsafe(12), folder / "log")
        _create(server, folder, identity)
        with server.log.open("wb") as log:
            process = subprocess.Popen(
                [
                    *(programs / "postgres", "-D", folder / "data", "-p", str(server.port), "-F"),
                    *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                **identity,
            )
        try:
            _wait(server, process)
            yield server
        finally:
            process.send_signal(signal.SIGINT)  # the "fast" shutdown of PostgreSQL, which disconnects clients
            process.wait(SECONDS)
    finally:
        shutil.rmtree(folder)


def _identity() -> dict[str, Any]:
    """Return the user to run as. PostgreSQL refuses root; its package creates a user."""
    if os.geteuid() != 0:
        return {}
    try:
        postgres = pwd.getpwnam("postgres")
    except KeyError:
        pytest.fail(f"PostgreSQL does not run as root, and there is no user postgres: {INSTALL}")
    return {"user": postgres.pw_uid, "group": postgres.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _create(server: Postgres, folder: Path, identity: dict[str, Any]) -> None:
    """Make a new cluster that requires the password."""
    secret = folder / "password"
    secret.write_text(server.password)
    if identity:
        shutil.chown(folder, identity["user"])
        shutil.chown(secret, identity["user"])
    ended = subprocess.run(
        [
            *(server.programs / "initdb", "-D", folder / "data", "-U", USER, f"--pwfile={secret}"),
            *("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=SECONDS,
        check=False,
        **identity,
    )
    assert ended.returncode == 0, ended.stderr
    secret.unlink()


def _wait(server: Postgres, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server accepts connections."""
    deadline = time.monotonic() + SECONDS
    asking: list[str | Path] = [server.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(server.port)]
    while subprocess.run(asking, check=False).returncode != 0 or process.poll() is not None:
        assert process.poll() is None, server.log.read_text()
        assert time.monotonic() < deadline, server.log.read_text()
        time.sleep(0.05)
