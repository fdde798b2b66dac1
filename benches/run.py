"""Run the benchmarks: make what they need, measure reading, writing and a giant, then write docs/speed.md.

    python benches/run.py [--quick]
    python benches/run.py --peers      only make the peers' environment

Run it with the Python that has urlset and its test requirements. The peers get an environment of
their own, `.venv-peers` at the root, made again whenever their pins change. A quick run writes no page.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from contest import progress
from inputs import ensure, gzipped
from picture import write_pages
from read import INPUTS, PEERS, QUICK_ENTRIES

HERE = Path(__file__).parent
PINS = HERE / "requirements-peers.txt"


def install_peers() -> None:
    """Make `.venv-peers` with the pinned peers, unless it is there already."""
    folder = PEERS.parent.parent
    installed = folder / PINS.name  # a copy of the pins it was made from, written last
    if installed.exists() and installed.read_bytes() == PINS.read_bytes():
        return
    progress(f"making {folder}")
    venv.create(folder, clear=True, with_pip=True)
    subprocess.run([PEERS, "-m", "pip", "install", "--quiet", "-r", PINS], check=True)
    shutil.copyfile(PINS, installed)


def main() -> int:
    """Prepare and measure; 1 when any figure was wrong."""
    parser = argparse.ArgumentParser(description="Run all benchmarks.")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ENTRIES:,} entries, fewer repetitions")
    parser.add_argument("--peers", action="store_true", help="only make the peers' environment")
    options = parser.parse_args()
    install_peers()
    if options.peers:
        return 0
    for name in INPUTS:
        gzipped(ensure(name, entries=QUICK_ENTRIES if options.quick else 0))
    quick = ["--quick"] if options.quick else []
    codes = [
        subprocess.run([sys.executable, HERE / program, *quick], check=False).returncode
        for program in ("read.py", "write.py", "giant.py")
    ]
    if not options.quick:
        write_pages()
    return max(codes)


if __name__ == "__main__":
    raise SystemExit(main())
