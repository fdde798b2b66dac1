"""What the lastmods of a section are worth, and what they could save."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta

import pytest
import urlset
from support.rates.looking import START, Stated, honest, looks, moments, stamped


def section(
    name: str, stated: Stated, *, pages: int = 12, days: int = 20, shows_content: bool = True, rate: float = 0.3
) -> Iterator[dict[str, object]]:
    draw = random.Random(name)
    for number in range(pages):
        yield from looks(
            f"https://a.example/{name}/{number}",
            rate,
            every=1,
            days=days,
            draw=draw,
            stated=stated,
            shows_content=shows_content,
        )


def sections_of(rows: list[dict[str, object]]) -> dict[str, urlset.SectionRates]:
    with urlset.rates(rows) as rates:
        return {each.section.strip("/"): each for each in rates.sections}


def half(past: list[float], now: float) -> float | None:
    """Every second change is told."""
    return past[len(past) // 2 * 2 - 1] if len(past) > 1 else -30.0


def silent_and_lying(past: list[float], now: float) -> float | None:
    """It moves on even days, whatever happens."""
    return float(int(now) // 2 * 2)


def test_shares_are_counted() -> None:
    rows = [*section("honest", honest), *section("stamped", stamped), *section("half", half)]
    found = sections_of(rows)
    changed = sum(
        len({str(row["hash"]) for row in rows if row["loc"] == loc}) - 1
        for loc in {row["loc"] for row in rows if "/honest/" in str(row["loc"])}
    )
    trust = found["honest"].trust
    assert (trust.moved, trust.changed, trust.told, trust.pairs) == (changed, changed, changed, 12 * 20)
    assert (trust.precision, trust.recall, found["honest"].hints) == (1, 1, "used")
    assert found["stamped"].trust.recall == 1
    assert (found["stamped"].trust.precision or 1) < 0.4
    assert found["stamped"].hints == "ignored"
    assert found["half"].trust.precision == 1
    assert found["half"].trust.recall == pytest.approx(0.5, abs=0.1)
    assert found["half"].hints == "used"
    for each in found.values():
        for share, interval in (
            (each.trust.precision, each.trust.precision_interval),
            (each.trust.recall, each.trust.recall_interval),
        ):
            assert interval is not None
            assert interval[0] <= (share or 0) <= interval[1]


def test_what_could_be_saved_is_counted() -> None:
    found = sections_of([*section("honest", honest), *section("stamped", stamped)])
    for each in found.values():
        assert each.looks == 12 * 20
        assert each.unchanged == each.looks - each.trust.changed
        assert each.unchanged_bytes == 1000 * each.unchanged
        assert each.fetches_per_day == pytest.approx(12)
    # True lastmods tell of every look that found nothing; those that move daily tell of none.
    assert found["honest"].foreseen == found["honest"].unchanged
    assert found["stamped"].foreseen == 0


def test_lies_do_not_change_the_rates() -> None:
    with urlset.rates([*section("honest", honest, pages=40), *section("stamped", stamped, pages=40)]) as rates:
        pages = list(rates)
        by = {each.section: each for each in rates.sections}
    assert by["/stamped/"].change_rate == pytest.approx(0.3, rel=0.15)
    assert by["/honest/"].change_rate == pytest.approx(0.3, rel=0.15)
    assert {page.basis for page in pages if page.section == "/stamped/"} == {"content"}
    assert all(page.precision is None and page.recall is None for page in pages if page.section == "/stamped/")
    assert all(page.precision == page.recall == 1 for page in pages if page.section == "/honest/")


@pytest.mark.parametrize("every", [1, 7])
def test_a_section_stamped_daily_is_found_without_contents(every: int) -> None:
    """With lastmods alone: most pages get the same day, again and again."""
    rows: list[dict[str, object]] = []
    for name, stated in (("honest", honest), ("stamped", stamped)):
        draw = random.Random(name)
        for number in range(12):
            loc = f"https://a.example/{name}/{number}"
            rows += looks(loc, 0.3, every=every, days=40, draw=draw, stated=stated, shows_content=False)
    with urlset.rates(rows) as rates:
        hints = {each.section: each.hints for each in rates.sections}
        basis = {page.section: page.basis for page in rates}
    assert hints == {"/honest/": "unproven", "/stamped/": "ignored"}
    assert basis == {"/honest/": "lastmods", "/stamped/": "site"}


def test_stamps_are_found_where_each_look_sees_a_change() -> None:
    """Weekly looks at pages that change every third day and are stamped daily: nearly all moves tell of a change."""
    rows: list[dict[str, object]] = []
    draw = random.Random(5)
    for number in range(40):
        rows += looks(f"https://a.example/s/{number}", 0.33, every=7, days=140, draw=draw, stated=stamped)
        rows += looks(f"https://a.example/h/{number}", 0.33, every=7, days=140, draw=draw, stated=honest)
    found = sections_of(rows)
    assert (found["s"].trust.precision or 0) > 0.85
    assert (found["s"].hints, found["h"].hints) == ("ignored", "used")
    assert found["h"].change_rate == pytest.approx(0.33, rel=0.1)


def test_a_lying_section_can_prove_itself_again() -> None:
    rows = list(section("s", silent_and_lying, days=30, rate=0.2))
    assert sections_of(rows)["s"].hints == "ignored"
    draw = random.Random(3)
    for number in range(12):
        loc = f"https://a.example/s/{number}"
        changes = moments(0.2, 30, draw)
        for day in range(31, 56):
            past = [each + 30 for each in changes if each + 30 <= day]
            rows.append(
                {
                    "loc": loc,
                    "time": START + timedelta(days=day),
                    "hash": f"later {len(past)}",
                    "lastmod": (START + timedelta(days=past[-1] if past else 30.5)).isoformat(),
                    "bytes": 1000,
                }
            )
        if number == 0:
            assert sections_of(rows)["s"].hints == "ignored"
    assert sections_of(rows)["s"].hints == "used"


def test_how_late_lastmods_are() -> None:
    def late(past: list[float], now: float) -> float | None:
        told = [each for each in past if each + 2 <= now]
        return told[-1] if told else -30.0

    found = sections_of(list(section("late", late, pages=30, days=30, rate=0.1)))
    known = found["late"]
    assert known.trust.late == pytest.approx(2 * 86_400, abs=43_200)
    assert known.trust.late is not None
    assert known.late_interval is not None
    assert known.late_interval[0] <= known.trust.late <= known.late_interval[1] <= 4 * 86_400
    assert sections_of(list(section("honest", honest)))["honest"].trust.late is None


def test_sections_are_a_table_too() -> None:
    with urlset.rates(list(section("honest", honest))) as rates:
        table = rates.sections.to_arrow()
        assert table.to_pylist() == [each.as_dict() for each in rates.sections]
        assert (
            (table.column("precision_low")[0].as_py(), rates.sections[0])
            == (
                rates.sections[0].trust.precision_interval[0],  # type: ignore[index]
                rates.sections[:1][0],
            )
        )


def test_hosts_have_sections_of_their_own() -> None:
    """One host lies, and the pages of another tell nothing about it."""
    rows = [*section("s", honest), *section("s", stamped)]
    for row in rows[: len(rows) // 2]:
        row["loc"] = str(row["loc"]).replace("a.example", "b.example")
    rows.append({"loc": "https://b.example/new", "time": START, "hash": "1"})
    rows.append({"loc": "https://c.example/new", "time": START, "hash": "1"})
    with urlset.rates(rows) as rates:
        hints = {each.section: each.hints for each in rates.sections}
        new = {page.loc: page.basis for page in rates if page.loc.endswith("/new")}
    assert hints == {
        "a.example/s/": "ignored",
        "b.example/s/": "used",
        "b.example/": "unproven",
        "c.example/": "unproven",
    }
    assert new == {"https://b.example/new": "site", "https://c.example/new": None}
