"""The documentation: its Python runs, its commands end as it says, its links lead somewhere, its tables are fresh."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import urlset
from support.doc_sites import AFTER, ANY, BEFORE, FILES, HOSTS, OBJECTS, SITES
from support.internet import Internet, internet
from support.pages import FENCE, Command, answers, blocks, commands, is_printed, scheduled
from support.s3 import SIGNED, S3Server
from support.shell import SECONDS, Shell
from urlset._config.file import load

ROOT = Path(__file__).parents[2]
RUN = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("docs/coming-from/*.md"))]
READ = sorted(
    {
        *RUN,
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/design/*.md"),
        *ROOT.glob("*/README.md"),
        *ROOT.glob("tests/*/README.md"),
    }
)

#: Lines that are shown and not run here, by how they begin, and why.
NOT_RUN = {
    "jobs/bin/": "a cluster has an environment of its own",
    "python -m venv jobs": "a cluster has an environment of its own",
    "PYSPARK_PYTHON=": "needs a cluster",
    "./manage.py": "the tests of contrib.django run it on a site",
}


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Internet]:
    with internet(tmp_path_factory.mktemp("internet"), *HOSTS) as found:
        yield found


@pytest.fixture
def shell(tmp_path: Path, net: Internet, s3_server: S3Server) -> Shell:
    """A shell in a folder with the examples, as somebody has them who stands in the clone, with a bucket."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("out"))
    s3_server.ask("PUT", "/bucket", Authorization=SIGNED)
    for name in OBJECTS:
        s3_server.put("bucket", name, OBJECTS[name])
    return Shell(tmp_path, net.env | s3_server.env)


def check_line(line: str, shell: Shell) -> str | None:
    """Run a line of a page, or check that what it names is there; None if nothing is run."""
    if line.startswith("make "):
        targets = shlex.split(line, comments=True)[1:]
        subprocess.run(["make", "--dry-run", *targets], cwd=ROOT, capture_output=True, check=True)
        return None
    if (words := line.split())[0] == "python" and words[1].endswith(".py"):
        assert (ROOT / words[1]).is_file()
        return None
    if line.startswith(tuple(NOT_RUN)):
        return None
    return shell.run(Command(line))


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.name)
def test_what_a_page_shows_works(
    path: Path,
    shell: Shell,
    net: Internet,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    net.sites = ANY | SITES.get(path.name, {})
    for name, text in FILES.get(path.name, {}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    for line in BEFORE.get(path.name, []):
        shell.run(Command(line))
    net.sites |= AFTER.get(path.name, {})
    names: dict[str, Any] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks(path.read_text("utf-8")):
        if block.file is not None:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, "utf-8")
        if block.language == "python":
            capfd.readouterr()
            # Blank lines before it, so that a traceback names the page's own line.
            exec(compile("\n" * (block.line - 1) + block.text, str(path), "exec"), names)
            printed = capfd.readouterr().out
        elif block.language in ("sh", "console"):
            found = [check_line(command.line, shell) for command in commands(block.text)]
            printed = None if None in found else "".join(map(str, found))
        elif block.language == "toml" and block.file in (None, "urlset.toml", "pyproject.toml"):
            checked = tmp_path / "checked" / "urlset.toml"
            checked.parent.mkdir(exist_ok=True)
            checked.write_text(block.text, "utf-8")
            load(checked)
        elif block.language in ("cron", "ini"):
            for command in scheduled(block):
                shell.run(Command(command.line.replace("/srv/", f"{tmp_path}/srv/")))
        elif block.language == "text" and block.follows:
            assert printed is not None, f"nothing prints the text on line {block.line}"
            assert is_printed(block.text, printed), f"line {block.line}: printed was\n{printed}"


def test_the_transcript_in_the_readme_is_of_a_real_run(shell: Shell) -> None:
    found = list(blocks((ROOT / "README.md").read_text("utf-8")))
    assert "python" in {block.language for block in found}
    [transcript] = [block.text for block in found if block.language == "console"]
    printed = [line for command in commands(transcript) for line in shell.run(command).splitlines()]
    assert sorted(printed) == sorted(answers(transcript))  # the two streams of a command have no common order


def test_blocks_and_commands_are_found() -> None:
    page = (
        "text\n```python\na = 1\n\nb = 2\n```\n- item\n  ```console\n  $ urlset lint \\\n      a.xml | head\n"
        "  urlset is no prompt\n  $ echo $?\n  1\n  $ cat a.xml\n  $ urlset rule\n  ```\n```sh\nmake\n```\n"
        "```console\nurlset read a.xml\nurlsets\n```\n"
    )
    found = list(blocks(page))
    positions = [(block.language, block.line) for block in found]
    assert positions == [("python", 3), ("console", 9), ("sh", 18), ("console", 21)]
    assert found[0].text == "a = 1\n\nb = 2\n"
    typed = [Command("urlset lint a.xml | head", 1), Command("cat a.xml"), Command("urlset rule")]
    assert commands(found[1].text) == typed
    assert commands(found[3].text) == [Command("urlset read a.xml"), Command("urlsets")]


@pytest.mark.parametrize("path", READ, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    text = FENCE.sub("", path.read_text("utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not re.match(r"[a-z]+:", target):
            assert (path.parent / target.partition("#")[0]).exists(), target


def test_every_file_that_a_page_links_to_is_on_the_site() -> None:
    tree = runpy.run_path(str(ROOT / "docs" / "make" / "tree.py"))
    placed: dict[str, str] = tree["places"]()
    for file in placed:
        if file.endswith(".md"):
            tree["for_site"]((ROOT / file).read_text("utf-8"), file, placed)  # raises LookupError


def test_every_public_name_is_on_a_page_of_the_api() -> None:
    with patch.object(sys, "path", [str(ROOT / "docs" / "make"), *sys.path]):  # as for a program that stands there
        made = dict(runpy.run_path(str(ROOT / "docs" / "make" / "api.py"))["api_pages"]())  # raises LookupError
    assert all(f"::: urlset.sources.{name}" in "".join(made.values()) for name in urlset.sources.__all__)


@pytest.mark.parametrize(
    "program", ["benches/picture.py", "docs/make/generate.py", "docs/make/pictures.py", "docs/make/record.py"]
)
def test_what_is_made_from_data_is_fresh(program: str) -> None:
    command = [sys.executable, str(ROOT / program), "--check"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("rows", [["50001"], pytest.param([], marks=pytest.mark.long)])
def test_the_demo_passes_all_its_checks(tmp_path: Path, rows: list[str]) -> None:
    examples = shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("out"))
    ended = subprocess.run(
        [sys.executable, str(examples / "demo.py"), *rows], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("✓") == 10
