"""Builds the documentation site: `site/`, from the pages of this repository.

    python docs/make/build.py [--into FOLDER]

It collects the pages in `build/docs`, has Zensical make HTML of them by `mkdocs.yml`, and adds what search engines and
language models read: a sitemap, which urlset makes and checks, and llms.txt. `mkdocs build --strict` makes the same
HTML of `build/docs` with MkDocs Material.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from api import api_pages
from commands import command_pages
from rules import rule_pages
from tree import ROOT, RULES, collect, places


def program_page(path: Path) -> str:
    """Return the page of a program."""
    return f"# {path.name}\n\n`````python\n{path.read_text('utf-8')}`````\n"


def main() -> None:
    """Collect, build, and add what is made of the built pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    made = {f"{RULES}/{name}": text for name, text in rule_pages()}
    made |= {file: program_page(ROOT / file) for file in places() if file.endswith(".py")}
    made |= {f"api/{name}": text for name, text in api_pages()}
    made |= {f"cli/{name}": text for name, text in command_pages()}
    collect(made)
    ended = subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "--strict"], cwd=ROOT, check=False)
    if ended.returncode:
        sys.exit("the site was not built")


if __name__ == "__main__":
    main()
