"""A site that attacks whoever audits it: everything is bounded, escaped and reported."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest
import urlset
from rich.console import Console
from support.audit.planted import NAMESPACES, html, text_of
from support.http_server import Answer, Handler, Site
from urlset._output import FORMATS, full

HTML = {"Content-Type": "text/html"}
HTTP = urlset.Http(retries=0, timeout=2, seconds=2)


def endless(handler: Handler) -> None:
    """Send one byte after the other."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    for _ in range(200):
        handler.wfile.write(b"x")
        time.sleep(0.1)


@pytest.mark.long
def test_a_hostile_site_is_audited_to_its_end(site: Site, tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(100_000_000), 9)
    evil = "\x1b[31m\u202e<script>alert(1)</script>" + "x" * 5_000
    pages: dict[str, Answer] = {
        "/bomb": Answer(bomb, headers={"Content-Encoding": "gzip", "Content-Type": "application/pdf", "ETag": '"1"'}),
        "/title": Answer(html(evil, text_of("title")), headers={**HTML, "ETag": '"1"'}),
        "/deep": Answer(b"<div>" * 50_000, headers=HTML),
        "/links": Answer(html("links", "many", links=(f"/{n}" for n in range(5_000))), headers=HTML),
        "/canonicals": Answer(
            html("c", text_of("c"), "".join(f'<link rel=canonical href="/{n}">' for n in range(5_000))), headers=HTML
        ),
        "/scheme": Answer(html("s", text_of("s"), '<link rel=canonical href="javascript:alert(1)">'), headers=HTML),
        "/etag": Answer(html("e", text_of("e")), headers={**HTML, "ETag": '"' + "e" * 3_000 + '"'}),
        "/header": Answer(html("h", text_of("h")), headers={**HTML, "Link": "<" * 5_000, "X-Robots-Tag": "," * 5_000}),
        "/to-local": Answer(status=301, headers={"Location": "http://[::1]:1/"}),
        "/to-file": Answer(status=301, headers={"Location": "file:///etc/passwd"}),
        "/to-itself": Answer(status=301, headers={"Location": "/to-itself"}),
        "/json": Answer(
            html("j", text_of("j"), f'<script type="application/ld+json">{"[" * 50_000}</script>'), headers=HTML
        ),
        "/quote'%22;--": Answer(html("q", text_of("q")), headers=HTML),
    }
    site.pages.update(pages)
    site.pages["/endless"] = endless
    locs = [*pages, "/endless", "/%00", "/\u202egone", "/" + "g" * 2_000]
    rows = "".join(f"<url><loc>{site.url}{path}</loc><lastmod>2026-01-01</lastmod></url>" for path in locs)
    images = "".join(
        f"<image:image><image:loc>{image}</image:loc></image:image>"
        for image in ("javascript:alert(1)", "http://[bad", f"{site.url}/'); DROP TABLE page_findings; --.png")
    )
    rows += f"<url><loc>{site.url}/images</loc>{images}</url>"
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
    state = tmp_path / "site.duckdb"
    begin = time.monotonic()
    for _ in range(2):  # the second look sends the validators of the first
        with urlset.audit(site.url, state=state, http=HTTP) as audit:
            assert audit.looked_at == audit.pages == len(locs) + 1
            assert audit.counts["LIVE012"] >= 2
            assert sum(1 for _ in audit.rows()) > 5
    assert time.monotonic() - begin < 90
    for form, render in FORMATS.items():
        text = render(audit.report)
        assert not any(mark in text for mark in ("\x1b", "\u202e", "\0")) or form in (
            "json",
            "jsonl",
            "sarif",
            "gitlab",
        )
        assert "\x1b" not in text
    with (tmp_path / "out.txt").open("w") as file:
        console = Console(file=file, width=200)
        for finding in audit:
            console.print(full.render(finding))
            assert len(finding.message) < 5_000
    assert state.stat().st_size < 50 << 20


def test_locs_without_a_host_or_a_page_do_not_end_an_audit(site: Site) -> None:
    locs = ["http://[bad/", "ftp://127.0.0.1/x", "http://user:secret@127.0.0.1/x", "nonsense", f"{site.url}/private/x"]
    entries = "".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{entries}</urlset>".encode())
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /private/\n")
    with urlset.audit(site.url, http=urlset.Http(retries=0, timeout=5)) as audit:
        found = [each for each in audit.findings if each.code == "LIVE027"]
    assert [(each.count, each.pattern) for each in found] == [(1, "Disallow: /private/")]
