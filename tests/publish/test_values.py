"""Values as databases, data frames and spreadsheets hold them: what publish takes, corrects and explains."""

from __future__ import annotations

import math
import sqlite3
import types
from collections import OrderedDict
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.publish import BASE, DAY
from support.publish.grouped import grouped
from urlset import EntryError, InputError

pa: Any = import_module("pyarrow")


def publish(rows: Any, folder: Path, **options: Any) -> urlset.Publication:
    return urlset.publish(rows, folder, **grouped({"base_url": BASE, "now": DAY[0], **options}))


def entries(folder: Path) -> dict[str, Any]:
    return {str(entry.loc).removeprefix(BASE): entry for entry in urlset.read(folder)}


# --- times without a zone ---------------------------------------------------------------------------------------

LOCAL = datetime(2024, 1, 1, 10)  # noqa: DTZ001  (a time without a zone is what this is about)
NAIVE = ["2024-01-01 10:00:00", "2024-01-01T10:00:00", LOCAL]
INSTANT = datetime.fromisoformat("2024-01-01T10:00:00+01:00")


@pytest.mark.parametrize("value", NAIVE)
def test_the_zone_of_times_that_state_none(tmp_path: Path, value: Any) -> None:
    with pytest.raises(EntryError, match="has no zone: write its offset, or name the zone of all such times with zone"):
        publish([{"loc": "/a", "lastmod": value}], tmp_path)
    publish([{"loc": "/a", "lastmod": value}], tmp_path, zone="+01:00")
    assert entries(tmp_path)["a"].lastmod == INSTANT
    assert b"<lastmod>2024-01-01T10:00:00+01:00</lastmod>" in (tmp_path / "sitemap.xml").read_bytes()


def test_a_named_zone_changes_its_offset(tmp_path: Path) -> None:
    summer = LOCAL.replace(year=2023, month=7)
    rows = [
        {"loc": "/a", "lastmod": LOCAL},
        {"loc": "/b", "lastmod": summer},
        {"loc": "/c", "lastmod": "2023-07-01 10:00"},
    ]
    publish(rows, tmp_path, zone="Europe/Berlin")
    found = {name: entry.lastmod_raw for name, entry in entries(tmp_path).items()}
    assert found == {"a": "2024-01-01T10:00:00+01:00", "b": "2023-07-01T10:00:00+02:00", "c": "2023-07-01T10:00+02:00"}
    times = pa.table({"loc": ["/a", "/b"], "lastmod": pa.array([LOCAL, summer], pa.timestamp("us"))})
    publish(times, tmp_path / "table", zone="Europe/Berlin")
    assert [entry.lastmod_raw for entry in entries(tmp_path / "table").values()] == [found["a"], found["b"]]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_column_of_local_times(tmp_path: Path, unit: str) -> None:
    times = pa.array([LOCAL, None], pa.timestamp(unit))
    table = pa.table({"loc": ["/a", "/b"], "lastmod": times})
    with pytest.raises(InputError, match="holds times without a zone"):
        publish(table, tmp_path)
    publish(table, tmp_path, zone="+01:00")
    assert {name: entry.lastmod for name, entry in entries(tmp_path).items()} == {"a": INSTANT, "b": None}
    # The zone of a column that has one counts.
    zoned = pa.table({"loc": ["/a"], "lastmod": pa.array([INSTANT], pa.timestamp(unit, tz="UTC"))})
    publish(zoned, tmp_path, zone="-08:00", allow=["shrunk"])
    assert entries(tmp_path)["a"].lastmod == INSTANT


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2024-01-01 10:00:00Z", "2024-01-01T10:00:00Z"),
        ("2024-01-01 10:00:00+00", "2024-01-01T10:00:00+00:00"),
        ("2024-01-01 10:00:00 +0100", "2024-01-01T10:00:00+01:00"),
        ("2024-01-01 10:00:00 UTC", "2024-01-01T10:00:00Z"),
    ],
)
def test_a_time_as_a_database_prints_it(tmp_path: Path, text: str, written: str) -> None:
    publish([{"loc": "/a", "lastmod": text}], tmp_path)
    assert f"<lastmod>{written}</lastmod>" in (tmp_path / "sitemap.xml").read_text()


@pytest.mark.parametrize("text", ["01.02.2024", "2024-02-30 10:00:00", "yesterday", "2024-1-3 9:00"])
def test_what_could_mean_more_than_one_time_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(EntryError):
        publish([{"loc": "/a", "lastmod": text}], tmp_path, zone="Z")


def test_unix_seconds_are_explained(tmp_path: Path) -> None:
    with pytest.raises(EntryError, match=r"looks like Unix seconds: convert it, in SQL as to_timestamp\(1704067200\)"):
        publish([{"loc": "/a", "lastmod": "1704067200"}], tmp_path)


