"""Tables of looks in, a table of rates out."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
import urlset
from support.rates.looking import START

ROWS: list[dict[str, object]] = [
    {"loc": "/b", "time": START, "hash": "1", "bytes": 100},
    {"loc": "/b", "time": START + timedelta(days=2), "hash": "2", "bytes": 300},
    {"loc": "/a", "time": START + timedelta(days=1), "hash": "1", "bytes": 500},
]


def test_rows_and_tables_give_the_same() -> None:
    table = pa.Table.from_pylist(ROWS)
    with urlset.rates(ROWS) as rows, urlset.rates(table) as arrow, urlset.rates(iter(ROWS)) as generated:
        assert list(rows) == list(arrow) == list(generated)
        assert rows.to_arrow().equals(arrow.to_arrow())
        assert rows.to_arrow().column_names == list(urlset.PageRate._fields)
        assert [page.loc for page in rows] == ["/a", "/b"]
        first, second = rows
        assert (first.change_rate, first.looks, first.bytes, first.fetched) == (None, 0, 500, START + timedelta(days=1))
        assert (second.looks, second.changes, second.bytes) == (1, 1, 200)
        assert rows.looks == len(ROWS)


def test_what_rates_gives_can_be_planned_with() -> None:
    with urlset.rates([*ROWS, {"loc": "/a", "time": START + timedelta(days=3), "hash": "1", "bytes": 500}]) as rates:
        with urlset.schedule(rates, budget=1) as plan:
            assert [page.loc for page in plan] == ["/a", "/b"]
        with urlset.schedule(rates, budget="1kB/day") as plan:
            assert plan.spent == pytest.approx(1000)


def test_looks_of_several_tables_are_not_compared_with_each_other() -> None:
    one = [{"loc": "/a", "time": START + timedelta(days=day), "hash": "x"} for day in range(5)]
    other = [{"loc": "/a", "time": START + timedelta(days=day + 0.5), "hash": "y"} for day in range(3)]
    with urlset.rates([pa.Table.from_pylist(one), pa.Table.from_pylist(other)]) as rates:
        [page] = rates
        # The source with more looks counts: both would count the same days twice.
        assert (page.looks, page.changes) == (4, 0)


def test_the_order_of_looks_does_not_count() -> None:
    rows = [{"loc": "/a", "time": START + timedelta(days=day), "hash": str(day // 3)} for day in range(10)]
    with urlset.rates(rows) as forward, urlset.rates(rows[::-1]) as backward:
        assert list(forward) == list(backward)


def test_two_looks_at_one_moment_are_no_step() -> None:
    rows = [{"loc": "/a", "time": START, "hash": each} for each in "ab"]
    with urlset.rates(rows) as rates:
        assert [page.looks for page in rates] == [0]


def test_nothing_is_a_table_without_rows() -> None:
    with urlset.rates([]) as rates:
        assert (len(rates), list(rates), list(rates.sections), rates.looks) == (0, [], [], 0)
        assert rates.to_arrow().num_rows == 0


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([{"time": START, "hash": "1"}], "the looks have no column loc"),
        ([{"loc": "/a", "hash": "1"}], "the looks have no column time, the moment of the look"),
        ([{"loc": "/a", "time": START}], "the looks need a column hash, changed or lastmod"),
        (
            [{"loc": "/a", "time": None, "hash": "1"}],
            "row 1 of the looks has no loc, or no time in the years 1 to 9999",
        ),
        ([{"loc": "/a", "time": "infinity", "hash": "1"}], "row 1 of the looks has no loc, or no time"),
        ([{"loc": "/a", "time": "290000-01-01", "hash": "1"}], "row 1 of the looks has no loc, or no time"),
        ([{"loc": "/\ud800", "time": START, "hash": "1"}], "a column of the looks has a value of another type"),
        ([{"loc": "/a", "time": "soon", "hash": "1"}], "a column of the looks has a value of another type"),
        (["/a", {"loc": "/a"}], "No such file"),
        ([{"loc": "/a", "time": START, "hash": "1"}, "/a"], "a look must be a mapping with loc and time, got str"),
        ([b"x"], "a look must be a mapping"),
    ],
)
def test_bad_rows_are_refused(rows: list[dict[str, object]], says: str) -> None:
    with pytest.raises((urlset.InputError, OSError), match=says):
        urlset.rates(rows)


def test_bad_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(urlset.InputError, match="of must be"):
        urlset.rates(ROWS, of="site")  # type: ignore[arg-type]
    with pytest.raises(urlset.InputError, match="only the state of a watch has looks at sitemaps"):
        urlset.rates(ROWS, of="sitemaps")
    with pytest.raises(urlset.InputError, match="memory must be an amount"):
        urlset.rates(ROWS, memory="much")
    with pytest.raises(urlset.InputError, match="from 1 to 100"):
        urlset.rates([pa.Table.from_pylist(ROWS)] * 101)
    (tmp_path / "other.txt").write_text("loc")
    with pytest.raises(urlset.InputError, match=r"other\.txt"):
        urlset.rates(tmp_path / "other.txt")


def test_extremes_are_numbers() -> None:
    rows: list[dict[str, object]] = []
    for number, step in enumerate((timedelta(microseconds=1), timedelta(days=3650))):
        for what in ("same", "other"):
            loc = f"/{number}/{what}"
            moments = [datetime(2000, 1, 1, tzinfo=UTC) + step * time for time in range(3)]
            hashes = ["1", "1", "1"] if what == "same" else ["1", "2", "3"]
            rows += [{"loc": loc, "time": time, "hash": each} for time, each in zip(moments, hashes, strict=True)]
    with urlset.rates(rows) as rates:
        for page in rates:
            assert page.change_rate is not None
            assert 0 < (page.low or 0) <= page.change_rate <= (page.high or 0) < 1e12


def test_relations_of_another_database_are_taken() -> None:
    with duckdb.connect() as connection:
        table = connection.sql(
            "SELECT '/a' AS loc, TIMESTAMPTZ '2026-01-01' + INTERVAL 1 DAY * d AS time, d % 2 AS hash"
            " FROM range(9) AS t(d)"
        )
        with urlset.rates(table) as rates:
            assert [(page.looks, page.changes) for page in rates] == [(8, 8)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("lastmod", each) for each in ("infinity", "-infinity", "290000-01-01", "x" * 10_000, "", "\0", "2026")),
        *(("bytes", each) for each in (math.nan, math.inf, -1, 1e308)),
        *(("priority", each) for each in (math.nan, -1)),
        *(("changefreq", each) for each in ("", "x" * 1_000, "ALWAYS")),
        *(("section", each) for each in ("", "x" * 1_000)),
        *(("loc", each) for each in ("", "\0", "x" * 10_000, "https://[::")),
    ],
)
def test_odd_values_do_no_harm_to_others(name: str, value: object) -> None:
    rows: list[dict[str, object]] = [
        {"loc": f"/{page}", "time": START + timedelta(days=day), "hash": str(day // 2), "lastmod": "2026-01-01",
         "bytes": 5, "priority": 0.5, "section": "/s/", "changefreq": "daily"}
        for page in range(6)
        for day in range(5)
    ]  # fmt: skip
    rows[1][name] = value
    with urlset.rates(rows) as rates:
        found = {page.loc: page for page in rates}
        assert rates.to_arrow().num_rows == len(found) >= 6
        others = [page for loc, page in found.items() if loc not in ("/0", value)]
        assert len(others) == 5
        assert {(page.looks, page.changes, page.bytes) for page in others} == {(4, 2, 5)}
        assert all(0.1 < (page.change_rate or 0) < 2 for page in others)
