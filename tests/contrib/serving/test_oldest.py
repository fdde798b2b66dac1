"""The apps in the oldest frameworks that they are mounted in, and behind further servers."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
import urlset
from support.nginx import free_port, wait_for
from support.serve import oldest
from support.serve.servers import SECONDS, Client

#: `make test-long` installs them there.
OLDEST = Path(sys.prefix) / "oldest-apps"


@pytest.mark.long
@pytest.mark.parametrize("kind", ["starlette", "fastapi", "flask", "hypercorn", "gunicorn"])
def test_the_oldest_serve_a_set_as_the_newest_do(kind: str, tmp_path: Path) -> None:
    assert OLDEST.is_dir(), "run `make test-long`, which installs the oldest frameworks"
    rows = [f"/{'p' * 60}{number}" for number in range(20_000)]
    sections = {"tea": urlset.Section(rows), "cups": urlset.Section(["/cup"])}
    layout = urlset.Layout(compression="none")
    urlset.publish(sections, tmp_path / "public", base_url="https://shop.example/", layout=layout)
    package = Path(urlset.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (OLDEST, package)))}
    port, log = free_port(), tmp_path / "log"
    command: list[str | Path] = [sys.executable, oldest.__file__, kind, tmp_path / "public", str(port)]
    with log.open("wb") as out, subprocess.Popen(command, env=environment, stdout=out, stderr=out) as server:
        try:
            wait_for(server, port, log)
            client = Client(port)
            for path in ("/",) if kind in ("hypercorn", "gunicorn") else ("/", "/maps/"):
                for file in (tmp_path / "public").glob("sitemap*"):
                    target = path + file.name
                    got = client.ask(target)
                    assert (got.status, got.body) == (200, file.read_bytes())
                    assert client.ask(target, if_none_match=got.headers["etag"]).status == 304
                    assert client.ask(target, "HEAD").headers["content-length"] == str(len(got.body))
                    assert client.ask(target, range="bytes=3-9").body == got.body[3:10]
                    packed = client.ask(target, accept_encoding="gzip")
                    is_packed = "content-encoding" in packed.headers
                    assert (gzip.decompress(packed.body) if is_packed else packed.body) == got.body
                for name in (".urlset/manifest.parquet", "missing"):
                    assert client.ask(path + name).status == 404
        finally:
            server.terminate()
            server.wait(SECONDS)
    assert b"Traceback" not in log.read_bytes()
