"""What is reported of fetching over HTTP."""

from __future__ import annotations

from urlset import Savings
from urlset._cli.console import remark
from urlset._util.text import plural


def note_savings(savings: Savings) -> None:
    """Report on standard error what a cache saved, and how far indexes could be trusted."""
    if not (savings.unchanged or savings.trusted or savings.checked):
        return
    from rich.filesize import decimal  # noqa: PLC0415  (few runs have a cache)

    parts = [f"{savings.unchanged:,} of {plural(savings.documents, 'document')} unchanged"]
    if savings.trusted:
        parts.append(f"{savings.trusted:,} not requested, because their lastmod in the index has not moved")
    if savings.checked:
        held = f"{savings.wrong:,} had changed, so their index is no longer trusted" if savings.wrong else "all right"
        parts.append(f"{savings.checked:,} of these requested as a check: {held}")
    remark(f"cache: {'; '.join(parts)}; {decimal(savings.bytes)} not received")
