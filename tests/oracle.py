"""What a right reader gets out of a well-formed sitemap, by lxml and plain Python.

An independent second opinion: nothing here shares code with the package, and libxml2 does the XML.
`rows` says what `urlset` must yield for the same bytes, and only that; speed does not matter.

Semantics, so that a difference can be argued about:

* A field is the element's own text: CDATA included, comments, processing instructions and child elements left
  out, the pieces on both sides of them joined. Then XML whitespace (space, tab, CR, LF) is stripped at both
  ends, and what is empty is None. Attribute values are treated the same way.
* The first element of a name decides; a later one changes nothing, even when the first was empty or invalid.
  Its attributes count with it. An empty `video:tag` is none.
* The core namespace is the root's own, right or wrong. A core element counts only in it and only as a child of
  the right parent; `url` and `sitemap` are entries in either kind of document. Everything else (other
  namespaces, unknown core names) is skipped whole.
* A value that its grammar refuses is None; `lastmod_raw` keeps the text all the same.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from lxml import etree

IMAGE = "{http://www.google.com/schemas/sitemap-image/1.1}"
VIDEO = "{http://www.google.com/schemas/sitemap-video/1.1}"
NEWS = "{http://www.google.com/schemas/sitemap-news/0.9}"
XHTML = "{http://www.w3.org/1999/xhtml}"

XML_SPACE = " \t\r\n"
CHANGEFREQS = frozenset({"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"})
IMAGE_FIELDS = ("loc", "title", "caption", "geo_location", "license")
VIDEO_SINGLE = {
    **dict.fromkeys(("thumbnail_loc", "title", "description", "content_loc", "duration", "expiration_date"), ()),
    **dict.fromkeys(("rating", "view_count", "publication_date", "category", "family_friendly", "live"), ()),
    "requires_subscription": (),
    "player_loc": ("allow_embed", "autoplay"),
    "restriction": ("relationship",),
    "gallery_loc": ("title",),
    "uploader": ("info",),
    "platform": ("relationship",),
}
TVSHOW_FIELDS = ("show_title", "video_type", "episode_title", "season_number", "episode_number", "premier_date")
NEWS_FIELDS = ("access", "genres", "publication_date", "title", "keywords", "stock_tickers")

# Python's own \d and \s take far more than ASCII; both grammars below are ASCII only.
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_W3C = re.compile(
    r"(?P<year>[0-9]{4})"
    r"(?:-(?P<month>[0-9]{2})"
    r"(?:-(?P<day>[0-9]{2})"
    r"(?:T(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?)?"
    r"(?:Z|(?P<sign>[+-])(?P<off_hour>[0-9]{2}):(?P<off_minute>[0-9]{2})))?)?)?"
)

Row = dict[str, Any]


def rows(data: bytes) -> list[Row]:
    """The entries of a well-formed urlset or sitemapindex, in document order.

    A `url` gives a dict of loc, lastmod (aware UTC datetime), lastmod_raw, changefreq, priority (float),
    images, videos and alternates (lists of dicts) and news (a dict or None); a `sitemap` gives loc, lastmod and
    lastmod_raw.

    Raises `lxml.etree.XMLSyntaxError` when libxml2 finds the bytes not well-formed, ValueError when the root
    is no urlset or sitemapindex.
    """
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, huge_tree=True
    )
    root = etree.fromstring(data, parser)
    name = etree.QName(root)
    if name.localname not in ("urlset", "sitemapindex"):
        raise ValueError(f"not the root of a sitemap: {root.tag}")
    core = f"{{{name.namespace}}}" if name.namespace else ""
    entries = root.iterchildren(f"{core}url", f"{core}sitemap")
    return [_url(entry, core) if entry.tag == f"{core}url" else _sitemap(entry, core) for entry in entries]


def parse_lastmod(text: str) -> datetime | None:
    """The instant a W3C profile date names, in UTC; None when it names none between the years 1 and 9999.

    Source: W3C NOTE-datetime. A missing month or day is the first, a missing time is midnight UTC, digits
    beyond the microsecond are cut off, not rounded.
    """
    found = _W3C.fullmatch(text)
    if found is None:
        return None
    part = found.groupdict()
    off_hour, off_minute = int(part["off_hour"] or 0), int(part["off_minute"] or 0)
    if off_hour > 23 or off_minute > 59:
        return None
    offset = timedelta(hours=off_hour, minutes=off_minute)
    try:
        local = datetime(
            int(part["year"]),
            int(part["month"] or 1),
            int(part["day"] or 1),
            int(part["hour"] or 0),
            int(part["minute"] or 0),
            int(part["second"] or 0),
            int((part["fraction"] or "")[:6].ljust(6, "0")),
            tzinfo=UTC,
        )
        # East of Greenwich the same clock reading is earlier in UTC.
        return local + offset if part["sign"] == "-" else local - offset
    except (ValueError, OverflowError):
        return None


def parse_priority(text: str) -> float | None:
    """A plain decimal from 0.0 to 1.0 (no exponent, no comma, no NaN); None for anything else."""
    if _DECIMAL.fullmatch(text) is None:
        return None
    value = float(text)
    return value if 0.0 <= value <= 1.0 else None


def _url(element: etree._Element, core: str) -> Row:
    fields = _first_texts(element, core, ("loc", "lastmod", "changefreq", "priority"))
    lastmod, changefreq, priority = fields["lastmod"], fields["changefreq"], fields["priority"]
    return {
        "loc": fields["loc"],
        "lastmod": None if lastmod is None else parse_lastmod(lastmod),
        "lastmod_raw": lastmod,
        "changefreq": changefreq if changefreq in CHANGEFREQS else None,
        "priority": None if priority is None else parse_priority(priority),
        "images": [_first_texts(image, IMAGE, IMAGE_FIELDS) for image in element.iterchildren(f"{IMAGE}image")],
        "alternates": [
            {name: _clean(link.get(name)) for name in ("hreflang", "href", "media", "rel")}
            for link in element.iterchildren(f"{XHTML}link")
        ],
        "videos": [_video(video) for video in element.iterchildren(f"{VIDEO}video")],
        "news": next((_news(news) for news in element.iterchildren(f"{NEWS}news")), None),
    }


def _video(element: etree._Element) -> Row:
    row: Row = {}
    for name, attributes in VIDEO_SINGLE.items():
        first = next(element.iterchildren(VIDEO + name), None)
        row[name] = None if first is None else _clean(_own_text(first))
        for attribute in attributes:
            row[f"{name}_{attribute}"] = None if first is None else _clean(first.get(attribute))
    tags = [_clean(_own_text(tag)) for tag in element.iterchildren(f"{VIDEO}tag")]
    show = next(element.iterchildren(f"{VIDEO}tvshow"), None)
    return row | {
        "content_segments": _items(element, "content_segment_loc", "loc", "duration"),
        "tags": [tag for tag in tags if tag is not None],
        "prices": _items(element, "price", "price", "currency", "type", "resolution"),
        "tvshow": None if show is None else _first_texts(show, VIDEO, TVSHOW_FIELDS),
        "ids": _items(element, "id", "id", "type"),
    }


def _items(video: etree._Element, element: str, text: str, *attributes: str) -> list[Row]:
    return [
        {text: _clean(_own_text(item))} | {name: _clean(item.get(name)) for name in attributes}
        for item in video.iterchildren(VIDEO + element)
    ]


def _news(element: etree._Element) -> Row:
    publication = next(element.iterchildren(f"{NEWS}publication"), None)
    names = {} if publication is None else _first_texts(publication, NEWS, ("name", "language"))
    of_publication = {f"publication_{name}": names.get(name) for name in ("name", "language")}
    return of_publication | _first_texts(element, NEWS, NEWS_FIELDS)


def _sitemap(element: etree._Element, core: str) -> Row:
    fields = _first_texts(element, core, ("loc", "lastmod"))
    lastmod = fields["lastmod"]
    return {
        "loc": fields["loc"],
        "lastmod": None if lastmod is None else parse_lastmod(lastmod),
        "lastmod_raw": lastmod,
    }


def _first_texts(parent: etree._Element, namespace: str, names: tuple[str, ...]) -> dict[str, str | None]:
    firsts = {name: next(parent.iterchildren(namespace + name), None) for name in names}
    return {name: None if field is None else _clean(_own_text(field)) for name, field in firsts.items()}


def _own_text(element: etree._Element) -> str:
    # What follows a comment, a PI or a child element is that node's tail in lxml.
    return (element.text or "") + "".join(node.tail or "" for node in element)


def _clean(text: str | None) -> str | None:
    return (text or "").strip(XML_SPACE) or None
