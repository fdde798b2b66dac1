"""What the benchmarks print and keep: the machine, a table, a file of results."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def machine(date: str | None) -> dict[str, str | int]:
    """Describe where and when the figures were taken; `date` (ISO 8601) instead of now."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 0,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "date": date or datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # only Linux has it
    return platform.processor() or "unknown"


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Lay out rows of text in columns, the first one to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [head, ["-" * width for width in widths], *body]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def times(ratio: float | None) -> str:
    """Show a ratio with three digits, "-" where there is none to show."""
    if ratio is None:
        return "-"
    decimals = max(0, 2 - math.floor(math.log10(ratio))) if ratio else 0
    return f"{ratio:,.{decimals}f}"


def keep(path: Path, results: dict[str, Any]) -> None:
    """Write the results as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=2) + "\n")
