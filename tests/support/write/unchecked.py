"""A document of a row, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
    ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    ' xmlns:xhtml="http://www.w3.org/1999/xhtml">'
)
_ATTRIBUTES = {
    "restriction_relationship": "restriction",
    "platform_relationship": "platform",
    "player_loc_allow_embed": "player_loc",
    "uploader_info": "uploader",
}


def _escaped(text: object) -> str:
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def _element(name: str, text: object, attributes: str = "") -> str:
    return f"<{name}{attributes}>{'' if text is None else _escaped(text)}</{name}>"


def unchecked(row: Mapping[str, Any]) -> bytes:
    """The document of one row."""
    parts = [_element(name, row[name]) for name in ("loc", "lastmod", "changefreq", "priority") if row.get(name)]
    locs = [image.get("loc") for image in row.get("images") or ()]
    parts += [f"<image:image>{_element('image:loc', loc)}</image:image>" for loc in locs]
    parts += [f"<video:video>{_video(video)}</video:video>" for video in row.get("videos") or ()]
    for link in row.get("alternates") or ():
        given = {"rel": "alternate", **link}
        attributes = "".join(f' {name}="{_escaped(text)}"' for name, text in given.items() if text)
        parts.append(f"<xhtml:link{attributes}/>")
    if news := row.get("news"):
        parts.append(f"<news:news>{_news(news)}</news:news>")
    return f"{_HEAD}<url>{''.join(parts)}</url></urlset>".encode()


def _video(video: Mapping[str, Any]) -> str:
    out = ""
    names = dict.fromkeys(_ATTRIBUTES.get(name, name) for name in video)
    for name in names:
        value = video.get(name)
        if name == "tags":
            out += "".join(_element("video:tag", tag) for tag in value or ())
        elif name == "content_segments":
            out += "".join(_element("video:content_segment_loc", segment["loc"]) for segment in value or ())
        else:
            own = [attribute for attribute, of in _ATTRIBUTES.items() if of == name and attribute in video]
            texts = "".join(f' {one.removeprefix(name + "_")}="{_escaped(video[one])}"' for one in own)
            out += _element(f"video:{name}", value, texts)
    return out


def _news(news: Mapping[str, Any]) -> str:
    inner = "".join(
        _element(f"news:{name.removeprefix('publication_')}", news[name])
        for name in ("publication_name", "publication_language")
        if name in news
    )
    rest = "".join(_element(f"news:{name}", news[name]) for name in ("publication_date", "title") if name in news)
    return f"<news:publication>{inner}</news:publication>{rest}"
