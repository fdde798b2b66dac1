"""The header that says how a body is packed."""

from __future__ import annotations

from urlset import _core
from urlset._model.errors import InputError

#: What the core decompresses, and what asks for no compression.
CODINGS = "gzip, deflate, br, zstd"
PLAIN = "identity"


def known_coding(header: str | None) -> str | None:
    """Return a Content-Encoding, or None if it names something else, such as a charset: then the bytes decide."""
    try:
        _core.check_content_encoding(header)
    except InputError:
        return None
    return header
