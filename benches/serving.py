"""Measure serving a document of a set: requests a second, and processor time a request, for a 200 and for a 304.

    python benches/serving.py
    python benches/serving.py --seconds 1 --rounds 1 --only urlset-asgi,nginx

The document is a shard as it is stored, a `.xml.gz`. urlset's two apps are measured beside Starlette's StaticFiles,
WhiteNoise and nginx, each in one process of its own, and they take turns: ASGI under uvicorn with uvloop and httptools,
WSGI under gunicorn with four threads. All of them keep eight connections open, on each of which one request follows the
other. Each answer is checked: its status, its length, and the hash of the first one's content.

The processor time is that of the server alone. The client is Python, on the other core, so the requests a second of the
fastest are its own limit. Prints the medians of the rounds as JSON, and ends with 1 if an answer was wrong. Linux only;
nginx has to be installed. The servers get an environment of their own, `.venv-serving`.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import urlset

ROOT = Path(__file__).parents[1]
PINS = Path(__file__).with_name("requirements-serving.txt")
PYTHON = ROOT / ".venv-serving" / "bin" / "python"
CONNECTIONS, PAGES, SECONDS = 8, 12_000, 30

#: The module `app` of each contestant. The folder is the first argument of `served`.
APPS = {
    "urlset-asgi": "from urlset.contrib.asgi import SitemapApp\napp = SitemapApp({folder!r})",
    "starlette": "from starlette.staticfiles import StaticFiles\napp = StaticFiles(directory={folder!r})",
    "urlset-wsgi": "from urlset.contrib.wsgi import SitemapApp\napp = SitemapApp({folder!r})",
    "whitenoise": "from whitenoise import WhiteNoise\n"
    "def missing(environ, start_response):\n    start_response('404 Not Found', [])\n    return []\n"
    "app = WhiteNoise(missing, root={folder!r})",
}
WSGI = ("urlset-wsgi", "whitenoise")


class Measured(NamedTuple):
    """One round: requests a second, and microseconds of the server's processor time a request."""

    rate: float
    microseconds: float


def install() -> None:
    """Make the environment of the servers, unless it is there."""
    kept = PYTHON.parents[1] / PINS.name
    if not (kept.exists() and kept.read_bytes() == PINS.read_bytes()):
        venv.create(PYTHON.parents[1], clear=True, with_pip=True)
        subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", "-r", PINS], check=True)
        shutil.copyfile(PINS, kept)


@contextmanager
def served(name: str, folder: Path, work: Path) -> Iterator[tuple[int, int]]:
    """Run a contestant, and yield its port and the process that answers."""
    sys.path.append(str(ROOT / "tests"))
    support = import_module("support.nginx")
    port = support.free_port()
    if name == "nginx":
        # As the others: no log, and a connection for any number of requests.
        with support.nginx(folder, work, port=port, locations="access_log off; keepalive_requests 100000000;"):
            yield port, int((work / "nginx.pid").read_text())
        return
    (work / "app.py").write_text(APPS[name].format(folder=str(folder)))
    uvicorn = ["uvicorn", "app:app", "--port", str(port), "--no-access-log", "--log-level", "error"]
    gunicorn = [
        "gunicorn",
        "app:app",
        "--bind",
        f"127.0.0.1:{port}",
        "-k",
        "gthread",
        "--threads",
        "4",
        "--keep-alive",
        "9",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    log = work / "log"
    command: list[str | Path] = [PYTHON, "-m", *(gunicorn if name in WSGI else uvicorn)]
    with log.open("wb") as out, subprocess.Popen(command, cwd=work, env=environment, stdout=out, stderr=out) as process:
        try:
            support.wait_for(process, port, log)
            time.sleep(0.3)  # gunicorn listens before its worker is there
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            yield port, int(children[0]) if children else process.pid
        finally:
            process.terminate()
            process.wait(SECONDS)


def asked(port: int, target: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Ask once, by a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("GET", target, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def processor_time(process: int) -> float:
    """Return the seconds that a process has computed."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(port: int, process: int, request: bytes, status: bytes, body: int, seconds: float) -> Measured:
    """Send one request after the other on each connection, and check each answer."""
    with selectors.DefaultSelector() as selector:
        for _ in range(CONNECTIONS):
            opened = socket.create_connection(("127.0.0.1", port))
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(opened, selectors.EVENT_READ, bytearray())
            opened.sendall(request)
        count, before, begin = 0, processor_time(process), time.perf_counter()
        while (now := time.perf_counter()) < begin + seconds:
            for key, _ in selector.select(SECONDS):
                one: socket.socket = key.fileobj  # type: ignore[assignment]
                data, piece = key.data, one.recv(1 << 18)
                data += piece
                head = data.find(b"\r\n\r\n")
                if not piece or (head >= 0 and len(data) > head + 4 + body) or not data.startswith(status[: len(data)]):
                    raise SystemExit(f"a wrong answer: {bytes(data[:300])!r}")
                if head >= 0 and len(data) == head + 4 + body:
                    count += 1
                    data.clear()
                    one.sendall(request)
        used = processor_time(process) - before
        for key in list(selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
    return Measured(count / (now - begin), used / count * 1e6)


def measure(name: str, folder: Path, seconds: float) -> dict[str, Measured]:
    """Return one round of a contestant, for a 200 and for a 304."""
    (path,) = folder.glob("sitemap-pages-*.xml.gz")
    target, content = f"/{path.name}", path.read_bytes()
    with TemporaryDirectory() as work, served(name, folder, Path(work)) as (port, process):
        Path(work).chmod(0o755)
        status, headers, body = asked(port, target)
        assert (status, hashlib.sha256(body).digest()) == (200, hashlib.sha256(content).digest()), name
        known = {"If-None-Match": headers["etag"]}
        assert asked(port, target, **known)[0] == 304, name
        found = {}
        for code, further, length in ((200, "", len(content)), (304, f"If-None-Match: {headers['etag']}\r\n", 0)):
            request = f"GET {target} HTTP/1.1\r\nHost: shop.example\r\n{further}\r\n".encode()
            load(port, process, request, f"HTTP/1.1 {code} ".encode(), length, 0.3)  # warms it up
            found[str(code)] = load(port, process, request, f"HTTP/1.1 {code} ".encode(), length, seconds)
        return found


def main() -> int:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser(description="Measure serving a set.")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join([*APPS, "nginx"]))
    options = parser.parse_args()
    install()
    names = options.only.split(",")
    with TemporaryDirectory() as parent:
        folder = Path(parent, "public")
        Path(parent).chmod(0o755)
        rows = [{"loc": f"/page/{number * 7919 % 1_000_003}"} for number in range(PAGES)]
        sections = {"pages": urlset.Section(rows), "others": urlset.Section(["/"])}
        urlset.publish(sections, folder, base_url="https://shop.example/")
        (shard,) = folder.glob("sitemap-pages-*")
        size = shard.stat().st_size
        rounds = [{name: measure(name, folder, options.seconds) for name in names} for _ in range(options.rounds)]
    figures = {
        name: {
            code: {
                "requests a second": round(statistics.median(each[name][code].rate for each in rounds)),
                "microseconds a request": round(statistics.median(each[name][code].microseconds for each in rounds), 1),
            }
            for code in ("200", "304")
        }
        for name in names
    }
    print(json.dumps({"bytes": size, "servers": figures}, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