@pytest.mark.parametrize("zone", ["", "MEZ", "+25:00", 1])
def test_what_is_not_a_zone(tmp_path: Path, zone: Any) -> None:
    with pytest.raises(InputError, match="zone must be a name such as"):
        publish(["/"], tmp_path, zone=zone)


# --- invalid values ---------------------------------------------------------------------------------------------

BAD = [
    ("lastmod", "soon", "MOD001"),
    ("lastmod", "2024-02-30", "MOD005"),
    ("lastmod", "2024-01-01 10:00", "MOD002"),
    ("priority", "high", "PRI001"),
    ("priority", 2, "PRI002"),
    ("priority", 10**400, "PRI002"),
    ("priority", -math.inf, "PRI002"),
    ("changefreq", "often", "FRQ001"),
]


@pytest.mark.parametrize(("field", "value", "code"), BAD)
def test_an_invalid_value_costs_the_page_or_only_itself(tmp_path: Path, field: str, value: Any, code: str) -> None:
    rows = ["/good", {"loc": "/bad", "lastmod": "2024-01-01", "priority": 0.5, field: value}]
    refused = publish(rows, tmp_path / "refused", on_error="collect")
    assert (refused.refused_by_code, refused.corrected, list(entries(tmp_path / "refused"))) == ({code: 1}, 0, ["good"])
    told: list[EntryError] = []
    kept = publish(rows, tmp_path / "kept", on_bad_value="drop", on_corrected=told.append)
    assert (kept.refused, kept.corrected, kept.corrected_by_code, kept.plan.corrected) == (0, 1, {code: 1}, 1)
    assert [(error.index, error.loc, error.code) for error in kept.corrections] == [(1, "/bad", code)]
    assert told == list(kept.corrections)
    entry = entries(tmp_path / "kept")["bad"]
    assert getattr(entry, field) is None
    assert (entry.lastmod is None, entry.priority is None) == (field == "lastmod", field == "priority")


def test_values_of_extensions_are_dropped_or_resolved(tmp_path: Path) -> None:
    rows = ["/a", {"loc": "mailto:b", "priority": 7}, {"loc": "/c", "images": ["i.jpg", "mailto:x"]}]
    kept = publish(rows, tmp_path, on_bad_value="drop", on_error="collect")
    # What was wrong with the values of a refused row does not count besides.
    assert (kept.refused_by_code, kept.corrected_by_code) == ({"LOC003": 1}, {"IMG004": 1})
    assert [image.loc for image in entries(tmp_path)["c"].images] == [f"{BASE}i.jpg"]
    with pytest.raises(InputError, match="on_bad_value must be one of refuse, drop, fix, got 'ignore'"):
        publish(rows, tmp_path, on_bad_value="ignore")


HOSTILE: list[dict[str, Any]] = [
    {"loc": "/\ud800"},
    {"loc": "/x", "lastmod": "\udfff"},
    {"loc": "/x", "images": [{"loc": f"{BASE}i.jpg", "title": "\ud800"}]},
    {"loc": "/x", "priority": 10**400},
    {"loc": math.nan},
    {"loc": "\\\\a.example\\z"},
    {"loc": "/\\a.example/z"},
]


@pytest.mark.parametrize("row", HOSTILE)
def test_one_hostile_row_does_not_end_a_collecting_publish(tmp_path: Path, row: dict[str, Any]) -> None:
    done = publish(["/a", row, "/b"], tmp_path, on_error="collect", allow=["foreign"])
    assert (done.refused, [error.index for error in done.refusals]) == (1, [1])
    assert list(entries(tmp_path)) == ["a", "b"]
    with pytest.raises(EntryError) as raised:
        publish(["/a", row, "/b"], tmp_path)
    assert raised.value.index == 1


def test_a_backslash_is_a_slash(tmp_path: Path) -> None:
    """As the URL standard has it, and browsers."""
    publish(["docs\\tea.html?a\\b", "\\\\example.com\\cup"], tmp_path)
    assert list(entries(tmp_path)) == ["cup", "docs/tea.html?a%5Cb"]


@pytest.mark.parametrize("absent", [math.nan, None])
def test_absent_values_of_data_frames(tmp_path: Path, absent: Any) -> None:
    row = {"loc": "/a", **dict.fromkeys(["lastmod", "changefreq", "priority", "images", "news", "videos"], absent)}
    publish([row], tmp_path)
    entry = entries(tmp_path)["a"]
    assert (entry.lastmod, entry.changefreq, entry.priority, entry.news) == (None, None, None, None)


