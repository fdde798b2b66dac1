"""What a right reader gets out of a well-formed sitemap, by lxml and plain Python.

An independent second opinion: nothing here shares code with the package, and libxml2 does the XML.
`rows` says what `urlset` must yield for the same bytes, and only that; speed does not matter.

Semantics, so that a difference can be argued about:

* A field is the element's own text: CDATA included, comments, processing instructions and child elements left
  out, the pieces on both sides of them joined. Then XML whitespace (space, tab, CR, LF) is stripped at both
  ends, and what is empty is None. Attribute values are treated the same way.
* A core field without a text of its own has that of the elements in it, else the first `href` of an `a` among them
  that is an http or https URL. A
  loc loses the blanks of other scripts, too.
* The first element of a name decides; a later one changes nothing, even when the first was empty or invalid.
  Its attributes count with it. An empty `video:tag` does not count.
* The core namespace is the root's own, right or wrong, no namespace at all, and one that is nearly the right one.
  A core element counts only in it and only as a child of the right parent; `url` and `sitemap` are entries in
  either kind of document. Namespaces of extensions may be nearly right as well, and names may be written in
  letters of the wrong case. Everything else (other namespaces, unknown core names) is skipped whole.
* A second loc begins another entry, and so does one straight in the root. An entry without a loc has the URL that
  stands in it as text.
* A value that its grammar refuses is None; `lastmod_raw` keeps the text all the same.

`is_tangled` tells the documents that are well-formed and still cannot be what anybody meant: entries or roots inside
entries, fields inside fields. What those are is not said here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from lxml import etree

IMAGE = "{http://www.google.com/schemas/sitemap-image/1.1}"
VIDEO = "{http://www.google.com/schemas/sitemap-video/1.1}"
NEWS = "{http://www.google.com/schemas/sitemap-news/0.9}"
XHTML = "{http://www.w3.org/1999/xhtml}"

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
FIELDS = ("loc", "lastmod", "changefreq", "priority")
ROOTS = ("urlset", "sitemapindex")
ENTRIES = ("url", "sitemap")
#: What of an entry holds elements of its own.
GROUPS = (f"{IMAGE}image", f"{VIDEO}video", f"{NEWS}news")

XML_SPACE = " \t\r\n"
# What no URL begins or ends with: the blanks of Unicode, and the marks without width.
ODD_BLANK = re.compile(r"^[\s\u200b-\u200d\u2060\ufeff]+|[\s\u200b-\u200d\u2060\ufeff]+$")
#: What is reported for each value that is wrong or, for a loc, missing.
VALUE_CODES = ("LOC001", *(f"MOD00{n}" for n in range(1, 6)), "FRQ001", "PRI001", "PRI002")
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
#: A date and a time as people write them, the year first.
_LOOSE = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[-/.]?)(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
    r"(?:(?:[Tt]|[ ]+)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?P<fraction>[.,][0-9]+)?)?"
    r"[ ]*(?P<zone>|[Zz]|(?i:utc|gmt)|[+-][0-9:]{0,5}))?"
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
    return [_sitemap(parts) if is_sitemap else _url(parts) for _, is_sitemap, parts in _entries(_parsed(data))]


def beginnings(data: bytes) -> list[int]:
    """Which element of the document each entry begins with, as a number in document order; the root is 0."""
    root = _parsed(data)
    elements = list(root.iter(etree.Element))
    return [elements.index(first) for first, _, _ in _entries(root)]


def value_codes(data: bytes) -> Counter[str]:
    """How often each rule about a value has to be reported."""
    codes: Counter[str] = Counter()
    for _, is_sitemap, parts in _entries(_parsed(data)):
        fields = _core_fields(parts)
        codes.update(_problems(fields | dict.fromkeys(FIELDS[2:]) if is_sitemap else fields))
    return codes


def _problems(fields: dict[str, str | None]) -> Iterator[str]:
    if _bare_loc(fields["loc"]) is None:
        yield "LOC001"
    if (lastmod := fields["lastmod"]) is not None and parse_lastmod(lastmod) is None:
        yield _lastmod_problem(lastmod)
    if (changefreq := fields["changefreq"]) is not None and changefreq not in CHANGEFREQS:
        yield "FRQ001"
    if (priority := fields["priority"]) is not None and parse_priority(priority) is None:
        yield "PRI002" if _DECIMAL.fullmatch(priority) else "PRI001"


def _lastmod_problem(text: str) -> str:
    """The rule that a lastmod breaks: what does not exist comes before how it is written, and that before its zone."""
    if found := re.fullmatch(r"([0-9]{4})(?:-([0-9]{1,2}))?", text):
        year, month = int(found[1]), found[2] or "01"
        return "MOD005" if year == 0 or not 1 <= int(month) <= 12 else "MOD004"
    found = _LOOSE.fullmatch(text)
    # Without separators, nothing shows where a number of one digit ends.
    if found is None or not (found["mark"] or len(found["month"] + found["day"]) == 4):
        return "MOD001"
    year, month, day, hour, minute, second = (
        int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")
    )
    try:
        datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return "MOD005"
    written = f"{year:04}-{month:02}-{day:02}"
    if found["hour"]:
        written += f"T{hour:02}:{minute:02}" + (f":{second:02}{found['fraction'] or ''}" if found["second"] else "")
    zone = found["zone"] or ""
    if text != written + zone or "," in written or not re.match(r"Z|[+-]|\Z", zone):
        return "MOD004"
    if not zone:
        return "MOD002"
    # In its own zone it exists, and in UTC it is beyond the calendar.
    return "MOD005" if re.fullmatch(r"Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]", zone) else "MOD003"


def is_tangled(data: bytes) -> bool:
    """Whether the document nests what does not belong into each other, so that it has to be taken apart."""
    root = _parsed(data)
    if any(child.tag in ROOTS for child in root):
        return True
    for element in root.iterdescendants(*ROOTS, *ENTRIES, *FIELDS, *GROUPS):
        above = {outer.tag for outer in element.iterancestors()} - {root.tag}
        if above and element.tag in ROOTS + ENTRIES:
            return True
        if above.intersection(FIELDS) or (element.tag != "loc" and above.intersection(GROUPS)):
            return True
    return False


def _parsed(data: bytes) -> etree._Element:
    """The root, every name below it as it was meant: core elements are in no namespace."""
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, huge_tree=True
    )
    root = etree.fromstring(data, parser)
    name = etree.QName(root)
    if name.localname.lower() not in ROOTS:
        raise ValueError(f"not the root of a sitemap: {root.tag}")
    for element in root.iter(etree.Element):
        space, local = etree.QName(element).namespace, etree.QName(element).localname
        meant = "" if space in (name.namespace, None) else _meant(space)
        if meant is not None:
            element.tag = meant + local.lower()
    return root


def _meant(namespace: str) -> str | None:
    """The namespace that one means which may be slightly wrong, in braces; "" is the core."""
    bare = re.sub(r"^(?:https?:)*/*(?:www\.)?", "", namespace.lower())
    if found := re.match(r".*?/schemas/sitemap(?:-(image|video|news)|(?!-))", bare, re.DOTALL):
        return {None: "", "image": IMAGE, "video": VIDEO, "news": NEWS}[found[1]]
    return XHTML if re.match(r"w3\.org/.*xhtml", bare, re.DOTALL) else None


def _entries(root: etree._Element) -> Iterator[tuple[etree._Element, bool, list[etree._Element]]]:
    """The element that begins it, whether it is one of a sitemap, and the children, of every entry."""
    loose: list[etree._Element] = []
    for child in root.iterchildren(etree.Element):
        begins = child.tag == "loc"
        # What follows a loc straight in the root belongs to it, as far as an entry could hold it.
        if loose and not begins and child.tag in FIELDS + GROUPS:
            loose.append(child)
            continue
        if loose:
            yield loose[0], root.tag == "sitemapindex", loose
        loose = [child] if begins else []
        if child.tag in ENTRIES:
            yield from ((first, child.tag == "sitemap", parts) for first, parts in _at_each_loc(child))
    if loose:
        yield loose[0], root.tag == "sitemapindex", loose


def _at_each_loc(entry: etree._Element) -> Iterator[tuple[etree._Element, list[etree._Element]]]:
    """The entry's children, cut before each loc but the first, and what each part begins with."""
    first = entry
    parts: list[etree._Element] = []
    for child in entry.iterchildren(etree.Element):
        if child.tag == "loc" and any(part.tag == "loc" for part in parts):
            yield first, parts
            first, parts = child, []
        parts.append(child)
    if not any(part.tag == "loc" for part in parts):
        # All of the text between two elements is one, whatever comments stand in it.
        texts = [entry.text or ""]
        for node in entry:
            texts += [""] if isinstance(node.tag, str) else []
            texts[-1] += node.tail or ""
        urls = [url for text in texts if (url := _clean(text)) and url.startswith(("http://", "https://"))]
        if urls:
            parts.append(etree.Element("loc"))
            parts[-1].text = urls[0]
    yield first, parts


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


