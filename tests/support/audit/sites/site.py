"""What each generator builds, and how it is served."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from support.nginx import nginx, wait_for


@dataclass(frozen=True, slots=True)
class Built:
    """A built site: its files, and further blocks of the configuration of nginx.

    `servers` are commands with the ports on which they answer, in the order in which they start. The last one is the
    application that answers for what is no file.
    """

    root: Path
    locations: str = ""
    servers: Sequence[tuple[Sequence[str], int]] = ()


@contextmanager
def served(built: Built, work: Path, port: int) -> Iterator[str]:
    """Serve a site until the block ends, with an empty folder for the server, and yield its URL."""
    with ExitStack() as stack:
        app = None
        for command, own_port in built.servers:
            stack.enter_context(running(command, own_port, work / f"{own_port}.log"))
            app = f"http://127.0.0.1:{own_port}"
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


def spoil(built: Built) -> Built:
    """Return a site of files with what happens to sites after they were built, on pages that its sitemaps list.

    One page is removed, one moved to a page that is listed and one to a page that is not, one is hidden from search
    engines, and two name others as canonical: one that is there, and one that is gone. One gets the text of
    another, but for its first word.
    """
    sitemaps = sorted(built.root.rglob("sitemap*.xml"))
    locs = [loc for each in sitemaps for loc in re.findall("<loc>(.*?)</loc>", each.read_text("utf-8"))]
    paths = [path for path in (urlsplit(loc).path for loc in locs) if _is_alone(_file(built.root, path))]
    gone, moved, renamed, hidden, second, dead = paths[2 :: len(paths) // 6][:6]
    near = paths[1]
    file = _file(built.root, gone)
    file.unlink()
    if file.name == "index.html":
        file.parent.rmdir()
    new = renamed.rstrip("/").removesuffix(".html") + "-renamed.html"
    _file(built.root, renamed).rename(built.root / new[1:])
    for path, other in ((second, paths[0]), (dead, gone)):
        file = _file(built.root, path)
        page = re.sub('<link[^>]* rel="canonical"[^>]*>|<link rel="canonical"[^>]*>', "", file.read_text("utf-8"))
        file.write_text(page.replace("</head>", f'<link rel="canonical" href="{other}"></head>'), "utf-8")
    text = re.search("(?s)<p>.*</p>", _file(built.root, paths[0]).read_text("utf-8"))
    assert text is not None
    file, nearly = _file(built.root, near), re.sub("<p>[^<> ]+", "<p>Nearly", text[0], count=1)
    file.write_text(re.sub("(?s)<p>.*</p>", lambda _: nearly, file.read_text("utf-8")), "utf-8")
    redirects = "".join(
        f"location = {path} {{ return 301 {other}; }}\n" for path, other in ((moved, paths[0]), (renamed, new))
    )
    header = f"location = {hidden} {{ add_header X-Robots-Tag noindex; index index.html; }}\n"
    return replace(built, locations=built.locations + redirects + header)


def _file(root: Path, path: str) -> Path:
    file = root / path[1:]
    return file / "index.html" if file.is_dir() else file


def _is_alone(file: Path) -> bool:
    """Whether nothing else is in the folder of a page that stands for it."""
    return file.name != "index.html" or len(list(file.parent.iterdir())) == 1


def run(command: Sequence[str | Path], folder: Path, given: str | None = None) -> None:
    """Run a generator with a standard input, and fail with what it says if it does not succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}"


def write(path: Path, text: str) -> None:
    """Write a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
