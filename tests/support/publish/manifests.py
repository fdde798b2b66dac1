"""Manifests as tests read them, and write them again as somebody could who knows how they are sealed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
from urlset._stores.seal import KEY, seal


def said(path: Path) -> dict[str, str]:
    """The metadata of a manifest."""
    rows = duckdb.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(path)]).fetchall()
    return dict(rows)


def rewritten(
    path: Path, metadata: Mapping[str, str] | None = None, query: str = "FROM known", compression: str = "lz4_raw"
) -> None:
    """Write a manifest with other metadata, if these are given, and with the rows of a query over `known`."""
    pairs = said(path) if metadata is None else metadata
    texts = ", ".join(f"'{name}': " + "'" + text.replace("'", "''") + "'" for name, text in pairs.items())
    copy = path.with_name("copy.parquet")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW known AS FROM read_parquet('{path}')")
        connection.execute(
            f"COPY ({query}) TO '{copy}' (FORMAT parquet, COMPRESSION {compression}, KV_METADATA {{{texts}}})"
        )
    if KEY in pairs:
        seal(copy)
    copy.replace(path)
