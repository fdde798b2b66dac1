"""What the package promises about itself: its names, errors, rules, types, dependencies and command line."""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import pkgutil
import re
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import requires, version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import urlset
from support.documents import CORE, violations
from urlset import _core
from urlset._cli import app
from urlset._lint.set import CODES as SET_CODES
from urlset._rules.profiles import PROFILES, profile

PACKAGE = Path(urlset.__file__).parent
MODULES = sorted(
    module.name for module in pkgutil.walk_packages([str(PACKAGE)], "urlset.") if module.name != "urlset._core"
)
SOURCES = sorted(PACKAGE.rglob("*.py"))
PAGES = sorted(PACKAGE.joinpath("_rules", "pages").glob("*.md"))
EXPORTS = {name: getattr(urlset, name) for name in urlset.__all__}
FUNCTIONS = {name: inspect.unwrap(value) for name, value in EXPORTS.items() if inspect.isroutine(value)}
CONSTANTS = {name: value for name, value in EXPORTS.items() if name.isupper()}
CLASSES = {name: value for name, value in EXPORTS.items() if inspect.isclass(value)}
#: Types of values: Literals, which have no docstring of their own.
TYPES = {name: value for name, value in EXPORTS.items() if typing.get_origin(value) is typing.Literal}


# --- names --------------------------------------------------------------------------------------------------


def test_all_is_sorted_and_complete() -> None:
    assert urlset.__all__ == sorted(set(urlset.__all__), key=lambda name: (not name.isupper(), name))
    there = {name for name, value in vars(urlset).items() if not name.startswith("_") and not _is_module(value)}
    assert there == set(urlset.__all__)
    assert EXPORTS.keys() == FUNCTIONS.keys() | CONSTANTS.keys() | CLASSES.keys() | TYPES.keys()
    assert all(inspect.isfunction(function) for function in FUNCTIONS.values())


def _is_module(value: object) -> bool:
    return isinstance(value, ModuleType)


def test_every_room_but_the_sources_is_private() -> None:
    public = {name for name in MODULES if not any(part.startswith("_") for part in name.split(".")[1:])}
    assert {name.removeprefix("urlset.").partition(".")[0] for name in public} == {"sources"}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("urlset._model.")])
def test_every_class_of_values_and_errors_is_exported(name: str) -> None:
    module = importlib.import_module(name)
    classes = {
        each
        for each, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == name and not each.startswith("_")
    }
    if name != "urlset._model.core_types":  # what passes between Python and the core
        assert classes <= set(urlset.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_verb_takes_and_returns_classes_that_are_exported(name: str) -> None:
    hints = typing.get_type_hints(FUNCTIONS[name])
    assert hints["return"] is not None
    returned = hints["return"]
    if inspect.isclass(returned) and returned.__module__.startswith("urlset."):
        assert returned.__name__ in urlset.__all__


@pytest.mark.parametrize("name", [name for name in EXPORTS if name not in CONSTANTS and name not in TYPES])
def test_exports_come_from_the_rooms_below(name: str) -> None:
    assert re.match(r"urlset\._[a-z]+\.", EXPORTS[name].__module__)


def test_the_package_is_typed_and_the_stub_is_the_binary() -> None:
    assert (PACKAGE / "py.typed").is_file()
    stub = ast.parse((PACKAGE / "_core.pyi").read_text("utf-8"))
    stubbed: dict[str, set[str]] = {}
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and not _is_typed_dict(node):
            stubbed[node.name] = {name for part in node.body for name in _names(part)} - set(dir(object))
        elif isinstance(node, ast.FunctionDef):
            stubbed[node.name] = set()
    binary: dict[str, set[str]] = {}
    for name, value in vars(_core).items():
        if inspect.isclass(value):
            binary[name] = vars(value).keys() - set(dir(object)) - {"__module__", "__int__"}
        elif callable(value) and not name.startswith("__"):
            binary[name] = set()
    assert stubbed == binary


def _names(part: ast.stmt) -> list[str]:
    """What a statement in the body of a class defines."""
    if isinstance(part, ast.FunctionDef):
        return [part.name]
    return [part.target.id] if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) else []


