"""What the progress of a verb says, and that it moves."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import urlset
from support.cli import Cli
from support.http_server import Answer, Handler, Site, serve
from urlset._cli.progress import Meter, duration


def test_a_meter_has_what_was_read_how_fast_and_what_is_left(tmp_path: Path) -> None:
    urlset.write(
        [urlset.SitemapEntry(f"https://a.example/{number}.xml") for number in range(4)], tmp_path / "sitemap.xml"
    )
    for number in range(4):
        urlset.write([f"https://a.example/{number}/{page}" for page in range(70_000 // 4)], tmp_path / f"{number}.xml")
    now = [10.0]
    scan = urlset.scan(tmp_path)
    meter = Meter(lambda: scan.progress, clock=lambda: now[0])
    assert meter() == "read 0 entries from 0 of 1 document"
    assert meter.part() == 0
    seen = []
    for _ in scan.batches():
        now[0] += 5
        seen.append(meter())
    assert seen[-1] == f"read 70,000 entries from 5 of 5 documents, {70_000 / (now[0] - 10):,.0f} entries/s"
    assert meter.part() == 1
    assert any(" left" in said for said in seen) or len(seen) < 3


def test_a_meter_begins_anew_with_each_kind_of_work() -> None:
    now, latest = [0.0], [urlset.Progress("rows", 900)]
    meter = Meter(lambda: latest[0], {"rows": "took"}, lambda: now[0])
    now[0] = 3
    assert (meter(), meter.part()) == ("took 900 rows, 300 rows/s", None)
    latest[0] = urlset.Progress("shards", 1, 4)
    assert (meter(), meter.part()) == ("wrote 1 of 4 shards", 0.25)
    now[0] = 13
    assert meter() == "wrote 1 of 4 shards, 0 shards/s, about 30 s left"


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3_600, "60 min"), (9_000, "2.5 h")]
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


# --- on a terminal ------------------------------------------------------------------------------------------

#: For how long the last answer of the site lets others wait: longer than a bar needs to appear, and to count seconds.
WAIT = 2.5


@pytest.fixture
def site() -> Iterator[Site]:
    """A site of an index and four sitemaps of two pages each, of which the last one is slow, and so is one page."""
    with serve() as site:

        def slow(body: bytes) -> Answer:
            time.sleep(WAIT)
            return Answer(body, headers={"Content-Type": "text/html"})

        def page(handler: Handler) -> Answer:
            return slow(b"<title>Tea</title>") if handler.path == "/3/1" else Answer(b"<title>Tea</title>")

        children = [f"/{number}.xml" for number in range(4)]
        site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/sitemap.xml\n".encode())
        site.pages["/sitemap.xml"] = Answer(site.index(*children))
        for number, child in enumerate(children):
            site.pages[child] = Answer(site.urlset(f"/{number}", 2))
            site.pages |= {f"/{number}/{entry}": page for entry in range(2)}
        site.pages["/3.xml"] = lambda _: slow(site.urlset("/3", 2))
        links = "".join(f"<a href={path}>Tea</a>" for path in site.pages if path.count("/") == 2)
        site.pages["/"] = Answer(links.encode(), headers={"Content-Type": "text/html"})
        yield site


def frames(said: str) -> list[str]:
    """What the bar was, each time that it was drawn, without its colours."""
    drawn = re.split(r"[\r\n]|\x1b\[2K|\x1b\[1A", re.sub(r"\x1b\[[0-9;?]*[mhl]", "", said))
    return [frame for frame in drawn if re.match("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]", frame)]


@pytest.mark.parametrize(
    ("arguments", "counted"),
    [
        (("read", "-o", "rows.csv"), "read 6 entries from 5 of 6 documents"),
        (("stats",), "read 6 entries from 5 of 6 documents"),
        (("watch", "--state", "site.sqlite", "-o", "changes.csv"), "read 6 entries from 5 of 6 documents"),
        (("lint",), "checked 6 entries from 5 of 6 documents"),
        (("crawl", "--state", "site.duckdb", "-o", "pages.csv"), "requested 8 of 9 pages"),
        (("audit", "--state", "site.duckdb"), "requested 7 of 8 pages"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_bar_says_how_much_is_known_and_moves_while_a_server_is_slow(
    cli: Cli, site: Site, arguments: tuple[str, ...], counted: str
) -> None:
    verb, *options = arguments
    ended = cli.terminal(verb, site.url, *options)
    assert ended.code in (0, 1), ended.out
    held = [frame for frame in frames(ended.out) if counted in frame]
    # Ten frames a second on a machine with nothing else to do.
    assert len({frame[0] for frame in held}) >= 5, ended.out
    assert len({re.search(r"\d:\d\d:\d\d", frame)[0] for frame in held}) >= 2  # type: ignore[index]
    # Nothing of it stays.
    assert "\x1b[2K" in ended.out
    assert not frames(ended.out.rpartition("\x1b[2K")[2])


def test_a_pipe_gets_no_bar(cli: Cli, site: Site) -> None:
    ended = cli("read", site.url, "-o", "rows.csv")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_a_publish_says_how_many_shards_it_writes(tmp_path: Path) -> None:
    rows = [{"loc": f"https://shop.example/{number}"} for number in range(120_000)]
    told: list[urlset.Progress] = []
    urlset.publish(rows, tmp_path, base_url="https://shop.example/", progress=told.append)
    assert [each for each in told if each.what == "shards"] == [urlset.Progress("shards", done, 3) for done in range(4)]
