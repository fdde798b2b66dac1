"""Which run of a file somebody means: the third one, that of a day, or the last one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date
from typing import Final

from urlset._model.errors import InputError
from urlset._runs.file import Run, Verb

_NUMBER: Final = re.compile(r"(?:(audit|crawl) )?(\d{1,9})", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def names_run(name: int | str | date) -> bool:
    """Return whether a name is that of a run, and not of a file: a number, a day, or `crawl 2`."""
    return not isinstance(name, str) or bool(_NUMBER.fullmatch(name) or _DAY.fullmatch(name))


def chosen_run(runs: Sequence[Run], name: int | str | date, verb: Verb, what: str) -> Run:
    """Return the run that a name means.

    Args:
        runs: The runs of a file, the first one first.
        name: The number of a run, counted by verb, as an int or a text, also as in `crawl 2`; or a day, which means the
            last run that began on it or before it, in UTC.
        verb: Of which verb it is, if the name does not say.
        what: What the name was given as, for messages.

    Raises:
        InputError: There is no such run.
    """
    day = name if isinstance(name, date) else _day(name, what)
    found = None if day is not None else _NUMBER.fullmatch(str(name))
    if day is None and (found is None or isinstance(name, bool)):
        raise InputError(f"{what} must be the number of a run, or a day such as 2026-11-01, got {name!r}")
    if found is not None and found[1]:
        verb = "crawl" if found[1] == "crawl" else "audit"
    known = [run for run in runs if run.verb == verb]
    if day is not None:
        fitting = [run for run in known if run.started.astimezone(UTC).date() <= day]
    else:
        assert found is not None
        fitting = [run for run in known if run.number == int(found[2])]
    if not fitting:
        names = ", ".join(run.name for run in known) or f"no {verb}"
        raise InputError(f"{what} {name} is not a run of this file, which has {names}")
    return fitting[-1]


def _day(name: int | str, what: str) -> date | None:
    if not isinstance(name, str) or not _DAY.fullmatch(name):
        return None
    try:
        return date.fromisoformat(name)
    except ValueError as error:
        raise InputError(f"{what} {name} is not a day: {error}") from None
