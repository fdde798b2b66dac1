"""Reading against lxml: random well-formed documents, and the same ones broken at random.

The documents come from strategies.py, what is right from oracle.py; neither shares code with the package.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.parsers import expat

import pytest
import urlset
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from support import oracle
from support.properties import times
from support.read.differential import WE_TAKE, is_theirs
from support.reading import Row, cut, of_entry, outcome, plain, without_empty_lists
from support.strategies import documents

HEAD = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
END = b"</urlset>"

#: The heart of what this package promises: twice as many examples as other properties get.
more = times(200)


def expected(data: bytes) -> list[Row]:
    """The oracle's rows in the form of the reader's."""
    return [plain(without_empty_lists(row)) for row in oracle.rows(data)]


def without_lines(rows: list[Row]) -> list[Row]:
    """Rows without their lines, which libxml2 counts in its own way."""
    return [{name: row[name] for name in row if name != "line"} for row in rows]


#: Documents whose rows the oracle knows.
plain_documents = documents().filter(lambda data: not oracle.is_tangled(data))


@more
@given(data=plain_documents)
@example(data=HEAD + b"<url><loc>http://a/</loc><loc>]<!--x--><![CDATA[]>]]></loc></url>" + END)
@example(data=HEAD + b'<url><loc>http://a/</loc><lastmod>20<lastmod xmlns="urn:x"></lastmod>26</lastmod></url>' + END)
def test_rows_are_those_that_lxml_sees(data: bytes) -> None:
    got = outcome(data)
    assert got.error is None
    assert got.completeness == "complete"
    assert without_lines(got.rows) == expected(data)


@more
@given(data=plain_documents)
def test_each_wrong_value_is_reported_once(data: bytes) -> None:
    found = Counter(diagnostic.code for diagnostic in outcome(data).diagnostics)
    assert {code: found[code] for code in oracle.VALUE_CODES if found[code]} == oracle.value_codes(data)


@given(data=plain_documents)
def test_objects_are_those_that_lxml_sees(data: bytes) -> None:
    entries = list(urlset.scan(data, follow=False))
    assert without_lines([of_entry(entry) for entry in entries]) == expected(data)


@given(data=documents())
def test_tangled_markup_is_read_to_its_end(data: bytes) -> None:
    got = outcome(data)
    assert got.error is None
    assert got.completeness == "complete" or oracle.is_tangled(data)


@more
@given(data=documents(), places=st.data())
def test_the_result_does_not_depend_on_how_the_bytes_are_cut(data: bytes, places: st.DataObject) -> None:
    cuts = places.draw(st.lists(st.integers(0, len(data)), max_size=12), label="cuts")
    assert outcome(cut(data, cuts)).telling == outcome(data).telling


@given(data=documents())
def test_byte_by_byte(data: bytes) -> None:
    assert outcome(data[at : at + 1] for at in range(len(data))).telling == outcome(data).telling


def lines_of_elements(data: bytes) -> list[int]:
    """The line on which expat sees each element begin."""
    parser = expat.ParserCreate()
    lines = []
    parser.StartElementHandler = lambda _name, _attributes: lines.append(parser.CurrentLineNumber)
    parser.Parse(data, True)
    return lines


@more
@given(data=plain_documents)
def test_lines_are_those_that_expat_counts(data: bytes) -> None:
    # Expat ends a line at a lone CR, too.
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b" ")
    lines = lines_of_elements(data)
    assert [row["line"] for row in outcome(data).rows] == [lines[first] for first in oracle.beginnings(data)]


#: What breaks documents: markup, references and characters in places where they do not belong.
_MARKUP = """< > & ; ' " / ! ? - -- ]]> <![CDATA[ <!-- --> ?> <?x = : &amp; &#65; &#x; &nbsp;"""
_TAGS = "<url> </url> <loc> </loc> <x/> <x> a='1' xmlns='' xmlns:a='b' a:"
_CHARACTERS = "\u00e9 \u0300 \ufeff \0 \x01 \ufffe"
BREAKERS = st.sampled_from([text.encode() for text in f"{_MARKUP} {_TAGS} {_CHARACTERS}".split()])


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    """A well-formed document with a few bytes taken away, put in, or copied to another place."""
    data = draw(documents().filter(lambda data: b"<!DOCTYPE" not in data))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 3)):
            case 0:
                data = data[:at] + draw(BREAKERS) + data[at:]
            case 1:
                data = data[:at] + data[at + draw(st.integers(1, 8)) :]
            case 2:
                data = data[:at] + draw(BREAKERS) + data[at + 1 :]
            case 3:
                start = draw(st.integers(0, len(data)))
                data = data[:at] + data[start : start + draw(st.integers(1, 30))] + data[at:]
    return data


