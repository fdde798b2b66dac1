"""Mending: the edits that rules offer, made on the bytes of one document until none is left."""

from __future__ import annotations

import difflib
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from urlset import _core
from urlset._lint.linter import FOLD, Checking
from urlset._lint.options import Asked, ask
from urlset._lint.report import Report
from urlset._model.errors import InputError, UrlsetError
from urlset._read.source import Source
from urlset._util.arguments import GZIP_LEVEL
from urlset._util.files import replace_file

_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_REPLACED = "\N{REPLACEMENT CHARACTER}".encode()
_DECLARED = re.compile(rb"\A(\s*<\?xml\b[^>]*?\bencoding\s*=\s*)(\"[^\"]*\"|'[^']*')")
#: A fix may bring the next one to light; more rounds than this would mean that two of them undo each other.
_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Fixed:
    """A document with fixes made. True where any was.

    `data` is the document: what it was, byte for byte, but for the edits; gzip stays gzip. `applied` has how many fixes
    of each code were made, `report` what is still to be found.
    """

    data: bytes = field(repr=False)
    applied: dict[str, int]
    report: Report

    def __bool__(self) -> bool:
        return bool(self.applied)


def fix(
    data: bytes,
    *,
    location: str | None = None,
    profile: str = "protocol",
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    preview: bool = False,
    unsafe: bool = False,
    now: datetime | None = None,
    zone: str | None = None,
) -> Fixed:
    """Makes the fixes that the rules offer, until none is left.

    `data` is one document, plain or gzipped. Only safe fixes are made, which change nothing but the defect; with
    `unsafe` also such as drop something or guess what was meant. A fix that is only for display is never made. The
    other arguments are those of `lint`.

    What cannot be read to its end, holds bytes that are of no charset, or has some behind its gzip data, is left as it
    is: its report says why. Raises InputError for an argument without a meaning, and where there is something to mend
    in a document that is packed in another way than by gzip.
    """
    if not isinstance(data, bytes):
        raise InputError(f"data is bytes, not {type(data).__name__}")
    asked = ask(profile_name=profile, select=select, ignore=ignore, preview=preview, now=now, zone=zone)
    mended, applied = mend(data, asked, asked.rules_of(location), location, unsafe=unsafe)
    checking = Checking(asked, FOLD)
    checking.run([Source(location, mended)], location)
    return Fixed(mended, applied, checking.report())


def mend(
    data: bytes, asked: Asked, rules: dict[str, str], location: str | None, *, unsafe: bool
) -> tuple[bytes, dict[str, int]]:
    """The document with every fix made, and how many of each code those were."""
    question = asked.of(rules, location)
    made = _core.fix(data, question, unsafe, asked.bounds)
    if made["fault"] is not None or not (made["applied"] or made["charset"]):
        return data, {}
    layers = made["layers"]
    if layers not in ([], ["gzip"]):
        raise InputError(f"it is packed as {' in '.join(layers)}: only plain and gzipped documents are mended")
    plain = _unpacked(data) if layers else data
    if plain is None:
        return data, {}
    applied = Counter(made["applied"])
    mark = _MARK if plain.startswith(_MARK) else b""
    text = made["text"]
    if made["charset"] and (plain == mark + made["read"] or _REPLACED not in made["read"]):
        text, mark = _DECLARED.sub(rb'\1"UTF-8"', text, count=1), b""
        applied.update(made["charset"])
    elif plain != mark + made["read"]:
        # Its charset stays what it is, or some of its bytes are of none: text would not go back into it.
        return data, {}
    if not applied:
        return data, {}
    for _ in range(_ROUNDS):
        made = _core.fix(text, question, unsafe, asked.bounds)
        if not made["applied"] or made["fault"] is not None:
            break
        applied.update(made["applied"])
        text = made["text"]
    else:
        raise UrlsetError(f"the fixes of {', '.join(sorted(made['applied']))} undo each other: please report it")
    mended = mark + text
    if mended == plain:
        return data, {}
    return _core.gzip(mended, GZIP_LEVEL) if layers else mended, dict(sorted(applied.items()))


def _unpacked(data: bytes) -> bytes | None:
    """What is inside of gzip data, which the core has unpacked within its bounds already.

    None where something else than the zeros that it may be padded with stands behind it, and would be lost.
    """
    plain = bytearray()
    while data.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        plain += member.decompress(data)
        data = member.unused_data.lstrip(b"\0")
    return None if data else bytes(plain)


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file that fixes change: its bytes before and after, and how many fixes of each code that takes."""

    path: Path
    before: bytes
    after: bytes
    applied: dict[str, int]

    def write(self) -> None:
        """Puts the mended document in its place, in one step and with the file's own permissions."""
        # A link to the file stays a link to it.
        replace_file(self.path.resolve(), self.after, keep_mode=True)

    def diff(self) -> str:
        """What changes, as a unified diff of the text inside."""
        before, after = (_lines(data) for data in (self.before, self.after))
        return "".join(difflib.unified_diff(before, after, str(self.path), str(self.path)))


def _lines(data: bytes) -> list[str]:
    data = (_unpacked(data) or b"") if data.startswith(_GZIP) else data
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def fix_files(checking: Checking, *, unsafe: bool) -> Iterator[FixedFile]:
    """The files among the documents that were checked that fixes change, in their order; none is written yet."""
    for document in checking.documents:
        path = document.source.path
        if path is None:
            continue
        before = path.read_bytes()
        location = document.url or document.source.location
        after, applied = mend(before, checking.asked, document.rules, location, unsafe=unsafe)
        if applied:
            yield FixedFile(path, before, after, applied)
