"""What is not well-formed, or not built as it should be, and what is read of it all the same.

A handful, through the public API; the corpus in `vectors/` has all of them.
"""

from __future__ import annotations

import pytest
import urlset
from support.reading import CORE, cut, locs, outcome, urlset_of
from urlset import Image, MalformedError, SitemapEntry, UrlEntry

HOST = "http://a.example/"
ONE, TWO, THREE = HOST + "1", HOST + "2", HOST + "3"
HEAD = f'<urlset xmlns="{CORE}">\n'
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"


def in_root(*lines: str) -> str:
    """A urlset with these lines, from the second on."""
    return HEAD + "\n".join(lines) + "\n</urlset>"


def url(loc: str, more: str = "") -> str:
    """An entry as it should be."""
    return f"<url><loc>{loc}</loc>{more}</url>"


#: The document, its locs, and the places of what is told.
Case = tuple[str, list[str | None], str]

MENDED: dict[str, Case] = {
    "a raw ampersand": (in_root(url(f"{HOST}?a=1&b=2&copy=3")), [f"{HOST}?a=1&b=2&copy=3"], "XML005:2:32 XML005:2:36"),
    "an entity of HTML": (in_root(url(HOST + "caf&eacute;")), [HOST + "café"], "XML009:2:31"),
    "an entity of nobody": (in_root(url(HOST + "&mine;")), [HOST + "&mine;"], "XML009:2:28"),
    "a control character": (in_root(url(HOST + "a\x0bb&#0;c")), [HOST + "abc"], "XML007:2:29 XML007:2:31"),
    "blanks before the declaration": ("\n \n<?xml version='1.0'?>\n" + in_root(url(ONE)), [ONE], "XML003:1:1"),
    "a warning of PHP": (
        f"<br />\n<b>Warning</b>: x in <b>/a.php</b> on line <b>1</b>\n{in_root(url(ONE))}",
        [ONE],
        "XML003:1:1",
    ),
    "a stray closing tag": (in_root(url(ONE), "</url>", url(TWO)), [ONE, TWO], "XML001:3:1"),
    "an entry that is not closed": (in_root(f"<url><loc>{ONE}</loc>", url(TWO)), [ONE, TWO], "XML001:3:1"),
    "a field that is not closed": (in_root(f"<url><loc>{ONE}<lastmod>2026</lastmod></url>"), [ONE], "XML001:2:29"),
    "a raw less-than": (in_root(url(HOST + "?a<5")), [HOST + "?a<5"], "XML001:2:30"),
    "attributes without quotes": (in_root(f"<url id=7 x><loc>{ONE}</loc></url>"), [ONE], "XML001:2:6 XML001:2:11"),
    "dashes in a comment": (in_root("<!-- a -- b -->", url(ONE)), [ONE], "XML001:2:8"),
    "a script after the root": (in_root(url(ONE)) + "\n<script>if (a < b) x()</script>", [ONE], "XML001:4:1"),
    "entries after the root": (in_root(url(ONE)) + f"\n{url(TWO)}\n</urlset>", [ONE, TWO], "XML001:4:1"),
    "a root in the root": (
        in_root(url(ONE), HEAD + url(TWO) + "</urlset>", url(THREE)),
        [ONE, TWO, THREE],
        "XML001:3:1",
    ),
    "a prefix that is not declared": (in_root(url(ONE, "<x:y/>"), url(TWO, "<x:y/>")), [ONE, TWO], "NS005:2:36"),
}

ODD: dict[str, Case] = {
    "two locs in an entry": (
        in_root(f"<url><loc>{ONE}</loc><loc>{TWO}</loc></url>"),
        [ONE, TWO],
        "XML011:2:35",
    ),
    "the wrong letter case": (in_root(f"<URL><Loc>{ONE}</Loc></URL>", url(TWO)), [ONE, TWO], "XML011:2:1"),
    "a link inside a loc": (in_root(f"<url><loc><a href='{TWO}'>{ONE}</a></loc></url>"), [ONE], "XML010:2:11"),
    "no loc around the URL": (in_root(f"<url>{ONE}</url>", url(TWO)), [ONE, TWO], "XML010:2:6"),
    "an empty loc": (in_root(url(""), url(TWO)), [None, TWO], "LOC001:2:11"),
    "no namespace on a child": (in_root(f"<url xmlns=''><loc>{ONE}</loc></url>"), [ONE], "NS001:2:13"),
    "blanks that XML does not know": (in_root(url(f"\u00a0{ONE}\u200b")), [ONE], "LOC008:2:11"),
    "a field twice": (
        in_root(url(ONE, "<priority>1</priority><priority>0</priority>")),
        [ONE],
        "XML011:2:57",
    ),
}


@pytest.mark.parametrize("name", [*MENDED, *ODD])
def test_everything_that_can_be_read_is(name: str) -> None:
    text, expected, found = (MENDED | ODD)[name]
    document = urlset.parse(text.encode())
    assert locs(document) == expected
    assert " ".join(f"{each.code}:{each.line}:{each.column}" for each in document.diagnostics) == found
    assert document.completeness == ("recovered" if name in MENDED else "complete")
    data = text.encode()
    for size in (1, 5, 64):
        assert outcome(cut(data, range(0, len(data), size))).telling == outcome(data).telling


