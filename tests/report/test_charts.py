"""The geometry of the charts, read from their SVG by another parser."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html
from urlset._report.charts.calendar import calendar
from urlset._report.charts.columns import Column, columns
from urlset._report.charts.svg import MIN_WIDTH, strip
from urlset._report.charts.treemap import Tile, squarified, treemap
from urlset._report.markup import share, text, url

COUNTS = st.lists(st.integers(1, 10**9), min_size=1, max_size=60).map(lambda counts: sorted(counts, reverse=True))


def parsed(markup: str) -> Any:
    """The markup as elements."""
    return html.fromstring(markup)


def rects(markup: str) -> list[tuple[float, ...]]:
    return [
        tuple(float(each.get(name)) for name in ("x", "y", "width", "height")) for each in parsed(markup).iter("rect")
    ]


@given(COUNTS)
@example([162164862, 7592848, 1])
@example([81082431, 1])
def test_a_treemap_fills_its_space_by_the_counts(counts: list[int]) -> None:
    boxes = list(squarified(counts))
    whole = 1120.0 * 340.0
    for count, box in zip(counts, boxes, strict=True):
        assert box.width * box.height == pytest.approx(whole * count / sum(counts), rel=1e-6, abs=1e-6)
        assert -1e-6 <= box.x <= box.x + box.width <= 1120 + 1e-6
        assert -1e-6 <= box.y <= box.y + box.height <= 340 + 1e-6
    for at, one in enumerate(boxes):
        for other in boxes[at + 1 :]:
            apart_x = one.x + one.width <= other.x + 1e-6 or other.x + other.width <= one.x + 1e-6
            apart_y = one.y + one.height <= other.y + 1e-6 or other.y + other.height <= one.y + 1e-6
            assert apart_x or apart_y


def test_equal_counts_make_tiles_that_are_nearly_square() -> None:
    assert all(0.4 < box.width / box.height < 2.5 for box in squarified([1] * 24))


def test_a_name_that_does_not_fit_is_cut_and_stays_in_the_title() -> None:
    long = "/" + "x" * 200 + "/"
    markup = parsed(
        treemap("t", ("Path", "Worst", "Count"), [("c-error", "error")], [Tile(long, 5, "c-error", "worst")])
    )
    assert long in markup.xpath("//rect/title")[0].text
    assert len(markup.xpath("//text[1]")[0].text) <= 160


@pytest.mark.parametrize("parts", [(1, 0, 999_999), (500, 500, 0), (3, 2, 1)])
def test_a_strip_shows_every_part_that_is_there(parts: tuple[int, ...]) -> None:
    found = rects(strip([(f"c{at}", f"part {at}", count) for at, count in enumerate(parts)], sum(parts)))
    assert len(found) == sum(count > 0 for count in parts)
    at = 0.0
    for (x, _, width, _), count in zip(found, filter(None, parts), strict=True):
        assert x == pytest.approx(at, abs=0.02)
        assert width == pytest.approx(max(1000 * count / sum(parts), MIN_WIDTH), abs=0.02)
        at = x + width


def test_columns_stand_on_one_line_and_their_heights_are_the_counts() -> None:
    values = [Column(str(at), (count, 2 * count)) for at, count in enumerate((10, 0, 5, 100))]
    found = rects(
        columns("c", ("Name", "One", "Two"), [("a", "one"), ("b", "two")], values)
        .partition('<svg viewBox="0 0 520')[2]
        .join(('<svg viewBox="0 0 520', ""))
    )
    heights = [height for *_, height in found]
    assert len(heights) == 6
    assert heights[1] == pytest.approx(2 * heights[0], rel=0.01)
    assert heights[4] == pytest.approx(10 * heights[0], rel=0.01)
    assert {round(y + height, 1) for _, y, _, height in found[::2]} == {190.0}


def test_a_calendar_has_each_day_of_a_year_in_its_place() -> None:
    last = date(2026, 11, 25)  # a Wednesday
    days = {last - timedelta(days=at): at for at in range(0, 800, 3)}
    markup = parsed(calendar("c", "Pages", days, last))
    titles = [each.text for each in markup.xpath("//rect/title")]
    first = date.fromisoformat(titles[0].partition(":")[0])
    assert first.weekday() == 0
    assert len(titles) == 52 * 7 + 3
    assert titles == [
        f"{day}: {days.get(day, 0):,}" for day in (first + timedelta(days=at) for at in range(len(titles)))
    ]
    columns_ = {(each.get("x"), each.get("y")) for each in markup.iter("rect")}
    assert len(columns_) == len(titles)


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 7, "0 %"),
        (7, 7, "100 %"),
        (1, 3, "33.3 %"),
        (1, 100_000, "under 0.1 %"),
        (99_999, 100_000, "over 99.9 %"),
        (1, 0, "–"),
    ],
)
def test_a_share_is_none_or_all_only_if_it_is(part: int, whole: int, said: str) -> None:
    assert share(part, whole) == said


@given(st.text(max_size=80))
def test_any_text_comes_back_as_it_is_shown(value: str) -> None:
    found = parsed(f'<p title="{text(value)}">{text(value)}</p>')
    assert len(found) == 0
    assert found.get("title") == (found.text or "")
    link = parsed(f"<p>{url('https://e.org/' + value)}</p>")
    assert [each.tag for each in link.iter()] in (["p", "a"], ["p", "bdi"])
