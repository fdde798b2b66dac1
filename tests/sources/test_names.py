"""From the names that somebody's columns have to ours."""

from __future__ import annotations

import duckdb
import pytest
from urlset import InputError
from urlset.sources._names import KNOWN, rename, renamed, select


def test_what_has_our_names_is_taken_and_the_rest_is_not() -> None:
    assert rename(["id", "lastmod", "loc", "title"], {}) == [("loc", "loc"), ("lastmod", "lastmod")]
    assert rename(list(reversed(KNOWN)), {}) == [(name, name) for name in KNOWN]
    assert rename([], {}) == []
    assert rename(["id"], {}) == []


def test_a_mapping_leads_from_our_name_to_theirs() -> None:
    columns = ["url", "updated_at", "priority"]
    assert rename(columns, {"loc": "url", "lastmod": "updated_at"}) == [
        *(("url", "loc"), ("updated_at", "lastmod"), ("priority", "priority"))
    ]


def test_names_that_differ_in_case_are_the_same_unless_one_is_alike() -> None:
    assert rename(["LOC", "LastMod"], {}) == [("LOC", "loc"), ("LastMod", "lastmod")]
    assert rename(["Url"], {"loc": "url"}) == [("Url", "loc")]
    assert rename(["LOC", "loc"], {}) == [("loc", "loc")]
    assert rename(["URL", "url"], {"loc": "URL"}) == [("URL", "loc")]


def test_a_column_that_could_be_either_of_two_is_refused() -> None:
    with pytest.raises(InputError, match="the table has LOC and Loc, and either could be loc: give one another name"):
        rename(["LOC", "Loc"], {})
    with pytest.raises(InputError, match="the table has url and url"):
        rename(["url", "url"], {"loc": "url"})
    assert rename(["loc", "X", "x"], {}) == [("loc", "loc")]  # nobody asks for those


def test_a_mapping_goes_before_the_columns_own_name() -> None:
    # A `loc` can be where somebody lives.
    assert rename(["loc", "url"], {"loc": "url"}) == [("url", "loc")]
    # And what is mapped away has another meaning from then on.
    assert rename(["file"], {"loc": "file"}) == [("file", "loc")]
    assert rename(["loc", "lastmod"], {"loc": "lastmod", "lastmod": "loc"}) == [("lastmod", "loc"), ("loc", "lastmod")]


def test_one_column_may_be_two_of_ours() -> None:
    assert rename(["loc", "id"], {"group": "id", "file": "id"}) == [("loc", "loc"), ("id", "group"), ("id", "file")]


def test_columns_that_are_wanted_otherwise_keep_their_names() -> None:
    assert rename(["url", "Shop"], {"loc": "url"}, ["shop"]) == [("url", "loc"), ("Shop", "Shop")]
    assert rename(["url"], {"loc": "url"}, ["url"]) == [("url", "loc"), ("url", "url")]
    assert rename(["Loc", "lang"], {}, ["loc", "lang", "lang"]) == [("Loc", "loc"), ("lang", "lang")]


def test_two_columns_that_would_be_one_are_refused() -> None:
    with pytest.raises(InputError, match="two columns would be loc: url, which is mapped to it, and loc, which is to"):
        rename(["url", "loc"], {"loc": "url"}, ["loc"])


def test_rows_that_are_dicts_are_renamed_as_tables_are() -> None:
    pairs = rename(["url", "id", "shop"], {"loc": "url", "group": "url"}, ["shop"])
    rows = [{"url": "a", "id": 1, "shop": None}, {"url": "b", "id": 2, "shop": "x"}]
    assert list(renamed(rows, pairs)) == [
        {"loc": "a", "group": "a", "shop": None},
        {"loc": "b", "group": "b", "shop": "x"},
    ]


def test_a_column_that_is_not_there_is_told_with_the_nearest() -> None:
    with pytest.raises(InputError, match="loc is to be made of the column ulr, and there is none; did you mean url"):
        rename(["url", "updated"], {"loc": "ulr"})
    with pytest.raises(InputError, match="what is wanted beside is the column shops, and there is none; did you mean "):
        rename(["loc", "shop"], {}, ["shops"])
    with pytest.raises(InputError, match=r"lastmod is to be made of the column zzz, .* the columns are url, updated$"):
        rename(["url", "updated"], {"lastmod": "zzz"})
    with pytest.raises(InputError, match="the table has no columns"):
        rename([], {"loc": "url"})


def test_a_name_of_ours_that_there_is_not_is_told_with_the_nearest() -> None:
    with pytest.raises(InputError, match="there is no column lastmodified to map to; did you mean lastmod"):
        rename(["url"], {"lastmodified": "url"})
    with pytest.raises(InputError, match="there is no column zzz to map to; known: loc, lastmod, changefreq"):
        rename(["url"], {"zzz": "url"})


def test_messages_are_short_and_obey_nobody() -> None:
    columns = [f"\x1b[31m{'x' * 1000}{number}" for number in range(1000)]
    with pytest.raises(InputError) as raised:
        rename(columns, {"loc": "url"})
    assert len(str(raised.value)) < 2_000
    assert str(raised.value).isprintable()
    assert str(raised.value).endswith("… and 980 more")


NAMES = ['a"b', "select", "x y", "é", "a'b", "A.b", "-- c", "a;b"]


def test_the_list_of_a_select_takes_any_name() -> None:
    assert select(["url", "Lastmod"], {"loc": "url"}) == '"url" AS "loc", "Lastmod" AS "lastmod"'
    for name in NAMES:
        other = name.replace('"', '""')
        with duckdb.connect() as connection:
            connection.execute(f'CREATE TABLE rows ("{other}" VARCHAR, "other" VARCHAR)')
            connection.execute("INSERT INTO rows VALUES ('here', 'there')")
            chosen = connection.sql(f"SELECT {select([name, 'other'], {'loc': name}, [name])} FROM rows")
            assert chosen.columns == ["loc", name]
            assert chosen.fetchall() == [("here", "here")]


def test_a_select_refuses_what_duckdb_would_not_tell_apart() -> None:
    with pytest.raises(InputError, match="the table has more than one column loc: give them other names"):
        select(["LOC", "loc"], {})
    assert select(["loc", "X", "x"], {}) == '"loc" AS "loc"'


def test_a_select_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="none of the columns is one of ours: say which is loc; the columns are a, b"):
        select(["a", "b"], {})
