"""Ways in which a stored file becomes another one: by a disk, a deployment, a person, or another program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

#: A time of a build, which no page may ever get.
BUILT = "2001-02-03"

FOREIGN = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}</urlset>
"""


def _flip(path: Path, other: Path, number: int) -> None:
    data = bytearray(path.read_bytes() or b"\0")
    data[number % len(data)] ^= 1 << number % 8
    path.write_bytes(data)


def _swap(path: Path, other: Path, number: int) -> None:
    mine, theirs = path.read_bytes(), other.read_bytes()
    path.write_bytes(theirs)
    other.write_bytes(mine)


#: Each gets a file, another one, and a number.
WAYS: dict[str, Callable[[Path, Path, int], object]] = {
    "flip": _flip,
    "cut": lambda path, other, number: path.write_bytes(path.read_bytes()[: number % (path.stat().st_size or 1)]),
    "empty": lambda path, other, number: path.write_bytes(b""),
    "junk": lambda path, other, number: path.write_bytes(number.to_bytes(8, "big") * (number % 50)),
    "more": lambda path, other, number: path.write_bytes(path.read_bytes() + b"\0" * (1 + number % 3)),
    "gone": lambda path, other, number: path.unlink(),
    "swap": _swap,
    "copy": lambda path, other, number: path.write_bytes(other.read_bytes()),
}


def overwrite(folder: Path, locs: list[str]) -> None:
    """Another program builds its sitemap into the folder."""
    entries = "".join(f"<url><loc>{loc}</loc><lastmod>{BUILT}</lastmod></url>\n" for loc in locs)
    (folder / "sitemap.xml").write_text(FOREIGN.format(entries))
