"""A preview of a site whose sitemap lists production: only what is dialled changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import urlset
from support.audit.planted import NAMESPACES, html, text_of
from support.cli import Cli
from support.http_server import Answer, Handler, Site, serve
from urlset import FetchError, Http, InputError, Rules

SHOP = "https://shop.example"
RULES = Rules(ignore=["LIVE02", "LIVE03"])


@pytest.fixture
def preview() -> Iterator[Site]:
    """A build of a shop, with URLs of production in its sitemap, robots.txt, links, canonicals and hreflang."""
    with serve() as site:
        site.pages["/robots.txt"] = Answer(
            f"User-agent: *\nDisallow: /basket\nSitemap: {SHOP}/sitemap.xml\n".encode(),
            headers={"Content-Type": "text/plain"},
        )
        site.pages["/sitemap.xml"] = Answer(
            f"<sitemapindex {NAMESPACES}><sitemap><loc>{SHOP}/pages.xml</loc></sitemap></sitemapindex>".encode()
        )
        pages = ("/", "/tea", "/old", "/gone", "/alone")
        rows = "".join(f"<url><loc>{SHOP}{path}</loc></url>" for path in pages)
        site.pages["/pages.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
        for path, links in (
            ("/", (f"{SHOP}/tea", "/unlisted", "/basket")),
            ("/tea", ("/",)),
            ("/unlisted", ()),
            ("/alone", ()),
        ):
            head = f'<link rel="canonical" href="{SHOP}{path}"><link rel="alternate" hreflang="en" href="{SHOP}{path}">'
            page = html(path, text_of(path), links=links).replace(b"<title>", head.encode() + b"<title>")
            site.pages[path] = Answer(page, headers={"Content-Type": "text/html"})

        def moved(handler: Handler) -> Answer:
            # As a server that knows only the host that it is asked for.
            return Answer(status=301, headers={"Location": f"http://{handler.headers['Host']}/tea"})

        site.pages["/old"] = moved
        yield site


def mapped(preview: Site, **more: object) -> Http:
    return Http(map={SHOP: preview.url}, retries=0, timeout=10, **more)  # type: ignore[arg-type]


def test_every_name_is_that_of_production(preview: Site, tmp_path: Path) -> None:
    state = tmp_path / "preview.duckdb"
    http = mapped(preview)
    with urlset.crawl(SHOP, state=state, http=http) as crawled:
        assert {page.loc for page in crawled} >= {f"{SHOP}/", f"{SHOP}/tea", f"{SHOP}/unlisted"}
    with urlset.audit(SHOP, state=state, http=http, rules=RULES) as audit:
        assert audit.site == f"{SHOP}/"
        found = {each.code: [page.removeprefix(SHOP) for page in each.examples] for each in audit.findings}
    assert found == {
        "LIVE001": ["/gone"],
        "LIVE003": ["/old"],
        "LIVE006": ["/alone"],
        "LIVE007": ["/unlisted"],
    }
    redirect = next(each for each in audit.findings if each.code == "LIVE003")
    assert redirect.detail == f"{SHOP}/tea, by 301, which is listed too"
    assert "/basket" not in preview.paths()  # by the robots.txt of the preview, as that of production
    hosts = {headers["host"] for _, headers in preview.requests}
    assert hosts == {preview.url.removeprefix("http://")}
    report = urlset.lint(SHOP, http=http)
    assert f"{SHOP}/pages.xml" in report.documents
    assert preview.url not in repr(report)


def test_sitemaps_on_disk_are_checked_against_the_preview(preview: Site, tmp_path: Path) -> None:
    urlset.write([f"{SHOP}/", f"{SHOP}/gone"], tmp_path / "sitemap.xml")
    with urlset.audit(tmp_path / "sitemap.xml", http=mapped(preview), rules=RULES) as audit:
        assert audit.counts == {"LIVE001": 1}


def test_only_the_place_that_was_named_may_be_private(preview: Site) -> None:
    with serve() as other:
        other.pages["/secret.xml"] = Answer(other.urlset("", 3))
        children = "".join(
            f"<sitemap><loc>{url}</loc></sitemap>"
            for url in (f"{SHOP}/pages.xml", f"{other.url}/secret.xml", f"{preview.url}/pages.xml")
        )
        preview.pages["/sitemap.xml"] = Answer(f"<sitemapindex {NAMESPACES}>{children}</sitemapindex>".encode())
        preview.pages["/away.xml"] = Answer(status=302, headers={"Location": f"{other.url}/secret.xml"})
        rows = urlset.read(f"{SHOP}/sitemap.xml", http=mapped(preview, hosts="any"))
        assert {entry.loc for entry in rows} == {f"{SHOP}{path}" for path in ("/", "/tea", "/old", "/gone", "/alone")}
        # The address of the preview is not a site of its own, and the same host on another port is not named.
        assert sorted(str(each).partition(": ")[0] for each in rows.failures) == sorted(
            [f"{other.url}/secret.xml", f"{preview.url}/pages.xml"]
        )
        with pytest.raises(FetchError):
            urlset.read(f"{SHOP}/away.xml", http=mapped(preview, hosts="any"))
        assert other.requests == []
        with pytest.raises(FetchError, match="address"):
            urlset.read(f"{SHOP}/pages.xml", http=mapped(preview, private_addresses="never"))


def test_a_client_of_the_caller_dials_the_preview_too(preview: Site) -> None:
    import httpx2

    with httpx2.Client() as client:
        rows = urlset.scan(f"{SHOP}/sitemap.xml", http=mapped(preview, client=client))
        assert len(list(rows)) == 5
    assert rows.fetches[0].final_url == f"{SHOP}/sitemap.xml"


def test_headers_for_the_site_go_to_its_preview(preview: Site) -> None:
    urlset.read(f"{SHOP}/sitemap.xml", http=mapped(preview, headers={"Authorization": "Bearer preview"}))
    assert all(headers["authorization"] == "Bearer preview" for _, headers in preview.requests)


@pytest.mark.parametrize(
    "sites",
    [
        {"shop.example": "http://127.0.0.1:8000"},
        {SHOP: "127.0.0.1:8000"},
        {SHOP: "http://127.0.0.1:8000/base/"},
        {f"{SHOP}/?a": "http://127.0.0.1:8000"},
        {SHOP: "http://user@127.0.0.1:8000"},
        {SHOP: "ftp://127.0.0.1"},
    ],
)
def test_only_sites_are_mapped(sites: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"^Http\.map is from sites to sites"):
        Http(map=sites)


def test_a_cache_of_production_is_kept_from_previews(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Http\.map cannot be used with a cache"):
        Http(map={SHOP: "http://127.0.0.1:8000"}, cache=tmp_path / "c.sqlite")


def test_a_run_of_a_preview_is_not_compared_with_one_of_the_site(preview: Site, tmp_path: Path) -> None:
    state = tmp_path / "s.duckdb"
    with serve() as other:
        other.pages = dict(preview.pages)
        for site in (other, preview):
            with urlset.audit(SHOP, state=state, http=mapped(site), rules=RULES) as audit:
                assert audit.previous is None
        with urlset.audit(SHOP, state=state, http=mapped(preview), rules=RULES, baseline=1) as audit:
            assert audit.previous is not None
            assert {each.state for each in audit.findings} == {"open"}


def test_the_command_line(preview: Site, tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    ended = cli("audit", SHOP, "--map", f"{SHOP}={preview.url}", "--ignore", "LIVE02,LIVE03", "--format", "concise")
    assert ended.code == 1
    assert f"{SHOP}/gone" in ended.out
    assert preview.url not in ended.out
    assert cli("lint", f"{SHOP}/sitemap.xml", "--map", f"{SHOP}={preview.url}").code == 0
    assert cli("read", SHOP, "--map", SHOP).code == 2
