"""How a set is checked: what is kept and counted, what is opened, what is left behind."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import urlset
from support.lint import sets
from support.lint.sets import EVERY, SITE, Listed, Page, index_of
from support.publish.grouped import ruled
from urlset import Diagnostic, Severity
from urlset._lint.set import CODES, SetDocument, tables
from urlset._lint.set.findings import FindingCollector, Hit
from urlset._util import instances

TWO = ("IDX008", "ALT009")


def pair(folder: Path, count: int = 30) -> list[SetDocument]:
    """Two documents with the same locs and with links that lead nowhere."""
    gone = (("de", f"{SITE}/gone"),)
    listed = Listed(tuple(Page(f"{SITE}/{number:05d}", None, gone) for number in range(count)))
    return [sets.lay_pages(folder, "1.xml", listed), sets.lay_pages(folder, "2.xml", replace(listed, dense=True))]


def test_the_codes_are_those_of_all_set_rules() -> None:
    assert set(CODES) == set(EVERY)


def test_no_documents_have_no_findings() -> None:
    findings = sets.check([], EVERY, agents=["*"], robots={}, fold=50)
    assert (findings.diagnostics, findings.counts, findings.muted) == ((), {}, frozenset())


# --- what is kept ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fold", [0, 1, 7, 30, 31, 1000])
def test_the_first_of_each_rule_and_document_are_kept(tmp_path: Path, fold: int) -> None:
    documents = pair(tmp_path)
    rules = {code: EVERY[code] for code in TWO}
    whole = sets.check(documents, rules, agents=["*"], robots={}, fold=10_000)
    assert whole.counts == {"ALT009": 60, "IDX008": 30}
    folded = sets.check(documents, rules, agents=["*"], robots={}, fold=fold)
    assert folded.counts == whole.counts
    expected: list[Diagnostic] = []
    for document in documents:
        kept = {
            code: [e for e in whole.diagnostics if (e.code, e.location) == (code, document.location)] for code in TWO
        }
        for each in kept.values():
            if first := each[:fold]:
                expected += [*first[:-1], replace(first[-1], more=len(each) - len(first))]
    assert sorted(folded.diagnostics, key=str) == sorted(expected, key=str)


@pytest.mark.parametrize("fold", [0, 1, 49, 50, 51, 1000])
def test_collected_findings_are_in_order_whatever_the_order_they_come_in(fold: int) -> None:
    documents = [SetDocument(f"{position}.xml", None, None, "urlset", 1) for position in range(4)]
    lines = [range(1, 1), range(1, 2), range(1, 51), range(1, 1000)]
    hits = [Hit(position, line, f"m{line}") for position, each in enumerate(lines) for line in each]
    for seed in range(5):
        Random(seed).shuffle(hits)
        gathered = FindingCollector(documents, {"ROB004": "warning"}, fold)
        for start in range(0, len(hits), 100):
            gathered.add("ROB004", hits[start : start + 100], "h")
        findings = gathered.findings()
        assert findings.counts == {"ROB004": len(hits)}
        expected = []
        for position, each in enumerate(lines):
            kept = each[:fold]
            more = [0] * (len(kept) - 1) + [len(each) - len(kept)] * bool(kept)
            expected += [(f"{position}.xml", line, f"m{line}", rest) for line, rest in zip(kept, more, strict=True)]
        assert [(each.location, each.line, each.message, each.more) for each in findings.diagnostics] == expected


def test_findings_are_in_the_order_of_documents_lines_and_codes(tmp_path: Path) -> None:
    documents = pair(tmp_path, 5)
    children = [(f"{SITE}/1.xml", None), (f"{SITE}/sitemap.xml", None), (f"{SITE}/2.xml", None)]
    documents.append(sets.lay(tmp_path, "sitemap.xml", index_of(children), kind="sitemapindex", entries=3))
    first = sets.check(documents, EVERY, agents=["*"], robots={}, fold=50, threads=2).diagnostics
    names = [(Path(each.location or "").name, each.line, each.code) for each in first]
    assert names == [
        *(("1.xml", line, "ALT009") for line in range(2, 7)),
        *(("2.xml", 1, "ALT009") for _ in range(5)),
        *(("2.xml", 1, "IDX008") for _ in range(5)),
        ("sitemap.xml", 3, "IDX002"),
    ]
    assert first[5].message == f"`{SITE}/gone` is not a loc of this set"
    assert first[10].message == f"`{SITE}/00000` is in 1.xml:2 too"
    for threads in 1, 2, 3:
        assert sets.check(documents, EVERY, agents=["*"], robots={}, fold=50, threads=threads).diagnostics == first
    assert {(each.column, each.end_column, each.source, each.fix) for each in first} == {(1, 2, "", None)}


# --- when it runs --------------------------------------------------------------------------------------------------


def alone(folder: Path, name: str = "1.xml", **facts: object) -> SetDocument:
    listed = Listed(tuple(Page(f"{SITE}/{number}", "2026-01-31T08:00:00Z") for number in range(30)))
    return sets.lay_pages(folder, name, listed, **facts)


@pytest.mark.parametrize(
    ("count", "options", "is_opened"),
    [
        (1, {"select": ["IDX", "MOD009", "MOD012", "ALT", "ROB"], "preview": True}, False),
        (1, {"select": ["MOD010"], "preview": True}, True),
        (2, {"select": ["IDX008"]}, True),
        (2, {"select": ["LOC"]}, False),
        (1, {"select": ["ROB004"], "robots": {"a.example": b"User-agent: *\nDisallow: /x"}}, True),
        (1, {"select": ["ROB004"], "robots": {"a.example": b""}}, False),
    ],
)
def test_a_database_is_opened_only_for_rules_that_can_find_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, options: dict[str, Any], is_opened: bool
) -> None:
    opened: list[object] = []

    def noted(**settings: Any) -> Any:
        opened.append(settings)
        return instances.in_memory(**settings)

    monkeypatch.setattr(tables, "in_memory", noted)
    for number in range(count):
        alone(tmp_path, f"{number}.xml")
    urlset.lint([tmp_path / f"{number}.xml" for number in range(count)], **ruled(options))
    assert bool(opened) is is_opened


@pytest.mark.parametrize(("away", "count"), [(0.0, 1), (60.0, 1), (-60.0, 1), (61.0, 0), (-61.0, 0), (None, 0)])
def test_lastmods_of_the_build(tmp_path: Path, away: float | None, count: int) -> None:
    modified = None if away is None else sets.utc(2026, 1, 31, 8).timestamp() + away
    findings = sets.check([alone(tmp_path, modified=modified)], {"MOD010": "warning"}, agents=["*"], robots={}, fold=50)
    message = "the lastmod of all 30 entries, 2026-01-31T08:00:00Z, is when the file was written"
    assert [each.message for each in findings.diagnostics] == [message] * count
    assert findings.muted == frozenset()


@pytest.mark.parametrize(
    "pages",
    [
        [Page(f"{SITE}/a", "2026-01-31T08:00:00Z")],
        [Page(f"{SITE}/a", "2026-01-31T08:00:00Z"), Page(f"{SITE}/b", "2026-01-31T08:00:01Z")],
        [Page(f"{SITE}/a", "2026-01-31T08:00:00Z"), Page(f"{SITE}/b")],
        [Page(f"{SITE}/a", "2026-01-31T08:00:00Z"), Page(f"{SITE}/b", "2026-01-31T08:00:00Z", news=True)],
    ],
)
def test_lastmods_that_are_not_of_the_build(tmp_path: Path, pages: list[Page]) -> None:
    modified = sets.utc(2026, 1, 31, 8).timestamp()
    document = sets.lay_pages(tmp_path, "1.xml", Listed(tuple(pages)), modified=modified)
    assert sets.check([document], {"MOD010": "warning"}, agents=["*"], robots={}, fold=50).counts == {}


def test_one_lastmod_of_all_mutes_that_of_each(tmp_path: Path) -> None:
    rules: dict[str, Severity] = {"MOD009": "warning"}
    two = [alone(tmp_path, "0.xml"), alone(tmp_path)]
    assert sets.check(two[:1], rules, agents=["*"], robots={}, fold=50).counts == {}
    findings = sets.check(two, rules, agents=["*"], robots={}, fold=50)
    message = f"{tmp_path}/0.xml:1:1: MOD009 60 of 60 entries in 2 documents have one and the same lastmod"
    assert [str(each) for each in findings.diagnostics] == [message]
    assert findings.muted == {"MOD009"}


# --- what it takes, and what is left ------------------------------------------------------------------------------


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = pair(tmp_path)
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    assert sets.check(documents, EVERY, agents=["*"], robots={}, fold=1).counts["IDX008"] == 30
    assert list(spill.iterdir()) == []
    monkeypatch.setattr(tables, "ROWS", 10)  # so that something is inserted before the failure
    (tmp_path / "2.xml").unlink()
    with pytest.raises(FileNotFoundError):
        sets.check(documents, EVERY, agents=["*"], robots={}, fold=1)
    assert list(spill.iterdir()) == []


def test_a_truncated_document_counts_up_to_its_end(tmp_path: Path) -> None:
    documents = pair(tmp_path)
    text = (tmp_path / "1.xml").read_text()
    (tmp_path / "1.xml").write_text(text[: text.index("00010")])
    assert sets.check(documents, {"IDX008": "warning"}, agents=["*"], robots={}, fold=50).counts == {"IDX008": 10}


def test_many_small_documents_share_a_statement(tmp_path: Path) -> None:
    documents = [
        sets.lay_pages(tmp_path, f"{number}.xml", Listed((Page(f"{SITE}/{number // 2}"), Page(f"{SITE}/x{number}"))))
        for number in range(600)
    ]
    findings = sets.check(documents, {"IDX008": "warning"}, agents=["*"], robots={}, fold=50)
    assert [each.location for each in findings.diagnostics] == [each.location for each in documents[1::2]]
    names = [f"`{SITE}/{number}` is in {2 * number}.xml:2 too" for number in range(300)]
    assert [each.message for each in findings.diagnostics] == names


LARGE = """
import resource, sys
sys.path.insert(0, {tests!r})
from support.lint import sets
from pathlib import Path
from urlset._lint.set import SetDocument
count, folder = {count}, Path({folder!r})
documents = [
    sets.SetDocument(str(path), str(path), None, "urlset", count) for path in sorted(folder.glob("*.xml"))
]
rules = {{code: "warning" for code in ("IDX008", "ALT005", "ALT009", "MOD009")}}
findings = sets.check(documents, rules, agents=["*"], robots={{}}, fold=40, memory="{memory}MB", threads=2)
for each in findings.diagnostics:
    print(each.code, Path(each.location).name, each.line, each.message, each.more, sep="\\t")
