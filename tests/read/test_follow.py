"""Following an index to the children that lie beside it, and nowhere else."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.reading import index_of, lay, locs, urlset_of
from urlset import FetchError, MalformedError, NotASitemapError, SitemapEntry, UrlEntry
from urlset._read.failures import Failures
from urlset._read.opening import Opener
from urlset._read.scan_pass import Ended, Hooks, ScanPass
from urlset._read.source import resolve_all

HOST = "http://a.example/"


# --- an index and its children ------------------------------------------------------------------------------


def test_an_index_leads_to_the_children_in_its_folder(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "b.xml", HOST + "deep/er/a.xml"), a=urlset_of("A"), b=urlset_of("B", "C"))
    entries = urlset.read(tmp_path / "sitemap.xml")
    # In the order of the index; a child is found by its own name, wherever it lives on the web.
    assert locs(entries) == ["B", "C", "A"]
    assert [entry.document for entry in entries] == [str(tmp_path / name) for name in ("b.xml", "b.xml", "a.xml")]
    assert [entry.line for entry in entries] == [2, 3, 2]
    assert [(Path(d.location or "").name, d.kind, d.rows) for d in entries.documents] == [
        ("sitemap.xml", "sitemapindex", 2),
        ("b.xml", "urlset", 2),
        ("a.xml", "urlset", 1),
    ]
    assert entries.failures == ()
    assert [locs(document) for document in entries.documents] == [[], ["B", "C"], ["A"]]


def test_a_folder_stands_for_its_sitemap(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml"), a=urlset_of("A"))
    assert locs(urlset.scan(tmp_path)) == locs(urlset.scan(str(tmp_path))) == ["A"]


def test_without_following_the_children_are_the_entries(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml", HOST + "gone.xml"), a=urlset_of("A"))
    entries = urlset.read(tmp_path, follow=False)
    assert list(entries) == [SitemapEntry(HOST + "a.xml"), SitemapEntry(HOST + "gone.xml")]
    assert len(entries.documents) == 1


def test_an_index_that_is_not_on_disk_has_no_children(tmp_path: Path, monkeypatch: Any) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml"), a=urlset_of("A"))
    monkeypatch.chdir(tmp_path)
    expected = [SitemapEntry(HOST + "a.xml")]
    data = (tmp_path / "sitemap.xml").read_bytes()
    assert list(urlset.scan(data)) == list(urlset.scan([data])) == list(urlset.parse(data)) == expected
    with (tmp_path / "sitemap.xml").open("rb") as file:
        assert list(urlset.scan(file)) == expected


def test_an_index_that_is_not_on_disk_says_that_its_children_are_missing(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml", HOST + "b.xml"), a=urlset_of("A"))
    data = (tmp_path / "sitemap.xml").read_bytes()
    robots = f"Sitemap: {HOST}a.xml\n".encode()
    for source, children in (
        (data, "2 sitemaps"),
        ([data], "2 sitemaps"),
        (io.BytesIO(data), "2 sitemaps"),
        (robots, "1 sitemap"),
    ):
        entries = urlset.read(source)
        assert entries.completeness == "truncated"
        [failure] = entries.failures
        assert isinstance(failure, urlset.FetchError)
        assert str(failure).startswith(f"<bytes>: it lists {children}, which could not be followed")
        # The document itself was read to its end, and nobody asked for more of these.
        assert entries.documents[0].completeness == "complete"
    for asked in (urlset.read(data, follow=False), urlset.parse(data), urlset.read(urlset_of("A"))):
        assert asked.completeness == "complete"
    assert urlset.read(index_of()).failures == ()


def test_a_relative_path_finds_the_children_in_its_folder(tmp_path: Path, monkeypatch: Any) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml", HOST + "sitemap.xml"), a=urlset_of("A"))
    monkeypatch.chdir(tmp_path)
    for source in ("sitemap.xml", "./sitemap.xml", ".", Path("sitemap.xml")):
        assert locs(urlset.read(source)) == ["A"]


def test_an_index_of_indexes_is_followed_all_the_way(tmp_path: Path) -> None:
    lay(
        tmp_path,
        sitemap=index_of(HOST + "one.xml", HOST + "a.xml"),
        one=index_of(HOST + "two.xml", HOST + "b.xml"),
        two=index_of(HOST + "c.xml"),
        **{name: urlset_of(name) for name in "abc"},
    )
    entries = urlset.read(tmp_path)
    assert sorted(filter(None, locs(entries))) == ["a", "b", "c"]
    assert [document.kind for document in entries.documents].count("sitemapindex") == 3
    assert sum(len(document) for document in entries.documents) == 3


def test_each_child_is_read_once_and_circles_end(tmp_path: Path) -> None:
    lay(
        tmp_path,
        sitemap=index_of(*[HOST + "a.xml"] * 3, HOST + "sitemap.xml", "http://b.example/x/a.xml", HOST + "back.xml"),
        back=index_of(HOST + "sitemap.xml", HOST + "back.xml", HOST + "%61.xml?again#and-again"),
        a=urlset_of("A"),
    )
    entries = urlset.read(tmp_path)
    assert locs(entries) == ["A"]
    assert len(entries.documents) == 3
    assert entries.failures == ()


def test_children_may_be_gzipped_under_any_name(tmp_path: Path) -> None:
    gzipped = (Path(__file__).parents[2] / "vectors/rfc1952/gzip.xml.gz").read_bytes()
    lay(tmp_path, sitemap=index_of(HOST + "a.xml.gz", HOST + "b.xml"), b=gzipped)
    (tmp_path / "a.xml.gz").write_bytes(gzipped)
    assert len(urlset.read(tmp_path)) == 4


def test_sitemaps_and_urls_in_one_document_are_all_taken(tmp_path: Path) -> None:
    entry = f"<sitemap><loc>{HOST}a.xml</loc></sitemap>".encode()
    mixed = urlset_of("1").replace(b"</urlset>", entry + b"\n<url><loc>2</loc></url></urlset>")
    assert list(urlset.parse(mixed)) == [UrlEntry("1"), SitemapEntry(HOST + "a.xml"), UrlEntry("2")]
    lay(tmp_path, sitemap=mixed, a=urlset_of("A"))
    entries = urlset.read(tmp_path)
    assert locs(entries) == ["1", "2", "A"]
    assert [(document.rows, len(document)) for document in entries.documents] == [(3, 2), (1, 1)]


# --- children that are not there ----------------------------------------------------------------------------

LONG = "x" * 300


@pytest.mark.parametrize(
    "loc",
    [
        HOST + "gone.xml",
        HOST,
        "",
        "  ",
        HOST + "folder",
        HOST + "a.xml/",
        HOST + "..",
        HOST + "%2e%2e",
        HOST + "a%00.xml",
        HOST + LONG + ".xml",
        "http://[/a.xml",
        "http://[::1/a.xml",
        "http://ex\u2100mple/gone.xml",
        HOST + "%ff.xml",
        HOST + "\U0001f600\u0301.xml",
    ],
)
def test_a_child_that_is_not_there_is_a_failure(tmp_path: Path, loc: str) -> None:
    (tmp_path / "folder").mkdir()
    lay(tmp_path, sitemap=index_of(loc, HOST + "a.xml"), a=urlset_of("A"))
    with pytest.raises(FetchError, match=r"sitemap\.xml:2: the child .* was not found in the same folder$"):
        urlset.read(tmp_path, strict=True)
    entries = urlset.read(tmp_path)
    assert locs(entries) == ["A"]
    [failure] = entries.failures
    assert isinstance(failure, FetchError)
    assert "1 failure" in repr(entries)


@pytest.mark.parametrize(
    "loc",
    [
        "../outside.xml",
        HOST + "../outside.xml",
        HOST + "%2e%2e/outside.xml",
        HOST + "%2e%2e%2foutside.xml",
        HOST + "..%2Foutside.xml",
        HOST + "..\\outside.xml",
        HOST + "..%5coutside.xml",
        "{parent}/outside.xml",
        "file://{parent}/outside.xml",
        "{parent}%2foutside.xml",
        HOST + "%2e%2e%2foutside.xml%00.xml",
        "outside.xml",
    ],
)
def test_a_child_is_never_read_from_outside_the_folder_of_its_index(tmp_path: Path, loc: str) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    lay(tmp_path, outside=urlset_of("SECRET"))
    lay(folder, sitemap=index_of(loc.format(parent=tmp_path)))
    entries = urlset.read(folder)
    assert locs(entries) == []
    assert len(entries.failures) == 1
    # What lies inside under that very name is meant, if anything is.
    lay(folder, outside=urlset_of("OURS"))
    assert locs(urlset.read(folder)) in ([], ["OURS"])


def test_a_child_that_is_removed_meanwhile_is_a_failure(tmp_path: Path) -> None:
    large = "cdefghijklmnopqrstu"  # more than are read ahead
    lay(
        tmp_path, sitemap=index_of(*(f"{HOST}{name}.xml" for name in f"a{large}bz")), b=urlset_of("B"), z=urlset_of("C")
    )
    lay(tmp_path, **{name: urlset_of(*["A"] * 6_000) for name in large}, a=urlset_of(*["A"] * 40_000))
    scan = urlset.scan(tmp_path, columns=["loc"])
    batches = scan.batches()
    assert len(next(batches)) > 0
    (tmp_path / "b.xml").unlink()
    found = [entry.loc for batch in batches for entry in batch.entries()]
    assert "B" not in found
    assert found[-1] == "C"
    [failure] = scan.failures
    assert isinstance(failure, FetchError)


def test_a_child_that_cannot_be_read_is_a_failure_and_the_others_count(tmp_path: Path) -> None:
    names = ("a", "broken", "html", "empty", "b")
    lay(
        tmp_path,
        sitemap=index_of(*(f"{HOST}{name}.xml" for name in names)),
        a=urlset_of("A"),
        broken=urlset_of("1", "2").removesuffix(b"</urlset>"),
        html=b"<!DOCTYPE html><p>404",
        empty=b"",
        b=urlset_of("B"),
    )
    with pytest.raises(MalformedError, match=r"broken\.xml:4:1: the document ends"):
        urlset.read(tmp_path, strict=True)
    entries = urlset.read(tmp_path)
    assert locs(entries) == ["A", "1", "2", "B"]
    assert [type(failure) for failure in entries.failures] == [MalformedError, NotASitemapError, NotASitemapError]
    states = [(Path(d.location or "").name, d.completeness, d.kind, len(d)) for d in entries.documents[1:]]
    assert states == [
        ("a.xml", "complete", "urlset", 1),
        ("broken.xml", "truncated", "urlset", 2),
        ("html.xml", "refused", None, 0),
        ("empty.xml", "refused", None, 0),
        ("b.xml", "complete", "urlset", 1),
    ]
    assert repr(entries) == "<Entries: 4 entries of 6 documents, 3 failures>"


def test_children_before_the_end_of_a_broken_index_are_followed(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml").removesuffix(b"</sitemapindex>"), a=urlset_of("A"))
    with pytest.raises(MalformedError):
        urlset.read(tmp_path, strict=True)
    entries = urlset.read(tmp_path)
    assert locs(entries) == ["A"]
    assert [document.completeness for document in entries.documents] == ["truncated", "complete"]
    assert len(entries.failures) == 1


# --- what an index says of its children ---------------------------------------------------------------------

DATED = b"""<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://a.example/a.xml</loc><lastmod>2026-11-20T10:00:00+02:00</lastmod></sitemap>
<sitemap><loc>http://a.example/b.xml</loc><lastmod>2026-11</lastmod></sitemap>
<sitemap><loc>http://a.example/c.xml</loc><lastmod>yesterday</lastmod></sitemap>
<sitemap><loc>http://a.example/d.xml</loc></sitemap>
</sitemapindex>"""


def test_a_child_has_the_lastmod_of_its_row(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=DATED)
    [index] = resolve_all(tmp_path)
    opener = Opener([index], None)
    found: list[tuple[str, str | None, int | None]] = []

    def note(ended: Ended) -> None:
        found.extend((child.loc, child.lastmod_raw, child.lastmod) for child in ended.children)

    reading = ScanPass([index], Failures(), opener, follow=True, reads_children=False, hooks=Hooks(on_end=note))
    stream = reading.stream(None, None, None)
    assert stream.next_batch() is None
    rows = urlset.read(tmp_path, follow=False)
    assert found == [
        (row.loc, row.lastmod_raw, None if row.lastmod is None else round(row.lastmod.timestamp() * 1_000_000))
        for row in rows
    ]
    assert [moment is None for _, _, moment in found] == [False, False, True, True]


def test_an_invalid_lastmod_of_a_child_is_reported(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=DATED, **{name: urlset_of(HOST + name) for name in "abcd"})
    for counts in (urlset.read(tmp_path).counts, urlset.read(tmp_path, follow=False).counts):
        assert counts == {"MOD001": 1}
    assert urlset.lint(tmp_path).counts["MOD001"] == 1


def test_indexes_that_name_only_each_other_are_a_failure(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "other.xml"), other=index_of(HOST + "sitemap.xml"))
    found = urlset.read(tmp_path)
    assert (len(found), found.completeness) == (0, "truncated")
    assert "only back to itself" in str(found.failures[0])
    with pytest.raises(urlset.FetchError, match="only back to itself"):
        urlset.read(tmp_path, strict=True)
    # The only fault is that there are no children; and what is left out was not asked for.
    assert urlset.read(tmp_path, follow=False).failures == ()
    lay(tmp_path, sitemap=index_of(HOST + "other.xml"), other=urlset_of())
    assert urlset.read(tmp_path).failures == ()
