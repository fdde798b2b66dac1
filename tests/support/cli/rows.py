"""Two entries, in every form that rows can have."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import duckdb
from urlset import Alternate, Image, UrlEntry

IMAGES = '[{"loc":"https://example.com/1.jpg"},"https://example.com/2.jpg"]'
ALTERNATES = '[{"hreflang":"de","href":"https://example.com/de"}]'
LOC = "https://example.com/1?a=1&b=é"
WHOLE = UrlEntry(
    "https://example.com/1?a=1&b=%C3%A9",
    lastmod="2024-01-02",
    changefreq="daily",
    priority=0.5,
    images=(Image("https://example.com/1.jpg"), Image("https://example.com/2.jpg")),
    alternates=(Alternate("de", "https://example.com/de"),),
)
BARE = UrlEntry("https://example.com/2")


def as_csv(delimiter: str = ",", line_end: str = "\n") -> str:
    """The two entries, nested columns as JSON."""
    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter, lineterminator=line_end)
    rows.writerow(["loc", "lastmod", "changefreq", "priority", "images", "alternates"])
    rows.writerow([LOC, "2024-01-02", "daily", "0.5", IMAGES, ALTERNATES])
    rows.writerow([BARE.loc, "", "", "", "", ""])
    return text.getvalue()


def as_jsonl() -> str:
    """The two entries, a blank line between them."""
    first = (
        f'{{"loc":"{LOC}","lastmod":"2024-01-02","changefreq":"daily","priority":0.5,'
        f'"images":{IMAGES},"alternates":{ALTERNATES}}}'
    )
    return f'{first}\n\n{{"loc":"{BARE.loc}","images":null}}\n'


def as_parquet(path: Path, select: str) -> None:
    """A Parquet file of what the query selects."""
    target = str(path).replace("'", "''")
    duckdb.execute(f"COPY ({select}) TO '{target}' (FORMAT parquet)")
