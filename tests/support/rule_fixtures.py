"""The fixtures of the rules: `tests/rules/fixtures/CODE/` has documents with and without the defect.

`bad*` are documents, or folders of documents, with findings. `good*` have none. `bad-near*` and `good-near*` are near
misses: the nearest input that is just wrong, and the nearest that is still right. `fixed*` is what fixes make of the
`bad*` with the same ending. `expected.json` has the findings of each bad one, and the arguments of lint. In a document,
the line `<!-- repeat N -->` is removed, and the next line is repeated N times, with its number for `{n}`.

If `expected.json` has `served`, the documents are served by a real server on loopback, which takes the place of
`https://www.example.com` in them. It says how each is answered: `headers` (null leaves one out), the `redirects` that
lead to it, the seconds to `wait`, whether the body is `gzip` data, and its `path`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "rules" / "fixtures"
#: When they are looked at, unless they say otherwise.
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


def expanded(data: bytes) -> bytes:
    """A document with its lines repeated."""

    def repeated(found: re.Match[bytes]) -> bytes:
        return b"".join(found[2].replace(b"{n}", b"%d" % number) for number in range(1, int(found[1]) + 1))

    return re.sub(rb"<!-- repeat (\d+) -->\n([^\n]*\n)", repeated, data)


@dataclass(frozen=True, slots=True)
class Fixture:
    """One of them: `name` is bad-2 or good, `path` its file or folder."""

    code: str
    name: str
    path: Path
    answers: dict[str, Any]

    @property
    def is_good(self) -> bool:
        return self.name.startswith("good")

    @property
    def expected(self) -> list[dict[str, Any]]:
        """What is found: code, place, and the document where there are several."""
        found: list[dict[str, Any]] = self.answers.get(self.name, [])
        return found

    @property
    def served(self) -> dict[str, Any] | None:
        """How a server answers, if it is about that."""
        served: dict[str, Any] | None = self.answers.get("served")
        return None if served is None else served.get(self.name, {})

    @property
    def fixed(self) -> Path | None:
        """The expected result of fixing it."""
        path = self.path.with_name(self.path.name.replace("bad", "fixed", 1))
        return path if not self.is_good and path.is_file() else None

    @property
    def is_unsafe(self) -> bool:
        return bool(self._said().get("unsafe", False))

    def _said(self) -> dict[str, Any]:
        of_all: dict[str, Any] = self.answers.get("arguments", {})
        own: dict[str, Any] = self.answers.get("cases", {}).get(self.name, {})
        return of_all | own

    def arguments(self, *, of_fix: bool = False) -> dict[str, Any]:
        """What it is linted with, or fixed."""
        said = self._said() | {"now": NOW}
        said.pop("unsafe", None)
        robots = said.pop("robots", None)
        if robots and not of_fix:
            said["robots"] = {where: (self.path.parent / name).read_bytes() for where, name in robots.items()}
        return said

    def data(self) -> bytes:
        """The document, which is a file."""
        return expanded(self.path.read_bytes())

    def laid_out(self, folder: Path) -> Path:
        """The set, which is a folder, on disk with the times that its files are to have."""
        target = folder / self.name
        shutil.copytree(self.path, target)
        for path in target.iterdir():
            path.write_bytes(expanded(path.read_bytes()))
            if self.name in self.answers.get("modified", {}):
                time = datetime.fromisoformat(self.answers["modified"][self.name]).timestamp()
                os.utime(path, (time, time))
        return target


def fixtures() -> list[Fixture]:
    """All of them, by code and name."""
    found: list[Fixture] = []
    for folder in sorted(FOLDER.iterdir()):
        answers = json.loads((folder / "expected.json").read_text("utf-8"))
        for path in sorted(folder.iterdir()):
            name = path.name.partition(".")[0]
            if name.startswith(("bad", "good")):
                found.append(Fixture(folder.name, name, path, answers))
    return found


def first_of_each_kind(fixtures: Iterable[Fixture]) -> Iterator[Any]:
    """The fixtures as parameters: the first bad and the first good one of each rule, and the others as long tests."""
    seen: set[tuple[str, bool]] = set()
    for each in fixtures:
        kind = (each.code, each.is_good)
        yield pytest.param(each, marks=[pytest.mark.long] if kind in seen else [])
        seen.add(kind)
