"""Text files of rows in other encodings than UTF-8: converted in pieces, or refused with the first invalid byte."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from urlset._model.errors import InputError

_UTF8 = "utf-8"
#: Bytes that are decoded at once.
_PIECE = 1 << 18
#: The wider charsets that browsers use for narrower labels. Source: Encoding Standard, names and labels.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
#: Python's codecs that no file of rows has: they are for identifiers and literals, or can make half a character.
_NOT_FOR_FILES = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf_7", "mbcs", "oem"}


def check_encoding(encoding: str) -> str:
    """Return Python's name of an encoding. ISO-8859-1 and others like it are read as the wider ones that browsers use.

    Raises:
        InputError: The encoding is unknown.
    """
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # not every codec is one of text
    except (LookupError, ValueError, TypeError):
        name = "undefined"
    if name.replace("-", "_") in _NOT_FOR_FILES:
        raise InputError(f"encoding must be the name of an encoding, such as windows-1252 or utf-16, got {encoding!r}")
    return _WIDER.get(name, name)


def transcode(source: IO[bytes], target: Path, encoding: str, name: str) -> None:
    """Write a text file again as UTF-8, without a byte order mark; `name` is what messages call it.

    Raises:
        InputError: The file is not in this encoding.
    """
    with target.open("wb") as file:
        for number, text in enumerate(_decoded(source, check_encoding(encoding), encoding, name)):
            file.write((text if number else text.removeprefix("\ufeff")).encode())


def check_utf8(source: IO[bytes], name: str) -> None:
    """Raise InputError, with the line of the first invalid byte, if a file is not UTF-8."""
    for _ in _decoded(source, _UTF8, "UTF-8", name):
        pass


def _decoded(source: IO[bytes], codec: str, label: str, name: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(codec)()
    line = 1
    while True:
        data, state = source.read(_PIECE), decoder.getstate()
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            decoder.setstate(state)
            raise InputError(_problem(decoder, data, error, line, label, name)) from None
        except UnicodeError:  # of UTF-16 and UTF-32 alone
            raise InputError(
                f"encoding must name the order of the bytes, such as {codec}-le, because {name} has no byte order mark"
            ) from None
        line += text.count("\n")
        yield text
        if not data:
            return


def _problem(
    decoder: codecs.IncrementalDecoder, data: bytes, error: UnicodeDecodeError, line: int, label: str, name: str
) -> str:
    """Return the message about the first invalid byte of a piece, which is decoded again byte by byte to find it."""
    for offset in range(len(data)):
        try:
            line += decoder.decode(data[offset : offset + 1]).count("\n")
        except UnicodeDecodeError as found:
            error = found
            break
    usual = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "windows-1252"
    other = "utf-8" if label.lower() == usual else usual
    return (
        f"encoding must be that of the file, such as {other}: {name}:{line} has the byte"
        f" 0x{error.object[error.start]:02X}, which is not valid in {label}"
    )
