"""The plan of `--plan`: a file with the columns `loc` and `next`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def plan_rows(options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the argument `plan` of a verb, with the rows of the file that was named; nothing without one."""
    file = options.get("plan")
    if file is None:
        yield {}
        return
    from urlset.sources import files  # noqa: PLC0415  (a help asks for the declarations alone)

    with files.rows(file, keep=("next",)) as rows:
        yield {"plan": rows}
