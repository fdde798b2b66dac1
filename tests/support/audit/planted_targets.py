"""Faults of where a planted site leads: its links, language versions, scripts, and documents that are not pages."""

from __future__ import annotations

from support.audit.planted import Planted, html, text_of
from support.audit.planted_faults import fault, plain
from support.http_server import Answer


@fault
def islands(site: Planted, n: int) -> None:
    """LIVE028."""
    for name, other in (("a", "b"), ("b", "a")):
        path = f"/island/{name}-{n}"
        site.page(path, html(f"Island {path}", text_of(path), links=[f"/island/{other}-{n}", "/"]))
        site.list_(path, link=False)
        site.expect("LIVE028", path)
    # Near: a page behind one that the crawl reaches, and links to it from the island.
    path = f"/mainland/{n}"
    site.page(path, html(f"Mainland {n}", text_of(path), links=[f"/shore/{n}"]))
    site.list_(path)
    shore = f"/shore/{n}"
    site.page(shore, plain(shore))
    site.list_(shore, link=False)


@fault
def links(site: Planted, n: int) -> None:
    """LIVE029, LIVE030."""
    for status in (404, 500):
        path = f"/dead/{status}-{n}"
        site.answer(path, Answer(b"gone", status))
        site.linked.append(path)
        site.expect("LIVE029", path)
    for status in (301, 302):
        path = f"/moved/{status}-{n}"
        site.answer(path, Answer(status=status, headers={"Location": f"/new/{n}"}))
        site.linked.append(path)
        site.expect("LIVE030", path)


@fault
def no_pages(site: Planted, n: int) -> None:
    """LIVE031."""
    for name, body, kind in (
        ("feed", b"<rss version='2.0'/>", "application/rss+xml"),
        ("empty", b"", "text/html"),
        ("data", b"{}", "application/json"),
    ):
        path = f"/nothing/{name}-{n}"
        site.page(path, body, Content_Type=kind)
        site.list_(path)
        site.expect("LIVE031", path)
    path = f"/nothing/accepted-{n}"
    site.answer(path, Answer(plain(path), 202, {"Content-Type": "text/html", "ETag": '"1"'}))
    site.list_(path)
    site.expect("LIVE031", path)
    # Near: a document that search engines show.
    path = f"/list/{n}.pdf"
    site.page(path, b"%PDF-1.4", Content_Type="application/pdf")
    site.list_(path)


@fault
def versions(site: Planted, n: int) -> None:
    """LIVE032, LIVE033, LIVE034."""

    def alternates(*paths: str) -> str:
        return "".join(f'<link rel="alternate" hreflang="{path[1:3]}" href="{site.url}{path}">' for path in paths)

    hidden = f"/fr/hidden-{n}"
    site.page(hidden, plain(hidden, '<meta name="robots" content="noindex">'))
    for name, target in (("gone", f"/de/gone-{n}"), ("hidden", hidden), ("old", f"/de/old-{n}")):
        path = f"/en/{name}-{n}"
        site.page(path, plain(path, alternates(path, target)))
        site.list_(path)
        site.expect("LIVE032", path)
    site.answer(f"/de/old-{n}", Answer(status=301, headers={"Location": f"/new/{n}"}))
    one_way, silent = f"/en/one-way-{n}", f"/de/silent-{n}"
    site.page(one_way, plain(one_way, alternates(one_way, silent)))
    site.page(silent, plain(silent, alternates(silent)))
    site.list_(one_way)
    site.list_(silent)
    site.expect("LIVE033", one_way)
    # Near: a whole group, one of which no sitemap lists.
    group = (f"/en/whole-{n}", f"/de/whole-{n}", f"/fr/whole-{n}")
    for path in group:
        site.page(path, plain(path, alternates(*group)))
    for path in group[:2]:
        site.list_(path)
    site.expect("LIVE034", group[2])


@fault
def targets(site: Planted, n: int) -> None:
    """LIVE035 to LIVE037, LIVE039."""
    hidden = f"/private-offer/{n}"
    site.page(hidden, plain(hidden, '<meta name="robots" content="noindex">'))
    path = f"/offer/{n}"
    site.page(path, plain(path, f'<link rel="canonical" href="{site.url}{hidden}">'))
    site.list_(path)
    site.expect("LIVE035", path)
    path = f"/expired/{n}"
    site.page(path, plain(path, '<meta name="robots" content="unavailable_after: 2025-12-31">'))
    site.list_(path)
    site.expect("LIVE036", path)
    path = f"/script/{n}"
    site.page(path, f"<title>{path}</title><script>location.href = '/new/{n}'</script>{path}".encode())
    site.list_(path)
    site.expect("LIVE037", path)
    path = f"/low/{n}"
    site.page(path, plain(path, f'<img src="/pixel.gif"><link rel="canonical" href="{site.url}{path}">'))
    site.list_(path)
    site.expect("LIVE039", path)
    # Near: what lies ahead, and a script on a page that has content.
    path = f"/coming/{n}"
    head = f'<meta name="robots" content="unavailable_after: 2199-12-31"><script>location = \'/new/{n}\'</script>'
    site.page(path, plain(path, head))
    site.list_(path)


@fault
def near_texts(site: Planted, n: int) -> None:
    """LIVE038."""
    words = text_of(f"near {n}", 150).split()

    def changed(share: float, name: str) -> str:
        """The text with other words at such a share of its places."""
        step = round(1 / share)
        return " ".join(f"{name}{at}" if at % step == 1 else word for at, word in enumerate(words))

    # 96 % of the sequences: a sketch of 128 lanes is never so far off that it says less than 90.
    for path, text in ((f"/near/{n}", " ".join(words)), (f"/near/other-{n}", changed(0.01, "other"))):
        site.page(path, html(f"Near {path}", text))
        site.list_(path)
    site.expect("LIVE038", f"/near/other-{n}")
    # Near: a tenth of the words; pages of one list; versions of one page; what stands around two main parts.
    site.page(f"/near/far-{n}", html(f"Far {n}", changed(0.1, "far")))
    site.list_(f"/near/far-{n}")
    listed = text_of(f"listed {n}", 150)
    for path in (f"/pages-{n}", f"/pages-{n}?page=2", f"/pages-{n}/page/3/"):
        site.page(path, html(f"Pages {n}", f"{listed} {path}"))
        site.list_(path)
    regions = (("en-gb", f"/gb/near-{n}"), ("en-us", f"/us/near-{n}"))
    links = "".join(f'<link rel="alternate" hreflang="{code}" href="{site.url}{path}">' for code, path in regions)
    for code, path in regions:
        site.page(path, html(f"Region {n}", f"{text_of(f'region {n}', 150)} {code}", links))
        site.list_(path)
    for path in (f"/around/one-{n}", f"/around/two-{n}"):
        site.page(path, html(f"Around {path}", f"{listed}</p><main><p>{text_of(path)}</p></main><p>"))
        site.list_(path)
