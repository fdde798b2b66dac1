"""`lint`: what each rule finds and what it lets pass, where exactly, and what a report counts.

The documents are in lint_cases.py.
"""

from __future__ import annotations

import gzip
import io
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from lint_cases import CASES, SPELLINGS, Case, Spelled, in_root, urls, with_loc
from strategies import documents, entries
from support import BYTES_PER_DOCUMENT, CORE, ENTRIES_PER_DOCUMENT, locs_of
from urlset import Diagnostic, FetchError, InputError, LimitError, SitemapEntry


def in_pieces(text: str | bytes, size: int = 1) -> list[bytes]:
    """The bytes of a document, a few at a time."""
    data = text.encode() if isinstance(text, str) else text
    return [data[at : at + size] for at in range(0, len(data), size)]


def source_fits(text: str, found: Diagnostic) -> bool:
    """Whether the source that a finding shows is a part of its line, with the place where it says."""
    line = text.removeprefix("\ufeff").split("\n")[found.line - 1]
    begin = found.column - found.source_column
    return (
        1 <= found.source_column <= found.column < found.end_column
        and found.source_column <= len(found.source) + 1
        and line[begin : begin + len(found.source)] == found.source
        and len(found.source) <= 200
    )


IDS = [f"{case.code}-{number}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_what_a_rule_finds_and_where(case: Case, spelling: Callable[[str], str]) -> None:
    bad = Spelled.of(spelling(case.bad))
    report = urlset.lint(bad.text.encode(), location=case.location)
    (found,) = report
    assert (found.code, found.line, found.column, found.end_column) == (
        *(case.code, bad.line, bad.column, bad.end_column),
    )
    assert source_fits(bad.text, found)
    assert case.message in found.message
    assert found.message == found.message.strip()
    assert not found.message.endswith(".")
    assert "\n" not in found.message
    assert found.help is None or found.help
    (rule,) = (rule for rule in urlset.rules() if rule.code == case.code)
    assert (found.severity, found.location) == (rule.severity, case.location)
    assert str(found) == f"{case.location or '<bytes>'}:{bad.line}:{bad.column}: {case.code} {found.message}"
    assert report.counts == {case.code: 1}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_what_a_rule_lets_pass(case: Case, spelling: Callable[[str], str]) -> None:
    report = urlset.lint(spelling(case.good).encode(), location=case.location)
    assert report.diagnostics == ()
    assert not report


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_how_a_document_arrives_makes_no_difference(case: Case) -> None:
    for spelling in SPELLINGS.values():
        data = Spelled.of(spelling(case.bad)).text.encode()
        whole = urlset.lint(data, location=case.location)
        for size in (1, 7, 4_096):
            assert urlset.lint(in_pieces(data, size), location=case.location) == whole
        assert urlset.lint(gzip.compress(data), location=case.location) == whole
        file = urlset.lint(io.BytesIO(data), location=case.location)
        assert file == whole


def test_every_rule_has_a_case() -> None:
    # Of sizes and of charsets below, of budgets in test_limits.py, of lists of lines in test_formats.py.
    elsewhere = {"LIM001", "LIM002", "LIM007", "XML002", "XML004", "TXT001", "TXT003", "ROB002"}
    assert {case.code for case in CASES} | elsewhere == {rule.code for rule in urlset.rules()}


@pytest.mark.parametrize(
    ("marked", "codes"),
    [
        # The place is the value's, whatever stands around it and however it is written.
        (with_loc("\n      ⟦/about⟧\n  "), ["LOC002"]),
        (with_loc("\n      ⟦/about?a=1&amp;b=2⟧\n  "), ["LOC002"]),
        (with_loc("  ⟦/about?a=1&amp;b=2⟧  "), ["LOC002"]),
        (with_loc("  ⟦/a]b⟧  "), ["LOC002"]),
        (urls('<x:link rel="alternate" hreflang="de" href=" ⟦/de?a=1&amp;b=2⟧ "/>'), ["ALT007"]),
        (urls('<x:link rel="alternate" hreflang="de" href="\n⟦/de⟧"/>'), ["ALT007"]),
        # The root is said once, its entries are checked all the same.
        ("⟦<urlset⟧><url><loc>/about</loc></url></urlset>", ["NS001", "LOC002"]),
        # Each of two counts, and the second is told of too.
        (with_loc("⟦/about⟧</loc><loc>https://example.com/"), ["LOC002", "XML011"]),
        # What is broken is mended, and its values are checked as any other's.
        (in_root("<url><loc>⟦/a&b⟧</loc></a></url>"), ["LOC002", "XML005", "XML001"]),
        # One entry, many findings, in the order of their places.
        (
            urls("⟦<⟧i:image/><changefreq>Daily</changefreq><priority>2</priority><lastmod>x</lastmod>"),
            ["IMG001", "FRQ001", "PRI002", "MOD001"],
        ),
    ],
)
def test_places_of_values(marked: str, codes: list[str]) -> None:
    bad = Spelled.of(marked)
    report = urlset.lint(bad.text.encode())
    assert [found.code for found in report] == codes
    assert (report.diagnostics[0].line, report.diagnostics[0].column) == (bad.line, bad.column)
    assert report.diagnostics[0].end_column == bad.end_column
    assert all(source_fits(bad.text, found) for found in report)


def test_what_follows_does_not_move_a_place() -> None:
    bad = Spelled.of(with_loc("  ⟦/about⟧  "))
    for after in ("<!-- ] -->", "\r\n", "<!-- \ufb00 -->"):
        text = bad.text + "\n" * 10_000 + after
        for source in (text.encode(), in_pieces(text), in_pieces(text, 1_000)):
            (found,) = urlset.lint(source)
            assert (found.line, found.column, found.end_column) == (bad.line, bad.column, bad.end_column)


def test_bytes_that_are_no_utf_8() -> None:
    data = with_loc("https://example.com/é").encode("latin-1")
    for source in (data, in_pieces(data), gzip.compress(data)):
        (found,) = urlset.lint(source)
        assert (found.code, found.line, found.column) == ("XML002", 2, 33)
        assert "the byte 0xE9 here is not UTF-8" in found.message
    (found,) = urlset.lint(with_loc("https://example.com/").encode("utf-16"))
    assert (found.code, found.line, found.column) == ("XML002", 1, 1)
    assert "UTF-16" in found.message


def test_gzip_that_is_cut_or_broken() -> None:
    stored = gzip.compress(urls("").encode(), mtime=0)
    for data in (stored[:-1], stored[:-20], stored[:30] + b"\xff" + stored[31:], stored + b"x"):
        assert urlset.lint(data).counts == {"XML001": 1}


# --- random documents ---------------------------------------------------------------------------------------


@given(documents(), st.integers(1, 200))
def test_findings_do_not_depend_on_how_a_document_was_cut(data: bytes, size: int) -> None:
    whole = urlset.lint(data)
    assert urlset.lint(in_pieces(data)) == whole
    assert urlset.lint(in_pieces(data, size)) == whole


@given(documents())
def test_findings_stand_in_order_and_show_their_lines(data: bytes) -> None:
    report = urlset.lint(data)
    places = [(found.line, found.column) for found in report]
    assert places == sorted(places)
    assert all(source_fits(data.decode(), found) for found in report)
    assert Counter(found.code for found in report) == report.counts
    # They are well-formed; but XML also allows an element inside a field, a field twice, and an entry or a root inside
    # another, which we take for one that was not closed.
    assert {code for code in report.counts if code.startswith("XML")} <= {"XML001", "XML010", "XML011"}


@given(documents(), st.integers(0, 10_000))
def test_a_document_that_is_cut_off_is_never_clean(data: bytes, at: int) -> None:
    cut = data[: at % len(data)]
    report = urlset.lint(cut)
    # What follows the root may be missing: blanks, comments, instructions.
    if not any(code.startswith("XML") for code in report.counts):
        rest = data[len(cut) :].decode(errors="replace")
        assert not rest.strip() or "-->" in rest or "?>" in rest
        assert list(urlset.read(cut)) == list(urlset.read(data))


@given(st.lists(entries(), min_size=1, max_size=4))
def test_what_write_accepts_is_clean(rows: list[dict[str, Any]]) -> None:
    buffer = io.BytesIO()
    urlset.write(rows, buffer)
    assert urlset.lint(buffer.getvalue()).diagnostics == ()


# --- limits and counts --------------------------------------------------------------------------------------


def test_too_many_entries() -> None:
    entry = "<url><loc>https://example.com/</loc></url>\n"
    text = f'<urlset xmlns="{CORE}">\n{entry * ENTRIES_PER_DOCUMENT}</urlset>'
    assert not urlset.lint(text.encode())
    (found,) = urlset.lint(text.replace("</urlset>", entry * 3 + "</urlset>").encode())
    assert (found.code, found.line, found.column, found.end_column) == ("LIM001", 50_002, 1, 2)
    assert found.source == entry.strip()
    assert found.message.startswith("more than the 50000 entries that ")
    assert found.help is not None
    index = text.replace("urlset", "sitemapindex").replace("url>", "sitemap>")
    assert urlset.lint(index.replace("</sitemapindex>", "<sitemap/></sitemapindex>").encode()).counts == {
        "LIM001": 1,
        "LOC001": 1,
    }


def test_too_many_bytes() -> None:
    buffer = io.BytesIO()
    urlset.write(locs_of(BYTES_PER_DOCUMENT), buffer)
    data = buffer.getvalue()
    assert not urlset.lint(data)
    for source in (data + b"\n", gzip.compress(data + b"\n", 1)):
        (found,) = urlset.lint(source)
        assert (found.code, found.line, found.column) == ("LIM002", 1, 1)
        assert found.message.startswith("52428801 bytes before compression; ")
        assert source_fits('<?xml version="1.0" encoding="UTF-8"?>', found)


def test_all_findings_are_counted_and_the_first_1_000_kept() -> None:
    text = f'<urlset xmlns="{CORE}">\n' + "<url><loc>/</loc></url>\n" * 1_500 + "<url/></urlset>"
    report = urlset.lint(text.encode())
    assert (len(report), len(report.diagnostics)) == (1_501, 1_000)
    assert report.counts == {"LOC001": 1, "LOC002": 1_500}
    assert [found.line for found in report] == list(range(2, 1_002))
    assert (report.errors, report.warnings, report.infos) == (1_501, 0, 0)


def test_the_first_1_000_are_the_first_by_place() -> None:
    text = "<urlset>\n" + "<url><loc>/</loc></url>\n" * 1_500 + "</urlset>"
    report = urlset.lint(text.encode())
    assert report.counts == {"LOC002": 1_500, "NS001": 1}
    assert [found.code for found in report][:2] == ["NS001", "LOC002"]
    assert len(report.diagnostics) == 1_000


def test_what_is_beyond_our_bounds_cannot_be_checked() -> None:
    deep = urls("<a>" * 200 + "</a>" * 200)
    with pytest.raises(LimitError, match="more than 128 elements open"):
        urlset.lint(deep.encode())


# --- which rules --------------------------------------------------------------------------------------------

MIXED = urls("<lastmod>x</lastmod><changefreq>x</changefreq><priority>9</priority>", "<priority>x</priority>").encode()


@pytest.mark.parametrize(
    ("select", "ignore", "codes"),
    [
        (None, [], ["MOD001", "FRQ001", "PRI002", "PRI001"]),
        (["PRI"], [], ["PRI002", "PRI001"]),
        (["PRI001"], [], ["PRI001"]),
        (["PRI", "MOD001"], ["PRI001"], ["MOD001", "PRI002"]),
        (None, ["PRI", "MOD"], ["FRQ001"]),
        (["PRI"], ["PRI"], []),
        (("P", "F"), ("PRI00",), ["FRQ001"]),
        ([], [], []),
    ],
)
def test_select_and_ignore(select: Any, ignore: Any, codes: list[str]) -> None:
    report = urlset.lint(MIXED, select=select, ignore=ignore)
    assert [found.code for found in report] == codes
    assert sorted(report.counts) == sorted(codes)
    assert bool(report) == bool(codes)
    assert report.entries == 2


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("LOC0011", "did you mean LOC011?"),
        ("loc002", "did you mean LOC002?"),
        ("PRIO001", "did you mean PRI001?"),
        ("ZZZ", ""),
        ("", ""),
    ],
)
def test_a_code_that_no_rule_has(code: str, hint: str) -> None:
    wrong: list[dict[str, Any]] = [{"select": [code]}, {"ignore": ["LOC", code]}]
    for options in wrong:
        with pytest.raises(InputError, match=f"no rule has the code {code!r}") as raised:
            urlset.lint(MIXED, **options)
        assert hint in str(raised.value)
        assert ("did you mean" in str(raised.value)) == bool(hint)