def _is_typed_dict(node: ast.ClassDef) -> bool:
    """Whether a class is only of the stub: a TypedDict, or made from one."""
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return bool(bases) and all(base == "TypedDict" or base.endswith("Report") for base in bases)


# --- documentation and types --------------------------------------------------------------------------------


def _methods(class_: type) -> Iterator[tuple[str, Any]]:
    for name, value in vars(class_).items():
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
            yield f"{class_.__name__}.{name}", value


METHODS = {name: value for class_ in CLASSES.values() for name, value in _methods(class_)}


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES, *METHODS])
def test_everything_public_is_documented(name: str) -> None:
    text = (EXPORTS | METHODS)[name].__doc__
    assert text
    # A dataclass without one gets its signature instead.
    assert not text.startswith(f"{name}(")
    assert text.split("\n")[0].rstrip().endswith((".", ":", ",")) or "\n" in text


@pytest.mark.parametrize("name", [*FUNCTIONS, *(name for name, value in METHODS.items() if inspect.isfunction(value))])
def test_everything_public_has_types(name: str) -> None:
    function = (FUNCTIONS | METHODS)[name]
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.name == "self" or parameter.annotation is not inspect.Parameter.empty
    assert "return" in typing.get_type_hints(function)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_but_the_first_arguments_have_names(name: str) -> None:
    kinds = [parameter.kind for parameter in inspect.signature(FUNCTIONS[name]).parameters.values()]
    positional = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
    assert positional == {"rules": 0, "write": 2, "publish": 2, "diff": 2}.get(name, 1)


# --- errors -------------------------------------------------------------------------------------------------

ERRORS = {name: value for name, value in CLASSES.items() if issubclass(value, Exception)}


def test_the_tree_of_errors_is_the_one_that_is_drawn() -> None:
    drawn: dict[str, str] = {}
    path: list[str] = []
    margin = 0
    text = inspect.getdoc(importlib.import_module("urlset._model.errors")) or ""
    for found in re.finditer(r"^([ │├└─]*)(\w+Error)(?:\((\w+)\))?( .*)?$", text, re.MULTILINE):
        branch, name, builtin, says = found.groups()
        # The root stands as far in as the whole drawing does.
        margin = len(branch) if not path else margin
        depth = (len(branch) - margin) // 4
        path[depth:] = [name]
        drawn[name] = path[depth - 1] if depth else "Exception"
        assert (builtin is not None) == (len(ERRORS[name].__bases__) == 2)
        assert builtin is None or ERRORS[name].__bases__[1].__name__ == builtin
        assert depth == 0 or (says or "").strip()
    assert drawn == {name: error.__bases__[0].__name__ for name, error in ERRORS.items()}
    assert {name for name in vars(importlib.import_module("urlset._model.errors")) if name.endswith("Error")} == set(
        drawn
    )


def _deep(_: Path) -> None:
    urlset.parse(f'<urlset xmlns="{CORE}">{"<a>" * 200}{"</a>" * 200}</urlset>'.encode())


def _missing_child(folder: Path) -> None:
    urlset.write([urlset.SitemapEntry("https://example.com/a.xml")], folder / "sitemap.xml")
    urlset.read(folder)


RAISED: dict[str, Callable[[Path], object]] = {
    "InputError": lambda _: urlset.read("https://example.com/sitemap.xml"),
    "EntryError": lambda _: urlset.write(["/relative"], io.BytesIO()),
    "NotASitemapError": lambda _: urlset.parse(b"<html></html>"),
    "MalformedError": lambda _: urlset.parse(f'<urlset xmlns="{CORE}">'.encode()),
    "LimitError": _deep,
    "FetchError": _missing_child,
    "GuardError": lambda folder: urlset.publish([], folder, base_url="https://example.com/"),
    "PublishError": urlset.rollback,
    "UrlsetError": lambda _: list(_handed_out()),
}


