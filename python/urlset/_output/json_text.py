"""JSON that is safe to print: it has no control characters for a terminal, and no unexpected line breaks."""

import json
import re
from typing import Any

# `json` escapes C0 itself. JSON allows these unescaped, but terminals act on them, or encoders refuse them.
_CONTROLS = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def dumps(value: Any, indent: int | None = None) -> str:
    """Return `value` as JSON, with escapes only for control characters and direction marks."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
