"""Reading compressed documents takes memory for windows and pieces, and not for the text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.reading import CORE

MEMORY = """
import gzip, random, sys
import brotli, zstandard
import urlset
urlset.scan  # what it imports does not count

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096

rng = random.Random(1)
entries = (b"<url><loc>http://a.example/%x</loc></url>" % rng.getrandbits(16) for _ in range(600_000))
data = b'<urlset xmlns="{core}">' + b"".join(entries) + b"</urlset>"
zstd = zstandard.ZstdCompressor(level=1).compress(data)
packed, header = {{
    "gzip": lambda: (gzip.compress(data, 1), None),
    "br": lambda: (brotli.compress(data, quality=1), "br"),
    "zstd": lambda: (zstd, None),
    "nested": lambda: (gzip.compress(zstd, 1), None),
}}[sys.argv[1]]()
del data
pieces = (packed[at : at + 65536] for at in range(0, len(packed), 65536))
start, most, rows = resident(), 0, 0
for batch in urlset.scan(pieces, columns=["line"], content_encoding=header).batches():
    rows += len(batch)
    most = max(most, resident())
assert rows == 600_000, rows
print(most - start)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "nested"])
def test_memory_does_not_grow_with_decompressed_size(coding: str) -> None:
    script = MEMORY.format(core=CORE)
    done = subprocess.run([sys.executable, "-c", script, coding], capture_output=True, text=True, check=True)
    # Of 27 MB of text: the window of each coding, a piece of each layer, and a batch of rows.
    assert int(done.stdout) < 12_000_000, done.stdout
