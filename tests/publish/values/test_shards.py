"""Ways of splitting a set, and what its documents are called."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urlset import InputError
from urlset._publish.values.shards import DERIVED, ShardBy, prefix, slug, stem

TEXTS = st.one_of(st.text(), st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True), st.sampled_from(DERIVED))


@pytest.mark.parametrize(
    "text", ["sticky", "hash:1", "hash:50000", "key:Some Column", "date:year", "date:month", "date:day", "path:8"]
)
def test_shard_by_prints_as_it_was_given(text: str) -> None:
    assert str(ShardBy.parse(text)) == text
    assert ShardBy.parse(ShardBy.parse(text)) == ShardBy.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "one of sticky, hash, key, date, path, sequence"),
        ("stick", "did you mean sticky"),
        ("sticky:1", "takes no argument"),
        ("sequence:", "takes no argument"),
        ("hash", "a number from 1 to 50,000, as in hash:16"),
        ("hash:0", "a number from 1"),
        ("hash:50001", "a number from 1"),
        ("hash:016", "a number from 1"),
        ("hash:1; DROP TABLE x", "a number from 1"),
        ("hash:٣", "a number from 1"),
        ("key:", "name the column"),
        ("date:week", "it is date:year, date:month or date:day"),
        ("path:9", "a number from 1 to 8"),
    ],
)
def test_what_is_no_way_of_splitting_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"^shard_by must .* got {re.escape(repr(text))}") as raised:
        ShardBy.parse(text)
    assert message in str(raised.value)


@pytest.mark.parametrize("text", ["tea", "2026-11", "a-b-c", "x" * 40, "0001", "index"])
def test_a_plain_text_is_its_own_name(text: str) -> None:
    assert slug(text) == text


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("Y z", "y-z-"),
        ("茶", ""),
        ("", ""),
        ("../../etc", "etc-"),
        ("a_b", "a-b-"),
        ("a--b", "a-b-"),
        ("x" * 41, "x" * 40 + "-"),
        ("news", "news-"),
        ("tea-0123456789abcdef", "tea-0123456789abcdef-"),
    ],
)
def test_any_other_text_becomes_a_digest_in_a_name(text: str, begin: str) -> None:
    assert re.fullmatch(re.escape(begin) + "[0-9a-f]{16}", slug(text))


@given(TEXTS)
def test_a_text_in_a_name_is_safe_anywhere(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(text))
    assert len(slug(text)) <= 57
    assert slug(text) not in DERIVED


@given(TEXTS, TEXTS)
def test_two_texts_have_two_names(one: str, other: str) -> None:
    assert (slug(one) == slug(other)) == (one == other)
    # Nor has a text that looks like the name of another one.
    assert slug(slug(one)) != slug(one) or slug(one) == one


@given(*[TEXTS] * 4)
def test_two_series_have_two_names(section: str, group: str, other_section: str, other_group: str) -> None:
    series = [(section, group), (other_section, other_group)]
    # Sections are named all or none, and no section has the name of a built-in one.
    for one, other in product(series, series):
        if bool(one[0]) == bool(other[0]):
            assert (prefix(*one) == prefix(*other)) == (one == other)
            assert (stem(prefix(*one), 12) == stem(prefix(*other), 12)) == (one == other)
        assert prefix(*one) not in DERIVED


def test_what_a_shard_is_called() -> None:
    assert stem(prefix("", ""), 1) == "0001"
    assert stem(prefix("products", ""), 12345) == "products-12345"
    assert stem(prefix("products", "2026-11"), 1) == "products_2026-11-0001"
    assert stem(prefix("", "tea"), 3) == "tea-0003"
