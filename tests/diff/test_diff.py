"""`diff`: two sets compared by loc, judged by plain dicts over what `read` gives."""

from __future__ import annotations

import gc
import gzip
import io
import random
import tempfile
from collections.abc import Iterator
from datetime import timedelta, timezone
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.diff import DAY, LASTMODS, LOCS, SITE, check, xml
from support.properties import times
from support.reading import index_of, lay, urlset_of
from support.strategies import CHANGEFREQS, entries
from urlset import Change, FetchError, InputError, LimitError, MalformedError, NotASitemapError, UrlEntry, diff
from urlset._diff.api import FIELDS

pa: Any = import_module("pyarrow")

ALL = FIELDS[:-1]


@pytest.fixture(autouse=True)
def scratch(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary ones, in which nothing may be left."""
    folder = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    gc.collect()
    assert list(folder.iterdir()) == []


# --- random sets --------------------------------------------------------------------------------------------

_MORE = st.tuples(
    st.sampled_from(["", *(f"<changefreq>{word}</changefreq>" for word in CHANGEFREQS[:2])]),
    st.sampled_from(["", *(f"<priority>{text}</priority>" for text in ("0.5", "0.50", "1.0", "0", "-0.0"))]),
).map("".join)
_ROWS = st.lists(st.tuples(st.one_of(st.none(), LOCS, LOCS, LOCS, LOCS), LASTMODS, _MORE), max_size=12)


@given(_ROWS, _ROWS, st.sampled_from([("lastmod",), ("priority",), ("changefreq", "lastmod"), ALL, ()]))
@times(60)
def test_a_diff_equals_one_of_dicts(old: Any, new: Any, fields: tuple[str, ...]) -> None:
    before, after = xml(*old), xml(*new)
    with diff(before, after, compare=fields) as found:
        check(found, list(urlset.read(before)), list(urlset.read(after)), fields)
        assert found.compared == tuple(name for name in FIELDS if name in fields)


@given(_ROWS, st.randoms(use_true_random=False))
@times(20)
def test_a_set_in_another_order_is_the_same_set(rows: Any, rng: random.Random) -> None:
    shuffled = rng.sample(rows, len(rows))
    with diff(xml(*rows), xml(*shuffled), compare="all") as found:
        assert not found


@given(_ROWS, _ROWS)
@times(20)
def test_a_reversed_diff_is_the_opposite(old: Any, new: Any) -> None:
    with diff(xml(*old), xml(*new)) as one, diff(xml(*new), xml(*old)) as other:
        turned = {"added": "removed", "removed": "added", "changed": "changed"}
        mirrored = [Change(c.loc, turned[c.change], c.new_lastmod, c.old_lastmod, c.fields) for c in other]  # type: ignore[arg-type]
        assert list(one) == mirrored


@given(st.data())
@times(30)
def test_written_sets_with_all_that_an_entry_can_say(data: st.DataObject) -> None:
    rows = data.draw(st.lists(entries(), min_size=1, max_size=6, unique_by=lambda row: str(row["loc"])))
    others = data.draw(st.lists(entries(), max_size=3))
    # Of each entry one field becomes that of another one, or goes.
    changed = [
        {**row, (name := data.draw(st.sampled_from(ALL))): other.get(name)}
        for row, other in zip(rows, data.draw(st.permutations([*rows, *others])), strict=False)
    ]
    changed = [{name: value for name, value in row.items() if value is not None} for row in changed]
    before, after = io.BytesIO(), io.BytesIO()
    urlset.write([UrlEntry(**row) for row in rows], before)
    urlset.write([UrlEntry(**row) for row in changed], after)
    with diff(before.getvalue(), after.getvalue(), compare="all") as found:
        check(found, list(urlset.read(before.getvalue())), list(urlset.read(after.getvalue())), ALL)


# --- what was not read --------------------------------------------------------------------------------------


def broken(folder: Path) -> Path:
    """A set of a whole child, one that is cut off, one that is not a sitemap, and one that is missing."""
    lay(
        folder,
        sitemap=index_of(*(f"{SITE}{name}.xml" for name in ("whole", "cut", "page", "missing"))),
        whole=urlset_of("A", "B"),
        cut=urlset_of("C", "D")[:-30],
        page=b"<!doctype html><title>404</title>",
    )
    return folder


def test_a_truncated_side_raises_if_that_is_wanted(tmp_path: Path, scratch: Path) -> None:
    cut = urlset_of("A", "B")[:-30]
    with pytest.raises(MalformedError):
        diff(urlset_of("A", "B"), cut, strict=True)
    with pytest.raises(MalformedError):
        diff(cut, cut, strict=True)
    with pytest.raises(LimitError):
        diff(urlset_of("A"), urlset_of("A", "B"), budget=urlset.Budget(entries=1), strict=True)
    for name in ("whole", "cut", "page", "missing"):
        children = index_of(*(f"{SITE}{each}.xml" for each in ("whole", name)))
        (broken(tmp_path) / "sitemap.xml").write_bytes(children)
        if name != "whole":
            with pytest.raises((MalformedError, NotASitemapError, FetchError), match=f"{name}.xml"):
                diff(tmp_path, tmp_path / "whole.xml", strict=True)
    assert list(scratch.iterdir()) == []


def test_collected_failures_are_listed(tmp_path: Path) -> None:
    broken(tmp_path)
    with diff(urlset_of("A", "B", "C", "D"), tmp_path) as found:
        assert [(change.loc, change.change) for change in found] == [("D", "removed")]
        assert found.same == 3
        # As `read` has them, but for their order: an index comes before what it leads to.
        theirs = urlset.read(tmp_path).failures
        assert {(type(failure), str(failure)) for failure in found.failures} == {
            (type(failure), str(failure)) for failure in theirs
        }
        assert [type(failure) for failure in found.failures] == [FetchError, MalformedError, NotASitemapError]
        assert "missing.xml was not found in the same folder" in str(found.failures[0])


@pytest.mark.parametrize("strict", [True, False])
def test_a_root_that_is_missing_or_not_a_sitemap_always_raises(tmp_path: Path, strict: bool) -> None:
    with pytest.raises(NotASitemapError):
        diff(b"<!doctype html>", urlset_of("A"), strict=strict)
    with pytest.raises(FileNotFoundError):
        diff(urlset_of("A"), tmp_path / "nothing.xml", strict=strict)


def test_errors_of_a_source_are_passed_on() -> None:
    def pieces() -> Iterator[bytes]:
        yield urlset_of("A")[:40]
        raise RuntimeError("the line is cut")

    with pytest.raises(RuntimeError, match="the line is cut"):
        diff(pieces(), urlset_of("A"))


# --- arguments, and how long a diff lasts -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compare": "lastmod"}, "compare must be a list of fields or 'all', got 'lastmod'"),
        ({"compare": ["loc"]}, "compare must name lastmod, changefreq, .*, got 'loc'"),
        ({"memory": "much"}, "memory must be an amount such as '512MB', got 'much'"),
        ({"memory": "1MB"}, "memory='1MB' or the temporary folder is too small"),
        ({"content_encoding": "rot13"}, "rot13"),
    ],
)
def test_invalid_arguments_are_refused(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        diff(urlset_of(*map(str, range(30_000))), urlset_of(), **options)


def test_one_source_that_can_be_read_once_is_not_two_sets() -> None:
    file = io.BytesIO(urlset_of("A"))
    with pytest.raises(InputError, match="two sources, got one that can be read only once"):
        diff(file, file)
    data = urlset_of("A")
    with diff(data, data) as found:
        assert found.same == 1


def test_a_content_encoding_header_is_used() -> None:
    brotli: Any = import_module("brotli")
    packed = brotli.compress(urlset_of("A"))
    with diff(packed, packed, content_encoding="br") as found:
        assert found.same == 1


def test_indexes_are_compared_by_the_sitemaps_that_they_list(tmp_path: Path) -> None:
    old = b"""<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>https://a.example/a.xml</loc><lastmod>2026-01-01</lastmod></sitemap>
<sitemap><loc>https://a.example/b.xml</loc><lastmod>2026-01-01</lastmod></sitemap></sitemapindex>"""
    new = old.replace(b"2026-01-01", b"2026-01-02", 1).replace(b"b.xml", b"c.xml")
    for path, text in ((tmp_path / "old", old), (tmp_path / "new", new)):
        path.mkdir()
        (path / "sitemap.xml").write_bytes(text)
    expected = [
        ("https://a.example/a.xml", "changed"),
        ("https://a.example/b.xml", "removed"),
        ("https://a.example/c.xml", "added"),
    ]
    for sources in ((old, new), (tmp_path / "old", tmp_path / "new")):
        with diff(*sources, follow=False) as found:
            assert [(each.loc, each.change) for each in found] == expected
            assert found.failures == ()


def test_changes_are_chosen_by_kind() -> None:
    with diff(urlset_of("A", "B"), urlset_of("B", "C")) as found:
        assert [change.loc for change in found.only("removed", "added")] == ["A", "C"]
        assert (len(found.only("changed")), list(found.only("changed"))) == (0, [])
        assert pa.RecordBatchReader.from_stream(found.only("added")).read_all()["loc"].to_pylist() == ["C"]
        assert [change.loc for change in found.only("added").first(5)] == ["C"]
        assert found.first(0) == []
        wrong: list[Any] = [(), ("new",), ("added", "lost")]
        for kinds in wrong:
            with pytest.raises(InputError, match="kinds must be of added, removed, changed"):
                found.only(*kinds)
        assert repr(found) == "<Diff: 1 added, 1 removed, 0 changed, 1 same>"


def test_a_table_has_columns_of_text() -> None:
    with diff(urlset_of("A"), urlset_of("B")) as found:
        schema = pa.RecordBatchReader.from_stream(found).schema
        assert schema.names == ["loc", "change", "old_lastmod", "new_lastmod", "fields"]
        assert [str(kind) for kind in schema.types[:4]] == ["string"] * 4
        assert schema.types[4].value_type == pa.string()
        polars: Any = import_module("polars")
        assert polars.DataFrame(found)["loc"].to_list() == ["A", "B"]
        with duckdb.connect() as connection:
            assert connection.execute("SELECT count(*), max(loc) FROM found").fetchall() == [(2, "B")]


def test_a_notebook_shows_the_first_changes_and_obeys_no_markup() -> None:
    new = xml(*((f"{SITE}/&lt;b&gt;{number:03}", "2026-01-02") for number in range(30)))
    found = diff(xml((f"{SITE}/old", None)), new)
    shown = found._repr_html_()
    assert shown.startswith("<div><p><strong>Diff: 30 added, 1 removed, 0 changed, 0 same</strong></p>")
    assert (shown.count("<tr>"), shown.count("&lt;b&gt;"), shown.count("<b>")) == (21, 20, 0)
    found.close()
    assert "<td>" not in found._repr_html_()


def test_a_closed_diff_keeps_its_counts_alone(scratch: Path) -> None:
    found = diff(urlset_of("A"), urlset_of(*map(str, range(25_000))))
    begun = iter(found)
    assert next(begun).loc == "0"
    assert len(list(scratch.iterdir())) == 1
    found.close()
    found.close()
    assert list(scratch.iterdir()) == []
    assert (found.added, found.removed, len(found)) == (25_000, 1, 25_001)
    for use in (lambda: iter(found), lambda: found.first(1), found.__arrow_c_stream__, lambda: list(begun)):
        with pytest.raises(InputError, match="the diff is closed"):
            use()


def test_a_forgotten_diff_leaves_nothing(scratch: Path) -> None:
    found = diff(urlset_of("A"), urlset_of("B"))
    assert len(list(scratch.iterdir())) == 1
    del found
    gc.collect()
    assert list(scratch.iterdir()) == []


def test_progress_counts_entries() -> None:
    said: list[urlset.Progress] = []
    with diff(urlset_of("A", "B"), urlset_of(*map(str, range(40_000))), progress=said.append):
        pass
    entries = [each.entries for each in said]
    assert entries == sorted(entries)
    assert said[-1] == urlset.Progress("documents", 2, 2, 40_002)


def test_an_error_in_progress_ends_the_diff(tmp_path: Path) -> None:
    names = [f"{number}.xml" for number in range(50)]
    for name in names:
        (tmp_path / name).write_bytes(urlset_of(name))
    (tmp_path / "sitemap.xml").write_bytes(index_of(*(SITE + name for name in names)))

    def enough(progress: urlset.Progress) -> None:
        if progress.entries > 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diff(tmp_path, tmp_path, progress=enough)


# --- more than memory holds ---------------------------------------------------------------------------------


def test_more_than_its_memory_is_spilled_and_still_exact(tmp_path: Path, scratch: Path) -> None:
    count, padding = 80_000, "x" * 1_500
    for side, day in (("old", 1), ("new", 2)):
        folder = tmp_path / side
        folder.mkdir()
        for part in range(6):
            # Each side in an order of its own, and every fiftieth page is the same.
            numbers = range(part, count, 6) if day == 1 else range(part * count // 6, (part + 1) * count // 6)
            rows = ((f"{SITE}{padding}{n:06}", f"2026-01-0{day if n % 50 else 1}") for n in numbers)
            (folder / f"{part}.xml.gz").write_bytes(gzip.compress(xml(*rows), 1))
        (folder / "sitemap.xml").write_bytes(index_of(*(f"{SITE}{part}.xml.gz" for part in range(6))))
    with diff(tmp_path / "old", tmp_path / "new", memory="200MB") as found:
        assert sum(path.stat().st_size for path in scratch.rglob("*") if path.is_file()) > 0
        assert (found.changed, found.same, found.added, found.removed) == (78_400, 1_600, 0, 0)
        changes = list(found)
        assert len(changes) == 78_400
        assert all(one.loc < two.loc for one, two in pairwise(changes))
        assert {(c.change, c.old_lastmod, c.new_lastmod) for c in changes} == {("changed", "2026-01-01", "2026-01-02")}
        assert not any(int(change.loc[-6:]) % 50 == 0 for change in changes)
        assert found.first(2) == changes[:2]


def test_many_changes_are_in_order() -> None:
    # More rows than DuckDB keeps in one group, so that several threads hand them out.
    locs = [f"{SITE}{number * 7_919 % 250_007}" for number in range(250_000)]
    with diff(urlset_of(), urlset_of(*locs)) as found:
        assert [change.loc for change in found] == sorted(locs)
        assert pa.RecordBatchReader.from_stream(found).read_all()["loc"].to_pylist() == sorted(locs)
        assert [change.loc for change in found.first(3)] == sorted(locs)[:3]


def test_a_set_with_every_entry_twice(tmp_path: Path) -> None:
    rows = [(f"{SITE}{number}", f"2026-01-{number % 28 + 1:02}") for number in range(60_000)]
    older = [(loc, "2025-12-31") for loc, _ in rows]
    lay(tmp_path, sitemap=index_of(SITE + "a.xml", SITE + "b.xml"), a=xml(*rows), b=xml(*older))
    with diff(xml(*rows), tmp_path) as found:
        assert (found.same, found.duplicates_new, found.duplicates_old, bool(found)) == (60_000, 60_000, 0, False)


def test_an_invalid_lastmod_is_compared_as_text() -> None:
    old = [("a", "yesterday"), ("b", "yesterday"), ("c", "yesterday"), ("d", "0000-01-01"), ("e", "2026-01-01")]
    new = [("a", "yesterday"), ("b", "today"), ("c", None), ("d", None), ("e", "2026-01-32")]
    with diff(xml(*old), xml(*new)) as found:
        assert [(change.loc, change.old_lastmod, change.new_lastmod) for change in found] == [
            ("b", "yesterday", "today"),
            ("c", "yesterday", None),
            ("d", "0000-01-01", None),
            ("e", "2026-01-01", "2026-01-32"),
        ]


def test_zones_of_every_kind_are_one_instant() -> None:
    zones = [timezone(timedelta(minutes=minutes)) for minutes in range(-14 * 60, 14 * 60 + 1, 45)]
    old = xml(*((f"{SITE}{at}", "2026-01-01T12:00:00Z") for at in range(len(zones))))
    noon = DAY + timedelta(hours=12)
    new = xml(*((f"{SITE}{at}", noon.astimezone(zone).isoformat()) for at, zone in enumerate(zones)))
    with diff(old, new) as found:
        assert (found.same, len(found)) == (len(zones), 0)
