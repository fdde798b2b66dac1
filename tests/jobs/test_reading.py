"""Parts of a read: together they are what `urlset.read` reads, and no broken document ends one."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from urlset.jobs import PartScan, ReadPart, plan_partitions, scan_partition

SITEMAPS = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def sitemap(body: str) -> bytes:
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</urlset>'.encode()


def index(*names: str) -> bytes:
    children = "".join(f"<sitemap><loc>https://shop.example/{name}</loc></sitemap>" for name in names)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{children}</sitemapindex>'.encode()


def pages(first: int, number: int) -> bytes:
    return sitemap("".join(f"<url><loc>https://shop.example/{first + each}</loc></url>" for each in range(number)))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An index of an index, a robots.txt, and documents of several kinds."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitemap.xml").write_bytes(index("sitemap-index-2.xml", "a.xml", "b.xml.gz", "a.xml"))
    (folder / "sitemap-index-2.xml").write_bytes(index("c.xml", "a.xml", "d.txt"))
    (folder / "a.xml").write_bytes(pages(0, 10))
    (folder / "b.xml.gz").write_bytes(gzip.compress(pages(100, 5_000)))
    (folder / "c.xml").write_bytes(pages(10_000, 300))
    (folder / "d.txt").write_text("https://shop.example/d\n")
    return folder


def read_parts(parts: Sequence[ReadPart], **options: Any) -> list[tuple[Any, ...]]:
    rows = []
    for part in parts:
        scan = scan_partition(pickle.loads(pickle.dumps(part)), **options)
        rows += [(entry.loc, entry.document, entry.kind, entry.line) for entry in scan]
    return rows


def read_whole(*args: Any, **options: Any) -> list[tuple[Any, ...]]:
    return [(entry.loc, entry.document, entry.kind, entry.line) for entry in urlset.read(*args, **options)]


@pytest.mark.parametrize("number", [1, 2, 4, 100])
@pytest.mark.parametrize("follow", [True, False])
def test_the_parts_have_the_rows_of_a_read(site: Path, number: int, follow: bool) -> None:
    parts = plan_partitions(site, min_partitions=number, follow=follow)
    assert read_parts(parts) == read_whole(site, follow=follow)
    if follow:
        assert len(parts) == {1: 1, 2: 3, 4: 6, 100: 6}[number]
        paths = [site / name for name in ("c.xml", "a.xml")]
        by_lxml = {loc.text for path in paths for loc in etree.parse(path).iter(f"{SITEMAPS}loc")}
        assert by_lxml < {row[0] for row in read_parts(parts)}


def test_a_glob_of_all_reads_each_document_once(site: Path) -> None:
    parts = plan_partitions(site / "*", target_bytes=1000)
    rows = read_parts(parts)
    assert sorted(rows) == sorted(read_whole(str(site / "*")))
    assert len({row[0] for row in rows}) == len(rows) == 5311


@given(weights=st.lists(st.integers(0, 3_000_000), max_size=30), target=st.integers(1, 4_000_000))
def test_parts_keep_the_order_and_the_bound(weights: list[int], target: int) -> None:
    from urlset.jobs.parts import Listed
    from urlset.jobs.planning import group

    documents = [Listed(f"{number}.xml", f"{number}.xml", weight) for number, weight in enumerate(weights)]
    parts = group(documents, target)
    assert [document for part in parts for document in part.documents] == documents
    assert [part.number for part in parts] == list(range(len(parts)))
    assert all(part.bytes <= target or len(part.documents) == 1 for part in parts)


def test_a_location_is_that_of_the_folder(site: Path) -> None:
    (site / "e.xml").write_bytes(sitemap("<url><loc>/e</loc></url>"))
    location = "https://shop.example/maps/"
    parts = plan_partitions([site / "e.xml", site / "a.xml"], location=location)
    assert read_parts(parts) == read_whole([str(site / "e.xml"), str(site / "a.xml")], location=location)
    assert read_parts(parts)[0][:2] == ("https://shop.example/e", f"{location}e.xml")


def broken(folder: Path) -> dict[str, Path]:
    """Documents that are broken in every way, and what each is called."""
    found = {name: folder / f"{name}.xml" for name in ("page", "cut", "empty", "missing", "folder", "whole")}
    found["page"].write_bytes(b"<!doctype html><html><body>no</body></html>")
    found["cut"].write_bytes(pages(0, 50)[:-100])
    found["empty"].write_bytes(b"")
    found["folder"].mkdir()
    found["whole"].write_bytes(pages(0, 2))
    return found


def test_every_document_has_an_outcome(tmp_path: Path) -> None:
    found = broken(tmp_path)
    scan = scan_partition([str(path) for path in found.values()], columns=["loc"])
    rows = scan.collect()
    outcomes = {Path(outcome.location).stem: outcome for outcome in scan.outcomes}
    assert outcomes.keys() == found.keys()
    assert {name for name, outcome in outcomes.items() if outcome.errors} == {
        "page",
        "cut",
        "empty",
        "missing",
        "folder",
    }
    assert {name: outcome.document.completeness for name, outcome in outcomes.items() if outcome.document} == {
        "page": "refused",
        "cut": "truncated",
        "empty": "refused",
        "folder": "refused",
        "whole": "complete",
    }
    assert len(rows) == sum(outcome.document.rows for outcome in outcomes.values() if outcome.document)
    assert all(str(found[name]) in str(error) for name, outcome in outcomes.items() for error in outcome.errors)


@pytest.mark.parametrize("name", ["page", "cut", "empty", "missing", "folder"])
def test_one_broken_document_alone_is_no_error(tmp_path: Path, name: str) -> None:
    path = str(broken(tmp_path)[name])
    scan = scan_partition([path])
    scan.collect()
    assert len(scan.outcomes) == 1 == len(scan.outcomes[0].errors)
    with pytest.raises((urlset.UrlsetError, OSError)):
        scan_partition([path], on_error="raise").collect()


def test_a_missing_sitemap_of_an_index_is_an_error_of_the_index(site: Path) -> None:
    (site / "c.xml").unlink()
    outcomes = []
    for part in plan_partitions(site, min_partitions=9):
        scan = scan_partition(part)
        scan.collect()
        outcomes += scan.outcomes
    wrong = {Path(each.location).name: str(each.errors[0]) for each in outcomes if each.errors}
    assert wrong.keys() == {"sitemap-index-2.xml"}
    assert "c.xml was not found in the same folder" in wrong["sitemap-index-2.xml"]
    assert [str(each) for each in urlset.read(site, on_error="collect").failures] == list(wrong.values())


def test_an_index_that_nobody_planned_is_reported(site: Path) -> None:
    from urlset.jobs.parts import Listed

    part = ReadPart(0, (Listed(str(site / "sitemap.xml"), "x"),), follow=True)
    scan = scan_partition(part)
    assert len(scan.collect()) == 0
    assert "lists 4 sitemaps, which could not be followed" in str(scan.outcomes[0].errors[0])


def test_it_opens_again_and_hands_out_its_schema_first(site: Path) -> None:
    scan = scan_partition([str(site / "a.xml"), str(site / "c.xml")], columns=["loc", "line"])
    assert isinstance(scan, PartScan)
    with duckdb.connect() as connection:
        connection.register("scan", scan)
        counted = "select count(*), count(distinct loc) from scan"
        assert [connection.execute(counted).fetchall() for _ in range(2)] == [[(310, 310)]] * 2
    assert len(scan.outcomes) == 2


def test_a_filter_of_sitemaps_is_for_the_plan_and_one_of_entries_for_the_parts(site: Path) -> None:
    wanted = urlset.Filter(include_sitemaps=["a.xml", "c.xml"], exclude=["/1*"], kinds=["urlset"])
    parts = plan_partitions(site, filter=wanted, min_partitions=9)
    assert {Path(each.path).name for part in parts for each in part.documents} == {
        "sitemap.xml",
        "sitemap-index-2.xml",
        "a.xml",
        "c.xml",
    }
    assert read_parts(parts, filter=wanted) == read_whole(site, filter=wanted)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("https://shop.example/sitemap.xml", "tasks do not fetch"),
        ("hdfs://node/sitemap.xml", "must be a file, or begin with s3://"),
        ("s3a://bucket/a?x", "must be followed by a bucket"),
    ],
)
def test_what_a_task_cannot_read_is_refused(path: str, message: str) -> None:
    with pytest.raises(urlset.InputError, match=message):
        plan_partitions(path)


def test_paths_of_engines_are_understood(site: Path) -> None:
    assert (
        read_parts(plan_partitions(f"file:{site}")) == read_parts(plan_partitions(f"file://{site}")) == read_whole(site)
    )


@pytest.mark.parametrize(
    "wanted", [urlset.Filter(sample_sitemaps=2), urlset.Filter(sample_entries=2), urlset.Filter(max_entries=5)]
)
def test_a_filter_that_no_part_can_obey_is_refused(site: Path, wanted: urlset.Filter) -> None:
    with pytest.raises(urlset.InputError, match="cannot have sample, sample_entries or max_entries"):
        plan_partitions(site, filter=wanted)
    with pytest.raises(urlset.InputError, match="cannot have sample, sample_entries or max_entries"):
        scan_partition([str(site / "a.xml")], filter=wanted)
