"""The plan: what it says is what is done, to the byte."""

from __future__ import annotations

import json
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import BYTES_PER_DOCUMENT, violations
from support.publish import BASE, DAY, document, locs, publish, read_back
from support.publish.model import small
from urlset._model.plan import Plan
from urlset._publish.commit.publication import Publication

pa: Any = import_module("pyarrow")

IMAGE = {"loc": BASE + "i.png?a=1&b='2'", "title": "<Title>", "caption": 'a "caption"\n'}
ARTICLE = {
    "publication_name": "The & Times",
    "publication_language": "en",
    "publication_date": "2024-01-01",
    "title": "What's new",
    "keywords": "a, b",
}
VIDEO = {
    "thumbnail_loc": BASE + "t.png",
    "title": "A video",
    "description": "of something",
    "content_loc": BASE + "v.mp4",
    "tags": ["one", "two"],
}


def rich_rows() -> list[dict[str, Any]]:
    """Rows with everything that an entry can have, but each with something else."""
    found: list[dict[str, Any]] = []
    for number in range(24):
        row: dict[str, Any] = {"loc": f"/p?number={number:02}&x='", "page": f"g{number // 3}", "language": "x-default"}
        row["language"] = ["en", "de", "fr-CH"][number % 3]
        row |= {"lastmod": f"2023-12-{number % 28 + 1:02}"} if number % 4 else {}
        row |= {"images": [IMAGE] * (number % 3)} if number % 2 else {}
        row |= {"videos": [VIDEO]} if number % 5 == 0 else {}
        row |= {"news": ARTICLE} if number % 6 == 0 else {}
        row |= {"priority": 0.25, "changefreq": "daily"} if number % 7 == 0 else {}
        row |= {"alternates": [{"hreflang": "it", "href": BASE + "it"}]} if number % 8 == 0 else {}
        found.append(row)
    return found


def around(xml: bytes) -> int:
    """The bytes of a document that do not belong to an entry."""
    begin = xml.index(b"\n", xml.index(b"<urlset")) + 1
    return begin + len(b"</urlset>\n")


@pytest.mark.parametrize("pretty", [False, True])
@pytest.mark.parametrize("news", [False, True])
@pytest.mark.parametrize("stylesheet", [False, True])
def test_the_bytes_of_a_plan_are_those_of_its_documents(
    tmp_path: Path, *, pretty: bool, news: bool, stylesheet: bool
) -> None:
    options: dict[str, Any] = {"columns": {"group": "page", "lang": "language"}, "x_default": "en", "recent": 20}
    with small(5):
        publication = publish(
            rich_rows(), tmp_path, pretty=pretty, news=news, stylesheet=stylesheet, removed=5, **options
        )
        rest = publish(
            rich_rows()[3:], tmp_path, 2, pretty=pretty, news=news, stylesheet=stylesheet, removed=5, **options
        )
    for done, parts in [(publication, {"0001", "recent-0001"}), (rest, {"0002", "removed-0001"})]:
        planned = planned_of(done)
        assert parts <= planned.keys()
        for shard in done.shards:
            xml = document(tmp_path / shard.name)
            name = shard.name.removeprefix("sitemap-").rpartition("-")[0]
            action, size = planned[name]
            assert size == (len(xml) if action == "keep" else len(xml) - around(xml)), name
            assert violations(xml) == []


def planned_of(publication: Publication) -> dict[str, tuple[str, int]]:
    """What becomes of each shard, and its bytes."""
    return {shard.shard: (shard.action, shard.bytes) for shard in publication.plan.shards if shard.action != "remove"}


# --- documents of exactly as many bytes as there may be -----------------------------------------------------

