"""What the package imports, and when: little, and nothing that it does not declare."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
import urlset

PACKAGE = Path(urlset.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))

#: What only tests and benches have.
FOREIGN = {"pandas", "polars", "pyarrow", "numpy", "lxml"}


#: Modules that are imported only where an extra is needed, so they can import what it brings.
OF_AN_EXTRA = {
    PACKAGE / "_fetch" / f"{name}.py" for name in ("answers", "client", "own_client", "response", "tls", "transport")
}
OF_AN_EXTRA.add(PACKAGE / "contrib" / "scrapy.py")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_module_imports_a_library_of_tables(path: Path) -> None:
    imported: set[str] = set()
    late: set[str] = set()
    tree = ast.parse(path.read_text("utf-8"))
    inside = {each for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for each in ast.walk(node)}
    for node in ast.walk(tree):
        found = late if node in inside or _is_for_types(node, tree) else imported
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    assert not (imported | late) & FOREIGN
    declared: set[str] = set()
    extras: set[str] = set()
    for text in requires("urlset") or []:
        name = re.split(r"[\s<>=!;\[]", text)[0].replace("-", "_")
        if "extra ==" not in text:
            declared.add(name)
        elif re.search("extra == .(html|http|indexnow|postgresql|scrapy|stores)", text):
            extras.add(name)
    own = set(sys.stdlib_module_names) | declared | {"urlset"}
    assert imported <= (own | extras if path in OF_AN_EXTRA else own)
    # What only an extra brings is imported where it is used.
    assert late <= own | extras


def _is_for_types(node: ast.AST, tree: ast.Module) -> bool:
    """Whether it is imported for the type checker alone."""
    blocks = (each for each in tree.body if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING")
    return any(node in block.body for block in blocks)


def test_to_import_the_package_is_to_import_little() -> None:
    listing = "import sys, urlset; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    ended = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    loaded = set(ended.stdout.split())
    assert "urlset" in loaded
    assert not loaded & {*FOREIGN, "duckdb", "typer", "click", "rich"}
