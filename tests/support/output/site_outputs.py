"""What the verbs for whole sites print as JSON: each finds, looks at, judges or plans the pages of a site."""

from __future__ import annotations

from support.audit.planted import html, text_of
from support.http_server import Answer, serve
from support.output.outputs import HTML, MOMENT, NEW, OLD, Outputs, index, urls


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
