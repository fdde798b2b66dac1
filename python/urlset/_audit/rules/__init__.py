"""The rules of an audit, each declared once, grouped by subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from urlset._audit.rules import answers, canonicals, contents, crawling, duplicates, languages, lastmods, validators
from urlset._audit.rules.declaration import LiveRule

_GROUPS: Final = (answers, canonicals, contents, crawling, duplicates, languages, lastmods, validators)

#: The rules by their codes.
RULES: Final[Mapping[str, LiveRule]] = {
    rule.code: rule for rule in sorted((rule for group in _GROUPS for rule in group.RULES), key=lambda rule: rule.code)
}
