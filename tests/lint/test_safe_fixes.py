"""Safe fixes change nothing but the defect, for readers that share no code with ours: lxml and expat.

Both read every document before and after. If one could read it before, it has to find the same entries after, each
with a loc that leads to the same page. What that means is decided by Python's own `urllib`. A fix that this does not
allow is not safe, and the finding stays.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from urllib.parse import quote, urljoin, urlsplit

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from support.documents import CORE
from support.publish.grouped import ruled
from support.rule_fixtures import Fixture, fixtures

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
SITE = "https://www.example.com/maps/sitemap.xml"
BLANKS = "\N{NO-BREAK SPACE}\N{ZERO WIDTH SPACE}\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\N{WORD JOINER}\ufeff"

#: An entry as another reader gets it: the text of each field, by its name without the namespace.
Entry = dict[str, str]


def local(tag: object) -> str:
    """The name of an element without its namespace; names in capitals are read, too."""
    return re.sub(r".*[}:]", "", tag).lower() if isinstance(tag, str) else ""


def entries(root: ET.Element | etree._Element) -> list[Entry]:
    """The entries of a document. Namespaces do not count: to correct them is what some fixes do."""
    found = [each for each in root if local(each.tag) in {"url", "sitemap"}]
    fields = ("loc", "lastmod", "changefreq", "priority")
    return [
        {local(child.tag): "".join(map(str, child.itertext())).strip() for child in entry if local(child.tag) in fields}
        for entry in found
    ]


def by_lxml(data: bytes) -> list[Entry] | None:
    """The entries, or None if libxml2 refuses the document."""
    try:
        return entries(etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True)))
    except etree.XMLSyntaxError:
        return None


def by_expat(data: bytes) -> list[Entry] | None:
    """The entries, or None if expat refuses the document."""
    try:
        return entries(ET.fromstring(data))
    except (ET.ParseError, ValueError, LookupError):
        return None


READERS: list[Callable[[bytes], list[Entry] | None]] = [by_lxml, by_expat]


def page(loc: str, location: str | None) -> str:
    """The page that a loc leads to, as RFC 3986 and 3987 say: absolute, and encoded where it has to be."""
    bare = loc.strip(BLANKS + " \t\r\n")
    try:
        whole = urljoin(location, bare) if location and not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", bare) else bare
        parts = urlsplit(whole)
    except ValueError:  # an invalid host, which leads nowhere
        return bare
    # `urljoin` drops the empty segments of a path and an empty query or fragment, which RFC 3986 keeps, so that they
    # are left out on both sides.
    rest = re.sub("/+", "/", whole.partition("://")[2].removeprefix(parts.netloc))
    rest = re.sub(r"\?(?=#|$)", "", rest).removesuffix("#")
    encoded = quote(rest, safe="/?#&=;:@!$'()*+,%~[]")
    return f"{parts.scheme}://{parts.netloc}{encoded}"


def fields_that_mean_the_same(before: Entry, after: Entry) -> bool:
    """Whether the other fields are the same, but for how they are written."""
    if before.keys() - after.keys() - {"changefreq", "priority"}:
        return False
    return all(moments(before.get(name, "")) == moments(after[name]) for name in after.keys() - {"loc"})


def moments(text: str) -> object:
    """The instant that a text names to Python, where it names one; else the text without what only spells it."""
    padded = re.sub(r"(?<![0-9.])([0-9])(?![0-9])", r"0\1", text.upper().replace(",", ".").replace("/", "-"))
    try:
        moment = datetime.fromisoformat(padded)
    except ValueError:
        return padded
    return moment.astimezone(UTC) if moment.tzinfo else moment


def assert_same(before: list[Entry], after: list[Entry], location: str | None) -> None:
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert page(old.get("loc", ""), location) == page(new.get("loc", ""), location)
        assert fields_that_mean_the_same(old, new), (old, new)


def is_xml(fixture: Fixture) -> bool:
    return fixture.path.is_file() and ".xml" in fixture.path.name and fixture.path.stat().st_size < 100_000


BAD = [each for each in fixtures() if is_xml(each) and b"repeat" not in each.data()[:4_000]]
#: Those at the limits of the protocol take lxml and expat seconds.
LARGE = 1_000_000
EACH = [pytest.param(each, marks=pytest.mark.long) if len(each.data()) > LARGE else each for each in BAD]


@pytest.mark.parametrize("fixture", EACH, ids=lambda each: f"{each.code}-{each.name}")
def test_fixtures_mean_the_same_to_other_readers(fixture: Fixture) -> None:
    data, arguments = fixture.data(), fixture.arguments(of_fix=True)
    # A zone that the caller knows is in no document, and dates of RFC 822 are compared where their rule is tested.
    arguments.pop("zone", None)
    fixed = urlset.fix(data, **ruled(arguments | {"ignore": [*arguments.get("ignore", []), "MOD001"]}))
    for reader in READERS:
        before, after = reader(data), reader(fixed.data)
        if before is not None:
            assert after is not None
            assert_same(before, after, arguments.get("location"))
        elif fixed.report.counts.keys().isdisjoint({"XML001", "XML002", "XML004", "XML008"}) and fixed:
            assert after is not None or fixed.report.counts.keys() & {"XML005", "XML007", "XML009", "NS005"}


# --- what is not safe ---------------------------------------------------------------------------------------


def one(loc: str, more: str = "") -> bytes:
    return f'<urlset xmlns="{CORE}"><url><loc>{loc}</loc>{more}</url></urlset>'.encode()


#: Documents with one defect that a fix could hide, and its rule. The document has to stay as it is.
KEPT = {
    "a blank in the host": (one("https://exa mple.com/"), "LOC004"),
    "two URLs": (one("https://example.com/ https://example.com/b"), "LOC004"),
    "two hosts": (one("https://example.com/ www.example.com/b"), "LOC004"),
    "a template": (one("https://example.com/{id}"), "LOC006"),
    "a template with blanks": (one("https://example.com/{{ id }}"), "LOC004"),
    "markup": (one("https://example.com/&lt;b&gt;"), "LOC006"),
    "a query alone": (one("?page=2"), "LOC002"),
    "a fragment alone": (one("#top"), "LOC002"),
    "a path without a slash": (one("tea/green"), "LOC002"),
    "a host without a scheme": (one("shop.example/tea"), "LOC002"),
    "too long once encoded": (one("https://example.com/" + "|" * 1_000), "LOC006"),
    "the wrong day of the week": (
        one("https://example.com/", "<lastmod>Mon, 31 Jan 2026 08:00:00 GMT</lastmod>"),
        "MOD001",
    ),
    "a year of two digits": (one("https://example.com/", "<lastmod>31 Jan 26 08:00 GMT</lastmod>"), "MOD001"),
    "a word in two": (one("https://example.com/", "<changefreq>dai ly</changefreq>"), "FRQ001"),
    "another charset than declared": (
        b"<?xml version='1.0' encoding='ISO-8859-1'?>" + one("https://example.com/\N{LATIN SMALL LETTER E WITH ACUTE}"),
        "XML004",
    ),
    "control characters of the declared charset": (
        b"<?xml version='1.0' encoding='ISO-8859-1'?>" + one("https://example.com/?").replace(b"?<", b"\x80<"),
        "XML002",
    ),
}


@pytest.mark.parametrize(("data", "code"), KEPT.values(), ids=KEPT)
def test_a_defect_is_not_hidden(data: bytes, code: str) -> None:
    fixed = urlset.fix(data, location=SITE, now=NOW, rules=urlset.Rules(profile="google"))
    assert fixed.data == data
    assert fixed.report.counts[code] == 1


LINK = '<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="{}" href="https://example.com/{}"/>'
NEWS = (
    '<n:news xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><n:publication><n:name>a</n:name>'
    "<n:language>{}</n:language></n:publication><n:publication_date>2026-02-01</n:publication_date>"
    "<n:title>a</n:title></n:news>"
)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (LINK.format("uk-UK", ""), "ALT002"),
        (LINK.format("en-UK", "") + LINK.format("en-GB", "gb"), "ALT002"),
        (LINK.format("en_GB", "") + LINK.format("en-gb", "gb"), "ALT002"),
        *((NEWS.format(language), "NWS004") for language in ("zh-hk", "zh-Hant", "en-GB", "sr-Latn", "xx", "English")),
    ],
)
def test_a_code_that_can_mean_two_things_stays(more: str, code: str) -> None:
    data = one("https://example.com/", more)
    fixed = urlset.fix(data, now=NOW, rules=urlset.Rules(select=[code]))
    assert fixed.data == data
    assert fixed.report.counts == {code: 1}


def test_only_what_readers_agree_on_is_fixed_beside_a_contradicted_charset() -> None:
    data = b"<?xml version='1.0' encoding='ISO-8859-1'?>" + one(
        "https://example.com/caf\N{LATIN SMALL LETTER E WITH ACUTE}", "<priority>0,8</priority>"
    )
    fixed = urlset.fix(data, now=NOW, rules=urlset.Rules(profile="yandex"))
    assert fixed.data == data.replace(b"0,8", b"0.8")
    for reader in READERS:
        before, after = reader(data), reader(fixed.data)
        assert before is not None
        assert after is not None
        assert_same(before, after, None)
    unsafe = urlset.fix(data, unsafe=True, now=NOW)
    assert b'encoding="UTF-8"' in unsafe.data


# --- any document -------------------------------------------------------------------------------------------

_PARTS = [*'abcAZ09-._~/?#=%|{}<>"^`\\ \u00e9\u8336\u00a0&', "//", "www.", "%20", "%zz"]
_LETTERS = st.lists(st.sampled_from(_PARTS), max_size=12).map("".join)
_LOCS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(
            ["https://www.example.com/", "http://example.com", "/", "", "../", "//example.com/", "mailto:"]
        ),
        _LETTERS,
    ),
)
_VALUES = st.sampled_from(
    [
        *("", "<lastmod>2026-1-3</lastmod>", "<lastmod>2026-01-31 08:00:00+0100</lastmod>"),
        *("<lastmod>20260131</lastmod>", "<changefreq> Daily </changefreq>"),
        *("<priority>0,8</priority>", "<priority>7</priority>"),
    ]
)


def _written(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _documents() -> st.SearchStrategy[bytes]:
    entry = st.builds(lambda loc, value: f"<url><loc>{_written(loc)}</loc>{value}</url>", _LOCS, _VALUES)
    declared = st.sampled_from(["", "<?xml version='1.0' encoding='ISO-8859-1'?>", "<?xml version='1.0'?>\n"])
    return st.builds(
        lambda head, inner: (head + f'<urlset xmlns="{CORE}">{"".join(inner)}</urlset>').encode(),
        declared,
        st.lists(entry, min_size=1, max_size=4),
    )


@given(_documents(), st.sampled_from([None, SITE]), st.sampled_from(["protocol", "google"]))
def test_any_document_means_the_same_to_other_readers(data: bytes, location: str | None, profile: str) -> None:
    fixed = urlset.fix(data, location=location, now=NOW, rules=urlset.Rules(profile=profile))
    for reader in READERS:
        before, after = reader(data), reader(fixed.data)
        if before is not None:
            assert after is not None
            assert_same(before, after, location)


def test_the_oracles_see_a_change() -> None:
    for old, new in _different():
        with pytest.raises(AssertionError):
            assert_same([{"loc": old}], [{"loc": new}], SITE)


def _different() -> Iterator[tuple[str, str]]:
    yield "https://exa mple.com/", "https://exa%20mple.com/"
    yield "https://example.com/a", "https://example.com/b"
    yield "https://example.com/%zz", "https://example.com/%25zz"
    yield "www.example.com/tea", "https://www.example.com/tea"
    yield "tea", "https://www.example.com/tea"


def test_fixtures_of_every_safe_rule_are_among_them() -> None:
    safe = {rule.code for rule in urlset.rules() if rule.fix == "safe"}
    assert {each.code for each in BAD} >= safe - {"ROB002", "TXT002", "TXT003"}