# --- a report, and where its documents are ------------------------------------------------------------------


def test_a_report_of_bytes() -> None:
    clean, found = (
        urlset.lint(urls("", "").encode()),
        urlset.lint(MIXED, location="https://example.com/sitemap.xml"),
    )
    assert (bool(clean), len(clean), list(clean), clean.counts) == (False, 0, [], {})
    assert (clean.documents, clean.entries) == (("<bytes>",), 2)
    assert (bool(found), len(found), found.errors, found.warnings, found.infos) == (True, 4, 4, 0, 0)
    assert found.documents == ("https://example.com/sitemap.xml",)
    assert {each.location for each in found} == {"https://example.com/sitemap.xml"}
    assert "4" in repr(found) or "MOD001" in repr(found)


def _set(folder: Path) -> None:
    """An index of two, one of them packed, the second with a finding."""
    base = "https://example.com/"
    urlset.write([SitemapEntry(base + "a.xml"), SitemapEntry(base + "b.xml.gz")], folder / "sitemap.xml")
    urlset.write([base, base + "a"], folder / "a.xml")
    (folder / "b.xml.gz").write_bytes(gzip.compress(with_loc("/about").encode()))


def test_an_index_is_checked_with_its_children(tmp_path: Path) -> None:
    _set(tmp_path)
    for source in (tmp_path, str(tmp_path), tmp_path / "sitemap.xml"):
        report = urlset.lint(source)
        paths = [str(tmp_path / name) for name in ("sitemap.xml", "a.xml", "b.xml.gz")]
        assert report.documents == tuple(paths)
        assert report.entries == 5
        assert [(found.code, found.location, found.line) for found in report] == [("LOC002", paths[2], 2)]
    alone = urlset.lint((tmp_path / "sitemap.xml").read_bytes())
    assert (alone.documents, alone.entries, alone.counts) == (("<bytes>",), 2, {})
    foreign = urlset.lint(tmp_path, location="https://example.org/sitemap.xml")
    assert foreign.counts == {"LOC002": 1, "LOC011": 4}


