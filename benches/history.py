"""Draw docs/history.svg: the course of the kept figures, by the commits that changed `benches/results/`.

    python benches/history.py

Called by run.py after a full run. Each point is a ratio of one run on one machine, so points may be compared although
the machines were not the same. The last point is what is kept now. Without a history, as in a source distribution or a
shallow clone, the picture that is there stays.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from picture import DOCS, STYLE, text_at
from report import RESULTS, times

PICTURE = DOCS / "history.svg"
#: Seconds that git may take.
_PATIENCE = 60
#: A line needs two points.
_FEWEST = 2

Figures = dict[str, Any]


@dataclass(frozen=True)
class Course:
    """A figure: its title, the file of results that has it, and what reads it from there; None where it is missing."""

    title: str
    file: str
    read: Callable[[Figures], float | None]


@dataclass(frozen=True)
class Point:
    """A figure at a commit."""

    commit: str
    date: str
    value: float


def _reading(reader: str, input_name: str) -> Callable[[Figures], float | None]:
    def read(kept: Figures) -> float | None:
        found = (each for each in kept["results"] if (each["reader"], each["input"]) == (reader, input_name))
        return next((each["times"].get("count") for each in found), None)

    return read


def _writing(writer: str) -> Callable[[Figures], float | None]:
    def read(kept: Figures) -> float | None:
        return next((each["times"].get("urlset-read") for each in kept["write"] if each["writer"] == writer), None)

    return read


COURSES = (
    Course('Reading plain, × count("<")', "read.json", _reading("urlset", "plain")),
    Course('Reading images, × count("<")', "read.json", _reading("urlset", "images")),
    Course('Every rule, plain, × count("<")', "read.json", _reading("urlset-lint", "plain")),
    Course('UrlEntry objects, plain, × count("<")', "read.json", _reading("urlset-objects", "plain")),
    Course("Writing a table, × reading it", "write.json", _writing("urlset-arrow")),
    Course("Writing objects, × reading them", "write.json", _writing("urlset-objects")),
)


def course(figure: Course, root: Path) -> list[Point]:
    """Return a figure at each commit of a repository that changed its file, and as it is kept now.

    Args:
        figure: Which one.
        root: The root of the repository. Without a history, only what is kept now is returned.
    """
    name = f"benches/results/{figure.file}"
    points: list[Point] = []
    for line in (_git(root, "log", "--reverse", "--format=%h %cs", "--", name) or "").splitlines():
        commit, date = line.split()
        _add(points, figure, commit, date, _git(root, "show", f"{commit}:{name}"))
    now = root / name
    if now.is_file():
        _add(points, figure, "now", "", now.read_text("utf-8"))
    if len(points) >= _FEWEST and points[-1].value == points[-2].value:
        del points[-1]  # it was committed
    return points


def _add(points: list[Point], figure: Course, commit: str, date: str, text: str | None) -> None:
    """Add a point if a file of results has the figure; older files have others."""
    try:
        value = None if text is None else figure.read(json.loads(text))
    except (KeyError, TypeError, ValueError):
        return
    if value is not None:
        points.append(Point(commit, date, value))


def _git(root: Path, *arguments: str) -> str | None:
    """Return what git says; None if it is not there, or knows nothing of this."""
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


WIDTH, COLUMNS, CHART, HEIGHT, TOP, GAP = 920, 2, 400, 90, 60, 62


def picture(courses: Sequence[tuple[Course, Sequence[Point]]]) -> str:
    """Return the courses as an SVG with one small chart for each; its colours follow the light or dark of who looks."""
    rows = -(-len(courses) // COLUMNS)
    height = TOP + rows * (HEIGHT + GAP)
    title = "How the figures changed, commit by commit, each a ratio of one run; above 1 is faster"
    body: list[str] = []
    for place, (figure, points) in enumerate(courses):
        x = 24 + place % COLUMNS * (CHART + 56)
        body += _chart(figure, points, x, TOP + place // COLUMNS * (HEIGHT + GAP))
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        ' role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}\n.line {{ fill: none; stroke: #8c959f; stroke-width: 1.5 }}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="6"/>',
        text_at(16, 26, title, "title"),
    ]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def _chart(figure: Course, points: Sequence[Point], x: int, y: int) -> list[str]:
    most = max(point.value for point in points)
    places = [
        (x + CHART * number / max(1, len(points) - 1), y + 16 + HEIGHT * (1 - point.value / most))
        for number, point in enumerate(points)
    ]
    first, last = points[0], points[-1]
    line = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
    dots = [
        f'<circle class="ours" cx="{across:.1f}" cy="{down:.1f}" r="3">'
        f"<title>{escape(' '.join(filter(None, (point.commit, point.date))))}: {times(point.value)}</title></circle>"
        for (across, down), point in zip(places, points, strict=True)
    ]
    return [
        text_at(x, y, f"{figure.title}: {times(first.value)} → {times(last.value)}"),
        f'<polyline class="line" points="{line}"/>',
        *dots,
        text_at(x, y + HEIGHT + 34, " ".join(filter(None, (first.commit, first.date))), "small"),
        text_at(x + CHART, y + HEIGHT + 34, " ".join(filter(None, (last.commit, last.date))), "small", "end"),
    ]


def draw(root: Path = RESULTS.parent.parent, target: Path = PICTURE) -> bool:
    """Draw the picture; return False, and leave what is there, if there is no history."""
    courses = [(figure, course(figure, root)) for figure in COURSES]
    if any(len(points) < _FEWEST for _, points in courses):
        return False
    target.write_text(picture(courses), encoding="utf-8")
    return True


if __name__ == "__main__":
    if not draw():
        print("there is no history of the results here, so the picture stays as it is", file=sys.stderr)
