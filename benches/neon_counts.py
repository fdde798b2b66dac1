"""Count the instructions of reading on an ARM processor, which has NEON, beside those on this one, which has AVX2.

    python benches/neon_counts.py
    python benches/neon_counts.py plain dense

It reads what `counts.py` reads, with the same program: here under valgrind, and built for `aarch64` under QEMU with the
plugin `instructions.c`, which also counts the instructions that work on vectors. It needs Rust, a C compiler,
valgrind and `qemu-user`. As there, what a run takes without an input is subtracted. Times are not
measured, because an emulator says nothing about those of a processor. The exit code is 1 if an input was not read
whole, or without vectors. Prints a table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from counts import ROOT, VALGRIND, program
from inputs import ensure
from read import INPUTS
from report import table

sys.path.append(str(ROOT / "packaging"))
from neon import PROCESSOR, cargo_environment

TARGET = f"{PROCESSOR}-unknown-linux-musl"


def collected(*command: str) -> tuple[int, list[int]]:
    """Count the instructions of a run of the program; return the entries of its last input, and the instructions."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    _, found, numbers = done.stderr.partition("Collected : ")
    assert found, done.stderr
    entries = json.loads(done.stdout.splitlines()[-1])["entries"]
    return entries, [int(number) for number in numbers.splitlines()[0].split()]


def counted(command: Sequence[str], path: Path) -> tuple[int, list[float]]:
    """Return the entries of an input, and the instructions of one: all, and those for vectors if they are counted."""
    _, without = collected(*command)
    entries, found = collected(*command, str(path))
    # The program reads each of its inputs twice.
    return entries, [(each - start) / 2 / entries for each, start in zip(found, without, strict=True)]


def plugin(folder: str) -> str:
    """Compile the plugin, and return where it is."""
    path = f"{folder}/instructions.so"
    source = Path(__file__).with_name("instructions.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", path, source], check=True)
    return path


def main() -> int:
    """Count, and print the table; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("inputs", nargs="*", default=INPUTS, help=", ".join(INPUTS))
    options = parser.parse_args()
    here = [*VALGRIND, program()]
    body, wrong = [], []
    with TemporaryDirectory() as folder:
        emulated = program("--target", TARGET, env={**os.environ, **cargo_environment(TARGET)})
        there = [f"qemu-{PROCESSOR}", "-plugin", plugin(folder), emulated]
        for name in options.inputs:
            made = ensure(name)
            entries, [ours] = counted(here, made.path)
            same, [theirs, vectors] = counted(there, made.path)
            body.append([name, f"{ours:,.1f}", f"{theirs:,.1f}", f"{theirs / ours:.2f}", f"{vectors:,.1f}"])
            if not (entries == same == made.rows and vectors):
                wrong.append(name)
    print(table(["instructions an entry", "x86-64", "aarch64", "ratio", "for vectors"], body))
    if wrong:
        print(f"WRONG: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
