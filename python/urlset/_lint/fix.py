"""Fixing: the edits that rules offer, made on the bytes of one document until none is left."""

from __future__ import annotations

import difflib
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from urlset import _core
from urlset._lint.linter import Linter
from urlset._lint.options import FOLD, LintOptions, resolve_options
from urlset._lint.report import Report
from urlset._model.core_types import CoreLintSettings
from urlset._model.diagnostics import Diagnostic
from urlset._model.errors import InputError, UrlsetError
from urlset._options.rules import Rules
from urlset._read.source import Remote, Source, SourceLike, SourcesLike, resolve
from urlset._read.stored import Stored
from urlset._rules.selection import EnabledRules
from urlset._util.arguments import GZIP_LEVEL
from urlset._util.files import replace_file

_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_REPLACED = "\N{REPLACEMENT CHARACTER}".encode()
_DECLARED = re.compile(rb"\A(\s*<\?xml\b[^>]*?\bencoding\s*=\s*)(\"[^\"]*\"|'[^']*')")
#: A fix can make the next one possible. More rounds than this would mean that two fixes undo each other.
_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Fixed:
    """A document with fixes made. It is true if there were any.

    Attributes:
        data: The document: what it was, byte for byte, but for the edits. Gzip stays gzip.
        applied: How many fixes were made, by code.
        report: What is still found in it.
        reason: Why the document was left as it is although there are fixes, or None.
    """

    data: bytes = field(repr=False)
    applied: dict[str, int]
    report: Report
    reason: str | None = None

    def __bool__(self) -> bool:
        """Return whether any fix was made."""
        return bool(self.applied)


def fix(
    source: SourceLike | SourcesLike,
    *,
    location: str | None = None,
    rules: Rules | None = None,
    unsafe: bool = False,
    now: datetime | None = None,
) -> Fixed:
    """Make the fixes that the rules offer, until none is left.

    A document that cannot be read to its end, has bytes that are invalid in its charset, or has data after its gzip
    data is left as it is; `reason` says why.

    Args:
        source: One document, plain or gzipped, as `lint` takes it; it is not written to. `urlset lint --fix` replaces
            the files of a whole set.
        location: Public URL of the document. With it, relative locs can be fixed.
        rules: As in `lint`. With `Rules.zone`, times without a zone are fixed too.
        unsafe: Whether to make unsafe fixes too, which remove something or guess what was meant. Safe fixes change
            nothing but the defect. Fixes that are only for display are never made.
        now: As in `lint`.

    Returns:
        The fixed document, which fixes were made, and what is still found in it.

    Raises:
        InputError: An argument is invalid, or there is something to fix in a document that is compressed in another
            way than gzip.
        FileNotFoundError: There is nothing at the path.

    Example:
        >>> import urlset
        >>> sitemap = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/tea</loc></url></urlset>'
        >>> fixed = urlset.fix(sitemap, location="https://shop.example/sitemap.xml")
        >>> fixed.applied, b"<loc>https://shop.example/tea</loc>" in fixed.data
        ({'LOC002': 1}, True)
    """
    found = resolve(source, location)
    data = _content(found)
    options = resolve_options(rules, now=now)
    enabled = options.rules_for(found.location)
    fixed, applied, reason = fix_document(data, options, enabled, found.location, unsafe=unsafe)
    linter = Linter(options, FOLD, follow=False)
    linter.run([Source(found.location, fixed)], location)
    report = linter.report()
    return Fixed(fixed, applied, report, reason if any(is_fixable(each, unsafe=unsafe) for each in report) else None)


def _content(source: Source) -> bytes:
    """Return all bytes of a document."""
    opened = source.opened
    if isinstance(opened, bytes):
        return opened
    if isinstance(opened, Remote | Stored):
        raise InputError(f"{opened.url} is a URL, and a fix changes a file: download it, and fix that")
    if isinstance(opened, str):
        return Path(opened).read_bytes()
    data = opened.read() if hasattr(opened, "read") else b"".join(opened)
    if not isinstance(data, bytes):
        raise InputError(f"the source must give bytes, got {type(data).__name__}: open the file in binary mode")
    return data


