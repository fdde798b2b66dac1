"""`fix`: what is fixed, what is left alone, and that nothing else of a document changes.

What the fix of each rule makes is in tests/rules.
"""

from __future__ import annotations

import gzip
import io
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urlset
import zstandard
from hypothesis import given
from support.documents import CORE
from support.lint.cases import CASES, Spelled, in_root, urls, with_loc
from support.strategies import documents
from urlset import InputError, MalformedError

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
MARK = b"\xef\xbb\xbf"

#: Something safe, something that loses the entry, something to look at, and something that has no fix.
BAD = urls(
    "<priority>0,8</priority>", "<lastmod>2026-01-31T08:00:00</lastmod>", "<lastmod>yesterday</lastmod>"
).replace("</urlset>", "<url/></urlset>")
SAFE = BAD.replace("0,8", "0.8")


# --- which fixes are made -----------------------------------------------------------------------------------


def test_only_safe_fixes_are_made_by_default() -> None:
    fixed = urlset.fix(BAD.encode(), now=NOW)
    assert fixed.data.decode() == SAFE
    assert (bool(fixed), fixed.applied) == (True, {"PRI001": 1})
    # What is left is told.
    assert fixed.report.counts == {"LOC001": 1, "MOD001": 1, "MOD002": 1}
    assert fixed.report == urlset.lint(fixed.data, now=NOW)


def test_unsafe_fixes_are_made_only_on_request() -> None:
    fixed = urlset.fix(BAD.encode(), now=NOW, unsafe=True)
    assert fixed.data.decode() == SAFE.replace("<url/>", "")
    assert fixed.applied == {"LOC001": 1, "PRI001": 1}
    # What is only shown is never made, until it is known.
    assert fixed.report.counts == {"MOD001": 1, "MOD002": 1}
    zoned = urlset.fix(BAD.encode(), now=NOW, rules=urlset.Rules(zone="+01:00"))
    assert zoned.data.decode() == SAFE.replace("08:00:00", "08:00:00+01:00")
    assert zoned.applied == {"MOD002": 1, "PRI001": 1}


def test_only_fixes_of_enabled_rules_are_made() -> None:
    data = urls("<priority>0,8</priority><changefreq>Daily</changefreq>").encode()
    assert urlset.fix(data, rules=urlset.Rules(select=["FRQ"])).data == data.replace(b"Daily", b"daily")
    assert urlset.fix(data, rules=urlset.Rules(ignore=["FRQ"])).data == data.replace(b"0,8", b"0.8")
    assert urlset.fix(data, rules=urlset.Rules(select=["FRQ"])).report.counts.keys() <= {"FRQ002"}
    assert urlset.fix(data, rules=urlset.Rules(ignore=["FRQ", "PRI"])).data is data
    with pytest.raises(InputError, match="no rule has the code 'FRX'"):
        urlset.fix(data, rules=urlset.Rules(select=["FRX"]))


def test_the_profile_and_the_location_count() -> None:
    data = urls('<x:link rel="alternate" hreflang="DE" href="https://example.com/"/>').encode()
    assert urlset.fix(data, rules=urlset.Rules(profile="yandex")).data is data
    assert urlset.fix(data, rules=urlset.Rules(profile="google")).data == data.replace(b'"DE"', b'"de"')
    relative = with_loc("../about").encode()
    assert urlset.fix(relative).data is relative
    fixed = urlset.fix(relative, location="https://example.com/maps/sitemap.xml", rules=urlset.Rules(ignore=["LOC013"]))
    assert fixed.data == with_loc("https://example.com/about").encode()
    assert fixed.report.documents == ("https://example.com/maps/sitemap.xml",)


def test_a_fix_may_bring_the_next_to_light() -> None:
    fixed = urlset.fix(with_loc("https://example.com/?a=1&b=c d").encode())
    assert fixed.data == with_loc("https://example.com/?a=1&amp;b=c%20d").encode()
    assert fixed.applied == {"LOC004": 1, "XML005": 1}
    assert not fixed.report


def test_many_are_made_at_once() -> None:
    data = in_root("\n".join(f"<url><loc>https://example.com/{n}?a&b</loc></url>" for n in range(5_000))).encode()
    fixed = urlset.fix(data)
    assert fixed.data == data.replace(b"&", b"&amp;")
    assert fixed.applied == {"XML005": 5_000}


