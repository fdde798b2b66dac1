"""How an option is declared: in the type of a parameter of a verb, or of a field of a value that verbs take.

    def crawl(site: str, *, max_pages: Annotated[int, Option("Request no further page after this many.")] = 1_000_000)

Python knows the name, the type and the default; `Option` has what is missing for the key of the file, the option of
the command line and the reference, all of which are made from the declaration. What several verbs share is declared
as a type (`Store`) or as a value (`Http`). A parameter without an `Option` is for Python alone.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin

from urlset._model.errors import InputError
from urlset._options.kinds import BOOLEAN, NUMBER, SECONDS, Kind, kind_of
from urlset._util.text import did_you_mean

C = TypeVar("C", bound=type)

#: What declares options: a verb, or the class of a value.
Source: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Option:
    """What is declared about an option, and what follows from its name, its type and its default.

    Attributes:
        help: One sentence for `--help`, for the reference and for the file that `urlset init` writes. The docstring of
            a verb says the same about its parameter.
        more: Further sentences for those who use it in Python.
        kind: How the value is read; what the type says if None.
        example: A value as TOML. An option without one is not a key of the file.
        default: The default in words, where the value does not say it.
        choices: All valid values, or all valid items of a list; those of the type.
        least: The least value of a number.
        most: Its greatest value.
        check: Raises InputError for an invalid value; its message is put after the key or the option.
        metavar: The placeholder for the value in `--help`.
        panel: The heading under which `--help` and the reference list the option.
        flags: The options of the command line, separated by commas; empty for what only the file and Python have.
        key: The key in the file.
        name: The name of the parameter or of the field.
        value: The default.
    """

    help: str
    more: str = ""
    kind: Kind | None = None
    example: str = ""
    default: str | None = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    check: Callable[[Any], object] | None = None
    metavar: str | None = None
    panel: str | None = None
    flags: str | None = None
    key: str = ""
    name: str = ""
    value: Any = None

    @property
    def flag(self) -> str:
        """The name under which messages and the reference show the option; empty for what is not one."""
        return (self.flags or "").partition("/")[0].partition(",")[0]

    @property
    def is_required(self) -> bool:
        """Whether a value has to be given."""
        return self.value is MISSING

    @property
    def shown_default(self) -> str | None:
        """The default as people read it; None if there is nothing to say about it."""
        if self.default is not None or self.value is MISSING:
            return self.default
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return f"{self.value:,}"
        return None

    def check_value(self, value: Any) -> None:
        """Raise InputError if `value` is invalid."""
        if self.choices:
            for each in [value] if isinstance(value, str) else value:
                if each not in self.choices:
                    raise InputError(f"unknown value {each!r}{did_you_mean(each, self.choices, or_all=True)}")
        if self.check is not None:
            self.check(value)


def options_of(source: Source) -> tuple[Option, ...]:
    """Return the options that a verb or the class of a value declares, in the order in which they stand there."""
    is_class = isinstance(source, type) and not is_dataclass(source)
    return _options_of(source.__init__ if is_class else inspect.unwrap(source))


def option_of(source: Source, name: str) -> Option:
    """Return one option."""
    return next(each for each in options_of(source) if each.name == name)


@cache
def _options_of(source: Source) -> tuple[Option, ...]:
    return tuple(_declared(source))


def _declared(source: Source) -> Iterator[Option]:
    types = _types_of(source)
    for name, value in _defaults_of(source):
        annotation = types.get(name)
        if get_origin(annotation) is not Annotated:
            continue
        of, *facts = get_args(annotation)
        for declared in facts:
            if isinstance(declared, Option):
                yield _completed(declared, name, of, value)


def _defaults_of(source: Source) -> Iterator[tuple[str, Any]]:
    """Yield the names of parameters or fields, and their defaults."""
    if is_dataclass(source):
        for each in fields(source):
            yield each.name, each.default if each.default_factory is MISSING else each.default_factory()
    else:
        for parameter in inspect.signature(source).parameters.values():
            yield parameter.name, MISSING if parameter.default is parameter.empty else parameter.default


def _types_of(source: Source) -> dict[str, Any]:
    """Return the types of parameters or fields. One that only type checkers can resolve has no option."""
    found: dict[str, Any] = {}
    for each in reversed(source.__mro__) if isinstance(source, type) else [source]:
        names = vars(sys.modules[each.__module__])
        for name, annotation in inspect.get_annotations(each).items():
            try:
                found[name] = eval(annotation, dict(names)) if isinstance(annotation, str) else annotation  # noqa: S307
            except NameError:
                found[name] = None
    return found


def _completed(declared: Option, name: str, of: Any, value: Any) -> Option:
    """Fill in what follows from the name, the type and the default."""
    kind, choices = kind_of(of)
    kind = declared.kind or kind
    words = name.replace("_", "-")
    flags = f"--{words}"
    if kind is BOOLEAN and (declared.example or value is True):  # so that the command line can take back the file
        flags += f"/--no-{words}"
    return replace(
        declared,
        name=name,
        value=value,
        kind=kind,
        choices=declared.choices or choices,
        key=declared.key or words,
        flags=flags if declared.flags is None else declared.flags,
        least=1 if declared.least is None and kind is NUMBER else declared.least,
    )


def check_values(value: Any) -> None:
    """Raise InputError for a field of a value that does not have the type, the bounds or the words of its option."""
    for option in options_of(type(value)):
        given = getattr(value, option.name)
        if given is None and option.value is None:
            continue
        name = f"{type(value).__name__}.{option.name}"
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        if option.kind is NUMBER and not (is_number and isinstance(given, int) and given >= (option.least or 0)):
            raise InputError(f"{name} must be a whole number from {option.least} up, got {given!r}")
        if option.most is not None and given > option.most:
            raise InputError(f"{name} must be at most {option.most:,}, got {given:,}")
        if option.kind is SECONDS and not (is_number and 0 < given < float("inf")):
            raise InputError(f"{name} must be a number of seconds above 0, got {given!r}")
        is_list = isinstance(option.value, tuple)
        if is_list:
            _check_texts(name, given)
        words = given if is_list else [given]
        for word in words if option.choices else ():
            if word not in option.choices:
                hint = did_you_mean(str(word), option.choices)
                raise InputError(f"{name} must be one of {', '.join(option.choices)}, got {word!r}{hint}")


def _check_texts(name: str, texts: Any) -> None:
    if isinstance(texts, str) or not hasattr(texts, "__iter__"):
        raise InputError(f"{name} must be a list of texts, got {texts!r}")
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{name} must have only texts that are not empty, got {text!r}")


def documented(value: C) -> C:
    """Put what is declared about the fields of a class of values into its docstring, as its attributes."""
    lines = [f"    {each.name}: {' '.join(filter(None, (each.help, each.more)))}" for each in options_of(value)]
    about, heading, rest = re.split(r"(\n\n(?:Raises|Example):\n|\Z)", inspect.getdoc(value) or "", maxsplit=1)
    value.__doc__ = "\n".join([about, "", "Attributes:", *lines]) + heading + rest
    return value