def test_nat_and_na_of_pandas(tmp_path: Path) -> None:
    pandas: Any = import_module("pandas")
    publish([{"loc": "/a", "lastmod": pandas.NaT}], tmp_path)
    absent = pandas.NA
    row = {"loc": "/a", "lastmod": absent, "priority": absent, "changefreq": absent, "images": absent}
    publish([row, {"loc": "/b", "images": [{"loc": "/i", "title": absent}]}], tmp_path / "other")
    xml = (tmp_path / "other" / "sitemap.xml").read_text()
    assert "<url><loc>https://example.com/a</loc></url>" in xml
    assert "<image:image><image:loc>https://example.com/i</image:loc></image:image>" in xml
    assert entries(tmp_path)["a"].lastmod is None


# --- rows of other kinds ----------------------------------------------------------------------------------------


def test_rows_of_sqlite(tmp_path: Path) -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute("CREATE TABLE pages (loc TEXT, lastmod TEXT)")
    connection.execute("INSERT INTO pages VALUES ('/a', datetime('2024-01-01 10:00:00')), ('/b', NULL)")
    publish(connection.execute("SELECT loc, lastmod FROM pages"), tmp_path, zone="+01:00")
    assert {name: entry.lastmod for name, entry in entries(tmp_path).items()} == {"a": INSTANT, "b": None}
    with pytest.raises(InputError, match="row 1 has two columns loc: rename one of them"):
        publish(connection.execute("SELECT loc, upper(loc) AS loc FROM pages"), tmp_path)


@pytest.mark.parametrize("kind", [OrderedDict, types.MappingProxyType])
def test_other_mappings(tmp_path: Path, kind: Any) -> None:
    publish([kind({"loc": "/a", "priority": 0.5})], tmp_path)
    assert entries(tmp_path)["a"].priority == 0.5
    with pytest.raises(InputError, match='row 1 has a key "pirority"'):
        publish([kind({"loc": "/a", "pirority": 0.5})], tmp_path)


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["/a"]), pa.array(["/b"])], names=["loc", "loc"])
    with pytest.raises(InputError, match='there are two columns "loc": rename one of them'):
        publish(table, tmp_path)
    twice = pa.Table.from_arrays([pa.array([text]) for text in ("/a", "x", "y")], names=["loc", "brand", "brand"])
    with pytest.raises(InputError, match='two columns "brand"'):
        publish(twice, tmp_path, shard_by="key:brand")


@pytest.mark.parametrize("rows", ["rows.csv", Path("rows.csv"), "export/rows.parquet", "old/sitemap.xml.gz"])
def test_a_path_is_explained(tmp_path: Path, rows: Any) -> None:
    with pytest.raises(
        InputError, match=r"got the path .*urlset\.sources\.files\.rows\(path\).*urlset\.scan\(path, strict=True\)"
    ):
        publish(rows, tmp_path)


# --- names of columns -------------------------------------------------------------------------------------------

COLUMNS = {"loc": "url", "lastmod": "updated", "images": "picture", "priority": "weight", "content": "hash"}
RAW = {"url": "/a", "updated": "2024-01-01", "picture": f"{BASE}i.jpg", "weight": 0.5, "hash": "x"}


@pytest.mark.parametrize("form", ["dict", "table", "mapping"])
def test_every_column_can_have_another_name(tmp_path: Path, form: str) -> None:
    table = pa.table({name: [value] for name, value in RAW.items()})
    rows = {"dict": [RAW], "table": table, "mapping": [types.MappingProxyType(RAW)]}[form]
    done = publish(rows, tmp_path, columns=COLUMNS)
    entry = entries(tmp_path)["a"]
    assert (entry.lastmod.date().isoformat(), entry.priority) == ("2024-01-01", 0.5)
    assert [image.loc for image in entry.images] == [f"{BASE}i.jpg"]
    assert done.unused_columns == ()
    other = {**RAW, "hash": "y", "updated": None}
    publish(
        [other]
        if form != "table"
        else pa.table({n: pa.array([v], None if v else pa.string()) for n, v in other.items()}),
        tmp_path,
        columns=COLUMNS,
    )
    assert entries(tmp_path)["a"].lastmod == DAY[0]  # the content was taken, too


def test_a_mapped_name_means_only_that_column(tmp_path: Path) -> None:
    publish([{"url": "/a", "loc": "an office"}], tmp_path, columns={"loc": "url"})
    assert list(entries(tmp_path)) == ["a"]
    table = pa.table({"url": ["/a"], "loc": ["an office"]})
    assert publish(table, tmp_path, columns={"loc": "url"}).unused_columns == ("loc",)
    with pytest.raises(InputError, match='no column "link"; the columns are url, loc'):
        publish(table, tmp_path, columns={"loc": "url", "lastmod": "link"})
    with pytest.raises(InputError, match="columns must map each column once, got 'url' twice"):
        publish(table, tmp_path, columns={"loc": "url", "lastmod": "url"})


