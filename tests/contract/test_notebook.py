"""In a notebook: every verb works there, in a kernel of its own, and shows its result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.reading import urlset_of

nbclient = pytest.importorskip("nbclient", reason="nbclient and ipykernel are not installed")
nbformat: Any = pytest.importorskip("nbformat")

CELLS = {
    "import urlset": None,
    "entries = urlset.read('sitemap.xml'); entries": "<Entries: 2 entries of 1 document>",
    "entries['loc']": "['https://a.example/1', 'https://a.example/2']",
    "type(entries.to_pandas()), type(entries.to_polars()), type(entries.to_arrow())": None,
    "len(entries.to_duckdb())": "2",
    "urlset.lint('sitemap.xml', location='https://a.example/sitemap.xml').counts": "{}",
    "urlset.stats('sitemap.xml').entries": "2",
    "len(urlset.diff('sitemap.xml', 'sitemap.xml'))": "0",
    "urlset.publish([{'loc': '/1'}], 'out', base_url='https://a.example/').entries": "1",
    "urlset.verify('out').is_intact": "True",
}


def test_every_verb_works_in_a_notebook(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_bytes(urlset_of("https://a.example/1", "https://a.example/2"))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()  # raises if a cell does
    for cell, expected in zip(notebook.cells, CELLS.values(), strict=True):
        shown = [output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
        assert expected is None or shown == [expected], cell.source
    [table] = [output.data["text/html"] for output in notebook.cells[1].outputs]
    assert "<td>https://a.example/1</td>" in table
