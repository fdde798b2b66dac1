"""What the page says, against a count of the rows in Python, by another parser; and the tables as Parquet."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
import urlset
from support.report.page import bars, numbers, parsed, text_of
from support.report.run_file import HOSTILE, make_run_file
from urlset import InputError
from urlset._runs.file import RunFile
from urlset._runs.schema import COLUMNS

#: The last audit of the file, the crawl before it, and the audit before that.
AUDIT, CRAWL, EARLIER = 6, 5, 4


@pytest.fixture(scope="module")
def page(report_file: Path) -> Any:
    """The page as it is without scripts."""
    return parsed(report_file)


def table(file: Path, name: str, run: int = AUDIT) -> list[dict[str, Any]]:
    """The rows of a table of a run, moments as seconds."""
    kinds = COLUMNS[name]
    columns = ", ".join(
        f"epoch({column}) AS {column}" if kind == "TIMESTAMPTZ" else column for column, kind in kinds.items()
    )
    with duckdb.connect(str(file), read_only=True) as connection:
        rows = connection.execute(f"SELECT {columns} FROM {name} WHERE run = ?", [run]).fetchall()
    return [dict(zip(kinds, row, strict=True)) for row in rows]


def visible(text: str) -> str:
    """A text as the page has it: control characters as pictures or replaced."""
    return text.replace("\u202e", "\N{REPLACEMENT CHARACTER}").replace("\x1b", "\N{SYMBOL FOR ESCAPE}")


# The list.


def test_every_finding_is_in_the_page_once(page: Any, run_file: Path) -> None:
    found = table(run_file, "findings")
    assert len(found) == 120
    patterns = page.xpath("//noscript//tr[starts-with(@data-f, 'pattern')]")
    assert len(patterns) == len(found)
    texts = Counter(row.xpath("td[2]")[0].text_content() for row in patterns)
    for finding in found:
        said = f"{visible(finding['loc'])} {visible(finding['message'])} {visible(finding['pattern'])} "
        [text] = [text for text in texts if text.startswith(said)]
        assert visible(finding["examples"][0]) in text
        assert texts[text] == 1


def test_every_page_of_a_pattern_is_in_the_page_once(page: Any, run_file: Path) -> None:
    hits = table(run_file, "page_findings")
    of_each = Counter(hit["key"] for hit in hits)
    # One that stands alone is the finding itself.
    found = Counter(visible(hit["loc"]) for hit in hits if of_each[hit["key"]] > 1)
    rows = page.xpath("//noscript//tr[starts-with(@data-f, 'each')]/td[2]")
    assert Counter(row.text_content().rpartition(" the page answers")[0] for row in rows) == found


def test_the_rules_have_their_counts_their_reasons_and_their_fixes(page: Any, run_file: Path) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for finding in table(run_file, "findings"):
        counts[finding["code"], finding["verdict"]] += finding["count"] if finding["state"] != "fixed" else 0
    cards = page.xpath("//details[@class='card']")
    shown = {}
    for card in cards:
        chip = card.xpath(".//span[starts-with(@class, 'chip')]")[0].text
        code = card.xpath("summary//code")[0].text
        key = (code, "inconclusive" if chip == "inconclusive" else "found")
        shown[key] = int(card.xpath(".//span[@class='count']/text()")[0].replace(",", ""))
        assert [head.text for head in card.iter("h3")] == ["Why", "Fix", "Effect"]
        [rule] = [rule for rule in urlset.rules() if rule.code == code]
        why = " ".join(rule.page.partition("## Why it is bad\n")[2].partition("\n## ")[0].split())
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", why)
        assert plain[:60] in card.xpath(".//div[@class='why']/div[1]")[0].text_content()
    assert shown == counts
    ranks = [(card.xpath(".//span[starts-with(@class, 'chip')]")[0].text, 0) for card in cards]
    assert [chip for chip, _ in ranks] == sorted(
        (chip for chip, _ in ranks), key=["error", "warning", "info", "inconclusive"].index
    )


# The pictures.


def answer(page: dict[str, Any]) -> str:
    """What a page answered, by the words of the legend."""
    if page["refused"]:
        return "inconclusive"
    if page["status"] is None:
        return "no answer"
    if page["hops"]:
        return "redirect"
    return {2: "200", 4: "4xx", 5: "5xx"}[page["status"] // 100]


def sent(page: dict[str, Any]) -> str:
    """The URL that was asked for, whatever the spelling of its loc."""
    return str(page["hops"][0]["url"] if page["hops"] else page["final_url"])


def is_indexable(page: dict[str, Any]) -> bool | None:
    if answer(page) in ("inconclusive", "no answer"):
        return None
    return answer(page) == "200" and not page["is_noindex"] and set(page["canonicals"]) <= {sent(page)}


def test_answers_are_counted_by_section(page: Any, run_file: Path) -> None:
    pages = {each["loc"]: each for each in table(run_file, "pages")}
    counts: dict[str, Counter[str]] = {}
    for entry in table(run_file, "listed"):
        counts.setdefault(entry["section"], Counter())[answer(pages[entry["loc"]])] += 1
    assert bars(page, "statuses") == {section: (dict(each), each.total()) for section, each in counts.items()}


def test_coverage_counts_listed_linked_and_indexable(page: Any, run_file: Path) -> None:
    audited = {sent(each): each for each in table(run_file, "pages")}
    crawled = {sent(each): each for each in table(run_file, "pages", CRAWL)}
    assert {each["loc"] for each in audited.values()} - audited.keys(), "no loc is spelled in another way"
    counts: Counter[str] = Counter()
    for url, each in (crawled | audited).items():
        if (good := is_indexable(each)) is not None:
            kind = (url in audited, url in crawled, good)
            counts[" ".join("yes" if mark else "no" for mark in kind)] += 1
    assert {marks: count for marks, (_, count) in bars(page, "coverage").items()} == counts
    right = sum(bool(is_indexable(each)) for each in audited.values())
    assert f"{right:,} of" in page.xpath("//p[@class='headline']")[0].text_content()


def test_a_moved_lastmod_is_held_against_the_content(page: Any, run_file: Path) -> None:
    counts: dict[str, Counter[str]] = {}
    for before, now in ((2, EARLIER), (EARLIER, AUDIT)):
        lastmods = {each["loc"]: each["lastmod"] for each in table(run_file, "listed", before)}
        old = {each["loc"]: each["content_hash"] for each in table(run_file, "pages", before)}
        seen = {each["loc"]: each for each in table(run_file, "pages", now)}
        for entry in table(run_file, "listed", now):
            loc = entry["loc"]
            if seen[loc]["status"] != 200 or seen[loc]["refused"]:
                continue
            moved = entry["lastmod"] is not None and entry["lastmod"] != lastmods[loc]
            changed = seen[loc]["content_hash"] != old[loc]
            words = {
                (True, True): "moved, and changed",
                (True, False): "moved, not changed",
                (False, True): "changed, not moved",
            }
            if moved or changed:
                counts.setdefault(entry["section"], Counter())[words[moved, changed]] += 1
    assert bars(page, "trust") == {section: (dict(each), each.total()) for section, each in counts.items()}
    assert "In 2 comparisons of two audits" in page.xpath("string(//section[@id='trust'])")


def test_lastmods_are_held_against_the_dates_of_pages(page: Any, run_file: Path) -> None:
    pages = {each["loc"]: each for each in table(run_file, "pages")}
    counts = [0] * 7
    for entry in table(run_file, "listed"):
        own = pages[entry["loc"]]
        dated = own["json_modified"] or own["last_modified"]
        if entry["lastmod"] is not None:
            days = (entry["lastmod"] - dated) / 86400
            counts[sum([days >= -30, days >= -7, days >= -1, days > 1, days >= 7, days >= 30])] += 1
    cells = page.xpath("//section[@id='calibration']//details//tbody/tr/td/text()")
    assert [int(cell.replace(",", "")) for cell in cells] == counts


def test_ages_depths_and_days_are_counted(page: Any, run_file: Path) -> None:
    listed = table(run_file, "listed")
    with RunFile(run_file, read_only=True) as file:
        ended = file.runs()[-1].ended
    assert ended is not None
    ages: Counter[str] = Counter()
    for entry in listed:
        if entry["lastmod"] is None:
            ages["absent"] += 1
            continue
        days = (ended.timestamp() - entry["lastmod"]) / 86400
        bounds = {"a day": 1, "a week": 7, "a month": 30, "3 months": 91, "a year": 365, "3 years": 1095}
        ages["future" if days < 0 else next((name for name, most in bounds.items() if days <= most), "older")] += 1
    assert {name: count for name, [count] in numbers(page, "ages").items() if count} == ages
    urls = {sent(each) for each in table(run_file, "pages")}
    depths: dict[str, list[int]] = {}
    for each in table(run_file, "pages", CRAWL):
        depths.setdefault("10+" if each["depth"] >= 10 else str(each["depth"]), [0, 0])[sent(each) not in urls] += 1
    crawled = {sent(each) for each in table(run_file, "pages", CRAWL)}
    depths["not reached"] = [len(urls - crawled), 0]
    assert {name: counts for name, counts in numbers(page, "depth").items() if any(counts)} == depths
    moments = [entry["lastmod"] for entry in listed if entry["lastmod"] is not None]
    first = datetime(2025, 11, 24, tzinfo=UTC)  # a Monday, 52 weeks before the Monday of the run
    last_year = [moment for moment in moments if first.timestamp() <= moment <= ended.timestamp()]
    assert sum(count for [count] in numbers(page, "calendar").values()) == len(last_year)


def test_the_treemap_and_the_history_count_what_is_found_now(page: Any, run_file: Path) -> None:
    counts: Counter[str] = Counter()
    history = []
    for run in (2, 4, 6):
        found = [
            each for each in table(run_file, "findings", run) if each["state"] != "fixed" and each["verdict"] == "found"
        ]
        sums = Counter(
            {
                word: sum(each["count"] for each in found if each["severity"] == word)
                for word in ("error", "warning", "info")
            }
        )
        history.append(list(sums.values()))
        if run == AUDIT:
            for each in found:
                counts["/" + each["loc"].split("/")[3] + "/"] += each["count"]
    assert {name: count for name, [count] in numbers(page, "paths").items()} == counts
    assert list(numbers(page, "history").values()) == history


# Other runs and other sources.


def test_an_earlier_run_can_be_shown(run_file: Path, tmp_path: Path) -> None:
    for run in (1, "audit 1", "2026-11-09", date(2026, 11, 15)):
        text = text_of(urlset.report(run_file, tmp_path / "r.html", run=run))
        assert "2026-11-09 05:00 UTC" in text
        assert "audit of 2026-11-09" in text
    none = r"run 4 is not a run of this file, which has audit 1 of 2026-11-09, audit 2 of 2026-11-16, audit 3 of"
    with pytest.raises(InputError, match=none):
        urlset.report(run_file, tmp_path / "r.html", run=4)
    for run in ("2026-11-08", "crawl 9", "2026-02-31", "yesterday", True):
        with pytest.raises(InputError, match=r"^run "):
            urlset.report(run_file, tmp_path / "r.html", run=run)


def test_a_crawl_is_shown_with_the_audit_before_it(run_file: Path, tmp_path: Path) -> None:
    first = parsed(urlset.report(run_file, tmp_path / "first.html", run="crawl 1"))
    assert "of the linked pages" in first.xpath("//p[@class='headline']")[0].text_content()
    assert first.xpath("//*[@id='coverage']") == []
    assert len(first.xpath("//*[@id='statuses']")) == len(first.xpath("//*[@id='depth']")) == 1
    third = parsed(urlset.report(run_file, tmp_path / "third.html", run="crawl 2"))
    assert bars(third, "coverage")["yes no yes"][1] > 0


def test_the_same_file_gives_the_same_page(run_file: Path, report_file: Path, tmp_path: Path) -> None:
    assert urlset.report(run_file, tmp_path / "r.html").read_bytes() == report_file.read_bytes()


def test_the_findings_of_a_lint_are_in_the_page(tmp_path: Path) -> None:
    lines = ["https://shop.example/", "/relative", *(f"/{number}/{HOSTILE}" for number in range(70))]
    found = urlset.lint("\n".join(lines).encode(), location="https://shop.example/sitemap.txt")
    page = parsed(urlset.report(found, tmp_path / "r.html"))
    rows = [row.text_content() for row in page.xpath("//noscript//tr/td[2]")]
    assert len(rows) == len(found.diagnostics)
    for diagnostic in found:
        where = f"{diagnostic.location}:{diagnostic.line}:{diagnostic.column} "
        assert any(row.startswith(where) for row in rows)
    assert page.xpath("//p[@class='headline']/strong")[0].text == str(len(found))
    counts = [int(count.replace(",", "")) for count in page.xpath("//span[@class='count']/text()")]
    assert sorted(counts) == sorted(found.counts.values())


def test_a_lint_that_could_not_check_everything_says_so(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text(
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        "<sitemap><loc>https://shop.example/missing.xml</loc></sitemap></sitemapindex>"
    )
    found = urlset.lint(tmp_path, location="https://shop.example/sitemap.xml")
    assert found.failures
    page = parsed(urlset.report(found, tmp_path / "r.html"))
    [first] = page.xpath("//header/section[1]")
    assert first.xpath("h2")[0].text == "1 sitemap could not be read"
    assert "missing.xml" in first.xpath("ul/li")[0].text_content()


# Tables.


@pytest.mark.parametrize("name", ["findings", "page_findings", "pages", "listed", "links", "runs"])
def test_a_table_is_written_as_parquet(run_file: Path, tmp_path: Path, name: str) -> None:
    of_crawl = name == "links"
    run = "crawl 3" if of_crawl else 3
    path = urlset.report(run_file, tmp_path / "t.parquet", table=name, run=run)  # type: ignore[arg-type]
    written = pq.read_table(path)
    rows = table(run_file, name, CRAWL if of_crawl else AUDIT)
    assert written.column_names == list(COLUMNS[name])
    assert written.num_rows == len(rows) > 0
    texts = [column for column, kind in COLUMNS[name].items() if kind in ("VARCHAR", "BIGINT", "SMALLINT")]
    assert Counter(tuple(row[column] for column in texts) for row in written.select(texts).to_pylist()) == Counter(
        tuple(row[column] for column in texts) for row in rows
    )


def test_a_lint_is_written_as_parquet(tmp_path: Path) -> None:
    found = urlset.lint(b"https://shop.example/\n/tea\n", location="https://shop.example/sitemap.txt")
    written = pq.read_table(urlset.report(found, tmp_path / "t.parquet"))
    assert [row["code"] for row in written.to_pylist()] == [each.code for each in found]


# Mistakes.


def test_mistakes_are_named(run_file: Path, tmp_path: Path) -> None:
    found = urlset.lint(b"https://shop.example/\n")
    with pytest.raises(InputError, match=r"path must end in \.html, \.parquet, \.csv or \.xlsx, got 'r\.pdf'"):
        urlset.report(run_file, "r.pdf")
    with pytest.raises(InputError, match="table must be"):
        urlset.report(run_file, tmp_path / "r.parquet", table="entries")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="table must be left out for a page"):
        urlset.report(run_file, tmp_path / "r.html", table="pages")
    with pytest.raises(InputError, match="run and table must be left out"):
        urlset.report(found, tmp_path / "r.html", run=1)
    with pytest.raises(InputError, match="must be a file that a crawl or an audit has written"):
        urlset.report(tmp_path / "none.duckdb", tmp_path / "r.html")
    RunFile(tmp_path / "new.duckdb").close()
    with pytest.raises(InputError, match="has no run yet"):
        urlset.report(tmp_path / "new.duckdb", tmp_path / "r.html")
    with pytest.raises(FileNotFoundError):
        urlset.report(run_file, tmp_path / "none" / "r.html")
    (tmp_path / "text.duckdb").write_text("no database")
    with pytest.raises(InputError, match="cannot be used as a run file"):
        urlset.report(tmp_path / "text.duckdb", tmp_path / "r.html")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new.duckdb", "text.duckdb"]


def test_a_file_that_is_written_to_is_refused(tmp_path: Path) -> None:
    make_run_file(tmp_path / "site.duckdb", pages=10, findings=5, runs=1)
    with RunFile(tmp_path / "site.duckdb"), pytest.raises(InputError, match="is in use"):
        urlset.report(tmp_path / "site.duckdb", tmp_path / "r.html")
