"""A folder of built pages as rows: which pages, their URLs, their order, and the reasons for skipping the others."""

from __future__ import annotations

import io
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import urlset
from support.html_site import BASE, PAGE, Skips, site
from urlset import InputError
from urlset.sources._locs import TrailingSlash
from urlset.sources.html import PageBudget, pages

DATA = Path(__file__).parent / "data"


def locs(folder: Path, **options: Any) -> list[str]:
    return [row["loc"].removeprefix(BASE) for row in pages(folder, base_url=BASE, **options)]


# --- where a page lives -------------------------------------------------------------------------------------

FILES = ("index.html", "a/index.html", "a/index.htm", "b.html", "b.c.htm", "d/e.html", "d/.html")
TABLE = {
    ("slash", "keep"): ["", "a/", "a/", "b.c.htm", "b.html", "d/.html", "d/e.html"],
    ("slash", "always"): ["", "a/", "a/", "b.c/", "b/", "d/.html", "d/e/"],
    ("slash", "never"): ["", "a", "a", "b.c", "b", "d/.html", "d/e"],
    ("keep", "keep"): ["index.html", "a/index.htm", "a/index.html", "b.c.htm", "b.html", "d/.html", "d/e.html"],
    ("keep", "always"): ["index.html", "a/index.htm", "a/index.html", "b.c/", "b/", "d/.html", "d/e/"],
    ("keep", "never"): ["index.html", "a/index.htm", "a/index.html", "b.c", "b", "d/.html", "d/e"],
}


@pytest.mark.parametrize("policy", TABLE)
def test_a_files_url_follows_the_table(tmp_path: Path, policy: tuple[str, str]) -> None:
    found = locs(site(tmp_path, *FILES), index_pages=policy[0], trailing_slash=policy[1])
    assert sorted(found) == sorted(TABLE[policy])


#: URLs that a page at a/index.html or b.html may call canonical, and still be taken, and under which it is listed then.
OWN: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {
    ("slash", "keep"): {
        "a/": ("a/", "a/index.html", "a/index.htm#x", "%61/"),
        "a": ("a",),
        "b.html": ("b.html", "./b.html?"),
        "b": ("b",),
        "b/": ("b/",),
    },
    ("slash", "always"): {"a/": ("a/", "a", "a/index.html"), "b/": ("b/", "b", "b.html")},
    ("slash", "never"): {"a": ("a/", "a", "a/index.html"), "b": ("b/", "b", "b.html")},
    ("keep", "keep"): {"a/index.html": ("a/index.html",), "a/": ("a/",), "b.html": ("b.html",), "b": ("b",)},
    ("keep", "never"): {"a/index.html": ("a/index.html",), "a": ("a",), "b": ("b.html", "b", "b/")},
}
OTHER = ["c/", "a/b/", "a/index.html?x", "a/index.php", "//b.example/a/", "a%2F"]


@pytest.mark.parametrize("policy", OWN)
def test_a_canonical_url_is_compared_by_the_same_table(tmp_path: Path, policy: tuple[str, str]) -> None:
    own = {url: listed for listed, urls in OWN[policy].items() for url in urls}
    for file in ("a/index.html", "b.html"):
        for url in [*(each for each, listed in own.items() if listed[0] == file[0]), *OTHER]:
            html = f'<title>T</title><base href="/"><link rel=canonical href="{url}">'
            policies: Any = dict(zip(("index_pages", "trailing_slash"), policy, strict=True))
            found = pages(site(tmp_path, file, html=html), base_url=BASE, include_pages=[file], **policies)
            assert [row["loc"].removeprefix(BASE) for row in found] == ([own[url]] if url in own else []), url
            assert found.skipped == ({} if url in own else {"canonical": 1})


def test_the_folder_can_be_served_below_the_root(tmp_path: Path) -> None:
    html = '<title>T</title><link rel=canonical href="https://a.example/docs">'
    for base in ("https://a.example/docs", "https://a.example/docs/"):
        slashes: tuple[TrailingSlash, ...] = ("keep", "always", "never")
        for slash in slashes:
            found = pages(site(tmp_path, "index.html", html=html), base_url=base, trailing_slash=slash)
            assert [row["loc"] for row in found] == ["https://a.example/docs/"]


