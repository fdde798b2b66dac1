"""The docstrings of what is exported: their examples run, and the first snippets that people see have types."""

from __future__ import annotations

import doctest
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_origin

import pytest
import urlset
from support.pages import blocks

ROOT = Path(__file__).parents[2]
EXPORTS = {name: getattr(urlset, name) for name in urlset.__all__}
DOCSTRINGS = {
    name: inspect.getdoc(value) or ""
    for name, value in EXPORTS.items()
    if (inspect.isroutine(value) or inspect.isclass(value)) and get_origin(value) is None
}
EXAMPLES = [name for name, text in DOCSTRINGS.items() if ">>> " in text]


def test_every_verb_has_an_example() -> None:
    verbs = {name for name, value in EXPORTS.items() if inspect.isroutine(value)}
    assert verbs - set(EXAMPLES) == set()


@pytest.mark.parametrize("name", [name for name in DOCSTRINGS if inspect.isroutine(EXPORTS[name])])
def test_the_docstring_of_a_verb_has_sections(name: str) -> None:
    signature = inspect.signature(EXPORTS[name])
    arguments = DOCSTRINGS[name].partition("\nArgs:\n")[2].partition("\n\n")[0]
    assert [parameter for parameter in signature.parameters if f"    {parameter}: " not in arguments] == []
    assert re.search(r"^(Returns|Yields):|^Return ", DOCSTRINGS[name], re.MULTILINE)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_docstring_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    output: list[str] = []
    example = doctest.DocTestParser().get_doctest(DOCSTRINGS[name], {}, name, None, 0)
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=output.append)
    assert not output, "".join(output)


def test_every_example_has_its_own_section() -> None:
    assert [name for name in EXAMPLES if "\nExample:\n    >>> " not in DOCSTRINGS[name]] == []


MYPY = ["mypy", "--strict", f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={ROOT / '.mypy_cache'}"]
#: Pyright, in the distribution that brings what runs it.
PYRIGHT = ["basedpyright", "--level", "error", "--pythonpath", sys.executable]


@pytest.mark.parametrize("checker", [MYPY, PYRIGHT], ids=lambda checker: str(checker[0]))
def test_the_first_snippets_have_types(checker: list[str], tmp_path: Path) -> None:
    pages = [(ROOT / name).read_text("utf-8") for name in ("README.md", "docs/tutorial.md")]
    snippets = "\n".join(block.text for page in pages for block in blocks(page) if block.language == "python")
    assert "entry.priority" in snippets
    file = tmp_path / "snippets.py"
    file.write_text(snippets, "utf-8")
    package = str(Path(urlset.__file__).parent.parent)
    settings = {"typeCheckingMode": "standard", "extraPaths": [package], "include": [file.name]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", *checker, file.name],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": package},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
