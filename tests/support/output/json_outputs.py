"""What each verb prints as JSON: commands that are run for real, so that every key of every output has a value once."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urlset

from support.audit.planted import html, text_of
from support.cli import Cli
from support.http_server import NAMESPACE, Answer, Handler, closed_port, serve
from support.indexnow.folder import NOON, Folder, Page
from support.indexnow.server import KEY, serving
from support.indexnow.server import Answer as EngineAnswer
from support.read.videos import ARTICLES, FULL

OLD, NEW = "2026-01-01T10:00:00Z", "2026-02-01T10:00:00Z"
MOMENT = "Thu, 01 Jan 2026 10:00:00 GMT"
HTML = {"Content-Type": "text/html; charset=utf-8"}


@dataclass(slots=True)
class Outputs:
    """The command line in a folder, and the values that it has printed, by the name of their schema."""

    folder: Path
    found: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))

    def run(self, *arguments: str, code: int = 0, stdin: bytes = b"", **env: str) -> str:
        """Run a command that ends with a code, and return what it prints."""
        ended = Cli(self.folder)(*arguments, stdin=stdin, **env)
        assert ended.code == code, f"{arguments}\n{ended.out}{ended.err}"
        return ended.out

    def json(self, schema: str, *arguments: str, form: str = "json", **how: Any) -> Any:
        """Run a command with a JSON format, keep what it prints, and return that."""
        text = self.run(*arguments, "--format", form, **how)
        value = [json.loads(line) for line in text.splitlines()] if form == "jsonl" else json.loads(text)
        self.found[schema].extend(value if isinstance(value, list) else [value])
        return value

    def rows(self, schema: str, *arguments: str, code: int = 0) -> None:
        """Run a command whose rows are the same as an array and as lines."""
        assert self.json(schema, *arguments, code=code) == self.json(schema, *arguments, code=code, form="jsonl")

    def file(self, schema: str, name: str) -> None:
        """Keep the JSON of a file: lines, or one value."""
        text = (self.folder / name).read_text("utf-8")
        self.found[schema] += map(json.loads, text.splitlines()) if name.endswith("l") else [json.loads(text)]

    def put(self, name: str, content: str | bytes) -> str:
        """Write a file, and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name


def urls(*entries: str) -> bytes:
    """A sitemap with entries, of which each is what stands between its tags."""
    items = "".join(f"<url>{each}</url>\n" for each in entries)
    return (
        f'<urlset xmlns="{NAMESPACE}" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
        ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
        f' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n{items}</urlset>'
    ).encode()


def index(*children: str, lastmod: str = "") -> bytes:
    """An index of children."""
    stated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    items = "".join(f"<sitemap><loc>{each}</loc>{stated}</sitemap>" for each in children)
    return f'<sitemapindex xmlns="{NAMESPACE}">{items}</sitemapindex>'.encode()


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


def discover(each: Outputs) -> None:
    with serve() as site:
        site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/index.xml\nSitemap: {site.url}/gone.xml\n".encode())
        site.pages["/index.xml"] = Answer(index(f"{site.url}/a.xml"))
        site.pages["/a.xml"] = site.pages["/sitemap.xml"] = Answer(
            urls(f"<loc>{site.url}/</loc><lastmod>{OLD}</lastmod>")
        )
        each.json("discover", "discover", site.url, "--tree", code=2)


def watch(each: Outputs) -> None:
    def lay(*, first: str, second: str, folder: str = "set") -> None:
        each.put(f"{folder}/sitemap.xml", index("https://a.example/a.xml", "https://a.example/b.xml"))
        each.put(f"{folder}/a.xml", urls(*(f"<loc>https://a.example/{name}</loc>" for name in first.split())))
        each.put(f"{folder}/b.xml", urls(*(f"<loc>https://a.example/{name}</loc>" for name in second.split())))

    for before, after in (("1 2", "3"), ("1 4", "2 5")):
        lay(first=before, second=after)
        each.run("watch", "set", "--state", "w.sqlite", "--format", "summary", code=0 if after == "3" else 1)
    each.put("set/b.xml", urls(f"<loc>https://a.example/2</loc><lastmod>{OLD}</lastmod>"))
    each.run("watch", "set", "--state", "w.sqlite", "--format", "summary", code=1)
    each.put("set/b.xml", urls(f"<loc>https://a.example/2</loc><lastmod>{NEW}</lastmod>"))
    each.run("watch", "set", "--state", "w.sqlite", "--format", "summary", code=1)
    each.rows("watch", "watch", "--state", "w.sqlite", "--since", "0", code=1)


