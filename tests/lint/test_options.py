"""The options of `lint`: rules, profile, time, and how many of the findings are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import urlset
from support.lint.cases import urls, with_loc
from support.publish.grouped import ruled
from support.reading import index_of, lay, urlset_of
from urlset import InputError

pa: Any = import_module("pyarrow")

HOST = "https://example.com/"
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)

# --- which rules --------------------------------------------------------------------------------------------

MIXED = urls("<lastmod>x</lastmod><changefreq>x</changefreq><priority>9</priority>", "<priority>x</priority>").encode()


@pytest.mark.parametrize(
    ("select", "ignore", "codes"),
    [
        (None, [], ["MOD001", "FRQ001", "PRI002", "PRI001"]),
        (["PRI00"], ["PRI004"], ["PRI002", "PRI001"]),
        (["PRI001"], [], ["PRI001"]),
        (["PRI001"], ["PRI"], ["PRI001"]),
        (["invalid-priority"], ["PRI"], ["PRI001"]),
        (["PRI", "MOD001"], ["PRI001", "PRI004"], ["MOD001", "PRI002"]),
        (None, ["PRI", "MOD"], ["FRQ001"]),
        (None, ["priority-range", "FRQ"], ["MOD001", "PRI001"]),
        (["PRI"], ["PRI"], []),
        # What is off in the profile is judged where it is named.
        (("P", "F"), ("PRI00",), ["FRQ002", "FRQ001"]),
        (["FRQ002"], [], ["FRQ002"]),
        (["ALL"], ["FRQ", "PRI", "MOD011"], ["MOD001"]),
        ([], [], []),
    ],
)
def test_select_and_ignore(select: Any, ignore: Any, codes: list[str]) -> None:
    report = urlset.lint(MIXED, rules=urlset.Rules(select=select, ignore=ignore))
    assert [found.code for found in report] == codes
    assert sorted(report.counts) == sorted(codes)
    assert bool(report) == bool(codes)
    assert report.entries == 2


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("LOC0011", "did you mean LOC011?"),
        ("loc002", "did you mean LOC002?"),
        ("PRIO001", "did you mean PRI001?"),
        ("invalid-prioritee", "did you mean invalid-priority?"),
        ("ZZZ", ""),
        ("", ""),
    ],
)
def test_an_unknown_code_is_refused(code: str, hint: str) -> None:
    wrong: list[dict[str, Any]] = [
        *({"select": [code]}, {"ignore": ["LOC", code]}),
        {"per_file_ignores": {"*.xml": [code]}},
    ]
    for options in wrong:
        with pytest.raises(InputError, match=f"no rule has the code {code!r}") as raised:
            urlset.lint(MIXED, **ruled(options))
        assert hint in str(raised.value)
        assert ("did you mean" in str(raised.value)) == bool(hint)


def test_preview_rules_are_enabled_only_on_request() -> None:
    data = with_loc("https://example.com/?utm_source=mail").encode()
    assert urlset.lint(data).counts == {}
    assert urlset.lint(data, rules=urlset.Rules(select=["LOC"], ignore=["LOC007"])).counts == {}
    (found,) = urlset.lint(data, rules=urlset.Rules(preview=True))
    assert (found.code, found.severity) == ("LOC015", "info")
    assert urlset.lint(data, rules=urlset.Rules(preview=True, select=["LOC015"])).counts == {"LOC015": 1}
    assert urlset.lint(data, rules=urlset.Rules(preview=True, ignore=["LOC015"])).counts == {}
    with pytest.raises(InputError, match="preview"):
        urlset.lint(data, rules=urlset.Rules(select=["LOC015"]))


def test_the_profile_decides_rules_and_severities() -> None:
    data = urls("<priority>9</priority>").encode()
    assert (urlset.lint(data).counts, urlset.lint(data).errors) == ({"PRI002": 1}, 1)
    google = urlset.lint(data, rules=urlset.Rules(profile="google"))
    assert google.counts == {"PRI002": 1}
    assert (google.errors, google.warnings, google.infos) == (0, 1, 0)
    good = urls("<priority>0.9</priority>").encode()
    assert urlset.lint(good, rules=urlset.Rules(profile="google")).counts == {"PRI004": 1}
    assert not urlset.lint(good, rules=urlset.Rules(profile="yandex"))
    # The bounds are those of the profile too.
    for profile, longest in (("protocol", 2_047), ("yandex", 1_024), ("baidu", 256)):
        for length, codes in ((longest, {}), (longest + 1, {"LOC009": 1})):
            data = with_loc(HOST.ljust(length, "x")).encode()
            assert urlset.lint(data, rules=urlset.Rules(profile=profile)).counts == codes
    with pytest.raises(InputError, match="goggle") as raised:
        urlset.lint(good, rules=urlset.Rules(profile="goggle"))
    assert "google" in str(raised.value)


def test_ignores_of_some_files(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml", HOST + "old.xml"), a=urlset_of("/a"), old=urlset_of("/o"))

    def found(ignores: dict[str, list[str]], **options: Any) -> list[str]:
        report = urlset.lint(tmp_path, rules=urlset.Rules(per_file_ignores=ignores, **options))
        assert len(report) == len(report.diagnostics)
        return [Path(str(each.location)).name for each in report]

    assert found({}) == ["a.xml", "old.xml"]
    for glob in ("old*", "o??.xml", f"{tmp_path.as_posix()}/old.xml", "**/old.xml"):
        assert found({glob: ["LOC"]}) == ["a.xml"]
        assert found({glob: ["relative-url"]}, select=["LOC002"]) == ["a.xml"]
        assert found({glob: ["LOC001", "XML"]}) == ["a.xml", "old.xml"]
    assert found({"*.xml": ["LOC002"]}) == []
    assert found({"old.xml": ["LOC"], "a.xml": ["ALL"]}) == []
    # Paths begin at the root.
    folder = f"{tmp_path.name}/*.xml"
    assert found({folder: ["LOC"]}) == ["a.xml", "old.xml"]
    assert found({folder: ["LOC"]}, root=tmp_path.parent) == []
    # Of a URL it is its path.
    data, location = with_loc("ftp://example.com/").encode(), HOST + "old/sitemap.xml"
    assert urlset.lint(data, location=location, rules=urlset.Rules(per_file_ignores={"old/*": ["LOC003"]})).counts == {}
    assert urlset.lint(data, location=location, rules=urlset.Rules(per_file_ignores={"new/*": ["LOC003"]})).counts == {
        "LOC003": 1
    }


def test_ignores_of_some_files_hold_for_rules_over_the_set(tmp_path: Path) -> None:
    lay(tmp_path, a=urlset_of(HOST), b=urlset_of(HOST), c=urlset_of(HOST))
    report = urlset.lint(tmp_path, rules=urlset.Rules(per_file_ignores={"b.xml": ["IDX008"]}))
    assert [Path(str(each.location)).name for each in report] == ["c.xml"]
    assert report.counts == {"IDX008": 1}


# --- the time -----------------------------------------------------------------------------------------------


def test_now_is_what_dates_are_compared_with() -> None:
    data = urls("<lastmod>2026-02-01</lastmod>", "<lastmod>2026-02-03T11:00:00Z</lastmod>").encode()
    for now, lines in [
        (NOW, [3]),
        (NOW + timedelta(hours=22, minutes=59), [3]),
        (NOW + timedelta(hours=23), []),
        (NOW - timedelta(days=2), [2, 3]),
        # Two hours further east the same clock is earlier.
        ((NOW + timedelta(hours=23)).replace(tzinfo=None).astimezone(UTC), []),
    ]:
        report = urlset.lint(data, now=now)
        assert [(found.code, found.line) for found in report] == [("MOD007", line) for line in lines]


def test_without_now_it_is_the_present() -> None:
    for days, found in ((0, {}), (7, {"MOD007": 1})):
        day = (datetime.now(UTC) + timedelta(days=days)).date().isoformat()
        assert urlset.lint(urls(f"<lastmod>{day}</lastmod>").encode()).counts == found


def test_a_now_without_a_zone_is_refused() -> None:
    naive = NOW.replace(tzinfo=None)
    with pytest.raises(InputError, match="now must have a time zone"):
        urlset.lint(MIXED, now=naive)
    with pytest.raises(InputError, match="now must have a time zone"):
        urlset.fix(MIXED, now=naive)


def test_the_zone_applies_to_times_without_one() -> None:
    data = urls("<lastmod>2026-01-31T08:00:00</lastmod>").encode()
    for zone, safety, text in [
        *((None, "display", "2026-01-31T08:00:00Z"), ("Z", "safe", "2026-01-31T08:00:00Z")),
        *(("+01:00", "safe", "2026-01-31T08:00:00+01:00"), ("-09:30", "safe", "2026-01-31T08:00:00-09:30")),
        *(("Europe/Berlin", "safe", "2026-01-31T08:00:00+01:00"), ("UTC", "safe", "2026-01-31T08:00:00+00:00")),
    ]:
        (found,) = urlset.lint(data, rules=urlset.Rules(zone=zone))
        assert found.code == "MOD002"
        assert found.fix is not None
        assert (found.fix.safety, [edit.text for edit in found.fix.edits]) == (safety, [text])
        (edit,) = found.fix.edits
        assert data[edit.start : edit.end] == b"2026-01-31T08:00:00"


@pytest.mark.parametrize("zone", ["", "z", "MEZ", "+1", "+01", "+0100", "+15:00", "-14:30", "+01:60", " Z", "+01:00\n"])
def test_an_invalid_zone_is_refused(zone: str) -> None:
    with pytest.raises(InputError, match="zone must be "):
        urlset.Rules(zone=zone)


# --- other hosts --------------------------------------------------------------------------------------------

FOREIGN = with_loc("https://shop.example.org/").encode()
AT = HOST + "sitemap.xml"


@pytest.mark.parametrize(
    ("where", "text", "counts"),
    [
        ("https://shop.example.org/robots.txt", f"Sitemap: {AT}\n", {}),
        ("shop.example.org", f"User-agent: *\nDisallow: /cart\nsitemap:{AT}\n", {}),
        # It has to be the robots.txt of that host, and to name this document.
        ("https://shop.example.org/robots.txt", f"Sitemap: {HOST}other.xml\n", {"LOC011": 1}),
        ("https://www.example.org/robots.txt", f"Sitemap: {AT}\n", {"LOC011": 1}),
        ("shop.example.org", "", {"LOC011": 1}),
        ("shop.example.org", f"Sitemap: {AT}\nUser-agent: *\nDisallow: /\n", {"ROB004": 1}),
    ],
)
def test_a_hosts_robots_txt_may_allow_its_pages_elsewhere(
    tmp_path: Path, where: str, text: str, counts: dict[str, int]
) -> None:
    assert urlset.lint(FOREIGN, location=AT).counts == {"LOC011": 1}
    (tmp_path / "robots.txt").write_text(text)
    for robots in (text.encode(), tmp_path / "robots.txt", str(tmp_path / "robots.txt")):
        assert urlset.lint(FOREIGN, location=AT, rules=urlset.Rules(robots={where: robots})).counts == counts


def test_the_proof_is_good_for_the_children_of_an_index(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml"), a=FOREIGN)
    robots = {"shop.example.org": f"Sitemap: {AT}\n".encode()}
    assert urlset.lint(tmp_path, location=AT).counts == {"LOC011": 1}
    assert urlset.lint(tmp_path, location=AT, rules=urlset.Rules(robots=robots)).counts == {}
    # Where the index is, only its location says.
    assert urlset.lint(tmp_path, rules=urlset.Rules(robots=robots)).counts == {"LOC011": 1}


def test_a_robots_txt_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        urlset.lint(FOREIGN, location=AT, rules=urlset.Rules(robots={"shop.example.org": tmp_path / "robots.txt"}))


# --- how much is kept ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("fold", [0, -1])
def test_one_finding_of_a_rule_is_kept_at_least(fold: int) -> None:
    with pytest.raises(InputError, match=f"fold must be a whole number from 1 up, got {fold}"):
        urlset.lint(MIXED, fold=fold)


def test_many_findings_of_one_rule_do_not_push_out_others() -> None:
    data = urlset_of(*["/x"] * 3_000, *["ftp://example.com/"] * 2)
    for fold, kept in ((1, 2), (50, 52), (2_000, 2_002), (10**12, 3_002)):
        report = urlset.lint(data, fold=fold, budget=urlset.Budget(findings=1), rules=urlset.Rules(ignore=["LOC014"]))
        assert report.counts == {"LOC002": 3_000, "LOC003": 2}
        assert len(report.diagnostics) == kept
        assert report.filter(location="<bytes>").counts == report.counts


# --- the report ---------------------------------------------------------------------------------------------


def test_a_report_of_bytes() -> None:
    clean, found = (
        urlset.lint(urls("", "").encode()),
        urlset.lint(MIXED, location="https://example.com/sitemap.xml"),
    )
    assert (bool(clean), len(clean), list(clean), clean.counts) == (False, 0, [], {})
    assert (clean.documents, clean.entries) == (("<bytes>",), 2)
    assert (bool(found), len(found), found.errors, found.warnings, found.infos) == (True, 4, 4, 0, 0)
    assert found.documents == ("https://example.com/sitemap.xml",)
    assert {each.location for each in found} == {"https://example.com/sitemap.xml"}
    assert "4" in repr(found) or "MOD001" in repr(found)


SCHEMA = pa.schema(
    [
        pa.field("code", pa.string()),
        pa.field("severity", pa.string()),
        pa.field("message", pa.string()),
        pa.field("location", pa.string()),
        *(pa.field(name, pa.uint32()) for name in ("line", "column", "end_column")),
        pa.field("source", pa.string()),
        pa.field("source_column", pa.uint32()),
        pa.field("help", pa.string()),
        pa.field("fix", pa.string()),
        pa.field("more", pa.uint64()),
    ]
)


def test_a_report_is_a_table() -> None:
    data = urlset_of(*["/x"] * 60, "https://example.com/a b")
    report = urlset.lint(data, location="list.xml", rules=urlset.Rules(select=["LOC002", "LOC004"]))
    table = pa.table(report)
    assert table.schema == SCHEMA
    expected = [
        {name: getattr(found, name) for name in SCHEMA.names} | {"fix": found.fix and found.fix.safety}
        for found in report
    ]
    assert table.to_pylist() == expected
    assert len(expected) == 51
    assert {row["fix"] for row in expected} == {None, "safe"}
    assert pl.DataFrame(report).to_dicts() == expected
    counted = duckdb.execute("SELECT code, count(*) + sum(more) FROM report GROUP BY code ORDER BY code")
    assert counted.fetchall() == [("LOC002", 60), ("LOC004", 1)]
    # As often as one likes.
    assert pa.table(report) == table


def test_an_empty_report_is_a_table_too() -> None:
    report = urlset.lint(urls("").encode())
    assert pa.table(report).schema == pa.schema(report) == SCHEMA
    assert pa.table(report).num_rows == 0
    assert duckdb.execute("SELECT count(*) FROM report").fetchall() == [(0,)]
    assert pl.DataFrame(report).columns == SCHEMA.names
