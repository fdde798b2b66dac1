"""Tables of documents: Parquet files with a column of paths, for reads of more documents than anybody wants to type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from urlset._model.errors import InputError
from urlset._read.source import resolve_all
from urlset._read.stored import Stored
from urlset._stores.store import is_object_url
from urlset._util.duckdb import identifier, literal, path_pattern
from urlset._util.instances import in_memory
from urlset._util.tempdirs import temporary_folder
from urlset.jobs.parts import Listed, own_path

#: How the names of these tables end.
SUFFIX = ".parquet"
#: The optional column with the sizes of documents, and the size that is assumed without it.
_BYTES, _ASSUMED = "bytes", 1 << 20
#: Rows that are taken from DuckDB at once.
_ROWS = 10_000


def is_table(path: str) -> bool:
    """Return whether a path is that of a table of documents, a file or a folder of them."""
    return path.rstrip("/").lower().endswith(SUFFIX)


def documents_of(path: str, column: str, store: Mapping[str, Any] | None = None) -> Iterator[Listed]:
    """Yield the documents of a table, in its order. Each is one document: none is opened here.

    Args:
        path: A Parquet file, a folder of Parquet files as Spark writes them, or an object.
        column: The column with the paths. A column `bytes` has the sizes, if there is one.
        store: Options of object stores.

    Raises:
        InputError: There is no such table or column, or a path in it is not that of a document.
        FetchError: A store cannot be reached, or refuses.
    """
    with _files(path, store) as files, in_memory() as connection:
        table = f"read_parquet([{', '.join(literal(path_pattern(each)) for each in files)}], hive_partitioning = false)"
        names = [str(row[0]) for row in connection.execute(f"DESCRIBE FROM {table}").fetchall()]
        if column not in names:
            raise InputError(f"{path} has no column {column!r}; it has {', '.join(names)}")
        size = _BYTES if _BYTES in names else "NULL"
        name = identifier(column)
        query = f"SELECT {name}, {size} FROM {table} WHERE {name} IS NOT NULL"
        cursor = connection.execute(query)
        while rows := cursor.fetchmany(_ROWS):
            for location, found in rows:
                path = own_path(str(location))
                yield Listed(path, path, _ASSUMED if found is None else int(found))


@contextmanager
def _files(path: str, store: Mapping[str, Any] | None) -> Iterator[list[str]]:
    """Return the Parquet files of a table; copies of them if they are in a store."""
    if not is_object_url(path):
        folder = Path(path)
        found = sorted(folder.rglob(f"*{SUFFIX}")) if folder.is_dir() else [folder]
        if not found or not all(each.is_file() for each in found):
            raise InputError(f"there is no Parquet file at {path}")
        yield [str(each) for each in found]
        return
    pattern = f"{path.rstrip('/')}/**/*{SUFFIX}" if path.endswith("/") else path
    with temporary_folder() as folder:
        copies = []
        for number, source in enumerate(resolve_all(pattern, store=store)):
            assert isinstance(source.opened, Stored)
            body, copy = source.opened.open(), folder / f"{number}{SUFFIX}"
            with copy.open("wb") as file:
                while piece := body.read():
                    file.write(piece)
            copies.append(str(copy))
        yield copies
