"""Ctrl-C while `urlset read` writes a file: what was read is kept, as whole documents, in a whole file."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest
from support.cli import SCRIPT, SECONDS
from support.http_server import Answer, Handler, Site, serve

CHILDREN = [f"/child-{number}.xml" for number in range(40)]
ENTRIES = 3
READ = {
    "parquet": "read_parquet('{}')",
    "csv": "read_csv('{}')",
    "jsonl": "read_json('{}')",
    "duckdb": "file.entries",
}


@dataclass
class SlowSite:
    """A site whose third child is begun at once, and ends when it may."""

    site: Site
    is_asked: threading.Event = field(default_factory=threading.Event)
    may_end: threading.Event = field(default_factory=threading.Event)

    def answer(self, handler: Handler) -> Answer | None:
        body = self.site.urlset("/third", ENTRIES)
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:150])
        self.is_asked.set()
        self.may_end.wait(SECONDS)
        handler.wfile.write(body[150:])
        return None


@pytest.fixture
def slow() -> Iterator[SlowSite]:
    with serve() as site:
        slow = SlowSite(site)
        site.pages["/sitemap.xml"] = Answer(site.index(*CHILDREN))
        site.pages |= {path: Answer(site.urlset(path, ENTRIES)) for path in CHILDREN}
        site.pages[CHILDREN[2]] = slow.answer
        yield slow
        slow.may_end.set()


def reading(slow: SlowSite, folder: Path, *options: str) -> subprocess.Popen[str]:
    """Begin to read the site, and wait until the third child is on its way."""
    command = [str(SCRIPT), "read", f"{slow.site.url}/sitemap.xml", *options]
    process = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert slow.is_asked.wait(SECONDS)
    return process


def locs(path: Path) -> list[str]:
    """The locs of a file of rows, as DuckDB reads it."""
    with duckdb.connect() as connection:
        if path.suffix == ".duckdb":
            connection.execute(f"ATTACH '{path}' AS file (READ_ONLY)")
        found = connection.execute(f"SELECT loc FROM {READ[path.suffix[1:]].format(path)}").fetchall()
    return [loc for (loc,) in found]


@pytest.mark.parametrize(
    "form", ["parquet", *(pytest.param(form, marks=pytest.mark.long) for form in READ if form != "parquet")]
)
def test_what_was_read_is_kept(slow: SlowSite, tmp_path: Path, form: str) -> None:
    process = reading(slow, tmp_path, "--output", f"rows.{form}")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    said = process.stderr.readline()
    assert said == "urlset: ending with the sitemaps that are being read; press Ctrl-C again to drop the output\n"
    slow.may_end.set()
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, err
    # Whole documents: those that were on their way too, and none that was not asked for.
    whole = [f"{slow.site.url}{path}/{number}" for path in (*CHILDREN[:2], "/third") for number in range(ENTRIES)]
    found = locs(tmp_path / f"rows.{form}")
    assert found[: len(whole)] == whole
    assert len(found) % ENTRIES == 0
    read = len(found) // ENTRIES
    assert read < len(CHILDREN)
    assert f"{len(CHILDREN) - read} sitemaps that were found are not read" in err
    assert f"interrupted; rows.{form} has {len(found)} rows of {read} documents\n" in err
    assert [path.name for path in tmp_path.iterdir()] == [f"rows.{form}"]


def test_twice_keeps_the_file_as_it_was(slow: SlowSite, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("of yesterday")
    process = reading(slow, tmp_path, "--output", "rows.csv")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    process.stderr.readline()
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=SECONDS)
    assert time.monotonic() - begin < SECONDS / 2
    assert process.returncode == 130
    assert err.endswith("urlset: interrupted; a file named by --output is as it was\n")
    assert (tmp_path / "rows.csv").read_text() == "of yesterday"
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]
