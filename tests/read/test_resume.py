"""A run that ended early, however it did, goes on: no row is lost, and none is there twice."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.http_server import Answer, Handler, Site, serve
from support.reading import index_of, lay, locs, many, urlset_of
from urlset import Filter, Http, InputError, UrlsetError

HOST = "http://a.example/"
TESTS = Path(__file__).parents[1]


def numbered(folder: Path, sitemaps: int) -> list[str]:
    """Lay an index of so many sitemaps with three entries each, and return their locs."""
    named = {f"s{n}": [f"{n}/{each}" for each in range(3)] for n in range(sitemaps)}
    lay(folder, sitemap=index_of(*(f"{HOST}{name}.xml" for name in named)))
    lay(folder, **{name: urlset_of(*texts) for name, texts in named.items()})
    return [text for texts in named.values() for text in texts]


def run(*arguments: object) -> int:
    """Run `support.read.resumed_scan`, and return how it ended."""
    command = [sys.executable, "-m", "support.read.resumed_scan", *map(str, arguments)]
    return subprocess.run(command, cwd=TESTS, check=False).returncode


# --- bounds -------------------------------------------------------------------------------------------------


def test_a_run_that_a_bound_ends_goes_on(tmp_path: Path) -> None:
    with serve() as site:
        children = [f"/s{number}.xml" for number in range(9)]
        site.pages = {path: Answer(site.urlset(path, 3)) for path in children}
        site.pages["/sitemap.xml"] = Answer(site.index(*children))
        expected = locs(urlset.read(f"{site.url}/sitemap.xml"))
        site.requests.clear()
        found: list[str | None] = []
        for _ in range(20):
            bounded = Http(max_documents=2, concurrency=1, obey_robots=False)
            scan = urlset.scan(f"{site.url}/sitemap.xml", resume=tmp_path / "state", http=bounded)
            found += locs(scan)
            scan.checkpoint()
            if not scan.failures:
                break
            assert scan.completeness == "truncated"
            assert "the run has fetched 2 documents (max_documents)" in str(scan.failures[0])
        assert found == expected
        assert not [path for path, times in Counter(site.paths()).items() if times > 1]
        # Nothing is left, and nothing is asked for.
        assert locs(urlset.scan(f"{site.url}/sitemap.xml", resume=tmp_path / "state")) == []


def test_a_stopped_run_ends_with_whole_documents_and_goes_on(tmp_path: Path) -> None:
    expected = numbered(tmp_path, 300)
    scan = urlset.scan(tmp_path, resume=tmp_path / "state")
    assert locs(scan) == expected
    scan.checkpoint()
    stopped = urlset.scan(tmp_path)
    stopped.stop()
    assert locs(stopped) == []
    assert stopped.completeness == "truncated"
    assert "the run was stopped" in str(stopped.failures[0])
    assert locs(stopped) == expected  # a pass of its own


def test_a_checkpoint_follows_whole_documents(tmp_path: Path) -> None:
    expected = numbered(tmp_path, 4)
    scan = urlset.scan(tmp_path, resume=tmp_path / "state")
    entries = iter(scan)
    assert [next(entries).loc for _ in range(7)] == expected[:7]
    with pytest.raises(UrlsetError, match="a checkpoint must follow the last row of a document"):
        scan.checkpoint()
    assert [next(entries).loc for _ in range(2)] == expected[7:9]
    scan.checkpoint("nine")
    scan = urlset.scan(tmp_path, resume=tmp_path / "state")
    assert scan.mark == "nine"
    assert locs(scan) == expected[9:]


def test_batches_end_with_whole_documents(tmp_path: Path) -> None:
    sizes = (10_000, 40_000, 5, 70_000)
    lay(tmp_path, sitemap=index_of(*(f"{HOST}s{number}.xml" for number in range(4))))
    lay(tmp_path, **{f"s{number}": many(size) for number, size in enumerate(sizes)})
    scan = urlset.scan(tmp_path, resume=tmp_path / "state", columns=["loc"])
    ends = set(accumulate(sizes))
    total = 0
    for batch in scan.batches():
        total += len(batch)
        assert total in ends
        scan.checkpoint()
    assert total == sum(sizes)


def test_an_event_loop_reads_on_too(tmp_path: Path) -> None:
    expected = numbered(tmp_path, 4)

    async def read(most: int) -> list[str | None]:
        scan = urlset.scan(tmp_path, resume=tmp_path / "state", filter=Filter(max_entries=most))
        found = [entry.loc async for entry in scan]
        scan.checkpoint()
        return found

    assert asyncio.run(read(6)) == expected[:6]
    assert asyncio.run(read(100)) == expected[6:]


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    with serve() as site:
        site.pages = {f"/{name}.xml": Answer(site.urlset(f"/{name}", 2)) for name in "abc"}
        site.pages["/sitemap.xml"] = Answer(site.index("/a.xml", "/b.xml", "/c.xml"))
        broken, site.pages["/b.xml"] = site.pages["/b.xml"], Answer(b"", 404)
        source, http = f"{site.url}/sitemap.xml", Http(obey_robots=False)
        scan = urlset.scan(source, resume=tmp_path / "state", http=http)
        first = locs(scan)
        scan.checkpoint()
        assert len(scan.failures) == 1
        del scan
        site.pages["/b.xml"] = broken
        scan = urlset.scan(source, resume=tmp_path / "state", http=http)
        assert locs(scan) == [f"{site.url}/b/0", f"{site.url}/b/1"]
        assert sorted(map(str, first)) == [f"{site.url}/{name}/{each}" for name in "ac" for each in range(2)]


def test_a_sample_goes_on_as_it_began(tmp_path: Path) -> None:
    numbered(tmp_path, 20)
    whole = urlset.scan(tmp_path, filter=Filter(sample_sitemaps=5))
    expected = locs(whole)
    found: list[str | None] = []
    for _ in range(10):
        scan = urlset.scan(tmp_path, filter=Filter(sample_sitemaps=5, max_entries=3), resume=tmp_path / "state")
        found += locs(scan)
        scan.checkpoint()
        if not scan.failures:
            break
    assert found == expected
    assert scan.sample == whole.sample
    assert scan.sample is not None


# --- kills --------------------------------------------------------------------------------------------------


@pytest.fixture
def site_of_many() -> Callable[[Site], list[str]]:
    """Fill a site with sitemaps that make a batch each, and return their locs."""

    def fill(site: Site) -> list[str]:
        children = [f"/s{number}.xml" for number in range(3)]
        site.pages = {path: Answer(site.urlset(path, 34_000)) for path in children}
        site.pages["/sitemap.xml"] = Answer(site.index(*children))
        return [f"{site.url}{path}/{number}" for path in children for number in range(34_000)]

    return fill


@pytest.mark.parametrize("batch", [2, *(pytest.param(number, marks=pytest.mark.long) for number in (1, 3))])
def test_a_killed_run_goes_on_from_its_last_checkpoint(
    tmp_path: Path, batch: int, site_of_many: Callable[[Site], list[str]]
) -> None:
    output = tmp_path / "rows"
    with serve() as site:
        expected = site_of_many(site)
        source = f"{site.url}/sitemap.xml"
        assert run(source, tmp_path / "state", output, "append", batch) == -signal.SIGKILL
        assert output.stat().st_size > 0
        assert run(source, tmp_path / "state", output, "append") == 0
    assert output.read_text().splitlines() == expected


@pytest.mark.long
def test_a_run_that_the_server_sees_die_goes_on(tmp_path: Path, site_of_many: Callable[[Site], list[str]]) -> None:
    output = tmp_path / "rows"
    with serve() as site:
        expected = site_of_many(site)
        page = site.pages["/s2.xml"]
        command = [f"{site.url}/sitemap.xml", tmp_path / "state", output, "append"]
        process: subprocess.Popen[bytes]

        def kill(handler: Handler) -> None:
            process.kill()

        site.pages["/s2.xml"] = kill
        process = subprocess.Popen([sys.executable, "-m", "support.read.resumed_scan", *map(str, command)], cwd=TESTS)
        assert process.wait() == -signal.SIGKILL
        site.pages["/s2.xml"] = page
        assert run(*command) == 0
    assert output.read_text().splitlines() == expected


#: The fifth is between the output and its state; at the sixth, everything is done.
@pytest.mark.parametrize("moment", [5, *(pytest.param(number, marks=pytest.mark.long) for number in (1, 2, 3, 4, 6))])
def test_an_output_is_there_exactly_if_its_documents_are_done(tmp_path: Path, moment: int) -> None:
    (tmp_path / "site").mkdir()
    expected = numbered(tmp_path / "site", 4)
    state, first, second = tmp_path / "state", tmp_path / "first", tmp_path / "second"
    ended = run(tmp_path / "site", state, first, "place", moment)
    assert ended in (0, -signal.SIGKILL)
    assert (ended == 0) == (moment == 6), "the moments are not those of all file operations"
    assert run(tmp_path / "site", state, second, "place") == 0
    rows = first.read_text() if first.exists() else ""
    assert (rows + second.read_text()).splitlines() == expected
    assert not list(tmp_path.glob("*.next*"))


# --- what is refused ----------------------------------------------------------------------------------------


def test_the_file_of_another_run_is_refused(tmp_path: Path) -> None:
    numbered(tmp_path, 2)
    urlset.scan(tmp_path, resume=tmp_path / "state").checkpoint()
    others: list[tuple[Path, dict[str, Any]]] = [
        (tmp_path / "s1.xml", {}),
        (tmp_path, {"follow": False}),
        (tmp_path, {"filter": Filter(include=["/x"])}),
    ]
    for source, options in others:
        with pytest.raises(InputError, match="belongs to a run over other sources, or with another filter"):
            urlset.scan(source, resume=tmp_path / "state", **options)
    urlset.scan(tmp_path, resume=tmp_path / "state", filter=Filter(max_entries=1))


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    numbered(tmp_path, 2)
    (tmp_path / "text").write_text("not a database, and longer than the header of one " * 10)
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE t (a)")
    other.close()
    for name in ("text", "other", "."):
        with pytest.raises(InputError, match="resume"):
            urlset.scan(tmp_path, resume=tmp_path / name)


def test_two_runs_cannot_share_a_file(tmp_path: Path) -> None:
    numbered(tmp_path, 2)
    scans = [urlset.scan(tmp_path, resume=tmp_path / "state") for _ in range(2)]
    assert locs(scans[0]) == locs(scans[1])
    scans[0].checkpoint()
    with pytest.raises(InputError, match="state was used by another run meanwhile: each run needs a file of its own"):
        scans[1].checkpoint()
    # One after the other is right.
    assert locs(scans[1]) == []
    scans[1].checkpoint()


def test_checkpoints_need_to_know_what_was_handed_out(tmp_path: Path) -> None:
    expected = numbered(tmp_path, 3)
    with pytest.raises(InputError, match="a checkpoint needs a file"):
        urlset.scan(tmp_path).checkpoint()
    with pytest.raises(InputError, match="resume needs sources at paths or URLs"):
        urlset.scan(urlset_of("A"), resume=tmp_path / "state")
    scan = urlset.scan(tmp_path, resume=tmp_path / "state")
    stream = scan.__arrow_c_stream__()
    with pytest.raises(UrlsetError, match="cannot have a checkpoint before its end"):
        scan.checkpoint()
    del stream
    assert scan.to_arrow().num_rows == len(expected)
    scan.checkpoint()
    assert locs(scan) == []
