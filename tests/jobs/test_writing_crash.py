"""A job that is interrupted: the set is the old one or the new one, and nothing of the job stays for long.

The program that interrupts it is support/publish/interrupted.py, in processes of its own. The short run interrupts at a
few steps around the commit, the long run at every step.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import tree
from support.jobs import job, own_files, parts_of_manifests, write, written
from support.publish import BASE, DAY, locs, publish, read_back
from support.publish.interrupted import COMPLETED, FAILED, FAILED_UNSEEN, KILLED, Steps
from support.publish.interrupted import small as interrupted_small
from support.publish.model import small
from urlset.jobs import WriteJob

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the interrupted program forks")

TESTS = Path(__file__).parents[1]
OLD = [locs(7, "a"), locs(4, "b")]
NEW = [locs(7, "a"), locs(3, "b"), locs(2, "c")]


def flat(parts: list[list[str]]) -> list[str]:
    return [loc for part in parts for loc in part]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder with a set in parts, and one before it."""
    folder = tmp_path / "old"
    with small(3):
        publish(locs(5), folder, day=1)
        write(OLD, folder, day=2)
    return folder


def interrupted(old: Path, work: Path, how: str, steps: str) -> list[dict[str, Any]]:
    """Every attempt, of which the last has to complete."""
    work.mkdir()
    options = {"base_url": BASE, "now": DAY[2].isoformat(), "allow": ["shrunk"]}
    task = {"parts": NEW, "options": options, "shard": 3, "index": 50_000}
    given = work / "task.json"
    given.write_text(json.dumps(task))
    command = [sys.executable, "-m", "support.publish.interrupted", str(old), str(work), str(given), how, steps]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=TESTS)
    assert ended.returncode == 0, ended.stderr
    results = [json.loads(line) for line in ended.stdout.splitlines()]
    assert results[-1]["code"] == COMPLETED, ended.stderr
    return results


def check(result: dict[str, Any], how: str, before: dict[str, bytes]) -> bool:
    """Check what one attempt has left, and what comes after it. Return whether the new set is current."""
    folder = Path(result["folder"])
    assert result["code"] in ({KILLED} if how == "kill" else {FAILED, FAILED_UNSEEN}), result
    is_new = read_back(folder) == flat(NEW)  # a child that is missing raises
    assert is_new or read_back(folder) == flat(OLD)
    if how == "fail" and not is_new:
        left = [name for name in own_files(folder) if name.startswith("jobs")]
        assert not left, f"after step {result['step']} there is {left}"
        assert {name: tree(folder)[name] for name in before} == before
    with small(3):
        # An engine that comes next, on the same day and later.
        again = write(NEW, folder, day=3)
        assert read_back(folder) == flat(NEW)
        assert (again.written == ()) == is_new or again.plan.recovered
        later = WriteJob(folder, base_url=BASE, now=DAY[2] + timedelta(days=10), checks=urlset.Checks(allow=["shrunk"]))
        later.commit(written(later, OLD))
    assert read_back(folder) == flat(OLD)
    assert urlset.verify(folder).is_intact
    assert own_files(folder) == ["manifest.parquet", "previous.parquet", "previous.xml"]
    named = set(parts_of_manifests(folder))
    assert later.id in named
    assert len(named) == 2  # those of this set and of the one before
    urlset.rollback(folder)
    assert read_back(folder) == flat(NEW)
    return is_new


def check_all(old: Path, tmp_path: Path, how: str, steps: str) -> None:
    before = tree(old)
    *results, last = interrupted(old, tmp_path / "work", how, steps)
    assert read_back(Path(last["folder"])) == flat(NEW)
    assert {check(result, how, before) for result in results} == {False, True}
    assert len(results) > (20 if steps == "all" else 5)


def test_a_job_is_killed_around_the_commit(old: Path, tmp_path: Path) -> None:
    check_all(old, tmp_path, "kill", "some")


@pytest.mark.long
@pytest.mark.parametrize(("how", "steps"), [("kill", "all"), ("fail", "some")])
def test_a_job_is_interrupted_at_any_step(old: Path, how: str, steps: str, tmp_path: Path) -> None:
    check_all(old, tmp_path, how, steps)


def killed(work: WriteJob, rows: list[str], step: int) -> int:
    """Writes part 0 in a process that is killed before that step; returns how it ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        Steps(step, "kill").begin()
        with interrupted_small(3, 50_000):
            work.write_part(rows, 0, attempt=0)
        code = COMPLETED
    finally:
        os._exit(code)


@pytest.mark.parametrize("step", [1, 4, 6, 8])
def test_a_task_that_is_killed_half_way_is_tried_again(step: int, old: Path, tmp_path: Path) -> None:
    urlset.publish(["/"], tmp_path / "warm", base_url=BASE)  # no thread and no late import after the fork
    work = job(old, 3)
    with small(3):
        assert killed(work, NEW[0], step) == KILLED
        assert read_back(old) == flat(OLD)
        facts = [work.write_part(NEW[0], 0, attempt=1), *(work.write_part(NEW[part], part) for part in (1, 2))]
        work.commit(facts)
    assert read_back(old) == flat(NEW)
    assert own_files(old) == ["manifest.parquet", "previous.parquet", "previous.xml"]
    assert urlset.verify(old).is_intact


def test_a_full_disk_is_explained_by_the_task(old: Path) -> None:
    """The file system refuses to let any file grow beyond some bytes, as a full one does."""
    program = f"""
import resource, signal, sys
import urlset
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from hashlib import sha256
from urlset.jobs import WriteJob
job = WriteJob(sys.argv[1], base_url="{BASE}")
facts = [job.write_part(["/a", "/b"], 0)]
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
try:
    job.write_part(["/" + sha256(b"%d" % number).hexdigest() for number in range(4000)], 1)
except urlset.PublishError as error:
    print(error)
    job.abort()
"""
    before = tree(old)
    done = subprocess.run([sys.executable, "-c", program, str(old)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r".*/00001-0/sitemap-00001-0001-[0-9a-f]{16}\.xml\.gz: File too large.*\n", done.stdout)
    assert tree(old) == before
    shutil.rmtree(old)
