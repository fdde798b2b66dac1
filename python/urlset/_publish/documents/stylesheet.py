"""The stylesheet, with which browsers show a published sitemap as a table. It is published next to the set.

The stylesheet is CSS and not XSLT. Seen in Chromium 156.0.8078.79 in November 2026: XSLT still transforms what comes
over HTTP, but Chromium lays a red warning over the page, that XSLT "is being removed from this browser very soon", and
a transformed `file:` stays blank. Its makers have announced to switch XSLT off with version 158, those of Firefox and
Safari agree, and HTML and DOM call it deprecated (whatwg/html#11523). Where a document names both, Chromium takes the
XSLT with its warning, so that offering both gives the worse of them. What CSS cannot make is links: a click selects an
address.

Without a stylesheet Chromium shows a tree of tags, and run-together text where the set has alternates: elements of
XHTML make it take the document for a page. The tree of 50,000 entries took it 28 s; this table 3.4 s (10 s without
`content-visibility`), the same with three images and four alternates each 9.5 s; on two cores.

What the server has to do, seen in the same Chromium:

* The stylesheet comes from the document's origin and is `text/css`; as `text/plain` it is passed over.
* The document is `application/xml` or `text/xml`. A `.xml.gz` shows where it is `application/xml` with
  `Content-Encoding: gzip`; as `application/gzip` it is downloaded, and without the encoding it is an XML error.

A reader of sitemaps passes over the instruction: XML 1.0 allows it in the prolog (production 22). Source of its form:
W3C, Associating Style Sheets with XML documents 1.0.
"""

from __future__ import annotations

import re
from pathlib import Path

from urlset._model.errors import InputError, LimitError
from urlset._model.limits import PROTOCOL

#: The stylesheet's name, in this package and in the published folder.
STYLESHEET = "sitemap.css"

#: How every stylesheet of this package begins, so that a newer one can replace it but nothing else.
_MARK = b"/* urlset:"

#: The letters of RFC 3986 in a path and a query, escapes among them. None of them ends the instruction or a value.
_REFERENCE = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/%?]{1,2048}")

_DECLARATION = re.compile(rb"<\?xml [^?>]*\?>\n?")


def instruction(href: str = STYLESHEET) -> str:
    """Return the processing instruction that names the stylesheet, for the line after the XML declaration.

    Args:
        href: A reference within the document's own origin: a name in its folder, or a path from the root (`/look.css`).

    Raises:
        InputError: It leads to another origin, from which browsers do not load it, or is not a URL reference.
    """
    if not _REFERENCE.fullmatch(href):
        raise InputError(f"href must hold only characters of a URL, got {href[:80]!r}: percent-encode the others")
    if href.startswith("//") or ":" in re.split("[/?]", href, maxsplit=1)[0]:
        raise InputError(f"href must have neither scheme nor host, got {href[:80]!r}: write it as in '/{STYLESHEET}'")
    return f'<?xml-stylesheet type="text/css" href="{href.replace("&", "&amp;")}"?>'


def dressed(xml: bytes, href: str = STYLESHEET) -> bytes:
    """Return a document as `write` makes it, with the instruction after its XML declaration.

    Raises:
        InputError: The document has no XML declaration.
        LimitError: The document would exceed the protocol's size.
    """
    declaration = _DECLARATION.match(xml)
    if declaration is None:
        raise InputError("xml must be a document as write makes it: it does not begin with an XML declaration")
    end = declaration.end()
    whole = xml[:end] + instruction(href).encode() + b"\n" + xml[end:]
    if len(whole) > PROTOCOL.bytes:
        raise LimitError(f"the document has no room for its stylesheet's instruction within {PROTOCOL.bytes:,} bytes")
    return whole


def files() -> dict[str, bytes]:
    """Return the files that the stylesheet consists of, by their names."""
    return {STYLESHEET: Path(__file__).with_name(STYLESHEET).read_bytes()}


def is_ours(stylesheet: bytes) -> bool:
    """Return whether a file is a stylesheet of this package, of this version or another."""
    return stylesheet.startswith(_MARK)
