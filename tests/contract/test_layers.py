"""The rooms of the package: imports run down the list in ARCHITECTURE.md, and no two modules import each other."""

from __future__ import annotations

import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ARCHITECTURE = Path(__file__).parents[2] / "ARCHITECTURE.md"
HEADING = "### Layers of the package"


def layers() -> list[str]:
    """The rooms as ARCHITECTURE.md lists them, from top to bottom."""
    section = ARCHITECTURE.read_text("utf-8").partition(HEADING)[2]
    block = re.search(r"```text\n(.*?)```", section, re.DOTALL)
    assert block, f"ARCHITECTURE.md has no block of text under {HEADING!r}"
    return [line.split()[0] for line in block[1].splitlines() if line.strip()]


@cache
def graph() -> grimp.ImportGraph:
    """Who imports whom, with the imports that are for types only."""
    found = grimp.build_graph("urlset", cache_dir=None)
    for module in found.find_modules_that_directly_import("urlset"):
        lines = {each["line_contents"] for each in found.get_import_details(importer=module, imported="urlset")}
        if lines == {"from urlset import _core"}:  # compiled, so no module of its own in this graph
            found.remove_import(importer=module, imported="urlset")
    return found


def test_the_map_lists_every_room() -> None:
    rooms = {module.partition(".")[2] for module in graph().find_children("urlset")}
    assert sorted(layers()) == sorted(rooms - {"_core", "__main__"})


def test_imports_run_down_the_map() -> None:
    found = graph().find_illegal_dependencies_for_layers(layers=tuple(f"urlset.{room}" for room in layers()))
    wrong = [f"{each.importer} reaches up to {each.imported}" for each in found]
    assert not wrong, "\n".join(wrong)


def test_no_modules_import_each_other() -> None:
    imports = {module: graph().find_modules_directly_imported_by(module) for module in graph().modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other: {' -> '.join(error.args[1])}")
