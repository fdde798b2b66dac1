"""A real nginx on loopback that serves a folder, as sites do: with validators, keep-alive and compression."""

from __future__ import annotations

import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: The most seconds for a start on a slow machine.
SECONDS = 30
#: Source: Linux, ip-sysctl, ip_local_port_range begins at 32768.
PORTS = (20_000, 32_000)

CONFIGURATION = """
daemon off;
master_process off;
pid {work}/nginx.pid;
error_log {work}/error.log;
events {{ worker_connections 16384; }}
http {{
    log_format tests '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent $connection';
    access_log {work}/access.log tests;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    default_type application/octet-stream;
    types {{
        text/xml xml; text/plain txt; application/gzip gz; text/html html; text/css css; text/javascript js;
        application/json json; application/atom+xml atom; image/png png; image/svg+xml svg; application/pdf pdf;
    }}
    gzip on;
    gzip_types text/xml;
    gzip_min_length 100;
    server {{
        listen {address}:{port}{secure};
        root {root};
        location /moved/ {{ return 301 /; }}
        location /busy/ {{ return 503; }}
        {further}
    }}
}}
"""

#: What is no file is passed on as it was asked for.
APP = """
        index index.html;
        location / {{ try_files $uri $uri/index.html @app; }}
        location @app {{ proxy_pass {app}; proxy_set_header Host $http_host; proxy_http_version 1.1; }}
"""


@contextmanager
def nginx(
    root: Path,
    work: Path,
    pem: Path | None = None,
    app: str | None = None,
    address: str = "127.0.0.1",
    locations: str = "",
    port: int | None = None,
) -> Iterator[str]:
    """Serve a folder until the block ends, and yield the URL of the site. nginx writes to `work`, an empty folder.

    With the file of a key and a certificate, it serves https, also by HTTP/2. What is not in the folder is asked of the
    app at the URL `app`, if there is one; `locations` are blocks of its configuration. At the address 0.0.0.0, each
    address that begins with 127 is a site. Without a port, it takes one that is free.
    """
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    assert Path(program).exists(), "install nginx for this test, as with: apt-get install nginx-light"
    port = free_port() if port is None else port
    configuration = work / "nginx.conf"
    secure = "" if pem is None else f" ssl http2; ssl_certificate {pem}; ssl_certificate_key {pem}"
    further = locations + ("" if app is None else APP.format(app=app))
    configuration.write_text(
        CONFIGURATION.format(work=work, root=root, address=address, port=port, secure=secure, further=further)
    )
    server = subprocess.Popen(
        [program, "-c", str(configuration), "-p", str(work)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for(server, port, work / "error.log")
        yield f"{'http' if pem is None else 'https'}://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(SECONDS)


def free_port() -> int:
    """Return a port that stays free: nobody listens on it, and the system gives it to nobody who asks for any."""
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(*PORTS)
        with socket.socket() as free:
            if free.connect_ex(("127.0.0.1", port)) != 0:
                return port


def wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until a server answers on its port, and fail with its log if it ends before."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text() if log.exists() else "the server did not start"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError("the server did not answer")
