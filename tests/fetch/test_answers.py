"""What answers say."""

from __future__ import annotations

import pytest
from urlset._fetch.answers import validators
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
