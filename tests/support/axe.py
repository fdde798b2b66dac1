"""What axe finds on a page: what a screen reader, or somebody who sees little, would miss."""

from __future__ import annotations

from importlib.metadata import files
from typing import Any

from support.chromium import Page

_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def violations(page: Page) -> list[Any]:
    """Each rule that the page breaks, with the elements that do. Fails if axe has looked at next to nothing."""
    [script] = [each for each in files("axe-core-python") or () if each.name == "axe.min.js"]
    page.evaluate(f"{script.read_text('utf-8')}; 0")
    said = "({violations: r.violations.map(v => [v.id, v.nodes.map(n => n.html)]), passes: r.passes.length})"
    found: dict[str, Any] = page.evaluate(f"axe.run(document, {{runOnly: {_TAGS}}}).then(r => {said})")
    assert found["passes"] > 20
    broken: list[Any] = found["violations"]
    return broken
