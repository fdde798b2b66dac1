"""The verb that writes one document, whole or not at all."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, cast

from urlset import _core
from urlset._model.errors import EntryError, InputError, LimitError
from urlset._options.option import options_of
from urlset._options.publish import OnBadValue, OnError
from urlset._util.arguments import GZIP_LEVEL, check_choice
from urlset._util.files import replace_file
from urlset._util.text import plural
from urlset._write.rows import Packing, RowsLike

#: Classes of file objects that take any buffers, one after the other.
_TAKING_PIECES = (io.BytesIO, io.BufferedWriter)


class Writable(Protocol):
    """A binary file object, as far as writing needs it."""

    def write(self, data: bytes, /) -> object: ...


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes:
        location: Path of the file, or None if it was a file object.
        kind: `"urlset"` or `"sitemapindex"`.
        entries: How many entries were written.
        bytes: How many bytes the XML has.
        size: How many bytes were stored, after compression.
        refused: How many entries were left out.
        refused_by_code: The same, by the rules that they break.
        refusals: The errors of the first 10,000 of them.
        corrected: How many invalid values of written entries were left out or repaired.
        corrected_by_code: The same, by the rules that they break.
        corrections: The first 10,000 of them.
    """

    location: str | None
    kind: str
    entries: int
    bytes: int
    size: int
    refused: int
    refused_by_code: dict[str, int]
    refusals: tuple[EntryError, ...] = field(repr=False)
    corrected: int
    corrected_by_code: dict[str, int]
    corrections: tuple[EntryError, ...] = field(repr=False)


def write(
    entries: RowsLike,
    dest: str | os.PathLike[str] | Writable,
    *,
    compression: Literal["auto", "gzip", "none"] = "auto",
    on_error: OnError = "raise",
    on_bad_value: OnBadValue = "refuse",
) -> Written:
    """Write one document: a urlset, or a sitemapindex if the first entry is a SitemapEntry.

    Args:
        entries: An iterable of str, dict, UrlEntry or SitemapEntry, or a table with `__arrow_c_stream__` and a `loc`
            column, one row per entry.
        dest: A path, which is replaced in one step once everything is written, or a binary file object.
        compression: `"gzip"`, `"none"`, or `"auto"`: gzip if the name ends with `.gz`.
        on_error: Write nothing if a row is refused (raise), or leave out refused rows and report them (collect).
        on_bad_value: Refuse a row with an invalid value (refuse), leave out that value (drop), or repair it by the fix
            of its rule, and refuse the row if there is no safe one (fix).

    Returns:
        What was written, and what was left out.

    Raises:
        EntryError: A row is refused, and `on_error` is `raise`.
        InputError: There is nothing to write, or an argument is invalid.
        LimitError: The entries do not fit into one document; `publish` splits them.
        OSError: The file cannot be written.

    Example:
        >>> import urlset
        >>> written = urlset.write(["https://shop.example/", "https://shop.example/tea"], "sitemap.xml")
        >>> written.kind, written.entries
        ('urlset', 2)

    Source:
        sitemaps.org protocol.
    """
    check_choice("compression", compression, ("auto", "gzip", "none"))
    given = {"on_error": on_error, "on_bad_value": on_bad_value}
    for option in options_of(write):
        check_choice(option.name, given[option.name], option.choices)
    packing = Packing(entries, on_error=on_error, on_bad_value=on_bad_value)
    documents = packing.documents()
    first = next(documents, None)
    if first is None:
        raise InputError(
            f"there are no entries to write; {plural(packing.refused, 'entry was', 'entries were')} refused"
        )
    if next(documents, None) is not None:
        raise LimitError(
            f"more than {first.entries} entries do not fit into one document: use publish(), which splits them"
        )
    path = Path(os.fspath(dest)) if isinstance(dest, str | os.PathLike) else None
    is_gzip = compression == "gzip" or (compression == "auto" and path is not None and path.suffix == ".gz")
    stored: Sequence[bytes | memoryview] = first.pieces
    size = first.bytes
    if is_gzip:
        packed = _core.gzip(b"".join(stored), GZIP_LEVEL)
        stored, size = (packed,), len(packed)
    if path is not None:
        replace_file(path, *stored)
    elif isinstance(dest, io.RawIOBase):
        _write_raw(dest, stored)
    elif type(dest) in _TAKING_PIECES:
        cast("io.BufferedIOBase", dest).writelines(stored)
    else:
        # Other classes may take only bytes, and all of them at once, which is a copy.
        cast("Writable", dest).write(b"".join(stored))
    location = None if path is None else str(path)
    return Written(
        location,
        packing.kind,
        first.entries,
        first.bytes,
        size,
        packing.refused,
        dict(packing.refused_by_code),
        tuple(packing.refusals),
        packing.corrected_by_code.total(),
        dict(packing.corrected_by_code),
        tuple(packing.corrections),
    )


def _write_raw(file: io.RawIOBase, pieces: Iterable[bytes | memoryview]) -> None:
    """Write to a file or socket without a buffer, which may take fewer bytes than it is given."""
    for piece in pieces:
        left = memoryview(piece)
        while left:
            taken = file.write(left)
            if not taken:  # None if it would have to wait, and 0 from one that is not as it should be
                raise BlockingIOError(errno.EAGAIN, "the file takes no more bytes now, and has a part of the document")
            left = left[taken:]
