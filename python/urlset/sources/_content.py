"""What a page says, apart from what is around it on every page and from what each build writes anew."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

#: What is around the content, or none of it for a reader; headers are looked at one by one.
_AROUND = 'script,style,noscript,template,svg,nav,footer,aside,[hidden],[aria-hidden="true"],header'
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
#: What a build writes anew into a text: when it was, and the year. Each begins with letters, which are found fast, and
#: has a bound on all that repeats.
_BUILT = tuple(
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
#: What a build writes anew into the names of assets: hashes in hex, those of bundlers in the letters and digits of
#: base64, and queries, which only defeat caches. Names that people give seldom have all kinds of letters in them.
_HASHES = (
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
#: Parameters that differ with each build or visit.
_TOKENS = re.compile(r"(?<=[?&;])(?:nonce|csrf[\w-]*|xsrf[\w-]*|sid|[\w-]{0,40}token)=[^&#\n]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Content:
    """A hash of what a page says, and the sources of its images as written."""

    digest: str
    images: list[str]


def content_of(root: LexborNode, title: LexborNode | None, masks: Iterable[str]) -> Content:
    """What a page says: its title, and the text, links and images of `root`, which is taken apart for it.

    `masks` are CSS selectors of what does not count; one may fit the title.
    """
    for mask in masks:
        title = None if title is None or title.css_matches(mask) else title
        for node in root.css(mask):
            _remove(node, root)
    links, images = _stripped(root)
    said = [
        "" if title is None else _plain(title.text()),
        _plain(root.text(separator=" ", strip=True, skip_empty=True)),
        *_unhashed(links, images),
    ]
    for pattern in _BUILT:
        said[1] = pattern.sub(r"\1", said[1])
    digest = hashlib.blake2b("\0".join(said).encode("utf-8", "replace"), digest_size=16)
    return Content(digest.hexdigest(), images)


def _stripped(root: LexborNode) -> tuple[list[str], list[str]]:
    """Takes away what is no content, and gives where the links lead that stay, and the sources of the images."""
    for node in root.css(_AROUND):
        if node.tag != "header" or _is_of_site(node):
            _remove(node, root)
    links, images = [], []
    for node in root.css("a,img"):
        attributes = node.attributes
        if node.tag == "a":
            links.append(attributes.get("href"))
        else:
            images.append(_source(attributes))
    return [link for link in links if link], [image for image in images if image]


def _remove(node: LexborNode, root: LexborNode) -> None:
    """Takes a node away with all in it, but never the root: a script may be to show that."""
    if node.mem_id != root.mem_id:
        node.decompose()


def _is_of_site(header: LexborNode) -> bool:
    above = header.parent
    while above is not None:
        if above.tag in _SECTIONS:
            return False
        above = above.parent
    return True


def _source(attributes: dict[str, str | None]) -> str | None:
    """Where an image is; where a script is to load it later, its place is elsewhere."""
    source = attributes.get("src")
    if not source or source.lstrip()[:5].lower() == "data:":
        return attributes.get("data-src") or source
    return source


def _plain(text: str) -> str:
    """A text with one space for each run of blanks."""
    for blank in "\n\t\r\f":
        text = text.replace(blank, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def _unhashed(links: list[str], images: list[str]) -> tuple[str, str]:
    """The links, and the assets without what builds write anew into their names."""
    pages: list[str] = []
    assets = images[:]
    for link in links:
        (assets if "." in link[-6:] or "?" in link else pages).append(link)
    named = "\n".join(assets)
    for pattern, instead in _HASHES:
        named = pattern.sub(instead, named)
    return "\n".join(pages), _TOKENS.sub("", named)
