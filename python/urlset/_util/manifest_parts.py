"""The parts of a manifest: files with its rows, each written by one task of a job.

    .urlset/manifest.parquet                 names the parts in its metadata, and has no rows of its own
    .urlset/parts/<job>-<part>.parquet       the rows of one part

Whoever reads a manifest reads its parts too. A manifest with parts has a version of its own, so that a program that
knows nothing of parts takes it for lost and not for empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

#: The versions of a manifest: with all rows in one file, and in parts.
WHOLE, IN_PARTS = "1", "2"

_NAME = re.compile(r"\.urlset/parts/\d{8}T\d{6}Z-[0-9a-f]{16}-\d{5,9}\.parquet", re.ASCII)
#: Parts that a manifest may have.
_MAX_NAMES = 1_000_000


def part_name(job: str, part: int) -> str:
    """Return the name of a part of a manifest, below the folder of the set."""
    return f".urlset/parts/{job}-{part:05}.parquet"


def parts_in(metadata: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the names of the parts of a manifest from its metadata; None if it is not a manifest of these versions.

    Raises:
        ValueError: It names something else.
    """
    version, listed = metadata.get("urlset.manifest"), metadata.get("urlset.parts")
    if version == WHOLE and listed is None:
        return ()
    if version != IN_PARTS:
        return None
    names = json.loads(listed or "null")
    if not isinstance(names, list) or not 0 < len(names) <= _MAX_NAMES or len(set(map(str, names))) < len(names):
        raise ValueError("this manifest does not list its parts")
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
        raise ValueError("this manifest names files that are not parts of a manifest")
    return tuple(names)


def parts_as_metadata(names: Sequence[str]) -> dict[str, str]:
    """Return the metadata that says which parts a manifest has."""
    return {"manifest": IN_PARTS, "parts": json.dumps(list(names))} if names else {"manifest": WHOLE}
