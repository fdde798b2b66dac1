"""Ctrl-C while rows go to a file: what was read is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from urlset._cli.console import note, remark
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset import Scan

#: Documents that list others. Their own entries are not among the rows.
_INDEXES = ("sitemapindex", "robots")


class Interruption:
    """What Ctrl-C does to a scan on its way into a file.

    The first time, the scan is stopped: it ends after the documents that are being read, so that the file is finished
    and has whole documents only. The second time, and before any document was read, the file stays as it was.
    """

    def __init__(self, rows: Scan) -> None:
        self._rows = rows

    def __call__(self) -> bool:
        """Stop the scan; return whether there is anything to keep."""
        # The only document may be as long as it likes, or come from somebody who types.
        if not self._rows.documents:
            return False
        self._rows.stop()
        remark("ending with the sitemaps that are being read; press Ctrl-C again to drop the output")
        return True

    def report(self, file: Path) -> None:
        """Say what is in the file."""
        read = [document for document in self._rows.documents if document.kind not in _INDEXES]
        rows = sum(document.rows for document in read)
        note(f"interrupted; {file} has {plural(rows, 'row')} of {plural(len(read), 'document')}")
