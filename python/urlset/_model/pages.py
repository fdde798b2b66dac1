"""One page of a site, as a crawl or an audit saw it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from urlset._model.fetched_pages import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a site. All that was not found is None, or empty.

    Attributes:
        loc: The URL that was requested.
        final_url: The URL that answered, after redirects.
        status: Status of the last answer; None without one.
        problem: What went wrong, in words.
        refused: Why the answer proves nothing about the page, such as `"robots"`, `"bot challenge"` or `"timeout"`.
        hops: The redirects: each URL that redirected, with its status.
        method: `"GET"`, or `"HEAD"` if only the headers were requested.
        depth: How many clicks lead to it from the start.
        content_type: The header of that name.
        bytes: Size of its body, without compression.
        seconds: How long the last answer took.
        fetched: When it was fetched.
        title: Its title.
        language: The language that it states.
        robots: The instructions for robots as `bot: instruction`, from metas and X-Robots-Tag; `robots` are all bots.
        is_noindex: Whether it must not be indexed, by all bots or Google's.
        is_nofollow: Whether its links must not be followed.
        canonicals: The URLs that its metadata calls canonical, in their normal form by RFC 3986.
        header_canonicals: Those of its Link headers.
        hreflang: Its versions in other languages: language and URL.
        images: Its images.
        etag: The header of that name.
        last_modified: The header of that name.
        modified: When it was changed, by its metas or microdata.
        published: When it was published, by its metas or microdata.
        json_modified: When it was changed, by its JSON-LD.
        content_hash: Hash of its visible content, without what each rendering has anew, as 16 hexadecimal digits.
        body_hash: Hash of its bytes, in the same form.
        words: Words of visible text.
        needs_browser: Why its content is only there in a browser, and is not known.
        rendered: What a browser has changed of it, or why it could not be shown; None if it was not shown in one.
        trap: Why it was not requested: one of endlessly many URLs.
    """

    loc: str
    final_url: str | None
    status: int | None
    problem: str | None
    refused: Refused | None
    hops: tuple[tuple[str, int], ...]
    method: str | None
    depth: int | None
    content_type: str | None
    bytes: int | None
    seconds: float | None
    fetched: datetime | None
    title: str | None
    language: str | None
    robots: tuple[str, ...]
    is_noindex: bool | None
    is_nofollow: bool | None
    canonicals: tuple[str, ...]
    header_canonicals: tuple[str, ...]
    hreflang: tuple[tuple[str, str], ...]
    images: tuple[str, ...]
    etag: str | None
    last_modified: datetime | None
    modified: datetime | None
    published: datetime | None
    json_modified: datetime | None
    content_hash: str | None
    body_hash: str | None
    words: int | None
    needs_browser: str | None
    rendered: str | None
    trap: str | None
