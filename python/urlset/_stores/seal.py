"""The checksum with which a manifest proves itself: SHA-256 of the file, which stands in its own metadata.

It is taken, and put into the file, once everything else is written: 64 zeros hold its place until then. So a manifest
is one file that can be replaced in one step, and any changed, missing or additional byte in it shows.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import BinaryIO, Final

from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.footer import key_values

#: The name of the checksum in the metadata of the file, and its value before it is known.
KEY, BLANK = "urlset.sha256", "0" * 64
#: What is wrong with a damaged manifest, and what to do.
DAMAGED: Final = "its checksum is wrong; publish again, which writes it anew"
#: How Parquet writes a text of that length, and both together, in the compact protocol of Thrift.
_PLACE = b"\x18" + bytes([len(KEY)]) + KEY.encode() + b"\x18" + bytes([len(BLANK)])
#: A Parquet file ends with the length of its metadata, in 4 bytes, and this.
_END = b"PAR1"
_READ_AT_ONCE = 1 << 20


def seal(path: Path) -> None:
    """Put the checksum into a file that was written with a blank one.

    Raises:
        PublishError: The disk fails.
    """
    with os_errors_as_publish_errors(path), path.open("r+b") as file:
        place = _place(*_footer(file))
        assert place is not None  # it was written with a blank one
        checksum = _checksum(file, place)
        file.seek(place)
        file.write(checksum)


def is_sealed(path: Path) -> bool:
    """Return whether a file has every byte with which it was sealed. A file that is missing has none.

    Raises:
        PublishError: The file cannot be read.
    """
    return _sealed_footer(path) is not None


def sealed_metadata(path: Path) -> dict[str, str] | None:
    """Return the key and value pairs of a sealed Parquet file; None if it is missing, damaged or something else.

    The file is opened once, so that it may be replaced meanwhile.

    Raises:
        PublishError: The file cannot be read.
    """
    footer = _sealed_footer(path)
    try:
        return None if footer is None else key_values(footer)
    except ValueError:
        return None


def _sealed_footer(path: Path) -> bytes | None:
    """Return the footer of a file that has every byte with which it was sealed, or None."""
    with os_errors_as_publish_errors(path):
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return None
        with file:
            begin, footer = _footer(file)
            place = _place(begin, footer)
            if place is None:
                return None
            file.seek(place)
            found = file.read(len(BLANK))
            return footer if found == _checksum(file, place) else None


def _footer(file: BinaryIO) -> tuple[int, bytes]:
    """Return where the metadata of a file begin, and their bytes, which are empty if it is not a Parquet file."""
    size = file.seek(0, 2)
    if size < len(_END) + 4:
        return 0, b""
    file.seek(size - len(_END) - 4)
    end = file.read()
    length = int.from_bytes(end[:4], "little")
    begin = size - len(end) - length
    if not end.endswith(_END) or begin < 0:
        return 0, b""
    file.seek(begin)
    return begin, file.read(length)


def _place(begin: int, footer: bytes) -> int | None:
    """Return where the checksum stands in a file, which is in its metadata; None if there is none."""
    # The last one: what the metadata say of the columns, which comes first, may contain any text of the rows.
    found = footer.rfind(_PLACE)
    place = found + len(_PLACE)
    return begin + place if found >= 0 and place + len(BLANK) <= len(footer) else None


def _checksum(file: BinaryIO, place: int) -> bytes:
    """Return the hash of a file in which the checksum at that place is blank."""
    digest = hashlib.sha256()
    file.seek(0)
    left = place
    while left:
        piece = file.read(min(left, _READ_AT_ONCE))
        if not piece:  # the file became shorter meanwhile
            break
        digest.update(piece)
        left -= len(piece)
    digest.update(BLANK.encode())
    file.seek(place + len(BLANK))
    while piece := file.read(_READ_AT_ONCE):
        digest.update(piece)
    return digest.hexdigest().encode()
