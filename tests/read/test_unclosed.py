"""What is never closed costs what it hides and no more; expat says that none of these documents is well-formed."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from xml.parsers import expat

import pytest
import urlset
from urlset import UrlsetError

ROOT = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
PAGES = "".join(f"<url><loc>https://a.example/{number}</loc></url>" for number in range(3))


@pytest.mark.parametrize(
    ("document", "remedy"),
    [
        (f'<?xml version="1.0" encoding="UTF-8">{ROOT}{PAGES}</urlset>', "`?>`"),
        (f'<?xml version="1.0"?><?xml-stylesheet href="a.xsl">{ROOT}{PAGES}</urlset>', "`?>`"),
        (f"<!-- x {ROOT}{PAGES}</urlset>", "`-->`"),
        (f"{ROOT}<!-- x ->{PAGES}<!-- y --></urlset>", "`-->`"),
        (f"{ROOT[:-2]}>{PAGES}</urlset>", '`"`'),
    ],
)
def test_what_follows_is_read_and_the_finding_names_the_remedy(document: str, remedy: str) -> None:
    with pytest.raises(expat.ExpatError):
        expat.ParserCreate().Parse(document, True)
    entries = urlset.read(document.encode())
    assert [entry.loc for entry in entries] == [f"https://a.example/{number}" for number in range(3)]
    assert entries.completeness == "recovered"
    assert any(remedy in finding.message for finding in urlset.lint(document.encode()))


@pytest.mark.parametrize(
    "part", ["<![CDATA[<url>", "<!-- <url>", "<other><url/>", "<? <url>", "<url><loc><![CDATA[x</loc>", '<url a="<url>']
)
def test_many_of_them_are_read_in_linear_time(part: str) -> None:
    def seconds(length: int) -> float:
        document = (ROOT + part * (length // len(part)) + "</urlset>").encode()
        begin = time.process_time()
        with contextlib.suppress(UrlsetError):
            urlset.read(document)
        return time.process_time() - begin

    few, many = (min(seconds(length) for _ in range(3)) for length in (100_000, 800_000))
    assert many < 30 * few + 0.5


def test_a_remark_behind_a_url_is_not_encoded_into_it_unasked(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.txt"
    path.write_text("https://a.example/1 and prose\nhttps://a.example/my page.html\n")
    [unsafe, safe] = [finding for finding in urlset.lint(path) if finding.code == "LOC004"]
    assert unsafe.fix is not None
    assert safe.fix is not None
    assert (unsafe.fix.safety, safe.fix.safety) == ("unsafe", "safe")
