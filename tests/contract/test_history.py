"""The picture of how the kept figures changed is drawn from a history, and stays as it is where there is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from lxml import etree

ROOT = Path(__file__).parent.parent.parent
GIT = ["git", "-c", "user.name=n", "-c", "user.email=n@example.com", "-c", "commit.gpgsign=false"]


PROGRAM = """
import sys
from pathlib import Path

from history import draw

sys.exit(0 if draw(Path(sys.argv[1]), Path(sys.argv[2])) else 3)
"""


def draw(root: Path, target: Path) -> bool:
    """Draw a picture in a process of its own: modules of the benchmarks have the names of rooms of the tests."""
    command = [sys.executable, "-c", PROGRAM, str(root), str(target)]
    ended = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT / "benches")}, check=False)
    assert ended.returncode in (0, 3)
    return ended.returncode == 0


def keep(root: Path, ratio: float) -> None:
    """Keep results with one ratio for all figures."""
    folder = root / "benches" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    readers = [("urlset", "plain"), ("urlset", "images"), ("urlset-lint", "plain"), ("urlset-objects", "plain")]
    read = [{"reader": reader, "input": name, "times": {"count": ratio}} for reader, name in readers]
    write = [{"writer": name, "times": {"urlset-read": ratio}} for name in ("urlset-arrow", "urlset-objects")]
    (folder / "read.json").write_text(json.dumps({"results": read}))
    (folder / "write.json").write_text(json.dumps({"write": write}))


def commit(root: Path, message: str) -> None:
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", message]):
        subprocess.run([*GIT, "-C", str(root), *arguments], check=True)


def test_each_commit_is_a_point(tmp_path: Path) -> None:
    for number, ratio in enumerate([0.25, 0.5, 0.4], 1):
        keep(tmp_path, ratio)
        commit(tmp_path, f"figures {number}")
    keep(tmp_path, 0.8)  # measured, and not committed yet
    assert draw(tmp_path, tmp_path / "history.svg")
    drawn = etree.parse(tmp_path / "history.svg")
    said = [str(title.text).rpartition(" ")[2] for title in drawn.iterfind(".//{*}circle/{*}title")]
    assert said == ["0.250", "0.500", "0.400", "0.800"] * 6
    assert all(text.text for text in drawn.iterfind(".//{*}text"))


def test_figures_that_are_committed_are_one_point(tmp_path: Path) -> None:
    for ratio in (0.25, 0.5):
        keep(tmp_path, ratio)
        commit(tmp_path, "figures")
    assert draw(tmp_path, tmp_path / "history.svg")
    assert (tmp_path / "history.svg").read_text().count("<circle") == 12


def test_without_a_history_the_picture_stays(tmp_path: Path) -> None:
    (tmp_path / "history.svg").write_text("as it was")
    assert not draw(tmp_path, tmp_path / "history.svg")  # no results at all
    keep(tmp_path, 0.5)
    assert not draw(tmp_path, tmp_path / "history.svg")  # no repository
    (tmp_path / "benches" / "results" / "write.json").write_text("[1")
    commit(tmp_path, "damaged figures")
    assert not draw(tmp_path, tmp_path / "history.svg")
    assert (tmp_path / "history.svg").read_text() == "as it was"
