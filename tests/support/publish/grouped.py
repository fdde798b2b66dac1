"""Options of a verb by their names, as tests draw them, and as the values that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from urlset import Checks, Derived, Layout, Rules
from urlset._options.option import options_of

VALUES: Mapping[str, Any] = {"layout": Layout, "derived": Derived, "checks": Checks}


def grouped(options: Mapping[str, Any], values: Mapping[str, Any] = VALUES) -> dict[str, Any]:
    """The options with values in place of those that are fields of one."""
    left = dict(options)
    found: dict[str, Any] = {}
    for name, value in values.items():
        fields = {each.name: left.pop(each.name) for each in options_of(value) if each.name in left}
        if fields:
            found[name] = value(**fields)
    return {**left, **found}


#: The same of lint, fix and audit.
ruled = partial(grouped, values={"rules": Rules})
