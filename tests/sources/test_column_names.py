"""Matching the columns of a table to the columns that urlset knows."""

from __future__ import annotations

import duckdb
import pytest
from urlset import InputError
from urlset._options.publish import KNOWN_COLUMNS
from urlset._util.duckdb import identifier
from urlset.sources._column_names import match_columns, rename_rows


def test_known_columns_are_taken_and_others_are_not() -> None:
    assert match_columns(["id", "lastmod", "loc", "colour"], {}) == [("loc", "loc"), ("lastmod", "lastmod")]
    assert match_columns(list(reversed(KNOWN_COLUMNS)), {}) == [(name, name) for name in KNOWN_COLUMNS]
    assert match_columns([], {}) == []
    assert match_columns(["id"], {}) == []


def test_a_mapping_renames_columns() -> None:
    columns = ["url", "updated_at", "priority"]
    assert match_columns(columns, {"loc": "url", "lastmod": "updated_at"}) == [
        *(("url", "loc"), ("updated_at", "lastmod"), ("priority", "priority"))
    ]


def test_names_match_regardless_of_case_and_an_exact_match_wins() -> None:
    assert match_columns(["LOC", "LastMod"], {}) == [("LOC", "loc"), ("LastMod", "lastmod")]
    assert match_columns(["Url"], {"loc": "url"}) == [("Url", "loc")]
    assert match_columns(["LOC", "loc"], {}) == [("loc", "loc")]
    assert match_columns(["URL", "url"], {"loc": "URL"}) == [("URL", "loc")]


def test_an_ambiguous_column_is_refused() -> None:
    with pytest.raises(InputError, match="the column loc is ambiguous: the table has LOC and Loc; rename one of them"):
        match_columns(["LOC", "Loc"], {})
    with pytest.raises(InputError, match="the table has url and url"):
        match_columns(["url", "url"], {"loc": "url"})
    assert match_columns(["loc", "X", "x"], {}) == [("loc", "loc")]  # neither is requested


def test_a_mapping_wins_over_a_columns_own_name() -> None:
    # A column `loc` may be a postal address.
    assert match_columns(["loc", "url"], {"loc": "url"}) == [("url", "loc")]
    # A column that is mapped to another name is not taken under its own.
    assert match_columns(["file"], {"loc": "file"}) == [("file", "loc")]
    assert match_columns(["loc", "lastmod"], {"loc": "lastmod", "lastmod": "loc"}) == [
        ("lastmod", "loc"),
        ("loc", "lastmod"),
    ]


def test_one_column_can_be_mapped_twice() -> None:
    assert match_columns(["loc", "id"], {"group": "id", "file": "id"}) == [
        ("loc", "loc"),
        ("id", "group"),
        ("id", "file"),
    ]


def test_kept_columns_keep_their_names() -> None:
    assert match_columns(["url", "Shop"], {"loc": "url"}, ["shop"]) == [("url", "loc"), ("Shop", "Shop")]
    assert match_columns(["url"], {"loc": "url"}, ["url"]) == [("url", "loc"), ("url", "url")]
    assert match_columns(["Loc", "lang"], {}, ["loc", "lang", "lang"]) == [("Loc", "loc"), ("lang", "lang")]


def test_two_columns_with_the_same_new_name_are_refused() -> None:
    with pytest.raises(
        InputError, match="two columns would be named loc: url, which is mapped to it, and loc, which keeps"
    ):
        match_columns(["url", "loc"], {"loc": "url"}, ["loc"])


def test_dicts_are_renamed_like_tables() -> None:
    pairs = match_columns(["url", "id", "shop"], {"loc": "url", "group": "url"}, ["shop"])
    rows = [{"url": "a", "id": 1, "shop": None}, {"url": "b", "id": 2, "shop": "x"}]
    assert list(rename_rows(rows, pairs)) == [
        {"loc": "a", "group": "a", "shop": None},
        {"loc": "b", "group": "b", "shop": "x"},
    ]


def test_a_missing_column_is_reported_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="there is no column ulr, which loc is mapped to; did you mean url"):
        match_columns(["url", "updated"], {"loc": "ulr"})
    with pytest.raises(InputError, match="there is no column shops; did you mean "):
        match_columns(["loc", "shop"], {}, ["shops"])
    with pytest.raises(
        InputError, match=r"there is no column zzz, which lastmod is mapped to; the columns are url, updated$"
    ):
        match_columns(["url", "updated"], {"lastmod": "zzz"})
    with pytest.raises(InputError, match="the table has no columns"):
        match_columns([], {"loc": "url"})


def test_an_unknown_name_in_a_mapping_is_reported_with_the_nearest_one() -> None:
    with pytest.raises(InputError, match="unknown column mapping lastmodified; did you mean lastmod"):
        match_columns(["url"], {"lastmodified": "url"})
    with pytest.raises(InputError, match="unknown column mapping zzz; known: loc, lastmod, changefreq"):
        match_columns(["url"], {"zzz": "url"})


def test_messages_are_short_and_have_no_control_characters() -> None:
    columns = [f"\x1b[31m{'x' * 1000}{number}" for number in range(1000)]
    with pytest.raises(InputError) as raised:
        match_columns(columns, {"loc": "url"})
    assert len(str(raised.value)) < 2_000
    assert str(raised.value).isprintable()
    assert str(raised.value).endswith("… and 980 more")


NAMES = ['a"b', "select", "x y", "é", "a'b", "A.b", "-- c", "a;b"]


def test_any_name_can_be_quoted_as_an_identifier() -> None:
    for name in NAMES:
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE rows ({identifier(name)} VARCHAR, other VARCHAR)")
            connection.execute("INSERT INTO rows VALUES ('here', 'there')")
            chosen = connection.sql(f"SELECT {identifier(name)} FROM rows")
            assert chosen.columns == [name]
            assert chosen.fetchall() == [("here",)]
