"""HTML from text. Titles and URLs come from strangers: everything goes through `text`, and there is no other way in."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from urlset._util.text import escape_controls

#: Characters of a text that are shown. What is cut off is counted where it was.
LONGEST = 600

_LINK = re.compile(r"https?://[^\s\"'<>\\]+\Z", re.IGNORECASE)
_INLINE = re.compile(r"`([^`]+)`|\[([^\]]+)\]\((https?://[^)\s]+)\)")


def text(value: object, longest: int = LONGEST) -> str:
    """Return a value as text of HTML, for an element or for an attribute in double quotes."""
    shown = str(value)
    if len(shown) > longest:
        shown = f"{shown[:longest]}… ({len(shown) - longest:,} more characters)"
    if not (shown.isascii() and shown.isprintable()):  # most texts are both, and a table of characters is slow
        shown = escape_controls(shown)
    return html.escape(shown)


def url(value: str) -> str:
    """Return a URL as a link, if it is one that a browser may open, or else as text."""
    shown = text(value)
    if len(value) <= LONGEST and _LINK.match(value):
        return f'<a href="{shown}">{shown}</a>'
    return f"<bdi>{shown}</bdi>"


def number(count: int) -> str:
    """Return a count with its thousands separated."""
    return f"{count:,}"


def share(part: int, whole: int) -> str:
    """Return a share as percent. It is 0 % or 100 % only if it is none or all."""
    if not whole:
        return "–"
    percent = 100 * part / whole
    if 0 < percent < 0.1:
        return "under 0.1 %"
    if 99.9 < percent < 100:
        return "over 99.9 %"
    return f"{percent:.1f} %".replace(".0 %", " %")


def paragraphs(markdown: str) -> str:
    """Return the Markdown that rule pages use as HTML: paragraphs, lists, code, and links."""
    return "".join(_blocks(markdown.strip()))


def _blocks(markdown: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)):
        lines = block.strip().splitlines()
        if not lines:
            continue
        if lines[0].startswith("- "):
            items = re.split(r"^- ", "\n".join(lines), flags=re.MULTILINE)[1:]
            yield "<ul>" + "".join(f"<li>{_inline(' '.join(item.split()))}</li>" for item in items) + "</ul>"
        else:
            yield f"<p>{_inline(' '.join(' '.join(lines).split()))}</p>"


def _inline(line: str) -> str:
    parts, end = [], 0
    for found in _INLINE.finditer(line):
        parts.append(text(line[end : found.start()], len(line)))
        code, label, target = found.groups()
        if code is not None:
            parts.append(f"<code>{text(code)}</code>")
        else:
            parts.append(f'<a href="{text(target)}">{text(label)}</a>')
        end = found.end()
    parts.append(text(line[end:], len(line)))
    return "".join(parts)
