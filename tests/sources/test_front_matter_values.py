"""Which value in front matter is the date of the page: by name, by spelling, and by position."""

from __future__ import annotations

import json

import pytest
from support.sources.front_matter import lastmod, of_yaml
from urlset.sources.front_matter import CHANGED, PUBLISHED, FrontMatter, of_text

# --- names --------------------------------------------------------------------------------------------------


def test_the_first_name_of_the_list_counts_wherever_it_stands() -> None:
    keys = [*CHANGED, *PUBLISHED]
    lines = [f"{key}: 2026-01-{number + 1:02}" for number, key in enumerate(keys)]
    for number in range(len(keys)):
        found = of_yaml(*reversed(lines[number:]))
        assert found == FrontMatter(f"2026-01-{number + 1:02}", keys[number])


@pytest.mark.parametrize(
    "key",
    [
        *("lastmod", "lastMod", "Lastmod", "last_modified_at", "last-modified-at", "lastModified", "lastUpdated"),
        *(
            "updated",
            "updatedAt",
            "updatedDate",
            "modified",
            "dateModified",
            "Date",
            "pubDate",
            "pubdate",
            "PublishDate",
        ),
    ],
)
def test_a_name_may_be_spelled_in_many_ways(key: str) -> None:
    assert of_yaml(f"{key}: 2026-01-31") == FrontMatter("2026-01-31", key)


@pytest.mark.parametrize("key", ["lastmods", "my_date", "dates", "expiryDate", "created", "update", "last"])
def test_other_names_are_ignored(key: str) -> None:
    assert of_yaml(f"{key}: 2026-01-31") == FrontMatter()


def test_an_invalid_date_is_not_replaced_by_another_name() -> None:
    found = of_yaml("date: 2020-01-01", "lastmod: last week", "draft: on")
    assert found == FrontMatter(None, "lastmod", is_draft=True, bad="lastmod must be a date, got 'last week'")


@pytest.mark.parametrize("value", ["", "~", "null", "false", "true", "no", "'' # none", "# none", "|", ">- # none"])
def test_a_blank_or_boolean_value_is_ignored(value: str) -> None:
    assert of_yaml(f"lastUpdated: {value}", "date: 2026-01-31") == FrontMatter("2026-01-31", "date")


def test_the_last_of_two_values_of_the_same_name_counts() -> None:
    assert lastmod("lastmod: 2026-01-30", "lastmod: 2026-01-31") == "2026-01-31"


@pytest.mark.parametrize(
    ("line", "is_draft"),
    [
        *(("draft: true", True), ("draft: Yes", True), ("draft: 'true' # for now", True), ("Draft: on", True)),
        *(
            ("draft: false", False),
            ("draft:", False),
            ("draft: 1", False),
            ("draft: maybe", False),
            ("title: draft", False),
        ),
        *(("published: false", True), ("published: true", False), ("published: 2026-01-31", False)),
    ],
)
def test_a_draft_is_recognized(line: str, is_draft: bool) -> None:
    assert of_yaml(line).is_draft is is_draft


def test_a_draft_is_recognized_in_each_format() -> None:
    assert of_text('{"draft": true}').is_draft
    assert of_text("+++\npublished = false\n+++").is_draft
    assert not of_text('{"draft": 1, "published": 0}').is_draft


# --- dates --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-31", "2026-01-31"),
        ("2026-1-5", "2026-01-05"),
        ("2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z"),
        ("2026-01-31t10:00:00z", "2026-01-31T10:00:00Z"),
        ("2026-01-31 10:00:00 +01:00", "2026-01-31T10:00:00+01:00"),
        ("2026-01-31 10:00:00 +0100", "2026-01-31T10:00:00+01:00"),
        ("2026-01-31 10:00:00 -5", "2026-01-31T10:00:00-05:00"),
        ("2026-01-31 10:00:00 -05", "2026-01-31T10:00:00-05:00"),
        ("2026-01-31 9:00:00 -5:30", "2026-01-31T09:00:00-05:30"),
        ("2026-01-31   10:00:00.250   Z", "2026-01-31T10:00:00.250Z"),
        ("2026-01-31 10:00:00.Z", "2026-01-31T10:00:00Z"),
        ("2026-01-31T10:00Z", "2026-01-31T10:00:00Z"),
        ("2026-01-31T10:00:00", "2026-01-31"),
        ("2026-01-31 23:59", "2026-01-31"),
    ],
)
def test_a_date_is_returned_as_in_a_sitemap(value: str, expected: str) -> None:
    for text in (
        value,
        f'"{value}"',
        f"'{value}'",
        f"{value} # so",
        f'"{value}"  # "so"',
        f"!!str {value}",
        f"&a {value}  ",
    ):
        assert lastmod(f"lastmod: {text}") == expected
    assert lastmod("lastmod:", f"  {value}", "title: x") == expected
    assert lastmod("lastmod: >- # so", f"  {value}", "", "title: x") == expected
    assert of_text(json.dumps({"lastmod": value})).lastmod == expected
    assert of_text(f"+++\nlastmod = '{value}'\n+++").lastmod == expected


