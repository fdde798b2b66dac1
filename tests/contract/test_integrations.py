"""The GitHub action, the pre-commit hooks and the page about them: they name what the command line has, and work."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import urlset
import yaml
from support.cli import SCRIPT, SECONDS
from support.documents import CORE
from support.http_server import Answer, serve
from support.output.schemas import schema
from urlset._cli.verbs import command
from urlset._output import FORMATS

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
MIRROR = ROOT / "packaging" / "pre-commit"
HOOKS: list[dict[str, Any]] = yaml.safe_load((MIRROR / ".pre-commit-hooks.yaml").read_text("utf-8"))
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
(LINT,) = (step for step in STEPS if step.get("id") == "lint")
(AUDIT,) = (step for step in STEPS if step.get("id") == "audit")
#: The hooks that take files.
OF_FILES = [hook for hook in HOOKS if "files" in hook]

GOOD = f'<urlset xmlns="{CORE}"><url><loc>https://example.com/</loc></url></urlset>'
BAD = f'<urlset xmlns="{CORE}">\n<url><loc>/about</loc></url></urlset>'


# --- what they name is there --------------------------------------------------------------------------------


def check_command(words: list[str]) -> None:
    """Fails unless a command after `urlset` has a verb that is there, options that the verb has, and a known format."""
    options = {name for option in command(words[0]).params for name in (*option.opts, *option.secondary_opts)}
    for word, following in pairwise([*words[1:], ""]):
        if word == "--":
            break
        if word.startswith("-") and word != "-":
            name, _, value = word.partition("=")
            assert name in options, f"{words[0]} has no {name}"
            assert name != "--format" or (value or following) in FORMATS, f"there is no format {value or following}"


def yaml_blocks() -> list[Any]:
    """The YAML of the page."""
    return [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]


def values(tree: Any, key: str) -> Iterator[Any]:
    """What stands at `key`, wherever that is in a tree."""
    for name, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        if name == key:
            yield value
        yield from values(value, key)


COMMANDS = [
    *(
        command
        for step in (LINT, AUDIT)
        for command in re.findall(r'^\s*"\$URLSET" ([^|>\n]+)', step["run"], re.MULTILINE)
    ),
    *(hook["entry"].removeprefix("urlset ") for hook in HOOKS),
    *re.findall(r"\burlset (lint [^|>\n`]+)", PAGE),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_what_is_there(command: str) -> None:
    check_command(shlex.split(command))


def test_commands_were_found() -> None:
    assert len(COMMANDS) == 2 + 2 + len(HOOKS) + 6
    with pytest.raises(AssertionError, match="no --nonsense"):
        check_command(["lint", "--nonsense", "a.xml"])
    with pytest.raises(AssertionError, match="no format nonsense"):
        check_command(["lint", "--format", "nonsense"])


def test_the_page_knows_every_format() -> None:
    table = PAGE.partition("| format |")[2].partition("\n\n")[0]
    named = [row.split("|")[1] for row in table.splitlines()[2:]]
    assert sorted(name for cell in named for name in re.findall(r"`(\w+)`", cell)) == sorted(FORMATS)


def test_the_page_uses_the_action_and_the_hooks_as_they_are() -> None:
    trees = yaml_blocks()
    used = [step for tree in trees for steps in values(tree, "steps") for step in steps]
    ours = [step["with"] for step in used if step.get("uses", "").startswith("OWNER/urlset@")]
    assert len(ours) == 3
    required = {name for name, value in ACTION["inputs"].items() if value.get("required")}
    for inputs in ours:
        assert required <= inputs.keys() <= ACTION["inputs"].keys()
    repositories = [each for tree in trees for found in values(tree, "repos") for each in found]
    assert [each["repo"] for each in repositories] == ["https://github.com/OWNER/urlset-pre-commit", "local"]
    theirs, local = (each["hooks"][0] for each in repositories)
    (hook,) = (hook for hook in HOOKS if hook["id"] == theirs["id"])
    check_command([*shlex.split(hook["entry"])[1:], *theirs["args"]])
    assert all(local[name] == hook[name] for name in ("id", "name", "files", "require_serial"))
    table = re.findall(r"^\| `(\w+)` \|", PAGE.partition("| input |")[2].partition("\n\n")[0], re.MULTILINE)
    assert table == list(ACTION["inputs"])


# --- the action ---------------------------------------------------------------------------------------------


def test_the_action_is_one_that_runners_take() -> None:
    jsonschema.Draft7Validator(schema("GitHub Action")).validate(ACTION)
    assert ACTION["runs"]["using"] == "composite"
    profiles = re.findall(r"\w+", ACTION["inputs"]["profile"]["description"].partition(" - ")[2])
    assert ACTION["inputs"]["profile"]["default"] in profiles


def test_no_input_is_a_part_of_a_script() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 3
    assert not any("${{" in script for script in scripts)
    # And no input is there that nothing takes.
    taken = {
        name
        for step in STEPS
        for value in (*step.get("env", {}).values(), step.get("if", ""))
        for name in re.findall(r"inputs\.(\w+)", value)
    }
    assert taken == ACTION["inputs"].keys()


@dataclass(frozen=True, slots=True)
class Ran:
    """How a step ended, and what it had said."""

    code: int
    out: str


def lint(folder: Path, step: dict[str, Any] = LINT, /, **inputs: str) -> Ran:
    """Runs the step that lints, in `folder`, as a runner does: expressions become environment, then bash."""
    given = {name: value.get("default", "") for name, value in ACTION["inputs"].items()} | inputs
    known = {f"inputs.{name}": value for name, value in given.items()}
    known["steps.install.outputs.urlset"] = str(SCRIPT)
    env = {
        name: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: known[found[1]], value)
        for name, value in step["env"].items()
    }
    assert step["shell"] == "bash"
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "CI": "true", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    return Ran(ended.returncode, ended.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with good and bad sitemaps."""
    public = tmp_path / "public"
    public.mkdir()
    public.joinpath("sitemap.xml").write_text(GOOD, "utf-8")
    public.joinpath("bad one.xml").write_text(BAD, "utf-8")
    public.joinpath("notes.txt").write_text("no sitemap", "utf-8")
    return tmp_path


