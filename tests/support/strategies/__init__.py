"""Hypothesis strategies: random well-formed sitemaps for the reader, random good entries for the writer.

`documents()` draws a tree first (what it says) and spells it afterwards (how it is written), so that
namespaces, quotes, entities, blanks and line ends vary without regard to the content. `entries()` draws what
`write` must accept. Neither imports the package under test.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from support.strategies.media import NEWS_ELEMENTS, NEWS_ROWS, VIDEO_ELEMENTS, VIDEO_ROWS
from support.strategies.tree import (
    ATTRIBUTES,
    CAPTIONS,
    CORE,
    FOREIGN_ELEMENTS,
    IMAGE,
    LOCS,
    NEWS,
    TEXT,
    VIDEO,
    XHTML,
    XSI,
    Node,
    inside,
    leaf,
    some,
    words,
)

CHANGEFREQS = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")

# --- the tree: what a document says -------------------------------------------------------------------------

_OFFSETS = st.sampled_from(["Z", "+00:00", "-00:00", "+05:45", "-12:00", "+14:00", "+23:59", "-23:59"])
_CLOCKS = words("00:00 23:59 10:30:00 23:59:59 10:30:59.5 10:30:00.123456 00:00:00.9999999")
_DAYS = st.one_of(
    st.dates().map(date.isoformat), st.sampled_from(["0001-01-01", "9999-12-31", "2024-02-29", "1970-01-01"])
)
_BAD_LASTMODS = words(
    """0000 0000-01-01 2005-13 2005-00 2005-02-29 2005-04-31 2005-1-1 20050101 05-01-01 2005- 2005-01-
    2005-01-01Z 2005-01-01+02:00 2005-W01 2005-001 12005-01-01 -0044-03-15 01/01/2005 2005-01T10:00Z
    2005-01-01T10:00 2005-01-01T10:00:00 2005-01-01T10Z 2005-01-01T 2005-01-01T24:00:00Z 2005-01-01T10:60Z
    2005-01-01T10:00:60Z 2005-01-01T10:00:00.Z 2005-01-01T10:00:00,5Z 2005-01-01T10:00.5Z
    2005-01-01T10:00:00+0200 2005-01-01T10:00:00+02 2005-01-01T10:00:00+24:00 2005-01-01T10:00:00+02:60
    2005-01-01t10:00:00z 0001-01-01T00:00+00:01 9999-12-31T23:59-00:01 yesterday 1735689600 ٢٠٠٥""",
    *("2005-01-01 10:00:00Z", "2005-01-01T10:00:00 Z", "2005-01-01\n2006", "+2005", " 2005\xa0"),
)
_GOOD_LASTMODS = st.one_of(
    st.integers(1, 9999).map("{:04d}".format),
    st.tuples(st.integers(1, 9999), st.integers(1, 12)).map(lambda ym: f"{ym[0]:04d}-{ym[1]:02d}"),
    _DAYS,
    st.tuples(_DAYS, _CLOCKS, _OFFSETS).map(lambda dco: f"{dco[0]}T{dco[1]}{dco[2]}"),
)
_LASTMODS = st.one_of(_GOOD_LASTMODS, _GOOD_LASTMODS, _BAD_LASTMODS)

_FREQS = st.one_of(
    st.sampled_from(CHANGEFREQS),
    st.sampled_from(["Daily", "WEEKLY", "often", "", "dai ly", "daily,weekly", "\xa0daily"]),
)
_PRIORITIES = words(
    """0 0.0 0.5 1 1.0 .5 1. +0.5 -0.0 00.80 0.30000000000000004 1.000
    . + - 0,8 50% NaN INF 1e-1 1E0 0x1 1.1 -0.1 7 ٠.٥ 1_0 --0 0..1 0.5f""",
    *("", "0.5 0.5"),
)


_CORE_LOC = leaf(CORE, "loc", LOCS)
_CORE_LASTMOD = leaf(CORE, "lastmod", _LASTMODS)
_CORE_PRIORITY = leaf(CORE, "priority", _PRIORITIES)
_CORE_UNKNOWN = leaf(CORE, "unknown", TEXT)

_IMAGE_FIELDS = [
    leaf(IMAGE, "loc", LOCS),
    *(leaf(IMAGE, name, TEXT) for name in ("title", "caption", "geo_location", "license", "image")),
    *(FOREIGN_ELEMENTS, _CORE_LOC),
]
_IMAGE_ELEMENTS = st.builds(Node, st.just(IMAGE), st.just("image"), ATTRIBUTES, some(_IMAGE_FIELDS))

_LINK_ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        ("", "rel"): st.sampled_from(["alternate", "alternate", "amphtml", "", " alternate "]),
        ("", "hreflang"): st.sampled_from(["de", "en-GB", "zh-Hant-TW", "x-default", "", " fr\n"]),
        ("", "href"): LOCS,
        ("", "media"): st.sampled_from(["only screen and (max-width: 640px)", 'print > "x"']),
        # The same name in a namespace is another attribute.
        ("urn:x", "href"): TEXT,
    },
)
_LINK_ELEMENTS = st.builds(Node, st.just(XHTML), st.just("link"), _LINK_ATTRIBUTES, st.one_of(st.just([]), inside(1)))

_URL_FIELDS = some([_CORE_LOC, _CORE_LASTMOD, leaf(CORE, "changefreq", _FREQS), _CORE_PRIORITY])
_URL_EXTENSIONS = st.lists(
    st.one_of(
        *(_IMAGE_ELEMENTS, _IMAGE_ELEMENTS, _LINK_ELEMENTS, _LINK_ELEMENTS),
        *(VIDEO_ELEMENTS, VIDEO_ELEMENTS, NEWS_ELEMENTS),
        *(FOREIGN_ELEMENTS, _CORE_UNKNOWN, TEXT),
    ),
    max_size=4,
)
_SITEMAP_FIELDS = some([_CORE_LOC, _CORE_LASTMOD, _CORE_PRIORITY, FOREIGN_ELEMENTS])


@st.composite
def _entry(draw: st.DrawFn, name: str) -> Node:
    children = draw(_SITEMAP_FIELDS) if name == "sitemap" else draw(_URL_FIELDS) + draw(_URL_EXTENSIONS)
    if draw(st.booleans()):
        children = draw(st.permutations(children))
    return Node(CORE, name, draw(ATTRIBUTES), children)


@st.composite
def _roots(draw: st.DrawFn) -> Node:
    name, entry = draw(st.sampled_from([("urlset", "url"), ("urlset", "url"), ("sitemapindex", "sitemap")]))
    children: list[Node | str] = list(draw(st.lists(_entry(entry), max_size=4)))
    # Entries of the other kind, and texts, are well-formed here and count for nothing.
    other = _entry("url" if entry == "sitemap" else "sitemap")
    for stranger in draw(st.lists(st.one_of(FOREIGN_ELEMENTS, _CORE_UNKNOWN, TEXT, other), max_size=2)):
        children.insert(draw(st.integers(0, len(children))), stranger)
    attributes = {(XSI, "schemaLocation"): f"{CORE} sitemap.xsd"} if draw(st.booleans()) else {}
    return Node(CORE, name, attributes, children)


# --- the spelling: how a document is written ----------------------------------------------------------------

_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&apos;", '"': "&quot;"}
_BLANKS = ("", "", " ", "\n", "\r\n", "\t", "\r", " \n  ")
_PREFIXES = ("s", "sm", "image", "xhtml", "news", "url", "loc", "ns1", "a-b", "_", "x.y", "é", "名")
# Markup look-alikes, for the places where markup does not count.
_DECOYS = ("", *" x<>&'\"", "/>", "&amp;", "</urlset>", "<url><loc>http://no.example/</loc></url>")
_DECLARATIONS = (
    "",
    "",
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<?xml version='1.0'?>",
    "<?xml version = '1.0'\n encoding='utf-8' standalone=\"yes\" ?>",
)
_DOCTYPES = (
    "",
    "",
    "<!DOCTYPE urlset>",
    "<!DOCTYPE\nurlset SYSTEM 'a>b\".dtd' >",
    '<!DOCTYPE x:y PUBLIC "-//X//DTD (1)//EN" "http://x.example/?a>b\'">',
)

_FREEDOMS = ("prolog", "blank", "comment", "split", "reference", "redeclare")


@dataclass(slots=True)
class _Tag:
    """The namespaces of one start tag: all in scope, those declared here, and the prefixes no longer free."""

    scope: dict[str, str]
    declared: dict[str, str] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)


class _Speller:
    """Writes a tree as XML text, taking the freedoms the syntax leaves, as far as `freedoms` names them.

    The choices come from one seed: drawn by hypothesis one by one they would be hundreds a document.
    """

    def __init__(self, seed: int, freedoms: set[str]) -> None:
        self._random = random.Random(seed)
        self._freedoms = freedoms
        self._newline = self._pick("\n", "\r\n", "\r") if "blank" in freedoms else "\n"

    def document(self, root: Node) -> str:
        head = ""
        if "prolog" in self._freedoms:
            # Blanks may come first only when there is no declaration.
            head = (self._pick(*_DECLARATIONS) or self._aside()) + self._between() + self._pick(*_DOCTYPES)
        return head + self._between() * bool(head) + self._element(root, {"": ""}) + self._between()

    def _pick(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _one_in(self, n: int, freedom: str | None = None) -> bool:
        return (freedom is None or freedom in self._freedoms) and self._random.randrange(n) == 0

    def _blank(self, otherwise: str = "") -> str:
        return (self._pick(*_BLANKS) if "blank" in self._freedoms else "") or otherwise

    def _between(self) -> str:
        """What may stand anywhere between tags: blanks, a comment, a processing instruction."""
        return self._blank(self._newline) + (self._aside() if self._one_in(4, "comment") else "") + self._blank()

    def _aside(self) -> str:
        # A PI may not hold "?>"; no decoy does. A comment holds no "--" and does not end in "-".
        decoy = self._pick(*_DECOYS)
        return self._pick(f"<!--{decoy}-->", f"<?php {decoy}?>")

    def _element(self, node: Node, outer: dict[str, str]) -> str:
        """`outer` maps the prefixes in scope ("" is the default namespace) to their namespaces."""
        tag = _Tag(dict(outer))
        if outer == {"": ""} and self._one_in(2):
            # As generators do: every extension once, on the root.
            for namespace in (IMAGE, VIDEO, NEWS, XHTML, XSI):
                self._declare(tag, namespace, may_be_default=False)
        name = self._prefix(tag, node.namespace) + node.name
        parts = []
        for (namespace, key), text in node.attributes.items():
            # The default namespace is not for attributes.
            prefix = self._prefix(tag, namespace, may_be_default=False) if namespace else ""
            parts.append(prefix + key + self._attribute(text))
        for prefix, namespace in tag.declared.items():
            parts.append((f"xmlns:{prefix}" if prefix else "xmlns") + self._attribute(namespace))
        if self._one_in(3):
            self._random.shuffle(parts)
        start = name + "".join(self._blank(" ") + part for part in parts) + self._blank()
        # Where there is text at all, only the text itself decides where blanks and comments go.
        roomy = all(isinstance(child, Node) for child in node.children)
        content = "".join(
            self._text(child)
            if isinstance(child, str)
            else (self._between() if roomy else "") + self._element(child, tag.scope)
            for child in node.children
        )
        if not content and self._one_in(2):
            return f"<{start}/>"
        return f"<{start}>{content}{self._between() if roomy and content else ''}</{name}{self._blank()}>"

    def _prefix(self, tag: _Tag, namespace: str, *, may_be_default: bool = True) -> str:
        """A prefix with its colon that means `namespace` on this tag, declared on it when need be."""
        bound = [p for p, uri in tag.scope.items() if uri == namespace and (p or may_be_default)]
        if bound and not self._one_in(4, "redeclare"):
            prefix = self._pick(*bound)
        elif namespace:
            prefix = self._declare(tag, namespace, may_be_default=may_be_default)
        else:
            # No namespace has no prefix: the default is undeclared. It is free: an element's own name comes
            # before its attributes, and only that of the root comes after declarations (with prefixes).
            prefix = tag.scope[""] = tag.declared[""] = ""
        tag.settled.add(prefix)
        return f"{prefix}:" if prefix else ""

    def _declare(self, tag: _Tag, namespace: str, *, may_be_default: bool) -> str:
        # To shadow an outer prefix is legal, but not one that this tag has used already.
        if may_be_default and "" not in tag.settled and self._one_in(2):
            prefix = ""
        else:
            prefix = self._pick(*(p for p in _PREFIXES if p not in tag.settled))
        tag.scope[prefix] = tag.declared[prefix] = namespace
        tag.settled.add(prefix)
        return prefix

    def _attribute(self, text: str) -> str:
        quote = self._pick('"', "'")
        # A literal line end or tab is legal here and reads as a space.
        special = f"&<{quote}\r" + ("" if "blank" in self._freedoms else "\n\t")
        value = "".join(self._escaped(c, must=c in special) for c in text)
        return f"{self._blank()}={self._blank()}{quote}{value}{quote}"

    def _text(self, text: str) -> str:
        if "split" not in self._freedoms:
            return self._characters(text)
        cut = self._random.randint(0, len(text))
        middle = self._aside() if self._one_in(3, "comment") else ""
        return self._piece(text[:cut]) + middle + self._piece(text[cut:])

    def _piece(self, text: str) -> str:
        # A carriage return can only be a reference, and CDATA knows none.
        if "\r" in text or self._one_in(2):
            return self._characters(text)
        return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>').replace(chr(10), self._newline)}]]>"

    def _characters(self, text: str) -> str:
        # "]]>" may not stand in character data: a ">" after a "]" is a reference, and so is one at the very
        # beginning. A line feed may be any line end; a carriage return as such would read as one.
        before = "]" + text
        out = [self._escaped(c, must=c in "&<\r" or before[i] + c == "]>") for i, c in enumerate(text)]
        return "".join(out).replace("\n", self._newline)

    def _escaped(self, char: str, *, must: bool) -> str:
        if not must and not self._one_in(6, "reference"):
            return char
        forms = [f"&#{ord(char)};", f"&#x{ord(char):x};", f"&#x{ord(char):06X};"]
        if char in _NAMED:
            forms += [_NAMED[char]] * 3
        return self._pick(*forms)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Well-formed UTF-8 bytes of a urlset or sitemapindex in the core namespace, with or without a BOM.

    The content may break every rule of the protocol (missing, repeated, invalid and padded fields, foreign
    elements, text anywhere); the syntax never breaks XML 1.0 with namespaces, and needs no DTD.
    """
    root = draw(_roots())
    speller = _Speller(draw(st.integers(0, 2**32 - 1)), draw(st.sets(st.sampled_from(_FREEDOMS))))
    bom = "\ufeff" if draw(st.integers(0, 4)) == 4 else ""
    return (bom + speller.document(root)).encode()


