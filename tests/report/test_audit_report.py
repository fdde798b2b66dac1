"""The page of real audits of a site with planted faults, beside what the audit itself says."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import urlset
from audit.conftest import planted_site
from audit.test_audit import HTTP, NOW
from lxml import html
from urlset import InputError


def bars(page: Any, figure: str) -> dict[str, int]:
    """The sums of a figure's bars, by their marks or names."""
    found = {}
    for row in page.xpath(f"//section[@id='{figure}']//table[@class='bars']/tbody/tr"):
        marks = " ".join(row.xpath("td[@class='mark']/span/text()"))
        found[marks or row.find("th").text_content()] = int(row.xpath("td[last()]/text()")[0].replace(",", ""))
    return found


@pytest.mark.long
def test_a_page_says_what_the_audit_says(tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    with planted_site(tmp_path, 20) as site:
        urlset.crawl(site.url, state=state, http=HTTP, now=NOW).close()
        urlset.audit(site.url, state=state, http=HTTP, now=NOW).close()
        site.change()
        with urlset.audit(site.url, state=state, http=HTTP, now=NOW + timedelta(days=7)) as audit:
            path = urlset.report(audit, tmp_path / "report.html")
    with pytest.raises(InputError, match="the audit is closed"):
        urlset.report(audit, tmp_path / "late.html")
    assert urlset.report(state, tmp_path / "again.html").read_bytes() == path.read_bytes()
    page: Any = html.fromstring(path.read_bytes())
    counts: dict[tuple[str, str], int] = {}
    for each in audit.patterns:
        key = (each.code, each.verdict)
        counts[key] = counts.get(key, 0) + (each.count if each.state != "fixed" else 0)
    shown = {}
    for card in page.xpath("//details[@class='card']"):
        chip = card.xpath(".//span[starts-with(@class, 'chip')]")[0].text
        key = (card.xpath("summary//code")[0].text, "inconclusive" if chip == "inconclusive" else "found")
        shown[key] = int(card.xpath(".//span[@class='count']/text()")[0].replace(",", ""))
    assert shown == counts
    assert len(page.xpath("//noscript//tr[starts-with(@data-f, 'pattern')]")) == len(audit.patterns)
    [whole] = [each for each in audit.trust if each.section is None]
    assert sum(bars(page, "trust").values()) == whole.moved + whole.changed - whole.told
    [coverage] = [each for each in audit.coverage if each.section is None]
    kinds = bars(page, "coverage")
    listed = sum(count for marks, count in kinds.items() if marks.startswith("yes"))
    assert 0 < listed <= coverage.listed
    assert {"statuses", "calibration", "ages", "trust", "depth", "history", "paths"} <= {
        each.get("id") for each in page.xpath("//div[@class='grid']/section")
    }
