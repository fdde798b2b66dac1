"""What the tests of reading with one thread and with two share."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import urlset
from urlset._read import opening, single

pyarrow: Any = import_module("pyarrow")


def set_cores(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    """Give this machine so many cores, for once."""
    for module in (opening, single):
        monkeypatch.setattr(module, "cores", lambda: cores)


def seen(source: Any) -> tuple[Any, ...]:
    """Return everything that reading a source shows."""
    scan = urlset.scan(source)
    try:
        table = pyarrow.table(scan).combine_chunks()
    except pyarrow.ArrowInvalid as error:
        return str(error), list(scan.documents)
    return table, list(scan.documents), [str(error) for error in scan.failures]


def check_bytes_and_file(document: bytes, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a document is read alike by one thread and by two, in memory and in a file."""
    path.write_bytes(document)
    found = []
    for cores in (1, 2):
        set_cores(monkeypatch, cores)
        found.append([seen(document), seen(path)])
    (one_thread, one_thread_file), (two_threads, two_threads_file) = found
    assert two_threads == one_thread
    assert two_threads_file == one_thread_file
    # An object that is read in pieces is read by one thread.
    assert seen(BytesIO(document)) == one_thread
