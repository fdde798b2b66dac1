"""What each verb prints as JSON: commands that are run for real, so that every key of every output has a value once."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import urlset

from support.audit.planted import html, text_of
from support.http_server import Answer, Handler, closed_port, serve
from support.indexnow.folder import NOON, Folder, Page
from support.indexnow.server import KEY, serving
from support.indexnow.server import Answer as EngineAnswer
from support.output.outputs import MOMENT, NEW, OLD, Outputs, index, urls
from support.output.site_outputs import audit, crawl, discover, rates, robots, schedule, simulate, watch
from support.read.videos import ARTICLES, FULL

IMAGE = (
    "<image:image><image:loc>https://a.example/a.png</image:loc><image:title>A</image:title><image:caption>A tea"
    "</image:caption><image:geo_location>Ghent</image:geo_location><image:license>https://a.example/l</image:license>"
    '</image:image><xhtml:link rel="alternate" hreflang="de" media="print" href="https://a.example/de"/>'
)


def read(each: Outputs) -> None:
    each.put("videos.xml", FULL)
    each.put("news.xml", ARTICLES)
    each.put(
        "pages.xml",
        urls(
            f"<loc>https://a.example/</loc><lastmod>{OLD}</lastmod><changefreq>daily</changefreq>"
            f"<priority>0.5</priority>{IMAGE}",
            "<lastmod>yesterday</lastmod><image:image></image:image><xhtml:link/><video:video>"
            '<video:content_segment_loc duration="9"></video:content_segment_loc><video:id type="tms"></video:id>'
            "</video:video>",
        ),
    )
    each.rows("read", "read", "videos.xml", "news.xml", "pages.xml")
    with serve() as site:
        site.pages["/sitemap.xml"] = Answer(index(f"{site.url}/a.xml", f"{site.url}/b.xml", lastmod=OLD))
        site.pages["/b.xml"] = Answer(status=301, headers={"Location": "/c.xml"})
        site.pages["/a.xml"] = site.pages["/c.xml"] = _tagged
        nobody = f"http://127.0.0.1:{closed_port()}/a.xml"
        site.pages["/robots.txt"] = Answer(f"Sitemap: {nobody}\nSitemap: {site.url}/sitemap.xml\n".encode())
        for _ in range(3):
            options = ("--cache", "c.sqlite", "--trust-index", "--fetches", "f.jsonl", "--concurrency", "1")
            each.run("read", site.url, *options, "--retries", "0", "--hosts", "any", code=2)
            each.file("read-fetches", "f.jsonl")


def _tagged(handler: Handler) -> Answer:
    if handler.headers.get("If-None-Match") == '"1"':
        return Answer(status=304)
    body = gzip.compress(urls("<loc>https://a.example/</loc>"))
    headers = {
        "Content-Encoding": "gzip",
        "ETag": '"1"',
        "Last-Modified": MOMENT,
        "Content-Type": "application/xml",
    }
    return Answer(body, headers=headers)


def stats(each: Outputs) -> None:
    each.put("set/a.xml", urls(f"<loc>https://a.example/tea/1</loc><lastmod>{OLD}</lastmod>{IMAGE}", "<loc>b</loc>"))
    each.put("set/b.xml", urls("<loc>https://a.example/tea/2</loc><lastmod>yesterday</lastmod>"))
    each.put("set/c.xml", urls("<loc>https://a.example/tea?a&b</loc>"))
    each.put("set/sitemap.xml", index(*(f"https://a.example/{name}.xml" for name in "abc")))
    each.put("broken.xml", b"<html>no</html>")
    each.json("stats", "stats", "set")
    each.json("stats", "stats", "set", "broken.xml", code=2)
    each.json("stats", "stats", "set", "--sample-sitemaps", "2")
    each.json("stats", "stats", "set", "--exclude", "*/1")
    each.json("stats", "stats", "set", "--sample-sitemaps", "1", "--include-sitemaps", "*/a.xml")


def diff(each: Outputs) -> None:
    each.put(
        "old.xml", urls(f"<loc>https://a.example/1</loc><lastmod>{OLD}</lastmod>", "<loc>https://a.example/2</loc>")
    )
    each.put(
        "new.xml", urls(f"<loc>https://a.example/1</loc><lastmod>{NEW}</lastmod>", "<loc>https://a.example/3</loc>")
    )
    each.rows("diff", "diff", "old.xml", "new.xml", code=1)


def publish(each: Outputs) -> None:
    to = ("--dest", "out", "--base-url", "https://a.example/shop/", "--scope", "https://a.example/")
    lenient = ("--on-error", "collect", "--on-bad-value", "drop", "--plan-out", "plan.json", "--rejects", "no.jsonl")

    def rows(text: str) -> str:
        return each.put("rows.csv", "loc,lastmod,key\n" + "\n".join(text.split()) + "\n")

    def published(*options: str, code: int = 0) -> None:
        each.json("publish", "publish", *options, *lenient, code=code)
        each.file("publish-plan", "plan.json")
        each.file("publish-rejects", "no.jsonl")

    by_key = (*to, "--shard-by", "key:key")
    published(rows("a,2026-01-01,k b,2026-01-01,k c,2026-01-01,l d,2026-01-01,m"), *by_key)
    changed = "a,2026-01-02,k b,2026-01-01,l c,2026-01-01,l e,,n e,,n /f,yesterday,n mailto:g,,n"
    published(rows(changed), *by_key, "--dry-run", code=1)
    published("rows.csv", *by_key, code=1)
    published("rows.csv", *by_key, code=1)
    each.json("publish-rollback", "publish", "--rollback", "--dest", "out")
    each.json("publish-blocked", "publish", rows("a,, ,, mailto:g,,"), *to, *lenient, code=1)
    published("rows.csv", *to, "--dry-run", code=1)
    published("rows.csv", *to, "--allow", "shrunk", code=1)
    # Rows of a sitemap have no line of their own.
    entries = urls("<loc>mailto:g</loc>", "<loc>https://a.example/shop/</loc><lastmod>yesterday</lastmod>")
    published(each.put("entries.xml", entries), "--dest", "entries", "--base-url", "https://a.example/", code=1)
    # A set of another program, one of whose documents stays as it is.
    each.put("other/sitemap.xml", index("https://a.example/a.xml", "https://a.example/b.xml"))
    for name in "ab":
        each.put(f"other/{name}.xml", urls(f"<loc>https://a.example/{name}</loc>"))
    published(each.put("rows.txt", "/a\n/b\n/c\n"), "--dest", "other", "--base-url", "https://a.example/")
    # Sections, of which one is of pages whose canonicals are below another base.
    for page in range(30):
        head = f'<link rel="canonical" href="https://www.a.example/{page}.html">'
        each.put(f"dist/{page}.html", html(str(page), text_of(page), head))
    each.put("dist/404.html", html("Gone", "not found"))
    rows("https://other.example/,, " * 30)
    sections = (
        '[[publish.section]]\nname = "pages"\nhtml = "dist"\n[[publish.section]]\nname = "shop"\nrows = ["rows.csv"]'
    )
    each.put("urlset.toml", f'[publish]\nbase-url = "https://a.example/"\ndest = "site"\n{sections}\n')
    each.json("publish-blocked", "publish", *lenient, code=1)
    rows("a,yesterday, mailto:me,,")
    published(code=1)


def verify(each: Outputs) -> None:
    for rows in (["/a"], ["/a", "/b"]):
        sections = {"old": urlset.Section(["/"]), "new": urlset.Section(rows)}
        urlset.publish(sections, each.folder / "out", base_url="https://a.example/")
    each.json("verify", "verify", "--dest", "out")
    for path in (each.folder / "out").glob("sitemap-new-*"):
        path.unlink()
    each.json("verify", "verify", "--dest", "out", code=1)


def feed(each: Outputs) -> None:
    _listed(each, "feed")


def llms(each: Outputs) -> None:
    _listed(each, "llms")


def _listed(each: Outputs, verb: str) -> None:
    """List pages of each kind: some without a title, a date or a place in the set, and one whose twin is no URL."""
    to = ("--dest", "out", "--base-url", "https://a.example/", "--title", "Tea")
    texts = f"{'t' * 400},mailto:a"
    each.put("rows.csv", f"loc,lastmod,title,markdown\n/a,2026-01-01,,\n/b,2026-01-02,{texts}\n/c,,c,\n/d,2025,d,\n")
    each.run("publish", "rows.csv", *to[:4])
    each.json(verb, verb, "rows.csv", *to)
    each.json(verb, verb, "rows.csv", *to, "--limit", "2")
    each.put("rows.csv", "loc,title\n/a,A\n/z,Z\n")
    each.json(verb, verb, "rows.csv", *to, code=1)
    for page in "de":
        each.put(f"dist/{page}.html", html(page, "tea", '<meta name="robots" content="noindex">' * (page == "e")))
    each.run("publish", "--html", "dist", *to[:4], "--allow", "shrunk")
    dated = '<meta property="article:modified_time" content="2026-01-01">'
    each.put("dist/d.html", html("d", "tea", dated))
    each.run("publish", "--html", "dist", *to[:4], "--allow", "shrunk")
    each.json(verb, verb, "--html", "dist", *to)


def submit(each: Outputs) -> None:
    with serving() as engine:
        usual = ("submit", "--endpoint", engine.endpoint, "--allow-http", "--dest")
        base = engine.base_url
        folder = Folder(each.folder / "out", base)
        folder.publish([Page(f"{base}a"), Page(f"{base}b"), Page(f"{base}c")])
        folder.publish([Page(f"{base}a"), Page(f"{base}b", key=2), Page(f"{base}c", gone=NOON), Page(f"{base}d")])
        each.json("submit", *usual, "out", "--dry-run", URLSET_INDEXNOW_KEY=KEY)
        engine.answers.append(EngineAnswer(202))
        each.json("submit", *usual, "out", URLSET_INDEXNOW_KEY=KEY)
        shop = Folder(each.folder / "shop", base)
        shop.begun([])
        shop.publish([Page("https://other.example/"), Page(f"{base}a"), Page(f"{base}shop/b")])
        engine.files["/shop/key.txt"] = EngineAnswer(body=KEY.encode())
        at = ("--key-location", f"{base}shop/key.txt")
        each.json("submit", *usual, "shop", *at, code=1, URLSET_INDEXNOW_KEY=KEY)


def lint(each: Outputs) -> None:
    many = ["<loc>/x</loc><lastmod>2026-1-3</lastmod>"] * 1_100
    each.put("bad.xml", urls("<loc>https://a.example/?a&b</loc>", *many))
    each.json("lint", "lint", "bad.xml", code=1)
    each.json("lint", "lint", "bad.xml", code=1, form="jsonl")
    each.json("lint-statistics", "lint", "bad.xml", "--statistics", code=1)


def rule(each: Outputs) -> None:
    each.json("rule", "rule")
    each.json("rule", "rule", "LOC002")


SCENARIOS: dict[str, Callable[[Outputs], None]] = {
    each.__name__: each
    for each in (
        read,
        stats,
        discover,
        watch,
        crawl,
        audit,
        robots,
        rates,
        schedule,
        simulate,
        publish,
        verify,
        feed,
        llms,
        submit,
        diff,
        lint,
        rule,
    )
}
