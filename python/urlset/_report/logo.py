"""The picture that somebody puts on a page: a small local file, which becomes part of the page."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Final

from urlset._model.errors import InputError

#: The largest file: what is larger makes a page that nobody can mail.
MAX_BYTES: Final = 256 << 10
#: The kinds of pictures, by their first bytes. In an `img`, an SVG runs no script and loads nothing.
_KINDS: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"<svg", "image/svg+xml"),
    (b"<?xml", "image/svg+xml"),
)


def data_url(path: str | os.PathLike[str]) -> str:
    """Return a picture as a data URL.

    Raises:
        InputError: It is too large, or no picture that every browser shows.
        OSError: It cannot be read.
    """
    with Path(path).open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"logo must be a file of at most {MAX_BYTES >> 10} kB, and {os.fspath(path)} is larger")
    is_webp = data.startswith(b"RIFF") and data[8:12] == b"WEBP"
    kind = "image/webp" if is_webp else next((kind for start, kind in _KINDS if data.startswith(start)), None)
    if kind is None or (kind == "image/svg+xml" and b"<svg" not in data):
        raise InputError(f"logo must be a PNG, JPEG, GIF, WebP or SVG, got {os.fspath(path)}")
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
