"""The fourth step of an audit: the selected rules are applied, and fill the table `page_findings`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from urlset._audit.rules.declaration import LiveRule
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_INSERT: Final = """
    INSERT INTO page_findings (run, key, code, verdict, loc, pattern, detail)
    SELECT {run}, md5('{code} {verdict} ' || pattern), '{code}', '{verdict}', loc, left(pattern, 300),
        left(detail, 1000)
    FROM ({statement})
"""


def apply_rules(connection: DuckDBPyConnection, run: int, rules: Iterable[LiveRule]) -> None:
    """Apply rules. The tables of their needs and the answers to their probes must be there."""
    for rule in rules:
        for verdict, statement in _statements(connection, rule):
            connection.execute(_INSERT.format(run=int(run), code=rule.code, verdict=verdict, statement=statement))


def has_needs(connection: DuckDBPyConnection, rule: LiveRule) -> bool:
    """Return whether this run has what a rule needs."""
    return all(need.is_met is None or scalar(connection, need.is_met) for need in rule.needs)


def _statements(connection: DuckDBPyConnection, rule: LiveRule) -> Iterator[tuple[str, str]]:
    """Yield what has to be executed for a rule, and the verdict on what it returns."""
    for need in rule.needs:
        if need.is_met is not None and not scalar(connection, need.is_met):
            if need.otherwise is not None:
                yield "inconclusive", need.otherwise
            return
    if rule.found is not None:
        yield "found", rule.found
    if rule.inconclusive is not None:
        yield "inconclusive", rule.inconclusive
