"""Write the licences of what a wheel contains: every crate that is compiled into the module, with its licence texts.

    python packaging/notices.py [--check]

`THIRD-PARTY.txt` goes into each wheel and the source distribution. With `--check` nothing is written, and the exit code
is 1 if the file is not of the crates in Cargo.lock. It takes cargo, and the crates that it has downloaded.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTICES = ROOT / "THIRD-PARTY.txt"
NAMES = re.compile(r"(licen[cs]e|copying|notice|copyright|unlicense)", re.IGNORECASE)
RULE = "-" * 100


def crates() -> list[dict[str, Any]]:
    """Return the crates that the module is compiled from, on any platform, without those that only build it."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    shown = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    packages = {package["id"]: package for package in shown["packages"]}
    nodes = {node["id"]: node for node in shown["resolve"]["nodes"]}
    (root,) = [each for each, package in packages.items() if package["name"] == "urlset-python"]
    found, waiting = {root}, [root]
    while waiting:
        for needed in nodes[waiting.pop()]["deps"]:
            is_contained = any(kind["kind"] is None for kind in needed["dep_kinds"])
            is_macro = any("proc-macro" in target["kind"] for target in packages[needed["pkg"]]["targets"])
            if is_contained and not is_macro and needed["pkg"] not in found:
                found.add(needed["pkg"])
                waiting.append(needed["pkg"])
    others = [packages[each] for each in found if packages[each]["source"] is not None]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts(package: dict[str, Any]) -> list[str]:
    """Return the licence texts in the source of a crate. Where MIT can be chosen, it is."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and NAMES.match(path.name))
    chosen = [path for path in files if re.search("mit", path.name, re.IGNORECASE)]
    if chosen and re.search(r"MIT(/| OR )|(/| OR )MIT", package["license"]) and " AND " not in package["license"]:
        files = chosen
    read = [path.read_text("utf-8", "replace") for path in files]
    return ["\n".join(line.rstrip() for line in text.strip().splitlines()) for text in read]


def notices() -> str:
    """Return the whole file. A text that several crates share stands there once."""
    users = defaultdict[str, list[str]](list)
    lines, bare = [], []
    for package in crates():
        name = f"{package['name']} {package['version']}"
        lines.append(f"{name}: {package['license']}" + (f" ({package['repository']})" if package["repository"] else ""))
        found = texts(package)
        for text in found:
            users[text].append(name)
        if not found:
            bare.append(name)
    head = "The compiled module of urlset contains these libraries, under their licences:\n\n" + "\n".join(lines)
    if bare:
        head += f"\n\nWithout a licence text of their own in their source: {', '.join(bare)}."
    return "\n".join([head, *(f"\n{RULE}\n{', '.join(names)}\n{RULE}\n\n{text}" for text, names in users.items()), ""])


def main() -> None:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    made = notices()
    if not parser.parse_args().check:
        NOTICES.write_text(made, "utf-8")
    elif not NOTICES.exists() or NOTICES.read_text("utf-8") != made:
        sys.exit("THIRD-PARTY.txt is not of the crates in Cargo.lock: run packaging/notices.py")


if __name__ == "__main__":
    main()