def fix_document(
    data: bytes, options: LintOptions, rules: EnabledRules, location: str | None, *, unsafe: bool
) -> tuple[bytes, dict[str, int], str | None]:
    """Return the document with every fix made, how many fixes of each code were made, and why none could be made."""
    question = options.for_core(rules, location)
    made = _core.fix(data, question, unsafe, options.budget, options.limits)
    if made.fault is not None:
        stop = made.fault.finding
        return data, {}, f"it cannot be read to its end ({stop.code} at {stop.line}:{stop.column})"
    if not (made.applied or made.charset):
        return data, {}, "it is not well-formed, and while that has no fix, others could change what its values are"
    layers = made.layers
    if layers not in ([], ["gzip"]):
        raise InputError(f"data must be plain or gzipped to be fixed, got {' in '.join(layers)}")
    plain = _unpacked(data) if layers else data
    if plain is None:
        return data, {}, "other data follows its gzip data, and would be lost"
    applied = Counter(made.applied)
    mark = _MARK if plain.startswith(_MARK) else b""
    text = made.text
    if made.charset and (plain == mark + made.read or _REPLACED not in made.read):
        text, mark = _DECLARED.sub(rb'\1"UTF-8"', text, count=1), b""
        applied.update(made.charset)
    elif plain != mark + made.read:
        # The fixed text could not be written back into it.
        return data, {}, "its charset is not UTF-8, or it has bytes that are invalid in its charset"
    fixed = mark + (_fix_again(text, question, options, applied, unsafe=unsafe) if applied else text)
    if not applied or fixed == plain:
        return data, {}, None
    return _core.gzip(fixed, GZIP_LEVEL) if layers else fixed, dict(sorted(applied.items())), None


def _fix_again(
    text: bytes, question: CoreLintSettings, options: LintOptions, applied: Counter[str], *, unsafe: bool
) -> bytes:
    """Return the text with the fixes that earlier ones make possible, and count them."""
    for _ in range(_ROUNDS):
        made = _core.fix(text, question, unsafe, options.budget, options.limits)
        if not made.applied or made.fault is not None:
            return text
        applied.update(made.applied)
        text = made.text
    raise UrlsetError(f"the fixes of {', '.join(sorted(made.applied))} undo each other: please report it")


def is_fixable(found: Diagnostic, *, unsafe: bool) -> bool:
    """Return whether a finding has a fix that may be made."""
    return found.fix is not None and found.fix.safety in (("safe", "unsafe") if unsafe else ("safe",))


def _unpacked(data: bytes) -> bytes | None:
    """Return what is inside gzip data, which the core has unpacked within its budget already.

    Returns None if anything but the zeros of a padding follows the gzip data, because it would be lost.
    """
    plain = bytearray()
    while data.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        plain += member.decompress(data)
        data = member.unused_data.lstrip(b"\0")
    return None if data else bytes(plain)


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file that fixes change: its bytes before and after, and how many fixes of each code were made.

    `reason` says why it is left as it is although there are fixes.
    """

    path: Path
    before: bytes
    after: bytes
    applied: dict[str, int]
    reason: str | None = None

    def write(self) -> None:
        """Replace the file in one step, and keep its permissions."""
        # A link to the file stays a link to it.
        replace_file(self.path.resolve(), self.after, keep_mode=True)

    def diff(self) -> str:
        """Return what changes, as a unified diff of the decompressed text."""
        before, after = (_lines(data) for data in (self.before, self.after))
        return "".join(difflib.unified_diff(before, after, str(self.path), str(self.path)))


def _lines(data: bytes) -> list[str]:
    data = (_unpacked(data) or b"") if data.startswith(_GZIP) else data
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def fix_files(linter: Linter, *, unsafe: bool) -> Iterator[FixedFile]:
    """Yield the files among the checked documents that have fixes, in their order. None is written yet."""
    for document in linter.documents:
        path = document.source.path
        if path is None:
            continue
        before = path.read_bytes()
        location = document.url or document.source.location
        try:
            after, applied, reason = fix_document(before, linter.options, document.rules, location, unsafe=unsafe)
        except InputError as error:  # one file must not keep the others from being fixed
            after, applied, reason = before, {}, str(error).removeprefix("data ")
        if applied or (reason and any(is_fixable(each, unsafe=unsafe) for each in document.findings)):
            yield FixedFile(path, before, after, applied, reason)
