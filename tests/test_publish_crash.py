"""`publish`, ended at every step: the set is the old one or the new one, and the next publish tidies up.

What ends it is publish_interrupted.py, in processes of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urlset
from publish_interrupted import COMPLETED, FAILED, FAILED_UNSEEN, KILLED
from support import tree

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the interrupted program forks")

PROGRAM = Path(__file__).with_name("publish_interrupted.py")
BASE = "https://example.com/"
DAY = [datetime(2024, 1, day, 12, tzinfo=UTC) for day in range(1, 5)]
INDEX = [f"{BASE}p{number}" for number in range(50_002)]
CHANGED = [*INDEX[:-1], BASE + "changed"]  # of two shards, the second
OTHER = [f"{BASE}other{number}" for number in range(50_001)]
SINGLE = [BASE, BASE + "a"]

# What was published before the old set, the old set, the new set.
SCENARIOS = {
    "index to index": (OTHER, INDEX, CHANGED),
    "single to index": (OTHER, SINGLE, INDEX),
    "index to single": (SINGLE, OTHER, SINGLE[:1]),
    "nothing to index": (None, None, OTHER),
}


def publish(rows: list[str], folder: Path, day: int) -> None:
    """Publishes at noon of that day."""
    urlset.publish(rows, folder, base_url=BASE, now=DAY[day - 1])


@dataclass(frozen=True, slots=True)
class Scene:
    """The folder with the old set, and what it should become."""

    folder: Path
    work: Path
    old: list[str] | None
    new: list[str]
    #: The tree with the old set, with the new set, and with the old set published again over the new one.
    before: dict[str, bytes]
    after: dict[str, bytes]
    back: dict[str, bytes]

    def interrupted(self, how: str, every: int) -> Iterator[dict[str, Any]]:
        """Every attempt but the last, which has to be the whole."""
        task = self.work / "task.json"
        task.write_text(json.dumps({"rows": self.new, "base_url": BASE, "now": DAY[2].isoformat()}))
        command = [sys.executable, str(PROGRAM), str(self.folder), str(self.work), str(task), how, str(every)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        results = [json.loads(line) for line in ended.stdout.splitlines()]
        assert results[-1]["code"] == COMPLETED, ended.stderr
        assert tree(Path(results[-1]["folder"])) == self.after
        assert len(results) > 10
        yield from results[:-1]


@pytest.fixture(params=list(SCENARIOS.values()), ids=list(SCENARIOS))
def scene(tmp_path: Path, request: pytest.FixtureRequest) -> Scene:
    """A folder that was published to twice, or never."""
    older, old, new = request.param
    folder = tmp_path / "old"
    folder.mkdir()
    if older is not None:
        publish(older, folder, 1)
        publish(old, folder, 2)
    before = tree(folder)
    reference = tmp_path / "reference"
    shutil.copytree(folder, reference)
    publish(new, reference, 3)
    after = tree(reference)
    publish(new, reference, 3)
    assert tree(reference) == after
    if old is not None:
        publish(old, reference, 4)
    work = tmp_path / "work"
    work.mkdir()
    return Scene(folder, work, old, new, before, after, tree(reference))


def differences(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    """The files that one tree has and the other has not, or has with other bytes."""
    states = {(True, False): "left over", (False, True): "missing", (True, True): "different"}
    names = sorted(found.keys() | expected.keys())
    return [
        f"{name} is {states[name in found, name in expected]}"
        for name in names
        if found.get(name) != expected.get(name)
    ]


def faults(scene: Scene, folder: Path, *, switched: bool) -> list[str]:
    """What is wrong with the set as it was left, after a second try, and after a return to the old rows."""
    found = []
    if scene.old is None and not switched:
        found += ["there is an entry point"] * (folder / "sitemap.xml").exists()
    else:
        # A child that is missing or broken raises.
        locs = [entry.loc for entry in urlset.read(folder)]
        found += ["the set is not whole"] * (locs != (scene.new if switched else scene.old))
    tries = [(scene.new, 3, scene.after)]
    if scene.old is not None:
        tries.append((scene.old, 4, scene.back if switched else scene.before))
    for rows, day, expected in tries:
        copy = folder.with_suffix(".copy")
        shutil.copytree(folder, copy)
        publish(rows, copy, day)
        found += [f"on day {day} {difference}" for difference in differences(tree(copy), expected)]
        shutil.rmtree(copy)
    return found


@pytest.mark.parametrize(("how", "every"), [("kill", 1), ("kill-line", 3), ("fail", 1)])
def test_whenever_it_ends_the_set_is_whole(scene: Scene, how: str, every: int) -> None:
    seen: set[int] = set()
    states: set[bool] = set()
    found: dict[int, list[str]] = {}
    codes = {FAILED, FAILED_UNSEEN} if how == "fail" else {KILLED}
    for result in scene.interrupted(how, every):
        assert result["code"] in codes
        folder = Path(result["folder"])
        left = tree(folder)
        entry_point = left.get("sitemap.xml")
        switched = entry_point == scene.after["sitemap.xml"]
        assert switched or entry_point == scene.before.get("sitemap.xml")
        assert switched or result["code"] != FAILED_UNSEEN
        states.add(switched)
        # Most lines change no file: what was looked at once need not be looked at again.
        if (key := hash(tuple(left.items()))) not in seen:
            seen.add(key)
            found[result["step"]] = faults(scene, folder, switched=switched)
        shutil.rmtree(folder)
    assert states == {False, True}
    assert {step: wrong for step, wrong in found.items() if wrong} == {}
