"""The audit that another one is compared with: the last one of the same sitemaps, or a baseline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from urlset._model.errors import InputError
from urlset._runs.chosen import chosen_run, names_run
from urlset._runs.file import Run, RunFile, runs_of
from urlset._util.duckdb import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: What a baseline is: the number of an audit in the state, a day, or another file.
Baseline = int | str | date | os.PathLike[str]
#: The name under which the file of a baseline is attached.
_ATTACHED: Final = "baseline"
_ENDED: Final = ("complete", "bounded")


@dataclass(frozen=True, slots=True)
class Earlier:
    """The audit that another one is compared with.

    Attributes:
        run: The audit; None if there is none.
        database: Under which name its file is attached; None for the state itself.
        is_own: Whether it was about the same sitemaps: what it has found and the other one does not find is fixed then.
        name: What people call it; None if there is none.
    """

    run: Run | None
    database: str | None
    is_own: bool
    name: str | None


def earlier_audit(
    file: RunFile,
    source: str,
    sites: Mapping[str, str],
    baseline: Baseline | None,
    state: str | os.PathLike[str] | None,
) -> Earlier:
    """Return the audit to compare a new one of a source with, whose sites are reached elsewhere or not.

    Raises:
        InputError: The baseline is not an audit, or it is the state itself.
    """
    if baseline is None:
        fitting = [run for run in _audits(runs_of(file.connection, "runs")) if _is_of(run, source, sites)]
        return _earlier(fitting[-1] if fitting else None, None, is_own=True)
    if isinstance(baseline, int | str | date) and names_run(baseline):
        run = chosen_run(_audits(runs_of(file.connection, "runs")), baseline, "audit", "baseline")
        return _earlier(run, None, is_own=_is_of(run, source, sites))
    assert isinstance(baseline, str | os.PathLike)
    _attach(file.connection, baseline, state)
    audits = _audits(runs_of(file.connection, f"{_ATTACHED}.runs"))
    if not audits:
        raise InputError(f"baseline must be a file with an audit, and {os.fspath(baseline)} has none that has ended")
    found = _earlier(audits[-1], _ATTACHED, is_own=False)
    return Earlier(found.run, found.database, found.is_own, f"{found.name} in {Path(baseline).name}")


def _is_of(run: Run, source: str, sites: Mapping[str, str]) -> bool:
    """Return whether a run was about the same sitemaps, at the same place: what a preview lacks, its site may have."""
    return run.settings.get("source") == source and run.settings.get("map", {}) == dict(sites)


def _audits(runs: list[Run]) -> list[Run]:
    return [run for run in runs if run.verb == "audit" and run.state in _ENDED]


def _earlier(run: Run | None, database: str | None, *, is_own: bool) -> Earlier:
    return Earlier(run, database, is_own, None if run is None else run.name)


def _attach(
    connection: DuckDBPyConnection, baseline: str | os.PathLike[str], state: str | os.PathLike[str] | None
) -> None:
    """Make the tables of another run file readable.

    Raises:
        InputError: It is not one, or it is the state itself.
    """
    if state is not None and Path(state).resolve() == Path(baseline).resolve():
        raise InputError(
            "baseline must be another file than state, whose last audit is compared with anyway: for an earlier one,"
            " name its number or its day"
        )
    with RunFile(baseline, read_only=True):
        pass  # it is a run file, and nobody writes to it
    connection.execute(f"ATTACH {literal(os.fspath(baseline))} AS {_ATTACHED} (READ_ONLY)")
