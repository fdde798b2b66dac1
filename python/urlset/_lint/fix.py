"""Fixing: the edits that rules offer, made on documents and files until none is left. The core makes them."""

from __future__ import annotations

import difflib
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from urlset import _core
from urlset._lint.linter import Linter
from urlset._lint.options import FOLD, LintOptions, resolve_options
from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic
from urlset._model.errors import InputError, UrlsetError
from urlset._options.rules import Rules
from urlset._read.source import Remote, Source, SourceLike, SourcesLike, resolve
from urlset._read.stored import Stored
from urlset._rules.selection import EnabledRules
from urlset._util.arguments import GZIP_LEVEL
from urlset._util.files import replace_file

_GZIP = b"\x1f\x8b"


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
    terms = options.for_core(rules, location)
    try:
        fixed, applied, reason = _core.fix(data, terms, unsafe, GZIP_LEVEL, options.budget, options.limits)
    except ValueError as error:
        raise InputError(str(error)) from None
    except RuntimeError as error:
        raise UrlsetError(str(error)) from None
    return data if fixed is None else fixed, applied, reason


def is_fixable(found: Diagnostic, *, unsafe: bool) -> bool:
    """Return whether a finding has a fix that may be made."""
    return found.fix is not None and found.fix.safety in (("safe", "unsafe") if unsafe else ("safe",))


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
    # The core has unpacked it within its budget before.
    data = gzip.decompress(data) if data.startswith(_GZIP) else data
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
