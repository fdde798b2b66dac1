"""What a finding says."""

from __future__ import annotations

from urlset._audit.wording import words


def test_a_reason_without_a_detail_stands_alone() -> None:
    message, help_text = words("LIVE011", "inconclusive", "robots", 2)
    assert message == "not judged: 2 listed pages, because robots.txt disallows it for this client (robots)"
    assert "--ignore-robots" in help_text


def test_the_longest_beginning_of_a_pattern_is_the_reason() -> None:
    message, help_text = words("LIVE011", "inconclusive", "robots unread", 1)
    assert message == "not judged: 1 listed page, because robots.txt cannot be read (robots unread)"
    assert help_text == "answer 200 or 404 for robots.txt: crawlers stay away until then"


def test_a_pattern_without_a_reason_of_its_own_has_the_reason_of_all_others() -> None:
    message, help_text = words("LIVE011", "inconclusive", "something new 299", 1)
    assert message == "not judged: 1 listed page, because the answer cannot be used (something new 299)"
    assert help_text == "see what the detail says"