# --- what stays as it is ------------------------------------------------------------------------------------

GOOD = urls("<lastmod>2026-01-31</lastmod>").encode()


@pytest.mark.parametrize(
    "data",
    [
        *(GOOD, MARK + GOOD, gzip.compress(GOOD, 1), gzip.compress(gzip.compress(GOOD)), GOOD.replace(b"\n", b"\r\n")),
        *(b"https://example.com/\n", b"<?xml version='1.0'?>\n" + GOOD + b"<!-- end -->"),
        GOOD.decode().encode("utf-16"),
    ],
    ids=["plain", "mark", "gzip", "gzip twice", "CR LF", "text", "comments", "utf-16"],
)
def test_a_good_document_is_returned_unchanged(data: bytes) -> None:
    # That it should be UTF-8 is another question.
    fixed = urlset.fix(data, unsafe=True, now=NOW, rules=urlset.Rules(ignore=["XML002", "XML004"]))
    assert fixed.data is data
    assert (bool(fixed), fixed.applied) == (False, {})


@pytest.mark.parametrize(
    "spelled",
    [
        "<!-- a > b -->\r\n<urlset xmlns='{core}'  ><url ><loc>{loc}</loc\n><priority>0,8</priority></url>{end}\r\n",
        "<?xml version='1.0'?><urlset xmlns='{core}'><?x?><url><loc>{loc}</loc><priority> 0,8\t</priority></url>{end}",
        "<s:urlset xmlns:s='{core}'><s:url><s:loc><![CDATA[{loc}]]></s:loc>\n"
        "<s:priority>0,8</s:priority></s:url></s:urlset >",
        "<urlset xmlns='{core}'><url><priority>0,8</priority><loc>&#104;ttps://example.com/\u00e9\U0001f600</loc></url>{end}",
    ],
)
def test_fixes_change_nothing_else(spelled: str) -> None:
    data = spelled.format(core=CORE, loc="https://example.com/", end="</urlset>").encode()
    fixed = urlset.fix(data, rules=urlset.Rules(select=["PRI001"]))
    assert fixed.applied == {"PRI001": 1}
    assert fixed.data == data.replace(b"0,8", b"0.8")


def test_a_document_not_read_to_its_end_is_left_alone() -> None:
    whole = BAD.encode()
    for data, code in [
        (whole[:-30], "XML001"),
        (gzip.compress(whole)[:-20], "XML001"),
        (b"<html><body>0,8</body></html>", "XML008"),
        (b"", "XML008"),
        (urls("<o:a>" * 200 + "</o:a>" * 200 + "<priority>0,8</priority>").encode(), "LIM007"),
    ]:
        fixed = urlset.fix(data, unsafe=True)
        assert fixed.data is data
        assert not fixed
        assert code in fixed.report.counts


def test_markup_that_was_recovered_is_fixed() -> None:
    data = urls("", "").replace("</loc></url>", "?a&b</loc></url>", 1).replace("1</loc></url>", "1</loc>")
    fixed = urlset.fix(data.encode())
    assert fixed.data.decode() == data.replace("&", "&amp;")
    assert fixed.report.counts == {"XML001": 1}


@pytest.mark.parametrize("wrong", ["<urlset/>", io.StringIO("<urlset/>"), None, 5])
def test_a_document_is_bytes(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"the source must (be|give) .*, got "):
        urlset.fix(wrong)


def test_fix_takes_what_lint_takes(tmp_path: Path) -> None:
    data = BAD.encode()
    path = tmp_path / "sitemap.xml"
    path.write_bytes(data)
    expected = urlset.fix(data, now=NOW)
    assert expected
    for source in (
        path,
        str(path),
        tmp_path,
        [path],
        bytearray(data),
        io.BytesIO(data),
        [data[:9], data[9:]],
        iter([data]),
    ):
        fixed = urlset.fix(source, now=NOW)
        assert (fixed.data, fixed.applied) == (expected.data, expected.applied)
    assert [found.location for found in urlset.fix(path, now=NOW).report] == [str(path)] * len(expected.report)
    assert path.read_bytes() == data
    (tmp_path / "other.xml").write_bytes(data)
    with pytest.raises(InputError, match="the source must be one document, got 2"):
        urlset.fix(str(tmp_path / "*.xml"))
    with pytest.raises(FileNotFoundError):
        urlset.fix(tmp_path / "gone.xml")