@pytest.mark.parametrize(
    "value",
    [
        *("yesterday", "2026", "2026-01", "20260131", "1769817600", "31.01.2026", "01/31/2026", "Jan 31 2026", "now()"),
        *("2026-02-30", "2026-13-01", "0000-01-01", "2026-01-31T25:00:00Z", "2026-01-31T10:00:60Z", "2026-01-31T10Z"),
        *("2026-01-31T10:00:00+25:00", "2026-01-31T10:00:00+130", "2026-01-31T10:00:00+01:60", "2026-01-31 10:00 UTC"),
        *("2026-01-31T10:00:00,5Z", "2026-01-31Z", "٢٠٢٦-01-31", "0001-01-01T00:00:00+01:00", "{{ date }}", "*anchor"),
        *("[2026-01-31]", "{a: 2026-01-31}", "|x", "2026-01-31, 2026-02-01", '"2026-01-31', "'2026-01-31\\n'"),
    ],
)
def test_an_invalid_date_is_reported_and_not_guessed(value: str) -> None:
    found = of_yaml(f"lastmod: {value}")
    assert (found.lastmod, found.key) == (None, "lastmod")
    assert found.bad is not None
    assert found.bad.startswith("lastmod must be a date, got ")


@pytest.mark.parametrize(
    "value", ["1769817600", "1.5", "[2026-01-31]", "{a = 2026-01-31}", "10:00:00", "0x" + "f" * 9999]
)
def test_a_toml_value_that_is_not_a_date_is_reported(value: str) -> None:
    found = of_text(f"+++\nlastmod = {value}\n+++")
    assert found.bad is not None
    assert found.bad.startswith("lastmod must be a date, got ")


def test_a_long_value_is_shortened_in_the_message() -> None:
    assert len(of_yaml("lastmod: " + "x" * 50_000).bad or "") < 150
    assert len(of_yaml("last" + "-" * 50_000 + "mod: x").bad or "") < 250


# --- what is nested -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ["params:", "  lastmod: 2026-01-31"],
        ["params:", "\tlastmod: 2026-01-31"],
        ["params: {", "lastmod: 2026-01-31", "}"],
        ["params: [a, {b: 'x]',", "lastmod: 2026-01-31", "}]"],
        ["- lastmod: 2026-01-31"],
        ["posts:", "- title: a", "  lastmod: 2026-01-31", "- lastmod: 2026-01-31"],
        ["text: |", "  a", "", "  lastmod: 2026-01-31"],
        ["text: 'it''s", "lastmod: 2026-01-31", "so'"],
        ['text: "a \\"', "lastmod: 2026-01-31", '"'],
        ["# lastmod: 2026-01-31"],
        ["title: x # ", "#lastmod: 2026-01-31"],
        ["lastmod:2026-01-31"],
        ["[", "lastmod: 2026-01-31", "]"],
    ],
)
def test_nested_values_are_ignored(lines: list[str]) -> None:
    assert of_yaml(*lines) == FrontMatter()


@pytest.mark.parametrize(
    "lines",
    [
        ["lastmod:", "  date: 2026-01-31"],
        ["lastmod:", "  - 2026-01-31"],
        ["lastmod:", "- 2026-01-31"],
        ["lastmod:", "-", "  2026-01-31"],
        ["lastmod: |", "  2026-01-31", "  10:00:00Z"],
        ["lastmod: >-", "  2026-01-31 # no comment"],
        ["lastmod: 2026-01-31", "  and more"],
        ["lastmod: 2026-01-31", "", "  10:00:00Z"],
    ],
)
def test_a_date_inside_a_nested_value_is_ignored(lines: list[str]) -> None:
    assert of_yaml(*lines, "date: 2020-01-01").bad is not None


@pytest.mark.parametrize(
    "lines",
    [
        ["tags: [", "  a,", "]"],
        ["tags:", "- a", '- "b: c"', "-"],
        ["title: don't", "text: a {b [c"],
        ["title: 'a' # don't", "tags: [a] # {"],
        ['"quoted": "a', '  b"'],
        ["? complex", ": value"],
        ["text: |", "  'a", '  "b', "  [c"],
        ["tags: [it's, 'a]', \"b}\"]"],
        ["tags: [ # [", "a]"],
        ["tags: [it's]"],
        ["", "# comment", "  "],
    ],
)
def test_values_before_a_date_do_not_hide_it(lines: list[str]) -> None:
    assert lastmod(*lines, "lastmod: 2026-01-31", "# end") == "2026-01-31"
    assert lastmod(*lines, "'lastmod' : 2026-01-31") == "2026-01-31"


def test_only_the_top_level_of_toml_and_json_is_read() -> None:
    assert of_text("+++\n[extra]\nupdated = 2026-01-31\n+++") == FrontMatter()
    assert of_text('{"extra": {"updated": "2026-01-31"}}') == FrontMatter()
    assert of_text("+++\nlastmod." + "a." * 90 + "a = 1\n+++").bad == "lastmod must be a date, got dict"
