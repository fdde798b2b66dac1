"""What a finding says."""

from __future__ import annotations

from urlset._audit.wording import words


def test_a_reason_without_a_detail_stands_alone() -> None:
    message, help_text = words("LIVE011", "inconclusive", "robots", 2)
    assert message == "not judged: 2 listed pages, because robots.txt disallows it for this client"
    assert "--ignore-robots" in help_text


def test_what_auditors_say() -> None:
    """In the words of the field, with the status: `is 404`, `blocks this client (403)`, `200 instead of 304`."""
    assert words("LIVE001", "found", "404 /…", 1)[0] == "1 listed page is 404: /…"
    assert words("LIVE002", "found", "503 /tea/…", 3)[0] == "3 listed pages are 503: /tea/…"
    blocked = words("LIVE011", "inconclusive", "bot challenge 403", 2)[0]
    assert blocked == "not judged: 2 listed pages, because the server blocks this client (403)"
    assert "answers 304 Not Modified although its content has changed" in words("LIVE018", "found", "/…", 1)[0]
    assert "answers 200 instead of 304 although the ETag matches" in words("LIVE020", "found", "/…", 1)[0]


def test_the_longest_beginning_of_a_pattern_is_the_reason() -> None:
    message, help_text = words("LIVE011", "inconclusive", "robots unread", 1)
    assert message == "not judged: 1 listed page, because robots.txt cannot be read"
    assert help_text == "answer 200 or 404 for robots.txt: crawlers stay away until then"


def test_a_pattern_without_a_reason_of_its_own_has_the_reason_of_all_others() -> None:
    message, help_text = words("LIVE011", "inconclusive", "something new 299", 1)
    assert message == "not judged: 1 listed page, because the answer cannot be used (something new 299)"
    assert help_text == "see what the detail says"
