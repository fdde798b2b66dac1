"""Writes down all that is public, so that a change of it is a decision: tests/contract/public.txt.

python docs/make/record.py            write it
python docs/make/record.py --check    exit code 1 if it is out of date

docs/versioning.md says what a release may change of it.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

import click
import urlset
from settings import TABLES
from urlset._cli.parameters import VerbArgument, VerbOption
from urlset._cli.verbs import VERBS, command
from urlset._options.option import options_of
from urlset._rules.profiles import PROFILES, profile
from urlset._runs.schema import COLUMNS

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "contract" / "public.txt"
SOURCE = ROOT / "python" / "urlset"
HEAD = """\
What is public of urlset, one thing a line. `make docs` writes it anew: a line that changes is a decision, by the rules
of docs/versioning.md, and belongs into CHANGELOG.md.
"""
#: Modules whose names are public, beside those of `urlset` itself; what needs an extra is read and not imported.
MODULES = ("jobs", "contrib.asgi", "contrib.wsgi", *(f"sources.{name}" for name in urlset.sources.__all__))
UNIMPORTED = tuple(
    f"contrib.{name}"
    for name in (
        *("django.stale", "django.views", "mkdocs", "pelican", "scrapy"),
        *("spark", "sphinx", "wagtail", "wagtail.views"),
    )
)
#: Methods with names of their own by which an object is used without a call.
SPECIAL = frozenset(
    (
        "__aenter__",
        "__aiter__",
        "__anext__",
        "__arrow_c_schema__",
        "__arrow_c_stream__",
        "__bool__",
        "__contains__",
        "__enter__",
        "__getitem__",
        "__iter__",
        "__len__",
        "__next__",
        "__str__",
    )
)


def record() -> str:
    """Return all that is public."""
    parts = {
        "Python": _python(),
        "command line": _command_line(),
        "urlset.toml": _settings(),
        "JSON": _schemas(),
        "rules": _rules(),
        "profiles": _profiles(),
        "extras": _extras(),
        "environment": _environment(),
        "run files": _run_files(),
    }
    return "\n".join([HEAD, *chain.from_iterable((f"# {name}", *lines, "") for name, lines in parts.items())])


# --- Python ----------------------------------------------------------------------------------------------------------


def _python() -> Iterator[str]:
    """Yield the public names with their signatures, and the members of classes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    yield f"python {project['requires-python']}"
    for name in urlset.__all__:
        yield from _object(f"urlset.{name}", getattr(urlset, name))
    for name in MODULES:
        module = import_module(f"urlset.{name}")
        public = getattr(module, "__all__", None) or [
            each for each, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
        ]
        for each in sorted(each for each in public if not each.startswith("_")):
            if isinstance(getattr(module, each), TypeVar):
                continue
            yield from _object(f"urlset.{name}.{each}", getattr(module, each))
    for name in UNIMPORTED:
        yield from _unimported(name)


def _object(path: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value):
        yield from _class(path, value)
    elif callable(value) and get_origin(value) is None:
        yield f"{path}{_signature(value)}"
    else:
        choices = get_args(value)
        yield f"{path} = {' | '.join(map(_type, choices)) if choices else repr(value)}"


def _class(path: str, value: type) -> Iterator[str]:
    bases = [base.__name__ for base in value.__bases__ if base is not object and not base.__name__.startswith("_")]
    yield f"{path}{_signature(value) if _is_made(value) else ''}" + (f" is {', '.join(bases)}" if bases else "")
    members: dict[str, str] = dict.fromkeys(_stated(value), "")
    known = vars(sys.modules[value.__module__])
    for each in fields(value) if is_dataclass(value) else ():
        members[each.name] = f": {_plain(each.type, known)}"
    for base in reversed(value.__mro__):
        if not base.__module__.startswith("urlset"):
            continue
        for name, member in vars(base).items():
            if name.startswith("_") and name not in SPECIAL:
                continue
            inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if inspect.isroutine(inner):
                members[name] = _signature(inner)
            elif isinstance(member, property):
                members[name] = f": {_returned(member)}"
            else:
                members.setdefault(name, "")
    yield from (f"{path}.{name}{members[name]}" for name in sorted(members))