def _handed_out() -> Any:
    """The document of a scan, which has not kept its rows."""
    scan = urlset.scan(f'<urlset xmlns="{CORE}"/>'.encode())
    list(scan)
    return scan.documents[0]


@pytest.mark.parametrize("name", sorted(ERRORS.keys() - {"DocumentError"}))
def test_every_error_can_be_met(tmp_path: Path, name: str) -> None:
    with pytest.raises(ERRORS[name]) as raised:
        RAISED[name](tmp_path)
    assert type(raised.value) is ERRORS[name]
    assert str(raised.value)


def test_errors_have_their_attributes() -> None:
    with pytest.raises(urlset.MalformedError) as broken:
        urlset.parse(f'<urlset xmlns="{CORE}">\n<url>'.encode(), location="there.xml")
    assert (broken.value.location, broken.value.line, broken.value.column) == ("there.xml", 2, 1)
    assert str(broken.value).startswith("there.xml:2:1: ")
    error = urlset.EntryError(7, "https://example.com/" + "x" * 100, "LOC009", "it is long")
    assert (error.index, error.code, error.reason) == (7, "LOC009", "it is long")
    assert len(str(error)) < 130
    assert str(urlset.DocumentError("nothing known")) == "nothing known"


# --- rules --------------------------------------------------------------------------------------------------

HEADINGS = ["What it does", "Why it is bad", "Example", "Use instead", "Fix", "References"]
AUTHORITIES = {"protocol", "google", "bing", "yandex", "baidu", "practice"}


