"""Pages whose loc is written in another way than at the last publish: they are followed, and not removed and added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset._publish.rows.schema import create_as
from urlset._util.duckdb import scalar
from urlset._util.identity import make_normal_forms
from urlset._util.instances import cursor_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def find_respelled(connection: DuckDBPyConnection) -> bool:
    """Take the pages that `incoming` has in another spelling out of `gone`, and put them into `respelled`.

    Only locs that are gone are normalized here. The normal forms of `incoming` are there, and nearly all are the locs.

    Returns:
        Whether there are such pages. If not, there may be no table.
    """
    if not scalar(connection, "SELECT count(*) FROM gone"):
        return False
    with cursor_of(connection) as cursor:
        has_forms = make_normal_forms(connection, cursor, "forms", ("gone", "loc"))
    # Of two different texts with one normal form, at least one is not in it.
    if not has_forms and not scalar(connection, "SELECT count(normal) FROM incoming"):
        return False
    create_as(
        connection,
        "respelled",
        """
        WITH pairs AS MATERIALIZED (
            SELECT incoming.loc, old.* FROM incoming JOIN (
                SELECT gone.loc AS written, coalesce(normal, gone.loc) AS form, gone, last_seen
                FROM gone LEFT JOIN forms ON forms.written = gone.loc
            ) AS old ON old.form = coalesce(incoming.normal, incoming.loc)
        )
        SELECT loc, written FROM pairs ANTI JOIN (SELECT loc FROM known SEMI JOIN pairs USING (loc)) USING (loc)
        QUALIFY row_number() OVER (PARTITION BY loc ORDER BY gone DESC NULLS FIRST, last_seen DESC, written) = 1
        """,
    )
    connection.execute("DELETE FROM gone WHERE loc IN (SELECT written FROM respelled)")
    return bool(scalar(connection, "SELECT count(*) FROM respelled"))
