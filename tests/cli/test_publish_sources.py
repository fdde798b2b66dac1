"""`urlset publish`: an existing set and the pages of a built site as rows."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import urlset
from support.cli import Cli
from support.cli.readback import BASE, TO, Put, locs, manifest, published
from urlset import Image, SitemapEntry, UrlEntry
from urlset._read.entry_points import NAMES

# --- an existing set -----------------------------------------------------------------------------------------------


def old_set(cli: Cli) -> list[UrlEntry]:
    """A set of another generator in the folder `old`: an index, and two documents with names of its own."""
    entries = [UrlEntry(f"{BASE}{name}", lastmod="2024-01-02", images=[Image(BASE + "1.jpg")]) for name in "abcd"]
    folder = cli.folder / "old"
    folder.mkdir()
    urlset.write(entries[:2], folder / "pages-1.xml")
    urlset.write(entries[2:], folder / "pages-2.xml")
    children = [SitemapEntry(f"{BASE}pages-{number}.xml") for number in (1, 2)]
    urlset.write(children, folder / "sitemap.xml")
    return entries


@pytest.mark.parametrize(
    "given", [["old"], ["old/sitemap.xml"], ["--set", "old"], ["old/pages-2.xml", "old/pages-1.xml"]]
)
def test_a_set_is_taken_over(cli: Cli, given: list[str]) -> None:
    entries = old_set(cli)
    ended = cli("publish", *given, *TO)
    assert (ended.code, ended.err) == (0, "")
    assert published(cli) == entries


def test_a_set_published_over_itself_keeps_its_shards(cli: Cli) -> None:
    entries = old_set(cli)
    ended = cli("publish", "old", "--dest", "old", "--base-url", BASE)
    assert ended.code == 0
    assert "0 added, 0 changed, 0 removed, 0 moved, 4 unchanged" in ended.out
    assert published(cli, "old") == entries
    assert len({shard for _, shard in manifest(cli, "loc, shard", "old")}) == 2


def test_a_feed_and_a_list_are_sets_too(cli: Cli, put: Put) -> None:
    put("feed", f"<rss version='2.0'><channel><item><link>{BASE}a</link></item></channel></rss>")
    put("list.txt", f"{BASE}b\n")
    assert cli("publish", "feed", "list.txt", *TO).code == 0
    assert locs(cli) == ["a", "b"]


def test_a_set_that_is_not_all_there_is_not_published(cli: Cli) -> None:
    old_set(cli)
    (cli.folder / "old" / "pages-2.xml").unlink()
    ended = cli("publish", "old", *TO)
    assert ended.code == 2
    assert f"the child {BASE}pages-2.xml was not found in the same folder" in ended.err
    assert not (cli.folder / "out" / "sitemap.xml").exists()
    with pytest.raises(urlset.FetchError, match=r"pages-2\.xml was not found in the same folder"):
        urlset.publish(urlset.scan(cli.folder / "old", strict=True), cli.folder / "out", base_url=BASE)
    assert not (cli.folder / "out" / "sitemap.xml").exists()


def test_what_was_recovered_is_reported(cli: Cli, put: Put) -> None:
    put(
        "broken.xml", f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{BASE}?a&b</loc></urlset>'
    )
    ended = cli("publish", "broken.xml", *TO)
    assert ended.code == 0
    assert ended.err == "urlset: broken.xml: 1 document had broken markup; `urlset lint` shows where\n"


NO_SITEMAP = (
    f"no sitemap in this folder; looked for {', '.join(NAMES)}, a robots.txt with a Sitemap line, "
    "and files with sitemap in their name"
)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["old", "rows.csv"], "sitemaps and tables cannot be mixed in one section: convert them, or use two sections"),
        (["old", "--shard-by", "key:brand"], "a sitemap has no column brand"),
        (["pages"], f"pages: {NO_SITEMAP}; to take its HTML pages as rows, use --html or urlset.sources.html"),
        (["empty"], f"empty: {NO_SITEMAP}"),
        (["no/*.csv"], "no file matches no/*.csv"),
    ],
)
def test_an_invalid_set_is_reported(cli: Cli, put: Put, options: list[str], said: str) -> None:
    old_set(cli)
    put("rows.csv", "loc\n/a\n")
    put("pages/index.html", "<title>T</title>")
    put("empty/x", "")
    ended = cli("publish", *options, *TO)
    assert (ended.code, ended.err) == (2, f"urlset: {said}\n")


def test_files_are_named_by_a_glob(cli: Cli, put: Put) -> None:
    for name in "cab":
        put(f"more/{name}.csv", f"loc\n/{name}\n")
    assert cli("publish", "more/*.csv", *TO).code == 0
    assert locs(cli) == ["a", "b", "c"]


# --- pages of HTML -------------------------------------------------------------------------------------------------

PAGE = "<!doctype html><html lang=en><head><title>{0}</title>{1}</head><body><main>{0}{2}</main></body></html>"


def build(put: Put) -> None:
    """A built site in the folder `dist`."""
    put("dist/index.html", PAGE.format("Home", '<link rel=alternate hreflang=de href="/de/">', ""))
    put("dist/tea/index.html", PAGE.format("Tea", '<meta property="article:modified_time" content="2024-01-02">', ""))
    put("dist/pot.html", PAGE.format("Pot", "", '<img src="/pot.jpg">'))
    put("dist/old/index.html", PAGE.format("Old", '<meta http-equiv=refresh content="0; url=/tea/">', ""))
    put("dist/cart/index.html", PAGE.format("Cart", '<meta name=robots content="noindex">', ""))
    put("dist/admin/index.html", PAGE.format("Admin", "", ""))
    put("dist/404.html", PAGE.format("Not found", "", ""))
    put("robots.txt", "User-agent: *\nDisallow: /admin/\n")


def test_pages_are_published(cli: Cli, put: Put) -> None:
    build(put)
    ended = cli("publish", "--html", "dist", *TO, "--robots-txt", "robots.txt", "--rejects", "out.jsonl")
    assert (ended.code, ended.err) == (0, "")
    assert locs(cli) == ["", "pot.html", "tea/"]
    lines = ended.out.splitlines()
    assert (
        "left out  4 pages: 1 disallowed by robots.txt, 1 error page, 1 noindex, 1 redirect; --rejects FILE names them"
        in lines
    )
    assert "lastmods  2 none, 1 page" in lines
    rejects = [json.loads(line) for line in (cli.folder / "out.jsonl").read_text().splitlines()]
    assert {(each["file"], each["code"]) for each in rejects} == {
        ("404.html", "404"),
        ("admin/index.html", "robots"),
        ("cart/index.html", "noindex"),
        ("old/index.html", "redirect"),
    }
    assert all(each["reason"] for each in rejects)


def test_pages_with_every_option_of_html(cli: Cli, put: Put) -> None:
    build(put)
    options = [
        "--alternates",
        "--images",
        "--trailing-slash",
        "always",
        "--exclude-pages",
        "admin/**",
        "--boilerplate",
        "aside",
    ]
    ended = cli("publish", "--html", "dist", *TO, *options, "--html-url", BASE + "shop/")
    assert (ended.code, ended.err) == (0, "")
    home, pot, tea = (entry for entry in published(cli) if isinstance(entry, UrlEntry))
    assert [entry.loc for entry in (home, pot, tea)] == [BASE + "shop/", BASE + "shop/pot/", BASE + "shop/tea/"]
    assert [alternate.hreflang for alternate in home.alternates] == ["de"]
    assert [image.loc for image in pot.images] == [BASE + "pot.jpg"]
    assert tea.lastmod_raw == "2024-01-02"


def test_pages_that_changed_are_seen_to_have(cli: Cli, put: Put) -> None:
    build(put)
    site = ("publish", "--html", "dist", "--dest", "dist", "--base-url", BASE)
    assert cli(*site).code == 0
    put("dist/pot.html", PAGE.format("Pot, new", "", ""))
    ended = cli(*site)
    assert "0 added, 1 changed, 0 removed, 0 moved, 3 unchanged" in ended.out
    assert "lastmods  2 none, 1 content, 1 page" in ended.out
    assert "files: 0 written" in cli(*site).out


def test_dates_come_from_the_files_that_pages_are_made_of(cli: Cli, put: Put) -> None:
    build(put)
    put("content/_index.md", "---\ndate: 2020-01-01\nlastmod: 2024-03-04\n---\n# Home\n")
    put("content/pot.md", "no front matter\n")
    put("content/tea.md", "---\nlastmod: 2024-05-06\n---\n")
    put("content/admin.md", "---\nlastmod: yesterday\n---\n")
    git(cli.folder / "content", "init", "-q")
    git(cli.folder / "content", "add", ".")
    git(cli.folder / "content", "commit", "-qm", "x", date="2024-07-08T09:10:11Z")
    options = ["--lastmod-from", "git", "--lastmod-from", "front-matter", "--files", "content"]
    ended = cli("publish", "--html", "dist", *TO, *options)
    assert ended.code == 0
    assert ended.err == "urlset: admin.md: lastmod must be a date, got 'yesterday'\n"
    assert manifest(cli, "loc, lastmod, lastmod_source") == [
        (BASE, "2024-03-04", "front matter"),
        (BASE + "admin/", "2024-07-08T09:10:11Z", "git"),
        (BASE + "pot.html", "2024-07-08T09:10:11Z", "git"),
        (BASE + "tea/", "2024-01-02", "page"),  # what the page says itself counts more
    ]


def test_dates_of_rows_with_a_file(cli: Cli, put: Put) -> None:
    put("content/a.md", "---\nlastmod: 2024-03-04\n---\n")
    put("content/b.md", "---\nlastmod: 2024-03-05\n---\n")
    put("secret.md", "---\nlastmod: 2024-03-06\n---\n")
    (cli.folder / "content" / "link.md").symlink_to(cli.folder / "secret.md")
    put(
        "rows.csv",
        f"loc,source,lastmod\n/a,a.md,\n/b,b.md,2020\n/c,../secret.md,\n/d,{cli.folder}/secret.md,\n/e,link.md,\n/f,,\n",
    )
    options = ["--columns", "file=source", "--lastmod-from", "front-matter", "--files", "content"]
    ended = cli("publish", "rows.csv", *TO, *options)
    assert (ended.code, ended.err) == (0, "")
    assert [(lastmod, source) for lastmod, source in manifest(cli, "lastmod, lastmod_source")] == [
        ("2024-03-04", "front matter"),
        ("2020", "column"),
        *[(None, None)] * 4,
    ]


def test_a_shallow_clone_is_refused(cli: Cli, put: Put) -> None:
    put("origin/a.md", "a")
    git(cli.folder / "origin", "init", "-q")
    for number in range(2):
        put("origin/a.md", str(number))
        git(cli.folder / "origin", "add", ".")
        git(cli.folder / "origin", "commit", "-qm", "x", date="2024-07-08T09:10:11Z")
    git(cli.folder, "clone", "-q", "--depth", "1", f"file://{cli.folder}/origin", "shallow")
    put("rows.csv", "loc,file\n/a,a.md\n")
    ended = cli("publish", "rows.csv", *TO, "--lastmod-from", "git", "--files", "shallow")
    assert ended.code == 2
    assert "git fetch --unshallow" in ended.err


def git(folder: Path, *arguments: str, date: str = "2024-01-01T00:00:00Z") -> None:
    environment = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_COMMITTER_DATE": date,
        **{f"GIT_{who}_{what}": f"{what}@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        "PATH": "/usr/bin:/bin",
    }
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True)


def test_pages_that_contradict_the_base_url(cli: Cli, put: Put) -> None:
    for name in ("index.html", "tea/index.html", "pot/index.html"):
        own = "https://shop.example.com/" + name.removesuffix("index.html")
        put(f"dist/{name}", PAGE.format(name, f'<link rel=canonical href="{own}">', ""))
    said = (
        "urlset: nearly all canonical URLs are below https://shop.example.com/, and 3 pages were left out for that: set"
        " base-url to that, unless the pages are copies\n"
    )
    ended = cli("publish", "--html", "dist", *TO)
    assert ended.code == 1
    assert ended.err.startswith(said + "urlset: not published: ")
    assert cli("publish", "--html", "dist", *TO, "--quiet").err == ended.err
    summary = json.loads(cli("publish", "--html", "dist", *TO, "--dry-run", "--format", "json").out)
    assert summary["hints"] == [said.removeprefix("urlset: ").removesuffix("\n")]
    right = ("--dest", "out", "--base-url", "https://shop.example.com/")
    ended = cli("publish", "--html", "dist", *right)
    assert (ended.code, ended.err) == (0, "")


def test_the_dates_of_a_generators_own_sitemap_are_not_believed(cli: Cli, put: Put) -> None:
    """A generator that writes the time of its build into its sitemap has not seen any page change."""
    build(put)
    locs_of = "".join(f"<url><loc>{BASE}{path}</loc><lastmod>2026-11-20</lastmod></url>" for path in ("", "pot.html"))
    put("dist/sitemap.xml", f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs_of}</urlset>')
    ended = cli("publish", "--html", "dist", "--dest", "dist", "--base-url", BASE)
    assert ended.code == 0
    assert "lastmods  3 none, 1 page" in ended.out
    assert "no page gets a lastmod that another program has written" in ended.out
    assert "2026-11-20" not in (cli.folder / "dist/sitemap.xml").read_text()
