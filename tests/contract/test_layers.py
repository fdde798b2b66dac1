"""The rooms of the package: imports run down the list in ARCHITECTURE.md, and no two modules import each other."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest
import urlset

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


def test_jobs_use_a_publish_by_its_parts_only() -> None:
    wanted = {"urlset._publish", "urlset._publish.parts"}
    jobs = ("urlset.jobs", "urlset.contrib")
    used = {
        f"{importer} imports {imported}"
        for importer in graph().modules
        for imported in graph().find_modules_directly_imported_by(importer)
        if importer.startswith(jobs) and imported.startswith("urlset._publish") and imported not in wanted
    }
    assert not used, "\n".join(sorted(used))


def test_no_modules_import_each_other() -> None:
    imports = {module: graph().find_modules_directly_imported_by(module) for module in graph().modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"these modules import each other: {' -> '.join(error.args[1])}")


def test_a_class_name_means_one_thing() -> None:
    homes: defaultdict[str, set[str]] = defaultdict(set)
    package = Path(urlset.__file__).parent
    for path in sorted(package.rglob("*.py")):
        # What is the same thing for several frameworks has the same name for all of them.
        home = "contrib" if path.is_relative_to(package / "contrib") else str(path)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(home)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}
