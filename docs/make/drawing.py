"""Pictures of how parts fit together: boxes of text, and arrows between them."""

from __future__ import annotations

from html import escape

import urlset

PAPER, BOX, INK, PALE, GOOD, BAD = "#14171c", "#232830", "#e6e8eb", "#a0a6ae", "#7ee2a8", "#ff8a80"


class Drawing:
    """A picture that is made of boxes and arrows.

    Args:
        width: How wide it is.
        height: How high it is.
        title: What it shows, for those who do not see it.
    """

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            f' role="img" font-family="system-ui, sans-serif" font-size="14" fill="{INK}">',
            f"<title>{escape(title)}</title>",
            f'<marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            f'<path d="M0 0 8 4 0 8z" fill="{PALE}"/></marker>',
            f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
        ]

    def box(self, x: int, y: int, width: int, *lines: str, colour: str = INK) -> None:
        """Draw a box with lines of text: the first is its name, the others say more."""
        height = 14 + 19 * len(lines)
        self._parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{BOX}"/>')
        for number, line in enumerate(lines):
            fill = PALE if number else colour
            weight = "" if number else ' font-weight="600"'
            place = f'x="{x + 12}" y="{y + 22 + 19 * number}"'
            self._parts.append(f'<text {place} fill="{fill}"{weight}>{escape(line, quote=False)}</text>')

    def arrow(self, x: int, y: int, to_x: int, to_y: int) -> None:
        """Draw an arrow."""
        middle = (x + to_x) // 2
        path = f"M{x} {y} C{middle} {y} {middle} {to_y} {to_x} {to_y}"
        self._parts.append(f'<path d="{path}" fill="none" stroke="{PALE}" stroke-width="1.5" marker-end="url(#end)"/>')

    def bar(self, y: int, name: str, share: float, *, colour: str = PALE) -> None:
        """Draw a bar for a share of 1, with its name before it and its percentage behind it."""
        width = round(440 * share)
        text = f'y="{y + 16}" fill="{INK}"'
        self._parts.append(f'<text x="250" {text} text-anchor="end">{escape(name, quote=False)}</text>')
        self._parts.append(f'<rect x="262" y="{y}" width="{width}" height="22" rx="4" fill="{colour}"/>')
        self._parts.append(f'<text x="{270 + width}" {text}>{share:.1%}</text>')

    def finish(self) -> str:
        """Return the picture as SVG."""
        return "\n".join([*self._parts, "</svg>\n"])


def static_picture() -> str:
    """Draw which files of a build are listed, and with which date."""
    drawing = Drawing(760, 352, "Files of a build, those of them that are listed, and where each date is from")
    files = [
        ("index.html", "content has changed since the last publish", "/", "lastmod: when that was seen"),
        ("tea.html", "front matter of content/tea.md: 2026-11-02", "/tea.html", "lastmod: 2026-11-02"),
        ("about.html", "git: last commit of content/about.md", "/about.html", "lastmod: the date of the commit"),
    ]
    left_out = [("basket.html", "noindex"), ("old.html", "redirects to tea.html")]
    for number, (file, why, loc, lastmod) in enumerate(files):
        y = 20 + 66 * number
        drawing.box(20, y, 330, file, why)
        drawing.arrow(352, y + 26, 436, y + 26)
        drawing.box(440, y, 300, loc, lastmod, colour=GOOD)
    for number, (file, why) in enumerate(left_out):
        y = 218 + 66 * number
        drawing.box(20, y, 330, file, why)
        drawing.arrow(352, y + 26, 436, y + 26)
        drawing.box(440, y, 300, "left out", "counted, and named by --rejects", colour=BAD)
    return drawing.finish()


def parts_picture() -> str:
    """Draw how a set is published by many machines."""
    drawing = Drawing(760, 300, "Rows in parts, one task for each, and one commit that publishes all of them")
    drawing.box(20, 110, 150, "Rows", "a table of Spark,", "or any parts")
    for number in range(3):
        y = 20 + 92 * number
        drawing.arrow(172, 145, 236, y + 36)
        drawing.box(240, y, 220, f"Task {number + 1}", "renders, checks, writes", "documents of its own")
        drawing.arrow(462, y + 36, 506, 145)
    drawing.box(
        530,
        100,
        210,
        "Commit, on one machine",
        "facts of all tasks, guards,",
        "the index last, in one step",
        colour=GOOD,
    )
    return drawing.finish()


