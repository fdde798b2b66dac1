"""What a verb of the command line prints as JSON, and the documents that the commands are run over."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.cli import Cli
from support.http_server import NAMESPACE

OLD, NEW = "2026-01-01T10:00:00Z", "2026-02-01T10:00:00Z"
MOMENT = "Thu, 01 Jan 2026 10:00:00 GMT"
HTML = {"Content-Type": "text/html; charset=utf-8"}


@dataclass(slots=True)
class Outputs:
    """The command line in a folder, and the values that it has printed, by the name of their schema."""

    folder: Path
    found: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))

    def run(self, *arguments: str, code: int = 0, stdin: bytes = b"", **env: str) -> str:
        """Run a command that ends with a code, and return what it prints."""
        ended = Cli(self.folder)(*arguments, stdin=stdin, **env)
        assert ended.code == code, f"{arguments}\n{ended.out}{ended.err}"
        return ended.out

    def json(self, schema: str, *arguments: str, form: str = "json", **how: Any) -> Any:
        """Run a command with a JSON format, keep what it prints, and return that."""
        text = self.run(*arguments, "--format", form, **how)
        value = [json.loads(line) for line in text.splitlines()] if form == "jsonl" else json.loads(text)
        self.found[schema].extend(value if isinstance(value, list) else [value])
        return value

    def rows(self, schema: str, *arguments: str, code: int = 0) -> None:
        """Run a command whose rows are the same as an array and as lines."""
        assert self.json(schema, *arguments, code=code) == self.json(schema, *arguments, code=code, form="jsonl")

    def file(self, schema: str, name: str) -> None:
        """Keep the JSON of a file: lines, or one value."""
        text = (self.folder / name).read_text("utf-8")
        self.found[schema] += map(json.loads, text.splitlines()) if name.endswith("l") else [json.loads(text)]

    def put(self, name: str, content: str | bytes) -> str:
        """Write a file, and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name


def urls(*entries: str) -> bytes:
    """A sitemap with entries, of which each is what stands between its tags."""
    items = "".join(f"<url>{each}</url>\n" for each in entries)
    return (
        f'<urlset xmlns="{NAMESPACE}" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
        ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
        f' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n{items}</urlset>'
    ).encode()


def index(*children: str, lastmod: str = "") -> bytes:
    """An index of children."""
    stated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    items = "".join(f"<sitemap><loc>{each}</loc>{stated}</sitemap>" for each in children)
    return f'<sitemapindex xmlns="{NAMESPACE}">{items}</sitemapindex>'.encode()
