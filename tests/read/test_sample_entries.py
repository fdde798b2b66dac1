"""A sample of the entries of all sitemaps: which are drawn, in which order, and what they stand for."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.reading import index_of, lay, locs, urlset_of
from urlset import Filter, InputError, Sample, SitemapEntry
from urlset._read import opening

pa: Any = import_module("pyarrow")

HOST = "https://a.example/"


def pages(names: list[str]) -> bytes:
    """A list of URLs."""
    return "".join(f"{HOST}{name}\n" for name in names).encode()


def drawn(source: Any, size: int, **options: Any) -> list[str]:
    """The names that are drawn, in the order of the rows."""
    scan = urlset.scan(source, filter=Filter(sample_entries=size), **options)
    return [str(loc).removeprefix(HOST) for loc in locs(scan)]


def ranking(names: list[str]) -> list[str]:
    """The names in the order in which they come into larger and larger samples."""
    ranked: list[str] = []
    for size in range(1, len(names) + 1):
        [new] = set(drawn(pages(names), size)) - set(ranked)
        ranked.append(new)
    return ranked


NAMES = [f"{number}/page" for number in range(60)]


def test_a_larger_sample_has_the_smaller_ones_and_each_keeps_the_order_of_reading() -> None:
    ranked = ranking(NAMES)
    assert sorted(ranked) == sorted(NAMES)
    assert ranked != NAMES
    for size in (1, 7, 30, 59, 60, 61, 1_000_000):
        first = set(ranked[:size])
        assert drawn(pages(NAMES), size) == [name for name in NAMES if name in first]


def test_what_is_drawn_depends_on_nothing_but_the_locs(tmp_path: Path) -> None:
    ranked = ranking(NAMES)
    mixed = random.Random(7).sample(NAMES, len(NAMES))
    lay(tmp_path, sitemap=index_of(*(f"{HOST}s{number}.xml" for number in range(6))))
    lay(tmp_path, **{f"s{n}": urlset_of(*(f"{HOST}{name}" for name in mixed[n * 10 : n * 10 + 10])) for n in range(6)})
    for size in (1, 13, 59):
        assert drawn(tmp_path, size) == [name for name in mixed if name in ranked[:size]]
    # Of a set that lost some of its pages, those that are left come first as before.
    left = [name for name in NAMES if name not in ranked[3:20]]
    assert set(drawn(pages(left), 10)) == {*ranked[:3], *ranked[20:27]}


@given(st.lists(st.text("abcé", max_size=3), min_size=1, max_size=40), st.integers(1, 45), st.integers(1, 50))
def test_pieces_make_no_difference_and_of_the_same_locs_the_first_are_drawn(
    names: list[str], size: int, piece: int
) -> None:
    data = pages(names)
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]
    found = drawn(data, size)
    assert drawn(iter(pieces), size) == found
    assert drawn(iter([data[at : at + 1] for at in range(len(data))]), size) == found
    ranked = ranking(sorted(set(names)))
    places = sorted(range(len(names)), key=lambda place: (ranked.index(names[place]), place))[:size]
    entries = urlset.read(data, filter=Filter(sample_entries=size))
    assert entries["line"] == [place + 1 for place in sorted(places)]
    assert found == [names[place] for place in sorted(places)]


def test_entries_without_a_loc_are_drawn_one_by_one() -> None:
    data = urlset_of(*[""] * 400, *(f"{HOST}{number}" for number in range(400)))
    entries = urlset.read(data, filter=Filter(sample_entries=200))
    assert len(entries) == 200
    assert 60 <= entries["loc"].count(None) <= 140


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Forty sitemaps of 500 entries each, of which every tenth is below /sale/."""
    lay(tmp_path, sitemap=index_of(*(f"{HOST}s{number:02}.xml" for number in range(40))))
    for number in range(40):
        names = (f"{HOST}{'sale' if entry % 10 == 0 else 'tea'}/{number}-{entry}" for entry in range(500))
        lay(tmp_path, **{f"s{number:02}": urlset_of(*names)})
    return tmp_path


def test_a_sample_is_drawn_evenly_and_says_what_it_stands_for(site: Path) -> None:
    entries = urlset.read(site, filter=Filter(sample_entries=2_000))
    scan = urlset.scan(site, filter=Filter(sample_entries=2_000))
    assert [entry.loc for entry in scan] == entries["loc"]
    assert scan.sample == Sample(
        sitemaps=40, of=40, entries=20_000, estimated_entries=20_000, standard_error=0.0, drawn=2_000
    )
    assert str(scan.sample) == "2,000 of 20,000 entries, drawn evenly"
    # Of 39 degrees of freedom, chi-square is between 16 and 72 in 998 of 1,000 samples; a tenth of all is drawn.
    counts = Counter(entries["document"])
    chi_square = sum((counts[name] - 50) ** 2 / 50 for name in counts) / (1 - 2_000 / 20_000)
    assert 16 < chi_square < 72
    # As the docstring of `Sample` says: the share is 0.1.
    share = sum("/sale/" in loc for loc in entries["loc"]) / 2_000
    error = math.sqrt(share * (1 - share) / 2_000 * (1 - 2_000 / 20_000))
    assert 0.005 < error < 0.008
    assert abs(share - 0.1) < 3 * error


