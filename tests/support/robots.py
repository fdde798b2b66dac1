"""The vectors that say what a robots.txt disallows to whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[2] / "vectors"
#: What each says, by its name. Its `verdicts` have an agent, a URL, and the line that disallows it.
ANSWERS: dict[str, dict[str, Any]] = {
    f"{path.parent.name}/{path.stem}": answer
    for path in sorted(VECTORS.glob("*/*.json"))
    if "verdicts" in (answer := json.loads(path.read_text("utf-8")))
}
