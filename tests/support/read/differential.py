"""Documents that nobody would write, and what expat makes of each, to hold our reader against.

`soup` puts a sitemap together from tokens, `mutation` breaks a document of `vectors/`. Both are the same for the same
seed. Expat runs with namespaces on, because a sitemap that is not well-formed by Namespaces in XML is of no use.

Where we and expat are right to disagree, a `DIFFERENCE` says so: it has a name, a reason, and an example that a test
reads, so that none can outlive what it is about. THEY_TAKE holds what expat accepts and we recover, told by what expat
sees in the document. WE_TAKE holds what we take and expat refuses: each says how to write the same document
without what it is about, and that, expat has to take.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from xml.parsers import expat

from support.reading import CORE

#: Kinds of documents that are XML.
MARKUP = ("urlset", "sitemapindex", "rss", "atom")
VECTORS = Path(__file__).parents[3] / "vectors"

# --- documents ----------------------------------------------------------------------------------------------

EXTENSIONS = (
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" '
    'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" '
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
)
ROOTS = [
    (f'<urlset xmlns="{CORE}">', "</urlset>"),
    (f'<urlset xmlns="{CORE}" {EXTENSIONS}>', "</urlset>"),
    (f'<s:urlset xmlns:s="{CORE}" xmlns="urn:x">', "</s:urlset>"),
    ("<urlset>", "</urlset>"),
    (f'<sitemapindex xmlns="{CORE}">', "</sitemapindex>"),
    ('<rss version="2.0">', "</rss>"),
    ('<rss version="2.0"><channel>', "</channel></rss>"),
    ('<feed xmlns="http://www.w3.org/2005/Atom">', "</feed>"),
]
PLAIN = b"<url><loc>http://a/</loc></url>"
_TAGS = """<url> </url> <loc> </loc> <loc/> <lastmod> </lastmod> <url><loc>http://a/</loc></url> <sitemap> </sitemap>
<item> </item> <entry> </entry> <link> </link> <channel> </channel> <image:image> </image:image> <image:loc>
</image:loc> <video:video> </video:video> <news:news> </news:news> <x/> <x> </x> <a:b> </a:b> <s:url>
</s:url> <url><loc>http://b/</loc> <s:loc> </s:loc> <URL> </URL> <LOC> <1> </ </> <> <html> <p> </p> <br>
<urlset> </urlset> </sitemapindex> </s:urlset> </rss> </feed> <guid> </guid> <xhtml:link/> <title> </title>"""
_MARKUP = """< > & ; ' " / ! ? - -- ]]> <![CDATA[ ]] <!-- --> --> ?> <? <?x = : &amp; &#65; &#x41; &#0; &#x; &nbsp;
&eacute; &a a a='1' a="<" xmlns='' xmlns:a='b' a: :a xml:lang='e' xmlns:xml='u' &e; <!DOCTYPE [ <!ENTITY"""
_TEXTS = "http://c/ 2005-01-01 daily 0.5 text"
TOKENS: list[bytes] = [
    *(token.encode() for token in f"{_TAGS} {_MARKUP} {_TEXTS}".split()),
    *(b" ", b"\n", b"\r\n", b"\t", b"a =", b"<?xml version='1.0'?>", b"<!DOCTYPE urlset>"),
    *(b"<a:b xmlns:a='u'>", b"<a:b xmlns:a='u'/>", b"<url xmlns=''>", b"<xhtml:link href='a'/>"),
    *(b'<!DOCTYPE a [<!ENTITY e "x">]>', b"<!DOCTYPE a SYSTEM 'b'>", b"<!ATTLIST a b CDATA 'c'>"),
    # Letters of several lengths, invalid marks, characters that XML does not have, and bytes that are not UTF-8.
    *(
        text.encode()
        for text in ("é", "<é>", "\u0300", "\ufeff", "\0", "\x01", "\ufffe", "\x85", "\xa0", "\ud7ff", "𝒳")
    ),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80"),
]
#: Those that leave a document well-formed wherever text or an element may stand.
WHOLE: list[bytes] = [
    *(PLAIN, b"<url><loc>/b</loc><lastmod>2005</lastmod></url>", b"<url/>", b"<loc>c</loc>", b"<loc/>", b"<x>d</x>"),
    *(
        b"<sitemap><loc>e</loc></sitemap>",
        b"<lastmod>2005-01-01</lastmod>",
        b"<priority>.5</priority>",
        b"<x><loc>f</loc></x>",
    ),
    *(b"<URL><Loc>g</Loc></URL>", b"<url xmlns=''><loc>h</loc></url>", b"<url xmlns='urn:x'><loc>i</loc></url>"),
    *(
        b"<image xmlns='http://www.google.com/schemas/sitemap-image/1.1'><loc>j</loc></image>",
        b"<a href='http://k/'>k</a>",
    ),
    *(
        b"<!---->",
        b"<!--<loc>-->",
        b"<?x <url>?>",
        b"<![CDATA[]]>",
        b"<![CDATA[<l>&m;]]>",
        b"&amp;",
        b"&#65;",
        b"&#x42;",
    ),
    *(b" ", b"\n", b"\r\n", b"\t", b">", b"'", b'"', b"]]", b"http://n/", b"http://o/?p&amp;q", b"daily", b"0.5"),
    *(text.encode() for text in ("é", "\u0300", "\ufeff", "\x85", "\xa0", "\ud7ff", "𝒳", "<é/>", "<a:é xmlns:a='é'/>")),
]
FIELDS = (b"loc", b"lastmod", b"x", b"a", b"image:image", b"video:video", b"guid", b"link")


def soup(rng: random.Random) -> bytes:
    """A sitemap or feed with a few tokens in its prolog, in its root, in an entry, in a field or inside a tag."""
    head, end = (text.encode() for text in rng.choice(ROOTS))
    kind = rng.choice((TOKENS, TOKENS, WHOLE))
    tokens = b"".join(rng.choices(kind, k=rng.choice((1, 1, 2, 2, 3, 4, 6, 10))))
    name = rng.choice(FIELDS)
    match rng.randrange(12):
        case 0 | 1 | 2 | 3:
            body = b"<url>" + tokens + b"</url>"
        case 4 | 5 | 6:
            body = b"<url><" + name + b">" + tokens + b"</" + name + b"></url>"
        case 7:
            body = b"<url><loc " + tokens + b">http://a/</loc></url>"
        case 8:
            head, body = head[:-1] + b" " + tokens + head[-1:], PLAIN
        case _:
            body = tokens
    before = rng.choice((b"", b"", b"", b'<?xml version="1.0"?>', rng.choice(TOKENS)))
    after = rng.choice((b"", b"", b"", b"\n", rng.choice(TOKENS)))
    around = [part if rng.random() < 0.4 else b"" for part in (PLAIN, PLAIN)]
    return before + head + around[0] + body + around[1] + (end if rng.random() < 0.9 else b"") + after


@cache
def _vectors_in_utf8() -> list[bytes]:
    """The short documents of the corpus in markup: compression and charsets have tests of their own."""
    found = []
    for answer in sorted(VECTORS.glob("*/*.json")):
        data = next(path for path in answer.parent.glob(f"{answer.stem}.*") if path != answer).read_bytes()
        is_markup = json.loads(answer.read_text("utf-8"))["kind"] in MARKUP
        if is_markup and len(data) < 3_000 and _is_utf8(data) and b"\0<" not in data and _without_label(data) == data:
            found.append(data)
    return found


def mutation(rng: random.Random) -> bytes:
    """A vector in which tokens and bytes were put in, taken away, copied, or written over."""
    data = rng.choice(_vectors_in_utf8())
    for _ in range(rng.choice((1, 1, 2, 3))):
        at, other = rng.randint(0, len(data)), rng.randint(0, len(data))
        match rng.randrange(5):
            case 0:
                data = data[:at] + rng.choice(TOKENS) + data[at:]
            case 1:
                data = data[:at] + data[at + rng.randint(1, 8) :]
            case 2:
                data = data[:at] + rng.choice(TOKENS) + data[at + 1 :]
            case 3:
                data = data[:at] + data[other : other + rng.randint(1, 30)] + data[at:]
            case _:
                data = data[:at] + bytes([rng.choice(b"<>&;'\"/!?-[]=: \0\x01\xff\xc3x")]) + data[at + 1 :]
    return data


def garbage(rng: random.Random) -> bytes:
    """Bytes that are hardly ever a document: what markup and byte order marks are made of, and anything else."""
    likely = b"<>&;'\"/!?-[]=: \n\r\t\0\xef\xbb\xbf\xff\xfe\x1f\x8bhttp:urlset" * 4
    return bytes(rng.choices([*likely, *range(256)], k=rng.randint(0, 60)))


GENERATORS: dict[str, Callable[[random.Random], bytes]] = {"soup": soup, "mutation": mutation, "garbage": garbage}

#: The smallest forms of what these have found.
FOUND: list[bytes] = [
    b"<rss><item><guid>http://a/</guid></item><url></url></rss>",
    b"<rss><url><loc>http://a/</loc><loc>http://b/</loc></url></rss>",
    b"<urlset><url>http://a/<![CDATA[b]]></url></urlset>",
    b"<urlset><url><![CDATA[<]]>http://a/</url></urlset>",
    b"<urlset><url><loc>http://a/<a href=']]>'/></loc></url></urlset>",
    b"<urlset><url><loc><![CDATA[]]><b>http://a/</b></loc></url></urlset>",
    b"<urlset xmlns='urn:x' xmlns:s='http://a.example/schemas/sitemap/0.9'><s:url><s:loc>b</s:loc></s:url></urlset>",
    b"<urlset><url><loc>http://a/]]</b>>c</loc></url></urlset>",
    b"<urlset><url><loc>http://a/]]<!x>></loc></url></urlset>",
    b"<urlset><url><loc>http://a/]]\0></loc></url></urlset>",
    b"<urlset><url><:><loc>http://a/1</loc><loc>http://a/2</loc></:></url></urlset>",
    b"<?xml ?><rss<channel></channel><channel><title>t",
    b"<?xml ?><rss<channel></channel><channel><url><loc>p:</channel></rss>",
    b"<?xml ?><rss <url><loc/><URL></URL><loc></url><url><loc></loc></url></rss>",
]

# --- what expat sees ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Seen:
    """What expat tells of a document."""

    #: What it has against it; None is well-formed.
    error: str | None = None
    version: str | None = None
    declared: set[str] = field(default_factory=set)
    has_external_subset: bool = False
    #: Of each element the local names from the root down, in lower case.
    paths: list[tuple[str, ...]] = field(default_factory=list)


def seen(data: bytes, charset: str | None = None) -> Seen:
    """Reads a document with expat; a charset counts more than what the document declares."""
    # The separator must not occur in a namespace: expat would refuse that.
    parser = expat.ParserCreate(charset, namespace_separator="\x01")
    found = Seen()
    path: list[str] = []

    def declaration(version: str, _encoding: str | None, _standalone: int) -> None:
        found.version = version

    def doctype(_name: str, system: str | None, _public: str | None, _has_subset: int) -> None:
        found.has_external_subset = system is not None

    def entity(name: str, is_parameter: int, *_: object) -> None:
        if not is_parameter:
            found.declared.add(name)

    def start(name: str, _attributes: object) -> None:
        path.append(name.rpartition("\x01")[2].lower())
        found.paths.append(tuple(path))

    parser.XmlDeclHandler = declaration
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _name: path.pop()
    try:
        parser.Parse(data, True)
    # The last two are what Python says of charsets that it does not know, or that are of several bytes.
    except (expat.ExpatError, LookupError, ValueError) as error:
        found.error = str(error)
    return found


# --- where we and expat differ, and why ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TheyTake:
    """Something that expat accepts and we have to recover."""

    why: str
    is_in: Callable[[bytes, Seen], bool]
    examples: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class WeTake:
    """Something that we take and expat refuses, and how to write the same document without it."""

    why: str
    without: Callable[[bytes], bytes]
    examples: tuple[bytes, ...]


_ROOTS = {"urlset", "sitemapindex"}
_FEEDS = {"rss", "feed", "rdf"}
_ENTRIES = {"url", "sitemap", "item", "entry"}
_FIELDS = {"loc", "lastmod", "changefreq", "priority"}
_GROUPS = {"image", "video", "news"}


def _is_nested(_data: bytes, document: Seen) -> bool:
    for *above, name in document.paths:
        inside = set(above[1:])
        if (
            (name in _ROOTS and _ROOTS.intersection(above))
            or (name in _ENTRIES and inside & (_ENTRIES | _FIELDS))
            or (name in _FIELDS | _GROUPS and inside & (_FIELDS | _GROUPS))
        ):
            return True
    return False


def _references(data: bytes) -> set[str]:
    names = re.findall(rb"&([^&;#\s]+);", _without_declarations(data))
    return {name.decode(errors="replace") for name in names} - {"amp", "lt", "gt", "quot", "apos"}


_LABEL = re.compile(rb"""(<\?xml[^>]*?)[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*("[^"]*"|'[^']*')""")
_DECLARATION = re.compile(rb"""<!(?:ELEMENT|ATTLIST|ENTITY|NOTATION)[ \t\r\n](?:[^<>"']|"[^"]*"|'[^']*')*>""")
#: XML 1.0 production 4 and 4a beyond ASCII: what begins a name, and what only goes on with one.
_LETTER = re.compile(
    "[\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff]"
)
_MARK = re.compile("[\xb7\u0300-\u036f\u203f\u2040]")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _without_label(data: bytes) -> bytes:
    found = _LABEL.match(data.removeprefix(b"\xef\xbb\xbf"))
    if found is None or found[2][1:-1].lower() == b"utf-8":
        return data
    bare = _LABEL.sub(rb"\1", data, count=1)
    # In a charset of one byte a character, what is no ASCII is one character each; which one does not matter.
    return bare if _is_utf8(bare) else bare.decode("latin-1").encode()


def _without_declarations(data: bytes) -> bytes:
    before, doctype, rest = data.partition(b"<!DOCTYPE")
    return before + doctype + _DECLARATION.sub(b"", rest)


def _without_letters(data: bytes) -> bytes:
    if not _is_utf8(data):
        return data
    text = data.decode()
    first, rest = (text[:1], text[1:]) if text.startswith("\ufeff") else ("", text)
    rest = _LETTER.sub(lambda letter: f"x{ord(letter[0]):X}", rest)
    return (first + _MARK.sub(lambda mark: f"-{ord(mark[0]):X}", rest)).encode()


_URLSET = b"<urlset>" + PLAIN + b"</urlset>"

THEY_TAKE: Mapping[str, TheyTake] = {
    "entity": TheyTake(
        "no entity of a DOCTYPE is expanded: the reference is reported, and stays as it was written",
        lambda data, document: bool(document.declared & _references(data)),
        (
            b'<!DOCTYPE urlset [<!ENTITY e "x">]><urlset>&e;</urlset>',
            b'<!DOCTYPE urlset [<!ENTITY e "x">]><urlset><url a="&e;"/></urlset>',
        ),
    ),
    "external subset": TheyTake(
        "what a document names is not fetched, so that an entity could be declared there is nothing to go by",
        lambda data, document: document.has_external_subset and bool(_references(data)),
        (b"<!DOCTYPE urlset SYSTEM 'a'><urlset>&e;</urlset>",),
    ),
    "nesting": TheyTake(
        "a root in a root, or an entry in an entry, is well-formed and never meant: it is taken apart",
        _is_nested,
        (
            b"<urlset>" + _URLSET + b"</urlset>",
            b"<urlset><url>" + PLAIN + b"</url></urlset>",
        ),
    ),
    "wrapping": TheyTake(
        "a root inside an element that nobody knows is read all the same, and that element is ignored",
        lambda _data, document: document.paths[0][0] not in _ROOTS | _FEEDS,
        (b"<a>" + _URLSET + b"</a>",),
    ),
    "version": TheyTake(
        "expat reads a document of any version as if it were one of 1.0; production 26 says what a version is",
        lambda _data, document: document.version is not None and not re.fullmatch(r"1\.[0-9]+", document.version),
        (b"<?xml version='2.0'?>" + _URLSET, b"<?xml version='1.'?>" + _URLSET),
    ),
}

WE_TAKE: Mapping[str, WeTake] = {
    "charset": WeTake(
        "a charset that is declared and does not exist, or is not that of the bytes, is reported and does no harm",
        _without_label,
        (
            b"<?xml version='1.0' encoding='utf-9'?>" + _URLSET,
            b"<?xml version='1.0' encoding='utf-16'?>" + _URLSET,
            b"<?xml version='1.0' encoding='gbk'?>" + _URLSET,
        ),
    ),
    "declarations": WeTake(
        "what stands inside a declaration of a DOCTYPE is passed over, and so are its mistakes",
        _without_declarations,
        (b"<!DOCTYPE urlset [<!ENTITY >]>" + _URLSET, b"<!DOCTYPE urlset [<!ATTLIST 'a'>]>" + _URLSET),
    ),
    "letters": WeTake(
        "expat knows the letters that names could have by the fourth edition of XML 1.0, we those of the fifth",
        _without_letters,
        ("<urlset><\U0001d4b3/></urlset>".encode(), "<urlset a\ufeff=''/>".encode()),
    ),
}


def takes(data: bytes) -> bool:
    """Whether expat takes the document, as it is or without what we take and it does not know."""
    if seen(data).error is None:
        return True
    for difference in WE_TAKE.values():
        data = difference.without(data)
    return seen(data).error is None


def is_theirs(data: bytes) -> bool:
    """Whether expat accepts the document for a reason that does not apply to us."""
    document = seen(data)
    return document.error is None and any(difference.is_in(data, document) for difference in THEY_TAKE.values())
