"""The pages of the documentation: their fenced blocks, and what is typed and printed in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(
    r"^(?P<margin> *)```(?P<language>[a-z]*)(?: (?P<file>\S+))?\n(?P<text>.*?)^(?P=margin)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text without the margin, the line on which that begins.

    Where the fence names a file, as in `text robots.txt`, the block is what that file has. A text that follows another
    block, with nothing between them, is what that prints.
    """

    language: str
    text: str
    line: int
    file: str | None = None
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command that a block shows, and the exit code that it shows after it; None if it shows none."""

    line: str
    code: int | None = None


def blocks(markdown: str) -> Iterator[Block]:
    """The fenced blocks of a document, in order."""
    end = 0
    for found in FENCE.finditer(markdown):
        margin = found["margin"]
        text = "".join(line.removeprefix(margin) for line in found["text"].splitlines(keepends=True))
        follows = end > 0 and not markdown[end : found.start()].strip()
        yield Block(found["language"], text, markdown.count("\n", 0, found.start("text")) + 1, found["file"], follows)
        end = found.end()


def commands(console: str) -> list[Command]:
    r"""The commands of a block for a shell.

    Where a block has prompts, only what follows `$ ` is typed, and what follows that is an answer; `\` at the end
    goes on with the next line. `$ echo $?` and its answer tell the exit code of the command before.
    """
    lines = re.sub(r"\\\n\s*", "", console).splitlines()
    has_prompts = any(line.startswith("$ ") for line in lines)
    found: list[Command] = []
    for number, line in enumerate(lines):
        typed = line.removeprefix("$ ") if has_prompts == line.startswith("$ ") else ""
        if typed == "echo $?" and found:
            found[-1] = Command(found[-1].line, int(lines[number + 1]))
        elif typed and not typed.startswith("#"):
            found.append(Command(typed))
    return found


def scheduled(block: Block) -> list[Command]:
    """The commands of a table of cron, or of a unit of systemd, as they run them."""
    if block.language == "cron":
        found = []
        assigned = ""
        for line in block.text.splitlines():
            if re.match(r"\w+=", line):
                assigned += f"export {line}; "
            else:
                found.append(Command(assigned + line.split(maxsplit=5)[5].replace("\\%", "%")))
        return found
    if "ExecStart=" not in block.text:
        return []
    settings = dict(line.split("=", 1) for line in block.text.splitlines() if "=" in line)
    return [Command(f"cd {settings['WorkingDirectory']} && {settings['ExecStart'].replace('%%', '%')}")]


def answers(console: str) -> list[str]:
    """The lines of a console block that are printed, where it shows what is typed after `$ `."""
    lines = console.splitlines()
    return [line for line in lines if not line.startswith("$ ")] if any(line.startswith("$ ") for line in lines) else []


def is_printed(shown: str, printed: str) -> bool:
    """Whether a program printed what a page shows: the same lines, the two streams of a program in any order.

    A line of `…` stands for any lines; then the others have to be there in their order.
    """
    lines, found = ([line.rstrip() for line in text.splitlines() if line.strip()] for text in (shown, printed))
    if "…" not in lines:
        return sorted(lines) == sorted(found)
    rest = iter(found)
    return all(line in rest for line in lines if line != "…")
