"""Build wheels, check them, and try them where nothing but Python is.

    python packaging/wheels.py [--target TARGET ...] [--free-threaded] [--sdist] [--no-wheel] [--elsewhere]
                               [--into dist]

Without a target, the wheel for this machine is built. It takes what `packaging/requirements.txt` lists, which
`make wheel` installs, and a Rust compiler: for a target that rustup has no standard library for, it takes one from
Debian's packages and compiles the library as well.

Each file that was built is checked: its name has the tags that it must have (an interpreter without a GIL would give a
wheel for itself alone), it uses only the stable ABI, it holds nothing that does not belong into a wheel, and its
metadata is in order. Whether it works is tried by `packaging/smoke.py`, in an empty environment without Rust on the
PATH.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import elsewhere
from elsewhere import ROOT, run

#: Wheels are for this version of Python and later ones; without a GIL there is no stable ABI before 3.15.
ABI, FREE_THREADED_ABI = "cp311-abi3", "cp314-cp314t"
#: A wheel has no more than this, compressed. What is larger has got something into it that should not be there.
MAX_MEGABYTES = 12


@dataclass(frozen=True)
class Target:
    """A platform: its name for Rust, the tag of its wheels, and what it is linked with."""

    name: str
    tag: str
    compatibility: str | None = None
    cflags: str | None = None

    @property
    def uses_zig(self) -> bool:
        """Linux is linked by zig, which knows the symbols of old versions of libc."""
        return self.compatibility is not None


#: Every platform that wheels are released for. Linux needs glibc 2.17 of 2012, or musl 1.2 of 2020.
TARGETS = [
    Target("x86_64-unknown-linux-gnu", "manylinux2014_x86_64.manylinux_2_17_x86_64", "manylinux2014"),
    # zig's headers for this version of glibc say nothing of the architecture, which the assembly of `ring` asks for.
    Target(
        "aarch64-unknown-linux-gnu", "manylinux2014_aarch64.manylinux_2_17_aarch64", "manylinux2014", "-D__ARM_ARCH=8"
    ),
    Target("x86_64-unknown-linux-musl", "musllinux_1_2_x86_64", "musllinux_1_2"),
    Target("aarch64-unknown-linux-musl", "musllinux_1_2_aarch64", "musllinux_1_2", "-D__ARM_ARCH=8"),
    Target("x86_64-apple-darwin", "macosx_10_12_x86_64"),
    Target("aarch64-apple-darwin", "macosx_11_0_arm64"),
    Target("x86_64-pc-windows-msvc", "win_amd64"),
    Target("aarch64-pc-windows-msvc", "win_arm64"),
    # Linked on Linux by mingw, to see before a release that it links. The one that is released is linked on Windows.
    Target("x86_64-pc-windows-gnu", "win_amd64"),
]


def tool(name: str) -> str:
    """Return a program that stands beside this Python."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or name


def compiler(target: str) -> dict[str, str]:
    """Return the environment in which cargo can build for a target."""
    host = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True, cwd=ROOT)
    if (Path(host.stdout.strip()) / "lib" / "rustlib" / target).is_dir():
        return {}
    if shutil.which("rustup") and not subprocess.run(["rustup", "target", "add", target], check=False).returncode:
        return {}
    print(
        f"rustup cannot add {target}: the compiler comes from Debian, and compiles the standard library too", flush=True
    )
    folder = ROOT / "target" / "rust"
    run("sh", ROOT / "packaging" / "rust-from-debian.sh", folder)
    return {
        "RUSTC": str(folder / "bin" / "rustc"),
        "RUSTC_BOOTSTRAP": "1",
        "CARGO_UNSTABLE_BUILD_STD": "std,panic_abort,panic_unwind",
        "CARGO_TARGET_DIR": str(ROOT / "target" / "foreign"),
    }


