"""Check that a release says one version: in Cargo.toml, in CHANGELOG.md, and in the tag.

    python packaging/version.py [--tag v0.2.0]

With a tag, the changelog must have a date for the version.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def problems(tag: str | None) -> list[str]:
    """Return what does not agree."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    heading = re.search(r"^## (\S+), (\S+)$", changelog, re.MULTILINE)
    if heading is None:
        return ["CHANGELOG.md has no heading such as '## 0.2.0, 2026-12-01'"]
    newest, date = heading.groups()
    found = []
    if newest != version:
        found.append(f"Cargo.toml says {version}, and CHANGELOG.md begins with {newest}")
    if tag is not None and tag != f"v{version}":
        found.append(f"the tag is {tag}, and Cargo.toml says {version}: the tag must be v{version}")
    if tag is not None and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        found.append(f"CHANGELOG.md says '{newest}, {date}': a release needs its date there")
    return found


def main() -> None:
    """Print what does not agree, and end with exit code 1 if anything does not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", help="the tag that is to be released")
    found = problems(parser.parse_args().tag)
    print("\n".join(found) or "the version is the same everywhere")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