def _is_made(value: type) -> bool:
    """Return whether people make objects of a class, and do not only get them."""
    if is_dataclass(value):
        return any(each.default is not MISSING or each.default_factory is not MISSING for each in fields(value)[:1])
    return issubclass(value, Exception) or "Args:" in (inspect.getdoc(value) or "")


def _stated(value: type) -> list[str]:
    """Return the attributes that a docstring names."""
    _, _, text = (inspect.getdoc(value) or "").partition("Attributes:\n")
    return re.findall(r"^    (\w+):", text.partition("\n\n")[0], re.MULTILINE)


def _signature(value: Any) -> str:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # one of the core says nothing
        return "(...)"
    known = getattr(sys.modules.get(value.__module__ or ""), "__dict__", {})
    shown = [
        each.replace(
            annotation=each.empty if each.annotation is each.empty else _Text(_plain(each.annotation, known)),
            default=each.default if each.default is each.empty else _Text(_value(each.default)),
        )
        for name, each in signature.parameters.items()
        if name not in ("self", "cls")
    ]
    returned = signature.return_annotation
    return str(
        signature.replace(
            parameters=shown,
            return_annotation=returned if returned is signature.empty else _Text(_plain(returned, known)),
        )
    )


def _returned(member: property) -> str:
    returned = inspect.signature(member.fget).return_annotation if member.fget is not None else "Any"
    return _plain(returned, {})


