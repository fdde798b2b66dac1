"""The libraries of deflate that are measured, and the process that runs one of them.

    python benches/compressors.py LIBRARY FILE

Run by compression.py, with the project's Python or the peers'. The file is compressed to gzip at each level of the
library, and what came of it is unpacked by the same library, and by zlib to be compared. The time is that of the
processor, the best of seven. Prints a line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

ROUNDS = 7

Pack = Callable[[bytes, int], bytes]
Unpack = Callable[[bytes, int], bytes]
"""Takes what is packed, and how many bytes it unpacks to."""


@dataclass(frozen=True, slots=True)
class Library:
    """One library of deflate."""

    package: str | None
    """What provides it to Python. None: Python itself."""
    levels: Sequence[int]
    load: Callable[[], tuple[Pack, Unpack | None]]
    python: str = "peers"


def _zlib_rs() -> tuple[Pack, Unpack | None]:
    # What urlset unpacks it reads. crates/urlset-core/benches/inflating.rs does the one without the other.
    return import_module("urlset._core").gzip, None


def _like_zlib(module: str) -> Callable[[], tuple[Pack, Unpack | None]]:
    """Return what loads a module with the functions of Python's zlib."""

    def load() -> tuple[Pack, Unpack | None]:
        library: Any = import_module(module)
        return (
            lambda data, level: library.compress(data, level, wbits=31),
            lambda data, _: library.decompress(data, wbits=31),
        )

    return load


def _libdeflate() -> tuple[Pack, Unpack | None]:
    library: Any = import_module("deflate")
    return library.gzip_compress, lambda data, size: library.gzip_decompress(data, originalsize=size)


LIBRARIES = {
    "zlib-rs": Library("urlset", range(1, 10), _zlib_rs, "project"),
    "zlib": Library(None, range(1, 10), _like_zlib("zlib")),
    "zlib-ng": Library("zlib-ng", range(1, 10), _like_zlib("zlib_ng.zlib_ng")),
    # It has levels up to 12, which take seconds for each document.
    "libdeflate": Library("deflate", range(1, 10), _libdeflate),
    "isal": Library("isal", range(4), _like_zlib("isal.isal_zlib")),
}


def _best(action: Callable[[], bytes]) -> tuple[float, bytes]:
    best, result = float("inf"), b""
    for _ in range(ROUNDS):
        start = time.process_time()
        result = action()
        best = min(best, time.process_time() - start)
    return best, result


def main() -> None:
    """Measure one library on one file."""
    name, path = sys.argv[1:]
    library = LIBRARIES[name]
    pack, unpack = library.load()
    data = Path(path).read_bytes()
    found = []
    for level in library.levels:
        seconds, packed = _best(lambda level=level: pack(data, level))  # type: ignore[misc]
        if zlib.decompress(packed, 31) != data or pack(data, level) != packed:
            sys.exit(f"WRONG: {name} at level {level} does not unpack to what was packed, or packs it in two ways")
        unpack_seconds = None
        if unpack is not None:
            unpack_seconds, unpacked = _best(lambda packed=packed: unpack(packed, len(data)))  # type: ignore[misc]
            if unpacked != data:
                sys.exit(f"WRONG: {name} does not unpack level {level}")
        found.append({"level": level, "seconds": seconds, "bytes": len(packed), "unpack_seconds": unpack_seconds})
    version = metadata.version(library.package) if library.package else zlib.ZLIB_RUNTIME_VERSION
    print(json.dumps({"version": version, "levels": found}))


if __name__ == "__main__":
    main()
