"""Try a wheel for Linux on another processor or libc, in a folder that holds a Python for it.

    python packaging/elsewhere.py WHEEL [--folder build/elsewhere]

It takes Debian, root, and for another processor `qemu-user-static`; nothing is installed. For glibc, the Python is
Debian's own of that processor, the smoke test runs whole, and pip chooses the wheels of what urlset depends on. For
musl, which Debian has no Python for, Debian's source of Python is compiled by zig, which takes some three minutes once.
DuckDB has no wheel for musl, so there the smoke test is that of the core.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: What each processor is called by wheels, and by Debian.
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
#: The Python of Debian 12, and the oldest one that urlset runs with.
PYTHON = "3.11"
#: Below /usr, its build would take the headers of this machine.
MUSL_PREFIX = "/opt/python"
#: A configure script would have to run programs of the other machine to find these out.
KNOWN = ["ac_cv_file__dev_ptmx=no", "ac_cv_file__dev_ptc=no", "ac_cv_buggy_getaddrinfo=no"]
#: zig's musl has these, and Debian's, which is older, lacks them.
KNOWN += ["ac_cv_func_preadv2=no", "ac_cv_func_pwritev2=no", "ac_cv_header_stropts_h=no"]
#: The libraries of this machine are for its own libc.
KNOWN += [f"ac_cv_header_{name}_h=no" for name in ("lzma", "bzlib", "uuid_uuid", "uuid")]


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Run a command, and end this program if it fails."""
    print("$", " ".join(str(part) for part in command), flush=True)
    words = [str(part) for part in command]
    ended = subprocess.run(words, cwd=cwd, env={**os.environ, **(env or {})}, check=False)
    if ended.returncode:
        sys.exit(f"it failed with exit code {ended.returncode}")


