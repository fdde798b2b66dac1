"""How much of a document was read, and how that is reported: for one, for many, and while a scan runs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import urlset
from support.reading import CORE, cut, index_of, lay, locs, outcome, urlset_of
from urlset import Diagnostic, FetchError, LimitError, MalformedError, NotASitemapError

HOST = "http://a.example/"
ONE, TWO = HOST + "1", HOST + "2"

COMPLETE = urlset_of(ONE, TWO)
RECOVERED = urlset_of(ONE + "?a=1&b=2", TWO)
TRUNCATED = urlset_of(ONE, TWO).removesuffix(b"\n</urlset>") + b"\n<url><loc>http://a.example/thr"
LIMITED = urlset_of(ONE).replace(b"</urlset>", b"<a>" * 200 + b"</a>" * 200 + b"</urlset>")
REFUSED = b"<!DOCTYPE html><html><body>Not found</body></html>"


def codes(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    """Only what was found."""
    return [diagnostic.code for diagnostic in diagnostics]


# --- one document -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "completeness", "found"),
    [
        (COMPLETE, "complete", {}),
        (urlset_of(), "complete", {}),
        # Odd, and yet well-formed.
        (COMPLETE.replace(b"http://www", b"https://www"), "complete", {"NS002": 1}),
        (urlset_of("/about"), "complete", {"LOC002": 1}),
        (COMPLETE.decode().encode("utf-16"), "complete", {"XML002": 1}),
        (b'<?xml version="1.0" encoding="ISO-8859-1"?>' + COMPLETE, "complete", {"XML002": 1}),
        (RECOVERED, "recovered", {"XML005": 1}),
        (b"\n" + b"<?xml version='1.0'?>" + COMPLETE, "recovered", {"XML003": 1}),
        (urlset_of(ONE, HOST + "caf\xe9").decode().encode("latin-1"), "recovered", {"XML002": 1}),
        (COMPLETE + b"<script>x()</script>", "recovered", {"XML001": 1}),
        (gzip.compress(COMPLETE) + b"<!-- cached -->", "recovered", {"XML001": 1}),
        (TRUNCATED, "truncated", {"XML001": 1}),
        (gzip.compress(COMPLETE, mtime=0)[:-4], "truncated", {"XML001": 1}),
        (LIMITED, "truncated", {"LIM007": 1}),
        # The worst counts.
        (RECOVERED.removesuffix(b"</urlset>"), "truncated", {"XML001": 1, "XML005": 1}),
    ],
)
def test_completeness_of_documents(data: bytes, completeness: str, found: dict[str, int]) -> None:
    document = urlset.parse(data)
    assert document.completeness == completeness
    assert document.counts == found
    assert sorted(codes(document.diagnostics)) == sorted(found)
    pieces = outcome(cut(data, range(0, len(data), 7)))
    assert (pieces.completeness, codes(pieces.diagnostics)) == (completeness, codes(document.diagnostics))


@pytest.mark.parametrize("data", [COMPLETE, RECOVERED])
@pytest.mark.parametrize("strict", [True, False])
def test_a_document_read_to_its_end_never_raises(data: bytes, strict: bool) -> None:
    entries = urlset.read(data, strict=strict)
    assert (len(entries), entries.failures) == (2, ())
    assert len(list(urlset.scan(data, strict=strict))) == len(urlset.parse(data, strict=strict)) == 2


@pytest.mark.parametrize(("data", "error"), [(TRUNCATED, MalformedError), (LIMITED, LimitError)])
def test_a_document_not_read_to_its_end_raises_or_is_collected(data: bytes, error: type[Exception]) -> None:
    for use in (urlset.read, urlset.parse, lambda data, strict: list(urlset.scan(data, strict=strict))):
        with pytest.raises(error):
            use(data, strict=True)
    entries = urlset.read(data)
    assert locs(entries) == [ONE, TWO][: len(entries)] != []
    assert [type(failure) for failure in entries.failures] == [error]
    assert entries.completeness == urlset.parse(data).completeness == "truncated"


def test_an_unfinished_entry_is_dropped() -> None:
    scan = urlset.scan(TRUNCATED)
    # The third URL is cut off, and is dropped.
    assert locs(scan) == [ONE, TWO]
    [failure] = scan.failures
    assert isinstance(failure, MalformedError)
    assert (failure.line, failure.column) == (4, 1)


def test_a_root_that_is_not_a_sitemap_is_refused_and_reported() -> None:
    scan = urlset.scan(REFUSED)
    with pytest.raises(NotASitemapError, match="an HTML page"):
        list(scan)
    [document] = scan.documents
    assert (document.kind, document.rows, document.completeness) == (None, 0, "refused")
    assert scan.completeness == "refused"
    assert codes(scan.diagnostics) == ["XML008"]


def test_counts_know_more_than_the_diagnostics_that_are_kept() -> None:
    data = urlset_of("/x", *["/a&b"] * 1_500)
    document = urlset.parse(data)
    assert document.counts == {"LOC002": 1_501, "XML005": 1_500}
    scan = urlset.scan(data)
    assert scan.counts == {}
    assert scan.collect().counts == scan.counts == document.counts
    assert len(document.diagnostics) == 1_000
    assert [found.line for found in document.diagnostics] == sorted(found.line for found in document.diagnostics)


def test_a_finding_has_its_position_and_message() -> None:
    document = urlset.parse(RECOVERED, location=HOST + "s.xml")
    [found] = document.diagnostics
    assert (found.code, found.severity, found.location) == ("XML005", "error", HOST + "s.xml")
    assert (found.line, found.column) == (2, len("<url><loc>") + len(ONE + "?a=1") + 1)
    assert found.source == f"<url><loc>{ONE}?a=1&b=2</loc></url>"
    assert found.message
    assert str(found).startswith(f"{HOST}s.xml:2:")


# --- extensions ---------------------------------------------------------------------------------------------


def test_elements_that_are_passed_over_are_counted_by_namespace() -> None:
    mobile, page_map = (
        "http://www.google.com/schemas/sitemap-mobile/1.0",
        "http://www.google.com/schemas/sitemap-pagemap/1.0",
    )
    entry = (
        f"<url><loc>{ONE}</loc><m:mobile/><PageMap xmlns='{page_map}'><DataObject type='x'/></PageMap>"
        "<x xmlns='urn:x'><y/></x><unknown/></url>"
    )
    data = f'<urlset xmlns="{CORE}" xmlns:m="{mobile}">{entry * 3}<x xmlns="urn:not-in-an-entry"/></urlset>'
    document = urlset.parse(data.encode())
    # Only the outermost of them counts, and only inside of entries.
    assert document.extensions == {mobile: 3, page_map: 3, "urn:x": 3, CORE: 3}
    assert (document.completeness, document.counts) == ("complete", {})


def test_elements_that_are_read_do_not_count_as_extensions() -> None:
    image, xhtml = "http://www.google.com/schemas/sitemap-image/1.1", "http://www.w3.org/1999/xhtml"
    inner = f"<i:image><i:loc>{ONE}</i:loc></i:image><x:link rel='alternate' hreflang='de' href='{ONE}'/>"
    data = f'<urlset xmlns="{CORE}" xmlns:i="{image}" xmlns:x="{xhtml}"><url><loc>{ONE}</loc>{inner}</url></urlset>'
    assert urlset.parse(data.encode()).extensions == {}


# --- many documents: the worst of them ----------------------------------------------------------------------

DOCUMENTS = {"complete": COMPLETE, "recovered": RECOVERED, "truncated": TRUNCATED, "refused": REFUSED}


@pytest.mark.parametrize("worst", DOCUMENTS)
def test_a_set_is_as_complete_as_the_worst_of_its_documents(tmp_path: Path, worst: str) -> None:
    names = list(DOCUMENTS)[: list(DOCUMENTS).index(worst) + 1]
    children = {name: DOCUMENTS[name] for name in names}
    lay(tmp_path, sitemap=index_of(*(f"{HOST}{name}.xml" for name in reversed(names))), **children)
    entries = urlset.read(tmp_path)
    assert [document.completeness for document in entries.documents] == ["complete", *reversed(names)]
    assert entries.completeness == worst
    scan = urlset.scan(tmp_path)
    assert scan.completeness == "complete"  # nothing read, nothing wrong
    list(scan)
    assert scan.completeness == worst


def test_a_child_that_is_not_there_leaves_the_set_cut_short(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "gone.xml", HOST + "a.xml"), a=COMPLETE)
    entries = urlset.read(tmp_path)
    assert [document.completeness for document in entries.documents] == ["complete", "complete"]
    assert [type(failure) for failure in entries.failures] == [FetchError]
    assert entries.completeness == "truncated"
    lay(tmp_path, a=REFUSED)
    assert urlset.read(tmp_path).completeness == "refused"


def test_a_recovered_child_is_not_a_failure(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml", HOST + "b.xml"), a=RECOVERED, b=COMPLETE)
    entries = urlset.read(tmp_path)
    assert (len(entries), entries.failures, entries.completeness) == (4, (), "recovered")
    assert [found.location for found in entries.diagnostics] == [str(tmp_path / "a.xml")]


# --- location -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loc", "resolved"),
    [
        ("/about", "https://a.example/about"),
        ("about?a=1&amp;b=2", "https://a.example/maps/about?a=1&b=2"),
        ("../about", "https://a.example/about"),
        ("//b.example/x", "https://b.example/x"),
        ("?p=1", "https://a.example/maps/s.xml?p=1"),
    ],
)
def test_a_relative_loc_is_resolved_where_the_document_has_a_url(loc: str, resolved: str, tmp_path: Path) -> None:
    data, location = urlset_of(loc), "https://a.example/maps/s.xml"
    lay(tmp_path, sitemap=data)
    scanned = urlset.scan(tmp_path / "sitemap.xml", location=location)
    for entries in (urlset.parse(data, location=location), urlset.read(tmp_path, location=location), scanned):
        [entry] = entries
        assert (entry.loc, entry.document) == (resolved, location)
    # It is reported, and the document is still complete.
    assert scanned.location == location
    assert (codes(scanned.diagnostics), scanned.completeness) == (["LOC002"], "complete")


@pytest.mark.parametrize("location", [None, "maps/s.xml", "file:///maps/s.xml"])
def test_a_relative_loc_is_kept_without_a_base(location: str | None) -> None:
    document = urlset.parse(urlset_of("/about"), location=location)
    assert locs(document) == ["/about"]
    assert codes(document.diagnostics) == ["LOC002"]


def test_the_path_is_the_location_unless_another_is_given(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=urlset_of("/about"))
    entries = urlset.read(tmp_path)
    assert (entries[0].loc, entries[0].document) == ("/about", str(tmp_path / "sitemap.xml"))
    assert urlset.scan(tmp_path).location == str(tmp_path / "sitemap.xml")


def test_an_index_with_a_location_leads_to_the_children_in_its_folder(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of("a.xml"), a=urlset_of(ONE))
    entries = urlset.read(tmp_path, location="https://a.example/sitemap.xml")
    assert locs(entries) == [ONE]
    assert [document.location for document in entries.documents] == [
        "https://a.example/sitemap.xml",
        str(tmp_path / "a.xml"),
    ]
