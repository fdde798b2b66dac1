"""The next submit continues one that was killed: nothing is lost, and at most one batch is sent twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from support.indexnow.folder import Folder, Page
from support.indexnow.interrupted import KILLED
from support.indexnow.server import Answer, Server

from indexnow.conftest import Submit

PROGRAM = Path(__file__).parents[1] / "support" / "indexnow" / "interrupted.py"
SECONDS = 60


def started(folder: Folder, server: Server, step: int = 0) -> subprocess.Popen[bytes]:
    """Start the program on the folder."""
    paths = [str(PROGRAM.parents[2]), *sys.path]
    return subprocess.Popen(
        [sys.executable, PROGRAM, folder.path, server.endpoint, str(step)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)},
    )


@pytest.fixture
def locs(folder: Folder, server: Server) -> list[str]:
    """Six pages, of which the last publish added five; none of them was submitted."""
    locs = [f"{server.base_url}{number}" for number in range(6)]
    folder.publish([Page(locs[0])])
    folder.publish(Page(loc) for loc in locs)
    return locs[1:]


def test_a_submit_killed_after_its_first_post_sends_the_rest_exactly_once(
    server: Server, folder: Folder, submit: Submit, locs: list[str]
) -> None:
    server.answers += [Answer(200), Answer(how="hang")]
    process = started(folder, server)
    try:
        assert server.posted.acquire(timeout=SECONDS)
        assert server.posted.acquire(timeout=SECONDS)
    finally:
        process.kill()
        process.wait(SECONDS)
    # The second post was received, but never acknowledged.
    assert submit(dry_run=True).pending == 3
    assert submit(batch=2).sent == 3
    assert [post.locs for post in server.posts] == [locs[:2], locs[2:4], locs[2:4], locs[4:]]
    assert folder.submitted() == set(locs)
    assert not (folder.state / "indexnow.journal").exists()


def test_a_publish_between_the_kill_and_the_next_submit_loses_nothing(
    server: Server, folder: Folder, submit: Submit, locs: list[str]
) -> None:
    server.answers += [Answer(200), Answer(how="hang")]
    process = started(folder, server)
    try:
        assert server.posted.acquire(timeout=SECONDS)
        assert server.posted.acquire(timeout=SECONDS)
    finally:
        process.kill()
        process.wait(SECONDS)
    base = server.base_url
    folder.publish([Page(base + "0"), Page(locs[0], key=2), *(Page(loc) for loc in locs[1:]), Page(base + "9")])
    folder.publish([Page(base + "0"), Page(locs[0], key=2), *(Page(loc) for loc in locs[1:]), Page(base + "9")])
    assert submit().sent == 5
    assert server.posts[-1].locs == [locs[0], *locs[2:], base + "9"]


@pytest.mark.parametrize("step", [1, 4, 7])
def test_a_kill_at_a_step_loses_nothing_and_repeats_at_most_one_batch(
    server: Server, folder: Folder, submit: Submit, locs: list[str], step: int
) -> None:
    assert killed_at(step, server, folder, submit, locs) == KILLED


@pytest.mark.long
def test_a_kill_at_any_step_loses_nothing_and_repeats_at_most_one_batch(
    server: Server, folder: Folder, submit: Submit, locs: list[str]
) -> None:
    codes = [killed_at(1, server, folder, submit, locs)]
    while codes[-1] == KILLED and len(codes) < 100:
        codes.append(killed_at(len(codes) + 1, server, folder, submit, locs))
    assert codes[-1] == 0
    assert len(codes) >= 8


def killed_at(step: int, server: Server, folder: Folder, submit: Submit, locs: list[str]) -> int:
    """Kill a submit at a step, check that the next one sends the rest, and return how the killed one ended."""
    for path in folder.state.glob("indexnow*"):
        _remove(path)
    server.posts.clear()
    code = started(folder, server, step).wait(SECONDS)
    first = len(server.posts)
    submit(batch=2)
    sent = Counter(server.locs)
    assert sent.keys() == set(locs), step
    twice = [loc for loc, times in sent.items() if times > 1]
    assert len(twice) <= 2, step
    assert not twice or first, step
    assert folder.submitted() == set(locs)
    assert {path.name for path in folder.state.glob("indexnow*")} <= {"indexnow.parquet", "indexnow.lock"}
    assert submit().sent == 0
    return code


def _remove(path: Path) -> None:
    if path.is_dir():
        for child in path.iterdir():
            child.unlink()
        path.rmdir()
    else:
        path.unlink()
