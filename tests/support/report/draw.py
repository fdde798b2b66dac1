"""Draw docs/report.webp: the report of the site with planted faults that the tests audit, in a real Chromium.

`PYTHONPATH=tests .venv/bin/python tests/support/report/draw.py`, after a change of how reports look.
"""

from __future__ import annotations

import base64
import tempfile
from datetime import timedelta
from pathlib import Path

import urlset
from audit.conftest import planted_site
from audit.test_audit import HTTP, NOW

from support.chromium import Chromium

TARGET = Path(__file__).parents[3] / "docs" / "report.webp"
WIDTH = 1280


def main() -> None:
    """Audit the site twice, and take a picture of the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        state = folder / "shop.duckdb"
        with planted_site(folder, 600) as site:
            urlset.crawl(site.url, state=state, http=HTTP, now=NOW).close()
            urlset.audit(site.url, state=state, http=HTTP, now=NOW).close()
            site.change()
            with urlset.audit(site.url, state=state, http=HTTP, now=NOW + timedelta(days=7)) as audit:
                page = urlset.report(audit, folder / "report.html")
        page.write_text(page.read_text("utf-8").replace(site.url, "https://tea.example"), "utf-8")
        with Chromium.start() as chromium, chromium.page() as tab:
            tab.look(width=WIDTH)
            tab.load(page.as_uri())
            # The first rules are enough for a picture.
            tab.evaluate("document.querySelectorAll('.card:nth-of-type(n + 7)').forEach(card => card.remove())")
            end = tab.evaluate("document.getElementById('ages').getBoundingClientRect().bottom")
            tab.look(width=WIDTH, height=round(end) + 24)
            tab.draw()
            taken = tab.command("Page.captureScreenshot", {"format": "webp", "quality": 82})
            TARGET.write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    main()