# --- entries: what `write` must accept ----------------------------------------------------------------------

# A loc holds no blanks and no controls. "Cf" is out as well: a BOM or a zero-width space does not belong in a URL.
_URL_CHARS = st.one_of(
    st.characters(exclude_categories=("Cs", "Cc", "Cf", "Cn", "Zs", "Zl", "Zp"), exclude_characters="%"),
    st.sampled_from([*"&'\"<>+~#?=/;", "%25", "%C3%BC", "&amp;", "&#38;", "&copy=2", "]]>"]),
)
_HOSTS = words("example.com shop.example a.io bücher.example [2001:db8::1] EXAMPLE.com:8080")
_SCHEMES = st.sampled_from(["https", "http", "HTTPS"])


@st.composite
def _absolute_urls(draw: st.DrawFn) -> str:
    """An absolute http(s) URL of fewer than 2,048 characters, now and then of exactly 2,047."""
    start = f"{draw(_SCHEMES)}://{draw(_HOSTS)}/"
    text = start + "".join(draw(st.lists(_URL_CHARS, max_size=20)))
    return text.ljust(2047, "é") if draw(st.integers(0, 29)) == 29 else text


# Real offsets lie within a day's half; XSD, which judges what we write, allows no more than 14 hours.
_ZONES = st.one_of(st.just(UTC), st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m))))
# A day off both ends, since the zone may shift it.
_WHEN = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))  # noqa: DTZ001  (the zone is drawn apart)
_ENTRY_LASTMODS = st.one_of(
    st.none(),
    st.dates(),
    st.builds(lambda when, zone: when.replace(tzinfo=zone), _WHEN, _ZONES),
    st.integers(1, 9999).map("{:04d}".format),
    st.tuples(st.integers(1, 9999), st.integers(1, 12)).map(lambda ym: f"{ym[0]:04d}-{ym[1]:02d}"),
    st.dates().map(date.isoformat),
    st.builds(
        lambda when, clock, zone: f"{when.date().isoformat()}T{clock}{zone}",
        _WHEN,
        _CLOCKS,
        st.sampled_from(["Z", "+00:00", "-00:00", "+05:45", "-12:00", "+14:00"]),
    ),
)
_HREFLANGS = st.sampled_from(["de", "en-GB", "zh-Hant", "zh-Hant-TW", "fil", "x-default"])