def test_one_image_in_a_cell(tmp_path: Path) -> None:
    for images in (f"{BASE}i.jpg", [f"{BASE}i.jpg"], [{"loc": f"{BASE}i.jpg"}]):
        publish([{"loc": "/a", "images": images}], tmp_path)
        assert [image.loc for image in entries(tmp_path)["a"].images] == [f"{BASE}i.jpg"]
    table = pa.table({"loc": ["/a", "/b", "/c"], "images": [f"{BASE}i.jpg", None, " "]})
    publish(table, tmp_path)
    assert [len(entry.images) for entry in entries(tmp_path).values()] == [1, 0, 0]
    publish([{"loc": "/a", "images": ""}], tmp_path, allow=["shrunk"])
    assert entries(tmp_path)["a"].images == ()


# --- empty is absent --------------------------------------------------------------------------------------------


def test_an_empty_group_is_no_group(tmp_path: Path) -> None:
    rows = [{"loc": f"/{number}", "group": "", "lang": lang} for number, lang in enumerate(["en", "de", ""])]
    for given in (rows, pa.table({name: [row[name] for row in rows] for name in rows[0]})):
        publish(given, tmp_path, columns={"group": "group", "lang": "lang"})
        assert [entry.alternates for entry in entries(tmp_path).values()] == [()] * 3


def test_an_empty_content_is_no_content(tmp_path: Path) -> None:
    publish([{"loc": "/a", "content": ""}], tmp_path)
    publish([{"loc": "/a", "content": "hash"}], tmp_path, now=DAY[1])
    assert entries(tmp_path)["a"].lastmod is None
    publish([{"loc": "/a", "content": "other"}], tmp_path, now=DAY[2])
    assert entries(tmp_path)["a"].lastmod == DAY[2]
    publish([{"loc": "/a", "content": ""}], tmp_path, now=DAY[3])
    publish([{"loc": "/a", "lastmod_source": "", "lastmod": "2024-01-01"}], tmp_path, now=DAY[4])
    assert entries(tmp_path)["a"].lastmod is not None


# --- rows outside -----------------------------------------------------------------------------------------------


def test_rows_outside_of_the_folder_are_counted(tmp_path: Path) -> None:
    rows = ["https://example.com/maps/a", "https://example.com/b", "https://example.com/mapsx"]
    for _ in range(2):
        done = publish(rows, tmp_path / "maps", base_url="https://example.com/maps/")
        assert (done.plan.outside, done.entries) == (2, 3)
    assert publish(rows, tmp_path / "root").plan.outside == 0


@pytest.mark.parametrize("zone", [None, "+01:00"])
def test_a_zone_is_not_given_to_the_texts_of_extensions(tmp_path: Path, zone: str | None) -> None:
    """They are published as they are given, which the docs say: lint reports them, and what is an error is refused."""
    text = "2024-01-01 10:00:00"
    video = {"thumbnail_loc": BASE + "t", "title": "T", "description": "D", "content_loc": BASE + "v"}
    news = {"publication_name": "N", "publication_language": "en", "publication_date": "2024-01-01", "title": "T"}
    row = {"loc": "/a", "videos": [video | {"publication_date": text, "expiration_date": text}], "news": news}
    with pytest.raises(EntryError, match=r"NWS005 news\.publication_date"):
        publish([row | {"news": news | {"publication_date": text}}], tmp_path, zone=zone)
    publish([row], tmp_path, zone=zone)
    [entry] = urlset.read(tmp_path)
    assert isinstance(entry, urlset.UrlEntry)
    assert entry.news is not None
    assert entry.videos is not None
    [found] = entry.videos
    assert [found.publication_date, found.expiration_date] == [text] * 2
    assert [each.code for each in urlset.lint(tmp_path, location=BASE + "sitemap.xml")] == [
        "VID010",
        "VID010",
        "NWS002",
    ]


# --- several URLs in one text -----------------------------------------------------------------------------------


@pytest.mark.parametrize("between", [",", ", ", ";", " | ", " ", "\n"])
def test_several_images_in_one_text_are_refused(tmp_path: Path, between: str) -> None:
    images = f"https://a.example/1.jpg{between}https://a.example/2.jpg"
    with pytest.raises(InputError, match="row 1: images is one text with several URLs: give a list of them"):
        publish([{"loc": "/a", "images": images}], tmp_path / "out")


@pytest.mark.parametrize(
    "image",
    ["https://a.example/1.jpg", " https://a.example/1,2.jpg ", "https://a.example/fetch/https://b.example/1.jpg"],
)
def test_one_image_in_a_text_is_an_image(tmp_path: Path, image: str) -> None:
    publish([{"loc": "/a", "images": image}], tmp_path / "out")
    [entry] = urlset.read(tmp_path / "out")
    assert [each.loc for each in entry.images] == [image.strip()]