ODD = [
    "100%.html",
    "a b/c?d#e.html",
    "a&b'c;d=e,f+g@h!i$j(k)*~.html",
    "caf\N{LATIN SMALL LETTER E WITH ACUTE}.html",
    "cafe\N{COMBINING ACUTE ACCENT}.html",
    "line\nbreak/x\ty.html",
    "back\\slash.html",
    '<"quoted">.html',
    "日本語/index.html",
    "%41.html",
    ":.html",
]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_a_server_serves_every_loc_with_its_file(tmp_path: Path) -> None:
    site(tmp_path, *ODD, "index.html")
    with served(tmp_path) as base:
        rows = list(pages(tmp_path, base_url=base))
        assert len(rows) == len(ODD) + 1
        for row in rows:
            with urlopen(row["loc"]) as answer:
                assert answer.read() == (tmp_path / row["file"]).read_bytes()
    written = io.BytesIO()
    urlset.write([row["loc"] for row in rows], written)
    assert [entry.loc for entry in urlset.read(written.getvalue())] == [row["loc"] for row in rows]


def test_file_names_are_not_changed(tmp_path: Path) -> None:
    assert set(locs(site(tmp_path, *ODD[3:5]))) == {"caf%C3%A9.html", "cafe%CC%81.html"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf_8_is_escaped_byte_by_byte(tmp_path: Path) -> None:
    skips = Skips()
    html = '<title>T</title><meta name="robots" content="noindex">'
    [row] = pages(site(tmp_path, b"\xe9t\xe9.html"), base_url=BASE, on_skip=skips)
    assert (row["loc"], row["file"]) == (f"{BASE}%E9t%E9.html", "\\xe9t\\xe9.html")
    assert list(pages(site(tmp_path, b"\xe9t\xe9.html", html=html), base_url=BASE, on_skip=skips)) == []
    assert skips.reasons == {"\\xe9t\\xe9.html": "noindex"}


# --- rows ---------------------------------------------------------------------------------------------------


def test_a_row_has_only_what_the_page_states(tmp_path: Path) -> None:
    html = (DATA / "hugo.html").read_text()
    path = tmp_path / "posts" / "drying-chillies" / "index.html"
    path.parent.mkdir(parents=True)
    path.write_text(html)
    [row] = pages(tmp_path, base_url="https://garden.example/", alternates=True, images=True)
    [plain] = pages(tmp_path, base_url="https://garden.example")
    assert plain == {
        "loc": "https://garden.example/posts/drying-chillies/",
        "file": "posts/drying-chillies/index.html",
        "lastmod": "2025-10-02T19:05:41+01:00",
        "lastmod_source": "page",
        "content": plain["content"],
    }
    assert len(plain["content"]) == 16
    assert {key: value for key, value in row.items() if key not in ("alternates", "images")} == plain
    written = io.BytesIO()
    known = ("loc", "lastmod", "alternates", "images")
    urlset.write([{key: row[key] for key in known}], written)
    [entry] = urlset.read(written.getvalue())
    assert isinstance(entry, urlset.UrlEntry)
    assert [each.hreflang for each in entry.alternates] == ["en", "pt"]
    assert [each.loc for each in entry.images] == [row["images"][0]["loc"]]


def test_a_page_that_states_no_date_has_no_lastmod_source(tmp_path: Path) -> None:
    [row] = pages(site(tmp_path, "a.html"), base_url=BASE)
    assert row.keys() == {"loc", "file", "content"}


def test_rows_are_sorted_by_path(tmp_path: Path) -> None:
    files = ["a-b.html", "a.html", "a/b.html", "a/b/c.html", "a0.html", "b/index.html", "é/x.html", "index.html"]
    site(tmp_path, *reversed(files))
    found = [row["file"] for row in pages(tmp_path, base_url=BASE)]
    assert found == sorted(files)


def test_pages_are_read_one_at_a_time_and_anew_each_time(tmp_path: Path) -> None:
    found = pages(site(tmp_path, "a.html", "b.html"), base_url=BASE)
    rows = iter(found)
    assert next(rows)["loc"] == f"{BASE}a.html"
    (tmp_path / "b.html").unlink()
    assert list(rows) == []
    assert (found.pages, found.taken, found.skipped) == (2, 1, {"unreadable": 1})
    site(tmp_path, "c/d.html")
    assert [row["file"] for row in found] == ["a.html", "c/d.html"]
    assert (found.pages, found.taken, found.skipped) == (2, 2, {})


def test_globs_select_the_pages(tmp_path: Path) -> None:
    site(tmp_path, "a.html", "a.xhtml", "a.txt", "b/a.htm", "b/c/a.html", "drafts/a.html", "drafts/b/c.html")
    assert locs(tmp_path, exclude_pages=["drafts/"]) == ["a.html", "b/a.htm", "b/c/a.html"]
    assert locs(tmp_path, exclude_pages=["**/a.html", "*/c.html"]) == ["b/a.htm", "drafts/b/c.html"]
    assert locs(tmp_path, include_pages=["*.*html"]) == ["a.html", "a.xhtml"]
    assert locs(tmp_path, include_pages=["b/**"], exclude_pages=["b/c/**"]) == ["b/a.htm"]
    found = pages(tmp_path, base_url=BASE, include_pages=["*.none"])
    assert (list(found), found.pages) == ([], 0)


def test_counts_of_the_returned_pages_add_up(tmp_path: Path) -> None:
    html = (
        '<title>T</title><meta property="og:updated_time" content="soon"><p>\\x{}<img src=1><img src=2>'
        '<script type="application/ld+json">{{"dateModified</script>'
    )
    site(tmp_path, "a.html", "b.html", html=html)
    for path in tmp_path.iterdir():
        path.write_bytes(b"\xff" + path.read_bytes())
    found = pages(tmp_path, base_url=BASE, images=True, budget=PageBudget(items=1))
    assert [len(row["images"]) for row in found] == [1, 1]
    assert (found.bad_dates, found.bad_json, found.misfits, found.dropped) == (2, 2, 2, 2)


# --- what is left out ---------------------------------------------------------------------------------------


def test_every_skipped_page_is_reported_with_its_reason(tmp_path: Path) -> None:
    reasons = {
        "404.html": ("404", PAGE),
        "200.html": ("404", PAGE),
        "500.html": ("404", PAGE),
        "404/index.html": ("404", PAGE),
        "de/404.html": ("404", PAGE),
        "pt-br/404/index.html": ("404", PAGE),
        "private/a.html": ("robots", PAGE),
        "old.html": ("redirect", '<title>T</title><meta http-equiv="refresh" content="0; url=/new/">'),
        "hidden.html": ("noindex", '<title>T</title><meta name="robots" content="none">'),
        "copy.html": ("canonical", '<title>T</title><link rel="canonical" href="/original/">'),
        "part.html": ("untitled", "<p>part"),
        "empty.html": ("unreadable", ""),
        "large.html": ("unreadable", PAGE + "x" * 5_000),
    }
    for file, (_, html) in reasons.items():
        site(tmp_path, file, html=html)
    site(tmp_path, "page/404/index.html", "posts/500/index.html", "4040.html", "a404.html")
    skips = Skips()
    rules = "User-agent: *\nDisallow: /private/\n"
    found = pages(tmp_path, base_url=BASE, robots=rules, on_skip=skips, budget=PageBudget(bytes=5_000))
    assert [row["file"] for row in found] == ["4040.html", "a404.html", "page/404/index.html", "posts/500/index.html"]
    assert skips.reasons == {file: reason for file, (reason, _) in reasons.items()}
    assert all(skips.details.values())
    assert skips.details["copy.html"] == "https://a.example/original/"
    assert found.skipped == Counter(reason for reason, _ in reasons.values())
    assert found.pages == found.taken + found.skipped.total()


def test_rules_of_robots_txt_for_all_crawlers_and_for_googlebot_count(tmp_path: Path) -> None:
    site(tmp_path, "a.html", "b.html", "c/index.html", "ä.html")
    assert locs(tmp_path, robots="User-agent: googlebot\nDisallow: /a\n") == ["b.html", "c/", "%C3%A4.html"]
    assert locs(tmp_path, robots="User-agent: *\nDisallow: /*.html$\n") == ["c/"]
    assert locs(tmp_path, robots="User-agent: bingbot\nDisallow: /\n") == ["a.html", "b.html", "c/", "%C3%A4.html"]
    assert locs(tmp_path, robots="User-agent: *\nDisallow: /ä\nDisallow: /c/$") == ["a.html", "b.html"]
    assert len(locs(tmp_path, robots="")) == 4


def test_a_page_that_is_not_text_is_unreadable(tmp_path: Path) -> None:
    details = {
        "empty.html": (b"", "it is empty"),
        "blank.html": (b" \n\t", "it is empty"),
        "nul.html": (b"<title>x</title>\0", "it contains NUL bytes, so it is not text"),
        "utf-16.html": ("<title>x</title>".encode("utf-16-le"), "it contains NUL bytes, so it is not text"),
    }
    for file, (data, _) in details.items():
        (tmp_path / file).write_bytes(data)
    (tmp_path / "marked.html").write_bytes("<title>x</title>".encode("utf-16"))
    skips = Skips()
    assert [row["file"] for row in pages(tmp_path, base_url=BASE, on_skip=skips)] == ["marked.html"]
    assert skips.details == {file: detail for file, (_, detail) in details.items()}


@pytest.mark.parametrize("bound", [0, -1, True, 1.5])
def test_a_budget_must_be_a_whole_number_of_at_least_1(bound: int) -> None:
    with pytest.raises(InputError, match=r"PageBudget\.items"):
        PageBudget(items=bound)


# --- arguments ----------------------------------------------------------------------------------------------

WRONG: dict[str, Callable[[Path], object]] = {
    "base_url must be an absolute .*, got 'a.example'": lambda folder: pages(folder, base_url="a.example"),
    r"base_url must be the URL of a folder, .*, got 'https://a.example/\?x'": lambda folder: pages(
        folder, base_url="https://a.example/?x"
    ),
    "trailing_slash must be 'keep', 'always' or 'never', got 'no'": lambda folder: pages(
        folder,
        base_url=BASE,
        trailing_slash="no",  # type: ignore[arg-type]
    ),
    "index_pages must be 'slash' or 'keep', got ''": lambda folder: pages(folder, base_url=BASE, index_pages=""),  # type: ignore[arg-type]
    r"boilerplate must contain CSS selectors: the selector 'a\[' is not supported": lambda folder: pages(
        folder, base_url=BASE, boilerplate=["p", "a["]
    ),
    "boilerplate must be a list of texts that are not blank": lambda folder: pages(
        folder, base_url=BASE, boilerplate="p"
    ),
    "include_pages must be a list of strings": lambda folder: pages(folder, base_url=BASE, include_pages="**"),
    r"'\[z-a\]' is not a valid glob": lambda folder: pages(folder, base_url=BASE, exclude_pages=["[z-a]"]),
}


@pytest.mark.parametrize("message", WRONG)
def test_an_invalid_argument_is_refused(tmp_path: Path, message: str) -> None:
    with pytest.raises(InputError, match=message):
        WRONG[message](tmp_path)


def test_a_path_that_is_not_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        pages(tmp_path / "none", base_url=BASE)
    with pytest.raises(NotADirectoryError):
        pages(site(tmp_path, "a.html") / "a.html", base_url=BASE)


# --- what lists for people show -----------------------------------------------------------------------------


def test_rows_have_the_texts_of_pages_on_request(tmp_path: Path) -> None:
    pages_with = {
        "index.html": "<title>Home</title><meta name=description content='A &amp; b'>x",
        "a/index.html": "<title>A</title>x",
        "b.html": "<title>B</title><link rel=alternate type=text/markdown href=/twins/b.md>x",
        "c.html": "<title>C</title>x",
        "d/index.html": "<title>D</title>x",
        "e.html": "<title>E</title>x",
    }
    folder = site(tmp_path / "site")
    for name, text in pages_with.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    for name in ("a.md", "b.md", "c.html.md", "c.md", "d/index.html.md", "e.html.md"):
        (folder / name).write_text("# Twin")
    (folder / "index.md").symlink_to(tmp_path)
    rows = {row["file"]: row for row in pages(folder, base_url=BASE, metadata=True)}
    assert {file: (row["title"], row.get("description"), row.get("markdown")) for file, row in rows.items()} == {
        "index.html": ("Home", "A & b", None),
        "a/index.html": ("A", None, BASE + "a.md"),
        "b.html": ("B", None, BASE + "twins/b.md"),
        "c.html": ("C", None, BASE + "c.md"),
        "d/index.html": ("D", None, BASE + "d/index.html.md"),
        "e.html": ("E", None, BASE + "e.html.md"),
    }
    for row in pages(folder, base_url=BASE):
        assert row.keys() == {"loc", "file", "content"}
    urlset.publish(rows.values(), tmp_path / "out", base_url=BASE)
    assert urlset.llms(pages(folder, base_url=BASE, metadata=True), tmp_path / "out", title="x").entries == len(rows)
