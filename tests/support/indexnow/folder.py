"""The parts of a published folder that a submit reads: its manifests, written with DuckDB."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
from urlset._stores.seal import BLANK, KEY, seal

NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)

_COLUMNS = """
    loc VARCHAR, section VARCHAR, shard VARCHAR, entry_hash UBIGINT, lastmod VARCHAR, lastmod_source VARCHAR,
    content VARCHAR, first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ, gone TIMESTAMPTZ
"""


@dataclass(frozen=True)
class Page:
    """The relevant columns of a row of a manifest."""

    loc: str
    key: int = 1
    lastmod: str | None = "2024-01-01"
    gone: datetime | None = None


def connect() -> duckdb.DuckDBPyConnection:
    """Open a database that uses UTC."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    return connection


@dataclass(frozen=True)
class Folder:
    """A published folder of `base_url`."""

    path: Path
    base_url: str

    @property
    def state(self) -> Path:
        """The folder of the manifests and the submission log."""
        return self.path / ".urlset"

    @property
    def log(self) -> Path:
        """The file of the submission log."""
        return self.state / "indexnow.parquet"

    def publish(self, pages: Iterable[Page]) -> None:
        """Write a manifest; the existing one becomes the previous one."""
        manifest = self.state / "manifest.parquet"
        if manifest.exists():
            manifest.replace(self.state / "previous.parquet")
        self.write(manifest, pages)

    def write(self, path: Path, pages: Iterable[Page], **facts: str) -> None:
        """Write a manifest, with `facts` as its metadata instead of the default."""
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = list(pages)
        with connect() as connection:
            connection.execute(f"CREATE TABLE pages ({_COLUMNS})")
            connection.execute(
                "INSERT INTO pages SELECT unnest($locs::VARCHAR[]), '', 'sitemap.xml', unnest($keys::UBIGINT[]),"
                " unnest($lastmods::VARCHAR[]), NULL, NULL, $now, $now, unnest($gones::TIMESTAMPTZ[])",
                {
                    "locs": [row.loc for row in rows],
                    "keys": [row.key for row in rows],
                    "lastmods": [row.lastmod for row in rows],
                    "gones": [row.gone for row in rows],
                    "now": NOON,
                },
            )
            known = facts or {"urlset.manifest": "1", "urlset.base_url": self.base_url, "urlset.shards": "[]"}
            metadata = ", ".join(f"{_quoted(name)}: {_quoted(value)}" for name, value in {**known, KEY: BLANK}.items())
            connection.execute(f"COPY pages TO {_quoted(str(path))} (FORMAT parquet, KV_METADATA {{{metadata}}})")
        seal(path)

    def begun(self, pages: Iterable[Page]) -> None:
        """Publish, and begin a submission log with exactly those pages, as if they had been submitted."""
        self.publish(pages)
        with connect() as connection:
            connection.execute("CREATE TABLE manifest AS FROM read_parquet($path)", {"path": str(self.manifest)})
            connection.execute(
                "COPY (SELECT loc, entry_hash, lastmod, gone, TIMESTAMPTZ '2023-01-01 00:00:00+00' AS told,"
                f" 'before' AS endpoint FROM manifest) TO {_quoted(str(self.log))} (FORMAT parquet)"
            )

    @property
    def manifest(self) -> Path:
        """The current manifest."""
        return self.state / "manifest.parquet"

    def rows(self) -> dict[str, tuple[Any, ...]]:
        """Return the submission log by loc: entry hash, lastmod, whether gone, day of submission, endpoint."""
        with connect() as connection:
            found = connection.execute(
                "SELECT loc, entry_hash, lastmod, gone IS NOT NULL, strftime(told, '%Y-%m-%d'), endpoint"
                " FROM read_parquet($path)",
                {"path": str(self.log)},
            ).fetchall()
        assert len({row[0] for row in found}) == len(found)
        return {row[0]: row[1:] for row in found}

    def submitted(self) -> set[str]:
        """Return the locs that were submitted on the day of NOON, by the submission log."""
        return {loc for loc, row in self.rows().items() if row[3] == "2024-01-01"}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
