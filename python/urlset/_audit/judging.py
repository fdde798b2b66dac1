"""What a run can tell: of which pages that a finding is gone, and of how many pages a sample stands for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from urlset._audit.applying import has_needs
from urlset._audit.intervals import of_whole
from urlset._audit.rules.declaration import LiveRule
from urlset._util.duckdb import literal, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: What the count of a finding is of: all listed pages, a sample that stands for all, a sample alone, or some questions.
Basis = Literal["all", "estimate", "sample", "asked"]


@dataclass(frozen=True, slots=True)
class DrawnPages:
    """What the pages of a sample stand for.

    Attributes:
        pages: How many different pages are listed.
        known: How many of those drawn each rule could judge.
        extents: The extent of each of these rules.
    """

    pages: int
    known: Mapping[str, int]
    extents: Mapping[str, str]

    def estimate(self, code: str, count: int, *, is_drawn: bool) -> tuple[Basis, tuple[int, int] | None]:
        """Return what a count of pages is of, and between how many of all pages there are.

        Args:
            code: The rule that found them.
            count: How many it found.
            is_drawn: Whether all of them are among the pages that were drawn.
        """
        # What is inconclusive without a crawl is one fact about the site.
        extent = self.extents.get(code, "set")
        if extent == "set":
            return "all", None
        if extent == "group" or not is_drawn or count > self.known[code]:
            return "sample", None
        return "estimate", of_whole(count, self.known[code], self.pages)


def drawn_pages_of(connection: DuckDBPyConnection, rules: Iterable[LiveRule], pages: int) -> DrawnPages:
    """Return what the pages that were drawn stand for. The tables that the rules take must be there."""
    rules = tuple(rule for rule in rules if has_needs(connection, rule))
    known = {rule.code: int(scalar(connection, f"SELECT count(DISTINCT loc) FROM ({rule.known})")) for rule in rules}
    return DrawnPages(pages, known, {rule.code: rule.extent for rule in rules})


def make_judged(connection: DuckDBPyConnection, rules: Iterable[LiveRule]) -> None:
    """Make the table `judged`: pages of `previous` of which it is known whether what was found there is gone."""
    connection.execute("CREATE OR REPLACE TEMP TABLE judged (code VARCHAR, loc VARCHAR)")
    found = {code for (code,) in connection.execute("SELECT DISTINCT code FROM previous").fetchall()}
    for rule in rules:
        if rule.code not in found:
            continue  # each statement takes a millisecond, however small the site is
        statements = [rule.judged] if has_needs(connection, rule) else []
        if rule.is_about_listed:
            statements.append("SELECT loc FROM previous WHERE loc NOT IN (SELECT loc FROM entries)")
        code = literal(rule.code)
        for statement in statements:
            connection.execute(
                f"INSERT INTO judged SELECT DISTINCT {code}, loc FROM ({statement})"
                f" WHERE loc IN (SELECT loc FROM previous WHERE code = {code})"
            )
