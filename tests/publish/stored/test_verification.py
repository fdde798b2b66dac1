"""What a verification asks of the rows of a manifest."""

from __future__ import annotations

import duckdb
import pytest
from urlset._publish.stored.verify import repeats_a_loc


@pytest.mark.parametrize("at_once", [1, 7, 1_000])
def test_a_repeated_loc_is_found_in_any_number_of_passes(at_once: int) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE known AS SELECT 'https://a.example/' || i AS loc FROM range(100) t(i)")
    assert not repeats_a_loc(connection, at_once)
    connection.execute("INSERT INTO known VALUES ('https://a.example/42')")
    assert repeats_a_loc(connection, at_once)
    connection.execute("DELETE FROM known")
    assert not repeats_a_loc(connection, at_once)
