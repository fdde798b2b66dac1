"""What the tests of `urlset publish` share: what it is given, and what lies in the folder afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import urlset
from urlset import SitemapEntry, UrlEntry

from support.cli import Cli

Put = Callable[[str, str | bytes], Path]

BASE = "https://example.com/"
TO = ("--dest", "out", "--base-url", BASE)


def published(cli: Cli, folder: str = "out") -> list[UrlEntry | SitemapEntry]:
    """What lies there, read back."""
    return list(urlset.read(cli.folder / folder))


def locs(cli: Cli, folder: str = "out") -> list[str]:
    return [str(entry.loc).removeprefix(BASE) for entry in published(cli, folder)]


def manifest(cli: Cli, columns: str, folder: str = "out") -> list[tuple[object, ...]]:
    """Columns of the manifest, by loc."""
    path = cli.folder / folder / ".urlset" / "manifest.parquet"
    return duckdb.execute(f"SELECT {columns} FROM read_parquet(?) ORDER BY loc", [str(path)]).fetchall()