ANNOTATION = "::error file=public/bad one.xml,line=2,col=11,endColumn=17,title=LOC002 relative-url::"


def test_the_action_passes_what_is_good_and_annotates_what_is_not(folder: Path) -> None:
    assert lint(folder, paths="public/sitemap.xml") == Ran(0, "")
    assert lint(folder, paths="public\n") == Ran(0, "")
    bad = lint(folder, paths="public/bad one.xml\n")
    assert (bad.code, len(bad.out.splitlines())) == (1, 1)
    assert bad.out.startswith(ANNOTATION)
    # Paths stand on lines of their own, and may be patterns.
    assert lint(folder, paths="public/sitemap.xml\npublic/bad one.xml") == bad
    assert lint(folder, paths="public/*.xml\n") == bad
    assert lint(folder, paths="public/nothing-*.xml").code == 2
    assert lint(folder, paths="").code == 2


@pytest.mark.long
def test_the_action_hands_on_arguments(folder: Path) -> None:
    assert lint(folder, paths="public/bad one.xml", args="--ignore LOC002") == Ran(0, "")
    assert lint(folder, paths="public/bad one.xml", args=" --select  LOC,PRI ").code == 1
    assert lint(folder, paths="public", args="--nonsense").code == 2
    # No patterns among them: this one would match a file, and is not a code.
    folder.joinpath("LOC002").touch()
    assert lint(folder, paths="public/bad one.xml", args="--ignore LOC*").code == 2
    assert lint(folder, paths="public", profile="nonsense").code == 2
    assert lint(folder, paths="public", profile="google").code == 0


