"""What a watch has seen of a site, as the published set that a submit takes: a live sitemap needs no publish.

    example.sqlite              the state of the watch
    example.sqlite.indexnow/    a folder like that of a published set: a manifest of what the watch has seen last, and
                                the submission log

What a run holds back, or could not read, still counts as it was, so nothing of it is submitted as removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from urlset._indexnow.workspace import STATE
from urlset._model.errors import InputError
from urlset._stores.seal import BLANK, KEY, seal
from urlset._util.duckdb import insert_rows
from urlset._util.files import rename_file
from urlset._util.instances import in_memory
from urlset._util.manifest_parts import WHOLE
from urlset._util.tempdirs import temporary_folder
from urlset._util.urls import origin
from urlset._watch.state import State

#: Of a page that several sitemaps list, the latest lastmod counts, as for the watch itself.
_PAGES: Final = """
    SELECT loc, moment >> 2, lastmod FROM (
        SELECT loc, moment, lastmod,
            row_number() OVER (PARTITION BY loc ORDER BY moment DESC NULLS LAST, sitemap) AS place
        FROM entries
    ) WHERE place = 1
"""
_AT_ONCE: Final = 10_000
_MEMORY: Final = "512MB"
#: Equal moments are equal texts, however they are written. Other fields are not compared: their hashes depend on the
#: versions of libraries, and an update would submit every page.
_ROWS: Final = """
    SELECT loc, 0::UBIGINT AS entry_hash, coalesce(make_timestamp(micros)::VARCHAR, written) AS lastmod,
        NULL::TIMESTAMPTZ AS gone
    FROM pages ORDER BY loc
"""


@contextmanager
def folder_of(state: str | os.PathLike[str]) -> Iterator[Path]:
    """Write what a watch has seen last as the manifest of a published set, and return its folder.

    Raises:
        InputError: It is not the state of a watch of a site with an http or https URL.
    """
    path = Path(state)
    if not path.is_file():
        raise InputError(f"watched must be the state of a watch, which `urlset watch SITE --state {path}` writes")
    with closing(State(path)) as looked:
        sources = [source for (source,) in looked.connection.execute("SELECT source FROM watched ORDER BY rowid")]
        home = next((found for source in sources if (found := origin(source))), None)
        if home is None:
            raise InputError(f"{path} must be the state of a watch of a site with an http or https URL")
        folder = path.with_name(f"{path.name}.indexnow")
        (folder / STATE).mkdir(parents=True, exist_ok=True)
        manifest = folder / STATE / "manifest.parquet"
        aside = manifest.with_suffix(".part")
        with temporary_folder() as spilled, in_memory(memory=_MEMORY, threads=1, spill=spilled / "s") as connection:
            connection.execute("CREATE TABLE pages (loc VARCHAR, micros BIGINT, written VARCHAR)")
            with looked.errors():
                cursor = looked.connection.execute(_PAGES)
                while rows := cursor.fetchmany(_AT_ONCE):
                    insert_rows(connection, "pages", rows)
            facts = {"urlset.manifest": WHOLE, "urlset.base_url": home, KEY: BLANK}
            written = ", ".join(f"'{name}': '{value}'" for name, value in facts.items())
            connection.execute(
                f"COPY ({_ROWS}) TO '{str(aside).replace(chr(39), 2 * chr(39))}'"
                f" (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{written}}})"
            )
        seal(aside)
        rename_file(aside, manifest)
    yield folder
