"""The recipes of docs/deploy.md and the workflow of docs/ci.md, with the servers and the program that they are for."""

from __future__ import annotations

import json
import plistlib
import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import urlset
import yaml
from support.doc_sites import ANY, HOSTS, KEY
from support.internet import internet
from support.nginx import nginx, wait_for
from support.pages import Command, blocks
from support.shell import Shell

from contract.test_integrations import check_command

ROOT = Path(__file__).parents[2]
RECIPES = {block.file: block for block in blocks((ROOT / "docs" / "deploy.md").read_text("utf-8")) if block.file}
CI = (ROOT / "docs" / "ci.md").read_text("utf-8")


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """A set of an index and two shards."""
    rows = [f"/{number}" for number in range(3)]
    sections = {"tea": urlset.Section(rows), "coffee": urlset.Section([f"/coffee{row}" for row in rows])}
    urlset.publish(sections, tmp_path / "public", base_url="https://shop.example/", update_robots=True)
    tmp_path.chmod(0o755)  # nginx may be another user
    return tmp_path / "public"


@contextmanager
def caddy(root: Path, work: Path) -> Iterator[str]:
    """Serve a folder by the recipe for Caddy."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    recipe = RECIPES["Caddyfile"].text.replace("shop.example", url).replace("/srv/shop/public", str(root))
    file = work / "Caddyfile"
    file.write_text("{\n\tadmin off\n}\n" + recipe)
    program = shutil.which("caddy")
    assert program, "install caddy for this test, as with: apt-get install caddy"
    log = work / "caddy.log"
    with log.open("wb") as written, subprocess.Popen([program, "run", "--config", str(file)], stderr=written) as server:
        try:
            wait_for(server, int(url.rpartition(":")[2]), log)
            yield url
        finally:
            server.terminate()


@contextmanager
def by_recipe_of_nginx(root: Path, work: Path) -> Iterator[str]:
    """Serve a folder by the recipe for nginx."""
    body = RECIPES["nginx.conf"].text
    inner = body[body.index("    location") : body.rindex("}")]
    with nginx(root, work, locations=inner) as url:
        yield url


@pytest.mark.parametrize("serve", [by_recipe_of_nginx, caddy])
def test_a_server_by_the_recipe(serve: Any, public: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with serve(public, work) as url:

        def ask(path: str, **headers: str) -> tuple[int, dict[str, str]]:
            with closing(HTTPConnection(url.removeprefix("http://"), timeout=30)) as connection:
                connection.request("GET", path, headers=headers)
                with connection.getresponse() as answer:
                    answer.read()
                    return answer.status, {name.lower(): value for name, value in answer.getheaders()}

        for path in ("/.urlset/manifest.parquet", "/.urlset/", "/.urlset/lock", "/%2eurlset/manifest.parquet"):
            assert ask(path)[0] == 404, path
        for path in ("/sitemap.xml", "/robots.txt"):
            status, headers = ask(path)
            assert (status, headers["cache-control"]) == (200, "no-cache")
            assert ask(path, **{"If-None-Match": headers["etag"]})[0] == 304
        shards = [path.name for path in public.glob("sitemap-*.xml.gz")]
        assert len(shards) == 2
        for name in shards:
            status, headers = ask(f"/{name}")
            assert (status, headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
            assert headers["content-type"] in ("application/gzip", "application/x-gzip")
            assert "content-encoding" not in headers
        found = urlset.lint(f"{url}/{shards[0]}")
        assert [each.code for each in found if each.code.startswith("HTTP")] == []


def test_the_policy_lets_the_sitemaps_be_read_and_nothing_else() -> None:
    (statement,) = json.loads(RECIPES["policy.json"].text)["Statement"]
    assert statement["Action"] == "s3:GetObject"
    patterns = [each.removeprefix("arn:aws:s3:::bucket/") for each in statement["Resource"]]
    assert patterns == ["sitemap*", "robots.txt"]


def test_what_other_systems_start_is_there() -> None:
    plist = plistlib.loads(RECIPES["example.shop.urlset.plist"].text.encode())
    assert plist["ProgramArguments"][0].endswith("/urlset")
    check_command(plist["ProgramArguments"][1:])
    assert "[Timer]" in RECIPES["urlset.timer"].text
    powershell = [
        block.text for block in blocks((ROOT / "docs" / "deploy.md").read_text()) if block.language == "powershell"
    ]
    for arguments in re.findall(r'-Argument "([^"]+)"', "\n".join(powershell)):
        check_command(shlex.split(arguments))
    assert (ROOT / "examples" / "demo.py").is_file()
    assert len(powershell) == 2


def test_the_workflow_publishes_checks_and_submits(tmp_path: Path) -> None:
    (workflow,) = (
        tree
        for tree in map(yaml.safe_load, re.findall(r"^```yaml\n(.*?)^```$", CI, re.MULTILINE | re.DOTALL))
        if isinstance(tree, dict) and tree.get("name") == "site"
    )
    steps = workflow["jobs"]["publish"]["steps"]
    ours = [step["run"] for step in steps if step.get("run", "").startswith("urlset ")]
    assert [line.split()[1] for line in ours] == ["publish", "lint", "audit", "submit"]
    (tmp_path / "site").mkdir()
    pages = {"/": "Tea", "/green/": "Green tea"}
    for path, title in pages.items():
        folder = tmp_path / f"site{path}"
        folder.mkdir(exist_ok=True)
        (folder / "index.html").write_text(
            f"<title>{title}</title><p>{title} <a href=/>/</a> <a href=/green/>green</a>"
        )
    with internet(tmp_path, *HOSTS) as net:
        shell = Shell(tmp_path, {**net.env, "URLSET_INDEXNOW_KEY": KEY})
        for line in ours:
            if "audit" in line:  # the site is online by now
                files = {f"/{path.name}": path.read_bytes() for path in (tmp_path / "site").glob("sitemap*")}
                html = {path: (tmp_path / f"site{path}index.html").read_text() for path in pages}
                net.sites = ANY | {"shop.example": {**files, **html, f"/{KEY}.txt": KEY}}
            shell.run(Command(line, 0))
