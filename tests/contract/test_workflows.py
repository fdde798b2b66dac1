"""The workflows of this repository: they are ones that GitHub takes, pin what they use, and may do little."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from support.output.schemas import schema

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
#: Permissions of jobs, beside that to read the contents; a job that may write runs no code of the repository.
MAY_WRITE = {("pages", "write"), ("id-token", "write")}


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.name)
def workflow(request: pytest.FixtureRequest) -> dict[str, Any]:
    path: Path = request.param
    tree: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    tree["on"] = tree.pop(True)  # what YAML 1.1 makes of `on`
    return tree


def test_there_are_workflows() -> None:
    assert "docs.yml" in {path.name for path in WORKFLOWS}


def test_a_workflow_is_one_that_github_takes(workflow: dict[str, Any]) -> None:
    jsonschema.Draft7Validator(schema("GitHub Workflow")).validate(workflow)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit_and_says_its_version(path: Path) -> None:
    used = re.findall(r"^\s*(?:- )?uses: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*", each)] == []


def test_a_job_that_may_write_runs_nothing_of_ours(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        asked = set(job["permissions"].items()) - {("contents", "read")}
        assert asked <= MAY_WRITE
        if asked:
            assert [step["run"] for step in job["steps"] if "run" in step] == []


def test_the_programs_that_a_workflow_runs_are_there(workflow: dict[str, Any]) -> None:
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    for script in re.findall(r"python3? (\S+\.py)", "\n".join(commands)):
        assert (ROOT / script).is_file()