def test_each_document_has_the_rows_that_were_drawn_from_it(site: Path) -> None:
    entries = urlset.read(site, filter=Filter(sample_entries=30, include_sitemaps=["s0*", "s1*"]))
    assert len(entries) == 30
    by_document = [(document.location, [entry.loc for entry in document]) for document in entries.documents]
    assert [loc for _, rows in by_document for loc in rows] == entries["loc"]
    for location, rows in by_document:
        assert rows == [entry.loc for entry in entries if entry.document == location]
    # What a document is does not depend on what is drawn from it.
    assert [document.rows for document in entries.documents] == [40, *[500] * 20]
    assert entries.completeness == "complete"


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_make_no_difference(site: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    monkeypatch.setattr(opening, "cores", lambda: 1)
    expected = [(entry.loc, entry.document) for entry in urlset.scan(site, filter=Filter(sample_entries=77))]
    monkeypatch.setattr(opening, "cores", lambda: threads)
    found = urlset.read(site, filter=Filter(sample_entries=77))
    assert [(entry.loc, entry.document) for entry in found] == expected


def test_every_way_of_reading_gives_the_same_rows(site: Path) -> None:
    wanted = Filter(sample_entries=100, exclude=["/sale/*"])
    expected = list(urlset.read(site, filter=wanted))
    assert len(expected) == 100
    scan = urlset.scan(site, filter=wanted)
    [batch] = scan.batches()
    assert batch.entries() == list(scan) == list(scan.collect()) == expected
    assert scan.skipped.entries == {"exclude": 2_000}
    assert scan.sample is not None
    assert (scan.sample.drawn, scan.sample.entries) == (100, 18_000)
    table = pa.table(scan)
    assert table.column("loc").to_pylist() == [entry.loc for entry in expected]
    assert table.column("document").to_pylist() == [entry.document for entry in expected]
    assert table.schema == pa.table(urlset.scan(site)).schema

    async def awaited() -> list[Any]:
        rows = [entry async for entry in urlset.scan(site, filter=wanted)]
        batches = [batch async for batch in urlset.scan(site, filter=wanted).abatches()]
        assert len(batches) == 1
        assert rows == batches[0].entries() == list(await urlset.scan(site, filter=wanted).acollect())
        return list(await urlset.aread(site, filter=wanted))

    assert asyncio.run(awaited()) == expected


@pytest.mark.parametrize("columns", [["line"], ["document", "line"], ["line", "loc"]])
def test_a_table_without_locs_has_the_same_rows(site: Path, columns: list[str]) -> None:
    scan = urlset.scan(site, columns=columns, filter=Filter(sample_entries=50))
    table = pa.table(scan)
    assert table.column_names == columns
    expected = urlset.read(site, filter=Filter(sample_entries=50))["line"]
    assert table.column("line").to_pylist() == scan.collect()["line"] == expected


def test_a_sample_can_be_drawn_of_the_sitemaps_that_an_index_names() -> None:
    data = index_of(*(f"{HOST}{name}" for name in NAMES))
    scan = urlset.scan(data, follow=False, filter=Filter(sample_entries=5))
    rows = list(scan)
    assert len(rows) == 5
    assert all(isinstance(row, SitemapEntry) for row in rows)
    assert scan.sample is not None
    assert (scan.sample.drawn, scan.sample.entries) == (5, 60)


def test_nothing_to_draw_from_gives_no_rows() -> None:
    scan = urlset.scan(urlset_of(), filter=Filter(sample_entries=5))
    assert list(scan.batches()) == []
    assert pa.table(scan).num_rows == len(scan.collect()) == 0
    assert str(scan.sample) == "0 of 0 entries, drawn evenly"


def test_a_sample_is_of_what_could_be_read(site: Path) -> None:
    (site / "s07.xml").write_bytes(b"<!DOCTYPE html><p>404")
    with pytest.raises(urlset.NotASitemapError):
        list(urlset.scan(site, filter=Filter(sample_entries=10), strict=True))
    with pytest.raises(Exception, match=r"s07\.xml"):
        pa.table(urlset.scan(site, filter=Filter(sample_entries=10), strict=True))
    scan = urlset.scan(site, filter=Filter(sample_entries=10))
    assert len(list(scan)) == 10
    assert len(scan.failures) == 1
    # One that could not be read is taken to be like the others, as in a sample of sitemaps.
    assert scan.sample == Sample(
        sitemaps=39, of=40, entries=19_500, estimated_entries=20_000, standard_error=0.0, drawn=10
    )


def test_a_run_that_ends_early_draws_from_what_it_has_read(site: Path) -> None:
    scan = urlset.scan(site, filter=Filter(sample_entries=10, max_entries=1_000))
    assert len(list(scan)) == 10
    assert len(scan.failures) == 1
    assert scan.sample is not None
    assert (scan.sample.drawn, scan.sample.entries) == (10, 1_000)
    assert scan.completeness == "truncated"


def test_what_cannot_be_combined_is_refused(site: Path) -> None:
    with pytest.raises(InputError, match=r"^sample_entries must not come with resume: what is drawn is known once"):
        urlset.scan(site, filter=Filter(sample_entries=10), resume=site / "state")
    assert not (site / "state").exists()
    with pytest.raises(InputError, match=r"^sample_entries must not be set: stats counts all that it reads"):
        urlset.stats(site, filter=Filter(sample_entries=10))