def test_the_core_and_the_pages_have_the_same_rules() -> None:
    of_documents = [rule for rule in urlset.rules() if rule.scope == "document"]
    of_core = [(rule.code, rule.name, rule.severity) for rule in _core.catalogue()]
    assert [(rule.code, rule.name, rule.severity) for rule in of_documents] == of_core
    # MOD009 is both: of a document, and of a whole set.
    of_sets = {rule.code for rule in urlset.rules() if rule.scope == "set"}
    assert of_sets | {"MOD009"} == set(SET_CODES)
    assert len(of_documents) + len(of_sets) == len(urlset.rules())
    assert [page.stem for page in PAGES] == [rule.code for rule in urlset.rules()]
    names = [rule.name for rule in urlset.rules()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("rule", urlset.rules(), ids=lambda rule: str(rule.code))
def test_a_page_has_the_form_of_all_pages(rule: urlset.Rule) -> None:
    assert re.fullmatch(r"[A-Z]{2,4}\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.severity in {"error", "warning", "info"}
    assert rule.authority in AUTHORITIES
    assert rule.status in {"stable", "preview"}
    assert rule.fix in {"none", "safe", "unsafe", "display"}
    assert rule.scope in {"document", "set"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", rule.since)
    assert re.findall(r"^## (.*)$", rule.page, re.MULTILINE) == HEADINGS
    assert not re.search(r"^# ", rule.page, re.MULTILINE)
    assert all(part.strip() for part in re.split(r"^## .*$", rule.page, flags=re.MULTILINE)[1:])
    assert re.fullmatch(r"[A-Z].{20,}\.", rule.summary)
    # Each source has its link, in the same order, and nothing else is linked there.
    links = re.findall(r"^- \[(.*)\]\(https://\S+\)$", rule.page.partition("## References\n")[2], re.MULTILINE)
    assert tuple(links) == rule.sources
    assert all(len(line) <= 120 or "http" in line for line in rule.page.splitlines())


def _examples(rule: urlset.Rule) -> tuple[str, str]:
    bad, good = re.findall(r"^```(?:xml|text)\n(.*?)^```$", rule.page, re.MULTILINE | re.DOTALL)
    return bad, good


# What one page cannot show: 50,001 entries, 52,428,801 bytes, 129 open elements, 1,001 images or articles, a character
# that no text may hold, other bytes than UTF-8, compression, a document without a URL, a folder that the document lives
# in, and what only a set of documents, a robots.txt or the time of a file shows.
NOT_SHOWN = {
    *("IDX001", "IDX004", "IDX007", "IDX008", "IMG002", "LIM001", "LIM002", "LIM003", "LIM004", "LIM007", "LOC009"),
    *(
        "LOC013",
        "LOC016",
        "LOC017",
        "MOD010",
        "NWS003",
        "ROB001",
        "ROB003",
        "ROB004",
        "ROB005",
        "TXT002",
        "XML007",
        "ALT009",
    ),
    *("XML013", "XML014"),
}
#: When examples are looked at.
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


def _profile_of(rule: urlset.Rule) -> str:
    """The first profile in which a rule is selected."""
    return next(name for name in PROFILES if rule.code in profile(name).severities)


@pytest.mark.parametrize("rule", urlset.rules(), ids=lambda rule: str(rule.code))
def test_the_examples_of_a_page_have_the_findings_that_it_states(rule: urlset.Rule) -> None:
    bad, good = (example.encode() for example in _examples(rule))
    location = "https://www.example.com/sitemap.xml"
    asked: dict[str, Any] = {"location": location, "profile": _profile_of(rule), "now": NOW}
    if rule.code not in NOT_SHOWN:
        assert set(urlset.lint(bad, preview=rule.status == "preview", **asked).counts) == {rule.code}
    assert urlset.lint(good, preview=True, **asked).diagnostics == ()
    document = urlset.parse(good)
    # The protocol has schemas for its own documents only, not for feeds and lists.
    assert document.kind not in {"urlset", "sitemapindex"} or violations(good) == []
    assert len(document) >= 1


def test_no_rule_reads_a_clock() -> None:
    core = PACKAGE.parent.parent / "crates" / "urlset-core" / "src"
    sources = [
        *PACKAGE.joinpath("_rules").rglob("*.py"),
        *PACKAGE.joinpath("_lint").rglob("*.py"),
        *core.rglob("*.rs"),
    ]
    assert len(sources) > 50
    clocks = re.compile(r"\.now\(|\.today\(|utcnow|time\.time|SystemTime|Instant::now")
    assert [path.name for path in sources if clocks.search(path.read_text("utf-8"))] == []
    # The one place that does is the boundary, if the caller gives no time.
    assert clocks.search(PACKAGE.joinpath("_util", "arguments.py").read_text("utf-8"))


# --- the command line ---------------------------------------------------------------------------------------


def test_every_verb_is_a_function_too() -> None:
    verbs = {command.name for command in app.registered_commands}
    assert verbs == {"read", "stats", "publish", "verify", "lint", "rule", "diff", "submit", "init"}
    # What `init` writes is for people.
    twins = {"rule": "rules", "init": "publish"}
    assert {twins.get(str(verb), str(verb)) for verb in verbs} <= FUNCTIONS.keys()


@pytest.mark.parametrize("command", app.registered_commands, ids=lambda command: str(command.name))
def test_every_verb_shows_an_example_and_its_exit_codes(command: Any) -> None:
    text = inspect.getdoc(command.callback) or ""
    assert re.search(rf"Examples:\n\s+urlset {command.name}", text)
    assert re.search(r"Exit codes:\n\s+0 ", text)


# --- dependencies -------------------------------------------------------------------------------------------

#: What only tests and benches have.
FOREIGN = {"pandas", "polars", "pyarrow", "numpy", "lxml"}


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
        elif re.search("extra == .(html|indexnow|postgresql|stores)", text):
            extras.add(name)
    own = set(sys.stdlib_module_names) | declared | {"urlset"}
    assert imported <= own
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


def test_the_version_is_that_of_the_package() -> None:
    assert urlset.__version__ == version("urlset")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", urlset.__version__)
    with pytest.raises(AttributeError, match="has no attribute 'versoin'"):
        urlset.versoin  # type: ignore[attr-defined]  # noqa: B018
