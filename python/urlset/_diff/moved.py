"""Whether a set was moved: its pages have the same paths as before, under another host, scheme or folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ORIGIN = r"^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]+"
#: The origin that most locs have, and the first and the last of them all.
_BASES = f"""
    SELECT mode(regexp_extract(loc, '{_ORIGIN}') ORDER BY loc), min(loc), max(loc) FROM changes WHERE change = ?
"""  # noqa: S608  (a constant)
#: How many locs have the same rest behind the one base and the other.
_SAME = """
    WITH rests AS (
        SELECT change, coalesce(nullif(substr(loc, length(base) + 1), ''), '/') AS rest
        FROM changes JOIN (VALUES ('removed', ?), ('added', ?)) AS bases(change, base) USING (change)
        WHERE starts_with(loc, base)
    )
    SELECT count(*) FROM (SELECT rest FROM rests WHERE change = 'removed' INTERSECT
                          SELECT rest FROM rests WHERE change = 'added')
"""


@dataclass(frozen=True, slots=True)
class Moved:
    """Where most of the pages that look removed are now: their paths are the same behind another base.

    Attributes:
        old: What their locs begin with in the old set, such as `"http://shop.example"`.
        new: What they begin with in the new set.
        pages: How many of the removed pages are among the added ones, by what follows the base.
    """

    old: str
    new: str
    pages: int

    @property
    def what(self) -> str:
        """Return what differs between the bases: the `"host"`, the `"scheme"`, the `"port"` or the `"folder"`."""
        old, new = urlsplit(self.old), urlsplit(self.new)
        if old.hostname != new.hostname:
            return "host"
        if old.scheme != new.scheme:
            return "scheme"
        return "port" if old.netloc != new.netloc else "folder"


def find_moved(connection: DuckDBPyConnection, removed: int, added: int) -> Moved | None:
    """Return where the set was moved, by the table `changes`; None if it was not.

    Most of what was removed has to be there. One page in another folder of the same site proves nothing, because files
    of one name are in many folders.
    """
    if not (removed and added):
        return None
    sides = [connection.execute(_BASES, [change]).fetchall()[0] for change in ("removed", "added")]
    origins, folders = (tuple(each[0] for each in sides), tuple(_folder(*each[1:]) for each in sides))
    found = []
    for old, new in {origins, folders}:
        if old and new and old != new:
            moved = Moved(old, new, scalar(connection, _SAME, [old, new]))
            if moved.pages * 2 >= removed and (moved.pages > 1 or moved.what != "folder"):
                found.append(moved)
    return max(found, key=lambda moved: (moved.pages, moved.old), default=None)


def _folder(first: str, last: str) -> str:
    """Return what the first and the last of several locs begin with, and so all of them: up to a slash, without it."""
    length = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    folder = first[:length].rpartition("/")[0]
    return "" if folder.endswith(("/", ":")) else folder
