"""The content of a page, without the parts that every page repeats and without what each build writes anew."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

#: Elements around the content, or hidden from a reader; headers are judged one by one.
_CHROME = 'script,style,noscript,template,svg,nav,footer,aside,[hidden],[aria-hidden="true"],header'
#: A header in one of these belongs to it; any other is the site's. Source: HTML Accessibility API Mappings, header.
_SECTIONS = ("article", "main", "section")

_TIME = (
    r"(?:,?(?: at)?[ T]\d\d?:\d\d(?::\d\d)?(?:\.\d+)?(?: ?[AaPp]\.?[Mm]\b\.?)?(?: ?(?:Z\b|UTC|GMT|[+-]\d\d:?\d\d))?)?"
)
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = (
    rf" ?(?:on|at)? ?:? ?(?:(?:{_DAY},? )?(?:{_MONTH}(?: \d\d?(?:st|nd|rd|th)?)?,? \d{{4}}"
    rf"|\d\d?\.? {_MONTH},? \d{{4}}|\d{{4}}[-/]\d\d[-/]\d\d|\d\d?[./]\d\d?[./]\d{{2,4}}){_TIME}"
    r"|(?:an?|\d{1,4}) (?:second|minute|hour|day|week|month|year)s? ago)"
)
_YEARS = r"\d{4}\b(?: ?[-–—] ?\d{4}\b)?"
#: Dates and years that a build writes anew into the text. Each pattern begins with letters, which are found fast, and
#: every repetition in it is bounded.
_BUILD_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(ated?\b){_DATE}",  # updated, update, generated
        rf"(odified\b){_DATE}",
        rf"(opyright(?: ?(?:©|\(c\)))? ?){_YEARS}",
        rf"(©[^.!?©]{{0,60}}?\b){_YEARS}",
    )
)
_ASSETS = "avif|bmp|css|gif|ico|jpe?g|js|json|m4a|m4v|mjs|mp3|mp4|ogg|pdf|png|svg|ttf|wasm|wav|web[mp]|woff2?|zip"
_END = rf"\.(?:{_ASSETS})(?:[?#\n]|$)"
#: What a build writes anew into the names of assets: hexadecimal hashes, base64 hashes of bundlers, and queries that
#: defeat caches. Names that people choose rarely mix digits with lower-case and upper-case letters.
_ASSET_HASHES = (
    (
        re.compile(rf"(?<=[._-])(?:hu_?)?(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{{8,64}}(?=[._-][^/\n]{{0,40}}{_END}|{_END})"),
        "",
    ),
    (
        re.compile(
            rf"(?<=[._-])(?=\w{{0,7}}\d)(?=\w{{0,7}}[a-z])(?=\w{{0,7}}[A-Z])[\w-]{{8}}(?:_\w{{4,8}})?(?={_END})"
        ),
        "",
    ),
    (re.compile(rf"(\.(?:{_ASSETS}))\?[^#\n]*"), r"\1"),
)
#: Parameters that change with each build or visit.
_TOKENS = re.compile(r"(?<=[?&;])(?:nonce|csrf[\w-]*|xsrf[\w-]*|sid|[\w-]{0,40}token)=[^&#\n]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PageContent:
    """A hash of the content of a page, and the sources of its images as written."""

    digest: str
    images: list[str]


def page_content(root: LexborNode, title: LexborNode | None, masks: Iterable[str]) -> PageContent:
    """Hash the title of a page and the text, links and images of `root`. Elements are removed from `root` meanwhile.

    `masks` are CSS selectors of elements to ignore; one may match the title.
    """
    for mask in masks:
        title = None if title is None or title.css_matches(mask) else title
        for node in root.css(mask):
            _remove(node, root)
    links, images = _strip_chrome(root)
    parts = [
        "" if title is None else _collapse_blanks(title.text()),
        _collapse_blanks(root.text(separator=" ", strip=True, skip_empty=True)),
        *_without_build_hashes(links, images),
    ]
    for pattern in _BUILD_DATES:
        parts[1] = pattern.sub(r"\1", parts[1])
    digest = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16)
    return PageContent(digest.hexdigest(), images)


def _strip_chrome(root: LexborNode) -> tuple[list[str], list[str]]:
    """Remove what is not content, and return the targets of the remaining links and the sources of the images."""
    for node in root.css(_CHROME):
        if node.tag != "header" or _is_site_header(node):
            _remove(node, root)
    links, images = [], []
    for node in root.css("a,img"):
        attributes = node.attributes
        if node.tag == "a":
            links.append(attributes.get("href"))
        else:
            images.append(_image_source(attributes))
    return [link for link in links if link], [image for image in images if image]


def _remove(node: LexborNode, root: LexborNode) -> None:
    """Remove a node and everything in it, but never the root: a root that is hidden may be shown by a script."""
    if node.mem_id != root.mem_id:
        node.decompose()


def _is_site_header(header: LexborNode) -> bool:
    above = header.parent
    while above is not None:
        if above.tag in _SECTIONS:
            return False
        above = above.parent
    return True


def _image_source(attributes: dict[str, str | None]) -> str | None:
    """Return the source of an image; for one that a script loads later, it is in another attribute."""
    source = attributes.get("src")
    if not source or source.lstrip()[:5].lower() == "data:":
        return attributes.get("data-src") or source
    return source


def _collapse_blanks(text: str) -> str:
    """Return a text with one space for each run of blanks."""
    for blank in "\n\t\r\f":
        text = text.replace(blank, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def _without_build_hashes(links: list[str], images: list[str]) -> tuple[str, str]:
    """Return the links to pages, and the assets without what builds write anew into their names."""
    pages: list[str] = []
    assets = images[:]
    for link in links:
        (assets if "." in link[-6:] or "?" in link else pages).append(link)
    names = "\n".join(assets)
    for pattern, replacement in _ASSET_HASHES:
        names = pattern.sub(replacement, names)
    return "\n".join(pages), _TOKENS.sub("", names)
