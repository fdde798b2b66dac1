"""The faults of a planted site: each function plants one kind of them, with its near misses."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta

from support.audit.planted import FIRST, Planted, html, text_of
from support.http_server import Answer, Handler

CHALLENGE = b"<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={};</script>"
FAULTS: list[Callable[[Planted, int], None]] = []


def fault(plant: Callable[[Planted, int], None]) -> Callable[[Planted, int], None]:
    """Add a fault."""
    FAULTS.append(plant)
    return plant


def plain(path: str, head: str = "", title: str | None = None) -> bytes:
    """Return a page with nothing wrong but what its head says."""
    return html(title or f"Page {path}", text_of(path), head)


@fault
def errors(site: Planted, n: int) -> None:
    """LIVE001, LIVE002."""
    for status in (404, 410, 401):
        path = f"/gone/{status}-{n}"
        site.answer(path, Answer(b"gone", status))
        site.list_(path, link=False)
        site.expect("LIVE001", path)
    path = f"/broken/{n}"
    site.answer(path, Answer(b"error", 500))
    site.list_(path, link=False)
    site.expect("LIVE002", path)
    # A redirect to a page that is gone is an error, too, and no redirect that could be followed.
    path = f"/gone/redirect-{n}"
    site.answer(path, Answer(status=301, headers={"Location": f"/gone/404-{n}"}))
    site.list_(path, link=False)
    site.expect("LIVE001", path)


@fault
def redirects(site: Planted, n: int) -> None:
    """LIVE003, LIVE012."""
    target = f"/new/{n}"
    site.page(target, plain(target))
    site.list_(target)
    for path, to in (
        (f"/new/{n}/", target),
        (f"/NEW/{n}", target),
        (f"/old/{n}", target),
        (f"/older/{n}", f"/old/{n}"),
        (f"/new/{n}?ref=1", target),
    ):
        site.answer(path, Answer(status=301, headers={"Location": to}))
        site.list_(path, link=False)
        site.expect("LIVE003", path)
    for path, to in (
        (f"/loop/{n}", f"/loop/{n}/"),
        (f"/loop/{n}/", f"/loop/{n}"),
        (f"/nowhere/{n}", "mailto:a@b.example"),
    ):
        site.answer(path, Answer(status=302, headers={"Location": to}))
    site.answer(f"/lost/{n}", Answer(status=302))
    for path in (f"/loop/{n}", f"/nowhere/{n}", f"/lost/{n}"):
        site.list_(path, link=False)
        site.expect("LIVE012", path)


@fault
def noindex(site: Planted, n: int) -> None:
    """LIVE004."""
    metas = ("noindex", "NONE, noarchive", "follow,noindex")
    for at, meta in enumerate(metas):
        path = f"/hidden/meta-{at}-{n}"
        site.page(path, plain(path, f'<meta name="robots" content="{meta}">'))
        site.list_(path)
        site.expect("LIVE004", path)
    path = f"/hidden/google-{n}"
    site.page(path, plain(path, '<meta name="googlebot" content="noindex">'))
    site.list_(path)
    site.expect("LIVE004", path)
    path = f"/hidden/header-{n}"
    site.page(path, plain(path), X_Robots_Tag="noindex, nofollow")
    site.list_(path)
    site.expect("LIVE004", path)
    # Near: other words, and another crawler.
    for at, head in enumerate(
        (
            '<meta name="robots" content="max-image-preview:none">',
            '<meta name="robots" content="noimageindex, index">',
            '<meta name="otherbot" content="noindex">',
            '<!-- <meta name="robots" content="noindex"> -->',
        )
    ):
        path = f"/shown/{at}-{n}"
        site.page(path, plain(path, head))
        site.list_(path)
    path = f"/shown/header-{n}"
    site.page(path, plain(path), X_Robots_Tag="otherbot: noindex, nofollow")
    site.list_(path)


@fault
def canonicals(site: Planted, n: int) -> None:
    """LIVE005 and LIVE023 to LIVE026."""

    def canonical(path: str) -> str:
        return f'<link rel="canonical" href="{site.url}{path}">'

    own = f"/one/own-{n}"
    site.page(own, plain(own, canonical(own)))
    site.list_(own)
    relative = f"/one/relative-{n}"
    site.page(relative, plain(relative, f'<link rel=canonical href="{relative}#top">'))
    site.list_(relative)
    both = f"/one/both-{n}"
    site.page(both, plain(both, canonical(both)), Link=f'<{site.url}{both}>; rel="canonical"')
    site.list_(both)
    for path, head, headers, code in (
        (f"/one/other-{n}", canonical(own), {}, "LIVE005"),
        (f"/one/{n}?size=1", canonical(own), {}, "LIVE005"),
        (f"/one/header-{n}", "", {"Link": f'<{site.url}{own}>; rel="canonical"'}, "LIVE005"),
        (f"/one/several-{n}", canonical(own) + canonical(relative), {}, "LIVE023"),
        (f"/one/gone-{n}", canonical(f"/gone/404-{n}"), {}, "LIVE024"),
        (f"/one/never-{n}", canonical(f"/never/{n}"), {}, "LIVE024"),
        (f"/one/moved-{n}", canonical(f"/old/{n}"), {}, "LIVE024"),
        (f"/one/chain-{n}", canonical(f"/one/other-{n}"), {}, "LIVE025"),
        (
            f"/one/conflict-{n}",
            canonical(f"/one/conflict-{n}"),
            {"Link": f'<{site.url}{own}>; rel="canonical"'},
            "LIVE026",
        ),
    ):
        site.page(path, plain(path, head), **headers)
        site.list_(path)
        site.expect(code, path)


@fault
def links(site: Planted, n: int) -> None:
    """LIVE006, LIVE007."""
    orphan = f"/orphan/{n}"
    site.page(orphan, html(f"Orphan {n}", text_of(orphan), links=[orphan, f"{orphan}#top"]))  # its own do not count
    site.list_(orphan, link=False)
    site.expect("LIVE006", orphan)
    # Near: what links lead to goes on to the page.
    behind = f"/behind/{n}"
    site.page(behind, plain(behind))
    site.answer(f"{behind}/", Answer(status=301, headers={"Location": behind}))
    site.list_(behind, link=False)
    site.linked.append(f"{behind}/")
    site.expect("LIVE030", f"{behind}/")
    missing = f"/unlisted/{n}"
    site.page(missing, plain(missing))
    site.linked.append(missing)
    site.expect("LIVE007", missing)
    # Near: pages that must not be indexed, or are another URL of a listed one.
    for path, head in (
        (f"/unlisted/noindex-{n}", '<meta name="robots" content="noindex">'),
        (f"/unlisted/canonical-{n}", f'<link rel="canonical" href="{site.url}/new/{n}">'),
    ):
        site.page(path, plain(path, head))
        site.linked.append(path)


@fault
def dates(site: Planted, n: int) -> None:
    """LIVE008, LIVE015."""

    def json_ld(modified: datetime) -> str:
        return (
            '<script type="application/ld+json">{"@type": "Article", '
            f'"dateModified": "{modified.isoformat()}"}}</script>'
        )

    def meta(modified: datetime) -> str:
        return f'<meta property="article:modified_time" content="{modified.isoformat()}">'

    for name, head, lastmod, code in (
        ("behind-json", json_ld(FIRST), FIRST - timedelta(days=8), "LIVE008"),
        ("behind-meta", meta(FIRST), FIRST - timedelta(days=100), "LIVE008"),
        ("ahead-json", json_ld(FIRST), FIRST + timedelta(days=31), "LIVE015"),
        ("ahead-meta", meta(FIRST), FIRST + timedelta(days=200), "LIVE015"),
        ("near-behind", json_ld(FIRST), FIRST - timedelta(days=7), None),
        ("near-ahead", json_ld(FIRST), FIRST + timedelta(days=30), None),
        ("none", json_ld(FIRST), None, None),
    ):
        path = f"/dated/{name}-{n}"
        site.page(path, plain(path, head))
        site.list_(path, lastmod=lastmod)
        if code is not None:
            site.expect(code, path)
    path = f"/dated/header-{n}.html"
    site.file(path, plain(path), FIRST)
    site.list_(path, lastmod=FIRST - timedelta(days=30))
    site.expect("LIVE008", path)


@fault
def images(site: Planted, n: int) -> None:
    """LIVE009."""
    site.answer(f"/images/{n}.png", Answer(b"\x89PNG", headers={"Content-Type": "image/png"}))
    site.answer(f"/images/{n}.txt", Answer(b"no image", headers={"Content-Type": "text/plain"}))
    for name, image, is_found in (
        ("good", f"{n}.png", False),
        ("none", f"gone-{n}.png", True),
        ("text", f"{n}.txt", True),
    ):
        path = f"/pictures/{name}-{n}"
        site.page(path, plain(path))
        site.list_(path, images=(f"/images/{image}",))
        if is_found:
            site.expect("LIVE009", path)
    film, clip = f"/films/{n}.mp4", f"/films/no-head-{n}.mp4"
    site.answer(film, Answer(b"film", headers={"Content-Type": "video/mp4"}))
    # Near: a server that does not answer HEAD.
    site.answer(clip, lambda each: Answer(b"f", 206 if each.command == "GET" else 405, {"Content-Type": "video/mp4"}))
    good = {"thumbnail_loc": f"/images/{n}.png", "content_loc": film, "player_loc": f"/new/{n}"}
    for name, video, is_found in (
        ("good", {}, False),
        ("no-head", {"content_loc": clip}, False),
        ("gone", {"content_loc": f"/films/gone-{n}.mp4"}, True),
        ("page", {"content_loc": f"/new/{n}"}, True),
        ("thumbnail", {"thumbnail_loc": f"/images/{n}.txt"}, True),
        ("player", {"player_loc": f"/films/gone-{n}"}, True),
        ("private", {"content_loc": f"/private/{n}.mp4"}, True),
    ):
        path = f"/videos/{name}-{n}"
        site.page(path, plain(path))
        site.list_(path, video={**good, **video})
        if is_found:
            site.expect("LIVE009", path)


@fault
def languages(site: Planted, n: int) -> None:
    """LIVE010, LIVE033."""

    def alternates(*pairs: tuple[str, str]) -> str:
        return "".join(f'<link rel="alternate" hreflang="{language}" href="{site.url}{to}">' for language, to in pairs)

    for name, said, is_found in (
        ("same", (("de", f"/new/{n}"), ("EN", f"/languages/same-{n}")), False),
        ("other", (("de", f"/tea/{n}.html"), ("en", f"/languages/other-{n}")), True),
        ("less", (("en", f"/languages/less-{n}"),), True),
        ("none", (), False),
    ):
        path = f"/languages/{name}-{n}"
        site.page(path, plain(path, alternates(*said)))
        site.list_(path, alternates=(("en", path), ("de", f"/new/{n}")))
        if is_found:
            site.expect("LIVE010", path)
        if len(said) > 1:  # the other page does not name this one
            site.expect("LIVE033", path)


@fault
def walls(site: Planted, n: int) -> None:
    """LIVE011."""
    for path, page in (
        (f"/wall/403-{n}", Answer(b"no", 403)),
        (f"/wall/429-{n}", Answer(b"later", 429)),
        (f"/wall/503-{n}", Answer(b"later", 503)),
        (f"/wall/challenge-{n}", Answer(CHALLENGE, 200, {"Content-Type": "text/html", "cf-mitigated": "challenge"})),
    ):
        site.answer(path, page)
        site.list_(path, link=False)
        site.expect("LIVE011", path)


@fault
def disallowed(site: Planted, n: int) -> None:
    """LIVE027."""
    path = f"/private/{n}"
    site.answer(path, Answer(b"never asked for"))
    site.list_(path, link=False)
    site.expect("LIVE027", path)


@fault
def errors_that_answer_200(site: Planted, n: int) -> None:
    """LIVE013, LIVE014."""
    path = f"/soft/{n}"
    site.page(path, html("Page not found", f"Sorry {n}."))
    site.list_(path)
    site.expect("LIVE013", path)
    # Near: one sign alone.
    for name, body in (
        ("named", html("How to make a 404 page", text_of(f"404 {n}"))),
        ("few", html(f"Contact {n}", f"Call us {n}.")),
    ):
        site.page(f"/soft/{name}-{n}", body)
        site.list_(f"/soft/{name}-{n}")
    path = f"/flaky/{n}"
    site.failing.add(path)

    def flaky(_: Handler) -> Answer:
        if path in site.failing:
            site.failing.remove(path)
            return Answer(b"error", 500)
        return Answer(plain(path), headers={"Content-Type": "text/html", "ETag": '"1"'})

    site.answer(path, flaky)
    site.list_(path, link=False)
    site.expect("LIVE014", path)


@fault
def validators(site: Planted, n: int) -> None:
    """LIVE019 to LIVE021."""
    path = f"/validators/unstable-{n}"
    count = [0]

    def unstable(_: Handler) -> Answer:
        count[0] += 1
        return Answer(
            plain(f"/validators/unstable-{n}"), headers={"Content-Type": "text/html", "ETag": f'"{count[0]}"'}
        )

    site.answer(path, unstable)
    site.list_(path)
    site.expect("LIVE019", path)
    path = f"/validators/ignored-{n}"
    site.answer(path, Answer(plain(path), headers={"Content-Type": "text/html", "ETag": '"always"'}))
    site.list_(path)
    site.expect("LIVE020", path)
    path = f"/validators/none-{n}"
    site.answer(path, Answer(plain(path), headers={"Content-Type": "text/html"}))
    site.list_(path)
    site.expect("LIVE021", path)


@fault
def copies(site: Planted, n: int) -> None:
    """LIVE022."""
    body = html(f"Copy {n}", text_of(f"copy {n}"))
    for path in (f"/copy/{n}", f"/copy/{n}?ref=1", f"/copies/more-{n}"):
        site.page(path, body)
        site.list_(path)
    site.expect("LIVE022", f"/copy/{n}?ref=1", f"/copies/more-{n}")
    # Near: pages without a translation, which have the text of another language, and say so both in their heads or
    # both in their entries. One that only one of the two names is a copy.
    for name, in_heads, in_entries in (
        ("heads", ("en", "de"), ()),
        ("entries", (), ("en", "de")),
        ("mixed", ("en",), ("de",)),
        ("one-way", ("de",), ()),
    ):
        paths = {language: f"/fallback/{name}-{n}{ending}" for language, ending in (("en", ""), ("de", "/de"))}
        links = "".join(f'<link rel="alternate" hreflang="{each}" href="{path}">' for each, path in paths.items())
        for language, path in paths.items():
            site.page(path, html(f"{name} {n}", text_of(f"{name} {n}"), links if language in in_heads else ""))
            site.list_(path, alternates=tuple(paths.items()) if language in in_entries else ())
    site.expect("LIVE022", f"/fallback/one-way-{n}/de")
    site.expect("LIVE033", f"/fallback/one-way-{n}/de")


@fault
def unfinished(site: Planted, n: int) -> None:
    """LIVE011, of a page that only a browser finishes. Nothing links to it: a crawl would not know where it leads."""
    path = f"/app/{n}"
    site.page(path, b'<!doctype html><title>App</title><body><div id="root"></div><script src="/app.js"></script>')
    site.list_(path, link=False)
    site.expect("LIVE006", path)
    site.expect("LIVE011", path)


@fault
def looks(site: Planted, n: int) -> None:
    """Pages that `change` changes: LIVE016 to LIVE018."""
    for name in ("both", "moved", "changed", "neither", "stale"):
        path = f"/look/{name}-{n}"
        site.edition[path] = 0
        site.list_(path)

        def body(path: str = path) -> bytes:
            # What each rendering has anew is no content.
            token = f'<input type="hidden" name="csrf_token" value="{random.random()}">'
            return html(f"Look {path}", text_of(f"{path} {site.edition[path]}")) + token.encode()

        if name != "stale":
            site.page(path, body)
            continue

        def stale(handler: Handler, path: str = path, body: Callable[[], bytes] = body) -> Answer:
            headers = {"Content-Type": "text/html", "ETag": f'"{path}"'}
            if handler.headers.get("If-None-Match", "").removeprefix("W/") == f'"{path}"':
                return Answer(status=304, headers=headers)
            return Answer(body(), headers=headers)

        site.answer(path, stale)