_IMAGES = st.fixed_dictionaries(
    {"loc": _absolute_urls()},
    optional={
        "title": CAPTIONS,
        "caption": CAPTIONS,
        "geo_location": CAPTIONS,
        "license": _absolute_urls(),
    },
)
_ALTERNATES = st.fixed_dictionaries(
    {"hreflang": _HREFLANGS, "href": _absolute_urls()},
    optional={"media": st.just("only screen and (max-width: 640px)")},
)


def entries() -> st.SearchStrategy[dict[str, Any]]:
    """Keyword arguments of a UrlEntry that `write` must accept, what is nested as lists of dicts and dicts.

    Each dict is a row for `write` as it stands. lastmod is None, a date, an aware datetime or a W3C text;
    every key but loc may be missing, or None where it stands for a single value.
    """
    optional: dict[str, st.SearchStrategy[Any]] = {
        "lastmod": _ENTRY_LASTMODS,
        "changefreq": st.one_of(st.none(), st.sampled_from(CHANGEFREQS)),
        "priority": st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.5]), st.floats(0.0, 1.0)),
        "images": st.lists(_IMAGES, min_size=1, max_size=5),
        "videos": st.lists(VIDEO_ROWS, min_size=1, max_size=3),
        "news": NEWS_ROWS,
        "alternates": st.lists(_ALTERNATES, min_size=1, max_size=5, unique_by=lambda link: str(link["hreflang"])),
    }
    return st.fixed_dictionaries({"loc": _absolute_urls()}, optional=optional)
