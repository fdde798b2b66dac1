"""Facts about a finding that several formats show."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from urlset._model.diagnostics import BYTES, Diagnostic
from urlset._util.text import escape_controls


def location_of(diagnostic: Diagnostic) -> str:
    """Return the location of the document, or a name for a document without a location."""
    return BYTES if diagnostic.location is None else diagnostic.location


def relative_location(diagnostic: Diagnostic) -> str:
    """Return the location as a build server needs it: relative to the working folder, if it is a path inside of it."""
    return BYTES if diagnostic.location is None else relative_path(diagnostic.location)


def relative_path(location: str) -> str:
    """Return a location relative to the working folder, if it is a path inside of it."""
    if not Path(location).is_absolute():
        return location.removeprefix("./")
    path = Path(os.path.normpath(location))
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else location


def message(diagnostic: Diagnostic) -> str:
    """Return the message as one line without control characters, with the number of findings that are not listed."""
    more = f" (and {diagnostic.more:,} more)" if diagnostic.more else ""
    is_mixed = diagnostic.state == "open" and diagnostic.new
    state = f" [{diagnostic.new:,} new]" if is_mixed else "" if diagnostic.state is None else f" [{diagnostic.state}]"
    return escape_controls(diagnostic.sentence) + more + state


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """Yield a unique name for each finding, which does not change if lines above the finding are added or removed.

    Findings that differ only in their position are numbered.
    """
    import hashlib  # noqa: PLC0415  (few formats name findings)

    seen: Counter[str] = Counter()
    for diagnostic in diagnostics:
        facts = (relative_location(diagnostic), diagnostic.code, diagnostic.message, diagnostic.source.strip())
        name = hashlib.sha256("\0".join(facts).encode(errors="surrogatepass")).hexdigest()[:32]
        seen[name] += 1
        yield f"{name}:{seen[name]}"
