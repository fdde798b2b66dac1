"""Videos and news in tables: what `write` takes, and what others read."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import polars as pl
import pytest
import urlset
from support.read.videos import ARTICLES, FULL, LOC, REQUIRED, REQUIRED_NEWS, written
from urlset import EntryError, InputError

pa: Any = import_module("pyarrow")
duckdb: Any = import_module("duckdb")


def one(**columns: Any) -> Any:
    """A table of one row."""
    return pa.table({"loc": [LOC], **columns})


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("lists", [pa.list_, pa.large_list, pa.list_view], ids=lambda lists: lists.__name__)
def test_some_of_the_fields_in_any_order_and_type(lists: Callable[[Any], Any], text: Any) -> None:
    rows: list[dict[str, Any]] = [
        {"loc": LOC, "videos": [{**REQUIRED, "tags": ["x", "y"], "prices": [{"price": "1", "type": "rent"}]}]},
        {"loc": LOC, "videos": None, "news": {**REQUIRED_NEWS, "title": "t", "genres": None}},
        {
            "loc": LOC,
            "videos": [
                {**REQUIRED, "category": None, "tags": [], "prices": None, "tvshow": {"show_title": "s"}},
                REQUIRED,
            ],
        },
        {"loc": LOC, "videos": [], "news": REQUIRED_NEWS},
    ]
    price = pa.struct([("type", text), ("price", text)])
    show = pa.struct([("video_type", pa.null()), ("show_title", text)])
    video = pa.struct(
        [
            *(("tvshow", show), ("prices", lists(price)), ("tags", lists(text))),
            *((name, text) for name in ("category", *reversed(REQUIRED))),
        ]
    )
    news = pa.struct([("genres", text), *((name, text) for name in reversed(REQUIRED_NEWS))])
    table = pa.Table.from_pylist(rows, pa.schema([("news", news), ("loc", text), ("videos", lists(video))]))
    assert written(table) == written(rows)
    assert written(table.slice(2)) == written(rows[2:])


def test_plain_texts_stand_for_items() -> None:
    video = {
        **REQUIRED,
        "content_segments": ["http://a.example/1.mp4"],
        "prices": ["1"],
        "ids": ["7"],
        "tags": ["x", None],
    }
    assert written(one(videos=[[video]])) == written([{"loc": LOC, "videos": [video]}])


def test_columns_of_nulls_are_absent() -> None:
    nothing = dict.fromkeys(("category", "tags", "prices", "tvshow"))
    assert written(one(videos=pa.nulls(1), news=pa.nulls(1))) == written([LOC])
    assert written(one(videos=[[REQUIRED | nothing]])) == written([{"loc": LOC, "videos": [REQUIRED]}])
    empty = pa.nulls(1, pa.list_(pa.struct([("title", pa.string())])))
    assert written(one(videos=empty)) == written([LOC])
    refusals = []
    for rows in (
        one(videos=[[None]]),
        one(videos=[[nothing]]),
        one(videos=[[dict.fromkeys(REQUIRED)]]),
        [{"loc": LOC, "videos": [{}]}],
    ):
        with pytest.raises(EntryError) as raised:
            written(rows)
        refusals.append(str(raised.value))
    assert set(refusals) == {
        f"row 1 ({LOC}): VID001 videos[0]: the video has no thumbnail_loc, no title, no description"
    }


def test_values_under_a_null_are_ignored() -> None:
    hidden = pa.StructArray.from_arrays([pa.array(["hidden"])], ["title"], mask=pa.array([True]))
    assert written(one(news=hidden)) == written([LOC])
    videos = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), hidden)
    with pytest.raises(EntryError, match=r"VID001 .* has no thumbnail_loc, no title, no description"):
        written(one(videos=videos))
    fields = [pa.array([text]) for text in REQUIRED.values()]
    show = pa.StructArray.from_arrays([pa.array(["hidden"])], ["show_title"], mask=pa.array([True]))
    video = pa.StructArray.from_arrays([*fields, show], [*REQUIRED, "tvshow"])
    videos = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), video)
    assert written(one(videos=videos)) == written([{"loc": LOC, "videos": [REQUIRED]}])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"videos": ["x"]}, 'the column "videos" has to be a list, not '),
        ({"videos": [["x"]]}, 'the column "videos" has to hold structs, not '),
        ({"videos": [[{"duration": 600}]]}, 'the column "videos.duration" has to be text, not Int64'),
        ({"videos": [[{"tags": "x"}]]}, 'the column "videos.tags" has to be a list, not '),
        ({"videos": [[{"prices": [{"price": 1.5}]}]]}, 'the column "videos.prices.price" has to be text, not '),
        ({"videos": [[{"tvshow": "x"}]]}, 'the column "videos.tvshow" has to hold structs, not '),
        ({"news": ["x"]}, 'the column "news" has to hold structs, not '),
        ({"news": [{"title": 1}]}, 'the column "news.title" has to be text, not '),
    ],
)
def test_a_column_of_another_type_is_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        written(one(**columns))


def test_everybody_takes_them() -> None:
    entries = urlset.read(FULL)
    expected = [None, ["steak", "été"]]
    frame = pl.DataFrame(entries)
    assert [row and row[0]["tags"] for row in frame["videos"].to_list()][:2] == expected
    assert [row[0] for row in duckdb.sql("select videos[1].tags from entries").fetchall()][:2] == expected
    articles = urlset.read(ARTICLES)
    assert duckdb.sql("select news.publication_name from articles").fetchall()[0] == ("The Example & Times",)
    assert pl.DataFrame(articles)["news"].to_list()[-1] is None
    assert frame["videos"].to_list()[1][0]["tvshow"]["episode_title"] == "Steak"
