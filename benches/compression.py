"""Measure what each library and level makes of sitemaps, and in what time: why gzip is made as it is.

    python benches/compression.py
    python benches/compression.py plain dense --only zlib-rs,libdeflate

The documents are as `write` makes them. The time is that of the processor, the best of seven, and the ratios are to
level 6 of Python's zlib. What was compressed is unpacked with zlib and compared, and the same library unpacks it too;
for zlib-rs that is the decoder of the core, which needs Rust. benches/run.py makes the environment of the other
libraries.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import urlset
from compressors import LIBRARIES, ROUNDS
from counts import program
from inputs import DATA, ensure
from read import INPUTS, PEERS
from report import table
from urlset import _core
from urlset._util.arguments import GZIP_LEVEL

HERE = Path(__file__).parent
BASE = ("zlib", 6)
USED = ("zlib-rs", GZIP_LEVEL)


def measured(name: str, path: Path) -> dict[str, Any]:
    """Run one library on a file, in a process of its own; return its version, and what it came to at each level."""
    python = PEERS if LIBRARIES[name].python == "peers" else sys.executable
    done = subprocess.run([python, HERE / "compressors.py", name, path], stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def inflated_by_core(inflating: Path, path: Path, levels: list[dict[str, Any]]) -> None:
    """Add how long the core takes to undo what was compressed at each level."""
    xml = path.read_bytes()
    for level in levels:
        packed = path.with_name(f"{path.name}.{level['level']}.gz")
        packed.write_bytes(_core.gzip(xml, level["level"]))
        done = subprocess.run([inflating, f"--times={ROUNDS}", packed], stdout=subprocess.PIPE, check=True)
        found = json.loads(done.stdout)
        if found["bytes"] != len(xml):
            sys.exit(f"WRONG: the core makes {found['bytes']} bytes of {path.name}, and not {len(xml)}")
        level["unpack_seconds"] = found["seconds"]


def show(name: str, size: int, found: dict[str, dict[str, Any]]) -> str:
    """Return what was measured on one document as a table."""
    of = {(library, level["level"]): level for library, each in found.items() for level in each["levels"]}
    base = of.get(BASE) or next(iter(of.values()))
    rows = [
        [
            f"{library} {found[library]['version']}, {number}{' (used)' if (library, number) == USED else ''}",
            f"{level['seconds']:.3f}",
            f"{level['seconds'] / base['seconds']:.2f}",
            f"{level['bytes']:,}",
            f"{level['bytes'] / base['bytes']:.3f}",
            f"{size / level['unpack_seconds'] / 1e6:,.0f}",
        ]
        for (library, number), level in of.items()
    ]
    head = ["library, level", "CPU s", "x base", "bytes", "x base", "unpacks MB/s"]
    return f"\n{name}: {size:,} bytes of XML\n\n{table(head, rows)}"


def main() -> None:
    """Print one table for each document."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help=f"of {', '.join(INPUTS)} (the default)")
    parser.add_argument("--only", default=",".join(LIBRARIES), help="libraries, by comma (%(default)s)")
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    options = parser.parse_args()
    names = options.only.split(",")
    if unknown := set(names) - set(LIBRARIES) | set(options.inputs) - set(INPUTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if not PEERS.exists() and any(LIBRARIES[name].python == "peers" for name in names):
        parser.error(f"no {PEERS}: benches/run.py makes it")
    inflating = Path(program(bench="inflating"))
    with tempfile.TemporaryDirectory(prefix="urlset-bench-") as folder:
        for name in options.inputs or INPUTS:
            path = Path(folder, f"{name}.xml")
            urlset.write(urlset.read(ensure(name, directory=options.data).path), path)
            found = {library: measured(library, path) for library in names}
            if "zlib-rs" in found:
                inflated_by_core(inflating, path, found["zlib-rs"]["levels"])
            print(show(name, path.stat().st_size, found), flush=True)


if __name__ == "__main__":
    main()
