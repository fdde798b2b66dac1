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
from urlset._cli.verbs import VERBS

PACKAGE = Path(urlset.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))

#: What only tests and benches have.
FOREIGN = {"pandas", "polars", "pyarrow", "numpy", "lxml"}
#: What a caller has who hands over a client.
OF_THE_CALLER = {"httpx2"}

#: Modules that are imported only where an extra is needed, so they can import what it brings.
OF_AN_EXTRA = {
    PACKAGE / "contrib" / "mkdocs.py",
    PACKAGE / "contrib" / "pelican.py",
    PACKAGE / "contrib" / "scrapy.py",
    PACKAGE / "contrib" / "sphinx.py",
    *(PACKAGE / "contrib" / "django").rglob("*.py"),
    *(PACKAGE / "contrib" / "wagtail").rglob("*.py"),
}
#: What runs inside Spark, which hands out and takes batches of pyarrow, and brings it.
OF_SPARK = set((PACKAGE / "contrib" / "spark").glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_module_imports_a_library_of_tables(path: Path) -> None:
    imported: set[str] = set()
    late: set[str] = set()
    tree = ast.parse(path.read_text("utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = {each for node in ast.walk(tree) if isinstance(node, functions) for each in ast.walk(node)}
    for node in ast.walk(tree):
        found = late if node in inside or _is_for_types(node, tree) else imported
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    in_spark = {"pyarrow"} if path in OF_SPARK else set[str]()
    assert not (imported | late) & (FOREIGN - in_spark)
    declared: set[str] = set()
    extras: set[str] = set()
    for text in requires("urlset") or []:
        name = re.split(r"[\s<>=!;\[]", text)[0].replace("-", "_")
        if "extra ==" not in text:
            declared.add(name)
        elif not re.search("extra == .(test|docs|bench)", text):
            extras.add(name)
    own = set(sys.stdlib_module_names) | declared | {"urlset"} | in_spark
    assert imported <= (own | extras if path in OF_AN_EXTRA | OF_SPARK else own)
    # What only an extra or the caller brings is imported where it is used.
    assert late <= own | extras | OF_THE_CALLER


def _is_for_types(node: ast.AST, tree: ast.Module) -> bool:
    """Whether it is imported for the type checker alone."""
    blocks = (each for each in tree.body if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING")
    return any(node in block.body for block in blocks)


def loaded_by(program: str) -> set[str]:
    """The modules that are there when a program has run, in a process of its own."""
    listing = f"import sys\n{program}\nprint(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    return set(ended.stdout.split())


def test_to_import_the_package_is_to_import_little() -> None:
    assert {name for name in loaded_by("import urlset") if name.startswith("urlset")} == {"urlset"}


@pytest.mark.parametrize("name", ["scan", "read", "parse", "write", "lint", "publish", "Site"])
def test_a_function_does_not_import_what_it_may_not_need(name: str) -> None:
    loaded = {module.partition(".")[0] for module in loaded_by(f"import urlset; urlset.{name}")}
    assert "urlset" in loaded
    assert loaded & {*FOREIGN, "duckdb", "click", "rich", "httpx2", "asyncio"} == set()


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_does_not_import_the_other_verbs(verb: str) -> None:
    loaded = loaded_by(f"from urlset._cli import verbs; verbs.function('{verb}')")
    assert {each for each in VERBS if f"urlset._cli.{each}" in loaded} == {verb}


#: What draws, stores, connects, and brings a run of its own. Names of packages stand for all of their modules.
HEAVY = {
    *("rich.console", "rich.table", "rich.text", "rich.progress", "rich.markdown", "pydantic", "typer"),
    *("duckdb", "pyarrow", "pandas", "polars", "numpy", "obstore"),
    *("asyncio", "ssl", "http.client", "urllib.request", "httpx2", "publicsuffixlist"),
    *("importlib.metadata", "importlib.resources", "logging", "concurrent.futures", "subprocess", "email"),
}
#: What only running a verb needs.
WORK = {
    *("urlset._fetch.pool", "urlset._fetch.documents", "urlset._lint.set", "urlset._lint.linter"),
    *("urlset._read.scan", "urlset._publish.stages", "urlset._publish.commit.commit", "urlset._config.site"),
    *("urlset._indexnow.client", "urlset._audit.corrected_rows", "urlset._runs.fetching"),
}


def loaded_by_command(*arguments: str, codes: tuple[int, ...] = (0,)) -> set[str]:
    """The modules that are there when a command line has run, which writes to nowhere."""
    program = f"""
sys.argv = ["urlset", *{list(arguments)!r}]
from urlset._cli import main
import os
said, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
os.dup2(nowhere, 1)
try:
    main()
except SystemExit as end:
    assert (end.code or 0) in {codes!r}, end.code
sys.stdout.flush()
os.dup2(said, 1)
"""
    return loaded_by(program)


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_imports_nothing_that_only_running_it_needs(verb: str) -> None:
    loaded = loaded_by_command(verb, "--help")
    assert "click" in loaded
    assert loaded & (HEAVY | WORK) == set()


def test_a_lint_imports_nothing_that_a_sound_document_does_not_need(tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    urlset.write(["https://shop.example/"], file)
    loaded = loaded_by_command("lint", str(file))
    assert "urlset._lint.linter" in loaded
    assert loaded & HEAVY == set()


def test_a_read_into_a_pipe_imports_nothing_that_draws_or_stores(tmp_path: Path) -> None:
    file = tmp_path / "sitemap.xml"
    urlset.write(["https://shop.example/"], file)
    loaded = loaded_by_command("read", str(file))
    assert "urlset._read.scan" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_the_help_imports_no_verb(arguments: list[str]) -> None:
    program = f"""
sys.argv = ["urlset", *{arguments}]
from urlset._cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""
    loaded = loaded_by(program)
    assert {each for each in VERBS if f"urlset._cli.{each}" in loaded} == set()
    assert ("click" in loaded) is (arguments == ["--help"])