def test_each_document_keeps_its_own_first_1_000(tmp_path: Path) -> None:
    _set(tmp_path)
    bad = f'<urlset xmlns="{CORE}">' + "<url><loc>/</loc></url>" * 1_500 + "</urlset>"
    for name in ("a.xml", "b.xml.gz"):
        (tmp_path / name).write_text(bad)
    report = urlset.lint(tmp_path)
    assert (len(report), len(report.diagnostics)) == (3_000, 2_000)


def test_a_child_that_is_not_there_cannot_be_checked(tmp_path: Path) -> None:
    _set(tmp_path)
    (tmp_path / "a.xml").unlink()
    with pytest.raises(FetchError, match=r"sitemap\.xml:3: the child https://example\.com/a\.xml does not lie"):
        urlset.lint(tmp_path)


def test_a_child_that_is_broken_is_a_finding(tmp_path: Path) -> None:
    _set(tmp_path)
    (tmp_path / "a.xml").write_text("<html>")
    (tmp_path / "b.xml.gz").write_bytes(b"")
    report = urlset.lint(tmp_path)
    assert [(found.code, found.location) for found in report] == [
        *(("XML008", str(tmp_path / "a.xml")), ("XML008", str(tmp_path / "b.xml.gz")))
    ]


def test_what_was_published_is_clean(tmp_path: Path) -> None:
    images = ["https://cdn.example.net/i.png"]
    rows = [{"loc": f"https://example.com/{n}", "lastmod": "2024-01", "images": images} for n in range(50_001)]
    urlset.publish(rows, tmp_path, base_url="https://example.com")
    report = urlset.lint(tmp_path, location="https://example.com/sitemap.xml")
    assert report.diagnostics == ()
    assert (len(report.documents), report.entries) == (3, 50_003)


def test_sources_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        urlset.lint(tmp_path)
    with pytest.raises(InputError, match="is a URL"):
        urlset.lint("https://example.com/sitemap.xml")
    with pytest.raises(InputError, match="XML text"):
        urlset.lint(urls(""))

    def failing() -> Iterator[bytes]:
        yield urls("").encode()[:50]
        raise ConnectionResetError("gone")

    with pytest.raises(ConnectionResetError):
        urlset.lint(failing())
