"""A set that another program has made is taken over: its documents stay as they are while nothing in them changes."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import urlset
from support.documents import ENTRIES_PER_DOCUMENT, ENTRY, FOOT, HEAD, tree
from support.publish import BASE, DAY, index, locs, names, publish, read_back
from support.publish.model import small
from urlset import SitemapEntry, UrlEntry
from urlset._publish.api import rollback
from urlset._publish.commit.publication import Publication

SINCE = datetime(2023, 7, 1, tzinfo=UTC)


def make(folder: Path, parts: Mapping[str, Sequence[str | UrlEntry]], **lastmods: datetime) -> dict[str, bytes]:
    """A set as other programs make it: an index, and documents with names and blanks of their own."""
    folder.mkdir(exist_ok=True)
    for name, part in parts.items():
        entries = [entry if isinstance(entry, str) else str(entry.loc) for entry in part]
        xml = HEAD + "".join(f"\t<url>\n\t\t<loc>{loc}</loc>\n\t</url>\n" for loc in entries) + FOOT
        (folder / name).write_bytes(gzip.compress(xml.encode()) if name.endswith(".gz") else xml.encode())
    children = [SitemapEntry(BASE + quote(name), lastmods.get(name.split(".")[0].replace("-", "_"))) for name in parts]
    urlset.write(children, folder / "sitemap.xml")
    return tree(folder)


def actions(publication: Publication) -> dict[str, str]:
    """What becomes of each shard."""
    return {shard.shard: shard.action for shard in publication.plan.shards}


PARTS: dict[str, Sequence[str]] = {
    "sitemap-posts-1.xml": locs(4, "a"),
    "post_tags.xml.gz": locs(3, "b"),
    "x.xml": locs(2, "c"),
}
ROWS = [loc for part in PARTS.values() for loc in part]


def test_documents_in_which_nothing_changes_stay_as_they_are(tmp_path: Path) -> None:
    foreign = make(tmp_path, PARTS, sitemap_posts_1=SINCE, x=SINCE)
    publication = publish(ROWS, tmp_path)
    assert (publication.written, publication.removed) == ((), ())
    assert actions(publication) == {"0001": "keep", "0002": "keep", "0003": "keep"}
    assert (publication.plan.same, publication.plan.moved) == (9, 0)
    assert [(shard.name, shard.lastmod) for shard in publication.shards] == [
        *(("sitemap-posts-1.xml", SINCE), ("post_tags.xml.gz", None), ("x.xml", SINCE)),
    ]
    assert {name: data for name, data in tree(tmp_path).items() if name in foreign} == foreign
    # From then on it is known by its manifest.
    before = tree(tmp_path)
    assert publish(ROWS, tmp_path, day=2).written == ()
    assert tree(tmp_path) == before


def test_documents_that_change_are_made_anew_and_the_old_ones_stay_there(tmp_path: Path) -> None:
    foreign = make(tmp_path, PARTS, sitemap_posts_1=SINCE, x=SINCE)
    rows = [loc for loc in ROWS if not loc.endswith("b000001")]
    publication = publish(rows, tmp_path)
    assert actions(publication) == {"0001": "keep", "0002": "rewrite", "0003": "keep"}
    [name] = [name for name in publication.written if name != "sitemap.xml"]
    assert name.startswith("sitemap-0002-")
    assert index(tmp_path) == {
        BASE + "sitemap-posts-1.xml": SINCE,
        BASE + name: DAY[0],
        BASE + "x.xml": SINCE,
    }
    assert sorted(read_back(tmp_path)) == sorted(rows)
    # Nothing of what the other program has made is ever removed.
    for day, changed in enumerate([rows[1:], rows[2:-1], locs(3, "d")], 2):
        publish(changed, tmp_path, day)
    assert {name: data for name, data in tree(tmp_path).items() if name in foreign and name != "sitemap.xml"} == {
        name: data for name, data in foreign.items() if name != "sitemap.xml"
    }


def test_new_pages_go_to_the_last_document(tmp_path: Path) -> None:
    make(tmp_path, PARTS)
    publication = publish([*ROWS, "/new"], tmp_path)
    assert actions(publication) == {"0001": "keep", "0002": "keep", "0003": "rewrite"}
    with small(2):
        second = publish([*ROWS, "/new", "/newer"], tmp_path, day=2)
    assert {shard.entries for shard in second.shards} == {1, 2}


def test_a_takeover_can_be_undone(tmp_path: Path) -> None:
    foreign = make(tmp_path, PARTS, sitemap_posts_1=SINCE)
    publish([*ROWS, "/new"], tmp_path)
    assert rollback(tmp_path) == tuple(PARTS)
    assert (tmp_path / "sitemap.xml").read_bytes() == foreign["sitemap.xml"]
    assert read_back(tmp_path) == ROWS
    again = publish([*ROWS, "/new"], tmp_path, day=2)
    assert actions(again) == {"0001": "keep", "0002": "keep", "0003": "rewrite"}


def test_a_single_document_is_taken_over(tmp_path: Path) -> None:
    urlset.write([UrlEntry(loc, priority=0.5) for loc in locs(3)], tmp_path / "sitemap.xml")
    xml = (tmp_path / "sitemap.xml").read_bytes().replace(b"<url>", b"<url>\n  ")
    (tmp_path / "sitemap.xml").write_bytes(xml)
    rows: list[Any] = [{"loc": loc, "priority": 0.5} for loc in locs(3)]
    assert publish(rows, tmp_path).written == ()
    assert (tmp_path / "sitemap.xml").read_bytes() == xml
    second = publish([*rows, "/new"], tmp_path, day=2)
    assert (second.plan.same, second.plan.added, second.written) == (3, 1, ("sitemap.xml",))
    rollback(tmp_path)
    assert (tmp_path / "sitemap.xml").read_bytes() == xml


def test_children_that_are_missing_or_broken_are_made_anew(tmp_path: Path) -> None:
    make(tmp_path, {**PARTS, "gone.xml": locs(2, "d"), "broken.xml": locs(2, "e"), "cut.xml.gz": locs(2, "f")})
    make_index = [*PARTS, "gone.xml", "broken.xml", "cut.xml.gz", "sub/other.xml", "maps", "a:b.xml", "..", "html.xml"]
    urlset.write([SitemapEntry(BASE + name) for name in make_index], tmp_path / "sitemap.xml")
    (tmp_path / "gone.xml").unlink()
    (tmp_path / "html.xml").write_text("<!doctype html><title>Not found</title>")
    (tmp_path / "broken.xml").write_text((tmp_path / "broken.xml").read_text().replace("</loc>", "", 1))
    (tmp_path / "cut.xml.gz").write_bytes((tmp_path / "cut.xml.gz").read_bytes()[:-20])
    rows = [*ROWS, *locs(2, "d"), *locs(2, "e"), *locs(2, "f")]
    publication = publish(rows, tmp_path)
    found = actions(publication)
    assert [found[name] for name in ("0001", "0002", "0003")] == ["keep"] * 3
    assert "keep" not in [action for name, action in found.items() if name > "0003"]
    assert sorted(read_back(tmp_path)) == sorted(rows)
    assert urlset.read(tmp_path).documents[0].completeness == "complete"


@pytest.mark.parametrize(
    "parts",
    [
        {"one.xml": [*locs(2), "https://example.org/"], "two.xml": ["https://example.com/z"]},
        {"one.xml": [*locs(2), locs(1)[0]], "two.xml": ["https://example.com/z"]},
        {"one.xml": [*locs(2), "mailto:a"], "two.xml": ["https://example.com/z"]},
    ],
    ids=["a foreign loc", "a loc twice", "no URL"],
)
def test_a_document_that_says_more_than_the_rows_does_not_stay(tmp_path: Path, parts: dict[str, list[str]]) -> None:
    make(tmp_path, parts)
    publication = publish([*locs(2), "/z"], tmp_path)
    assert actions(publication) == {"0001": "rewrite", "0002": "keep"}
    assert publication.plan.same == 3
    assert read_back(tmp_path) == [*locs(2), BASE + "z"]


def test_a_loc_in_two_documents_is_of_the_first(tmp_path: Path) -> None:
    make(tmp_path, {"one.xml": locs(3), "two.xml": [*locs(1), BASE + "z"]})
    publication = publish([*locs(3), "/z"], tmp_path)
    assert actions(publication) == {"0001": "keep", "0002": "rewrite"}
    assert (publication.plan.same, publication.plan.moved) == (4, 0)
    assert read_back(tmp_path) == [*locs(3), BASE + "z"]


def test_a_document_over_a_limit_does_not_stay(tmp_path: Path) -> None:
    rows = locs(ENTRIES_PER_DOCUMENT + 1)
    (tmp_path / "sitemap.xml").write_text(HEAD + "".join(ENTRY.format(loc) for loc in rows) + FOOT)
    publication = publish(rows, tmp_path)
    assert [shard.entries for shard in publication.shards] == [ENTRIES_PER_DOCUMENT, 1]
    assert (publication.plan.moved, publication.plan.same) == (1, 50_000)
    blanks = tmp_path / "blanks"
    make(blanks, {"a.xml": locs(3), "b.xml": ["https://example.com/z"]})
    padding = b"<!--" + b"x" * 1_000_000 + b"-->\n"
    (blanks / "a.xml").write_bytes((blanks / "a.xml").read_bytes() + padding * 53)
    assert actions(publish([*locs(3), "/z"], blanks)) == {"0001": "rewrite", "0002": "keep"}


def test_another_way_of_splitting_makes_it_anew(tmp_path: Path) -> None:
    make(tmp_path, PARTS)
    publication = publish(ROWS, tmp_path, shard_by="hash:2")
    assert publication.plan.moved == 9
    assert {action for name, action in actions(publication).items() if name.startswith("000")} == {"remove"}
    assert set(PARTS) <= names(tmp_path)


def test_foreign_files_with_names_like_those_of_shards_stay(tmp_path: Path) -> None:
    """Ours say their content."""
    parts = {"sitemap-0007-0123456789abcdef.xml": locs(3), "sitemap-news-0001-0123456789abcdef.xml.gz": locs(2, "n")}
    foreign = make(tmp_path, parts)
    publication = publish([*locs(3), *locs(2, "n")], tmp_path)
    assert (publication.written, publication.plan.same) == ((), 5)
    for day in (2, 3, 4):
        publish(locs(day, "new"), tmp_path, day)
    assert all((tmp_path / name).read_bytes() == foreign[name] for name in parts)


def test_escaped_names_are_files(tmp_path: Path) -> None:
    make(tmp_path, {"a b.xml": locs(3), "c.xml": ["https://example.com/z"]})
    publication = publish([*locs(3), "/z"], tmp_path)
    assert (publication.written, publication.plan.same) == ((), 4)
    assert publication.shards[0].url == BASE + "a%20b.xml"
    assert len(read_back(tmp_path)) == 4


def test_a_document_that_is_too_large_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from urlset._publish.stored import recover

    make(tmp_path, {"one.xml": locs(30), "two.xml": ["https://example.com/z"]})
    monkeypatch.setattr(recover, "_MAX_BYTES", 1_000)
    publication = publish([*locs(30), "/z"], tmp_path)
    assert (publication.plan.added, publication.plan.same) == (30, 1)


@pytest.mark.parametrize("data", [b"", b"<html>not found</html>", b"<sitemapindex", b"\x1f\x8b\x08", HEAD.encode()])
def test_what_is_no_set_is_replaced(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "sitemap.xml").write_bytes(data)
    publication = publish(locs(2), tmp_path)
    assert publication.plan.added == 2
    assert read_back(tmp_path) == locs(2)
    assert set(actions(publication)) == {"0001"}


def test_links_are_the_same_as_those_of_a_group(tmp_path: Path) -> None:
    rows = [{"loc": f"/{lang}", "page": "tea", "lang": lang, "images": [BASE + "i.png"]} for lang in ("de", "en")]
    columns = {"group": "page", "lang": "lang"}
    publish(rows, tmp_path / "a", columns=columns)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "sitemap.xml").write_bytes((tmp_path / "a" / "sitemap.xml").read_bytes())
    publication = publish(rows, tmp_path / "b", columns=columns)
    assert (publication.plan.same, publication.written) == (2, ())
    # And as those that rows bring along themselves.
    again = publish(urlset.read(tmp_path / "b"), tmp_path / "b", day=2)
    assert (again.plan.same, again.written) == (2, ())
