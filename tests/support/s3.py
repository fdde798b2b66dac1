"""A real S3 server (moto) on loopback in its own process, and a proxy that spoils chosen requests.

python s3.py    serves until its standard input ends, and prints the port first
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_hex
from typing import Any
from urllib.parse import quote

import pytest

KEY, SECRET = "AKIAEXAMPLE", "not-to-be-shown-anywhere"
#: Moto accepts any signature, but requires one if it checks permissions.
SIGNED = f"AWS4-HMAC-SHA256 Credential={KEY}/20240101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"


@dataclass(slots=True)
class S3Server:
    """The server, the options that obstore needs to reach it, and plain requests without obstore."""

    process: subprocess.Popen[str]
    port: int
    options: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.options = options_of(self.port)

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[S3Server]:
        """Start a server, and stop it at the end of the block."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen([sys.executable, __file__], text=True, **pipes) as process:  # type: ignore[call-overload]
            try:
                assert process.stdout is not None
                port = process.stdout.readline()
                assert port, "moto's server did not start: pip install 'moto[s3]' flask flask-cors"
                yield cls(process, int(port))
            finally:
                process.kill()

    def stop(self) -> None:
        """Kill the server, as a power cut would."""
        self.process.kill()
        self.process.wait()

    def ask(self, method: str, path: str, body: str | bytes = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Send a plain HTTP request, and return status, headers and content."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), content

    def new_bucket(self) -> str:
        """Make a bucket that everybody can read, like that of a site."""
        name = f"bucket-{token_hex(6)}"
        status, _, content = self.ask("PUT", f"/{name}", **{"Authorization": SIGNED, "x-amz-acl": "public-read"})
        assert status == 200, content
        return name

    def put(self, bucket: str, key: str, data: bytes, **headers: str) -> None:
        """Store an object by a plain request."""
        status, _, content = self.ask("PUT", f"/{bucket}/{quote(key)}", data, Authorization=SIGNED, **headers)
        assert status == 200, content

    @property
    def env(self) -> dict[str, str]:
        """The environment that leads every S3 client of a process to the server."""
        return {
            "AWS_ENDPOINT": self.options["endpoint"],
            "AWS_REGION": self.options["region"],
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }

    @contextmanager
    def denying(self) -> Iterator[None]:
        """Check keys and permissions inside the block, so that every request is refused."""
        self.ask("POST", "/moto-api/reset-auth", "0")
        try:
            yield
        finally:
            self.ask("POST", "/moto-api/reset-auth", "inf")


def options_of(port: int) -> dict[str, Any]:
    """Return the options of open_store for a server on that port."""
    return {
        "endpoint": f"http://127.0.0.1:{port}",
        "region": "us-east-1",
        "allow_http": True,
        "access_key_id": KEY,
        "secret_access_key": SECRET,
        "max_retries": 2,
    }


#: What a proxy does with a request: "pass" it on, with "no conditions", with "no answer", with "half" of the answer, or
#: say "501" to it.
Spoil = Callable[[str, str], str]


@contextmanager
def proxy(server: S3Server, spoil: Spoil) -> Iterator[dict[str, Any]]:
    """Run a proxy, and yield the options that lead to it. `spoil` decides by method and path."""

    class Handler(BaseHTTPRequestHandler):
        def pass_on(self) -> None:
            how = spoil(self.command, self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            gone = ("if-none-match", "if-match") if how == "no conditions" else ()
            headers = {key: value for key, value in self.headers.items() if key.lower() not in gone}
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            self.close_connection = True
            if how == "no answer":
                return
            if how == "501":
                self.send_error(501)
                return
            self.send_response_only(answer.status)
            for key, value in answer.getheaders():
                if key.lower() not in ("connection", "transfer-encoding", "content-length"):
                    self.send_header(key, value)
            length = answer.getheader("Content-Length") if self.command == "HEAD" else None
            self.send_header("Content-Length", length or str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if how == "half" else content)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = pass_on  # noqa: N815  (names of http.server)

        def log_message(self, *_: object) -> None:
            """Log nothing: the tests report errors."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        try:
            yield options_of(running.server_port)
        finally:
            running.shutdown()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    """One server for all tests; each test uses its own bucket."""
    with S3Server.running() as server:
        yield server


def main() -> None:
    """Run the server. It handles one request at a time, because moto checks and writes in two steps, S3 in one."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import make_server

    moto: Any = DomainDispatcherApplication(create_backend_app)
    one_by_one = threading.Lock()

    def application(environ: Any, start_response: Any) -> list[bytes]:
        with one_by_one:
            return [b"".join(moto(environ, start_response))]

    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=MotoRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
