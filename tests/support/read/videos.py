"""Videos and news: the vectors that have every field, and what they must have to be written."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import urlset

LOC = "https://example.com/"
VECTORS = Path(__file__).parents[3] / "vectors" / "google"
FULL = (VECTORS / "video-fields.xml").read_bytes()
ARTICLES = (VECTORS / "news-fields.xml").read_bytes()
REQUIRED: dict[str, Any] = {
    "thumbnail_loc": "http://a.example/t.jpg",
    "title": "A title",
    "description": "A description",
    "content_loc": "http://a.example/v.mp4",
}
"""What a video has to have to be written."""
REQUIRED_NEWS: dict[str, Any] = {
    "publication_name": "The Times",
    "publication_language": "en",
    "publication_date": "2026-01-31",
    "title": "A title",
}
"""What an article has to have to be written."""


def written(rows: Any, **options: Any) -> bytes:
    """The bytes that `write` gives for the rows."""
    buffer = io.BytesIO()
    urlset.write(rows, buffer, **options)
    return buffer.getvalue()