def meant_lastmod(text: str) -> datetime | None:
    """The instant of a lastmod: an offset without its colon or its minutes can only mean one."""
    found = parse_lastmod(text)
    if found is not None or _lastmod_problem(text) != "MOD003":
        return found
    time, sign, written = re.fullmatch(r"(.*)([+-])([0-9:]*)", text).groups()  # type: ignore[union-attr]
    digits = written.replace(":", "")
    hours_minutes = {1: f"0{digits}00", 2: f"{digits}00", 4: digits}.get(len(digits), "")
    return parse_lastmod(f"{time}{sign}{hours_minutes[:2]}:{hours_minutes[2:]}")


def parse_priority(text: str) -> float | None:
    """A plain decimal from 0.0 to 1.0 (no exponent, no comma, no NaN); None for anything else."""
    if _DECIMAL.fullmatch(text) is None:
        return None
    value = float(text)
    return value if 0.0 <= value <= 1.0 else None


def _url(parts: list[etree._Element]) -> Row:
    fields = _core_fields(parts)
    changefreq, priority = fields["changefreq"], fields["priority"]
    news = [part for part in parts if part.tag == f"{NEWS}news"]
    return _sitemap(parts) | {
        "changefreq": changefreq if changefreq in CHANGEFREQS else None,
        "priority": None if priority is None else parse_priority(priority),
        "images": [_first_texts(part, IMAGE, IMAGE_FIELDS) for part in parts if part.tag == f"{IMAGE}image"],
        "alternates": [
            {name: _clean(part.get(name)) for name in ("hreflang", "href", "media", "rel")}
            for part in parts
            if part.tag == f"{XHTML}link"
        ],
        "videos": [_video(part) for part in parts if part.tag == f"{VIDEO}video"],
        "news": _news(news[0]) if news else None,
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


def _sitemap(parts: list[etree._Element]) -> Row:
    fields = _core_fields(parts)
    lastmod = fields["lastmod"]
    return {
        "loc": _bare_loc(fields["loc"]),
        "lastmod": None if lastmod is None else meant_lastmod(lastmod),
        "lastmod_raw": lastmod,
    }


def _core_fields(parts: list[etree._Element]) -> dict[str, str | None]:
    firsts = {name: next((part for part in parts if part.tag == name), None) for name in FIELDS}
    return {name: None if field is None else _field_text(field) for name, field in firsts.items()}


def _field_text(field: etree._Element) -> str | None:
    inner = [text for child in field.iterchildren(etree.Element) for text in _texts(child)]
    links = [
        element for element in field.iterdescendants(etree.Element) if etree.QName(element).localname.lower() == "a"
    ]
    hrefs = [
        str(value).strip(XML_SPACE) for link in links for name, value in link.items() if str(name).lower() == "href"
    ]
    urls = [href for href in hrefs if re.match("https?://.", href, re.IGNORECASE)]
    return _clean(_own_text(field)) or _clean("".join(inner)) or _clean(next(iter(urls), None))


def _texts(element: etree._Element) -> Iterator[str]:
    """All text in an element, that of comments and instructions left out."""
    yield element.text or ""
    for node in element:
        if isinstance(node.tag, str):
            yield from _texts(node)
        yield node.tail or ""


def _bare_loc(loc: str | None) -> str | None:
    return ODD_BLANK.sub("", loc or "") or None


def _first_texts(parent: etree._Element, namespace: str, names: tuple[str, ...]) -> dict[str, str | None]:
    firsts = {name: next(parent.iterchildren(namespace + name), None) for name in names}
    return {name: None if field is None else _clean(_own_text(field)) for name, field in firsts.items()}


def _own_text(element: etree._Element) -> str:
    # What follows a comment, a PI or a child element is that node's tail in lxml.
    return (element.text or "") + "".join(node.tail or "" for node in element)


def _clean(text: str | None) -> str | None:
    return (text or "").strip(XML_SPACE) or None