class Debian:
    """The packages of Debian for a processor, beside those of this machine."""

    def __init__(self, processor: str, folder: Path) -> None:
        self._processor = DEBIAN[processor]
        self._folder = folder
        for name in ("state/lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "state" / "status").touch()
        shutil.copytree("/etc/apt", folder / "etc", dirs_exist_ok=True)
        for listed in (folder / "etc" / "sources.list.d").glob("*.sources"):
            listed.write_text(listed.read_text("utf-8").replace("Types: deb\n", "Types: deb deb-src\n"), "utf-8")
        self._apt("update", "--quiet", "--quiet")

    def _apt(self, *arguments: str, folder: Path | None = None) -> None:
        places = {
            "APT::Architecture": self._processor,
            "APT::Architectures::": self._processor,
            "Dir::Etc": self._folder / "etc",
            "Dir::State": self._folder / "state",
            "Dir::State::status": self._folder / "state" / "status",
            "Dir::Cache": self._folder / "cache",
        }
        options = [part for name, value in places.items() for part in ("-o", f"{name}={value}")]
        run("apt-get", *options, *arguments, cwd=folder or self._folder)

    def unpack(self, root: Path, *packages: str) -> None:
        """Unpack packages, with all that they depend on, into a folder."""
        self._apt("--yes", "--quiet", "--quiet", "--no-install-recommends", "--download-only", "install", *packages)
        for package in sorted((self._folder / "cache" / "archives").glob("*.deb")):
            run("dpkg-deb", "--extract", package, root)

    def source(self, package: str) -> Path:
        """Download the source of a package as its authors released it. Debian's changes to it are left out."""
        folder = self._folder / "sources" / package
        folder.mkdir(parents=True)
        self._apt("--quiet", "--quiet", "--download-only", "--tar-only", "source", package, folder=folder)
        (found,) = folder.glob("*.orig.tar.*")
        return found


def glibc_root(root: Path, processor: str) -> None:
    """Make a folder with Debian's Python for a processor."""
    # DuckDB needs the library of C++.
    Debian(processor, root.parent / "debian").unpack(root, "python3-minimal", "libpython3-stdlib", "libstdc++6")


def musl_root(root: Path, processor: str) -> None:
    """Make a folder with musl, and a Python that is compiled for it."""
    debian = Debian(processor, root.parent / "debian")
    debian.unpack(root, "musl")
    compiler = root.parent / "cc"
    # zig refuses `__DATE__`, which Python says when it was built with. Asked where headers are, it names those of this
    # machine, which Python would then take.
    zig = f'exec "{sys.executable}" -m ziglang cc -target {processor}-linux-musl -dynamic -Wno-date-time "$@"'
    compiler.write_text(f'#!/bin/sh\n[ "$*" = "-E -v -" ] && exit 1\n{zig}\n', "utf-8")
    compiler.chmod(0o755)
    zlib, python = (_source(debian, package, root.parent) for package in ("zlib", f"python{PYTHON}"))
    env = {"CC": str(compiler), "CHOST": f"{processor}-linux-musl", "CPPFLAGS": f"-I{zlib}", "LDFLAGS": f"-L{zlib}"}
    env |= {"PKG_CONFIG": "false", "READELF": shutil.which("readelf") or ""}
    env |= {tool.upper(): f"{sys.executable} -m ziglang {tool}" for tool in ("ar", "ranlib")}
    run("./configure", "--static", cwd=zlib, env=env)
    run("make", "libz.a", cwd=zlib, env=env)
    build_python = shutil.which(f"python{PYTHON}") or sys.exit(f"Python {PYTHON} is needed to compile another one")
    options = [f"--host={processor}-linux-musl", f"--build={platform.machine()}-linux-gnu", f"--prefix={MUSL_PREFIX}"]
    options += [f"--with-build-python={build_python}", "--without-ensurepip", "--disable-test-modules"]
    run("./configure", "--quiet", "--disable-ipv6", *options, *KNOWN, cwd=python, env=env)
    run("make", "--silent", f"--jobs={os.cpu_count()}", cwd=python, env=env)
    run("make", "--silent", "install", f"DESTDIR={root}", cwd=python, env=env)


def _source(debian: Debian, package: str, folder: Path) -> Path:
    """Unpack the source of a package of Debian into a folder of its name."""
    into = folder / package
    into.mkdir()
    run("tar", "--extract", "--strip-components=1", "--file", debian.source(package), "--directory", into)
    return into


def install(wheel: str | Path, root: Path, processor: str, *, is_musl: bool = False) -> None:
    """Install a wheel, or a package by its name, into a root; for glibc, with what it depends on."""
    site = root / (
        f"{MUSL_PREFIX[1:]}/lib/python{PYTHON}/site-packages" if is_musl else "usr/lib/python3/dist-packages"
    )
    platforms = (
        [f"musllinux_1_2_{processor}"] if is_musl else [f"manylinux_2_28_{processor}", f"manylinux2014_{processor}"]
    )
    options: list[str | Path] = [part for name in platforms for part in ("--platform", name)]
    options += ["--python-version", PYTHON, "--only-binary", ":all:", "--target", site, "--upgrade"]
    run(sys.executable, "-m", "pip", "install", "--quiet", *options, *(["--no-deps"] if is_musl else []), wheel)


def prepare(wheel: Path, folder: Path) -> tuple[Path, list[str]]:
    """Make the root that a wheel needs, unless it is there, and install the wheel into it.

    Returns:
        The root, and the command that starts its Python there.
    """
    processor, is_musl = _platform(wheel)
    place = folder / f"{processor}-{'musl' if is_musl else 'glibc'}"
    root = place / "root"
    if not (place / "done").exists():
        shutil.rmtree(place, ignore_errors=True)
        root.mkdir(parents=True)
        (musl_root if is_musl else glibc_root)(root, processor)
        (place / "done").touch()
    install(wheel, root, processor, is_musl=is_musl)
    (root / "tmp").mkdir(exist_ok=True)
    python = f"{MUSL_PREFIX if is_musl else '/usr'}/bin/python{PYTHON}"
    if processor == platform.machine():
        return root, [python]
    emulator = shutil.which(f"qemu-{processor}-static") or sys.exit("apt-get install qemu-user-static")
    shutil.copy(emulator, root / "emulator")
    return root, ["/emulator", python]


def run_in(root: Path, *command: str) -> None:
    """Run a command in a root, and end this program if it fails."""
    run("chroot", root, *command, env={"LD_LIBRARY_PATH": ""})


def _platform(wheel: Path) -> tuple[str, bool]:
    """Return the processor that a wheel is for, and whether it is for musl."""
    tag = wheel.stem.rpartition("-")[2]
    return next(name for name in DEBIAN if tag.endswith(name)), tag.startswith("musllinux")


def try_it(wheel: Path, folder: Path) -> None:
    """Install a wheel into the root that it needs, and run the smoke test there."""
    root, command = prepare(wheel, folder)
    shutil.copy(ROOT / "packaging" / "smoke.py", root / "smoke.py")
    # The script that pip wrote names the Python of this machine.
    script = root / "usr/local/bin/urlset"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(f"#!{' '.join(command)}\nimport sys\nfrom urlset._cli import main\nsys.exit(main())\n", "utf-8")
    script.chmod(0o755)
    run_in(root, *command, "-I", "/smoke.py", *(["--core"] if _platform(wheel)[1] else []))


def main() -> None:
    """Try the wheels that were named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, nargs="+", help="a wheel for Linux")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "elsewhere", help="where the Pythons are kept")
    options = parser.parse_args()
    for wheel in options.wheel:
        try_it(wheel.resolve(), options.folder.resolve())


if __name__ == "__main__":
    main()