def diff(each: Outputs) -> None:
    each.put(
        "old.xml", urls(f"<loc>https://a.example/1</loc><lastmod>{OLD}</lastmod>", "<loc>https://a.example/2</loc>")
    )
    each.put(
        "new.xml", urls(f"<loc>https://a.example/1</loc><lastmod>{NEW}</lastmod>", "<loc>https://a.example/3</loc>")
    )
    each.rows("diff", "diff", "old.xml", "new.xml", code=1)


def crawl(each: Outputs) -> None:
    with serve() as site:
        head = (
            f'<link rel=canonical href="/"><link rel=alternate hreflang=de href="{site.url}/de">'
            '<meta name=robots content="noarchive"><meta property="article:published_time" content="2026-01-01">'
            '<meta property="article:modified_time" content="2026-01-02T10:00:00Z">'
            '<script type="application/ld+json">{"@type": "WebPage", "dateModified": "2026-01-03T10:00:00Z"}</script>'
        )
        body = "<img src=/a.png>" + text_of("home")
        links = ("/old", "/gone", "/private", "/app", "/x?PHPSESSID=0123456789abcdef")
        headers = {"ETag": '"1"', "Last-Modified": MOMENT, "Link": '</>; rel="canonical"'}
        site.pages["/"] = Answer(html("Tea", body, head, links), headers=HTML | headers)
        site.pages["/old"] = Answer(status=301, headers={"Location": "/plain"})
        page = b'<title>Plain</title><meta name=robots content="noindex, nofollow"><p>plain'
        site.pages["/plain"] = Answer(page, headers=HTML)
        site.pages["/app"] = Answer(b'<div id="app"></div><script src=/a.js></script>', headers=HTML)
        site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /private\n")
        each.json("crawl", "crawl", site.url, "--state", "c.duckdb", form="jsonl")
        each.json("crawl", "crawl", site.url, "--render")
        each.rows("crawl-rows", "crawl", site.url, "--rows")


def audit(each: Outputs) -> None:
    with serve() as site:

        def lay(paths: str, lastmod: str, edition: int) -> None:
            """Serve a site whose pages below /a/ are of an edition, and all of whose others stay as they are.

            One of an edition has a date whose day is not over, which need not move.
            """
            for path in ("/", "/a/1", "/a/2", "/new", "/alone"):
                links = ("/a/1", "/a/2", "/new") if path == "/" else ()
                text = text_of(f"{path} {edition}" if path.startswith("/a") else path)
                site.pages[path] = Answer(html(path, text, links=links), headers=HTML)
            moved = {path: lastmod if path.startswith("/a/") else OLD for path in paths.split()}
            moved |= {"/alone": "2099-01-01"} if "/alone" in moved else {}
            locs = (f"<loc>{site.url}{path}</loc><lastmod>{moment}</lastmod>" for path, moment in moved.items())
            site.pages["/sitemap.xml"] = Answer(urls(*locs))

        run = ("audit", site.url, "--summary")
        kept = (*run, "--state", "a.duckdb")
        lay("/ /a/1 /a/2 /alone /gone /gone2", OLD, 1)
        site.pages["/old"] = Answer(status=301, headers={"Location": "/new"})
        for listed in (("/?a&b", "/gone"), ("/?a&b", "/gone", "/old")):
            options = ("--lint", "--state", "b.duckdb")
            each.put("bad.xml", urls(*(f"<loc>{site.url}{path}</loc>" for path in listed)))
            each.json("audit", "audit", "bad.xml", *options, code=1, form="jsonl")
        each.put("bad.xml", urls(f"<loc>{site.url}/gone</loc>"))
        each.json("audit-summary", "audit", "bad.xml", "--summary", *options, code=1)
        each.json("audit-summary", *kept, "--crawl", "--lint", code=1)
        lay("/ /a/1 /a/2 /alone", OLD, 2)
        each.json("audit-summary", *kept, code=1)
        lay("/ /a/1 /a/2 /alone /new /gone", NEW, 3)
        each.json("audit-summary", *kept, code=1)
        each.json("audit-summary", *run, "--sample", "3", "--fail-on", "info", code=1)
        each.json("audit-summary", *run, "--max-bytes", "1000", code=2)
        lay("/gone", OLD, 3)
        each.json("audit-summary", *run, code=1)
        site.pages["/index.xml"] = Answer(index(f"{site.url}/sitemap.xml", f"{site.url}/missing.xml"))
        each.json("audit-summary", "audit", f"{site.url}/index.xml", "--summary", code=2)


