"""`stats`: the counts are those that Python makes of the entries one by one."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import urlset
from support.cli import Cli
from support.reading import index_of, lay, urlset_of
from urlset import FetchError, InputError, UrlEntry

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
HOST = "https://shop.example/"
DAYS = {"a day": 1, "a week": 7, "a month": 30, "a year": 365}


def age_of(entry: UrlEntry) -> str:
    """The age of a lastmod, by the docstring of Stats."""
    if entry.lastmod is None:
        return "absent" if entry.lastmod_raw is None else "invalid"
    if entry.lastmod > NOW:
        return "future"
    return next((name for name, days in DAYS.items() if NOW - entry.lastmod <= timedelta(days)), "older")


def section_of(entry: UrlEntry) -> str:
    """The first folder of the path."""
    path = urlsplit(entry.loc or "").path
    return f"/{path.split('/')[1]}/" if path.count("/") > 1 and path.split("/")[1] else "/"


def many(seed: int) -> list[UrlEntry]:
    """Entries of all kinds."""
    chosen = random.Random(seed)
    sections = ["", "tea/", "tea/green/", "blog/", "a%20b/", "?x=/y/"]
    hosts = [HOST, "https://WWW.shop.example/", "http://shop.example:8080/"]
    entries = []
    for number in range(700):
        lastmod: Any = chosen.choice(
            [None, NOW - timedelta(days=chosen.uniform(-3, 800)), NOW, "2026-01", "0001-01-01", NOW - timedelta(days=1)]
        )
        loc = chosen.choice(hosts) + chosen.choice(sections) + str(number)
        images = [HOST + "i.png"] if chosen.random() < 0.3 else []
        alternates = [{"hreflang": "de", "href": HOST}] if chosen.random() < 0.1 else []
        entries.append(UrlEntry(loc, lastmod, images=images, alternates=alternates))
    return entries


@pytest.mark.parametrize("seed", range(3))
def test_the_counts_are_those_of_the_entries(tmp_path: Path, seed: int) -> None:
    entries = many(seed)
    urlset.write(entries, tmp_path / "sitemap.xml")
    data = (tmp_path / "sitemap.xml").read_bytes().replace(b"<lastmod>2026-01</lastmod>", b"<lastmod>soon</lastmod>")
    entries = [entry for entry in urlset.parse(data) if isinstance(entry, UrlEntry)]
    found = urlset.stats(data, now=NOW)
    assert found.entries == len(entries) == 700
    assert found.sections == Counter(map(section_of, entries))
    assert found.hosts == Counter(urlsplit(entry.loc or "").netloc.lower() for entry in entries)
    assert found.ages == Counter(map(age_of, entries))
    assert found.months == Counter(entry.lastmod.isoformat()[:7] for entry in entries if entry.lastmod is not None)
    assert list(found.months) == sorted(found.months)
    assert found.extensions == {
        "images": sum(bool(entry.images) for entry in entries),
        "alternates": sum(bool(entry.alternates) for entry in entries),
    }
    moments = [entry.lastmod for entry in entries if entry.lastmod]
    assert (found.oldest, found.newest) == (min(moments), max(moments))
    assert found.counts == urlset.parse(data).counts
    for counts in (found.sections, found.hosts, found.extensions, found.counts):
        assert list(counts.values()) == sorted(counts.values(), reverse=True)


def test_an_entry_without_a_loc_has_no_host() -> None:
    assert urlset.stats(urlset_of(HOST).replace(b"</url>", b"</url><url/>", 1)).hosts == {"shop.example": 1, "": 1}


def test_a_set_is_counted_with_its_children(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml", HOST + "b.xml"), a=urlset_of(HOST + "1"), b=urlset_of("/2", HOST))
    found = urlset.stats(tmp_path)
    assert (found.entries, found.hosts) == (3, {"shop.example": 2, "": 1})
    assert [(Path(each.location or "").name, each.rows) for each in found.documents] == [
        *(("sitemap.xml", 2), ("a.xml", 1), ("b.xml", 2)),
    ]
    assert found.bytes == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert (found.completeness, found.failures) == ("complete", ())
    assert urlset.stats(tmp_path, follow=False).entries == 2
    (tmp_path / "a.xml").unlink()
    with pytest.raises(FetchError):
        urlset.stats(tmp_path, strict=True)
    partial = urlset.stats(tmp_path)
    assert (partial.entries, len(partial.failures), partial.completeness) == (2, 1, "truncated")


def test_an_empty_set_and_invalid_arguments() -> None:
    found = urlset.stats(urlset_of())
    assert (found.entries, found.sections, found.ages, found.oldest) == (0, {}, {}, None)
    with pytest.raises(InputError, match="now must have a time zone"):
        urlset.stats(urlset_of(), now=datetime(2026, 1, 1))  # noqa: DTZ001
    seen: list[urlset.Progress] = []
    urlset.stats(urlset_of(HOST, HOST), progress=seen.append)
    assert seen[-1] == urlset.Progress("documents", 1, 1, 2)


def test_the_command_line_shows_the_same(tmp_path: Path) -> None:
    urlset.write(many(1), tmp_path / "sitemap.xml")
    cli = Cli(tmp_path)
    found = urlset.stats(tmp_path / "sitemap.xml")
    shown = cli("stats", "sitemap.xml", "--format", "json")
    assert json.loads(shown.out)["sections"] == found.sections
    assert json.loads(shown.out)["oldest"] == "0001-01-01T00:00:00Z"
    text = cli("stats", ".")
    assert (text.code, text.err) == (0, "")
    lines = text.out.splitlines()
    assert lines[0].startswith("700 entries in 1 document, ")
    bars = {line.split()[0]: line.split()[1:] for line in lines if "█" in line or "▏" in line}
    assert {name: bars[name][0] for name in found.sections} == {name: f"{n:,}" for name, n in found.sections.items()}
    longest = max(found.sections, key=lambda name: found.sections[name])
    assert bars[longest][1] == "█" * 32
    missing = cli("stats", "gone.xml")
    assert (missing.code, missing.out) == (2, "")


def test_what_does_not_fit_into_the_picture_is_summed_up(tmp_path: Path) -> None:
    locs = [f"{HOST}s{number}/{page}" for number in range(30) for page in range(number + 1)]
    (tmp_path / "sitemap.xml").write_bytes(urlset_of(*locs, "/odd"))
    shown = Cli(tmp_path)("stats", "sitemap.xml").out
    rest = sum(range(1, 19)) + 1
    assert f"19 others  {rest:>2}" in shown
    assert "odd: 1 LOC002; complete; `urlset lint` shows where" in shown
    assert "(not absolute)" in shown


def test_a_notebook_shows_the_picture_and_obeys_no_markup() -> None:
    shown = urlset.stats(b"https://shop.example/<b>&/1\n")._repr_html_()
    assert shown.startswith("<div><p><strong>1 entry in 1 document")
    assert "/&lt;b&gt;&amp;/" in shown
    assert "<b>" not in shown


def test_the_picture_has_the_last_months_and_sums_up_those_before(tmp_path: Path) -> None:
    rows = [urlset.UrlEntry(f"https://shop.example/{month}", f"2025-{month:02}-03") for month in range(1, 13)]
    rows.append(urlset.UrlEntry("https://shop.example/new", "2026-01-03"))
    urlset.write(rows, tmp_path / "sitemap.xml")
    text = Cli(tmp_path)("stats", "sitemap.xml").out
    months = [line.split()[:2] for line in text[text.index("by month") :].splitlines()[1:14]]
    assert months[0] == ["earlier", "2"]
    assert months[1:12] == [[f"2025-{month:02}", "1"] for month in range(3, 13)] + [["2026-01", "1"]]


def test_a_sample_gives_a_picture_of_a_set(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(*(f"https://a.example/s{number}.xml" for number in range(20))))
    lay(
        tmp_path, **{f"s{n}": urlset_of(*(f"https://a.example/{n % 2}/{each}" for each in range(3))) for n in range(20)}
    )
    found = urlset.stats(tmp_path, filter=urlset.Filter(sample_sitemaps=4, exclude=["/1/*"]))
    assert (found.entries, len(found.documents)) == (6, 5)
    assert found.skipped == urlset.Skipped(sitemaps={"sample_sitemaps": 16}, entries={"exclude": 6})
    assert found.sample is not None
    assert (found.sample.sitemaps, found.sample.of, found.sample.estimated_entries) == (4, 20, 30)
    said = json.loads(json.dumps(found.as_dict()))
    assert said["sample"]["of"] == 20
    assert said["skipped"] == {"sitemaps": {"sample_sitemaps": 16}, "entries": {"exclude": 6}}
