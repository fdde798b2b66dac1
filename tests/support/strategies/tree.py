"""The trees that `strategies` draws documents as: elements, what stands in them, and what no reader may look into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO = "http://www.google.com/schemas/sitemap-video/1.1"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
XSI = "http://www.w3.org/2001/XMLSchema-instance"

# Namespaces that mean nothing to a sitemap; the last two differ from a real one by a hair.
FOREIGN = ("", "urn:x", "http://www.openarchives.org/rs/terms/", CORE + "/", IMAGE.replace("http", "https"))

# --- characters ---------------------------------------------------------------------------------------------

# XML 1.0 `Char`: tab, LF, CR and everything from space up but surrogates, U+FFFE and U+FFFF.
XML_CHARS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
# C1 controls are legal in XML 1.0 and no blanks, whatever str.strip thinks of U+0085.
AWKWARD = "&<>'\";]\t\n\r\x85\xa0\u2028\ufeff😀 a"
TEXT = st.one_of(
    st.text(XML_CHARS, max_size=8),
    st.text(AWKWARD, max_size=8),
    st.sampled_from(["", "]]>", "a\r\nb", "&amp;"]),
)
BLANK = st.sampled_from([" ", "\n", "\r\n", "\t", " \n  "])


def words(text: str, *more: str) -> st.SearchStrategy[str]:
    """One of the blank-separated words, or one of the texts that hold blanks themselves."""
    return st.sampled_from([*text.split(), *more])


NAMES = words("url loc lastmod sitemap urlset image x a-b.c _1 été 名前")

# --- the tree: what a document says -------------------------------------------------------------------------


@dataclass(slots=True)
class Node:
    """An element: namespace ("" for no namespace), local name, attributes by (namespace, name), children in order."""

    namespace: str
    name: str
    attributes: dict[tuple[str, str], str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)


LOC_PARTS = st.sampled_from(
    ["http://a.example/", "https://b.example/p?x=1&y=2", "/relative", "%C3%A9", "&copy=2", *"aé'\"<>"]
)
LOCS = st.one_of(st.lists(LOC_PARTS, min_size=1, max_size=4).map("".join), TEXT)


NO_ATTRIBUTES: dict[tuple[str, str], str] = {}
ATTRIBUTES = st.one_of(
    st.just(NO_ATTRIBUTES),
    st.just(NO_ATTRIBUTES),
    st.dictionaries(
        st.tuples(st.sampled_from(["", "", XSI, "urn:x"]), st.sampled_from(["href", "rel", "loc", "é"])),
        TEXT,
        max_size=2,
    ),
)


def foreign(depth: int) -> st.SearchStrategy[Node]:
    """An element no reader may look into, whatever it and its children are called."""
    return st.builds(Node, st.sampled_from([*FOREIGN, VIDEO, NEWS]), NAMES, ATTRIBUTES, inside(depth - 1))


def inside(depth: int) -> st.SearchStrategy[list[Node | str]]:
    if depth <= 0:
        return st.lists(TEXT, max_size=1)
    known = st.builds(Node, st.sampled_from([CORE, IMAGE, XHTML]), NAMES, ATTRIBUTES, inside(depth - 1))
    return st.lists(st.one_of(TEXT, foreign(depth), known), max_size=2)


FOREIGN_ELEMENTS = foreign(3)


@st.composite
def leaf(
    draw: st.DrawFn,
    namespace: str,
    name: str,
    values: st.SearchStrategy[str],
    attributes: st.SearchStrategy[dict[tuple[str, str], str]] = ATTRIBUTES,
) -> Node:
    """A field: its value, sometimes padded, sometimes with an element in the middle that does not belong to it."""
    text = draw(values)
    children: list[Node | str] = [text]
    match draw(st.integers(0, 9)):
        case 1 | 2:
            children = [draw(BLANK), text, draw(BLANK)]
        case 3:
            cut = draw(st.integers(0, len(text)))
            children = [text[:cut], draw(FOREIGN_ELEMENTS), text[cut:]]
    return Node(namespace, name, draw(attributes), children)


def some(fields: Sequence[st.SearchStrategy[Node]]) -> st.SearchStrategy[list[Node | str]]:
    """Each of the fields once and in order, or any number of any of them in any order."""
    loose: st.SearchStrategy[list[Node | str]] = st.lists(st.one_of(*fields), max_size=len(fields) + 1)
    return st.one_of(st.tuples(*fields).map(list), loose)


# Stripped, since padding is rightly not read back, and neither is an empty text.
CAPTIONS = TEXT.map(lambda text: text.strip(" \t\r\n") or "A caption")