def robots(each: Outputs) -> None:
    each.put("robots.txt", "Sitemap: s.xml\nUser-agent: *\nDisallow: /tea\n\nUser-agent: teabot\nDisalow: /pots\n")
    text = (each.folder / "robots.txt").read_bytes()
    each.json("robots", "robots", "-", code=1, stdin=text)
    each.put("s.xml", urls("<loc>https://a.example/tea</loc>"))
    for options in ([], ["--sitemaps", "s.xml"]):
        each.json("robots", "robots", "robots.txt", *options, code=1)
        each.json("robots-lines", "robots", "robots.txt", *options, code=1, form="jsonl")
    with serve() as site:
        site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/gone.xml\n".encode())
        each.json("robots", "robots", site.url, "--check", code=2)


def rates(each: Outputs) -> None:
    # Looks at /tea/1: a change that is told, one that is told a day later, none, and a move since the last fetch.
    looks = ["1,10-31", "2,11-01T12:00:00Z", "3,11-01T12:00:00Z", "3,11-02T06:00:00Z", "3,11-02T06:00:00Z", ",11-05"]
    lines = [
        f"https://a.example/tea/1,2026-11-{day:02},{look.replace(',', ',2026-')},900,0.5"
        for day, look in enumerate(looks, 1)
    ]
    lines.append("https://a.example/about,2026-11-01,,,,")
    # A date need not move for a second change on its day.
    lines.extend(f"https://a.example/tea/2,2026-11-01T{hour:02}:00:00Z,{hour},2026-11-01,900,0.5" for hour in (6, 18))
    each.put("looks.csv", "\n".join(["loc,time,hash,lastmod,bytes,priority", *lines]))
    with serve() as site:
        site.pages["/"] = Answer(html("Tea", text_of("home"), links=["/a"]), headers=HTML)
        site.pages["/a"] = Answer(html("A", text_of("a")), headers=HTML)
        each.run("crawl", site.url, "--state", "r.duckdb")
        each.json("rates", "rates", "looks.csv", "r.duckdb")
    each.json("rates", "rates", "looks.csv", form="jsonl")
    each.json("rates-sections", "rates", "looks.csv", "r.duckdb", "--by", "section")
    each.json("rates-sections", "rates", "looks.csv", "--by", "section", form="jsonl")


def schedule(each: Outputs) -> None:
    each.put("pages.csv", "loc,change_rate\nhttps://a.example/tea,2\nhttps://a.example/about,0\n")
    each.json("schedule", "schedule", "pages.csv", "--budget", "3/day")
    each.json("schedule", "schedule", "pages.csv", "--budget", "3/day", form="jsonl")
    each.put("new.csv", "loc,change_rate\nhttps://a.example/tea,2\nhttps://a.example/new,\n")
    each.json("schedule", "schedule", "new.csv", "--budget", "3/day", "--explore", "0.1")
    each.json("schedule-due", "schedule", "pages.csv", "--budget", "3/day", "--due", "2d")
    each.json("schedule-due", "schedule", "pages.csv", "--budget", "3/day", "--due", "2d", form="jsonl")


def simulate(each: Outputs) -> None:
    each.put(
        "pages.csv", "loc,change_rate,bytes,stamps\nhttps://a.example/tea,2,900,1\nhttps://a.example/about,0,700,\n"
    )
    each.json("simulate", "simulate", "pages.csv", "--budget", "3/day", "--days", "2")
    each.json("simulate", "simulate", "--draw", "3", "--budget", "3/day", "--days", "2", form="jsonl")
    each.put("pages.csv", "loc,change_rate,importance\nhttps://a.example/tea,2,0\n")
    each.json("simulate", "simulate", "pages.csv", "--budget", "3/day", "--days", "2", "--policies", "uniform")


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
