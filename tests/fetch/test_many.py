"""500 gzipped children of 50,000 entries behind a real nginx: 25 million entries, counted and added up."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.http_server import NAMESPACE
from support.nginx import nginx

CHILDREN, ENTRIES, DISTINCT = 500, 50_000, 5
#: What the process that reads them may hold, whatever their number: 8 are on their way, each up to 4 MiB ahead.
MAX_BYTES = 300 << 20

#: Reads a URL in a process of its own, and prints how many entries there are, their sum, and the most memory held.
PROGRAM = """
import json, pathlib, re, sys
import duckdb, urlset
duckdb.sql("SET enable_progress_bar = false")
scan = urlset.scan(sys.argv[1], columns=["loc", "document"])
rows, total, documents = duckdb.sql("SELECT count(*), sum(hash(loc)), count(DISTINCT document) FROM scan").fetchall()[0]
print(json.dumps({
    "rows": rows, "sum": str(total), "documents": documents, "fetched": len(scan.fetches),
    "failures": len(scan.failures), "completeness": scan.completeness,
    # Not ru_maxrss, which begins with what the parent held.
    "peak": int(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) * 1024,
}))
"""


def _child(number: int) -> bytes:
    """Return a sitemap of 50,000 pages, as large as such sitemaps are."""
    urls = "".join(
        f"<url><loc>https://shop.example/section-{number}/product-{entry:06}-in-some-words</loc>"
        f"<lastmod>2026-01-{entry % 28 + 1:02}</lastmod></url>\n"
        for entry in range(ENTRIES)
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{NAMESPACE}">\n{urls}</urlset>\n'.encode()


def _sum(number: int) -> int:
    """Return the sum of the hashes of the locs of a child, which DuckDB makes from the words alone."""
    import duckdb

    loc = f"'https://shop.example/section-{number}/product-' || lpad(i::VARCHAR, 6, '0') || '-in-some-words'"
    with duckdb.connect() as connection:
        query = f"SELECT sum(hash({loc})) FROM range({ENTRIES}) AS numbers(i)"
        return int(connection.execute(query).fetchall()[0][0])


def _read(url: str) -> dict[str, object]:
    ended = subprocess.run([sys.executable, "-c", PROGRAM, url], capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(ended.stdout)
    return found


def _serve_and_read(folder: Path, children: int) -> dict[str, object]:
    """Serve so many children, of which few are different files, and read them all."""
    root, work = folder / "root", folder / "work"
    root.mkdir()
    work.mkdir()
    for number in range(min(DISTINCT, children)):
        (root / f"distinct-{number}.xml.gz").write_bytes(gzip.compress(_child(number), 6))
    with nginx(root, work) as url:
        for number in range(children):
            os.link(root / f"distinct-{number % DISTINCT}.xml.gz", root / f"child-{number:03}.xml.gz")
        listed = "".join(f"<sitemap><loc>{url}/child-{number:03}.xml.gz</loc></sitemap>" for number in range(children))
        (root / "sitemap.xml").write_text(f'<sitemapindex xmlns="{NAMESPACE}">{listed}</sitemapindex>')
        return _read(f"{url}/sitemap.xml")


@pytest.mark.parametrize("children", [2, pytest.param(CHILDREN, marks=pytest.mark.long)])
def test_every_entry_of_every_child_is_read_in_bounded_memory(tmp_path: Path, children: int) -> None:
    found = _serve_and_read(tmp_path, children)
    sums = [_sum(number) for number in range(min(DISTINCT, children))]
    assert found["rows"] == children * ENTRIES
    assert int(str(found["sum"])) == sum(sums[number % DISTINCT] for number in range(children))
    assert (found["documents"], found["fetched"]) == (children, children + 1)
    assert (found["failures"], found["completeness"]) == (0, "complete")
    assert int(str(found["peak"])) < MAX_BYTES, found
