"""Hostile documents for `linear.py`: pieces of grammars, drawn, and those that were quadratic once."""

from __future__ import annotations

import random
from itertools import count, islice
from typing import NamedTuple

LOCATION = "https://a.example/dir/sitemap.xml"
NAMESPACES = "".join(
    f' xmlns{prefix}="{uri}"'
    for prefix, uri in (
        ("", "http://www.sitemaps.org/schemas/sitemap/0.9"),
        (":image", "http://www.google.com/schemas/sitemap-image/1.1"),
        (":video", "http://www.google.com/schemas/sitemap-video/1.1"),
        (":news", "http://www.google.com/schemas/sitemap-news/0.9"),
        (":xhtml", "http://www.w3.org/1999/xhtml"),
    )
)


class Once(str):
    """A piece that is not repeated."""


class Form(NamedTuple):
    """A document: what it begins with, what is repeated to fill it, in equal shares, and what it ends with."""

    verbs: tuple[str, ...]
    opening: str
    repeated: tuple[str, ...]
    closing: str

    def text(self, size: int) -> bytes:
        """Return it in about so many characters. Each `{n}` is another number."""
        parts = [self.opening]
        shares = sum(not isinstance(piece, Once) for piece in self.repeated)
        for piece in self.repeated:
            times = 1 if isinstance(piece, Once) else max(1, size // shares // len(piece.encode()))
            numbers = (piece.replace("{n}", str(number)) for number in islice(count(), times))
            parts.append("".join(numbers) if "{n}" in piece else piece * times)
        return "".join([*parts, self.closing]).encode()


DOCUMENT = ("read", "lint", "fix")
ROBOTS = ("robots", "lint with robots", "discover")
PAGE = ("extraction", "discover")

#: What a document can begin and end with, where the repeated pieces stand in it.
XML = [
    (f"<urlset{NAMESPACES}>", "</urlset>"),
    (f"<urlset{NAMESPACES}>", ""),
    (f"<urlset{NAMESPACES}><url><loc>", "</loc></url></urlset>"),
    (f"<urlset{NAMESPACES}><url><loc>https://a.example/", "</loc></url></urlset>"),
    (f"<urlset{NAMESPACES}><url><lastmod>", "</lastmod></url></urlset>"),
    (f"<urlset{NAMESPACES}><url a='", "'/></urlset>"),
    (f"<urlset{NAMESPACES}><url>", "</url></urlset>"),
    (f"<urlset{NAMESPACES}><url><loc>https://a.example/</loc>", "</url></urlset>"),
    (f"<urlset{NAMESPACES} a='", "'><url><loc>/a</loc></url></urlset>"),
    (f"<urlset{NAMESPACES} ", "><url><loc>/a</loc></url></urlset>"),
    (f"<sitemapindex{NAMESPACES}>", "</sitemapindex>"),
    ("<rss version='2.0'><channel>", "</channel></rss>"),
    ("<rss version='2.0'><channel><item><link>", "</link></item></channel></rss>"),
    ("<feed xmlns='http://www.w3.org/2005/Atom'>", "</feed>"),
    ("<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='", "'/></entry></feed>"),
    ("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='", "'/>"),
    ("", f"<urlset{NAMESPACES}><url><loc>/a</loc></url></urlset>"),
    ("<!DOCTYPE urlset [", f"]><urlset{NAMESPACES}/>"),
    ("<!--", f"--><urlset{NAMESPACES}/>"),
    ("<?x ", f"?><urlset{NAMESPACES}/>"),
    ("", ""),
]
XML_PIECES = [
    *("<url>", "</url>", "<loc>", "</loc>", "<loc>https://a.example/{n}</loc>", "<url><loc>/{n}</loc></url>"),
    *("<url><loc>https://a.example/{n}</loc></url>", "<sitemap><loc>/{n}</loc></sitemap>", "<urlset>", "</urlset>"),
    *(
        "<url",
        "<",
        ">",
        "/>",
        "&",
        "&amp;",
        "&amp;amp;",
        "&a.b;",
        "&eacute;",
        "&#",
        "&#1;",
        ";",
        "'",
        '"',
        "=",
        " a{n}='b'",
    ),
    *(
        " xmlns:p{n}='u'",
        "<p{n}:a>",
        "<a ",
        "<a>",
        "</a>",
        "<a b='",
        "<!--",
        "-->",
        "--",
        "->",
        "<![CDATA[",
        "]]>",
        "]]",
    ),
    *(
        "<?",
        "?>",
        "<!DOCTYPE a>",
        "<!ENTITY e{n} 'x'>",
        "[",
        "]",
        " ",
        "\n",
        "\r",
        "\t",
        "a",
        "é",
        "\0",
        "\ufffe",
        "%",
        "#",
    ),
    *(
        "https://a.example/",
        "http:",
        "/",
        "../",
        "//",
        ":",
        "@",
        "{n}",
        "<lastmod>2026</lastmod>",
        "<lastmod>x</lastmod>",
    ),
    *("<priority>2</priority>", "<changefreq>x</changefreq>", "<image:image><image:loc>/{n}</image:loc></image:image>"),
    *("<xhtml:link rel='alternate' hreflang='de' href='/{n}'/>", "<video:video>", "<video:tag>a{n}</video:tag>"),
    *("<news:news>", "<item><link>/{n}</link></item>", "<item><guid>{n}</guid></item>", "<channel>", "</channel>"),
    *("<entry><link href='/{n}'/></entry>", "<entry xml:base='a/'>", "<link href='/{n}'/>", "<media:group>"),
]
TEXT = [("https://a.example/", ""), ("", ""), ("https://a.example/\n", "\n"), ("\ufeff", "")]
TEXT_PIECES = [
    *("https://a.example/{n}\n", "/{n}\n", "a.example/{n}\n", "https://a.example/ x\n", "&", "&amp;", " ", "\n", "\r"),
    *(
        "\t",
        "#",
        "# x\n",
        "a",
        "é",
        "%",
        "?a=b&",
        "http://",
        "<",
        "<urlset>",
        "Sitemap: ",
        "User-agent: *\n",
        "../",
        "\0",
    ),
]
ROBOTS_OPENINGS = ["", "User-agent: *\n", "User-agent: *\nDisallow: /", "Sitemap: https://a.example/"]
ROBOTS_PIECES = [
    *("User-agent: a{n}\n", "User-agent: *\n", "Disallow: /{n}\n", "Disallow: /*{n}\n", "Disallow: /\n", "Allow: /p\n"),
    *("User-agent: b{n}\nDisallow: /{n}\n", "User-agent: b{n}\nDisallow: /\n", "Sitemap: /{n}\n", "Crawl-delay: 1\n"),
    *(
        "Content-Signal: ai-train=no, ",
        "a=b,",
        "*",
        "*a",
        "$",
        "%",
        "%2F",
        "/",
        "a",
        "#",
        "\n",
        "\r",
        " ",
        ":",
        "?",
        "\0",
        "é",
    ),
]
HTML = [
    ("<!doctype html>", ""),
    ("<title>", "</title>"),
    ("<body><p>", "</p>"),
    ("<a href='", "'>x</a>"),
    ("<a href=/x ", ">x</a>"),
    ("<script>", "</script>"),
    ("<script type=application/ld+json>", "</script>"),
    ('<script type=application/ld+json>{"@type":"Article","a":', "}</script>"),
    ("<meta http-equiv=refresh content='0;url=", "'>"),
    ("<link rel=canonical href='", "'>"),
    ("<meta name=robots content='", "'>"),
    ("<!--", "-->"),
]
HTML_PIECES = [
    *(
        "<a href=/{n}>x</a>",
        "<a href=//{n}/>",
        "<a ",
        "<a>",
        "</a>",
        "<div>",
        "</div>",
        "<p>",
        "</p>",
        "<b>",
        "<i>",
        "</b>",
    ),
    *(
        "<b><p>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<select>",
        "<option>",
        "<svg>",
        "<math>",
        "<template>",
        "<form>",
    ),
    *("<script>", "</script>", "<style>", "<!--", "-->", "<![CDATA[", "<main>", "<nav>", "<article>", "<h1>x</h1>"),
    *(
        "<base href=/{n}/>",
        "<link rel=alternate hreflang=de href=/{n}>",
        "<img src=/{n}.png srcset='/a 1x, '>",
        "&",
        "&amp",
    ),
    *(
        "&amp;",
        "&#1;",
        "<",
        ">",
        "'",
        '"',
        "=",
        " a{n}=b",
        " ",
        "\n",
        "x",
        "x ",
        "é",
        "\0",
        "/",
        "../",
        "%",
        "[",
        "]",
        "{",
        "}",
    ),
    *(
        '{"@type":"Article"},',
        '"a":',
        ",",
        "1",
        '"datePublished":"2026-01-01",',
        "2026-01-01 ",
        "<time datetime=2026-01-01>",
    ),
    *("<meta name=robots content='noindex'>", "<meta name=a{n} content=b>", "noindex, ", "0;url=", ";"),
]

#: What was quadratic once, or would be if it were done in the obvious way.
KNOWN = [
    Form(DOCUMENT, f"<urlset{NAMESPACES}><url><loc>", ("&amp;",), "</loc></url></urlset>"),
    Form(DOCUMENT, f"<urlset{NAMESPACES}><url><loc>a", ("&",), "</loc></url></urlset>"),
    Form(DOCUMENT, "<rss><channel><item><link>", ("&amp;",), "</link></item></channel></rss>"),
    Form(DOCUMENT, "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='", ("&amp;a",), "'/></entry></feed>"),
    Form(DOCUMENT, f"<urlset{NAMESPACES}><url>", (" a{n}='b'", "<loc>/{n}</loc>"), "</url></urlset>"),
    Form(
        DOCUMENT, f"<urlset{NAMESPACES}><url a='", ("a", Once("'><loc>b</loc>"), "<loc>/{n}</loc>"), "</url></urlset>"
    ),
    Form(DOCUMENT, f"<urlset{NAMESPACES}><url>https://a.example/", ("a", "<a/>"), "</url></urlset>"),
    Form(DOCUMENT, f"<urlset{NAMESPACES}>", ("<loc>/{n}</loc>",), "</urlset>"),
    Form(DOCUMENT, f"<urlset{NAMESPACES}><url><loc>", (" ", "<b></b>"), "</loc></url></urlset>"),
    Form(DOCUMENT, f"<urlset{NAMESPACES}><url>", (" ", "<url>"), "<loc>/a</loc></url></urlset>"),
    Form(DOCUMENT, f"<urlset{NAMESPACES}><url><loc>", ("<![CDATA[]]>", "<b></b>"), "</loc></url></urlset>"),
    Form(
        DOCUMENT,
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://a.example/",
        ("a", Once("/'>"), "<entry><link href='{n}'/></entry>"),
        "</feed>",
    ),
    Form(("robots", "lint with robots"), "", ("User-agent: a{n}\n", "Disallow: /{n}\n"), ""),
    Form(("robots", "lint with robots"), "", ("User-agent: a{n}\nDisallow: /{n}\n",), "Sitemap: /sitemap.xml\n"),
    Form(("robots", "lint with robots"), "User-agent: *\nDisallow: /", ("*a",), "b\n"),
    Form(ROBOTS, "", ("User-agent: *\nDisallow: /\n",), ""),
    Form(DOCUMENT, f"<urlset{NAMESPACES}><url a='", ("\n",), "'/></urlset>"),
    Form(
        DOCUMENT, "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='", ("&amp;", "\t"), "'/></entry></feed>"
    ),
    # Of each: so many origins, normal forms, shapes and lines.
    Form(DOCUMENT, f"<urlset{NAMESPACES}>", ("<url><loc>https://h{n}.example/</loc></url>",), "</urlset>"),
    Form(
        DOCUMENT,
        f"<urlset{NAMESPACES}>",
        ("<url><loc>https://a.example/{n}</loc></url><url><loc>https://b.example/{n}é%C3</loc></url>",),
        "</urlset>",
    ),
    Form(
        DOCUMENT,
        "<feed xmlns='http://www.w3.org/2005/Atom'>",
        (
            '<entry><a><b>{n}</b></a><link href="/{n}"/><id>{n}&amp;</id></entry>',
            "<entry><c{n}><d>a</d></c{n}></entry>",
        ),
        "</feed>",
    ),
    Form(
        DOCUMENT,
        "<rss><channel>",
        ("<item><link>/{n}</link></item>", "<item><t>&amp;</t><u>&</u></item>"),
        "</channel></rss>",
    ),
    Form(DOCUMENT, "https://a.example/\n", ("https://h{n}.example/é\n", "https://a.example/ {n}\n"), ""),
    Form(DOCUMENT, "https://a.example/\n", ("https://a.example/{n}",), "\n"),
    Form(
        DOCUMENT,
        f"<urlset{NAMESPACES}>",
        ("<url><loc>/{n}</loc><lastmod>a</x></url>", "<url><loc>/&{n}</loc></url>"),
        "</urlset>",
    ),
]


def drawn(choose: random.Random) -> Form:
    """Draw a form."""
    kind = choose.choice(["xml", "xml", "xml", "text", "robots", "html"])
    pieces = {"xml": XML_PIECES, "text": TEXT_PIECES, "robots": ROBOTS_PIECES, "html": HTML_PIECES}[kind]
    repeated = tuple(
        "".join(choose.choices(pieces, k=choose.choice([1, 1, 2, 3]))) for _ in range(choose.choice([1, 1, 2]))
    )
    if kind == "robots":
        return Form(ROBOTS, choose.choice(ROBOTS_OPENINGS), repeated, "\n")
    opening, closing = choose.choice({"xml": XML, "text": TEXT, "html": HTML}[kind])
    return Form(PAGE if kind == "html" else DOCUMENT, opening, repeated, closing)
