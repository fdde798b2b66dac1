"""What the progress of a read says."""

from __future__ import annotations

from pathlib import Path

import pytest
import urlset
from urlset._cli.progress import Pace, duration


def test_a_pace_has_what_was_read_how_fast_and_what_is_left(tmp_path: Path) -> None:
    urlset.write(
        [urlset.SitemapEntry(f"https://a.example/{number}.xml") for number in range(4)], tmp_path / "sitemap.xml"
    )
    for number in range(4):
        urlset.write([f"https://a.example/{number}/{page}" for page in range(70_000 // 4)], tmp_path / f"{number}.xml")
    now = [10.0]
    scan = urlset.scan(tmp_path)
    pace = Pace(scan, lambda: now[0])
    assert pace() == "0 entries from 0 of 1 document, 0 bytes"
    seen = []
    for _ in scan.batches():
        now[0] += 5
        seen.append(pace())
    assert seen[-1].startswith("70,000 entries from 5 of 5 documents, ")
    assert seen[-1].endswith(f" MB, {70_000 / (now[0] - 10):,.0f} entries/s")
    assert any(" left" in said for said in seen) or len(seen) < 3


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3_600, "60 min"), (9_000, "2.5 h")]
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said
