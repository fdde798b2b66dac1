"""`lint`: what each rule finds and what it lets pass, where exactly, and what a report counts.

The documents are in support/lint/cases.py. Those of tests/rules, at which test_rules.py looks, are spelled differently.
"""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.documents import BYTES_PER_DOCUMENT, CORE, ENTRIES_PER_DOCUMENT, locs_of
from support.lint.cases import CASES, SPELLINGS, Case, Spelled, in_root, urls, with_loc
from support.publish.grouped import ruled
from support.rule_fixtures import first_of_each_kind, fixtures
from support.strategies import documents, entries
from urlset import Budget, Diagnostic, LimitError


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


def positions(found: Diagnostic) -> tuple[str, int, int, int, int]:
    """What was found, and where."""
    return (found.code, found.line, found.column, found.end_column, found.more)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Say with a failure which of the pooled cases it is."""
    try:
        yield
    except AssertionError as error:
        error.add_note(f"the case that failed: {name}")
        raise


IDS = [f"{case.code}-{number}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_findings_of_a_rule_and_their_positions(case: Case) -> None:
    for name, spelling in SPELLINGS.items():
        with naming(name):
            check_finding(case, spelling)


def check_finding(case: Case, spelling: Callable[[str], str]) -> None:
    """Check the one finding in a bad document that is spelled in this way."""
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


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_documents_that_a_rule_accepts(case: Case) -> None:
    for name, spelling in SPELLINGS.items():
        report = urlset.lint(spelling(case.good).encode(), location=case.location)
        assert report.diagnostics == (), name
        assert not report, name


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_result_does_not_depend_on_how_a_document_is_passed(case: Case) -> None:
    check_arrival(case, "behind wide characters")


@pytest.mark.long
@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_no_spelling_depends_on_how_a_document_is_passed(case: Case, spelling: str) -> None:
    check_arrival(case, spelling)


def check_arrival(case: Case, spelling: str) -> None:
    """Check that pieces, gzip and a file give the same findings as the whole document."""
    data = Spelled.of(SPELLINGS[spelling](case.bad)).text.encode()
    whole = urlset.lint(data, location=case.location)
    for size in (1, 7, 4_096):
        assert urlset.lint(in_pieces(data, size), location=case.location) == whole, size
    assert urlset.lint(gzip.compress(data), location=case.location) == whole
    file = urlset.lint(io.BytesIO(data), location=case.location)
    assert file == whole


#: Documents of the fixtures that may be spelled in another way: they are text, and short.
SPELLED = [
    fixture
    for fixture in fixtures()
    if fixture.path.is_file() and not fixture.code.startswith(("XML002", "XML004", "XML013", "XML014", "TXT002"))
    if b"<!-- repeat" not in fixture.path.read_bytes()
]


@pytest.mark.parametrize(
    "fixture", [*first_of_each_kind(SPELLED)], ids=lambda fixture: f"{fixture.code}-{fixture.name}"
)
def test_the_spelling_of_a_document_does_not_move_positions(fixture: Any) -> None:
    text, arguments = fixture.data().decode(), fixture.arguments()
    # That there is a byte order mark is a finding of its own.
    arguments["ignore"] = [*arguments.get("ignore", []), "XML014"]
    plain = urlset.lint(text.encode(), **ruled(arguments))
    for name in ("with CR LF", "with a byte order mark"):
        other = SPELLINGS[name](text)
        spelled = urlset.lint(other.encode(), **ruled(arguments))
        assert [positions(found) for found in spelled] == [positions(found) for found in plain], name
        assert spelled.counts == plain.counts, name
        assert all(source_fits(other, found) for found in spelled), name


def test_every_rule_has_a_case() -> None:
    # Of sizes and of charsets.
    elsewhere = {"XML002", "XML004", "XML013", "XML014", "TXT002", "LIM001", "LIM002", "LIM003", "LIM004", "LIM007"}
    # Of long documents.
    elsewhere |= {"NWS003", "ROB005"}
    alone = {rule.code for rule in urlset.rules() if rule.scope == "document"}
    assert alone - elsewhere <= {case.code for case in CASES} | {fixture.code for fixture in SPELLED}


def test_user_info_is_not_the_host_of_a_loc() -> None:
    bad = Spelled.of(with_loc("⟦https://example.com@example.org/⟧"))
    report = urlset.lint(bad.text.encode(), location="https://example.com/sitemap.xml")
    assert report.counts == {"LOC010": 1, "LOC011": 1}
    assert {positions(found)[1:4] for found in report} == {(bad.line, bad.column, bad.end_column)}
    good = urlset.lint(
        with_loc("https://example.org@example.com/").encode(), location="https://example.com/sitemap.xml"
    )
    assert good.counts == {"LOC010": 1}


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
        # Each of the two counts, and the second is reported too.
        (with_loc("⟦/about⟧</loc><loc>https://example.com/"), ["LOC002", "XML011"]),
        # Broken markup is recovered, and its values are checked like any others.
        (in_root("<url><loc>⟦/a&b⟧</loc></a></url>"), ["LOC002", "XML005", "XML001"]),
        # One entry, many findings, in the order of their positions.
        (
            urls("⟦<⟧i:image/><changefreq>Daily</changefreq><priority>2</priority><lastmod>x</lastmod>"),
            ["IMG001", "FRQ001", "PRI002", "MOD001"],
        ),
    ],
)
def test_positions_of_values(marked: str, codes: list[str]) -> None:
    bad = Spelled.of(marked)
    report = urlset.lint(bad.text.encode())
    assert [found.code for found in report] == codes
    assert (report.diagnostics[0].line, report.diagnostics[0].column) == (bad.line, bad.column)
    assert report.diagnostics[0].end_column == bad.end_column
    assert all(source_fits(bad.text, found) for found in report)


def test_later_content_does_not_move_positions() -> None:
    bad = Spelled.of(with_loc("  ⟦/about⟧  "))
    for after in ("<!-- ] -->", "\r\n", "<!-- \ufb00 -->"):
        text = bad.text + "\n" * 10_000 + after
        for source in (text.encode(), in_pieces(text), in_pieces(text, 1_000)):
            (found,) = urlset.lint(source)
            assert (found.line, found.column, found.end_column) == (bad.line, bad.column, bad.end_column)


def test_bytes_that_are_not_utf_8() -> None:
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
def test_findings_are_in_order_and_show_their_lines(data: bytes) -> None:
    report = urlset.lint(data)
    positions = [(found.line, found.column) for found in report]
    assert positions == sorted(positions)
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


#: What `write` refuses, and what it would have spelled wrongly itself. What a page should be like, others know.
WRITTEN = ["XML", "NS", "IDX", "LIM", "IMG001", "IMG002", "IMG004", "FRQ001", "PRI001", "PRI002", "ALT001", "ALT007"]
WRITTEN += [f"MOD00{number}" for number in range(1, 6)] + [f"LOC00{number}" for number in (1, 2, 3, 4, 8, 9)]


@given(st.lists(entries(), min_size=1, max_size=4))
def test_written_documents_have_no_errors(rows: list[dict[str, Any]]) -> None:
    buffer = io.BytesIO()
    urlset.write(rows, buffer)
    # A loc of which `&amp;` is a part looks as if it were escaped twice.
    assert urlset.lint(buffer.getvalue(), rules=urlset.Rules(select=WRITTEN, ignore=["XML006"])).diagnostics == ()


# --- limits and counts --------------------------------------------------------------------------------------


def of_entries(count: int, more: str = "") -> bytes:
    """A urlset of so many pages, each on a line of its own."""
    pages = "".join(f"<url><loc>https://example.com/{number}</loc></url>\n" for number in range(count))
    return f'<urlset xmlns="{CORE}">\n{pages}{more}</urlset>'.encode()


def test_too_many_entries() -> None:
    more = "<url><loc>https://example.com/more</loc></url>\n<url><loc>https://example.com/most</loc></url>\n"
    (near,) = urlset.lint(of_entries(ENTRIES_PER_DOCUMENT))
    assert (near.code, near.severity, near.line, near.column, near.end_column) == ("LIM004", "info", 1, 1, 2)
    assert urlset.lint(of_entries(ENTRIES_PER_DOCUMENT * 9 // 10)).counts == {"LIM004": 1}
    assert not urlset.lint(of_entries(ENTRIES_PER_DOCUMENT * 9 // 10 - 1))
    (found,) = urlset.lint(of_entries(ENTRIES_PER_DOCUMENT, more))
    assert (found.code, found.line, found.column, found.end_column) == ("LIM001", 50_002, 1, 2)
    assert found.source == more.partition("\n")[0]
    assert found.message.startswith("more than the 50000 entries that ")
    assert found.help is not None


def test_too_many_children() -> None:
    index = of_entries(ENTRIES_PER_DOCUMENT).replace(b"urlset", b"sitemapindex").replace(b"url>", b"sitemap>")
    assert urlset.lint(index).counts == {"LIM004": 1}
    report = urlset.lint(index.replace(b"</sitemapindex>", b"<sitemap/></sitemapindex>"))
    assert report.counts == {"LIM003": 1, "LOC001": 1}
    (found,) = report.by_rule()["LIM003"]
    assert (found.line, found.column, found.end_column) == (50_002, 1, 2)


@pytest.mark.parametrize("is_gzipped", [True, pytest.param(False, marks=pytest.mark.long)])
def test_too_many_bytes(is_gzipped: bool) -> None:
    buffer = io.BytesIO()
    urlset.write(locs_of(BYTES_PER_DOCUMENT), buffer)
    data = buffer.getvalue()
    for extra in (b"", b"\n"):
        source = gzip.compress(data + extra, 1) if is_gzipped else data + extra
        if not extra:
            assert urlset.lint(source).counts == {"LIM004": 1}
            continue
        (found,) = urlset.lint(source)
        assert (found.code, found.line, found.column) == ("LIM002", 1, 1)
        assert found.message.startswith("52428801 bytes before compression; ")
        assert source_fits('<?xml version="1.0" encoding="UTF-8"?>', found)


def test_all_findings_are_counted_and_the_first_50_of_a_rule_kept() -> None:
    text = f'<urlset xmlns="{CORE}">\n' + "<url><loc>/</loc></url>\n" * 1_500 + "<url/>" * 51 + "</urlset>"
    report = urlset.lint(text.encode())
    assert (len(report), len(report.diagnostics)) == (1_551, 100)
    assert report.counts == {"LOC001": 51, "LOC002": 1_500}
    assert [found.line for found in report] == [*range(2, 52), *[1_502] * 50]
    # The last of each that is kept has the others.
    assert [(number, found.code, found.more) for number, found in enumerate(report) if found.more] == [
        *((49, "LOC002", 1_450), (99, "LOC001", 1)),
    ]
    assert (report.errors, report.warnings, report.infos) == (1_551, 0, 0)


@pytest.mark.parametrize("fold", [1, 2, 1_499, 1_500, 1_501, 10_000])
def test_fold_limits_the_findings_that_are_kept(fold: int) -> None:
    text = "<urlset>\n" + "<url><loc>/</loc></url>\n" * 1_500 + "</urlset>"
    for source in (text.encode(), in_pieces(text, 1_000)):
        report = urlset.lint(source, fold=fold)
        assert report.counts == {"LOC002": 1_500, "NS001": 1}
        assert [found.code for found in report][:2] == ["NS001", "LOC002"]
        kept = report.by_rule()["LOC002"]
        assert [found.line for found in kept] == list(range(2, 2 + min(fold, 1_500)))
        assert [found.more for found in kept] == [0] * (len(kept) - 1) + [1_500 - len(kept)]


def test_exceeding_the_budget_is_reported_at_its_position() -> None:
    deep = urls("<o:a>" * 200 + "</o:a>" * 200).encode()
    with pytest.raises(LimitError, match="more than 128 elements open"):
        urlset.parse(deep, strict=True)
    for select in (None, ["LOC002"], []):
        report = urlset.lint(deep, rules=urlset.Rules(select=select))
        # Whatever was selected: what comes after it was not checked.
        assert report.counts == {"LIM007": 1}
        assert (report.errors, report.severities["LIM007"]) == (1, "error")
        (found,) = report
        assert found.line == 2
        assert "more than 128 elements open inside each other" in found.message
    assert not urlset.lint(deep, budget=Budget(depth=202))


INTERRUPTED = f"""
import signal, threading, time, urlset
data = b'<urlset xmlns="{CORE}">' + b"<url><loc>https://shop.example/</loc></url>" * 1_500_000
def lint():
    begin = time.monotonic()
    try:
        urlset.lint(data)
    except KeyboardInterrupt:
        pass
    return time.monotonic() - begin
whole = lint()
threading.Timer(whole / 20, signal.raise_signal, (signal.SIGINT,)).start()
print(lint() / whole)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of Unix")
def test_ctrl_c_ends_the_check_of_a_large_document() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True)
    assert float(ended.stdout) < 0.5
