"""The notebooks of the examples run, and show what they promise. They are kept without outputs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient and ipykernel are not installed")
nbformat: Any = pytest.importorskip("nbformat")

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
#: What somebody who runs a notebook has to see, and how many pictures at least.
SHOWN = {
    "database-to-set": (["https://shop.example/sitemap.xml 2000", "0 changes, 1 documents kept"], 4),
    "freshness": (["do not believe the lastmods of /news/"], 1),
    "site-at-a-glance": (["no findings", "2 listed pages are 404"], 3),
    "twenty-sites": (["19 of 20 sites could be read, 18 of them whole"], 2),
}


def notebooks() -> list[Path]:
    """All notebooks."""
    return sorted(FOLDER.glob("*.ipynb"))


def shown(notebook: Any) -> Iterator[str]:
    """Everything that a notebook shows."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            yield from [output.text] if output.output_type == "stream" else output.data.values()


def test_each_notebook_is_tested() -> None:
    assert {path.stem for path in notebooks()} == SHOWN.keys()


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_promises(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert not list(shown(notebook)), "clear the outputs before a commit"
    folder = shutil.copytree(FOLDER, tmp_path / "notebooks")
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute()  # raises if a cell does
    texts = list(shown(notebook))
    sentences, pictures = SHOWN[path.stem]
    for sentence in sentences:
        assert any(sentence in text for text in texts), (sentence, texts)
    assert sum("<svg" in text for text in texts) >= pictures
