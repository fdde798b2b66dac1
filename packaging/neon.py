"""Test the core on the vector instructions of ARM processors (NEON), with an emulator.

    python packaging/neon.py [--wheel WHEEL]

It takes what elsewhere.py takes: Debian, root, `qemu-user-static` and what `packaging/requirements.txt` lists. The
tests of the core and of its columns are built for `aarch64` with musl, without any library, and run; one of them fails
unless NEON is what the core chooses. Then a wheel is installed beside Debian's Python for `aarch64`, and that reads the
vectors by their own runner, `tests/read/test_vectors.py`. Without `--wheel` one is built as the tests are, which takes
half as long as a wheel for release.
"""

from __future__ import annotations

import argparse
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

import elsewhere
import wheels
from elsewhere import ROOT, run, run_in

PROCESSOR = "aarch64"
#: What the runner of the vectors imports beside urlset.
PACKAGES = ["lxml>=6.0,<7", "pyarrow>=24,<27", "pytest>=9.0,<10", "tzdata"]


def cargo_environment(target: str) -> dict[str, str]:
    """Return the environment in which cargo builds programs for a target with musl, and runs them."""
    name = f"CARGO_TARGET_{target.replace('-', '_').upper()}"
    emulator = shutil.which(f"qemu-{PROCESSOR}-static") or sys.exit("apt-get install qemu-user-static")
    # The library of musl, and what begins a program, come with the target.
    return wheels.compiler(target) | {f"{name}_LINKER": "rust-lld", f"{name}_RUNNER": emulator}


def test_core() -> None:
    """Run the tests of the core."""
    target = f"{PROCESSOR}-unknown-linux-musl"
    packages = ["--package", "urlset-core", "--package", "urlset-texts"]
    # The emulator takes most of the time, so optimising all of it pays.
    command = ("cargo", "test", "--release", "--locked", "--quiet", "--target", target, *packages, "--lib")
    run(*command, env=cargo_environment(target))


def test_vectors(wheel: Path) -> None:
    """Read the vectors with an installed wheel."""
    root, python = elsewhere.prepare(wheel, ROOT / "build" / "elsewhere")
    for package in PACKAGES:
        elsewhere.install(package, root, PROCESSOR)
    null = root / "dev" / "null"
    if not null.exists():
        null.parent.mkdir(exist_ok=True)
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    place = root / "urlset"
    shutil.rmtree(place, ignore_errors=True)
    for name in ("vectors", "tests/read", "tests/support"):
        shutil.copytree(ROOT / name, place / name)
    arguments = ["-q", "--noconftest", "-o", "pythonpath=/urlset/tests", "-p", "no:cacheprovider", "-m", "not long"]
    run_in(root, *python, "-m", "pytest", *arguments, "/urlset/tests/read/test_vectors.py")


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="a wheel for aarch64 and glibc")
    options = parser.parse_args()
    test_core()
    if options.wheel:
        test_vectors(options.wheel.resolve())
        return
    with tempfile.TemporaryDirectory() as folder:
        target = wheels.named(f"{PROCESSOR}-unknown-linux-gnu")
        test_vectors(wheels.build(target, Path(folder), profile="dev"))


if __name__ == "__main__":
    main()
