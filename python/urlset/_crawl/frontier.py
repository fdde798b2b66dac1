"""The frontier of a crawl: which URLs are known, and which are next. It is in the run file, so it needs no memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from urlset import _core
from urlset._runs.file import RunFile
from urlset._runs.pages import normal_form
from urlset._util.duckdb import scalar
from urlset._util.plans import PlannedPage

#: URLs that are taken from the file at once, and that a plan puts into it.
_ROWS: Final = 2_000
_PLANNED: Final = 10_000

_COLUMNS: Final = "number, hash, loc, depth, chain"
#: The links that were found, each once, however it is written: the first one by the number of its page and its position
#: there.
_FRESH: Final = """
    CREATE OR REPLACE TEMP TABLE fresh AS
    WITH once AS (
        SELECT md5_number_lower(form) AS hash, min_by(loc, (source, position)) AS loc, min(depth) AS depth,
            min_by(chain, (source, position)) AS chain, min((source, position)) AS place
        FROM candidates
        GROUP BY hash
    )
    SELECT row_number() OVER (ORDER BY place) + coalesce((SELECT max(number) FROM frontier), 0) AS number,
        hash, loc, depth, chain
    FROM once ANTI JOIN frontier USING (hash)
"""
#: What is not due has no depth: it is known, and not requested.
_NOT_DUE: Final = "depth IS NULL"


@dataclass(frozen=True, slots=True)
class FrontierUrl:
    """One URL of the frontier."""

    number: int
    loc: str
    depth: int
    chain: int


class UrlFrontier:
    """The URLs of one crawl, depth by depth: those of the next are known once all of this one were requested.

    So the depth of each page is the fewest clicks, and the order is the same in every crawl of the same site, however
    fast its pages answer.

    Args:
        file: The run file.
        run: The number of the run.
    """

    def __init__(self, file: RunFile, run: int) -> None:
        self._file = file
        self._run = run
        #: What links led to of late. It outlives a depth: what was a candidate of one is known at the next.
        self.seen = _core.SeenUrls()
        #: How many URLs there are in all depths so far.
        self.known = 0

    def begin(self, loc: str, planned: Iterable[PlannedPage] = ()) -> None:
        """Begin with one URL, and with the pages of a plan that are due. The others will not be requested."""
        form = normal_form(loc)
        first = {"loc": loc, "form": form, "depth": 0, "chain": 0, "source": 0, "position": 0}
        with self._file.transaction():
            self.clear()
            rows: list[dict[str, Any]] = []
            for position, page in enumerate(planned, 1):
                row = {**first, "loc": page.loc, "form": normal_form(page.loc), "position": position}
                if page.overdue is None:
                    row["depth"] = None
                    # The first URL is requested only if the plan has nothing against it.
                    first["depth"] = None if row["form"] == form else first["depth"]
                rows.append(row)
                if len(rows) == _PLANNED:
                    self._file.insert("candidates", rows)
                    rows.clear()
            self._file.insert("candidates", [*rows, first])
        self.advance()

    def resume(self) -> None:
        """Go on where a crawl was killed or interrupted."""
        self._file.connection.execute(
            "CREATE OR REPLACE TEMP TABLE fresh AS SELECT number, hash, loc, depth, chain FROM frontier"
            f" ANTI JOIN (SELECT loc FROM pages WHERE run = ?) USING (loc) WHERE NOT ({_NOT_DUE})",
            [self._run],
        )
        self.known = int(scalar(self._file.connection, f"SELECT count(*) FROM frontier WHERE NOT ({_NOT_DUE})"))

    def advance(self) -> int:
        """Go on to the next depth, and return how many URLs it has."""
        connection = self._file.connection
        with self._file.transaction():
            connection.execute(_FRESH)
            connection.execute(f"INSERT INTO frontier ({_COLUMNS}) SELECT {_COLUMNS} FROM fresh")
            connection.execute("DELETE FROM candidates")
            connection.execute(f"DELETE FROM fresh WHERE {_NOT_DUE}")
        found = int(scalar(connection, "SELECT count(*) FROM fresh"))
        self.known += found
        return found

    def waiting(self) -> Iterator[FrontierUrl]:
        """Yield the URLs of this depth that were not requested yet, in their order."""
        number = -1
        while True:
            rows = self._file.connection.execute(
                "SELECT number, loc, depth, chain FROM fresh WHERE number > ? ORDER BY number LIMIT ?",
                [number, _ROWS],
            ).fetchall()
            yield from (FrontierUrl(*row) for row in rows)
            if len(rows) < _ROWS:
                return
            number = rows[-1][0]

    def clear(self) -> None:
        """Forget everything."""
        for table in ("frontier", "candidates"):
            self._file.connection.execute(f"DELETE FROM {table}")
