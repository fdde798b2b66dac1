"""What the formats say alike about a finding."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from urlset._model.diagnostics import BYTES, Diagnostic
from urlset._util.text import escape_controls


def place(diagnostic: Diagnostic) -> str:
    """The document's location, or what a document without one is called."""
    return BYTES if diagnostic.location is None else diagnostic.location


def message(diagnostic: Diagnostic) -> str:
    """The message on one line, fit for a terminal, and how many more findings it stands for."""
    more = f" (and {diagnostic.more:,} more)" if diagnostic.more else ""
    return escape_controls(diagnostic.message) + more


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """A name for each finding: no two have the same, and lines that come or go above it do not change it.

    Findings that are alike in everything but their place are numbered.
    """
    seen: Counter[str] = Counter()
    for diagnostic in diagnostics:
        said = (place(diagnostic), diagnostic.code, diagnostic.message, diagnostic.source.strip())
        name = hashlib.sha256("\0".join(said).encode(errors="surrogatepass")).hexdigest()[:32]
        seen[name] += 1
        yield f"{name}:{seen[name]}"