class _Text:
    """Shows itself as a text without quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _value(default: Any) -> str:
    shown = repr(default)
    return "..." if " at 0x" in shown or shown.startswith("<") else shown


def _plain(annotation: Any, known: dict[str, Any]) -> str:
    """Return a type without what declares an option."""
    if not isinstance(annotation, str):
        return _type(annotation)
    tree = ast.parse(annotation, mode="eval")
    if isinstance(tree.body, ast.Constant) and isinstance(tree.body.value, str):
        return _plain(tree.body.value, known)
    return ast.unparse(_Plain(known).visit(tree))


class _Plain(ast.NodeTransformer):
    """Puts T in the place of `Annotated[T, ...]`, and of the name of such a type."""

    def __init__(self, known: dict[str, Any]) -> None:
        self._known = known

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if ast.unparse(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
            inner: ast.AST = self.visit(node.slice.elts[0])
            return inner
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._known.get(node.id)
        return ast.Name(_type(value)) if get_origin(value) is Annotated else node


def _type(value: Any) -> str:
    if get_origin(value) is Annotated:
        value = get_args(value)[0]
    return value.__name__ if isinstance(value, type) and not get_args(value) else re.sub(r"\b[\w.]+\.", "", str(value))


def _unimported(name: str) -> Iterator[str]:
    """Yield what a module exports that needs an extra: its functions and classes, from their source."""
    path = SOURCE / name.replace(".", "/")
    main = ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8"))
    [exported] = [
        ast.literal_eval(node.value)
        for node in main.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    imported = {each.name: node.module for node in main.body if isinstance(node, ast.ImportFrom) for each in node.names}
    for public in sorted(exported):
        module = imported.get(public)
        found = (
            main if module is None else ast.parse((SOURCE.parent / f"{module.replace('.', '/')}.py").read_text("utf-8"))
        )
        [node] = [each for each in found.body if getattr(each, "name", None) == public]
        yield from _node(f"urlset.{name}.{public}", node)


def _node(path: str, node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        yield f"{path}({ast.unparse(_Plain({}).visit(node.args))}){returned}"
    elif isinstance(node, ast.ClassDef):
        yield f"{path} is {', '.join(map(ast.unparse, node.bases))}" if node.bases else path
        for each in node.body:
            target = each.target if isinstance(each, ast.AnnAssign) else None
            name = ast.unparse(target) if target is not None else getattr(each, "name", "_")
            if not name.startswith("_"):
                yield from [f"{path}.{name}"] if target is not None else _node(f"{path}.{name}", each)


# --- everything else -------------------------------------------------------------------------------------------------


def _command_line() -> Iterator[str]:
    """Yield verbs, their arguments, options, choices, defaults, and exit codes."""
    for name in VERBS:
        verb = command(name)
        for each in verb.params:
            if isinstance(each, VerbArgument):
                yield f"urlset {name} {each.metavar}"
        codes = re.findall(r"^ +(\d+)  ", (verb.help or "").partition("Exit codes:\n")[2], re.MULTILINE)
        yield f"urlset {name} exits with {', '.join(codes)}"
        yield from sorted(f"urlset {name} {_option(each)}" for each in verb.params if isinstance(each, VerbOption))


def _option(option: VerbOption) -> str:
    declared = option.declared
    names = ", ".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" {option.make_metavar(click.Context(click.Command('urlset')))}"
    default = f" = {declared.shown_default}" if declared.shown_default else ""
    choices = f" [{', '.join(declared.choices)}]" if declared.choices else ""
    return f"{names}{value}{default}{choices}{', repeated' if option.multiple else ''}"


def _settings() -> Iterator[str]:
    """Yield the keys of the file."""
    for table, source in TABLES.items():
        for each in options_of(source):
            if each.example:
                yield f"[{table}] {each.key}" + (f" = {each.shown_default}" if each.shown_default else "")


def _schemas() -> Iterator[str]:
    """Yield the keys of each JSON output, with their types."""
    for path in sorted((ROOT / "docs" / "schemas").glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        yield from _keys(path.stem, schema, schema)


def _keys(path: str, value: dict[str, Any], whole: dict[str, Any]) -> Iterator[str]:
    for key, each in value.get("properties", {}).items():
        inner = each.get("items", each)
        target = inner.get("$ref", "")
        kind = each.get("type", target or [json.dumps(choice) for choice in each.get("enum", [each.get("const")])])
        shown = " | ".join(kind) if isinstance(kind, list) else str(kind)
        yield f"{path}.{key}: {shown}" + ("" if key in value.get("required", ()) else ", optional")
        if target.startswith("#/$defs/"):
            inner = whole["$defs"][target.rpartition("/")[2]]
        if inner is not value and inner is not whole:
            yield from _keys(f"{path}.{key}", inner, whole)


def _rules() -> Iterator[str]:
    """Yield codes, names and severities."""
    for each in urlset.rules():
        yield f"{each.code} {each.name}: {each.severity}, {each.authority}, {each.status}, {each.scope}, fix {each.fix}"


def _profiles() -> Iterator[str]:
    """Yield where a profile differs from the severities above."""
    for name in PROFILES:
        severities = profile(name).severities
        found = [(each.code, severities.get(each.code, "off"), each.severity) for each in urlset.rules()]
        yield f"{name}: {', '.join(f'{code} {here}' for code, here, own in found if here != own)}"


def _extras() -> Iterator[str]:
    """Yield the extras that users install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    yield from (name for name in sorted(project["optional-dependencies"]) if name not in ("bench", "docs", "test"))


def _environment() -> list[str]:
    """Return the variables that urlset reads by names of its own."""
    texts = (path.read_text("utf-8") for path in SOURCE.rglob("*.py"))
    return sorted({name for text in texts for name in re.findall(r"\bURLSET_[A-Z_]+", text)})


def _run_files() -> Iterator[str]:
    """Yield the tables of a run file with their columns, which people query."""
    for table, columns in COLUMNS.items():
        yield f"{table}: {', '.join(f'{name} {_column(kind)}' for name, kind in columns.items())}"


def _column(kind: Any) -> str:
    if isinstance(kind, list):
        return f"{_column(kind[0])}[]"
    return (
        f"({', '.join(f'{name} {_column(each)}' for name, each in kind.items())})" if isinstance(kind, dict) else kind
    )


def main() -> int:
    """Write the record, or compare it with what it would be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, and say whether it is out of date")
    text = record()
    if not parser.parse_args().check:
        RECORD.write_text(text, "utf-8")
    elif not RECORD.exists() or RECORD.read_text("utf-8") != text:
        print(
            f"{RECORD.relative_to(ROOT)} is out of date: what is public has changed, so run `make docs`",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
