"""The rows of the two sets of a diff.

    loc      the text by which the sets are compared
    lastmod  four times its microseconds since the epoch, plus its precision: year (0), month, day, instant (3).
             The greatest is the latest and, of one moment, the most precise
    raw      a lastmod that is not a W3C date, as text
    ...      a column for each further field that is compared

Every row goes to the core, whether it comes from a document or from a manifest. Only those of locs of which the two
sets do not say the same come back, as tables of these columns.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from urlset import _core
from urlset._model.errors import InputError
from urlset._stores.seal import DAMAGED, is_sealed
from urlset._util.cores import cores
from urlset._util.duckdb import connect, first_line, literal, path_pattern, scalar
from urlset._util.manifest_parts import IN_PARTS, WHOLE, parts_in
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

T = TypeVar("T")

SIDES = ("old", "new")

#: The most threads that read: more would wait for the tables.
_READERS = 8
#: How many seconds threads have to notice that they must stop.
_PATIENCE = 2.0

#: Nested values are kept as a digest, which has one size, and is equal only if all of the value is.
_DIGEST = "CASE WHEN {0} IS NOT NULL THEN sha256(CAST(to_json({0}) AS VARCHAR)) END"
#: The fields with a column of their own: its type, and SQL for its value from a row as the core reads it.
FIELD_COLUMNS = {
    "changefreq": ("VARCHAR", "CAST(changefreq AS VARCHAR)"),
    "priority": ("DOUBLE", "priority"),
    **{name: ("VARCHAR", _DIGEST.format(name)) for name in ("images", "videos", "alternates", "news")},
    # In manifests only.
    "content": ("UBIGINT", "entry_hash"),
}

#: The versions of manifests that can be read.
_MANIFESTS = f"{WHOLE} or {IN_PARTS}"


class DiffDatabase:
    """A temporary database, and threads that work with it, so that Ctrl-C still reaches the caller's thread.

    Args:
        memory: How much it may hold, such as `"1GB"`.
        names: The fields with a column of their own.
        stack: Closes its connection and its folder.

    Raises:
        InputError: `memory` is not an amount.
    """

    def __init__(self, memory: str, names: Sequence[str], stack: ExitStack) -> None:
        self.threads = min(cores(), _READERS)
        self._memory = memory
        self._manifests: list[str] = []
        # A thread that was given up may still write there.
        self._folder = stack.enter_context(temporary_folder())
        # Rows are written once and read a few times: ordering and compressing them takes longer than it saves.
        self.connection = connect(
            memory=memory,
            threads=self.threads,
            spill=self._folder / "spilled",
            preserve_insertion_order=False,
            force_compression="uncompressed",
        )
        stack.callback(self.connection.close)
        kinds = {"loc": "VARCHAR", "lastmod": "BIGINT", "raw": "VARCHAR"} | {
            name: FIELD_COLUMNS[name][0] for name in names
        }
        columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in kinds.items())
        self.rows = _core.DiffRows(str(self._folder), self.connection.sql(f"SELECT {columns} LIMIT 0"))

    def add(self, side: str, table: DuckDBPyRelation | _core.Batches) -> None:
        """Add rows to a side. Any thread may do that."""
        with self._storing():
            self.rows.add(side == "new", table)

    def pair(self) -> None:
        """Find the rows that may differ, once all are there. Several threads may do that together."""
        with self._storing():
            self.rows.pair()

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._input_error(str(error)) from error

    def add_manifest(self, side: str, path: Path, names: Sequence[str]) -> int:
        """Add the pages of a manifest that are not gone to a side, and return how many there are.

        Raises:
            InputError: The file is not a manifest of urlset, or is damaged.
            PublishError: A part of it cannot be read.
        """
        self._manifests.append(str(path))
        # A publish may replace the file at any time, and it is read more than once.
        copy = self._folder / f"{side}.parquet"
        shutil.copyfile(path, copy)
        file = path_pattern(copy)
        said = self.connection.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [file])
        parts = _parts(path, dict(said.fetchall()))
        damaged = next((one for one in (copy, *parts) if not is_sealed(one)), None)
        if damaged is not None:
            raise InputError(f"{path if damaged is copy else damaged} is damaged: {DAMAGED}")
        files = ", ".join(literal(path_pattern(part)) for part in parts) or literal(file)
        living = f"read_parquet([{files}]) WHERE gone IS NULL"
        kept = "".join(f", CAST({FIELD_COLUMNS[name][1]} AS {FIELD_COLUMNS[name][0]}) AS {name}" for name in names)
        self.add(side, self.connection.sql(f"SELECT loc, lastmod{kept} FROM {living} AND loc IS NOT NULL"))  # noqa: S608
        return int(scalar(self.connection, f"SELECT count(*) FROM {living}"))  # noqa: S608

    def run(self, jobs: Sequence[Callable[[], T]], stop: Callable[[], object] | None = None) -> list[T]:
        """Run jobs at the same time, each on a thread, and return their results.

        Raises the first error, after the others were stopped: by `stop`, or by interrupting the connection.
        """
        from concurrent.futures import ThreadPoolExecutor, as_completed, wait  # noqa: PLC0415  (no help needs it)

        pool = ThreadPoolExecutor(len(jobs))
        futures = [pool.submit(job) for job in jobs]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException as error:
            (stop or self.connection.interrupt)()
            wait(futures, timeout=_PATIENCE)
            if (input_error := self._as_input_error(error)) is not None:
                raise input_error from error
            raise
        finally:
            # A thread that waits for the caller's source cannot be stopped: it ends when the wait does.
            pool.shutdown(wait=False, cancel_futures=True)
        return [future.result() for future in futures]

    def _as_input_error(self, error: BaseException) -> InputError | None:
        """Return an error of DuckDB as one about the arguments, or None for any other error."""
        import duckdb  # noqa: PLC0415

        if isinstance(error, (duckdb.OutOfMemoryException, duckdb.IOException)):
            return self._input_error(first_line(error))
        return self._input_error(first_line(error)) if isinstance(error, duckdb.Error) and self._manifests else None

    def _input_error(self, message: str) -> InputError:
        if self._manifests and not message.startswith("Out of Memory"):
            return InputError(f"{' or '.join(self._manifests)} cannot be read as a manifest: {message}")
        return InputError(f"memory={self._memory!r} or the temporary folder is too small: {message}")


# --- manifests ----------------------------------------------------------------------------------------------


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, whatever its name. No sitemap begins like that."""
    if not path.is_file():  # a named pipe would lose the bytes that are read here
        return False
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _parts(path: Path, metadata: Mapping[str, str]) -> list[Path]:
    """Return the paths of the parts of a manifest, none if all of it is in one file.

    Raises:
        InputError: The file is not a manifest of urlset, or a part of it is missing.
    """
    try:
        names = parts_in(metadata)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    if names is None:
        version = metadata.get("urlset.manifest")
        what = "not a manifest of urlset" if version is None else f"a manifest of version {version}, not {_MANIFESTS}"
        raise InputError(f"{path} is Parquet, but {what}: name a sitemap, or .urlset/manifest.parquet")
    # They are named below the folder of the set, and the manifest is in `.urlset` there.
    found = [path.absolute().parent.parent / name for name in names]
    missing = next((part for part in found if not part.is_file()), None)
    if missing is not None:
        raise InputError(
            f"{path} has its rows in parts, and {missing} is missing: name the manifest where it is published"
        )
    return found


# --- one row for each loc -----------------------------------------------------------------------------------


def once_sql(table: str, names: Sequence[str]) -> str:
    """Return the query for one row per loc of a side, over the tables `old` and `old_repeated`, or those of `new`.

    Few locs are repeated, if any. The lastmod decides between their rows, then their content, and never their order:
    the order of a set has no meaning.
    """
    order = ", ".join(f"{column} DESC NULLS LAST" for column in ("lastmod", "raw", *names))
    chosen = f"FROM {table}_repeated QUALIFY row_number() OVER (PARTITION BY key ORDER BY {order}) = 1"
    return f"(FROM {table} UNION ALL ({chosen}))"
