"""Measure following a site behind nginx on this machine, beside ultimate-sitemap-parser, and curl with gunzip.

    python benches/following.py
    python benches/following.py --children 4 --entries 5000 --rounds 1

The site is an index of gzipped sitemaps. Each contestant is a process of its own: `urlset` reads all columns of all
entries, `usp` all pages, and `curl` only receives and decompresses, eight documents at once, as urlset does. Prints
JSON with the best seconds and processor seconds of each, and their ratios. Exits with 1 if one did not find every
entry, or every byte. nginx, curl and gunzip have to be installed, and the peers (`python benches/run.py --peers`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from read import PEERS

HERE = Path(__file__).parent
AT_ONCE = 8
URLSET = f"""
import sys, urlset
http = urlset.Http(concurrency={AT_ONCE}, per_host={AT_ONCE})
print(sum(len(batch) for batch in urlset.scan(sys.argv[1] + "/sitemap.xml", http=http).batches()))
"""
USP = """
import sys
from usp.tree import sitemap_tree_for_homepage
print(sum(1 for page in sitemap_tree_for_homepage(sys.argv[1], use_known_paths=False).all_pages()))
"""
CURL = f"""
curl -s "$1/sitemap.xml" | grep -o 'http[^<]*gz' |
    xargs -P {AT_ONCE} -n 1 sh -c 'curl -s "$0" | gunzip -c | wc -c' | awk '{{ sum += $1 }} END {{ print sum }}'
"""
CONTESTANTS = {
    "urlset": [sys.executable, "-c", URLSET],
    "curl": ["sh", "-c", CURL, "sh"],
    "usp": [str(PEERS), "-c", USP],
}


def serve_set(root: Path, url: str, children: int, entries: int) -> int:
    """Write the site; return the bytes of its sitemaps."""
    total = 0
    for number in range(children):
        rows = (
            f"<url><loc>{url}/category-{entry % 97}/page-{number:04}-{entry:06}</loc>"
            f"<lastmod>2026-01-{entry % 28 + 1:02}</lastmod><priority>0.5</priority></url>\n"
            for entry in range(entries)
        )
        body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{"".join(rows)}</urlset>\n'.encode()
        (root / f"{number:04}.xml.gz").write_bytes(gzip.compress(body, 6))
        total += len(body)
    listed = "".join(f"<sitemap><loc>{url}/{number:04}.xml.gz</loc></sitemap>\n" for number in range(children))
    index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{listed}</sitemapindex>\n'
    (root / "sitemap.xml").write_text(index)
    (root / "robots.txt").write_text(f"Sitemap: {url}/sitemap.xml\n")
    return total


def run(name: str, url: str) -> dict[str, Any]:
    """Run a contestant, and return what it found and what that took."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*CONTESTANTS[name], url], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"found": int(done.stdout), "seconds": round(seconds, 3), "cpu": round(cpu, 3)}


def main() -> int:
    """Measure; 1 if a contestant did not find everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--children", type=int, default=40)
    parser.add_argument("--entries", type=int, default=50_000, help="of each child")
    parser.add_argument("--rounds", type=int, default=3, help="of all but usp, which runs once")
    options = parser.parse_args()
    sys.path.append(str(HERE.parent / "tests"))
    nginx = import_module("support.nginx").nginx
    with TemporaryDirectory() as folder:
        root, work = Path(folder, "root"), Path(folder, "work")
        root.mkdir()
        work.mkdir()
        for each in (Path(folder), root, work):
            each.chmod(0o755)  # nginx may be another user
        with nginx(root, work) as url:
            size = serve_set(root, url, options.children, options.entries)
            rounds = [name for _ in range(options.rounds) for name in CONTESTANTS if name != "usp"]
            runs: dict[str, list[dict[str, Any]]] = {name: [] for name in CONTESTANTS}
            for name in [*rounds, "usp"]:
                runs[name].append(run(name, url))
    best = {name: min(found, key=lambda each: each["seconds"]) for name, found in runs.items()}
    entries = options.children * options.entries
    ratios = {name: round(best[name]["seconds"] / best["urlset"]["seconds"], 2) for name in ("curl", "usp")}
    print(json.dumps({"entries": entries, "xml_bytes": size, **best, "times_as_fast_as": ratios}))
    expected = {"urlset": entries, "usp": entries, "curl": size}
    return int(any(each["found"] != expected[name] for name, found in runs.items() for each in found))


if __name__ == "__main__":
    sys.exit(main())
