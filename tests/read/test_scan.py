"""What counts as a failure, our bounds, and the objects that hold what was read. Indexes: test_scan_follow.py."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.reading import cut, index_of, lay, locs, outcome, urlset_of
from urlset import LimitError, MalformedError, NotASitemapError, UrlEntry, UrlsetError

HOST = "http://a.example/"


# --- a root that fails --------------------------------------------------------------------------------------

PAGE = HOST + "1"
CUT = urlset_of(PAGE).removesuffix(b"</urlset>") + b" <url><loc>http://a.ex"


def test_a_root_that_is_cut_off_raises_with_its_position(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=CUT)
    with pytest.raises(MalformedError) as caught:
        urlset.read(tmp_path, strict=True)
    error = caught.value
    assert (error.location, error.line, error.column) == (str(tmp_path / "sitemap.xml"), 3, 2)
    assert str(error).startswith(f"{tmp_path / 'sitemap.xml'}:3:2: ")


def test_a_root_that_is_cut_off_can_be_collected() -> None:
    entries = urlset.read(CUT)
    assert locs(entries) == [PAGE]
    [failure], [document] = entries.failures, entries.documents
    assert isinstance(failure, MalformedError)
    assert document.completeness == "truncated"
    assert [d.code for d in entries.diagnostics] == [d.code for d in document.diagnostics] == ["XML001"]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("data", [b"", b"<html/>", b"nothing of the kind", b'{"urls": []}'])
def test_a_root_that_is_not_a_sitemap_always_raises(data: bytes, strict: bool) -> None:
    for use in (urlset.read, urlset.parse, lambda data, strict: list(urlset.scan(data, strict=strict))):
        with pytest.raises(NotASitemapError, match=r"not a sitemap"):
            use(data, strict=strict)


def test_a_document_without_entries_is_not_a_failure() -> None:
    entries = urlset.read(urlset_of())
    assert (len(entries), entries.failures, len(entries.documents)) == (0, (), 1)
    assert entries.documents[0].completeness == "complete"


def test_a_wrong_namespace_is_reported_and_does_not_fail() -> None:
    entries = urlset.read(urlset_of(PAGE).replace(b"http://www", b"https://www"))
    assert locs(entries) == [PAGE]
    assert [d.code for d in entries.diagnostics] == ["NS002"]
    assert entries.failures == ()


# --- budgets ------------------------------------------------------------------------------------------------


def foreign(depth: int) -> bytes:
    """Elements inside each other."""
    return b"<x>" * depth + b"</x>" * depth


def images(count: int) -> bytes:
    """An entry of so many images."""
    space = b'xmlns="http://www.google.com/schemas/sitemap-image/1.1"'
    return b"<url>" + (b"<image %s/>" % space) * count + b"</url>"


BOUNDS: dict[str, Callable[[int], bytes]] = {
    "elements open inside each other": lambda over: foreign(128 + over),
    "attributes": lambda over: b"<x %s/>" % b" ".join(b"a%d=''" % at for at in range(512 + over)),
    "images": lambda over: images(10_000 + over),
    "8388608 bytes": lambda over: b"<url><!--" + b"x" * ((8 << 20) - len("\n<url><!----></url>") + over) + b"--></url>",
}


@pytest.mark.parametrize("message", BOUNDS)
def test_exceeding_the_budget_is_reported_in_bounded_memory(message: str) -> None:
    head, tail = urlset_of(PAGE).split(b"</urlset>")[0], b"\n<url><loc>http://a.example/2</loc></url></urlset>"
    within = outcome(head + BOUNDS[message](0) + tail)
    assert (within.error, within.completeness) == (None, "complete")
    data = head + BOUNDS[message](1) + tail
    got = outcome(data)
    assert (got.error, got.completeness, got.rows) == ("LimitError", "truncated", [{"loc": PAGE, "line": 2}])
    assert message in got.diagnostics[-1].message
    assert outcome(cut(data, range(1000, len(data), 4099))).telling == got.telling
    with pytest.raises(LimitError):
        urlset.read(data, strict=True)


def test_a_piece_without_an_end_is_given_up_on_before_it_fills_the_memory() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        yield urlset_of("1").removesuffix(b"</urlset>") + b"<url><loc>"
        while True:
            taken += 1
            yield b"x" * (1 << 20)

    with pytest.raises(LimitError):
        urlset.read(endless(), strict=True)
    assert taken < 32


# --- Scan ---------------------------------------------------------------------------------------------------


def test_a_scan_reports_its_progress(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "gone.xml", HOST + "a.xml"), a=urlset_of("A"))
    scan = urlset.scan(tmp_path)
    assert repr(scan) == f"<Scan of {tmp_path / 'sitemap.xml'}: not opened yet>"
    assert (scan.documents, scan.failures, scan.diagnostics) == ((), (), ())
    assert scan.progress == urlset.Progress("documents", 0, 1)
    assert locs(scan) == ["A"]
    assert scan.progress == urlset.Progress("documents", 2, 2, 1)
    assert repr(scan) == f"<Scan of {tmp_path / 'sitemap.xml'}: 2 documents, 1 failure so far>"
    assert len(scan.collect()) == 1
    # Each opening begins anew.
    assert (len(scan.documents), len(scan.failures)) == (2, 1)


def test_a_scan_of_bytes_is_of_bytes() -> None:
    assert repr(urlset.scan(urlset_of())) == "<Scan of bytes: not opened yet>"
    assert urlset.scan(urlset_of()).location is None


def test_a_scan_reads_nothing_before_it_is_iterated() -> None:
    asked = []

    def pieces() -> Iterator[bytes]:
        asked.append(True)
        yield urlset_of("A")

    scan = urlset.scan(pieces())
    assert asked == []
    assert locs(scan) == ["A"]


def test_read_is_scan_and_collect() -> None:
    data = urlset_of("A", "B")
    assert list(urlset.read(data)) == list(urlset.scan(data).collect()) == list(urlset.scan(data))


# --- Entries ------------------------------------------------------------------------------------------------


def test_a_sitemap_of_full_size_is_one_batch_if_it_is_held() -> None:
    data = urlset_of(*map(str, range(50_000)))
    assert [len(batch) for batch in urlset.scan(data).batches()] == [32_768, 17_232]
    for columns in (None, ["loc"]):
        held = urlset.read(data, columns=columns).to_arrow()
        assert (held.num_rows, held["loc"].num_chunks) == (50_000, 1)


def test_entries_are_a_sequence() -> None:
    names = [str(at) for at in range(70_000)]
    entries = urlset.read(urlset_of(*names))
    assert len(entries) == 70_000
    assert entries
    assert locs(entries) == names
    for at in (0, 1, 32_767, 32_768, 65_535, 65_536, 69_999, -1, -2, -70_000):
        assert entries[at] == UrlEntry(names[at])
        assert entries[at].line == names.index(names[at]) + 2
    for part in (slice(2), slice(-2, None), slice(32_760, 32_780, 3), slice(None, None, -10_000), slice(5, 5)):
        assert locs(entries[part]) == names[part]
    for at in (70_000, -70_001, 1 << 70):
        with pytest.raises(IndexError):
            entries[at]
    assert UrlEntry("69999") in entries
    assert UrlEntry("70000") not in entries
    assert repr(entries) == "<Entries: 70,000 entries of 1 document>"


def test_few_entries_reversed() -> None:
    assert locs(reversed(urlset.read(urlset_of("A", "B", "C")))) == ["C", "B", "A"]


def test_no_entries() -> None:
    entries = urlset.read(urlset_of())
    assert not entries
    assert list(entries) == entries[:] == []
    with pytest.raises(IndexError):
        entries[0]


def test_held_entries_can_be_iterated_many_times_at_once() -> None:
    entries = urlset.read(urlset_of("A", "B"))
    pairs = [(one.loc, other.loc) for one in entries for other in entries]
    assert pairs == [("A", "A"), ("A", "B"), ("B", "A"), ("B", "B")]


# --- parse and its Document ---------------------------------------------------------------------------------


def test_parse_hands_out_one_document_that_is_its_entries() -> None:
    data = urlset_of(HOST + "a", HOST + "b")
    document = urlset.parse(data, location="http://a.example/sitemap.xml")
    assert (document.kind, document.rows, document.completeness) == ("urlset", 2, "complete")
    assert document.bytes == len(data)
    assert (len(document), locs(document)) == (2, [HOST + "a", HOST + "b"])
    assert {entry.document for entry in document} == {"http://a.example/sitemap.xml"}


def test_an_empty_document_is_true() -> None:
    document = urlset.parse(urlset_of())
    assert document
    assert len(document) == 0


def test_bytes_are_counted_after_unpacking() -> None:
    gzipped = (Path(__file__).parents[2] / "vectors/rfc1952/gzip.xml.gz").read_bytes()
    # All but the header (10), the stored block's own (5), the checksum and the length (8).
    assert urlset.parse(gzipped).bytes == len(gzipped) - 23


def test_the_location_is_in_the_error_and_in_the_findings() -> None:
    with pytest.raises(MalformedError, match=r"^http://a.example/s.xml:3:2: "):
        urlset.parse(CUT, location="http://a.example/s.xml", strict=True)
    [diagnostic] = urlset.parse(CUT, location="x").diagnostics
    assert diagnostic.location == "x"
    assert str(diagnostic).startswith("x:3:2: XML001 ")


def test_the_documents_of_a_scan_do_not_pretend_to_be_empty() -> None:
    scan = urlset.scan(urlset_of("A"))
    assert locs(scan) == ["A"]
    [document] = scan.documents
    assert document.rows == 1
    for use in (list, len, lambda document: document.__arrow_c_stream__()):
        with pytest.raises(UrlsetError, match=r"does not keep the rows"):
            use(document)


# --- threads ------------------------------------------------------------------------------------------------


def test_threads_read_at_once_and_do_not_meet(tmp_path: Path) -> None:
    sizes = [1, 10_000, 40_000, 70_000]
    for size in sizes:
        lay(tmp_path, **{f"s{size}": urlset_of(*(f"{size}-{at}" for at in range(size)))})
    start = threading.Barrier(8)

    def work(number: int) -> bool:
        size = sizes[number % 4]
        path = tmp_path / f"s{size}.xml"
        source: Any = path if number < 4 else iter(cut(path.read_bytes(), range(0, 1 << 21, 7919)))
        start.wait()
        return locs(urlset.scan(source)) == [f"{size}-{at}" for at in range(size)]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_threads_share_held_entries() -> None:
    entries = urlset.read(urlset_of(*map(str, range(40_000))))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda at: entries[at].loc, range(0, 40_000, 1_000)))
        walks = list(pool.map(lambda _: sum(1 for _ in entries), range(4)))
    assert answers == [str(at) for at in range(0, 40_000, 1_000)]
    assert walks == [40_000] * 4


def test_one_scan_in_two_threads_is_two_openings(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=urlset_of(*map(str, range(40_000))))
    scan = urlset.scan(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: locs(scan), range(2))
    assert first == second == [str(at) for at in range(40_000)]
