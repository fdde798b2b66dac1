"""Run the benchmarks: make what they need, count, measure reading, writing and a giant, then write docs/speed.md.

    python benches/run.py [--quick]
    python benches/run.py --peers      only make the peers' environment

Run it with the Python that has urlset and its test requirements. The peers get an environment of their own,
`.venv-peers` at the root, made again whenever their pins change. A full run ends with the figures that were kept before
beside the new ones. A quick run writes no page and keeps nothing.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import history
from compare import compared
from contest import progress
from inputs import ensure, gzipped
from picture import load, write_pages
from read import INPUTS, PEERS, QUICK_ENTRIES
from write import NODE_PEER

HERE = Path(__file__).parent
PINS = HERE / "requirements-peers.txt"
NODE_PINS = [HERE / "sitemapjs" / name for name in ("package.json", "package-lock.json")]


def install_peers() -> None:
    """Make `.venv-peers` with the pinned peers, unless it is there already; that of Node where there is Node."""
    folder = PEERS.parent.parent
    installed = folder / PINS.name  # a copy of the pins it was made from, written last
    if not (installed.exists() and installed.read_bytes() == PINS.read_bytes()):
        progress(f"making {folder}")
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([PEERS, "-m", "pip", "install", "--quiet", "-r", PINS], check=True)
        shutil.copyfile(PINS, installed)
    copies = {pins: NODE_PEER.parent / pins.name for pins in NODE_PINS}
    is_fresh = all(copy.exists() and copy.read_bytes() == pins.read_bytes() for pins, copy in copies.items())
    if shutil.which("npm") and not (is_fresh and NODE_PEER.exists()):
        progress(f"making {NODE_PEER.parent}")
        NODE_PEER.parent.mkdir(exist_ok=True)
        for pins, copy in copies.items():
            shutil.copyfile(pins, copy)
        # Nothing that a package brings along is run.
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=NODE_PEER.parent, check=True)


def main() -> int:
    """Prepare and measure; 1 when any figure was wrong."""
    parser = argparse.ArgumentParser(description="Run all benchmarks.")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ENTRIES:,} entries, fewer repetitions")
    parser.add_argument("--peers", action="store_true", help="only make the peers' environment")
    options = parser.parse_args()
    install_peers()
    if options.peers:
        return 0
    before = load()
    for name in INPUTS:
        gzipped(ensure(name, entries=QUICK_ENTRIES if options.quick else 0))
    quick = ["--quick"] if options.quick else []
    codes = [
        subprocess.run([sys.executable, HERE / program, *quick], check=False).returncode
        for program in ("counts.py", "read.py", "write.py", "giant.py")
    ]
    if not options.quick:
        write_pages()
        history.draw()
        print(f"\n{compared(before, load())}")
    return max(codes)


if __name__ == "__main__":
    raise SystemExit(main())
