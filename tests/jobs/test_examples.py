"""The examples in the docstrings of `urlset.jobs` run."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import pytest
import urlset.jobs

EXAMPLES = {
    name: text for name in urlset.jobs.__all__ if ">>> " in (text := inspect.getdoc(getattr(urlset.jobs, name)) or "")
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    output: list[str] = []
    example = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, None, 0)
    doctest.DocTestRunner().run(example, out=output.append)
    assert not output, "".join(output)


def test_every_function_has_an_example() -> None:
    functions = {name for name in urlset.jobs.__all__ if inspect.isroutine(getattr(urlset.jobs, name))}
    assert functions <= EXAMPLES.keys()