@pytest.mark.long
def test_the_action_writes_sarif_too(folder: Path) -> None:
    bad = lint(folder, paths="public/bad one.xml", sarif="out file.sarif", report="out file.html")
    assert bad.code == 1
    assert "LOC002" in folder.joinpath("out file.html").read_text("utf-8")
    assert bad.out.startswith(ANNOTATION)
    log = json.loads(folder.joinpath("out file.sarif").read_text("utf-8"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["LOC002"]
    assert lint(folder, paths="public", sarif="good.sarif") == Ran(0, "")
    assert json.loads(folder.joinpath("good.sarif").read_text("utf-8"))["runs"][0]["results"] == []
    # What could not be checked leaves no file behind that would read as if all were well.
    assert lint(folder, paths="public\nnowhere.xml", sarif="none.sarif").code == 2
    assert not folder.joinpath("none.sarif").exists()


def test_the_action_audits_a_site(tmp_path: Path) -> None:
    with serve() as site:
        locs = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/", "/gone"))
        site.pages["/sitemap.xml"] = Answer(f'<urlset xmlns="{CORE}">{locs}</urlset>'.encode())
        site.pages["/"] = Answer(b"<title>Tea</title>", headers={"Content-Type": "text/html"})
        inputs: dict[str, str] = {"verb": "audit", "paths": f"{site.url}\n", "args": "--select LIVE001"}
        ran = lint(tmp_path, AUDIT, **inputs)
        assert ran.code == 1
        assert ran.out.startswith(f"::error file={site.url.replace(':', '%3A')}/sitemap.xml,line=1,")
        assert "LIVE001 url-client-error" in ran.out
        asked = len(site.requests)
        assert lint(tmp_path, AUDIT, sarif="out.sarif", report="the report.html", **inputs) == Ran(1, "")
        # One run, and not two, asks for the pages.
        assert len(site.requests) == 2 * asked
    log = json.loads(tmp_path.joinpath("out.sarif").read_text("utf-8"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["LIVE001"]
    assert lint(tmp_path, AUDIT, verb="audit", paths="$(touch pwned)").code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.sarif", "the report.html"]
    assert "LIVE001" in tmp_path.joinpath("the report.html").read_text("utf-8")


EVIL = [
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "' ; touch pwned '",
    '"; touch pwned; "',
    "| tee pwned",
    "> pwned",
]


#: Each in every input. The short run has each in one input, and each input three of them or two.
ATTACKS = [
    pytest.param(name, evil, marks=() if row % 3 == column else pytest.mark.long)
    for row, evil in enumerate(EVIL)
    for column, name in enumerate(["paths", "profile", "args"])
]


@pytest.mark.parametrize(("name", "evil"), ATTACKS)
def test_no_input_is_run(folder: Path, name: str, evil: str) -> None:
    inputs = {"paths": "public"} | {name: evil}
    ran = lint(folder, **inputs)
    assert ran.code == 2
    assert sorted(path.name for path in folder.iterdir()) == ["public"]


def test_the_action_installs_the_version_that_it_is() -> None:
    (install,) = (step for step in STEPS if step.get("id") == "install")
    (command,) = re.findall(r"^version=\$\((.*)\)$", install["run"], re.MULTILINE)
    found = subprocess.run(
        ["bash", "-c", command],
        env={"SOURCE": str(ROOT), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == f"{urlset.__version__}\n"


def test_everything_that_installs_urlset_installs_this_version() -> None:
    mirror = tomllib.loads((MIRROR / "pyproject.toml").read_text("utf-8"))
    assert mirror["project"]["dependencies"] == [f"urlset=={urlset.__version__}"]
    inputs, _ = yaml.safe_load_all((ROOT / "packaging" / "gitlab" / "templates" / "lint.yml").read_text("utf-8"))
    assert inputs["spec"]["inputs"]["version"]["default"] == urlset.__version__
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8"))
    assert recipe["context"]["version"] == urlset.__version__
    named = set(re.findall(r"OWNER/urlset\S*?@v?([\d.]+)", PAGE))
    assert named == {urlset.__version__}


# --- the component of GitLab --------------------------------------------------------------------------------


def component(folder: Path, **inputs: str) -> Ran:
    """Runs the script of the component as a runner does: inputs become variables, then bash."""
    spec, jobs = yaml.safe_load_all((ROOT / "packaging" / "gitlab" / "templates" / "lint.yml").read_text("utf-8"))
    given = {name: value.get("default", "") for name, value in spec["spec"]["inputs"].items()} | inputs
    job = jobs["urlset-lint"]
    assert not any("$[[" in line for line in (*job["before_script"], *job["script"]))
    variables = {
        name: re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: given[found[1]], value)
        for name, value in job["variables"].items()
    }
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), "CI": "true", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    report = folder / "gl-code-quality-report.json"
    return Ran(ended.returncode, report.read_text("utf-8") if report.exists() else ended.stderr)


def test_the_component_writes_a_report(folder: Path) -> None:
    assert component(folder, paths="public/sitemap.xml") == Ran(0, "[]\n")
    bad = component(folder, paths="public/sitemap.xml\npublic/bad one.xml\n", args="--ignore  LOC011")
    assert bad.code == 1
    assert [each["check_name"] for each in json.loads(bad.out)] == ["LOC002"]
    assert component(folder, paths="public", args="--nonsense").code == 2


@pytest.mark.parametrize("evil", EVIL)
def test_no_input_of_the_component_is_run(folder: Path, evil: str) -> None:
    for name in ("paths", "profile", "args"):
        assert component(folder, **{"paths": "public", name: evil}).code == 2
    assert sorted(path.name for path in folder.iterdir()) == ["gl-code-quality-report.json", "public"]


# --- the hooks ----------------------------------------------------------------------------------------------


def test_the_hooks_are_what_pre_commit_takes() -> None:
    jsonschema.Draft7Validator(schema(".pre-commit-hooks.yml")).validate(HOOKS)
    assert [hook["id"] for hook in HOOKS] == ["urlset-lint", "urlset-fix", "urlset-audit"]
    for hook in HOOKS:
        assert hook["language"] == "python"
        assert shlex.split(hook["entry"])[0] == "urlset"


@pytest.mark.parametrize("hook", OF_FILES, ids=lambda hook: str(hook["id"]))
def test_the_hooks_take_what_is_called_like_a_sitemap(hook: dict[str, Any]) -> None:
    takes = re.compile(hook["files"])
    for path in ("sitemap.xml", "public/sitemap_index.xml", "a/b/sitemap-0001.xml.gz", "sitemaps.xml"):
        assert takes.search(path)
    for path in ("feed.xml", "sitemap.xml.bak", "sitemap/feed.xml", "my-sitemap.txt", "sitemap.xsl"):
        assert not takes.search(path)


@pytest.mark.parametrize("hook", OF_FILES, ids=lambda hook: str(hook["id"]))
def test_the_hooks_end_as_pre_commit_expects(folder: Path, hook: dict[str, Any]) -> None:
    entry = [str(SCRIPT), *shlex.split(hook["entry"])[1:]]
    for name, code in (("public/sitemap.xml", 0), ("public/bad one.xml", 1)):
        ended = subprocess.run([*entry, name], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert ended.returncode == code, ended.stderr
    # Where there is nothing to fix, nothing is written.
    assert folder.joinpath("public/sitemap.xml").read_text("utf-8") == GOOD
    assert folder.joinpath("public/bad one.xml").read_text("utf-8") == BAD
