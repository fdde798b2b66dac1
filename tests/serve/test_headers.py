"""What headers ask for: whatever a stranger sends has a meaning, or none, and is never an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urlset._serve.answers import DECIDING, Asked, Selected, complete, select
from urlset._serve.headers import accepts_gzip, byte_range, http_date, is_later, is_matched
from urlset._serve.served import ServedFile

FILE = ServedFile("sitemap.xml", "a" * 64, 1000, 1_000_000_000)
#: Texts that are nearly what the headers hold.
NEARLY = st.lists(
    st.sampled_from(
        [*'*,;=-"/ \t\xff', "W/", "gzip", "identity", "q", "0", "1", "0.5", "bytes", "999", f'"{"a" * 32}"', "GMT"]
    ),
    max_size=12,
).map("".join)
VALUES = NEARLY | st.text(st.characters(max_codepoint=255), max_size=40)


@given(VALUES, st.integers(0, 2000))
def test_a_range_is_inside_of_the_file_or_none_at_all(value: str, size: int) -> None:
    found = byte_range(value, size)
    assert found is None or 0 <= found[0] <= found[1] <= size


@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 100))
def test_a_range_has_the_bytes_that_are_asked_for(first: int, last: int, size: int) -> None:
    data = bytes(size)
    found = byte_range(f"bytes={first}-{last}", size)
    assert (found is None) is (last < first)
    assert found is None or data[slice(*found)] == data[first : last + 1]


@given(st.sampled_from(["GET", "HEAD", "POST"]), st.dictionaries(st.sampled_from(DECIDING), VALUES))
def test_any_request_has_an_answer(method: str, headers: dict[str, str]) -> None:
    found = select(FILE, Asked(method, "/sitemap.xml", headers), 2_000_000_000)
    if isinstance(found, Selected):
        status, fields, start, end = complete(found, 1000)
        assert (status in (200, 206)) is (start < end)
        assert dict(fields)["Content-Length"] == str(end - start)
    else:
        assert found.status in (304, 405, 412)


@given(VALUES, st.integers(0, 4_000_000_000))
def test_any_text_is_a_date_or_none(value: str, seconds: int) -> None:
    is_later(seconds, value)
    assert not is_later(seconds, http_date(seconds))
    assert is_later(seconds + 1, http_date(seconds))


@given(VALUES)
def test_who_refuses_gzip_does_not_get_it(value: str) -> None:
    assert accepts_gzip(value) in (True, False)
    assert not accepts_gzip(f"gzip;q=0,{value.replace('gzip', '')}")


@pytest.mark.parametrize(("tags", "is_weak", "expected"), [('W/"a"', True, True), ('W/"a"', False, False)])
def test_weak_tags_count_where_they_may(tags: str, is_weak: bool, expected: bool) -> None:
    assert is_matched(tags, '"a"', is_weak=is_weak) is expected


def test_a_time_counts_once_it_is_past() -> None:
    asked = Asked("GET", "/sitemap.xml", {"if-modified-since": http_date(1_000_000_000)})
    assert isinstance(select(FILE, asked, 1_000_000_001), Selected)
    assert not isinstance(select(FILE, asked, 1_000_000_002), Selected)