def choose_picture() -> str:
    """Draw how a filter chooses sitemaps, and then entries."""
    drawing = Drawing(760, 286, "A filter chooses sitemaps before they are fetched, then entries")
    drawing.box(20, 99, 150, "sitemap.xml", "the index")
    sitemaps = [
        ("sitemap-blog-2026.xml", "fetched", GOOD),
        ("sitemap-blog-2019.xml", "not modified since: not fetched", BAD),
        ("sitemap-images.xml", "excluded: not fetched", BAD),
    ]
    for number, (name, fate, colour) in enumerate(sitemaps):
        y = 20 + 79 * number
        drawing.arrow(172, 125, 206, y + 26)
        drawing.box(210, y, 250, name, fate, colour=colour)
    entries = [("/blog/tea", "a row", GOOD), ("/sale/tea", "excluded, and counted", BAD)]
    for number, (loc, fate, colour) in enumerate(entries):
        y = 20 + 79 * number
        drawing.arrow(462, 46, 506, y + 26)
        drawing.box(510, y, 230, loc, fate, colour=colour)
    drawing.box(510, 178, 230, "skipped", "how many, by the field of the", "filter that left them out")
    return drawing.finish()


def scrapy_picture() -> str:
    """Draw who does what when a spider starts from sitemaps."""
    drawing = Drawing(760, 182, "Scrapy fetches the sitemaps, urlset reads them, and each response has what they say")
    steps = [
        ("Scrapy fetches", "robots.txt, the sitemaps,", "by its own settings"),
        ("urlset reads", "recovers, detects the kind,", "follows what you chose"),
        ("Your callback", "a response, whose meta has", "sitemap_entry, sitemap_url"),
    ]
    for number, step in enumerate(steps):
        drawing.box(20 + 250 * number, 20, 220, *step, colour=GOOD if number == 1 else INK)
        if number:
            drawing.arrow(250 * number - 8, 55, 250 * number + 16, 55)
    drawing.box(270, 118, 220, "Statistics under urlset/", "documents, entries, failures")
    return drawing.finish()


def serve_picture() -> str:
    """Draw which answer each file of a set gets."""
    drawing = Drawing(760, 286, "What a server answers for each file of a set")
    files = [
        ("sitemap.xml, robots.txt", "change with each publish", "Cache-Control: no-cache", "asked for each time", GOOD),
        (
            "sitemap-0001-5f0c….xml.gz",
            "the name has a hash",
            "immutable, kept for a year",
            "never asked for again",
            GOOD,
        ),
        ("sitemap-0001-91be….xml", "of the previous set", "still there", "until the publish after the next", GOOD),
        (".urlset/", "what the next publish needs", "404", "not for visitors", BAD),
    ]
    for number, (name, why, answer, effect, colour) in enumerate(files):
        y = 14 + 66 * number
        drawing.box(20, y, 330, name, why)
        drawing.arrow(352, y + 26, 436, y + 26)
        drawing.box(440, y, 300, answer, effect, colour=colour)
    return drawing.finish()


def simulate_picture() -> str:
    """Draw how fresh the copies of a crawler are under each policy, if half of all lastmods say nothing."""
    pages = urlset.drawn_pages(1_000, recall=0.9, precision=0.95, stamped=0.5)
    found = urlset.simulate(pages, budget=200)
    title = "Freshness of 1,000 pages with 200 fetches a day; half of the lastmods move every day and say nothing"
    drawing = Drawing(760, 34 + 32 * len(found), title)
    names = {
        "signals": ("signals: lastmods that were right", GOOD),
        "moved": ("moved: every lastmod", BAD),
    }
    for number, each in enumerate(found):
        name, colour = names.get(each.policy, (f"{each.policy}: no lastmods", PALE))
        drawing.bar(22 + 32 * number, name, each.freshness or 0.0, colour=colour)
    return drawing.finish()
