"""JSON that is safe to look at: nothing in it is obeyed by a terminal, and no line of it breaks."""

import json
import re
from typing import Any

# `json` escapes C0 itself. These are allowed in JSON as they are, and a terminal obeys them, or an encoder refuses.
_OBEYED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def dumps(value: Any, indent: int | None = None) -> str:
    """`value` as JSON, other scripts as they are, controls and direction marks as escapes: nothing is lost."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
