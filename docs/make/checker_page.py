"""Builds the checker in the browser: the folder `check/` of the site, from `checker/` and the WebAssembly module.

    python docs/make/checker_page.py [--into FOLDER] [--wasm FILE]

The page, its style and its scripts are copied as they are. Made for it are `catalogue.json`, so that the page has no
list of rules or profiles of its own, and the list of files that `offline.js` keeps.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import urlset
from urlset._model.limits import PROTOCOL
from urlset._rules.catalogue import rules
from urlset._rules.profiles import PROFILES, profile
from urlset._rules.selection import select_rules

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "checker"
WASM = ROOT / "build" / "urlset.wasm"


def question(name: str) -> dict[str, Any]:
    """Return the part of a question to the crate `urlset-wasm` that depends on the profile alone."""
    chosen = profile(name)
    settings = asdict(chosen.settings)
    del settings["agents"]  # they matter to rules of sets alone
    enabled = select_rules(chosen, select=None, ignore=(), preview=False)
    judged = {rule.code for rule in rules() if rule.scope == "document"}
    kept = {code: severity for code, severity in enabled.items() if code in judged}
    return {**settings, "document_entries": PROTOCOL.entries, "rules": kept}


def catalogue() -> dict[str, Any]:
    """Return what the page knows of rules and profiles."""
    return {
        "version": urlset.__version__,
        "profiles": {name: question(name) for name in PROFILES},
        "rules": {rule.code: {"summary": rule.summary} for rule in rules() if rule.scope == "document"},
        "of_sets": [rule.code for rule in rules() if rule.scope != "document"],
        # A set with an index is split already, and its documents are meant to be full.
        "of_sets_with_an_index": ["LIM004"],
    }


def build(into: Path, wasm: Path) -> None:
    """Write the checker into a folder, which is replaced."""
    if not wasm.exists():
        sys.exit(f"there is no {wasm}: make build/urlset.wasm builds it")
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(SOURCE, into)
    shutil.copyfile(wasm, into / "urlset.wasm")
    (into / "catalogue.json").write_text(json.dumps(catalogue(), separators=(",", ":")), "utf-8")
    files = sorted(path.name for path in into.iterdir() if path.name not in ("index.html", "offline.js"))
    content = b"".join((into / name).read_bytes() for name in ["index.html", "offline.js", *files])
    offline = (into / "offline.js").read_text("utf-8")
    offline = offline.replace("@BUILD@", hashlib.sha256(content).hexdigest()[:16]).replace("@FILES@", " ".join(files))
    (into / "offline.js").write_text(offline, "utf-8")


def main() -> None:
    """Build it where the site is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=ROOT / "site" / "check", help="the folder, which is replaced")
    parser.add_argument("--wasm", type=Path, default=WASM, help="the module, which packaging/wasm.sh builds")
    options = parser.parse_args()
    build(options.into, options.wasm)


if __name__ == "__main__":
    main()
