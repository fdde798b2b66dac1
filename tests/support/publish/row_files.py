"""What the tests of known files of rows share: publishing such a file, with its rows read and without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import urlset
from urlset import Publication
from urlset._publish import pipeline
from urlset._publish.rows import ingest
from urlset.sources.files import rows

from support.documents import tree
from support.publish import BASE, DAY
from support.publish.grouped import grouped

INPUT = ".urlset/input.json"
CSV = "loc,lastmod,priority\n/a,2023-01-02,0.5\n/b/,2023-01-03,\n/é,,0.7\nhttps://example.com/d,,\n/e,2023,1.0\n"


@contextmanager
def reads() -> Iterator[list[bool]]:
    """Notes each time that rows are read."""
    found: list[bool] = []
    collect = ingest.collect

    def noted(*arguments: Any, **options: Any) -> Any:
        found.append(True)
        return collect(*arguments, **options)

    with patch.object(pipeline, "collect", noted):
        yield found


def publish(source: Path | list[Path], folder: Path, day: int = 1, **options: Any) -> Publication:
    """Publishes a file of rows, or several."""
    given = {name: options.pop(name) for name in ("columns", "keep", "encoding") if name in options}
    with rows(source if isinstance(source, list) else [source], **given) as found:
        return urlset.publish(
            found,
            folder,
            **grouped({"base_url": BASE, "now": DAY[day - 1], "allow": ["shrunk", "base-url"], **options}),
        )


def slowly(*arguments: Any, **options: Any) -> Publication:
    """Publishes as if nothing was known of any file."""
    with patch.object(pipeline, "known_files", lambda *_: None):
        return publish(*arguments, **options)


def is_read(*arguments: Any, **options: Any) -> bool:
    """Publishes, and says whether the rows were read."""
    with reads() as found:
        publish(*arguments, **options)
    return bool(found)


def said(publication: Publication) -> tuple[Publication, list[str]]:
    """What a publish says, without where that was; errors equal none but themselves."""
    errors = [str(error) for error in publication.refusals + publication.corrections]
    return replace(publication, location="", refusals=(), corrections=()), errors


def published(folder: Path) -> dict[str, bytes]:
    """All files of a set but the record."""
    return {name: data for name, data in tree(folder).items() if name != INPUT}
