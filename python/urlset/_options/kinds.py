"""The kinds of values that an option can have. The file and the command line each read them in their own way."""

from __future__ import annotations

import os
import types
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of value, and what the reference calls it.

    Two kinds are never equal: they may be read alike from the file, and differ on the command line.
    """

    name: str


STRING = Kind("string")
BOOLEAN = Kind("boolean")
NUMBER = Kind("whole number")
SECONDS = Kind("number of seconds")
#: A part of a whole, from 0 to 1.
SHARE = Kind("share")
MOMENT = Kind("time")
PATH = Kind("path")
STRINGS = Kind("list of strings")
#: What a type alone does not tell.
DESTINATION = Kind("path or URL")
DATABASE = Kind("URL")
#: A list in the file, also texts with commas on the command line.
WORDS = Kind("list of strings")
#: The same of rule selectors.
SELECTORS = Kind("list of strings")
#: The code or the name of a rule.
RULE = Kind("string")
GLOBS = Kind("list of paths and globs")
COLUMNS = Kind("table of strings")
#: Folders by language.
LANGUAGES = Kind("table of strings")
STORE = Kind("table")
#: HTTP headers by name; their values may be secrets.
HEADERS = Kind("table of strings")
OBJECT_HEADERS = Kind("table of tables")
IGNORES = Kind("table of lists")
COPIES = Kind("table of paths")
#: Sites by the sites that they stand for.
MAPPED = Kind("table of strings")


def kind_of(annotation: Any) -> tuple[Kind | None, tuple[str, ...]]:
    """Return the kind of the values of a type, and the words that they are of. None leaves the kind to be declared."""
    members = [each for each in _members(annotation) if each is not types.NoneType]
    first = members[0] if members else None
    origin = get_origin(first)
    if origin is Literal:
        return STRING, get_args(first)
    if any(get_origin(each) is os.PathLike or each is Path for each in members):
        return PATH, ()
    if origin in (Sequence, Collection, tuple, list):
        _, choices = kind_of(get_args(first)[0])
        return STRINGS, choices
    if origin is Mapping or not isinstance(first, type):
        return None, ()
    if issubclass(first, date):
        return MOMENT, ()
    return {bool: BOOLEAN, int: NUMBER, float: SECONDS, str: STRING}.get(first), ()


def _members(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (types.UnionType, Union) else (annotation,)
