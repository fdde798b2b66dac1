"""The pages of the site, as files of this repository: which there are, where each stands, and their links.

A page links to files of the repository, so that it can be read there too. On the site, a link to a page leads to that
page, and a link to another file leads to a copy of it.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
COLLECTED = ROOT / "build" / "docs"
RULES = "python/urlset/_rules/pages"

#: Files of the repository that are pages, by a glob, each with its place on the site. The name of a file is `{}`.
PLACES = {
    "docs/rules.md": "rules/index.md",
    "docs/*.md": "{}.md",
    "docs/design/*.md": "design/{}.md",
    "docs/coming-from/*.md": "coming-from/{}.md",
    f"{RULES}/*.md": "rules/{}.md",
    "vectors/README.md": "vectors/index.md",
    "benches/README.md": "benchmarks/index.md",
    "benches/*.py": "benchmarks/{}.md",
    "examples/fastapi_shop.py": "examples/{}.md",
    "examples/flask_shop.py": "examples/{}.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "README.md": "index.md",
}
#: What a link to a folder leads to.
FOLDERS = {
    "benches": "benchmarks/index.md",
    "docs/design": "architecture.md",
    "docs/schemas": "json.md",
    "vectors": "vectors/index.md",
}
#: Files that are copied as they are.
COPIED = (
    "docs/assets/*",
    "docs/*.svg",
    "docs/*.webp",
    "docs/pictures/*",
    "docs/schemas/*.json",
    "vectors/*/*",
    "examples/notebooks/*",
    "tests/contract/public.txt",
)

_FENCE = re.compile(r"^(?P<margin> *)(?P<fence>```+).*?^(?P=margin)(?P=fence)$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[(?P<text>[^\]\[]*)\]\((?![a-z]+:|#)(?P<target>[^)\s#]+)")
#: Code in a line of a table.
_CODE = re.compile(r"(?<=[^`])`[^`\n]+`")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def places() -> dict[str, str]:
    """Return the place of each file on the site, by its path."""
    found: dict[str, str] = {}
    for glob, place in PLACES.items():
        for path in sorted(ROOT.glob(glob)):
            found.setdefault(path.relative_to(ROOT).as_posix(), place.format(path.stem))
    for glob in COPIED:
        for path in sorted(ROOT.glob(glob)):
            if path.is_file():
                file = path.relative_to(ROOT).as_posix()
                found.setdefault(file, file.removeprefix("docs/"))
    return found


def for_site(text: str, file: str, placed: dict[str, str]) -> str:
    """Return the Markdown of a file as the site has it.

    Its links lead to places of the site. One whose text is the name of a file has the title of that page instead.

    Raises:
        LookupError: A link leads to a file that is not on the site.
    """

    def linked(found: re.Match[str]) -> str:
        target = os.path.normpath(PurePosixPath(file).parent / found["target"])
        place = placed.get(target) or FOLDERS.get(target)
        if place is None:
            raise LookupError(f"{file}: the site has no {target}")
        text = found["text"]
        if text.endswith(".md") and (title := _TITLE.search((ROOT / target).read_text("utf-8"))):
            text = title[1]
        return f"[{text}]({os.path.relpath(place, PurePosixPath(placed[file]).parent)}"

    parts: list[str] = []
    end = 0
    for fence in _FENCE.finditer(text):
        parts += [unescaped(_LINK.sub(linked, text[end : fence.start()])), titled(fence[0])]
        end = fence.end()
    return "".join([*parts, unescaped(_LINK.sub(linked, text[end:]))])


def unescaped(text: str) -> str:
    """Return a text without the backslashes before `|` in the code of tables. Code hosts need them; here they show."""
    lines = text.split("\n")
    return "\n".join(_CODE.sub(_bare, line) if line.startswith("|") else line for line in lines)


def _bare(code: re.Match[str]) -> str:
    return code[0].replace("\\|", "|")


def titled(fence: str) -> str:
    """Return a fenced block whose file is its title."""
    return re.sub(r"\A( *```+[a-z]+) ([^\s=\"]+)\n", r'\1 title="\2"\n', fence)


def collect(made: dict[str, str]) -> None:
    """Put everything that the site is made of into `build/docs`.

    Args:
        made: The Markdown of pages that differ from their files, by the paths of these; and of pages that have no file,
            by their places.
    """
    if COLLECTED.exists():
        shutil.rmtree(COLLECTED)
    placed = places()
    files = placed | {name: name for name in made if name not in placed}
    placed = {place: place for place in files.values()} | files
    for file, place in files.items():
        target = COLLECTED / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if place.endswith(".md"):
            text = made.get(file) or (ROOT / file).read_text("utf-8")
            target.write_text(for_site(text, file, placed), "utf-8")
        else:
            shutil.copyfile(ROOT / file, target)
