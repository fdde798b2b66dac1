"""What each vector says that a robots.txt disallows to whom, and by which line: whoever asks."""

from __future__ import annotations

import pytest
import urlset
from support.robots import ANSWERS, VECTORS
from urlset import _core

every_vector = pytest.mark.parametrize("name", ANSWERS)


@every_vector
def test_a_line_decides(name: str) -> None:
    robots = _core.Robots((VECTORS / f"{name}.txt").read_bytes())
    for each in ANSWERS[name]["verdicts"]:
        assert robots.crawler(each["agent"]).disallowing(each["url"]) == each["line"], each


@every_vector
def test_the_table_counts_the_same(name: str) -> None:
    data = (VECTORS / f"{name}.txt").read_bytes()
    for each in ANSWERS[name]["verdicts"]:
        table = urlset.robots(data, sitemaps=f"{each['url']}\n".encode())
        names = {found.agent.split("/")[0].split(" ")[0].lower(): found.pages for found in table.disallowed}
        agent = each["agent"].split("/")[0].lower()
        assert names.get(agent, names.get("*", 0)) == (each["line"] is not None), each
        if each["line"] is not None and agent in names:
            assert {line.line: line.listed for line in table}[each["line"]] == 1
