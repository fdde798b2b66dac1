"""Look for input whose cost grows faster than its size.

    python benches/linear.py
    python benches/linear.py --draws 2000 --seed 7

Hostile documents are drawn: pieces of their grammar, repeated, where such a document may have them. Each is read,
linted and fixed, or checked as a robots.txt, or taken apart as a page, or served to `discover`, at one size and at
eight times that size. Measured is the processor time of all threads, beyond that for a document with nothing in it; the
least of three counts. A form of which a byte costs more than three times as much in the larger document is printed, and
the exit code is 1.

Steps would be counted more exactly than time. But the faults that this looks for were in a search for one character, in
the standard library, and in a join of two tables: no counter of ours would have seen them, and the processor's own are
hidden in most virtual machines. A quadratic cost is eight times as much for each byte here, far from three.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, islice
from typing import NamedTuple

import urlset
from report import machine, table
from urlset._page.facts import page_facts

SMALL = 16 << 10
FACTOR = 8
#: How much more a byte may cost in the larger document.
MOST = 3.0
#: Seconds below which a difference is noise.
NOISE = 0.0005
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


class Site:
    """A site of which every name has the same answer."""

    def __init__(self) -> None:
        self.body = b""
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Answer with the page at `/`, or with the robots.txt, whichever it is; with nothing else."""
                is_page = site.body[:1] == b"<"
                is_there = self.path == ("/" if is_page else "/robots.txt")
                self.send_response(200 if is_there else 404)
                self.send_header("Content-Type", "text/html" if is_page else "text/plain")
                self.send_header("Content-Length", str(len(site.body) if is_there else 0))
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(site.body if is_there else b"")

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def discover(self, data: bytes) -> None:
        """Discover the sitemaps of a site with this page or robots.txt."""
        self.body = data
        urlset.discover(self.url, http=urlset.Http(per_host=4, retries=0))


PAGES = b"".join(b"https://a.example/%d\n" % number for number in range(20))
RULES = urlset.Rules(preview=True)


def _read(data: bytes) -> None:
    for _ in urlset.parse(data, location=LOCATION):
        pass


def verbs() -> dict[str, Callable[[bytes], object]]:
    """Return what is done with a document, by its name."""
    return {
        "read": _read,
        "lint": lambda data: urlset.lint(data, location=LOCATION, rules=RULES),
        "fix": lambda data: urlset.fix(data, location=LOCATION, unsafe=True),
        "robots": lambda data: urlset.robots(data, sitemaps=PAGES),
        "lint with robots": lambda data: urlset.lint(
            PAGES, location="https://a.example/sitemap.txt", rules=urlset.Rules(robots={"a.example": data})
        ),
        "extraction": lambda data: page_facts(data, LOCATION, (("content-type", "text/html"),)),
        "discover": Site().discover,
    }


def seconds(run: Callable[[bytes], object], data: bytes) -> float:
    """Return how much processor time it takes."""
    begin = time.process_time()
    with suppress(urlset.UrlsetError):
        run(data)
    return time.process_time() - begin


def growth(run: Callable[[bytes], object], form: Form, floor: float) -> float:
    """Return how many times as much a byte costs in the larger document."""
    small = large = float("inf")
    for _ in range(3):
        small = min(small, seconds(run, form.text(SMALL)))
        large = min(large, seconds(run, form.text(SMALL * FACTOR)))
        # What varies from one run to the next is no more than a part of what every run takes.
        found = (large - floor - NOISE) / FACTOR / max(small - floor, NOISE, floor / 5)
        if found <= MOST:
            break
    return found


def check(forms: Iterable[Form]) -> list[tuple[str, Form, float]]:
    """Return what grows too fast: the verb, the form, and by how much."""
    runs = verbs()
    floors = {name: min(seconds(run, b"<x/>\n") for _ in range(5)) for name, run in runs.items()}
    found = []
    for form in forms:
        for name in form.verbs:
            if (times := growth(runs[name], form, floors[name])) > MOST:
                found.append((name, form, times))
                print(
                    f"WRONG {name}: {times:.1f} times: {form.opening!r} {form.repeated!r} {form.closing!r}", flush=True
                )
    return found


def main() -> int:
    """Check the known forms, and draw others."""
    parser = argparse.ArgumentParser(description="Look for input whose cost grows faster than its size.")
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    choose = random.Random(options.seed)
    forms = [*KNOWN, *(drawn(choose) for _ in range(options.draws))]
    found = check(forms)
    print(machine(None))
    rows = [
        [name, str(sum(name in form.verbs for form in forms)), str(sum(name == each[0] for each in found))]
        for name in verbs()
    ]
    print(table(["verb", "forms", "grow too fast"], rows))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
