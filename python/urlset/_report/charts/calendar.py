"""A calendar: one cell a day, one column a week, the last year at most."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from urlset._report.charts.svg import label, picture, rect, scrolling, table
from urlset._report.markup import number

_CELL, _LEFT, _TOP, _WEEKS = 20, 40, 24, 53
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS = {0: "Mon", 2: "Wed", 4: "Fri"}
_STEPS = 4


def first_day(last: date) -> date:
    """Return the first day of the calendar that ends with `last`: the Monday of its week, a year before."""
    return last - timedelta(days=last.weekday() + 7 * (_WEEKS - 1))


def calendar(name: str, counted: str, days: Mapping[date, int], last: date) -> str:
    """Return the year that ends with `last`, with a table by month. Days before it are not shown.

    Args:
        name: What the picture is called.
        counted: What is counted, as the head of the table.
        days: Counts by day.
        last: The last day.
    """
    first = first_day(last)
    shown = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    counts = sorted(count for day in shown if (count := days.get(day, 0)))
    bounds = [counts[len(counts) * step // _STEPS] for step in range(1, _STEPS)] if counts else []
    drawn = [label(_LEFT - 8, _TOP + _CELL * row + 14, word, "soft", "end") for row, word in _WEEKDAYS.items()]
    months: dict[str, int] = {}
    written = -3
    for at, day in enumerate(shown):
        week, count = at // 7, days.get(day, 0)
        months[f"{day:%Y-%m}"] = months.get(f"{day:%Y-%m}", 0) + count
        if day.day <= 7 and day.weekday() == 0 and week - written >= 3 and week < _WEEKS - 1:
            drawn.append(label(_LEFT + _CELL * week, 14, _MONTHS[day.month - 1], "soft"))
            written = week
        step = 1 + sum(count >= bound for bound in bounds) if count else 0
        x, y = _LEFT + _CELL * week, _TOP + _CELL * day.weekday()
        drawn.append(rect(x, y, _CELL - 3, _CELL - 3, f"heat{step}", f"{day}: {number(count)}", radius=3))
    chart = picture(_LEFT + _CELL * _WEEKS, _TOP + _CELL * 7, "".join(drawn), name)
    rows = list(months.items())
    return scrolling(chart, name, "scroll wide") + table(name, ("Month", counted), rows)