print(sorted(findings.counts.items()))
assert "pyarrow" not in sys.modules and "pandas" not in sys.modules and "polars" not in sys.modules
"""


@pytest.mark.parametrize(("count", "memory"), [(10_000, 100), pytest.param(50_000, 200, marks=pytest.mark.long)])
def test_a_large_set_in_little_memory(tmp_path: Path, count: int, memory: int) -> None:
    """Every loc of half of it is repeated, so that what is found does not fit either."""
    long = "x" * 150
    documents = {}
    for position in range(6):
        pages = [_page(position, number, long) for number in range(count)]
        documents[position] = Listed(tuple(pages))
        (tmp_path / f"{position}.xml").write_text(documents[position].text())
    code = LARGE.format(tests=str(Path(__file__).parents[1]), count=count, memory=memory, folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    *rows, counts = done.stdout.splitlines()

    names = [f"{position}.xml" for position in documents]
    every = sorted((sets.repeated(documents, names) + sets.alternates(documents, names)).elements())
    totals = {code: sum(each[0] == code for each in every) for code in ("ALT005", "ALT009", "IDX008")}
    assert totals == {"ALT005": count // 1_000, "ALT009": count // 50, "IDX008": 3 * count}
    assert counts == str(sorted(totals.items()))
    expected = []
    for code in totals:
        for position in documents:
            mine = sorted(each for each in every if each[:2] == (code, position))
            more = [0] * (min(len(mine), 40) - 1) + [max(len(mine) - 40, 0)]
            expected += [
                f"{code}\t{names[position]}\t{line}\t{message}\t{rest}"
                for (_, _, line, message), rest in zip(mine[:40], more, strict=False)
            ]
    assert sorted(rows) == sorted(expected)


def _page(position: int, number: int, long: str) -> Page:
    """Each page of the second three documents is one of the first three too; two languages link to each other."""
    group, loc = position % 3, f"{SITE}/{{}}/{number}/{long}"
    mine, other = loc.format(group), loc.format((0, 2, 1)[group])
    links: tuple[tuple[str | None, str], ...] = ()
    if group and not (group == 2 and number % 2_000 == 7):
        links = (("de", mine), ("en", other))
    if group == 0 and number % 100 == 3:
        links = (("fr", loc.format("gone")),)
    return Page(mine, f"20{10 + number % 10}-01-01", links)
