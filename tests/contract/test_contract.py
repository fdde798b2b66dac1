"""What the package promises about itself: its names, types, errors and command line."""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import pkgutil
import re
import typing
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import urlset
from support.documents import CORE
from urlset import _core
from urlset._cli.verbs import VERBS, function

PACKAGE = Path(urlset.__file__).parent
MODULES = sorted(
    module.name for module in pkgutil.walk_packages([str(PACKAGE)], "urlset.") if module.name != "urlset._core"
)
EXPORTS = {name: getattr(urlset, name) for name in urlset.__all__}
FUNCTIONS = {name: inspect.unwrap(value) for name, value in EXPORTS.items() if inspect.isroutine(value)}
CONSTANTS = {name: value for name, value in EXPORTS.items() if name.isupper()}
CLASSES = {name: value for name, value in EXPORTS.items() if inspect.isclass(value)}
#: Types of values: Literals, which have no docstring of their own.
TYPES = {name: value for name, value in EXPORTS.items() if typing.get_origin(value) is typing.Literal}


def types_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of a function. Some classes are imported for type checkers alone, so that a help is fast."""
    names: dict[str, Any] = {}
    for node in ast.parse(inspect.getsource(inspect.getmodule(function) or urlset)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), "<types>", "exec"), names)
    return typing.get_type_hints(function, localns=names)


# --- names --------------------------------------------------------------------------------------------------


def test_all_is_sorted_and_complete() -> None:
    assert urlset.__all__ == sorted(set(urlset.__all__), key=lambda name: (not name.isupper(), name))
    there = {name for name, value in vars(urlset).items() if not name.startswith("_") and not _is_module(value)}
    assert there == set(urlset.__all__)
    assert set(dir(urlset)) == {*urlset.__all__, "__version__", "sources"}
    assert EXPORTS.keys() == FUNCTIONS.keys() | CONSTANTS.keys() | CLASSES.keys() | TYPES.keys()
    assert all(inspect.isfunction(function) for function in FUNCTIONS.values())


def test_the_stub_takes_each_name_from_where_it_is() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    taken = {
        alias.name: f"{node.module}.{alias.name}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module != "urlset"
        for alias in node.names
    }
    (listed,) = (ast.literal_eval(node.value) for node in stub.body if isinstance(node, ast.Assign))
    assert taken == {name: f"urlset.{home}.{name}" for name, home in urlset._HOMES.items()}  # type: ignore[attr-defined]
    assert listed == urlset.__all__


def test_the_version_is_that_of_the_package() -> None:
    assert urlset.__version__ == version("urlset")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", urlset.__version__)
    with pytest.raises(AttributeError, match="has no attribute 'versoin'"):
        urlset.versoin  # type: ignore[attr-defined]  # noqa: B018


def _is_module(value: object) -> bool:
    return isinstance(value, ModuleType)


def test_the_rooms_that_are_public() -> None:
    public = {name for name in MODULES if not any(part.startswith("_") for part in name.split(".")[1:])}
    assert {name.removeprefix("urlset.").partition(".")[0] for name in public} == {"contrib", "jobs", "sources"}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("urlset._model.")])
def test_every_class_of_values_and_errors_is_exported(name: str) -> None:
    module = importlib.import_module(name)
    classes = {
        each
        for each, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == name and not each.startswith("_")
    }
    # What passes between Python and the core, and between rooms.
    if name not in ("urlset._model.core_types", "urlset._model.fetched_pages"):
        assert classes <= set(urlset.__all__)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_verb_takes_and_returns_classes_that_are_exported(name: str) -> None:
    hints = types_of(FUNCTIONS[name])
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
    assert "return" in types_of(function)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_but_the_first_arguments_have_names(name: str) -> None:
    kinds = [parameter.kind for parameter in inspect.signature(FUNCTIONS[name]).parameters.values()]
    positional = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
    two = dict.fromkeys(("write", "publish", "feed", "llms", "diff", "report"), 2)
    assert positional == ({"rules": 0} | two).get(name, 1)


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
    urlset.parse(f'<urlset xmlns="{CORE}">{"<a>" * 200}{"</a>" * 200}</urlset>'.encode(), strict=True)


def _missing_child(folder: Path) -> None:
    urlset.write([urlset.SitemapEntry("https://example.com/a.xml")], folder / "sitemap.xml")
    urlset.read(folder, strict=True)


RAISED: dict[str, Callable[[Path], object]] = {
    "InputError": lambda _: urlset.read([]),
    "EntryError": lambda _: urlset.write(["/relative"], io.BytesIO()),
    "NotASitemapError": lambda _: urlset.parse(b"<html></html>"),
    "MalformedError": lambda _: urlset.parse(f'<urlset xmlns="{CORE}">'.encode(), strict=True),
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
        urlset.parse(f'<urlset xmlns="{CORE}">\n<url>'.encode(), location="there.xml", strict=True)
    assert (broken.value.location, broken.value.line, broken.value.column) == ("there.xml", 2, 1)
    assert str(broken.value).startswith("there.xml:2:1: ")
    error = urlset.EntryError(7, "https://example.com/" + "x" * 100, "LOC009", "it is long")
    assert (error.index, error.code, error.reason) == (7, "LOC009", "it is long")
    assert len(str(error)) < 130
    assert str(urlset.DocumentError("nothing known")) == "nothing known"


# --- the command line ---------------------------------------------------------------------------------------


def test_every_verb_is_a_function_too() -> None:
    assert set(VERBS) == {
        "read",
        "stats",
        "discover",
        "publish",
        "verify",
        "feed",
        "llms",
        "lint",
        "rule",
        "diff",
        "submit",
        "init",
        "watch",
        "robots",
        "rates",
        "schedule",
        "simulate",
        "report",
        "crawl",
        "audit",
    }
    # What `init` writes is for people.
    twins = {"rule": "rules", "init": "publish"}
    assert {twins.get(verb, verb) for verb in VERBS} <= FUNCTIONS.keys()


@pytest.mark.parametrize("verb", VERBS)
def test_the_list_of_verbs_says_of_each_what_its_help_says(verb: str) -> None:
    assert VERBS[verb] == (function(verb).__doc__ or "").strip().partition("\n\n")[0]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_shows_an_example_and_its_exit_codes(verb: str) -> None:
    text = inspect.getdoc(function(verb)) or ""
    assert re.search(rf"Examples:\n\s+urlset {verb}", text)
    assert re.search(r"Exit codes:\n\s+0 ", text)