def lxml_complains(data: bytes) -> str | None:
    """What libxml2 has against the document."""
    try:
        etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        return str(error)
    return None


def is_our_own(data: bytes, complaint: str | None) -> bool:
    """Whether we and libxml2 are right to disagree: as with expat, and about what a namespace may be called."""
    if complaint is None:
        return is_theirs(data)
    # It asks that a namespace be a URI, which Namespaces in XML leaves to others.
    return "is not a valid URI" in complaint or lxml_complains(WE_TAKE["charset"].without(data)) is None


@more
@given(data=broken(), places=st.data())
@example(data=HEAD + b"<url><loc>http://a/</loc></url><url\0><loc>b</loc></url\0>" + END, places=None)
@example(data=HEAD + b"<url><loc>http://a/</loc></url><a\0></a\0>" + END, places=None)
def test_broken_documents_are_those_that_lxml_rejects(data: bytes, places: st.DataObject | None) -> None:
    got, complaint = outcome(data), lxml_complains(data)
    cuts = places.draw(st.lists(st.integers(0, len(data)), max_size=6), label="cuts") if places else [40, 60, 80]
    assert outcome(cut(data, cuts)).telling == got.telling
    if got.kind in ("urlset", "sitemapindex") and (got.completeness == "complete") is not (complaint is None):
        assert is_our_own(data, complaint), complaint


# --- single values ------------------------------------------------------------------------------------------


def read_one(field: str, text: str) -> Any:
    """What reading makes of the text of one field."""
    value = text.replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#13;").replace("]]>", "]]&gt;")
    [entry] = urlset.parse(HEAD + f"<url><{field}>{value}</{field}></url>".encode() + END)
    return getattr(entry, field)


_NEAR_DATES = st.from_regex(
    r"\A20[0-9]{2}(-(0[1-9]|1[0-9])){0,2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,8})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?\Z"
)


@more
@given(text=st.one_of(_NEAR_DATES, st.text("0123456789-+:.TZ ", max_size=30)))
def test_lastmod_is_the_instant_that_the_oracle_finds(text: str) -> None:
    assert read_one("lastmod", text) == oracle.meant_lastmod(text.strip(oracle.XML_SPACE))


#: Dates as people write them, with one thing or more that is not as it should be.
_ODD_DATES = st.from_regex(
    r"\A[0-9]{4}([-/.]?[0-3]?[0-9]){2}(([Tt]| {1,2})[0-2]?[0-9]:[0-6][0-9](:[0-6][0-9]([.,][0-9]{0,3})?)?"
    r"( ?(Z|z|utc|GMT|[+-][0-2]?[0-9](:?[0-7][0-9])?))?)?\Z"
)


@more
@given(text=st.one_of(_NEAR_DATES, _ODD_DATES))
@example(text="2024-02-30T10:00:00+0200")
@example(text="2024-1-1 10:00:00")
@example(text="2024-01-01T10:00:00+24:00")
@example(text="0001-01-01T00:00:00+01:00")
def test_invalid_lastmods_are_those_that_the_oracle_finds(text: str) -> None:
    data = HEAD + f"<url><loc>http://a/</loc><lastmod>{text}</lastmod></url>".encode() + END
    assert urlset.parse(data).counts == oracle.value_codes(data)


@given(when=st.datetimes(), minutes=st.integers(-23 * 60 - 59, 23 * 60 + 59))
def test_lastmod_is_the_instant_that_python_finds(when: datetime, minutes: int) -> None:
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    text = f"{when.isoformat()}{sign}{hours:02}:{rest:02}"
    try:
        instant = when.replace(tzinfo=UTC) - timedelta(minutes=minutes)
    except OverflowError:
        assert read_one("lastmod", text) is None
    else:
        assert read_one("lastmod", text) == instant


@given(text=st.one_of(st.from_regex(r"\A[+-]?[0-9]{0,3}\.?[0-9]{0,20}\Z"), st.text("01.5+-eE,%", max_size=6)))
@example(text="0." + "0" * 400 + "1")
@example(text="1." + "0" * 400)
def test_priority_is_the_number_that_the_oracle_finds(text: str) -> None:
    assert read_one("priority", text) == oracle.parse_priority(text)


@pytest.mark.parametrize("word", sorted(oracle.CHANGEFREQS))
def test_changefreq_is_one_of_the_words(word: str) -> None:
    assert read_one("changefreq", word) == word
    assert read_one("changefreq", word.title()) is None
