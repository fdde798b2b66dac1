"""Temporary folders: each is gone when its work ends, however it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from urlset._util.tempdirs import temporary_folder

pytest.importorskip("fcntl")

KILLED = """
import os, signal
from urlset._util.tempdirs import temporary_folder
with temporary_folder() as folder:
    (folder / "spilled").write_bytes(b"x" * 1000)
    os.kill(os.getpid(), signal.SIGKILL)
"""
KILLED_WHEN_THE_LOCK_WAS_REMOVED = """
import os, signal
from urlset._util.tempdirs import temporary_folder
unlink = os.unlink
def kill_after_the_lock(path, **where):
    unlink(path, **where)
    if str(path).endswith(".held"):
        os.kill(os.getpid(), signal.SIGKILL)
with temporary_folder() as folder:
    for number in range(100):
        (folder / str(number)).write_bytes(b"x")
    os.unlink = kill_after_the_lock
"""
LONG_AGO = (1_000_000_000, 1_000_000_000)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that temporary ones are in."""
    folder = tmp_path / "all"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def left(place: Path) -> Path:
    """A folder that a killed process has left."""
    ended = subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(place)}, check=False)
    assert ended.returncode == -9
    [folder] = place.iterdir()
    assert (folder / "spilled").stat().st_size == 1000
    return folder


def use() -> None:
    with temporary_folder() as folder:
        (folder / "a").write_text("b")


def test_it_is_gone_when_the_work_ends(place: Path) -> None:
    use()
    assert list(place.iterdir()) == []
    with pytest.raises(RuntimeError), temporary_folder():
        raise RuntimeError
    assert list(place.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_by_the_next_one(place: Path, left: Path) -> None:
    os.utime(left / ".held", LONG_AGO)
    use()
    assert list(place.iterdir()) == []


def test_nothing_else_is_left_once_the_lock_is_removed(place: Path) -> None:
    script = [sys.executable, "-c", KILLED_WHEN_THE_LOCK_WAS_REMOVED]
    ended = subprocess.run(script, env={**os.environ, "TMPDIR": str(place)}, check=False)
    assert ended.returncode == -9
    [folder] = place.iterdir()
    assert list(folder.iterdir()) == []  # so that the next process sees that nobody uses it


def test_one_that_was_just_made_is_left_alone(left: Path) -> None:
    use()
    assert (left / "spilled").exists()


def test_an_empty_one_without_a_lock_is_removed_when_it_is_old(place: Path) -> None:
    # What a process leaves that is killed between its first step and its second.
    (place / "urlset-new").mkdir()
    (place / "urlset-old").mkdir()
    os.utime(place / "urlset-old", LONG_AGO)
    (place / "urlset-of-somebody").mkdir()
    (place / "urlset-of-somebody" / "file").write_text("kept")
    os.utime(place / "urlset-of-somebody", LONG_AGO)
    use()
    assert {path.name for path in place.iterdir()} == {"urlset-new", "urlset-of-somebody"}


def test_one_that_is_used_stays_however_old(place: Path) -> None:
    with temporary_folder() as folder:
        os.utime(folder / ".held", LONG_AGO)
        use()
        assert list(place.iterdir()) == [folder]


def test_a_folder_that_only_looks_like_one_stays(place: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / ".held").write_bytes(b"")
    (place / "urlset-link").symlink_to(mine)
    (place / "urlset-bare").mkdir()
    (place / "urlset-file").write_bytes(b"")
    os.utime(mine / ".held", LONG_AGO)
    use()
    assert (mine / ".held").exists()
    assert {path.name for path in place.iterdir()} == {"urlset-link", "urlset-bare", "urlset-file"}


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_that_of_another_user_stays(left: Path) -> None:
    os.utime(left / ".held", LONG_AGO)
    os.chown(left, 65534, 65534)
    use()
    assert (left / "spilled").exists()
