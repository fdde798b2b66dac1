"""Strategies for videos and news: as elements of a document, and as rows for the writer."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from support.strategies.tree import (
    ATTRIBUTES,
    CAPTIONS,
    FOREIGN_ELEMENTS,
    LOCS,
    NEWS,
    TEXT,
    VIDEO,
    Node,
    leaf,
    some,
)

#: The children of a video in the order of Google's schema, with their attributes.
PARTS: dict[str, tuple[str, ...]] = {
    "thumbnail_loc": (),
    "title": (),
    "description": (),
    "content_loc": (),
    "player_loc": ("allow_embed", "autoplay"),
    "duration": (),
    "expiration_date": (),
    "rating": (),
    "content_segment_loc": ("duration",),
    "view_count": (),
    "publication_date": (),
    "tag": (),
    "category": (),
    "family_friendly": (),
    "restriction": ("relationship",),
    "gallery_loc": ("title",),
    "price": ("currency", "type", "resolution"),
    "requires_subscription": (),
    "uploader": ("info",),
    "tvshow": (),
    "platform": ("relationship",),
    "live": (),
    "id": ("type",),
}
LISTS = ("content_segment_loc", "tag", "price", "id")
SHOW = ("show_title", "video_type", "episode_title", "season_number", "episode_number", "premier_date")
NEWS_PARTS = ("access", "genres", "publication_date", "title", "keywords", "stock_tickers")

# --- elements of a document ---------------------------------------------------------------------------------


def _attributes(names: tuple[str, ...]) -> st.SearchStrategy[dict[tuple[str, str], str]]:
    """Some of the attributes; the same name in a namespace is another one."""
    known = {(space, name): TEXT for space in ("", "urn:x") for name in names}
    return st.fixed_dictionaries({}, optional=known) if names else ATTRIBUTES


def _leaves(namespace: str, *names: str) -> list[st.SearchStrategy[Node]]:
    return [leaf(namespace, name, TEXT) for name in names]


_SHOW = st.builds(
    Node, st.just(VIDEO), st.just("tvshow"), ATTRIBUTES, some([*_leaves(VIDEO, *SHOW, "title"), FOREIGN_ELEMENTS])
)
_VIDEO_FIELDS = {
    name: _SHOW if name == "tvshow" else leaf(VIDEO, name, LOCS if name.endswith("loc") else TEXT, _attributes(names))
    for name, names in PARTS.items()
}
_STRANGERS = st.one_of(FOREIGN_ELEMENTS, *_leaves(VIDEO, "show_title", "unknown", "video"), *_leaves(NEWS, "title"))


@st.composite
def _videos(draw: st.DrawFn) -> Node:
    """A video with a handful of its fields in any order, some of them twice, and other elements."""
    names = draw(st.lists(st.sampled_from([*PARTS, *LISTS]), max_size=5))
    if names:
        names += draw(st.lists(st.sampled_from(names), max_size=2))
    children: list[Node | str] = [draw(_VIDEO_FIELDS[name]) for name in names]
    for stranger in draw(st.lists(st.one_of(_STRANGERS, TEXT), max_size=1)):
        children.insert(draw(st.integers(0, len(children))), stranger)
    return Node(VIDEO, "video", draw(ATTRIBUTES), children)


_PUBLICATIONS = st.builds(
    Node, st.just(NEWS), st.just("publication"), ATTRIBUTES, some(_leaves(NEWS, "name", "language", "title"))
)
_NEWS_FIELDS = [_PUBLICATIONS, *_leaves(NEWS, *NEWS_PARTS, "name", "unknown"), FOREIGN_ELEMENTS]

VIDEO_ELEMENTS = _videos()
NEWS_ELEMENTS = st.builds(
    Node, st.just(NEWS), st.just("news"), ATTRIBUTES, st.lists(st.one_of(*_NEWS_FIELDS), max_size=5)
)

# --- rows for the writer ------------------------------------------------------------------------------------

VIDEO_TEXTS = [
    column
    for name, attributes in PARTS.items()
    if name not in (*LISTS, "tvshow")
    for column in (name, *(f"{name}_{attribute}" for attribute in attributes))
]
NEWS_TEXTS = ("publication_name", "publication_language", *NEWS_PARTS)


def _texts(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any of the fields, in any order, and now and then None or nothing."""
    return st.dictionaries(
        st.sampled_from(names), st.one_of(CAPTIONS, CAPTIONS, st.sampled_from([None, ""])), max_size=4
    )


def _listed(*names: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(_texts(*names), max_size=3)


_NESTED = st.fixed_dictionaries(
    {},
    optional={
        "content_segments": _listed("loc", "duration"),
        "tags": st.lists(CAPTIONS, max_size=4),
        "prices": _listed("price", "currency", "type", "resolution"),
        "tvshow": st.one_of(st.none(), _texts(*SHOW)),
        "ids": _listed("id", "type"),
    },
)
_URL = "https://e.example/a"
#: What stands in place of a drawn text where a text has to have a form.
_FORMS = {
    **dict.fromkeys(("thumbnail_loc", "content_loc", "player_loc", "gallery_loc", "uploader_info"), _URL),
    **dict.fromkeys(("family_friendly", "requires_subscription", "live", "player_loc_allow_embed"), "no"),
    "duration": "600",
    "rating": "4.5",
    "view_count": "7",
    "restriction": "DE AT",
    "platform": "web tv",
    "restriction_relationship": "allow",
    "platform_relationship": "deny",
    "publication_language": "en",
    "publication_date": "2026-01-31",
}


def _whole(row: dict[str, Any], *needed: str) -> dict[str, Any]:
    """The same row as one that no rule calls an error."""
    row = {name: _FORMS.get(name, value) if value else value for name, value in row.items()}
    lacking = [name for name in needed if not row.get(name)]
    lacking += [f"{name}_relationship" for name in ("restriction", "platform") if row.get(name)]
    row |= {name: _FORMS.get(name, "A text") for name in lacking}
    if "content_segments" in row:
        row["content_segments"] = [
            item | {"loc": _URL} if item.get("loc") else item for item in row["content_segments"]
        ]
    return row


VIDEO_ROWS = st.builds(
    lambda texts, nested: _whole(texts | nested, "thumbnail_loc", "title", "description", "content_loc"),
    _texts(*VIDEO_TEXTS),
    _NESTED,
)
_NEWS = _texts(*NEWS_TEXTS).map(
    lambda row: _whole(row, "publication_name", "publication_language", "publication_date", "title")
)
NEWS_ROWS = st.one_of(st.none(), _NEWS)