# --- gzip and others ----------------------------------------------------------------------------------------


def test_gzip_stays_gzip_and_is_always_the_same() -> None:
    for level in (1, 9):
        packed = gzip.compress(BAD.encode(), level, mtime=1_700_000_000 + level)
        fixed = urlset.fix(packed, now=NOW)
        assert fixed.data[:2] == b"\x1f\x8b"
        assert gzip.decompress(fixed.data).decode() == SAFE
        # No time and no name: the same document gives the same bytes.
        assert fixed.data == urlset.fix(gzip.compress(BAD.encode(), mtime=0), now=NOW).data
        assert fixed.data[3:8] == bytes(5)
        assert urlset.fix(fixed.data, now=NOW).data is fixed.data
    half = len(BAD) // 2
    members = gzip.compress(BAD[:half].encode()) + gzip.compress(BAD[half:].encode())
    assert urlset.fix(members, now=NOW).data == fixed.data


def test_data_after_gzip_data_are_not_lost() -> None:
    packed = gzip.compress(BAD.encode())
    assert gzip.decompress(urlset.fix(packed + bytes(512), now=NOW).data).decode() == SAFE
    for behind in (b"junk", bytes(512) + b"junk"):
        fixed = urlset.fix(packed + behind, now=NOW)
        assert fixed.data == packed + behind
        assert fixed.applied == {}
        assert "PRI001" in fixed.report.counts


def test_other_ways_of_packing_are_refused() -> None:
    data = BAD.encode()
    for packed in (zstandard.compress(data), zlib.compress(data), gzip.compress(gzip.compress(data))):
        assert (
            urlset.lint(packed, now=NOW, rules=urlset.Rules(ignore=["XML013"])).counts
            == urlset.lint(data, now=NOW).counts
        )
        with pytest.raises(InputError, match="data must be plain or gzipped to be fixed, got "):
            urlset.fix(packed, now=NOW)
        # Where there is nothing to do, nobody minds.
        assert urlset.fix(packed, now=NOW, rules=urlset.Rules(ignore=["PRI", "MOD002"])).data is packed


# --- charsets -----------------------------------------------------------------------------------------------

DECLARED = "<?xml version='1.0' encoding='{}' standalone='yes'?>\n"
CAFE = urls("<i:image><i:loc>https://example.com/café.png</i:loc></i:image>")


@pytest.mark.parametrize(
    ("charset", "declared"),
    [("iso-8859-1", "ISO-8859-1"), ("windows-1252", "windows-1252"), ("utf-16", "utf-16"), ("utf-16-le", "UTF-16")],
)
def test_another_charset_becomes_utf_8(charset: str, declared: str) -> None:
    data = (DECLARED.format(declared) + CAFE).encode(charset)
    for packed in (False, True):
        fixed = urlset.fix(gzip.compress(data) if packed else data)
        text = gzip.decompress(fixed.data) if packed else fixed.data
        assert text.decode() == DECLARED.format("UTF-8").replace("'UTF-8'", '"UTF-8"') + CAFE
        assert fixed.applied == {"XML002": 1}
        assert not fixed.report
        assert urlset.fix(fixed.data).data is fixed.data
    # Where that is not asked its bytes stay, and so does whatever stands in them.
    assert urlset.fix(data, rules=urlset.Rules(ignore=["XML002"])).data is data


def test_other_fixes_are_made_with_that() -> None:
    text = DECLARED.format("ISO-8859-1") + CAFE.replace("</url>", "<priority>0,8</priority></url>")
    fixed = urlset.fix(text.encode("latin-1"))
    assert fixed.applied == {"PRI001": 1, "XML002": 1}
    assert fixed.data.decode() == text.replace("'ISO-8859-1'", '"UTF-8"').replace("0,8", "0.8")
    # In bytes that stay there is nothing to be made either.
    assert urlset.fix(text.encode("latin-1"), rules=urlset.Rules(ignore=["XML002"])).applied == {}


def test_another_charset_in_broken_markup() -> None:
    text = DECLARED.format("utf-16") + CAFE.replace("café", "café?a&b")
    fixed = urlset.fix(text.encode("utf-16"))
    assert fixed.data.decode() == text.replace("'utf-16'", '"UTF-8"').replace("&", "&amp;")
    assert set(fixed.applied) == {"XML002", "XML005"}


