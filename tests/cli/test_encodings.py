"""Consoles whose encoding lacks characters: those of Windows, and of minimal containers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.cli import Cli
from urlset._cli.verbs import VERBS

Put = Callable[[str, str | bytes], Path]

SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/caf\u00e9</loc></url>
<url><loc>http://example.com/\u05e9</loc></url>
</urlset>
"""


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_pictures_are_of_characters_that_there_are(cli: Cli, put: Put, encoding: str) -> None:
    put("sitemap.xml", SITEMAP)
    ended = cli("stats", "sitemap.xml", PYTHONIOENCODING=encoding)
    assert ended.code == 0
    assert "  2  ################################\n" in ended.out
    assert "\\u" not in ended.out


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_helps_are_printed(cli: Cli, verb: str) -> None:
    ended = cli(verb, "--help", PYTHONIOENCODING="ascii")
    assert (ended.code, ended.err) == (0, "")
    assert "\\u" not in ended.out
    assert "\\x" not in ended.out


@pytest.mark.parametrize("form", ["full", "concise", "json", "github", "statistics"])
def test_a_character_of_a_stranger_is_escaped(cli: Cli, put: Put, form: str) -> None:
    put("sitemap.xml", SITEMAP)
    ended = cli("lint", "sitemap.xml", "--format", form, "--select", "ALL", PYTHONIOENCODING="ascii")
    assert ended.code in (0, 1), ended.err


def test_rows_are_utf_8_whatever_the_console_has(cli: Cli, put: Put) -> None:
    put("sitemap.xml", SITEMAP)
    ended = cli("read", "sitemap.xml", "--columns", "loc", "--format", "csv", PYTHONIOENCODING="cp1252")
    assert ended.out == "loc\nhttps://example.com/caf\u00e9\nhttp://example.com/\u05e9\n"
