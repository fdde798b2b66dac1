"""A report made by hand, with everything that a format has to cope with."""

from __future__ import annotations

from dataclasses import replace

from urlset import Diagnostic, Edit, FetchError, Fix, MalformedError, Report, Severity

DOCUMENT = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url>
    <loc>/about</loc>
    <lastmod>2026-01-31T08:00:00</lastmod>
    <priority>1.5</priority>
  </url>
</urlset>
"""
"""What `public/sitemap.xml` of the report holds."""

MENDED = DOCUMENT.replace("/about", "https://example.com/about")

HOSTILE = "a\r\n::error file=x::b %0A ]]> <&\"'> {0} [c](1) \\ \x1b[31m \x9b1m \u202e \u2028 \x7f\0 ##[error]d"
"""What a document could say to a terminal, a runner, an XML parser or a viewer of SARIF."""

_LINES = DOCUMENT.splitlines()


def _at(line: int, text: str) -> tuple[int, int, int, str, int]:
    """Line, column, end column, source and its column of `text` in the document."""
    column = _LINES[line - 1].index(text) + 1
    return line, column, column + len(text), _LINES[line - 1], column


def _edit(old: str, new: str) -> Edit:
    start = DOCUMENT.encode().index(old.encode())
    return Edit(start, start + len(old.encode()), new)


_after_time = DOCUMENT.index("08:00:00") + len("08:00:00")

DIAGNOSTICS = (
    Diagnostic(
        "LOC002",
        "error",
        "loc is not an absolute URL",
        "public/sitemap.xml",
        *_at(3, "/about"),
        help="write the whole URL, scheme and host included",
        fix=Fix("safe", (_edit("/about", "https://example.com/about"),)),
    ),
    Diagnostic(
        "MOD002",
        "error",
        "lastmod has a time and no time zone",
        "public/sitemap.xml",
        *_at(4, "2026-01-31T08:00:00"),
        help="write the offset",
        fix=Fix("display", (Edit(_after_time, _after_time, "Z"),)),
        more=2999,
    ),
    Diagnostic(
        "PRI002",
        "error",
        "priority 1.5 is not between 0.0 and 1.0",
        "public/sitemap.xml",
        *_at(5, "1.5"),
        fix=Fix("unsafe", (_edit("1.5", "1.0"),)),
    ),
    # No line to show, and a whole document to write anew.
    Diagnostic(
        "XML002",
        "error",
        "the document is UTF-16, and sitemaps are UTF-8",
        "public/sitemap-2.xml.gz",
        *(1, 1, 2, "", 1),
        help="save it as UTF-8",
        fix=Fix(
            "safe", (Edit(0, 5, ""), Edit(9, 9, "x"), Edit(10, 20, DOCUMENT), Edit(30, 31, "y"), Edit(32, 33, "z"))
        ),
    ),
    # Of a line that is cut at both ends, in characters of two cells.
    Diagnostic(
        "FEED003",
        "warning",
        "the date 昨日 is not in the form of RFC 822",
        "漢字/feed 1.xml",
        *(7, 1031, 1033, "<item>\t<title>日本語😀</title><pubDate>昨日</pubDate>", 35),
    ),
    Diagnostic("LOC003", "error", HOSTILE, f"bad/{HOSTILE}", 2, 3, 4, HOSTILE, 3, help=HOSTILE),
    # The same twice, but for its place, in a document without a name.
    Diagnostic("TXT003", "info", "a blank line in the list", None, 3, 1, 2, "\n", 1, help="remove it"),
    Diagnostic("TXT003", "info", "a blank line in the list", None, 9, 1, 2, "\n", 1, help="remove it", more=1),
)

SEVERITIES: dict[str, Severity] = {
    "FEED003": "warning",
    "LOC002": "error",
    "LOC003": "error",
    "MOD002": "error",
    "PRI002": "error",
    "TXT003": "info",
    "XML002": "error",
}

REPORT = Report(
    DIAGNOSTICS,
    {"FEED003": 1, "LOC002": 1, "LOC003": 1, "MOD002": 3000, "PRI002": 1, "TXT003": 3, "XML002": 1},
    (
        *("public/sitemap.xml", "public/sitemap-2.xml.gz", "漢字/feed 1.xml", f"bad/{HOSTILE}"),
        *("<bytes>", "public/good.xml"),
    ),
    12_345,
    SEVERITIES,
)

CLEAN = Report((), {}, ("public/sitemap.xml", "public/good.xml"), 7, SEVERITIES)

FAILED = replace(
    REPORT,
    diagnostics=DIAGNOSTICS[:1],
    counts={"LOC002": 1},
    documents=("public/sitemap.xml",),
    failures=(
        FetchError("public/sitemap.xml:3: the child https://example.com/a.xml was not found in the same folder"),
        MalformedError("the document ends too early", location="public/b.xml", line=7, column=3),
        MalformedError(HOSTILE, location=f"bad/{HOSTILE}"),
        FetchError(HOSTILE),
    ),
)
"""With documents that could not be checked."""