def test_a_text_list_in_another_charset() -> None:
    fixed = urlset.fix("https://example.com/café\n".encode("utf-16"))
    assert fixed.data == "https://example.com/café\n".encode()
    assert fixed.applied == {"TXT002": 1}


def test_a_document_with_invalid_bytes_is_left_alone() -> None:
    bad = urls("<priority>0,8</priority>", "<o:a>\xe9</o:a>").encode("latin-1")
    for data in (bad, bad + b"<!-- \xff -->", gzip.compress(bad), DECLARED.format("utf-8").encode() + bad):
        fixed = urlset.fix(data, unsafe=True)
        assert fixed.data is data
        assert fixed.applied == {}
        assert {"XML002", "PRI001"} <= fixed.report.counts.keys()


def test_a_byte_order_mark_stays_unless_it_contradicts() -> None:
    bad = urls("<priority>0,8</priority>").encode()
    good = bad.replace(b"0,8", b"0.8")
    for head in (b"", DECLARED.format("UTF-8").encode()):
        fixed = urlset.fix(MARK + head + bad)
        assert fixed.data == MARK + head + good
        assert fixed.applied == {"PRI001": 1}
    contradicting = MARK + DECLARED.format("iso-8859-1").encode() + bad
    # A reader that goes by the declaration reads other characters, if there are any beyond ASCII.
    assert urlset.fix(contradicting).applied == {"PRI001": 1}
    fixed = urlset.fix(contradicting, unsafe=True)
    assert fixed.applied == {"PRI001": 1, "XML004": 1}
    assert not fixed.data.startswith(MARK)
    assert fixed.report.counts == {}
    kept = urlset.fix(contradicting, rules=urlset.Rules(ignore=["XML004"]))
    assert kept.data == MARK + DECLARED.format("iso-8859-1").encode() + good


# --- all documents ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}-{number}" for number, case in enumerate(CASES)])
def test_a_fixed_document_stays_as_it_is(case: Any, unsafe: bool) -> None:
    fixed = urlset.fix(Spelled.of(case.bad).text.encode(), location=case.location, unsafe=unsafe, now=NOW)
    again = urlset.fix(fixed.data, location=case.location, unsafe=unsafe, now=NOW)
    assert again.data is fixed.data
    assert again.report == fixed.report
    offered = {found.code for found in fixed.report if found.fix and found.fix.safety == "safe"}
    assert offered == set()


@given(documents())
def test_fixing_random_documents_twice_changes_nothing(data: bytes) -> None:
    for unsafe in (False, True):
        fixed = urlset.fix(data, unsafe=unsafe, now=NOW)
        assert urlset.fix(fixed.data, unsafe=unsafe, now=NOW).data is fixed.data
        assert bool(fixed) == (fixed.data != data)
        # A value that was behind one that could not be read, or was dropped, may be wrong too; its form is not.
        new = fixed.report.counts.keys() - urlset.lint(data, now=NOW).counts.keys()
        # Which elements an extension does not define shows once its namespace is spelled correctly.
        assert not {code for code in new - {"NS007"} if code.startswith(("XML", "NS", "LIM007"))}


@given(documents())
def test_safe_fixes_keep_all_entries(data: bytes) -> None:
    fixed = urlset.fix(data, now=NOW)
    try:
        before = urlset.parse(data)
    except MalformedError:
        return
    assert len(urlset.parse(fixed.data)) == len(before)


def test_a_piece_that_stays_broken_is_not_fixed_in_part() -> None:
    # To make `&eacute` text would make the second feed a part of the first link, and the document end inside of it.
    feed = b"<rss version='2.0'>\n<channel><item><link>http://a.example/caf&eacute%s\n"
    end = b"<rss version='2.0'><channel><item><link>http://a.example/</link></item></channel></rss>\n"
    broken = feed % b"" + end
    assert urlset.fix(broken, unsafe=True).data == broken
    assert all(each.fix is None for each in urlset.lint(broken))
    whole = feed % b"</link></item></channel></rss>"
    assert urlset.fix(whole).data == whole.replace(b"&eacute", b"&amp;eacute")
