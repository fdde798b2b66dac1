"""The zone of times that state none, compared with zoneinfo."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import urlset
from hypothesis import example, given
from hypothesis import strategies as st
from urlset import InputError
from urlset._util.zones import check_zone, zone_offsets

#: Summer times of both halves of the Earth, half hours, a day that was left out, and a month without summer time.
NAMES = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Africa/Casablanca",
    "UTC",
]


def time(text: str) -> datetime:
    """A time without a zone."""
    return datetime.fromisoformat(text)


def fixed(text: str, zone: str) -> str:
    """What a safe fix writes for a lastmod without a zone."""
    document = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/</loc>'
        f"<lastmod>{text}</lastmod></url></urlset>"
    )
    found = urlset.fix(document.encode(), rules=urlset.Rules(zone=zone)).data.decode()
    return found.partition("<lastmod>")[2].partition("</lastmod>")[0]


@given(st.sampled_from(NAMES), st.datetimes(time("1970-01-02"), time("2099-06-01")).map(lambda t: t.replace(fold=0)))
@example("Europe/Berlin", time("2026-03-29T02:30"))  # left out
@example("Europe/Berlin", time("2026-10-25T02:30"))  # repeated
@example("Pacific/Apia", time("2011-12-30T12:00"))  # a day that was left out
def test_a_time_has_the_offset_that_python_gives_it(zone: str, local: datetime) -> None:
    local = local.replace(microsecond=0)
    expected = local.replace(tzinfo=ZoneInfo(zone)).isoformat()
    assert fixed(local.isoformat(), zone) == expected


def test_each_second_around_a_change_of_the_clock() -> None:
    for change in [time("2026-03-29T02:00"), time("2026-03-29T03:00"), time("2026-10-25T03:00")]:
        for second in (-1, 0, 1):
            local = change + timedelta(seconds=second)
            assert (
                fixed(local.isoformat(), "Europe/Berlin") == local.replace(tzinfo=ZoneInfo("Europe/Berlin")).isoformat()
            )


def test_a_time_without_a_known_offset_stays_as_it_is() -> None:
    assert fixed("1969-07-20T20:17:40", "Europe/Berlin") == "1969-07-20T20:17:40"
    assert fixed("1970-05-05T10:00:00", "Africa/Monrovia") == "1970-05-05T10:00:00"  # 44 minutes and 30 seconds
    assert fixed("1973-05-05T10:00:00", "Africa/Monrovia") == "1973-05-05T10:00:00+00:00"


@given(st.integers(-14 * 60, 14 * 60))
def test_any_offset_up_to_14_hours_is_a_zone(minutes: int) -> None:
    hours, rest = divmod(abs(minutes), 60)
    offset = f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"
    check_zone(offset)
    assert zone_offsets(offset) == ((-(2**63), offset),)


def test_utc_is_a_zone() -> None:
    check_zone("Z")
    check_zone("UTC")
    assert zone_offsets(None) is None


ZONES = [
    "",
    "z",
    "Europe",
    "Europe/Berlin ",
    "Mars/Olympus",
    "../../etc/passwd",
    "/etc/localtime",
    "a\0b",
    "+1:00",
    "+0100",
    "+01",
    "01:00",
    "+14:01",
    "-15:00",
    "+01:60",
    "+01:00 ",
    "+٠١:٠٠",
    "Z\n",
    1,
    ["Z"],
]


@pytest.mark.parametrize("zone", ZONES)
def test_anything_else_is_refused_as_a_zone(zone: Any) -> None:
    with pytest.raises(InputError, match=r"^zone must be a name such as 'Europe/Berlin', an offset up to 14:00 "):
        check_zone(zone)


def test_a_machine_without_a_database_is_told_what_to_install() -> None:
    program = """
import sys, zoneinfo
zoneinfo.reset_tzpath(to=())
sys.modules["tzdata"] = None
import urlset
try:
    urlset.Rules(zone="Europe/Berlin")
except urlset.InputError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("this machine has no time zone database; pip install tzdata\n")
