"""What `on_bad_value="fix"` writes is what `fix` makes of a document with the same faults; nothing else is touched."""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.properties import times
from support.write.unchecked import unchecked
from urlset import EntryError
from urlset._util.tempdirs import temporary_folder
from urlset.jobs import WriteJob

from write.test_judged import BASE, CASES, Row, errors_of, whole

#: The rules that are judged: those whose faults are refused, and the blanks without which a loc is one.
ERRORS = [
    *(rule.code for rule in urlset.rules() if rule.severity == "error" and rule.scope != "live"),
    "LOC008",
]
#: Faults that have a safe fix, by where they are in a row: the field, the value, and what is written.
FIXABLE: list[tuple[str, str, object, object]] = [
    ("row", "loc", BASE + "a b", BASE + "a%20b"),
    ("row", "loc", f"\ufeff{BASE}en\u200b", BASE + "en"),
    ("row", "lastmod", "2026/1/31", "2026-01-31"),
    ("row", "lastmod", "2026-01-31T08:00:00+0100", "2026-01-31T08:00:00+01:00"),
    ("row", "lastmod", "31 January 2026 08:00 GMT", "2026-01-31T08:00:00Z"),
    ("row", "changefreq", "Daily", "daily"),
    ("row", "priority", "0,5", 0.5),
    ("videos", "family_friendly", "true", "yes"),
    ("videos", "live", "0", "no"),
    ("videos", "restriction", "de,at", "DE AT"),
    ("videos", "platform", "Web TV", "web tv"),
    ("alternates", "hreflang", "zh_CN", "zh-CN"),
    ("news", "publication_language", "EN", "en"),
    ("news", "publication_language", "zh-Hant-TW", "zh-tw"),
]


def faulty(place: str, name: str, value: object) -> Row:
    row = whole()
    item = row if place == "row" else row[place] if place == "news" else row[place][0]
    item[name] = value
    if name in ("restriction", "platform"):
        item[f"{name}_relationship"] = "allow"
    return row


def written(rows: list[Row], **options: Any) -> tuple[bytes, urlset.Written]:
    buffer = io.BytesIO()
    found = urlset.write(rows, buffer, on_error="collect", **options)
    return buffer.getvalue(), found


JUDGED = urlset.Rules(profile="protocol", select=ERRORS)


def fixed_by_lint(row: Row) -> bytes:
    return urlset.fix(unchecked(row), rules=JUDGED).data


def is_faulty(row: Row) -> bool:
    return bool(urlset.lint(unchecked(row), rules=JUDGED).diagnostics)


@pytest.mark.parametrize(("place", "name", "value", "fixed"), FIXABLE)
def test_what_has_a_safe_fix_is_repaired_and_reported(place: str, name: str, value: object, fixed: object) -> None:
    row = faulty(place, name, value)
    with pytest.raises(EntryError) as refused:
        urlset.write([row], io.BytesIO())
    xml, found = written([{"loc": BASE}, row], on_bad_value="fix")
    assert xml == written([{"loc": BASE}, faulty(place, name, fixed)])[0]
    assert (found.refused, found.corrected) == (0, 1)
    [correction] = found.corrections
    assert found.corrected_by_code == {correction.code: 1}
    assert (correction.row, correction.loc) == (2, row["loc"])
    assert correction.code in (refused.value.code, "LOC008")
    if name not in ("loc", "priority"):
        place = {"row": "", "news": "news."}.get(place, f"{place}[0].")
        assert correction.reason.startswith(f"{place}{name}: ")
        assert correction.reason.endswith(f'; it is written as "{fixed}"')


@pytest.mark.parametrize(("code", "row"), [(code, row) for code, _, row in CASES if code != "XML007"])
def test_a_row_is_repaired_if_fix_repairs_its_document_and_else_refused(code: str, row: Row) -> None:
    xml, found = written([{"loc": BASE}, row], on_bad_value="fix")
    document = fixed_by_lint(row)
    if errors_of(document):
        assert (found.refused, found.corrected) == (1, 0), code
        return
    assert (found.refused, found.corrected) == (0, 1)
    assert list(urlset.parse(xml))[1:] == list(urlset.parse(document))


