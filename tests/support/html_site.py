"""Folders of pages for the tests, and a recorder for the pages that are skipped."""

from __future__ import annotations

import os
from pathlib import Path

BASE = "https://a.example/"
PAGE = "<!doctype html><title>T</title><main>{}</main>"


def site(folder: Path, *files: str | bytes, html: str = PAGE) -> Path:
    """Make a folder with a page for each name."""
    folder.mkdir(exist_ok=True)
    for number, file in enumerate(files):
        path = os.path.join(os.fsencode(folder), os.fsencode(file))  # noqa: PTH118  (names that are not UTF-8)
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        Path(os.fsdecode(path)).write_text(html.format(number))
    return folder


class Skips:
    """Records the reason and the detail of each skipped page."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}
        self.details: dict[str, str] = {}

    def __call__(self, file: str, reason: str, detail: str) -> None:
        self.reasons[file] = reason
        self.details[file] = detail
