"""What answers say."""

from __future__ import annotations

import pytest
from urlset._fetch.answers import retry_after, validators
from urlset._fetch.exchange import ServerAnswer

NOW, BEFORE = "Wed, 25 Nov 2026 15:00:00 GMT", "Wed, 25 Nov 2026 14:59:59 GMT"
#: NOW in seconds since 1970, as nginx writes it.
SECOND = "6b06f7f0"


@pytest.mark.parametrize(
    ("etag", "modified", "date", "expected"),
    [
        ('"a1"', BEFORE, NOW, ('"a1"', BEFORE)),
        ('"a1"', NOW, NOW, ('"a1"', None)),
        (f'"{SECOND}-2f"', NOW, NOW, (None, None)),
        (f'W/"{SECOND}-2f"', NOW, NOW, (None, None)),
        (f'"{SECOND}-2f"', NOW, BEFORE, (None, None)),
        (f'"{SECOND}-2f"', BEFORE, NOW, (f'"{SECOND}-2f"', BEFORE)),
        (None, NOW, NOW, (None, None)),
        (None, NOW, None, (None, NOW)),
        ('"a1"', "yesterday", NOW, ('"a1"', "yesterday")),
        ('"a1"', NOW, "Wed, 99 Nov 99999 15:00:00 GMT", ('"a1"', NOW)),
        (None, None, NOW, (None, None)),
    ],
)
def test_only_validators_that_tell_versions_apart_are_kept(
    etag: str | None, modified: str | None, date: str | None, expected: tuple[str | None, str | None]
) -> None:
    given = {"etag": etag, "last-modified": modified, "date": date}
    headers = tuple((name, value) for name, value in given.items() if value is not None)
    assert validators(ServerAnswer(200, headers)) == expected


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5", 5.0),
        (" 5 ", 5.0),
        ("Mon, 01 Jan 2024 12:00:10 GMT", 10.0),
        ("Mon, 01 Jan 2024 12:00:10 -0000", 10.0),
        ("Monday, 01-Jan-24 12:00:10 GMT", 10.0),
        ("Mon, 01 Jan 2024 11:00:00 GMT", 0.0),
        ("-5", None),
        ("1.5", None),
        ("²", None),
        ("soon", None),
        ("Mon, 99 Jan 2024 12:00:10 GMT", None),
        ("", None),
    ],
)
def test_retry_after_is_a_number_or_a_date_or_ignored(text: str, seconds: float | None) -> None:
    headers = (("retry-after", text), ("date", "Mon, 01 Jan 2024 12:00:00 GMT"))
    assert retry_after(ServerAnswer(429, headers)) == seconds