def build(target: Target, into: Path, *, free_threaded: bool = False, profile: str = "release") -> Path:
    """Build the wheel of a target into a folder that is empty."""
    arguments = ["--profile", profile, "--locked", "--strip", "--target", target.name, "--out", str(into)]
    # For the stable ABI, maturin needs no Python of the target.
    arguments += ["--interpreter", sys.executable if free_threaded else "python3.11"]
    if target.compatibility is not None:
        arguments += ["--zig", "--compatibility", target.compatibility]
    env = compiler(target.name)
    # maturin looks for zig on the PATH.
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if target.cflags is not None:
        env[f"CFLAGS_{target.name.replace('-', '_')}"] = target.cflags
    run(tool("maturin"), "build", *arguments, env=env)
    (wheel,) = into.glob("*.whl")
    return wheel


def check(wheel: Path, target: Target, *, free_threaded: bool) -> None:
    """Check what a wheel claims and holds."""
    expected = f"-{FREE_THREADED_ABI if free_threaded else ABI}-{target.tag}.whl"
    if not wheel.name.endswith(expected):
        sys.exit(f"{wheel.name} should end in {expected}")
    with zipfile.ZipFile(wheel) as archive:
        files = archive.infolist()
    strange = [
        file.filename for file in files if not file.filename.startswith(("urlset/", "urlset-", "pyspark_urlset/"))
    ]
    if strange:
        sys.exit(f"{wheel.name} holds {', '.join(strange)}")
    size = wheel.stat().st_size / 1e6
    if size > MAX_MEGABYTES:
        sys.exit(f"{wheel.name} has {size:.1f} MB, more than {MAX_MEGABYTES}")
    if not free_threaded:
        run(tool("abi3audit"), "--strict", wheel)
    run(tool("check-wheel-contents"), "--toplevel", "urlset,pyspark_urlset", wheel)
    run(tool("twine"), "check", "--strict", wheel)
    print(f"{wheel.name}: {size:.1f} MB, {sum(file.file_size for file in files) / 1e6:.1f} MB unpacked", flush=True)


def host() -> Target:
    """Return the target of this machine. Linux gets the wheel for glibc."""
    shown = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    name = next(line.removeprefix("host: ") for line in shown.splitlines() if line.startswith("host: "))
    return named(name)


def named(name: str) -> Target:
    """Return the target of that name."""
    found = next((target for target in TARGETS if target.name == name), None)
    if found is None:
        sys.exit(f"no wheel is released for {name}: the targets are {', '.join(target.name for target in TARGETS)}")
    return found


def try_it(wheel: Path) -> None:
    """Install a wheel into an empty environment, and run the smoke test there without Rust on the PATH."""
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "venv", folder)
        scripts = Path(folder) / ("Scripts" if os.name == "nt" else "bin")
        bare = {"PATH": os.pathsep.join([str(scripts), os.defpath])}
        if shutil.which("cargo", path=bare["PATH"]) is not None:
            sys.exit("cargo is on the PATH of the system, so that a missing wheel would go unnoticed")
        run(scripts / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel, env=bare)
        run(scripts / "python", "-I", ROOT / "packaging" / "smoke.py", env=bare)


def main() -> None:
    """Build what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", type=named, help="a target of Rust; this machine's without one")
    parser.add_argument("--free-threaded", action="store_true", help="for this Python, which has no GIL")
    parser.add_argument("--no-wheel", action="store_true", help="build no wheel")
    parser.add_argument("--sdist", action="store_true", help="also build the source distribution")
    parser.add_argument(
        "--elsewhere", action="store_true", help="try wheels for other processors and for musl, by elsewhere.py"
    )
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="the folder of what is built")
    options = parser.parse_args()
    into = options.into.resolve()
    into.mkdir(parents=True, exist_ok=True)
    if options.sdist:
        run(tool("maturin"), "sdist", "--out", into)
        run(tool("twine"), "check", "--strict", *into.glob("*.tar.gz"))
    here = host()
    for target in [] if options.no_wheel else options.target or [here]:
        with tempfile.TemporaryDirectory(dir=into) as folder:
            wheel = build(target, Path(folder), free_threaded=options.free_threaded)
            check(wheel, target, free_threaded=options.free_threaded)
            wheel = wheel.replace(into / wheel.name)
        if target == here and not options.free_threaded:
            try_it(wheel)
        elif options.elsewhere and target.uses_zig:
            elsewhere.try_it(wheel, ROOT / "build" / "elsewhere")
        else:
            print(f"{wheel.name} is for another machine: it was checked, but not run", flush=True)


if __name__ == "__main__":
    main()
