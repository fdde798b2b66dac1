"""Writes those pages that are made from data.

    python docs/make/generate.py            write them
    python docs/make/generate.py --check    exit code 1 if one is out of date

rules.md comes from the page of each rule, profiles.md from profiles.toml, configuration.md from what is declared about
the settings, json.md from the schemas. packaging/pypi.md, which PyPI shows, comes from README.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pypi import pypi_page
from rules import profiles_page, rules_page
from schemas import json_page
from settings import configuration_page

ROOT = Path(__file__).parents[2]
PAGES = {
    "docs/configuration.md": configuration_page,
    "docs/json.md": json_page,
    "docs/profiles.md": profiles_page,
    "docs/rules.md": rules_page,
    "packaging/pypi.md": pypi_page,
}


def main() -> int:
    """Write the pages, or compare them with what they would be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, name the pages that are out of date")
    check: bool = parser.parse_args().check
    stale = 0
    for name, page in PAGES.items():
        text = page()
        path = ROOT / name
        if check and path.read_text("utf-8") != text:
            print(f"{name} is out of date: run `make docs`", file=sys.stderr)
            stale = 1
        elif not check:
            path.write_text(text, "utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
