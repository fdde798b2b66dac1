"""The documentation: its Python runs, its commands end as it says, its links lead somewhere, its tables are fresh."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
RUN = [ROOT / "README.md", *sorted(ROOT.joinpath("docs").glob("*.md"))]
READ = sorted(
    {
        *RUN,
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/design/*.md"),
        *ROOT.glob("*/README.md"),
        *ROOT.glob("tests/*/README.md"),
    }
)
SECONDS = 120
GENERATED = ["configuration.md", "json.md", "options.md", "profiles.md", "rules.md"]

FENCE = re.compile(
    r"^(?P<margin> *)```(?P<language>[a-z]*)[^\n]*\n(?P<text>.*?)^(?P=margin)```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text without the margin, the line on which that begins."""

    language: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a console block, and the exit code that the block shows after it, or 0."""

    line: str
    code: int


def blocks(markdown: str) -> Iterator[Block]:
    """The fenced blocks of a document, in order."""
    for found in FENCE.finditer(markdown):
        margin = found["margin"]
        text = "".join(line.removeprefix(margin) for line in found["text"].splitlines(keepends=True))
        yield Block(found["language"], text, markdown.count("\n", 0, found.start("text")) + 1)


def commands(console: str) -> list[Command]:
    r"""The `urlset` commands of a console block, each with its exit code.

    Where a block has prompts, only what follows `$ ` is typed, and what follows that is an answer; `\` at the end
    goes on with the next line. `$ echo $?` and its answer tell the exit code of the command before.
    """
    lines = re.sub(r"\\\n\s*", "", console).splitlines()
    has_prompts = any(line.startswith("$ ") for line in lines)
    found: list[Command] = []
    for number, line in enumerate(lines):
        typed = line.removeprefix("$ ") if has_prompts == line.startswith("$ ") else ""
        if typed == "echo $?" and found:
            found[-1] = Command(found[-1].line, int(lines[number + 1]))
        elif re.match(r"urlset( |$)", typed):
            found.append(Command(typed, 0))
    return found


def answers(console: str) -> list[str]:
    """The lines of a console block that are printed, where it shows what is typed after `$ `."""
    lines = console.splitlines()
    return [line for line in lines if not line.startswith("$ ")] if any(line.startswith("$ ") for line in lines) else []


def run(command: Command, folder: Path) -> str:
    """Type the command into a shell that knows the script, and return all that it prints."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ended = subprocess.run(
        ["/bin/sh", "-c", command.line],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == command.code, f"{command.line}\n{ended.stdout}{ended.stderr}"
    assert "Traceback" not in ended.stderr
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.name)
def test_what_a_page_shows_works(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The commands name the examples as somebody does who stands in the clone.
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("out"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(path.read_text("utf-8")):
        if block.language == "python":
            # Blank lines before it, so that a traceback names the page's own line.
            code = compile("\n" * (block.line - 1) + block.text, str(path), "exec")
            exec(code, names)
        elif block.language == "console":
            for command in commands(block.text):
                run(command, tmp_path)


def test_the_transcript_in_the_readme_is_of_a_real_run(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("out"))
    found = list(blocks((ROOT / "README.md").read_text("utf-8")))
    assert "python" in {block.language for block in found}
    [transcript] = [block.text for block in found if block.language == "console"]
    printed = [line for command in commands(transcript) for line in run(command, tmp_path).splitlines()]
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
    assert commands(found[1].text) == [Command("urlset lint a.xml | head", 1), Command("urlset rule", 0)]
    assert commands(found[3].text) == [Command("urlset read a.xml", 0)]


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


@pytest.mark.parametrize("name", GENERATED)
def test_what_is_made_from_data_is_fresh(name: str) -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "generate.py"))["PAGES"]
    assert sorted(pages) == GENERATED
    assert (ROOT / "docs" / name).read_text("utf-8") == pages[name](), "run `make docs`"


def test_a_rule_lists_the_profiles_that_differ() -> None:
    text = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert "\n## PRI004 priority-ignored\n" in text
    _, _, section = text.partition("\n## PRI004 priority-ignored\n")
    before, _, _ = section.partition("### What it does")
    assert "\n- Off in protocol, yandex, baidu, naver, seznam: In the protocol these tags are hints" in before


@pytest.mark.parametrize("rows", [["50001"], pytest.param([], marks=pytest.mark.long)])
def test_the_demo_passes_all_its_checks(tmp_path: Path, rows: list[str]) -> None:
    examples = shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("out"))
    ended = subprocess.run(
        [sys.executable, str(examples / "demo.py"), *rows], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("✓") == 10


def test_the_speed_page_has_the_measured_figures() -> None:
    command = [sys.executable, str(ROOT / "benches" / "picture.py"), "--check"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 0, ended.stderr
