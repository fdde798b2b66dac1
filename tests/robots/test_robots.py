"""A robots.txt as a table, beside what Protego and Python's own parser make of the same bytes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.robotparser import RobotFileParser

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from support.cli import Cli
from support.http_server import Answer, Site, serve
from urlset import _core

TEXT = b"""\
# a shop
User-agent: *
Disallow: /basket
Allow: /basket/help   # a page of ours
Crawl-delay: 2
Content-Signal: search=yes, ai-train=no
Sitemap: https://shop.example/sitemap.xml

User-agent: GPTBot
User-agent: CCBot
Disallow: /
Content-Usage: /press/ train-ai=y

License: https://shop.example/license.xml
User-agent: GPTBot
Disallow: /more
"""


def rows(data: bytes) -> list[tuple[int, int | None, tuple[str, ...], str, str, str | None]]:
    return [(each.line, each.group, each.agents, each.field, each.value, each.problem) for each in urlset.robots(data)]


def test_each_line_is_a_row_with_its_group() -> None:
    assert rows(TEXT) == [
        (2, 1, ("*",), "User-agent", "*", None),
        (3, 1, ("*",), "Disallow", "/basket", None),
        (4, 1, ("*",), "Allow", "/basket/help", None),
        (5, 1, ("*",), "Crawl-delay", "2", None),
        (6, 1, ("*",), "Content-Signal", "search=yes, ai-train=no", None),
        (7, None, (), "Sitemap", "https://shop.example/sitemap.xml", None),
        (9, 2, ("GPTBot", "CCBot"), "User-agent", "GPTBot", None),
        (10, 2, ("GPTBot", "CCBot"), "User-agent", "CCBot", None),
        (11, 2, ("GPTBot", "CCBot"), "Disallow", "/", None),
        (12, 2, ("GPTBot", "CCBot"), "Content-Usage", "/press/ train-ai=y", None),
        (14, None, (), "License", "https://shop.example/license.xml", None),
        (15, 3, ("GPTBot",), "User-agent", "GPTBot", None),
        (16, 3, ("GPTBot",), "Disallow", "/more", None),
    ]
    assert urlset.robots(TEXT).lines[4].pairs() == {"search": "yes", "ai-train": "no"}
    assert urlset.robots(TEXT).lines[9].pairs() == {"train-ai": "y"}


@given(st.text("aB1-_=, ;é*\t", max_size=20))
def test_preferences_are_what_a_regular_expression_finds(value: str) -> None:
    assert _core.robots_pairs(value) == re.findall(r"([A-Za-z][\w-]*)\s*=\s*([^\s,;]+)", value)


def test_python_reads_the_same_delay_and_sitemaps() -> None:
    other = RobotFileParser()
    other.parse(TEXT.decode().splitlines())
    table = urlset.robots(TEXT)
    (delay,) = [float(line.value) for line in table if line.field == "Crawl-delay" and "*" in line.agents]
    assert float(other.crawl_delay("anybot") or 0) == delay
    assert tuple(other.site_maps() or ()) == table.sitemaps


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("User-agent: *\nDisalowed: /a", "Google reads this as Disallow, and other crawlers may not: write Disallow"),
        ("User-agent: *\nCrawl-dellay: 1", "no crawler is known to read this field; did you mean Crawl-delay?"),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: b", "it joins the group of line 1: only Allow and Disallow end"),
        ("User-agent: *\nDisallow /a b", "there is no colon, so the line has no effect"),
        ("Disallow: /a", "it comes before the first User-agent line, so it applies to nobody"),
        ("User-agent: *\nDisallow: a", "a path begins with / or *, so it matches nothing"),
        (
            "User-agent: *\nDisallow /a",
            "there is no colon: Google reads the line all the same, and other crawlers may not",
        ),
        ("Sitemap: /sitemap.xml", "the URL has no scheme: it has to be absolute"),
        ("License: ftp://shop.example/license.xml", "the URL's scheme is neither http nor https"),
        ("User-agent: *\nCrawl-delay: often", "it must be a number of seconds, such as 10"),
        ("User-agent: *\nContent-Signal: ai-train=maybe", "ai-train must be yes or no, got `maybe`"),
        ("User-agent: *\nContent-Signal: ai_train=no", "unknown signal `ai_train`; known: search, ai-input, ai-train"),
        ("User-agent: *\nContent-Usage: train-ai", "it states no preference: write train-ai=n, or a path and a"),
        ("User-agent: *\nContent-Usage: train-ai=no", "train-ai must be y or n, got `no`"),
        ("User-agent: *bot", "a * counts only alone; most crawlers compare this name as it is"),
        ("User-agent: *\nNoindex: /a", "Google stopped reading Noindex lines in 2019"),
    ],
)
def test_what_is_wrong_with_a_line(line: str, problem: str) -> None:
    (found,) = urlset.robots(line.encode()).problems
    assert (found.problem or "").startswith(problem)


@pytest.mark.parametrize(
    "text",
    ["User-agent: *\nDisallow:", "User-agent: *\nCrawl-delay: .5", "user-agent:*\r\ndisallow:/*?x=$\rAllow: *.css"],
)
def test_a_line_with_which_nothing_is_wrong(text: str) -> None:
    assert urlset.robots(text.encode()).problems == ()


def test_bytes_beyond_500_kib_are_said_to_be_ignored() -> None:
    data = b"User-agent: *\n" + b"# filling\n" * 51_200 + b"Disallow: /a\n"
    table = urlset.robots(data)
    assert [line.field for line in table] == ["User-agent"]
    assert "only the first 512,000 bytes count" in str(table.problems[0].problem)


#: Pieces of what a server may send.
HOSTILE = [
    *(b"User-agent:", b"User-agent: *\n", "User-agent: ツ\n".encode(), b"Disallow: /", b"Allow:", b"Crawl-delay: 1e99"),
    *(b"\r", b"\n", b"\0", b"\xff", b"\xef\xbb", b"#", b":", b"%", b"%2", b"*", b"$", b" "),
    *(b"Sitemap: http://[", b"Content-Signal: =", b"License: //", b"User-agent: *bot"),
]
PATHS = st.lists(st.sampled_from(["/", "a", "b", "?x=1", "%C3%BC", "ü", "%61", "-"]), max_size=6).map(
    lambda parts: "/" + "".join(parts)
)
PATTERNS = st.builds(
    lambda pieces, end: "/" + "".join(pieces) + end,
    st.lists(st.sampled_from(["/", "a", "b", "?", "*", "x=1", "ü", "%C3%BC", "-"]), max_size=6),
    st.sampled_from(["", "$", "*"]),
)
LINES = st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), PATTERNS), max_size=6)


@given(LINES, PATHS)
def test_protego_allows_and_disallows_the_same(lines: list[tuple[str, str]], path: str) -> None:
    text = "User-agent: *\n" + "".join(f"{field}: {value}\n" for field, value in lines)
    url = f"https://shop.example{path}"
    deciding = _core.Robots(text.encode()).crawler("anybot").disallowing(url)
    assert (deciding is None) == Protego.parse(text).can_fetch(url, "anybot")
    if deciding is not None:
        assert lines[deciding - 2][0] == "Disallow"


RECORDS = st.lists(
    st.one_of(
        st.tuples(st.just("User-agent"), st.sampled_from(["*", "abot", "Bbot", "cbot"])),
        st.tuples(st.sampled_from(["Allow", "Disallow"]), st.sampled_from(["/", "/a", "/a/b", "/*b", ""])),
        st.tuples(st.just("Sitemap"), st.just("https://a.example/")),
    ),
    max_size=12,
)


@given(RECORDS, st.sampled_from(["\n", "\r\n", "\n\n", " # why\n"]))
def test_protego_makes_the_same_groups(records: list[tuple[str, str]], end: str) -> None:
    """Without other records, which only RFC 9309 keeps inside a group."""
    text = "User-agent: first\nDisallow:\n" + "".join(f"{field}: {value}{end}" for field, value in records)
    parsed, other = _core.Robots(text.encode()), Protego.parse(text)
    for agent in ("abot", "bbot", "cbot", "first", "another"):
        for path in ("/", "/a", "/a/b", "/b"):
            url = f"https://a.example{path}"
            own = parsed.crawler(agent).disallowing(url) is None
            assert own == other.can_fetch(url, agent), (text, agent, path)


@pytest.mark.parametrize(
    ("text", "path", "is_allowed", "why"),
    [
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: b\nDisallow: /", "/x", False, "2.2.4"),
        ("User-agent: *\nUnknown: 1\nUser-agent: b\nDisallow: /", "/x", False, "2.2.4"),
        ("User-agent: abot/2.1\nDisallow: /", "/x", False, "2.2.1, as Google reads it"),
        ("User-agent: abo\nDisallow: /", "/x", True, "2.2.1: the whole token"),
        ("User-agent: *\nDisallow: /?u=https%3A%2F%2Fb", "/?u=https://b", False, "2.2.2, the second example"),
        ("User-agent: *\nDisallow: /a$", "/a$b", True, "2.2.3"),
        ("User-agent: *\nDisallow: /\nAllow: /x/index.html", "/x/", False, "2.2.2"),
    ],
)
def test_where_protego_differs(text: str, path: str, is_allowed: bool, why: str) -> None:
    """`why` is the section of RFC 9309 that decides."""
    url = f"https://a.example{path}"
    assert (_core.Robots(text.encode()).crawler("abot").disallowing(url) is None) == is_allowed, why
    assert Protego.parse(text).can_fetch(url, "abot") != is_allowed, "Protego has followed: take this case out"


def test_a_file_of_many_crawlers_and_rules_stays_small() -> None:
    """The lines name at most 100 crawlers each, so that the table is no larger than the file allows."""
    agents = "".join(f"User-agent: bot{number}\n" for number in range(1_098))
    text = agents + "".join(f"Disallow: /p{number}\n" for number in range(100))
    table = urlset.robots(text.encode(), sitemaps=b"https://a.example/p7\nhttps://a.example/x\n")
    assert (len(table), table.checked) == (1_198, 2)
    assert table.lines[-1].agents == tuple(f"bot{number}" for number in range(100))
    assert [each.agent for each in table.disallowed] == [f"bot{number}" for number in range(1_098)]
    # /p7 is decided by the longest rule that matches it, in one line for all of them.
    assert {(each.pages, each.example) for each in table.disallowed} == {(1, "https://a.example/p7")}
    assert [line.value for line in table if line.listed] == ["/p7"]


@given(st.binary(max_size=200) | st.lists(st.sampled_from(HOSTILE), max_size=12).map(b"".join))
def test_any_bytes_are_a_robots_txt(data: bytes) -> None:
    for text in (data, data.decode("latin-1").encode("utf-16")):
        table = urlset.robots(text, sitemaps=b"https://a.example/\nhttps://a.example/%FF?\n")
        assert table.checked == 2
        table.to_arrow()


def test_utf_16_is_named() -> None:
    table = urlset.robots("User-agent: *\nDisallow: /\n".encode("utf-16"))
    assert table.problems[0].problem == "the file is UTF-16: crawlers read UTF-8, and find no rules in it"


def test_listed_pages_that_are_disallowed_and_for_whom() -> None:
    listed = "".join(f"https://shop.example{path}\n" for path in ("/", "/basket", "/basket/help", "/basket/1"))
    table = urlset.robots(TEXT, sitemaps=listed.encode())
    by_line = {line.line: (line.listed, line.example) for line in table if line.listed is not None}
    assert by_line == {
        3: (2, "https://shop.example/basket"),
        11: (4, "https://shop.example/"),
        16: (0, None),
    }
    assert [(each.agent, each.pages) for each in table.disallowed] == [("*", 2), ("GPTBot", 4), ("CCBot", 4)]
    other = Protego.parse(TEXT.decode())
    for each in table.disallowed:
        kept = sum(not other.can_fetch(loc, each.agent) for loc in listed.split())
        assert kept == each.pages


def shop(site: Site) -> None:
    pages = "".join(f"<url><loc>{site.url}/{name}</loc></url>" for name in ("tea", "basket"))
    site.pages["/robots.txt"] = Answer(
        f"User-agent: *\nDisallow: /basket\nSitemap: {site.url}/sitemap.xml\n".encode(),
        headers={"Content-Type": "text/plain"},
    )
    site.pages["/sitemap.xml"] = Answer(
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{pages}</urlset>'.encode()
    )


def test_a_site_is_checked_against_the_sitemaps_that_it_names(tmp_path: Path) -> None:
    with serve() as site:
        shop(site)
        table = urlset.robots(f"{site.url}/any/page", check=True)
        assert (table.checked, table.lines[1].listed, table.lines[1].example) == (2, 1, f"{site.url}/basket")
        assert table.location == f"{site.url}/robots.txt"
        ended = Cli(tmp_path)("robots", site.url, "--check", "--format", "json")
        assert ended.code == 1
        assert json.loads(ended.out)["disallowed"] == [{"agent": "*", "pages": 1, "example": f"{site.url}/basket"}]
        ended = Cli(tmp_path)("robots", site.url, "--check")
        assert "2 listed pages: 1 disallowed for every other crawler" in ended.out
        # The table is the same by Arrow.
        assert table.to_arrow().column("listed").to_pylist() == [None, 1, None]
        assert table.to_arrow().column("agents").to_pylist() == [["*"], ["*"], []]


def test_no_robots_txt_and_one_that_cannot_be_read(tmp_path: Path) -> None:
    with serve() as site:
        assert urlset.robots(site.url).lines == ()
        assert "everything is allowed" in Cli(tmp_path)("robots", site.url).out
        site.pages["/robots.txt"] = Answer(b"", 503)
        with pytest.raises(urlset.FetchError, match="status 503, so crawlers must take everything for disallowed"):
            urlset.robots(site.url, http=urlset.Http(retries=0))
        shop(site)
        site.pages["/sitemap.xml"] = Answer(b"", 404)
        ended = Cli(tmp_path)("robots", site.url, "--check")
        assert ended.code == 2
        assert "status 404" in ended.err


def test_a_file_and_standard_input(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_bytes(TEXT)
    (tmp_path / "list.txt").write_text("https://shop.example/tea\n")
    ended = Cli(tmp_path)("robots", "robots.txt", "--sitemaps", "list.txt", "--format", "jsonl")
    assert [json.loads(line)["listed"] for line in ended.out.splitlines()].count(1) == 1
    assert Cli(tmp_path)("robots", "-", stdin=b"User-agent: *\nDisallow:\n").code == 0
    assert Cli(tmp_path)("robots", "missing.txt").code == 2
