"""Front matter in YAML from single lines, and its lastmod."""

from __future__ import annotations

from urlset.sources.front_matter import FrontMatter, of_text


def of_yaml(*lines: str) -> FrontMatter:
    return of_text("\n".join(["---", *lines, "---", "", "# Text", "lastmod: 1999-01-01"]))


def lastmod(*lines: str) -> str | None:
    return of_yaml(*lines).lastmod
