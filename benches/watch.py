"""Measure looks at a site behind nginx on this machine: the first one, and those that find little or no change.

    python benches/watch.py
    python benches/watch.py --children 4 --entries 5000

The site is an index of gzipped sitemaps, with a lastmod for each. Each look is a process of its own: `first` reads
everything, `second` is told by the server that nothing has changed, `trusted` asks for one in twenty only, and
`changed` finds one page that has come, one that has gone and one whose lastmod has moved, all in one sitemap. Prints
JSON with the seconds, the processor time and the peak of resident memory of each, the size of the state, and how many
times faster the second look is. Exits with 1 if a look did not find exactly what has changed. nginx has to be
installed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from publishing import peak

HERE = Path(__file__).parent
LOOK = "--look"
DAY = "2026-01-02T10:00:00Z"
#: Numbers of changes by kind, by look.
EXPECTED: dict[str, dict[str, int]] = {
    "first": {},
    "second": {},
    "trusted": {},
    "changed": {"added": 1, "lastmod": 1, "removed": 1},
    "again": {},
}


def look(url: str, state: str, *, trusts: bool) -> dict[str, Any]:
    """Look once, and return what that took and what has changed."""
    import urlset

    begin, cpu = time.perf_counter(), time.process_time()
    with urlset.watch(url, state=state, http=urlset.Http(cache=state, trust_index=trusts)) as found:
        counts = dict(found.counts)
    taken = {"seconds": round(time.perf_counter() - begin, 3), "cpu": round(time.process_time() - cpu, 3)}
    requests = sum(fetch.attempts for fetch in found.fetches)
    return taken | {"peak_rss_bytes": peak(), "entries": found.entries, "changes": counts, "requests": requests}


def in_process(url: str, state: Path, name: str) -> dict[str, Any]:
    """Look in a process of its own."""
    command = [sys.executable, __file__, LOOK, url, str(state), name]
    record: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return record


def write_child(root: Path, url: str, number: int, entries: int, *, is_changed: bool = False) -> None:
    """Write a sitemap; changed, its first page has gone, the second has another lastmod, and one more has come."""
    rows = []
    for entry in range(int(is_changed), entries + int(is_changed)):
        day = "2026-02-02" if is_changed and entry == 1 else f"2026-01-{entry % 28 + 1:02}"
        loc = f"{url}/category-{entry % 97}/page-{number:04}-{entry:06}?size=1&amp;kind=green"
        rows.append(f"<url><loc>{loc}</loc><lastmod>{day}</lastmod><priority>0.5</priority></url>\n")
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{"".join(rows)}</urlset>\n'
    (root / f"{number:04}.xml.gz").write_bytes(gzip.compress(body.encode(), 6))


def write_index(root: Path, url: str, children: int, *, changed: int | None = None) -> None:
    """Write the index, with another lastmod for a child that has changed."""
    lastmods = ("2026-02-02T10:00:00Z" if number == changed else DAY for number in range(children))
    rows = [
        f"<sitemap><loc>{url}/{number:04}.xml.gz</loc><lastmod>{lastmod}</lastmod></sitemap>\n"
        for number, lastmod in enumerate(lastmods)
    ]
    index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{"".join(rows)}</sitemapindex>\n'
    (root / "sitemap.xml").write_text(index)


def main() -> int:
    """Write the site, serve it, and look."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--children", type=int, default=20)
    parser.add_argument("--entries", type=int, default=50_000, help="of each child")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "tests"))
    nginx = import_module("support.nginx").nginx
    looks: dict[str, dict[str, Any]] = {}
    with TemporaryDirectory() as name:
        root, work = Path(name) / "root", Path(name) / "nginx"
        root.mkdir()
        work.mkdir()
        for folder in (Path(name), root, work):
            folder.chmod(0o755)
        with nginx(root, work) as url:
            for number in range(options.children):
                write_child(root, url, number, options.entries)
            write_index(root, url, options.children)
            state = Path(name) / "state.sqlite"
            for each in EXPECTED:
                if each == "changed":
                    write_child(root, url, 1, options.entries, is_changed=True)
                    write_index(root, url, options.children, changed=1)
                looks[each] = in_process(f"{url}/sitemap.xml", state, each)
            size = os.path.getsize(state)
    wrong = [
        each
        for each, record in looks.items()
        if record["changes"] != EXPECTED[each] or record["entries"] != options.children * options.entries
    ]
    ratio = round(looks["first"]["seconds"] / looks["second"]["seconds"], 1)
    print(json.dumps({"looks": looks, "state_bytes": size, "first_by_second": ratio, "wrong": wrong}, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:2] == [LOOK]:
        print(json.dumps(look(sys.argv[2], sys.argv[3], trusts=sys.argv[4] == "trusted")))
        sys.exit(0)
    sys.exit(main())