# --- what becomes of the values -----------------------------------------------------------------------------


def test_fields_belong_to_the_loc_before_them() -> None:
    fields = "<lastmod>2026</lastmod><priority>0.0</priority>"
    first, second = urlset.parse(in_root(f"<url><loc>{ONE}</loc>{fields}<loc>{TWO}</loc></url>").encode())
    assert first == UrlEntry(ONE, "2026", priority=0)
    assert second == UrlEntry(TWO)


def test_an_image_with_a_wrong_prefix_or_namespace_stays_in_its_entry() -> None:
    image = f"<image:image><image:loc>{TWO}</image:loc></image:image>"
    expected = [UrlEntry(ONE, images=[Image(TWO)])]
    undeclared = urlset.parse(in_root(url(ONE, image)).encode())
    assert (list(undeclared), undeclared.counts) == (expected, {"NS005": 1})
    assert undeclared.completeness == "recovered"
    for wrong in (IMAGE.replace("http:", "https:"), IMAGE + "/", IMAGE.replace("1.1", "0.9")):
        declared = in_root(url(ONE, image)).replace(">", f' xmlns:image="{wrong}">', 1)
        document = urlset.parse(declared.encode())
        assert (list(document), document.counts, document.completeness) == (expected, {"NS004": 1}, "complete")


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("<lastmod>yesterday</lastmod>", "MOD001"),
        ("<lastmod>2026-01-31T08:00:00</lastmod>", "MOD002"),
        ("<changefreq>often</changefreq>", "FRQ001"),
        ("<priority>high</priority>", "PRI001"),
        ("<priority>7</priority>", "PRI002"),
    ],
)
def test_an_invalid_value_is_null_and_reported(field: str, code: str) -> None:
    document = urlset.parse(in_root(url(ONE, field)).encode())
    [entry] = document
    assert isinstance(entry, UrlEntry)
    assert (entry.lastmod, entry.changefreq, entry.priority) == (None, None, None)
    written = field.partition(">")[2].partition("<")[0]
    assert entry.lastmod_raw == (written if "lastmod" in field else None)
    assert (document.counts, document.completeness) == ({code: 1}, "complete")
    [found] = document.diagnostics
    assert found.end_column - found.column == len(written)


def test_an_entity_of_the_doctype_is_never_expanded() -> None:
    doctype = '<!DOCTYPE urlset [<!ENTITY a "xxx"><!ENTITY b SYSTEM "file:///etc/passwd">]>\n'
    document = urlset.parse((doctype + in_root(url(HOST + "&a;&b;"))).encode())
    assert locs(document) == [HOST + "&a;&b;"]
    assert (document.counts, document.completeness) == ({"XML009": 2}, "recovered")


# --- documents glued together -------------------------------------------------------------------------------


@pytest.mark.parametrize("between", ["", "\n", '<?xml version="1.0"?>', '\n<?xml version="1.0"?>\n', "<!-- next -->"])
def test_documents_glued_together_are_one(between: str) -> None:
    data = urlset_of(ONE) + between.encode() + urlset_of(TWO, THREE)
    document = urlset.parse(data)
    assert (locs(document), document.kind) == ([ONE, TWO, THREE], "urlset")
    # Told of once.
    assert (document.completeness, document.counts) == ("recovered", {"XML001": 1})


def test_the_first_root_decides_the_kind() -> None:
    index = f'<sitemapindex xmlns="{CORE}"><sitemap><loc>{TWO}</loc></sitemap></sitemapindex>'
    document = urlset.parse(urlset_of(ONE) + index.encode())
    assert document.kind == "urlset"
    assert list(document) == [UrlEntry(ONE), SitemapEntry(TWO)]


def test_the_last_of_them_may_be_cut_off() -> None:
    data = urlset_of(ONE) + urlset_of(TWO, THREE).removesuffix(b"</loc></url>\n</urlset>")
    with pytest.raises(MalformedError):
        urlset.parse(data, strict=True)
    document = urlset.parse(data)
    assert (locs(document), document.completeness) == ([ONE, TWO], "truncated")


# --- charsets and compression -------------------------------------------------------------------------------


def test_bad_bytes_become_replacement_characters_in_their_positions() -> None:
    data = urlset_of(ONE, HOST + "caf?", THREE).replace(b"?", b"\xe9\xff")
    document = urlset.parse(data)
    assert locs(document) == [ONE, HOST + "caf\ufffd\ufffd", THREE]
    [found] = document.diagnostics
    assert (found.code, found.line, found.column) == ("XML002", 3, 31)
    assert document.completeness == "recovered"


@pytest.mark.parametrize("charset", ["iso-8859-1", "windows-1252", "gbk", "shift_jis", "utf-16"])
def test_a_declared_charset_is_read(charset: str) -> None:
    loc = HOST + {"gbk": "茶", "shift_jis": "お茶"}.get(charset, "café")
    text = f'<?xml version="1.0" encoding="{charset}"?>\n{in_root(url(loc))}'
    document = urlset.parse(text.encode(charset))
    assert (locs(document), document.completeness, document.counts) == ([loc], "complete", {"XML002": 1})
