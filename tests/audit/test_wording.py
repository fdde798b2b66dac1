"""What a finding says where its detail is more than an example."""

from __future__ import annotations

from urlset._audit.wording import words

LOC = "https://shop.example/private/tea"


def test_a_reason_without_a_detail_stands_alone() -> None:
    message, help_text = words("LIVE011", "inconclusive", "robots", 2, LOC, None)
    assert message == (
        f"not judged: 2 listed pages, because robots.txt disallows it for this client (robots), such as {LOC}"
    )
    assert "--ignore-robots" in help_text


def test_the_longest_beginning_of_a_pattern_is_the_reason() -> None:
    detail = "not fetched, because its https://shop.example/robots.txt cannot be read (status 503)"
    message, help_text = words("LIVE011", "inconclusive", "robots unread", 1, LOC, detail)
    assert message.startswith("not judged: 1 listed page, because robots.txt cannot be read (")
    assert message.endswith(f"{LOC} ({detail})")
    assert help_text == "answer 200 or 404 for robots.txt: crawlers stay away until then"


def test_a_pattern_without_a_reason_of_its_own_has_the_reason_of_all_others() -> None:
    message, help_text = words("LIVE011", "inconclusive", "something new 299", 1, LOC, None)
    assert message == f"not judged: 1 listed page, because the answer cannot be used (something new 299), {LOC}"
    assert help_text == "see what the detail says"
