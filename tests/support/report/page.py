"""What a page of a report says, by another parser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lxml import html


def parsed(path: Path) -> Any:
    """A page as a browser without scripts has it."""
    return html.fromstring(path.read_bytes())


def numbers(page: Any, figure: str) -> dict[str, list[int]]:
    """The table below a picture."""
    rows = page.xpath(f"//section[@id='{figure}']//details[@class='numbers']//tbody/tr")
    return {
        row[0].text_content(): [int(cell.text.replace(",", "")) for cell in row[1:] if cell.text[0].isdigit()]
        for row in rows
    }


def bars(page: Any, figure: str) -> dict[str, tuple[dict[str, int], int]]:
    """The bars of a figure by name: their parts, and their sums."""
    found = {}
    for row in page.xpath(f"//section[@id='{figure}']//table[@class='bars']/tbody/tr"):
        said = row.xpath(".//td/span[@class='hidden']/text()")[-1]
        parts = {part[1]: int(part[2].replace(",", "")) for part in re.finditer(r"([^;]+) ([\d,]+)(?:;|\Z)", said)}
        marks = " ".join(row.xpath("td[@class='mark']/span/text()"))
        sums = int(row.xpath("td[last()]/text()")[0].replace(",", ""))
        found[marks or row.find("th").text_content()] = ({name.strip(): count for name, count in parts.items()}, sums)
    return found


def text_of(path: Path) -> str:
    """All text of a page."""
    return str(parsed(path).text_content())
