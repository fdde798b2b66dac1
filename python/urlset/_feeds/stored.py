"""Writing a list into the destination, without replacing what somebody else has written under its name.

.urlset/lists.json    the SHA-256 of each list that was written here, by its name: of the last two, because one of
                      them is in the destination whenever a write is interrupted
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Final

from urlset._model.errors import LimitError, PublishError
from urlset._stores.store import Store

RECORD: Final = ".urlset/lists.json"
_MAX_RECORD: Final = 1 << 16
#: Bytes of a list: more than the longest one has. A longer file was written by another program.
_MAX_BYTES: Final = 256 << 20
_DIGEST: Final = re.compile("[0-9a-f]{64}")


def put_list(store: Store, name: str, data: bytes, *, replace: bool) -> bool:
    """Store a list, unless it is there already. Return whether it was stored.

    Raises:
        PublishError: Another program has written the file, or changed it; or the store fails.
    """
    try:
        there = store.read(name, _MAX_BYTES)
        is_theirs = False
    except LimitError:
        there, is_theirs = None, True
    if there == data:
        return False
    record = _record(store)
    known = record.get(name, [])
    found = None if there is None else hashlib.sha256(there).hexdigest()
    if not replace and (is_theirs or (found is not None and found not in known)):
        raise PublishError(
            f"replace must be given to write {store.location}/{name}: the file there is somebody's own, because it is"
            " not as urlset has written it"
        )
    # Recorded first: whichever of the two is there after an interruption is ours.
    digests = [hashlib.sha256(data).hexdigest(), *([found] if found is not None else [])]
    store.put(RECORD, (json.dumps(record | {name: digests}, indent=1, sort_keys=True) + "\n").encode())
    store.put(name, data)
    return True


def _record(store: Store) -> dict[str, list[str]]:
    """Return the digests by the names of lists. A record that cannot be read knows nothing, so nothing is replaced."""
    try:
        said: Any = json.loads(store.read(RECORD, _MAX_RECORD) or b"{}")
    except (LimitError, ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    return {
        name: [each for each in digests if isinstance(each, str) and _DIGEST.fullmatch(each)]
        for name, digests in said.items()
        if isinstance(digests, list)
    }
