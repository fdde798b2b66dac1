"""What all results that are tables share: conversion for the libraries of tables, and how a notebook shows them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from urlset._model.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


class _ArrowExport:
    """A table by the Arrow PyCapsule interface. The libraries are imported only when they are asked for."""

    __slots__ = ()

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`.

        Raises:
            InputError: pyarrow is not installed.
        """
        return _library("pyarrow", "to_arrow").table(self)

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`, with the types that Arrow has.

        Raises:
            InputError: pandas or pyarrow is not installed.
        """
        _library("pandas", "to_pandas")
        return _library("pyarrow", "to_pandas").table(self).to_pandas()

    def to_polars(self) -> Any:
        """Return the rows as a `polars.DataFrame`. Columns of names, such as `document`, are texts.

        Raises:
            InputError: polars is not installed.
        """
        polars = _library("polars", "to_polars")
        # Arrow's dictionaries become categories, which have none of the methods of texts.
        return polars.DataFrame(self).cast({polars.Categorical: polars.String})

    def to_duckdb(self, connection: DuckDBPyConnection | None = None) -> DuckDBPyRelation:
        """Return the rows as a DuckDB relation.

        Args:
            connection: The connection to which it belongs; that of the module `duckdb` if None.
        """
        found: DuckDBPyRelation = (connection or _library("duckdb", "to_duckdb")).from_arrow(self)
        return found


def _library(name: str, method: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:  # it is there, and misses something itself
            raise
        raise InputError(f"{method}() needs {name}, which is not installed: pip install {name}") from error
