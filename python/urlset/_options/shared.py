"""Options that several verbs have, each declared once as a type."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from urlset import _core
from urlset._model.errors import InputError
from urlset._options import kinds
from urlset._options.option import Option
from urlset._page.ignored import Ignored
from urlset._util.plans import Plan
from urlset._util.zones import check_zone

STORES = "Object stores"

#: Options of a store that only Python can pass.
_NOT_OPTIONS = ("object_headers", "clock", "credential_provider")


def check_store_option(name: str) -> None:
    """Raise InputError if `name` cannot be an option of an object store."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in _NOT_OPTIONS:
        raise InputError(f"{name!r} is not a store option, such as endpoint or region")


StoreOptions = Annotated[
    Mapping[str, Any] | None,
    Option(
        "Options of the object store, such as endpoint and region; secrets stay in the environment.",
        kind=kinds.STORE,
        example='{ region = "eu-central-1", endpoint = "https://storage.example.com" }',
        metavar="NAME=VALUE",
        panel=STORES,
    ),
]
Follow = Annotated[bool, Option("Read the children of an index or a robots.txt too, or only what it lists itself.")]
Strict = Annotated[bool, Option("Stop at the first document that fails, instead of going on with the others.")]
Render = Annotated[bool, Option("Show pages that are empty without scripts in a Chromium, and go by what that shows.")]
#: A crawl and an audit go on with a run that was killed, and a watch compares with the run before.
STATE = Option("File that keeps the results for the next run over the site.", metavar="FILE")
State = Annotated[str | os.PathLike[str] | None, STATE]
#: A table of `schedule`, by which a crawl and a watch go.
ByPlan = Annotated[
    Plan | None,
    Option("Plan of schedule: request only what is due.", kind=kinds.PATH, metavar="FILE"),
]
#: What is left out when the contents of pages are compared, by crawl, audit and the source of built pages.
MASK = Option(
    "Text in pages to leave out of their content; * stands for anything.",
    example='["visitors today: *"]',
    check=lambda texts: Ignored(mask=texts),
    metavar="TEXT",
)
BOILERPLATE = Option(
    "CSS selector of elements in pages to leave out of their content.",
    example='[".related", "#latest"]',
    check=lambda selectors: Ignored(boilerplate=selectors),
    metavar="SELECTOR",
)
Mask = Annotated[Sequence[str], MASK]
Boilerplate = Annotated[Sequence[str], BOILERPLATE]
#: What somebody adds to a report for whoever reads it.
Title = Annotated[str | None, Option("Title of the report.", metavar="TEXT", default="the site")]
Logo = Annotated[
    str | os.PathLike[str] | None,
    Option("Picture for the top of the report, of at most 256 kB: PNG, JPEG, GIF, WebP or SVG.", metavar="FILE"),
]
Note = Annotated[
    str | None, Option("Text for the reader of the report; an empty line begins a new paragraph.", metavar="TEXT")
]
Columns = Annotated[
    Sequence[str] | None,
    Option(
        "Columns to read, in order, such as loc,lastmod.",
        kind=kinds.WORDS,
        choices=tuple(_core.columns()),
        default="all",
        metavar="COLUMNS",
    ),
]
Zone = Annotated[
    str | None,
    Option(
        "Time zone of times that state none: a name such as Europe/Berlin, an offset such as +01:00, or Z.",
        example='"Europe/Berlin"',
        check=check_zone,
        metavar="ZONE",
    ),
]
