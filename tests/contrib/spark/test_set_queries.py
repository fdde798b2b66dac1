"""Frames of whole sets: the same differences and findings as on one machine, whatever the order and the partitions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urlset

pytestmark = pytest.mark.long

HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
DAY = "2026-11-02"
LASTMODS = (None, "2026", "2026-11", "2026-11-02", "2026-11-02T05:30:00Z", "2026-11-02T01:30:00.25-04:00", "soon")


def document(entries: list[str]) -> str:
    rows = "\n".join(f"<url>{entry}</url>" for entry in entries)
    return f"{HEAD}{rows}\n</urlset>\n"


def entry(number: int, lastmod: str | None, priority: str | None = None) -> str:
    parts = [f"<loc>https://shop.example/{number}</loc>"]
    parts += [f"<lastmod>{lastmod}</lastmod>"] * (lastmod is not None)
    parts += [f"<priority>{priority}</priority>"] * (priority is not None)
    return "".join(parts)


def random_side(seed: int) -> list[str]:
    chance = random.Random(seed)
    numbers = [chance.randrange(300) for _ in range(250)]  # some twice
    return [entry(number, chance.choice(LASTMODS), chance.choice((None, "0.5", "0.9"))) for number in numbers]


@pytest.fixture
def in_new_york(spark: Any) -> Iterator[Any]:
    """A session whose zone is not UTC, and has hours that come twice."""
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.mark.parametrize("compare", [("lastmod",), ("lastmod", "priority"), ("priority", "alternates"), ()])
def test_a_diff_of_frames_is_that_of_one_machine(in_new_york: Any, tmp_path: Path, compare: tuple[str, ...]) -> None:
    from urlset.contrib.spark import diff, read

    paths = []
    for side in range(2):
        path = tmp_path / f"{side}.xml"
        path.write_text(document(random_side(side)))
        paths.append(str(path))
    old, new = (read(in_new_york, path).repartition(3) for path in paths)
    found = [row.asDict() for row in diff(old, new, compare=compare).orderBy("loc").collect()]
    with urlset.diff(*paths, compare=compare) as expected:
        assert len(expected) > 50
        assert found == [
            {name: list(value) if name == "fields" else value for name, value in row.items()}
            for row in expected.to_arrow().to_pylist()
        ]


def linked(number: int, others: list[str]) -> str:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{language}" href="{href}"/>'
        for language, href in zip(("de", "fr", "it"), others, strict=False)
    )
    return f"<loc>https://shop.example/{number}</loc>{links}"


def test_the_rules_over_a_set_find_what_lint_finds(spark: Any, tmp_path: Path) -> None:
    from urlset.contrib.spark import check_set, read

    first = [entry(number, None) for number in range(40)]
    first += [linked(100, ["https://shop.example/101", "https://other.example/x"])]
    second = [entry(number, None) for number in range(20, 60)] + ["<loc>https://SHOP.example:443/3</loc>"]
    second += [linked(101, []), linked(102, ["https://shop.example/missing", "https://shop.example/1"])]
    (tmp_path / "a.xml").write_text(document(first))
    (tmp_path / "b.xml").write_text(document(second))
    (tmp_path / "c.xml").write_text(document([entry(25, None), linked(103, ["https://shop.example/102"])]))
    paths = [str(tmp_path / name) for name in ("a.xml", "b.xml", "c.xml")]
    report = urlset.lint(paths, rules=urlset.Rules(select=["ALT005", "ALT009", "IDX008"], ignore=[]))
    expected = {(one.code, one.severity, one.message, one.location, one.line, one.help, one.more) for one in report}
    assert {code for code, *_ in expected} == {"ALT005", "ALT009", "IDX008"}
    entries = read(spark, paths).repartition(4)
    assert {tuple(row) for row in check_set(entries).collect()} == expected
    assert {row.code for row in check_set(entries, select=["ALT009"]).collect()} == {"ALT009"}


@pytest.mark.parametrize(
    ("lastmods", "codes"),
    [
        (["2026-11-02T05:30:00Z"] * 58 + ["2026-11-01", None], {"MOD009"}),
        ([f"2026-11-02T05:30:{second % 60:02}Z" for second in range(120)], {"MOD012"}),
        ([f"2026-11-02T05:30:{second % 60:02}.25Z" for second in range(120)], {"MOD012"}),
        ([f"2026-11-{day % 28 + 1:02}T05:30:00Z" for day in range(120)], set()),
    ],
)
def test_the_lastmods_of_a_build_are_found(
    in_new_york: Any, tmp_path: Path, lastmods: list[str | None], codes: set[str]
) -> None:
    from urlset.contrib.spark import check_set, read

    rows = [entry(number, lastmod) for number, lastmod in enumerate(lastmods)]
    for number in range(3):
        (tmp_path / f"{number}.xml").write_text(document(rows[number::3]))
    article = f"<news:news><news:publication_date>{DAY}</news:publication_date></news:news>"
    articles = [entry(number, DAY).replace("</lastmod>", f"</lastmod>{article}") for number in range(1000, 1200)]
    news = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:xhtml'
    (tmp_path / "news.xml").write_text(document(articles).replace("xmlns:xhtml", news))
    paths = sorted(map(str, tmp_path.glob("*.xml")))
    report = urlset.lint(paths, rules=urlset.Rules(select=["MOD009", "MOD012"], ignore=[], preview=True))
    of_set = [one for one in report if one.location == paths[0] and one.line == 1]
    expected = {(one.code, one.severity, one.message, one.location, one.line, one.help, one.more) for one in of_set}
    assert {code for code, *_ in expected} == codes
    found = check_set(read(in_new_york, paths).repartition(4), select=["MOD009", "MOD012"])
    assert {tuple(row) for row in found.collect()} == expected


def test_findings_are_folded_and_counted(spark: Any, tmp_path: Path) -> None:
    from urlset.contrib.spark import check_set, read

    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text(document([entry(number, None) for number in range(30)]))
    rows = check_set(read(spark, str(tmp_path / "*.xml")), fold=7).orderBy("line").collect()
    assert [(row.line, row.more) for row in rows] == [(line, 0) for line in range(2, 8)] + [(8, 23)]
    assert {row.document for row in rows} == {str(tmp_path / "b.xml")}


def test_a_domain_keeps_its_budget(spark: Any) -> None:
    from urlset.contrib.spark import within_budgets

    urls = [f"https://{host}.example.co.uk/{number}.xml" for host in ("a", "b", "c") for number in range(10)]
    urls += [f"https://quiet.example/{number}.xml" for number in range(4)] + ["http://192.0.2.1/s.xml", "no url"]
    rows = [(url, place) for place, url in enumerate(urls)] + [(urls[0], 99)]
    frame = spark.createDataFrame(rows, "sitemap string, place int")
    kept, left = within_budgets(frame, per_domain=5, column="sitemap")
    assert kept.columns == ["sitemap", "place"]
    found = {row.sitemap for row in kept.collect()}
    assert len([url for url in found if "example.co.uk" in url]) == 5
    assert {url for url in found if "example.co.uk" not in url} == set(urls[30:35])
    assert {tuple(row) for row in left.collect()} == {("example.co.uk", 30, 25), (None, 1, 1)}
    again, _ = within_budgets(frame.repartition(7), per_domain=5, column="sitemap")
    assert {row.sitemap for row in again.collect()} == found
    more, _ = within_budgets(frame, per_domain=12, column="sitemap")
    assert found < {row.sitemap for row in more.collect()}


def test_what_is_wrong_is_said(spark: Any) -> None:
    from urlset.contrib.spark import check_set, diff, within_budgets

    frame = spark.createDataFrame([("https://shop.example/",)], "loc string")
    for call, message in (
        (lambda: diff(frame, frame), "has no lastmod, lastmod_raw"),
        (lambda: diff(frame, frame, compare=["lastmodd"]), "did you mean lastmod"),
        (lambda: check_set(frame), "has no document, line, kind, news, alternates, lastmod"),
        (lambda: check_set(frame, select=["IDX007"]), "select must name ALT005, ALT009, IDX008, MOD009, MOD012"),
        (lambda: within_budgets(frame, per_domain=1), "has no location"),
        (lambda: within_budgets(frame, per_domain=0, column="loc"), "per_domain must be at least 1, got 0"),
    ):
        with pytest.raises(urlset.InputError, match=message):
            call()
