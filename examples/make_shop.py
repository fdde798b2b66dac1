"""Write the example input: a small tea shop in three languages, and two short lists of its pages.

    python examples/make_shop.py [--rows 3000] [--seed 7]

It writes three files to the folder of this script: `shop.jsonl` (one row per line, a few of them bad on purpose),
`pages.txt` (one URL per line) and `pages.csv` (loc, lastmod). The same arguments give the same bytes on every machine.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

Row = dict[str, Any]

HERE = Path(__file__).parent
SITE = "https://shop.example"
LANGUAGES = ("en", "de", "ja")
OPENED = datetime(2019, 3, 1, tzinfo=UTC)

THINGS = (
    ("teapot", "Teekanne", "急須"),
    ("cup", "Tasse", "湯呑"),
    ("bowl", "Schüssel", "茶碗"),
    ("kettle", "Wasserkessel", "薬缶"),
    ("tray", "Tablett", "お盆"),
    ("caddy", "Teedose", "茶筒"),
    ("spoon", "Löffel", "茶匙"),
)
MATERIALS = (
    ("iron", "Eisen", "鉄"),
    ("clay", "Ton", "土"),
    ("glass", "Glas", "硝子"),
    ("bamboo", "Bambus", "竹"),
    ("copper", "Kupfer", "銅"),
    ("cherry", "Kirschholz", "桜"),
)
COLOURS = (("black", "schwarz", "黒"), ("green", "grün", "緑"), ("white", "weiß", "白"), ("red", "rot", "赤"))

# Paths of the pages that are not products, with their changefreq and priority.
PAGES = (
    (("", "", ""), "daily", 1.0),
    (("about", "über-uns", "会社概要"), "yearly", 0.3),
    (("delivery", "versand", "配送"), "monthly", 0.4),
    (("returns", "rückgabe", "返品"), "yearly", 0.3),
    (("magazine", "magazin", "読み物"), "weekly", 0.7),
    (("contact", "kontakt", "連絡先"), "yearly", 0.2),
    (("imprint", "impressum", "特定商取引法"), "never", 0.0),
)

# Mistakes that occur in real exports, each with the code of the rule that refuses it.
BAD: tuple[tuple[str, Row], ...] = (
    ("LOC001", {"loc": "", "lastmod": "2024-05-01"}),
    ("LOC001", {"loc": None, "priority": 0.5}),
    ("LOC003", {"loc": "mailto:orders@shop.example", "lastmod": "2024-05-01"}),
    ("LOC004", {"loc": f"{SITE}/p/white-glass\ncup-0011"}),
    ("LOC009", {"loc": f"{SITE}/search?q=tea&filter=" + "colour%3Agreen%7C" * 120}),
    ("LOC011", {"loc": "https://staging.shop.example/p/kettle-0015", "lastmod": "2024-05-01"}),
    ("MOD002", {"loc": f"{SITE}/p/kettle-9001", "lastmod": "2024-05-01T09:30:00"}),
    ("MOD005", {"loc": f"{SITE}/p/kettle-9002", "lastmod": "2023-02-29"}),
    ("MOD001", {"loc": f"{SITE}/p/kettle-9003", "lastmod": "01/05/2024"}),
    ("MOD003", {"loc": f"{SITE}/p/kettle-9004", "lastmod": "2024-05-01T09:30:00+25:00"}),
    ("FRQ001", {"loc": f"{SITE}/p/kettle-9005", "changefreq": "often"}),
    ("PRI001", {"loc": f"{SITE}/p/kettle-9006", "priority": "0,8"}),
    ("PRI002", {"loc": f"{SITE}/p/kettle-9007", "priority": 7}),
)


def shop(rows: int = 3000, seed: int = 7) -> list[Row]:
    """Return the rows of the shop: pages, categories and products, with bad rows spread evenly among them.

    The keys of a row are loc, lastmod (a W3C date as text), changefreq, priority, images (loc, title) and alternates
    (hreflang, href). Missing values are left out.

    Args:
        rows: The minimum number of rows, including bad ones. A page is added in all of its languages or not at all.
        seed: The seed of the random numbers.
    """
    chance = random.Random(seed)
    groups = chain(_pages(chance), _categories(chance), _products(chance))
    result: list[Row] = []
    while len(result) < rows - len(BAD):
        result += next(groups)
    gap = len(result) // (len(BAD) + 1)
    for index, (_, bad) in reversed(list(enumerate(BAD, start=1))):
        result.insert(index * gap, bad)
    return result


def archive(rows: int) -> Iterator[Row]:
    """Yield that many rows: the back issues of a magazine, at `/archive/`."""
    for number in range(rows):
        day = OPENED + timedelta(hours=number % 50_000)
        yield {"loc": f"{SITE}/archive/{number // 100}?no={number}&print=1", "lastmod": f"{day:%Y-%m-%d}"}


def _pages(chance: random.Random) -> Iterator[list[Row]]:
    for names, changefreq, priority in PAGES:
        paths = [f"{_root(language)}{name}" for language, name in zip(LANGUAGES, names, strict=True)]
        yield _group(chance, paths, changefreq=changefreq, priority=priority)


def _categories(chance: random.Random) -> Iterator[list[Row]]:
    for thing in THINGS:
        for material in (None, *MATERIALS):
            paths = []
            for at, language in enumerate(LANGUAGES):
                query = "" if material is None else f"?material={quote(material[at])}&sort=new"
                paths.append(f"{_root(language)}c/{thing[at]}".lower() + query)
            yield _group(chance, paths, changefreq="weekly", priority=0.8 if material is None else 0.6)


def _products(chance: random.Random) -> Iterator[list[Row]]:
    """Yield products without end: two in three in every language, the others only in English."""
    number = 0
    while True:
        number += 1
        thing, material, colour = chance.choice(THINGS), chance.choice(MATERIALS), chance.choice(COLOURS)
        slugs = (
            f"{colour[0]}-{material[0]}-{thing[0]}-{number:04d}",
            f"{thing[1]}-{material[1]}-{colour[1]}-{number:04d}".lower(),
            f"{material[2]}{thing[2]}-{colour[2]}-{number:04d}",
        )
        titles = (
            f"{colour[0].capitalize()} {material[0]} {thing[0]}",
            f"{thing[1]} aus {material[1]}, {colour[1]}",
            f"{colour[2]}の{material[2]}{thing[2]}",
        )
        paths = [f"{_root(language)}p/{slug}" for language, slug in zip(LANGUAGES, slugs, strict=True)]
        known = len(LANGUAGES) if chance.random() < 0.66 else 1
        pictures = [f"{SITE}/img/{number:04d}-{n}.jpg?w=1200&h=900" for n in range(chance.randrange(3))]
        extra: Row = {} if chance.random() < 0.5 else {"changefreq": "monthly"}
        group = _group(chance, paths[:known], **extra)
        for row, title in zip(group, titles, strict=False):
            if pictures:
                row["images"] = [{"loc": picture, "title": title} for picture in pictures]
        yield group


def _group(chance: random.Random, paths: list[str], **fields: Any) -> list[Row]:
    """Return the rows of one page in its languages. Each lists all of them, including itself and the default."""
    # Half of the shop percent-encodes its paths, the other half does not: both occur in practice.
    encode = chance.random() < 0.5
    locs = [f"{SITE}{quote(path, safe='/?=&%') if encode else path}" for path in paths]
    alternates = [{"hreflang": code, "href": href} for code, href in zip(LANGUAGES, locs, strict=False)]
    alternates.append({"hreflang": "x-default", "href": locs[0]})
    changed = _lastmod(chance)
    shared: Row = {} if changed is None else {"lastmod": changed}
    shared |= fields
    if len(locs) > 1:
        shared["alternates"] = alternates
    return [{"loc": loc} | shared for loc in locs]


def _lastmod(chance: random.Random) -> str | None:
    """Return a time since the shop opened, in any precision of the W3C date format, or None."""
    when = OPENED + timedelta(seconds=chance.randrange(6 * 365 * 86_400))
    zone = chance.choice(("Z", "+01:00", "+09:00", "-05:30"))
    forms = {
        f"{when:%Y-%m-%d}": 40,
        f"{when:%Y-%m-%dT%H:%M:%S}{zone}": 30,
        f"{when:%Y-%m-%dT%H:%M}{zone}": 8,
        f"{when:%Y-%m-%dT%H:%M:%S}.{chance.randrange(1000):03d}{zone}": 8,
        f"{when:%Y-%m}": 4,
        f"{when:%Y}": 2,
        None: 8,
    }
    return chance.choices(list(forms), weights=list(forms.values()))[0]


def _root(language: str) -> str:
    return "/" if language == LANGUAGES[0] else f"/{language}/"


def main() -> None:
    """Write the three files."""
    parser = argparse.ArgumentParser(description="Write the example input to the folder of this script.")
    parser.add_argument("--rows", type=int, default=3000, help="minimum number of rows in shop.jsonl")
    parser.add_argument("--seed", type=int, default=7, help="seed of the random numbers")
    options = parser.parse_args()

    with (HERE / "shop.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for row in shop(options.rows, options.seed):
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")

    pages = list(chain.from_iterable(_pages(random.Random(options.seed))))
    with (HERE / "pages.txt").open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{page['loc']}\n" for page in pages)
    with (HERE / "pages.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("loc", "lastmod"))
        writer.writerows((page["loc"], page.get("lastmod", "")) for page in pages)


if __name__ == "__main__":
    main()
