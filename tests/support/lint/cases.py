"""A document with a fault for every rule, the same without it, and the ways to spell both.

The place of the finding is marked with ⟦ and ⟧, which are taken out before the document is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.documents import CORE, IMAGE, XHTML

LOC = "<loc>https://example.com/</loc>"


def urls(*content: str) -> str:
    """A urlset with a `<url>` a line, each of which has a good loc of its own. `o` is a namespace of its author."""
    locs = (f"<loc>https://example.com/{number or ''}</loc>" for number in range(len(content)))
    lines = "".join(f"  <url>{loc}{text}</url>\n" for loc, text in zip(locs, content, strict=True))
    return f'<urlset xmlns="{CORE}" xmlns:i="{IMAGE}" xmlns:x="{XHTML}" xmlns:o="urn:o">\n{lines}</urlset>\n'


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
OTHER = "<loc>https://example.com/other</loc>"
LINK = '<x:link rel="alternate" hreflang="de" href="https://example.com/"/>'
INDEX = in_root(f"<sitemap>{LOC}</sitemap>", "sitemapindex")
DECLARED = '<?xml version="1.0" encoding="utf-8"?>\n'
RSS_DATE, ATOM_DATE = "Sat, 31 Jan 2026 08:00:00 GMT", "2026-01-31T08:00:00Z"


def rss(item: str, version: str = "2.0") -> str:
    """A feed with one item."""
    return f'<rss version="{version}">\n<channel>\n{item}\n</channel>\n</rss>\n'


def atom(entry: str) -> str:
    """The same in Atom."""
    return f'<feed xmlns="http://www.w3.org/2005/Atom">\n{entry}\n</feed>\n'


def published(date: str) -> str:
    """A feed whose item has that date."""
    return rss(ITEM.replace("</item>", f"<pubDate>{date}</pubDate></item>"))


def updated(date: str) -> str:
    """The same in Atom."""
    return atom(f"{ENTRY}<updated>{date}</updated></entry>")


ITEM = "<item><link>https://example.com/</link></item>"
ENTRY = '<entry><link href="https://example.com/"/>'

CASES = [
    *(
        Case("ALT001", urls(f"⟦<⟧x:link {attributes}/>"), message, urls(LINK))
        for attributes, message in [
            ('rel="alternate" hreflang="de"', "the alternate's href is missing"),
            ('rel="alternate" href="https://example.com/de"', "the alternate has no hreflang or media"),
            ('hreflang="de" href="https://example.com/"', 'the alternate has no rel="alternate"'),
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
        "the alternate's href is not an absolute http or https URL",
        urls('<x:link rel="alternate" href="android-app://com.example/https/x" media="app"/>'),
    ),
    Case(
        "ALT007",
        urls("<x:link rel='ALTERNATE' hreflang='de' href='⟦ftp://example.com/⟧'/>"),
        "the alternate's href",
        urls('<x:link rel="amphtml" href="https://example.com/amp"/>'),
    ),
    Case("FEED001", rss(ITEM, "0.92").replace("<rss", "⟦<rss⟧"), "a version of RSS that the protocol", rss(ITEM)),
    *(
        Case("FEED002", bad, "an item without a link", good)
        for bad, good in [
            (rss("⟦<⟧item><title>Tea</title></item>"), rss(ITEM)),
            (rss("⟦<⟧item><guid>https://example.com/</guid></item>"), rss(ITEM)),
            (atom("⟦<⟧entry><id>urn:x</id></entry>"), atom(f"{ENTRY}</entry>")),
        ]
    ),
    *(
        Case("FEED003", bad, "is not a date of RFC", good)
        for bad, good in [
            (published(f"⟦{ATOM_DATE}⟧"), published(RSS_DATE)),
            (published("⟦yesterday⟧"), published("31 Jan 2026 09:00 +0100")),
            (updated(f"⟦{RSS_DATE}⟧"), updated(ATOM_DATE)),
        ]
    ),
    *(
        Case("FRQ001", urls(f"<changefreq>⟦{word}⟧</changefreq>"), "is not one of always, hourly", urls(good))
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
    Case("IMG004", urls("<i:image><i:loc>⟦/i.png⟧</i:loc></i:image>"), "is not an absolute http", urls(PICTURE)),
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
            ("LOC004", "https://example.com/a b", "the loc contains U+0020", "  https://example.com/a%20b\n"),
            ("LOC004", "https:///a", "the loc has no host", "https://[2001:db8::1]/a"),
            ("LOC008", "\u00a0https://example.com/", "blanks of another script", "https://example.com/"),
            ("LOC008", "https://example.com/&#8203;", "blanks of another script", " https://example.com/\n"),
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
            ("https://www.example.com/", "https://example.com:443/a"),
            ("http://example.org:8080/", "https://example.com/?https://example.org/"),
        ]
    ),
    *(
        Case(code, urls(f"<lastmod>⟦{bad}⟧</lastmod>"), message, urls(f"<lastmod>{good}</lastmod>"))
        for code, bad, message, good in [
            ("MOD001", "yesterday", 'the date "yesterday" is not YYYY-MM-DD', "2024"),
            ("MOD001", "2024-W05", 'the date "2024-W05" is not YYYY-MM-DD', "2024-02"),
            ("MOD001", "", 'the date "" is not YYYY-MM-DD', " 2024-01-01\n"),
            ("MOD002", "2024-01-01T10:00:00", "the time has no zone", "2024-01-01T10:00:00Z"),
            ("MOD002", "2024-01-01T10:00", "the time has no zone", "2024-01-01T10:00-00:00"),
            ("MOD003", "2024-01-01T10:00:00+0200", "not written as +01:00", "2024-01-01T10:00:00+02:00"),
            ("MOD003", "2024-01-01T10:00:00+02", "not written as +01:00", "2024-01-01T10:00:00+14:00"),
            ("MOD003", "2024-01-01T10:00:00-14:01", "more than 14 hours", "2024-01-01T10:00:00-14:00"),
            (
                "MOD004",
                "2024-01-01 10:00:00Z",
                "is not written as YYYY-MM-DDThh:mm:ss+hh:mm",
                "2024-01-01T10:00:00.123Z",
            ),
            ("MOD004", "2024-1-1", 'the date "2024-1-1" is not written as YYYY-MM-DD', "2024-01-01"),
            ("MOD005", "2024-02-30", "a day or a time that does not exist", "2024-02-29"),
            ("MOD005", "2024-01-01T24:00:00Z", "does not exist", "2024-01-01T23:59:59Z"),
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
        f'<s:urlset\n xmlns:s="{CORE}"><s:url><s:loc>https://example.com/</s:loc></s:url></s:urlset>',
    ),
    Case(
        "NS003",
        "<s:urlset\n\txmlns:s='⟦urn:x⟧'><s:url><s:loc>https://example.com/</s:loc></s:url></s:urlset>",
        'the namespace is "urn:x"',
        urls(""),
    ),
    Case("NS003", f'<urlset xmlns="⟦{CORE}/⟧">{URL}</urlset>', "not the one of the protocol", urls("")),
    Case("NS001", in_root(f'<url xmlns="⟦⟧">{LOC}</url><url xmlns="">{OTHER}</url>'), "no namespace", urls("")),
    *(
        Case("NS004", urls(PICTURE + LINK).replace(right, f"⟦{wrong}⟧"), "namespace", urls(PICTURE + LINK))
        for right, wrong in [
            (IMAGE, IMAGE.replace("http:", "https:")),
            (IMAGE, IMAGE.replace("1.1", "1.0")),
            (XHTML, f"{XHTML}/"),
        ]
    ),
    Case("NS005", urls("<⟦m⟧:mobile/><m:mobile/>"), "the prefix m is not declared", urls('<m:m xmlns:m="urn:m"/>')),
    Case("NS005", urls("<o:a ⟦m⟧:b='1'/>"), "the prefix m is not declared", urls('<o:a xml:lang="de"/>')),
    *(
        Case("XML001", bad, message, urls(""))
        for bad, message in [
            (urls("⟦<⟧/b>"), "`</b>` closes nothing"),
            (urls("<o:a>").replace("</url>", "⟦<⟧/url>"), "`<o:a>` is not closed"),
            (urls("<o:a b='1' ⟦b⟧='2'/>"), "stands twice"),
            (urls("<o:a ⟦b⟧=c/>"), "without quotes"),
            (urls("<o:a>⟦]⟧]></o:a>"), "`]]>` outside a CDATA section"),
            (urls("<!-- a ⟦-⟧- b -->"), "`--` inside a comment"),
            (urls("⟦<⟧1a/>"), "`<` in a text"),
            (urls("") + "⟦x⟧", "content after the end of `<urlset>`"),
            (urls("").replace("</urlset>\n", f"⟦<⟧url>{LOC}"), "the document ends inside what begins here"),
            (urls("").replace("</urlset>\n", "⟦⟧"), "the document ends before its root is closed"),
        ]
    ),
    *(
        Case("XML003", f"{bad}{urls('')}", message, f"{good}{urls('')}")
        for bad, message, good in [
            (f"⟦\n⟧{DECLARED}", "blanks before the XML declaration", DECLARED),
            (f"⟦N⟧otice: x\n{DECLARED}", "text before the document", "\n"),
            ("⟦N⟧otice: x <b>y</b>\n", "text before the document", " <!-- -->\n"),
        ]
    ),
    *(
        Case("XML005", bad, message, urls("<o:a>1 &amp; 2</o:a>"))
        for bad, message in [
            (with_loc("https://example.com/?a=1⟦&⟧b=2"), "a bare `&`"),
            (with_loc("https://example.com/?a=1⟦&⟧copy=2"), "a bare `&`"),
            (urls("<o:a>1 ⟦&⟧ 2</o:a>"), "a bare `&`"),
        ]
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
            ("⟦<⟧sitemap></sitemap>", "its root is `<sitemap>`"),
            ("⟦h⟧ello", "it is text, but neither XML nor a list of URLs nor a robots.txt"),
            ('⟦{⟧"urls": []}', "it is JSON"),
            (" \n ⟦⟧", "it is empty"),
        ]
    ),
    Case("XML009", with_loc("https://example.com/caf⟦&⟧eacute;"), "an entity of HTML", urls("<o:a>&#233;</o:a>")),
    Case("XML009", urls("<o:a>⟦&⟧mine;</o:a>"), "`&mine;` is not an entity of XML", urls("<o:a>&amp;mine;</o:a>")),
    *(
        Case("XML010", in_root(f"<url>{bad}</url>"), message, urls(""))
        for bad, message in [
            ("<loc>⟦<b⟧>https://example.com/</b></loc>", "an element inside"),
            ("⟦https://example.com/⟧", "the URL stands in the entry itself"),
        ]
    ),
    *(
        Case("XML011", bad, message, urls(""))
        for bad, message in [
            (in_root(f"<url>{LOC}⟦<⟧{OTHER[1:]}</url>"), "a second loc in one entry"),
            (urls("<priority>1</priority>⟦<priority⟧>0</priority>"), "that the entry has already"),
            (in_root(f"⟦<URL⟧>{LOC}</URL><URL>{OTHER}</URL>"), "the wrong case"),
        ]
    ),
]

# --- how it is spelled --------------------------------------------------------------------------------------

SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "with CR LF": lambda text: text.replace("\n", "\r\n"),
    "with a byte order mark": lambda text: "\ufeff" + text,
    "behind tabs": lambda text: text.replace("\n", "\n\t\t\t"),
    "behind wide characters": lambda text: text.replace(">\n", f">\n<!--{'😀' * 150}-->\t", 1),
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
        """Count as an editor does: lines end at LF, columns count code points, and a byte order mark has no column."""
        before, _, rest = marked.partition("⟦")
        within, _, after = before.removeprefix("\ufeff").rpartition("\n")[2], None, None
        place, _, after = rest.partition("⟧")
        column = len(within) + 1
        width = max(len(place.split("\n")[0].rstrip("\r")), 1)
        return cls(before + place + after, before.count("\n") + 1, column, column + width)