_BAD = st.sampled_from([(place, name, value) for place, name, value, _ in FIXABLE])


@st.composite
def _rows(draw: st.DrawFn) -> Row:
    """A row with up to five faults, with and without fixes."""
    row = whole()
    for place, name, value in draw(st.lists(_BAD, max_size=4)):
        other = faulty(place, name, value)
        if place == "row":
            row[name] = other[name]
        elif draw(st.booleans()):
            row[place] = other[place]
    if draw(st.integers(0, 3)) == 0:
        _, _, other = draw(st.sampled_from([case for case in CASES if case[0] not in ("XML007", "LOC001")]))
        name = draw(st.sampled_from(sorted(row)))
        row[name] = copy.deepcopy(other.get(name))
    return row


@given(rows=st.lists(_rows(), min_size=1, max_size=4))
@times(150)
def test_what_is_repaired_is_what_fix_makes_of_the_document(rows: list[Row]) -> None:
    xml, found = written([{"loc": BASE}, *rows], on_bad_value="fix")
    assert errors_of(xml) == []
    entries = iter(list(urlset.parse(xml))[1:])
    refused = {error.row - 2 for error in found.refusals}
    corrected = {error.row - 2 for error in found.corrections}
    for at, row in enumerate(rows):
        document = fixed_by_lint(row)
        assert (at in refused) == bool(errors_of(document)), (row, errors_of(document))
        if at not in refused:
            assert [next(entries)] == list(urlset.parse(document))
            assert (at in corrected) == is_faulty(row)
    assert next(entries, None) is None


@given(rows=st.lists(_rows(), min_size=1, max_size=4))
@times(30)
def test_publish_and_jobs_repair_what_write_repairs(rows: list[Row]) -> None:
    """But for what they take as it is meant: URLs, and times as databases print them."""
    rows = [{**row, "loc": f"{BASE}{number}"} for number, row in enumerate(rows)]
    rows = [row for row in rows if "+0100" not in str(row["lastmod"])]
    _, found = written([{"loc": BASE}, *rows], on_bad_value="fix")
    checks = urlset.Checks(on_bad_value="fix", on_error="collect", allow=["one-lastmod", "future"])
    with temporary_folder() as folder, temporary_folder() as other:
        published = urlset.publish([{"loc": BASE}, *rows], folder, base_url=BASE, checks=checks)
        job = WriteJob(other, base_url=BASE, checks=checks)
        by_job = job.commit([job.write_part([{"loc": BASE}, *rows], 0)])
        refused = {error.row for error in published.refusals}
        said = {(error.row, error.code, error.reason) for error in found.corrections if error.row not in refused}
        assert said <= {(error.row, error.code, error.reason) for error in published.corrections}
        said_by_job = [(error.row, error.code, error.reason) for error in by_job.corrections]
        assert said_by_job == [(error.row, error.code, error.reason) for error in published.corrections]
        assert list(urlset.read(folder)) == list(urlset.read(other))
        assert not any(found.severity == "error" for found in urlset.lint(folder, location=BASE + "sitemap.xml"))


@given(count=st.integers(1, 5))
@times(10)
def test_rows_without_faults_are_written_as_they_are(count: int) -> None:
    rows = [{**whole(), "loc": f"{BASE}en?{number}"} for number in range(count)]
    xml, found = written(rows, on_bad_value="fix")
    assert (xml, found.corrected) == (written(rows)[0], 0)


def test_what_is_dropped_by_write_is_what_publish_drops() -> None:
    rows = [{"loc": BASE}, faulty("videos", "live", "often"), faulty("row", "lastmod", "soon")]
    xml, found = written(rows, on_bad_value="drop")
    assert errors_of(xml) == []
    assert (found.entries, found.corrected_by_code) == (3, {"VID006": 1, "MOD001": 1})


def test_an_unknown_value_of_the_option_is_refused() -> None:
    with pytest.raises(urlset.InputError, match="on_bad_value must be 'refuse', 'drop' or 'fix', got 'repair'"):
        urlset.write([BASE], io.BytesIO(), on_bad_value="repair")  # type: ignore[arg-type]
