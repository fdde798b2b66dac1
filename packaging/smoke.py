"""Try an installed urlset: rows are published, checked, read back and compared, and the command runs.

    python -I packaging/smoke.py [--core]

With `--core` it tries what works without DuckDB, for platforms that DuckDB has no wheel for. It uses nothing but the
package and what that depends on, prints what it takes on disk, and ends with exit code 1 if anything is wrong.
"""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import urlset

ROWS = [
    {"loc": "https://shop.example/", "lastmod": "2026-11-20"},
    {"loc": "/tea?size=1&kind=green", "lastmod": "2026-11-21T08:00:00Z"},
    {"loc": "/café"},
]


def expect(name: str, *, is_met: bool) -> None:
    """Print whether something is as it should be, and end the program if it is not."""
    print("ok " if is_met else "NOT", name)
    if not is_met:
        sys.exit(1)


def try_core() -> None:
    """Try what needs no other package: the core, through the functions that read, write and check one document."""
    bad = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/a</loc></url></urlset>'
    expect("parse reads an entry", is_met=[entry.loc for entry in urlset.parse(bad)] == ["/a"])
    expect("lint finds a relative loc", is_met=[each.code for each in urlset.lint(bad)] == ["LOC002"])
    fixed = urlset.fix(bad, location="https://shop.example/sitemap.xml")
    expect("fix makes it absolute", is_met=b"<loc>https://shop.example/a</loc>" in fixed.data)


def try_verbs() -> None:
    """Try a set on disk, with DuckDB, and the command."""
    with tempfile.TemporaryDirectory() as folder:
        published = urlset.publish(ROWS, folder, base_url="https://shop.example/")
        expect("publish writes three entries", is_met=published.entries == 3)
        again = urlset.publish(ROWS, folder, base_url="https://shop.example/")
        expect("a rerun changes nothing", is_met=again.plan.added == again.plan.removed == 0)
        locs = sorted(str(entry.loc) for entry in urlset.scan(folder))
        paths = ["", "caf%C3%A9", "tea?size=1&kind=green"]
        expect("scan reads them back", is_met=locs == [f"https://shop.example/{path}" for path in paths])
        expect("lint finds nothing in them", is_met=not urlset.lint(folder))
        expect("stats counts them", is_met=urlset.stats(folder).entries == 3)
        expect("the command reads them", is_met=_printed("read", folder, "--format", "csv").count("shop.example") == 3)
    version = _printed("--version").strip()
    expect(f"the command says {version}", is_met=urlset.__version__ in version)


def main() -> None:
    """Try what was asked for."""
    try_core()
    if "--core" not in sys.argv:
        try_verbs()
    report_size()


def _printed(*arguments: str) -> str:
    command = next(Path(sysconfig.get_path("scripts")).glob("urlset*"))
    return subprocess.run([command, *arguments], capture_output=True, text=True, check=True).stdout


def report_size() -> None:
    """Print how much the package and each of its dependencies take."""
    waiting, sizes = ["urlset"], dict[str, float]()
    while waiting:
        name = waiting.pop()
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for another platform
        files = [Path(str(found.locate_file(file))) for file in found.files or []]
        sizes[name] = sum(file.stat().st_size for file in files if file.is_file()) / 1e6
        needed = [re.split(r"[\s;<>=!~\[(]", each)[0] for each in found.requires or [] if "extra ==" not in each]
        waiting += [each for each in needed if each not in sizes]
    parts = ", ".join(f"{name} {size:.1f}" for name, size in sorted(sizes.items(), key=lambda item: -item[1]))
    print(f"installed: {sum(sizes.values()):.1f} MB ({parts})")


if __name__ == "__main__":
    main()