#: Letters of which no gzip makes too little: what unpacks to 256 times its size is not read back.
LETTERS = "".join(chr(97 + (number * number // 7 + number // 3) % 26) for number in range(1_048_576))
LAYOUTS: dict[str, dict[str, Any]] = {"dense": {}, "pretty with a stylesheet": {"pretty": True, "stylesheet": True}}


def captioned(sizes: list[int]) -> list[dict[str, Any]]:
    """Rows with captions of so many bytes, in two languages each."""
    return [
        {
            "loc": f"/p{number:03}",
            "images": [{"loc": "https://example.com/i.png", "caption": LETTERS[:size]}],
            "page": str(number // 2),
            "language": ["en", "de"][number % 2],
        }
        for number, size in enumerate(sizes)
    ]


def filled(folder: Path, options: dict[str, Any]) -> list[int]:
    """The sizes of captions with which a document is exactly full."""
    made = publish(captioned([1] * 52), folder / "empty", **options)
    left = BYTES_PER_DOCUMENT - (made.shards[0].bytes - 52)
    return [left // 52 + (number < left % 52) for number in range(52)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_document_is_exactly_full_with_translations_and_captions(tmp_path: Path, layout: str) -> None:
    options: dict[str, Any] = {"columns": {"group": "page", "lang": "language"}, "x_default": "en", **LAYOUTS[layout]}
    sizes = filled(tmp_path, options)
    folder = tmp_path / "set"
    full = publish(captioned(sizes), folder, **options)
    assert [(shard.entries, shard.bytes) for shard in full.shards] == [(52, BYTES_PER_DOCUMENT)]
    assert (folder / "sitemap.xml").stat().st_size == BYTES_PER_DOCUMENT
    assert not urlset.lint(folder / "sitemap.xml", rules=urlset.Rules(select=["LIM002"]))
    # A byte more has no place, wherever it is.
    more = publish(captioned([sizes[0] + 1, *sizes[1:]]), tmp_path / "other", **options)
    assert [shard.entries for shard in more.shards] == [51, 1]


@pytest.mark.long
def test_an_overfull_shard_loses_its_latest_rows(tmp_path: Path) -> None:
    columns: dict[str, Any] = {"columns": {"group": "page", "lang": "language"}}
    sizes = filled(tmp_path, columns)
    folder = tmp_path / "set"
    rows = captioned(sizes)
    publish(rows[:10] + rows[12:], folder, **columns)
    second = publish(rows, folder, day=2, **columns)
    assert [shard.bytes for shard in second.shards] == [BYTES_PER_DOCUMENT]
    rows[40]["images"][0]["caption"] += "c"
    third = publish(rows, folder, day=3, **columns)
    # The latest one, and not the last one, nor the one that has grown.
    assert (third.plan.moved, third.plan.changed, third.plan.same) == (1, 1, 50)
    assert [(shard.entries, shard.lastmod) for shard in third.shards] == [(51, DAY[2]), (1, DAY[2])]
    assert read_back(folder)[-1] == BASE + "p011"
    assert [shard.moved_out for shard in third.plan.shards] == [1, 0]
    again = publish(rows, folder, day=4, **columns)
    assert again.written == ()


def test_two_overfull_shards_lose_their_latest_rows(tmp_path: Path) -> None:
    rows: list[Any] = [{"loc": loc} for loc in locs(7)]
    with small():
        publish(rows, tmp_path)
    with small(2):
        plan = publish([*rows, "/new"], tmp_path, day=2).plan
    assert [(shard.entries, shard.moved_out) for shard in plan.shards] == [(2, 1), (2, 1), (2, 0), (2, 0)]
    assert (plan.moved, plan.same, plan.added) == (2, 5, 1)


# --- a dry run ----------------------------------------------------------------------------------------------


def test_a_dry_run_leaves_no_trace(tmp_path: Path) -> None:
    planned = publish(locs(3), tmp_path / "new", dry_run=True, update_robots=True, stylesheet=True)
    assert not (tmp_path / "new").exists()
    assert (planned.entries, planned.shards, planned.written) == (3, (), ())
    assert [(shard.shard, shard.action) for shard in planned.plan.shards] == [("0001", "new")]


def test_a_dry_run_reports_what_a_guard_would_refuse(tmp_path: Path) -> None:
    publish(locs(10), tmp_path)
    plan = publish(locs(3), tmp_path, day=2, dry_run=True, allow=[]).plan
    assert plan.is_blocked
    assert [(guard.name, guard.is_allowed) for guard in plan.guards] == [("shrunk", False)]


def test_a_plan_is_plain_values(tmp_path: Path) -> None:
    rows = [{"loc": loc, "lastmod": DAY[0] - timedelta(days=1)} for loc in locs(4)]
    with small():
        publication = publish([*rows, *rows[:1]], tmp_path)
    said = json.loads(json.dumps(publication.plan.as_dict()))
    assert said.pop("is_blocked") is False
    assert Plan(**{**said, "shards": publication.plan.shards, "guards": ()}) == publication.plan
    assert (said["rows"], said["duplicates"], said["added"], said["lastmod_sources"]) == (5, 1, 4, {"column": 4})
    assert [shard["shard"] for shard in said["shards"]] == ["0001", "0002"]
    assert publication.plan.count("new") == 2
