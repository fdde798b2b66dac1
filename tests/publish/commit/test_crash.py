"""`publish` and `rollback`, interrupted: the set is the old one or the new one, and the next publish tidies up.

The short run interrupts some of them at a few steps around the commit, the long run all of them, and kills them at
every step. The program that does so is support/publish/interrupted.py, in processes of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import tree
from support.publish.interrupted import COMPLETED, FAILED, FAILED_UNSEEN, KILLED, do
from urlset import SitemapEntry

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the interrupted program forks")

TESTS = Path(__file__).parents[2]
BASE = "https://example.com/"
DAY = [datetime(2024, 1, day, 12, tzinfo=UTC) for day in range(1, 6)]

Rows = list[str]


def pages(count: int, mark: str = "p") -> Rows:
    """Locs of as many pages, three of which fit a shard."""
    return [f"{BASE}{mark}{number:03}" for number in range(count)]


MANY = pages(8)
CHANGED = [*MANY[:-1], BASE + "q"]  # of three shards, the last
OTHER = pages(7, "other")


@dataclass(frozen=True, slots=True)
class Scenario:
    """Sets by day, the last of which is interrupted (None is a rollback), and what else is asked of each."""

    sets: tuple[Rows | None, ...]
    options: dict[str, Any] = field(default_factory=dict)
    #: The options of the last set, and of those that follow, where they differ.
    last: dict[str, Any] = field(default_factory=dict)
    shard: int = 3
    index: int = 50_000
    foreign: bool = False

    def do(self, rows: Rows | None, folder: Path, day: int) -> None:
        """Publishes at noon of that day, or rolls back."""
        do(self.task(rows, day), folder)

    def task(self, rows: Rows | None, day: int) -> dict[str, Any]:
        """The task for the interrupted program."""
        options = {"base_url": BASE, "now": DAY[day - 1], "allow": ["shrunk"], **self.options}
        options |= self.last if day >= len(self.sets) else {}
        return {"rows": rows, "options": options, "shard": self.shard, "index": self.index}


FEWER = [*MANY[1:4], *MANY[5:7]]  # of three shards, all
STABLE: dict[str, Any] = {"names": "stable"}
ALL: dict[str, Any] = {"update_robots": True, "removed": 30, "stylesheet": True, "pretty": True}
SCENARIOS = {
    "index to index": Scenario((OTHER, MANY, CHANGED)),
    "single to index": Scenario((OTHER, MANY[:2], MANY)),
    "index to single": Scenario((MANY[:2], OTHER, MANY[:1])),
    "nothing to index": Scenario((OTHER,)),
    "with all derived documents": Scenario((OTHER, MANY, CHANGED), ALL),
    "several indexes": Scenario((OTHER, MANY, CHANGED), {"update_robots": True}, shard=1, index=3),
    "back": Scenario((OTHER, MANY, None)),
    "back to a single one": Scenario((MANY[:2], MANY, None), {"update_robots": True}),
    "made by another program": Scenario((OTHER, MANY), foreign=True),
    "stable names": Scenario((OTHER, MANY, FEWER), STABLE),
    "to stable names": Scenario((OTHER, MANY, CHANGED), last=STABLE),
    "from stable names": Scenario((OTHER, MANY, CHANGED), STABLE, last={"names": "content"}),
}


@dataclass(frozen=True, slots=True)
class Scene:
    """The folder with the old set, and what it should become."""

    scenario: Scenario
    folder: Path
    #: The locs of the set, and the tree, before what is interrupted, and after it.
    old: Rows
    new: Rows
    before: dict[str, bytes]
    after: dict[str, bytes]
    #: What is tried then, on which day, and the tree that comes of it if the switch was made, and if it was not.
    tries: list[tuple[Rows, int, dict[str, bytes], dict[str, bytes]]]

    def interrupted(self, how: str, steps: str, work: Path) -> Iterator[dict[str, Any]]:
        """Every attempt but the last, which has to complete."""
        day = len(self.scenario.sets)
        task = self.scenario.task(self.scenario.sets[-1], day)
        task["options"]["now"] = DAY[day - 1].isoformat()
        given = work / "task.json"
        given.write_text(json.dumps(task))
        command = [
            sys.executable,
            "-m",
            "support.publish.interrupted",
            str(self.folder),
            str(work),
            str(given),
            how,
            steps,
        ]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=TESTS)
        assert ended.returncode == 0, ended.stderr
        results = [json.loads(line) for line in ended.stdout.splitlines()]
        assert results[-1]["code"] == COMPLETED, ended.stderr
        assert tree(Path(results[-1]["folder"])) == self.after
        assert len(results) > (10 if steps == "all" else 5)
        yield from results[:-1]


def read_back(folder: Path) -> Rows:
    """The locs of the set; a child that is missing or broken raises."""
    return [str(entry.loc) for entry in urlset.read(folder)] if (folder / "sitemap.xml").exists() else []


def make_foreign(folder: Path, rows: Rows) -> None:
    """A set as another program makes it."""
    for name, part in [("sitemap-posts-1.xml", rows[:4]), ("sitemap-posts-2.xml", rows[4:])]:
        urlset.write(part, folder / name)
    urlset.write(
        [SitemapEntry(BASE + name) for name in ("sitemap-posts-1.xml", "sitemap-posts-2.xml")], folder / "sitemap.xml"
    )


@pytest.fixture(scope="module", params=list(SCENARIOS))
def scene(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Scene:
    """A folder in which all sets but the last were published. Tests work on copies of it."""
    scenario = SCENARIOS[request.param]
    *earlier, last = scenario.sets
    tmp_path = tmp_path_factory.mktemp("scene")
    folder = tmp_path / "old"
    folder.mkdir()
    for day, rows in enumerate(earlier, 1):
        if scenario.foreign and day == 1:
            make_foreign(folder, rows or [])
        else:
            scenario.do(rows, folder, day)

    def followed(*sets: tuple[Rows | None, int]) -> Path:
        reference = tmp_path / "reference"
        shutil.rmtree(reference, ignore_errors=True)
        shutil.copytree(folder, reference)
        for rows, day in sets:
            scenario.do(rows, reference, day)
        return reference

    day = len(scenario.sets)
    before, old = tree(folder), read_back(folder)
    path = followed((last, day))
    after, new = tree(path), read_back(path)
    assert before != after
    goal = earlier[-2] if last is None else last
    assert goal is not None
    assert tree(followed((last, day), (goal, day))) == after
    tries = [(goal, day, after, tree(followed((goal, day))))]
    if earlier:
        rows = earlier[-1]
        assert rows is not None
        tries.append((rows, day + 1, tree(followed((last, day), (rows, day + 1))), tree(followed((rows, day + 1)))))
    return Scene(scenario, folder, old, new, before, after, tries)


def differences(found: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    """The files that one tree has and the other has not, or has with other bytes."""
    states = {(True, False): "left over", (False, True): "missing", (True, True): "different"}
    names = sorted(found.keys() | expected.keys())
    return [
        f"{name} is {states[name in found, name in expected]}"
        for name in names
        if found.get(name) != expected.get(name)
    ]


def damage(scene: Scene, folder: Path, *, switched: bool) -> list[str]:
    """What is wrong with the set as it was left. With stable names it may have old and new documents, each whole."""
    if switched or scene.scenario.options.get("names") != "stable" or scene.scenario.last:
        return ["the set is not whole"] * (read_back(folder) != (scene.new if switched else scene.old))
    assert set(read_back(folder)) <= {*scene.old, *scene.new}  # a child that is missing raises
    served = {name: data for name, data in tree(folder).items() if not name.startswith(".urlset/")}
    states = (scene.before, scene.after)
    return [
        f"{name} is not whole" for name, data in served.items() if data not in [state.get(name) for state in states]
    ]


def faults(scene: Scene, folder: Path, *, switched: bool) -> list[str]:
    """What is wrong with the set as it was left, after a second try, and after a return to the old rows."""
    found = damage(scene, folder, switched=switched)
    for rows, day, if_switched, if_not in scene.tries:
        copy = folder.with_suffix(".copy")
        shutil.copytree(folder, copy)
        scene.scenario.do(rows, copy, day)
        wrong = differences(tree(copy), if_switched if switched else if_not)
        found += [f"on day {day} {difference}" for difference in wrong]
        shutil.rmtree(copy)
    return found


def check_interrupted(scene: Scene, how: str, steps: str, work: Path) -> None:
    """Check that every interrupted attempt left a whole set, and that the next publish tidies up."""
    seen: set[int] = set()
    states: set[bool] = set()
    found: dict[int, list[str]] = {}
    codes = {FAILED, FAILED_UNSEEN} if how == "fail" else {KILLED}
    for result in scene.interrupted(how, steps, work):
        assert result["code"] in codes, result
        folder = Path(result["folder"])
        left = tree(folder)
        entry_point = left.get("sitemap.xml")
        switched = entry_point == scene.after["sitemap.xml"]
        assert switched or entry_point == scene.before.get("sitemap.xml")
        assert switched or result["code"] != FAILED_UNSEEN
        states.add(switched)
        # Most steps change only staged files, which the next publish removes before it begins: a state that was
        # checked once need not be checked again.
        if (key := hash(tuple(item for item in left.items() if not item[0].startswith(".urlset/stage/")))) not in seen:
            seen.add(key)
            found[result["step"]] = faults(scene, folder, switched=switched)
        shutil.rmtree(folder)
    assert states == {False, True}
    assert {step: wrong for step, wrong in found.items() if wrong} == {}


#: Every way in which a commit differs, once. The long test has every scenario with a kill and with a failure.
INTERRUPTIONS = [
    ("index to index", "kill"),
    ("single to index", "fail"),
    ("with all derived documents", "kill"),
    ("back", "fail"),
    ("stable names", "kill"),
]


@pytest.mark.parametrize(("scene", "how"), INTERRUPTIONS, indirect=["scene"])
def test_interrupted_around_the_commit_the_set_is_whole(scene: Scene, how: str, tmp_path: Path) -> None:
    check_interrupted(scene, how, "some", tmp_path)


@pytest.mark.parametrize("scene", ["index to index"], indirect=True)
def test_interrupted_at_any_line_the_set_is_whole(scene: Scene, tmp_path: Path) -> None:
    check_interrupted(scene, "lines", "all", tmp_path)


#: Those that fail at any step. What handles a failure is the same for all, so the others fail only around the commit.
FAIL_AT_ANY_STEP = ("index to index", "with all derived documents")


@pytest.mark.long
@pytest.mark.parametrize("how", ["kill", "lines", "fail"])
def test_interrupted_at_any_step_the_set_is_whole(scene: Scene, how: str, tmp_path: Path) -> None:
    is_at_any = how != "fail" or scene.scenario in [SCENARIOS[name] for name in FAIL_AT_ANY_STEP]
    check_interrupted(scene, how, "all" if is_at_any else "some", tmp_path)
