"""The pages of the shop that all benchmarks are about, made from a seed."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from typing import NamedTuple

SEED = 20_260_101
SITE = "https://www.example.com"
# Table lengths are powers of two where a slice of the random bits picks from them.
SECTIONS = (
    "garden", "kitchen", "lighting", "outdoor", "office", "storage", "textiles", "tableware",
    "bathroom", "bedroom", "children", "hardware", "pets", "seasonal", "sport", "workshop",
)  # fmt: skip
WORDS = (
    "amber", "basalt", "birch", "bronze", "canvas", "cedar", "ceramic", "chrome",
    "clay", "cobalt", "copper", "coral", "cotton", "crystal", "ebony", "enamel",
    "felt", "flint", "folding", "glass", "granite", "hazel", "heavy", "indigo",
    "ivory", "jade", "large", "leather", "linen", "maple", "marble", "matte",
    "mohair", "narrow", "nickel", "oak", "olive", "onyx", "opal", "paper",
    "pearl", "pewter", "pine", "plain", "quartz", "rattan", "round", "rustic",
    "satin", "silver", "slate", "small", "square", "steel", "stone", "tall",
    "teak", "velvet", "walnut", "white", "wicker", "willow", "woven", "zinc",
)  # fmt: skip
FREQUENCIES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
ZONES = ("+00:00", "+01:00", "+02:00", "-05:00", "+00:00", "+09:00", "+05:30", "Z")
DAYS = tuple((datetime.date(2019, 1, 1) + datetime.timedelta(days=day)).isoformat() for day in range(2048))


class Row(NamedTuple):
    """One entry before it is written down; `loc` is decoded text (a plain `&`), `lastmod` ISO 8601."""

    loc: str
    lastmod: str
    changefreq: str
    priority: str
    slug: str
    """The part of the loc that names the page: letters, digits, `/` and `-`, unique in the input."""


def rows(seed: int = SEED) -> Iterator[Row]:
    """Yield rows without end; every loc is unique, one in ten has a query with an `&` in it.

    One draw of 64 bits a row keeps a million rows to seconds. None of the query's names begin
    like an HTML entity (`copy`, `reg`, `sect` ...): some peers decode entities twice.
    """
    draw = random.Random(seed).getrandbits
    number = 0
    while True:
        bits = draw(64)
        first, second, third = WORDS[bits & 63], WORDS[bits >> 6 & 63], WORDS[bits >> 12 & 63]
        slug = f"{SECTIONS[bits >> 18 & 15]}/{first}-{second}-{third}-{number:08d}"
        rest = bits >> 22
        day, rest = DAYS[rest & 2047], rest >> 11
        zone, rest = ZONES[rest & 7], rest >> 3
        second_of_day = rest % 86_400
        minute_of_day = second_of_day // 60
        time = f"{minute_of_day // 60:02d}:{minute_of_day % 60:02d}:{second_of_day % 60:02d}"
        query = f"?colour={first}&size={third}" if bits % 10 == 0 else ""
        yield Row(
            f"{SITE}/shop/{slug}{query}",
            f"{day}T{time}{zone}",
            FREQUENCIES[bits % 7],
            f"{bits % 11 / 10:.1f}",
            slug,
        )
        number += 1
