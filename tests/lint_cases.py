"""A document with a fault for every rule, the same without it, and the ways to spell both.

The place of the finding is marked with ⟦ and ⟧, which are taken out before the document is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support import CORE, IMAGE, XHTML

LOC = "<loc>https://example.com/</loc>"


def urls(*content: str) -> str:
    """A urlset with a `<url>` a line, each of which has a good loc."""
    lines = "".join(f"  <url>{LOC}{text}</url>\n" for text in content)
    return f'<urlset xmlns="{CORE}" xmlns:i="{IMAGE}" xmlns:x="{XHTML}">\n{lines}</urlset>\n'


def in_root(content: str, name: str = "urlset") -> str:
    """A document with that content on a line of its own."""
    return f'<{name} xmlns="{CORE}">\n{content}\n</{name}>\n'


def with_loc(loc: str) -> str:
    """A urlset with one loc."""
    return in_root(f"  <url><loc>{loc}</loc></url>")


@dataclass(frozen=True, slots=True)
class Case:
    """A document with one fault, and the same without it."""

    code: str
    bad: str
    message: str
    good: str
    location: str | None = None


LONG = "https://example.com/".ljust(2047, "é")
URL = "<url><loc>https://example.com/</loc></url>"
PICTURE = "<i:image><i:loc>https://example.com/i.png</i:loc></i:image>"
LINK = '<x:link rel="alternate" hreflang="de" href="https://example.com/de"/>'
INDEX = in_root(f"<sitemap>{LOC}</sitemap>", "sitemapindex")

CASES = [
    *(
        Case("ALT001", urls(f"⟦<⟧x:link {attributes}/>"), message, urls(LINK))
        for attributes, message in [
            ('rel="alternate" hreflang="de"', "the alternate's href is missing"),
            ('rel="alternate" href="https://example.com/de"', "the alternate has no hreflang or media"),
            ('hreflang="de" href="https://example.com/de"', 'the alternate has no rel="alternate"'),
        ]
    ),
    Case(
        "ALT001",
        urls('<x:link rel="alternate" hreflang="de" href="⟦⟧"/>'),
        "href is missing",
        urls('<x:link rel="alternate" media="print" href="https://example.com/print"/>'),
    ),
    Case(
        "ALT007",
        urls('<x:link rel="alternate" hreflang="de" href="⟦/de?a=1&amp;b=2⟧"/>'),
        "the alternate's href is no absolute http or https URL",
        urls('<x:link rel="alternate" href="android-app://com.example/https/x" media="app"/>'),
    ),
    Case(
        "ALT007",
        urls("<x:link rel='ALTERNATE' hreflang='de' href='⟦ftp://example.com/⟧'/>"),
        "the alternate's href",
        urls('<x:link rel="amphtml" href="https://example.com/amp"/>'),
    ),
    *(
        Case("FRQ001", urls(f"<changefreq>⟦{word}⟧</changefreq>"), "is none of always, hourly", urls(good))
        for word, good in [
            ("Daily", "<changefreq>daily</changefreq>"),
            ("", "<changefreq> never </changefreq>"),
            ("dai<![CDATA[ ly]]>", "<changefreq>dai<![CDATA[ly]]></changefreq>"),
        ]
    ),
    Case("IDX006", in_root(f"⟦<⟧sitemap>{LOC}</sitemap>"), "`<sitemap>` in a urlset", urls("")),
    Case("IDX006", in_root(f"⟦<⟧url>{LOC}</url>", "sitemapindex"), "`<url>` in a sitemapindex", INDEX),
    Case("IMG001", urls("⟦<⟧i:image/>"), "the image's loc is missing", urls(PICTURE)),
    Case("IMG001", urls("<i:image><i:loc>⟦⟧</i:loc></i:image>"), "the image's loc is missing", urls(PICTURE)),
    Case("IMG002", urls(PICTURE * 1_000 + f"⟦<⟧{PICTURE[1:]}"), "1001 images in one", urls(PICTURE * 1_000)),
    Case("IMG004", urls("<i:image><i:loc>⟦/i.png⟧</i:loc></i:image>"), "is no absolute http", urls(PICTURE)),
    Case("LOC001", in_root("⟦<⟧url/>"), "the entry has no loc", urls("")),
    Case("LOC001", in_root("<url><loc>⟦⟧   </loc></url>"), "the entry has no loc", urls("")),
    Case("LOC001", in_root("⟦<⟧sitemap/>", "sitemapindex"), "the entry has no loc", INDEX),
    *(
        Case(code, with_loc(f"⟦{bad}⟧"), message, with_loc(good))
        for code, bad, message, good in [
            ("LOC002", "/about", "the loc has no scheme", "https://example.com/about"),
            ("LOC002", "/a?b=1&amp;c=2", "the loc has no scheme", "https://example.com/a?b=1&amp;c=2"),
            ("LOC002", "<![CDATA[/a]]>", "the loc has no scheme", "<![CDATA[https://example.com/a]]>"),
            ("LOC002", "//example.com/", "the loc has no scheme", "HTTPS://EXAMPLE.COM"),
            ("LOC003", "ftp://example.com/", "the loc's scheme is neither", "http://example.com/"),
            ("LOC004", "https://example.com/a b", "the loc holds U+0020", "  https://example.com/a%20b\n"),
            ("LOC004", "https:///a", "the loc has no host", "https://[2001:db8::1]/a"),
            ("LOC009", LONG + "é", "the loc has 2048 characters", LONG),
        ]
    ),
    *(
        Case(
            "LOC011",
            with_loc(f"⟦{bad}⟧"),
            "is not example.com",
            with_loc(good),
            "https://example.com/sitemap.xml",
        )
        for bad, good in [
            ("https://example.org/", "https://EXAMPLE.com/"),
            ("https://www.example.com/", "http://example.com:8080/a"),
            ("https://example.com@example.org/", "https://user@example.com/"),
        ]
    ),
    *(
        Case(code, urls(f"<lastmod>⟦{bad}⟧</lastmod>"), message, urls(f"<lastmod>{good}</lastmod>"))
        for code, bad, message, good in [
            ("MOD001", "yesterday", '"yesterday" is no date or time', "2024"),
            ("MOD001", "2024-02-30", "is no date or time of the W3C profile", "2024-02-29"),
            ("MOD001", "2024-01-01T10:00:00+0200", "is no date or time", "2024-01-01T10:00:00+02:00"),
            ("MOD001", "", '"" is no date or time', " 2024-01-01\n"),
            ("MOD002", "2024-01-01T10:00:00", "the time has no zone", "2024-01-01T10:00:00Z"),
            ("MOD002", "2024-01-01T10:00", "the time has no zone", "2024-01-01T10:00-00:00"),
        ]
    ),
    *(
        Case(code, urls(f"<priority>⟦{bad}⟧</priority>"), message, urls(f"<priority>{good}</priority>"))
        for code, bad, message, good in [
            ("PRI001", "high", '"high" is not a decimal number', "1"),
            ("PRI001", "0,8", "is not a decimal number", ".8"),
            ("PRI001", "", '"" is not a decimal number', " +0.50 "),
            ("PRI002", "1.1", "1.1 is not between 0.0 and 1.0", "1.0"),
            ("PRI002", "-0.1", "-0.1 is not between 0.0 and 1.0", "-0.0"),
        ]
    ),
    Case("NS001", f"<!-- -->\n⟦<urlset⟧>{URL}</urlset>", "`<urlset>` is in no namespace", urls("")),
    Case("NS001", f"⟦<urlset⟧ xmlns:s='{CORE}'>{URL}</urlset>", "`<urlset>` is in no namespace", urls("")),
    Case(
        "NS002",
        f'<urlset xmlns="⟦{CORE.replace("http", "https")}⟧">{URL}</urlset>',
        "begins with https",
        f'<s:urlset\n xmlns:s="{CORE}"/>',
    ),
    Case("NS003", "<s:urlset\n\txmlns:s='⟦urn:x⟧'></s:urlset>", 'the namespace is "urn:x"', urls("")),
    Case("NS003", f'<urlset xmlns="⟦{CORE}/⟧">{URL}</urlset>', "not the one of the protocol", urls("")),
    *(
        Case("XML001", bad, message, urls(""))
        for bad, message in [
            (urls("<a>⟦<⟧/b>"), "`</b>` stands where `<a>` has to be closed"),
            (urls("<a b='1' ⟦b⟧='2'/>"), "stands twice"),
            (urls("<a>1 ⟦&⟧ 2</a>"), "a bare `&`"),
            (urls("<a>⟦&⟧nbsp;</a>"), "nbsp"),
            (urls("<a>⟦]⟧]></a>"), "`]]>` outside a CDATA section"),
            (urls("<!-- a ⟦-⟧- b -->"), "`--` inside a comment"),
            (urls("<⟦1⟧a/>"), "a tag's name is missing"),
            (urls("") + "⟦x⟧", "content after the end of `<urlset>`"),
            (urls("").replace("</urlset>\n", f"⟦<⟧url>{LOC}"), "the document ends inside what begins here"),
            (urls("").replace("</urlset>\n", "⟦⟧"), "the document ends before its root is closed"),
        ]
    ),
    Case(
        "XML002",
        f'⟦<⟧?xml version="1.0" encoding="ISO-8859-1"?>\n{urls("")}',
        'the document is declared as "ISO-8859-1"; a sitemap has to be UTF-8',
        f'<?xml version="1.0" encoding="utf-8"?>\n{urls("")}',
    ),
    Case("XML007", with_loc("https://example.com/⟦\x01⟧"), "the character U+0001 is not allowed", urls("")),
    Case(
        "XML007",
        urls("<!-- ⟦\ufffe⟧ -->"),
        "the character U+FFFE is not allowed",
        urls("<!-- \ufffd\x85 -->"),
    ),
    *(
        Case("XML008", bad, message, urls(""))
        for bad, message in [
            ("⟦<⟧html><body>not found</body></html>", "it is an HTML page"),
            ("\n ⟦<⟧!DOCTYPE html>\n<p>x", "it is an HTML page"),
            ("⟦<⟧rss version='2.0'></rss>", "it is a feed (`<rss>`)"),
            ("⟦<⟧sitemap></sitemap>", "its root is `<sitemap>`"),
            ("⟦h⟧ttps://example.com/", "it begins with text that is not XML"),
            (" \n ⟦⟧", "it is empty"),
        ]
    ),
]

# --- how it is spelled --------------------------------------------------------------------------------------

SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "with CR LF": lambda text: text.replace("\n", "\r\n"),
    # A mark, and letters of UTF-8, show that a document is not what it declares, which is another finding.
    "with a byte order mark": lambda text: text if "ISO-8859-1" in text else "\ufeff" + text,
    "behind tabs": lambda text: text.replace("\n", "\n\t\t\t"),
    "behind wide characters": lambda text: (
        text if "ISO-8859-1" in text else text.replace(">\n", f">\n<!--{'😀' * 150}-->\t", 1)
    ),
    "on one line": lambda text: text.replace(">\n", ">"),
    "after many lines": lambda text: text.replace(">\n", ">" + "\n" * 3_000, 1),
}


@dataclass(frozen=True, slots=True)
class Spelled:
    """A document without its marks, and where they stood."""

    text: str
    line: int
    column: int
    end_column: int

    @classmethod
    def of(cls, marked: str) -> Spelled:
        """Counts as an editor does: lines end at LF, columns count code points, a byte order mark is none."""
        before, _, rest = marked.partition("⟦")
        within, _, after = before.removeprefix("\ufeff").rpartition("\n")[2], None, None
        place, _, after = rest.partition("⟧")
        column = len(within) + 1
        width = max(len(place.split("\n")[0].rstrip("\r")), 1)
        return cls(before + place + after, before.count("\n") + 1, column, column + width)
