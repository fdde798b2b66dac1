"""Builds the documentation site: `site/`, from the pages of this repository.

    python docs/make/build.py

It collects the pages in `build/docs`, and has Zensical make HTML of them by `mkdocs.yml`. It adds the checker, whose
module `make build/urlset.wasm` builds, and what search engines and language models read: a sitemap, which urlset makes
and checks, and llms.txt. `mkdocs build --strict` makes the same HTML of `build/docs` with MkDocs Material.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from pathlib import Path

import checker_page
from after import write_llms, write_sitemap
from api import api_pages
from commands import command_pages
from rules import rule_pages
from tree import ROOT, RULES, collect, places

SITE = ROOT / "site"
#: Pages that need the whole width, with what stands beside others.
HIDDEN = {"docs/rules.md": "  - navigation\n  - toc\n", "README.md": "  - navigation\n  - toc\n"}


def program_page(path: Path) -> str:
    """Return the page of a program."""
    return f"---\nsearch:\n  exclude: true\n---\n\n# {path.name}\n\n`````python\n{path.read_text('utf-8')}`````\n"


def programs_page() -> str:
    """Return the page about the benchmarks, with a list of their programs."""
    programs = sorted((ROOT / "benches").glob("*.py"))
    listed = (f"- [{path.name}]({path.name}): {_about(path)}" for path in programs)
    return "\n".join([(ROOT / "benches" / "README.md").read_text("utf-8"), "## Programs", "", *listed, ""])


def _about(path: Path) -> str:
    """Return the first sentence about a program."""
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n\n")[0].replace("\n", " ")


def main() -> None:
    """Collect, build, and add what is made of the built pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    made = {file: f"---\nhide:\n{hidden}---\n\n{(ROOT / file).read_text('utf-8')}" for file, hidden in HIDDEN.items()}
    made |= {f"{RULES}/{name}": text for name, text in rule_pages()}
    made |= {file: program_page(ROOT / file) for file in places() if file.endswith(".py")}
    made |= {"benches/README.md": programs_page()}
    made |= {f"api/{name}": text for name, text in api_pages()}
    made |= {f"cli/{name}": text for name, text in command_pages()}
    collect(made)
    ended = subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "--strict"], cwd=ROOT, check=False)
    if ended.returncode:
        sys.exit("the site was not built")
    checker_page.build(SITE / "check", checker_page.WASM)
    listed = write_sitemap(SITE)
    write_llms(SITE)
    print(f"{SITE.relative_to(ROOT)}/: {listed} pages in its sitemap")


if __name__ == "__main__":
    main()
