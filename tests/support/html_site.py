"""Folders of pages for the tests, and an ear for what is said of them."""

from __future__ import annotations

import os
from pathlib import Path

BASE = "https://a.example/"
PAGE = "<!doctype html><title>T</title><main>{}</main>"


def site(folder: Path, *files: str | bytes, html: str = PAGE) -> Path:
    """A folder with a page for each name."""
    folder.mkdir(exist_ok=True)
    for number, file in enumerate(files):
        path = os.path.join(os.fsencode(folder), os.fsencode(file))  # noqa: PTH118  (names that are no UTF-8)
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        Path(os.fsdecode(path)).write_text(html.format(number))
    return folder


class Told:
    """What was said of the pages that were left out."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}
        self.details: dict[str, str] = {}

    def __call__(self, file: str, reason: str, detail: str) -> None:
        self.reasons[file] = reason
        self.details[file] = detail
