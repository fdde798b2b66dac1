"""The checksum with which a manifest proves itself: SHA-256 of the file, which stands in its own metadata.

It is taken, and put into the file, once everything else is written: 64 zeros hold its place until then. So a manifest
is one file that can be replaced in one step, and any changed, missing or additional byte in it shows.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import BinaryIO, Final

from urlset._stores.errors import os_errors_as_publish_errors

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
        place = _place(file)
        assert place is not None  # it was written with a blank one
        checksum = _checksum(file, place)
        file.seek(place)
        file.write(checksum)


def is_sealed(path: Path) -> bool:
    """Return whether a file has every byte with which it was sealed. A file that is missing has none.

    Raises:
        PublishError: The file cannot be read.
    """
    with os_errors_as_publish_errors(path):
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return False
        with file:
            place = _place(file)
            if place is None:
                return False
            file.seek(place)
            found = file.read(len(BLANK))
            return found == _checksum(file, place)


def _place(file: BinaryIO) -> int | None:
    """Return where the checksum stands in a file, which is in its metadata; None if there is none."""
    size = file.seek(0, 2)
    if size < len(_END) + 4:
        return None
    file.seek(size - len(_END) - 4)
    end = file.read()
    length = int.from_bytes(end[:4], "little")
    begin = size - len(end) - length
    if not end.endswith(_END) or begin < 0:
        return None
    file.seek(begin)
    # The last one: what the metadata say of the columns, which comes first, may contain any text of the rows.
    found = file.read(length).rfind(_PLACE)
    place = begin + found + len(_PLACE)
    return place if found >= 0 and place + len(BLANK) <= begin + length else None


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
