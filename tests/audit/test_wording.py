"""What a finding says where its detail is more than an example."""

from __future__ import annotations

from urlset._audit.wording import words

LOC = "https://shop.example/private/tea"


def test_what_robots_txt_disallows_is_said_once() -> None:
    detail = (
        "not fetched, because https://shop.example/robots.txt disallows it for urlset (for a site of your own: ...)"
    )
    message, help_text = words("LIVE011", "inconclusive", "robots", 2, LOC, detail)
    assert message == (
        f"not judged: 2 listed pages, because robots.txt disallows it for this client (robots), such as {LOC}"
    )
    assert "--ignore-robots" in help_text


def test_a_robots_txt_that_cannot_be_read_is_said_to_be_so() -> None:
    detail = "not fetched, because its https://shop.example/robots.txt cannot be read (status 503)"
    message, help_text = words("LIVE011", "inconclusive", "robots", 1, LOC, detail)
    assert message.startswith("not judged: 1 listed page, because robots.txt cannot be read (")
    assert message.endswith(f"{LOC} ({detail})")
    assert help_text == "answer 200 or 404 for robots.txt: crawlers stay away until then"
