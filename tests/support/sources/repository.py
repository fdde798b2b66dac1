"""Real git repositories, made commit by commit on days that the test chooses, or imported from a history."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2024, 1, 1, 12, tzinfo=UTC)
PLAIN = {
    **{name: text for name, text in os.environ.items() if not name.startswith("GIT_")},
    **{f"GIT_{who}_NAME": "A" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "a@example.com" for who in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
}


def day(number: int) -> datetime:
    """Return the time of a commit by its number."""
    return START + timedelta(days=number)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository whose commits are made on days that the test chooses."""

    folder: Path

    def __call__(self, *arguments: str, at: int = 0, **variables: str) -> str:
        # The author's date differs, so that a test would notice its use.
        when = {"GIT_COMMITTER_DATE": day(at).isoformat(), "GIT_AUTHOR_DATE": day(at - 1000).isoformat()}
        ended = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            env=PLAIN | when | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def commit(self, at: int, **files: str) -> str:
        """Commit all changes. In a name, `__` stands for a dot and `_` for a slash."""
        for name, text in files.items():
            self.write(name.replace("__", ".").replace("_", "/"), text)
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message=x", at=at)
        return self("rev-parse", "HEAD")


def made(folder: Path) -> Repository:
    folder.mkdir(parents=True, exist_ok=True)
    repository = Repository(folder)
    repository("init", "--quiet", "--initial-branch=main")
    return repository


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@dataclass(frozen=True, slots=True)
class Commit:
    """The numbers of the parents, and the changed files: mode and text by name, or None if deleted."""

    parents: list[int]
    files: dict[str, tuple[int, str] | None]


def imported(folder: Path, commits: list[Commit]) -> Repository:
    """Import commits into a repository, one day apart, and check out the last one."""
    lines: list[str] = []
    for number, commit in enumerate(commits):
        when = int(day(number).timestamp())
        lines += [f"commit refs/heads/c{number}", f"mark :{number + 1}", f"committer A <a@example.com> {when} +0000"]
        lines += ["data 1", "x"]
        lines += [f"{'merge' if place else 'from'} :{parent + 1}" for place, parent in enumerate(commit.parents)]
        for name, file in commit.files.items():
            if file is None:
                lines += [f"D {name}"]
            else:
                lines += [f"M 100{file[0]} inline {name}", f"data {len(file[1].encode())}", file[1]]
    repository = made(folder)
    command = ["git", "-C", str(folder), "fast-import", "--quiet"]
    subprocess.run(command, input=("\n".join(lines) + "\n").encode(), env=PLAIN, check=True)
    repository("reset", "--quiet", "--hard", f"c{len(commits) - 1}")
    return repository
