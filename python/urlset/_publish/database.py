"""The database that a publish is planned in: a temporary one, which keeps to its memory and spills the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.errors import PublishError
from urlset._util.duckdb import connect
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: A row of the section that it is of, with all that is known of it before it is placed. `grp` is what its section is
#: sharded by, `page` the group of pages that are each other's translations, `lang` its own language.
_INCOMING = """
    CREATE TABLE incoming (
        section UTINYINT, row UBIGINT, loc VARCHAR, lastmod VARCHAR, instant BIGINT, evidence VARCHAR,
        content VARCHAR, tail VARCHAR, news VARCHAR, uses UTINYINT, size UINTEGER, key UBIGINT, hash UBIGINT,
        grp VARCHAR, page VARCHAR, lang VARCHAR
    )
"""


@contextmanager
def opened(memory: str) -> Iterator[DuckDBPyConnection]:
    """A database with an empty table `incoming`; it and all that it spilled are gone afterwards, whatever happens.

    Raises InputError for what is no amount of memory, PublishError where that or the disk is not enough.
    """
    import duckdb  # noqa: PLC0415  (0.15 s, for which the verbs without it should not wait)

    with (
        temporary() as folder,
        connect(folder / "publish.duckdb", memory=memory, spill=folder / "spilled") as connection,
    ):
        try:
            connection.execute(_INCOMING)
            yield connection
        except duckdb.OutOfMemoryException as error:
            raise PublishError(f"the set cannot be planned in {memory}: give it more memory") from error
        except duckdb.IOException as error:
            if str(folder) not in str(error):  # the caller's own rows can be DuckDB's too
                raise
            raise PublishError(f"the temporary folder {folder} cannot be used: {error}") from error


@contextmanager
def temporary() -> Iterator[Path]:
    """A temporary folder. Raises PublishError where there can be none."""
    with ExitStack() as stack:
        with told(Path("the temporary folder")):
            folder = stack.enter_context(temporary_folder())
        yield folder


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Says of what the system refuses where it was."""
    try:
        yield
    except OSError as error:
        raise PublishError(f"{path}: {error.strerror or error}") from error


def key_sql(tail: str, links: str, news: str) -> str:
    """What an entry says but for its loc and its lastmod, as a number, where the core cannot tell: it has links."""
    return f"md5_number_lower(concat({tail}, {links}, {news}))"


def instant_sql(lastmod: str) -> str:
    """The microseconds since the epoch that a W3C date stands for; of a year or a month, of its first day."""
    first = f"CASE strlen({lastmod}) WHEN 4 THEN '-01-01' WHEN 7 THEN '-01' ELSE '' END"
    return f"epoch_us(TRY_CAST({lastmod} || {first} AS TIMESTAMPTZ))"


def news_size_sql(news: str, *, is_pretty: bool) -> str:
    """The bytes of an entry's `news:news` element, as it is stored densely, in its document."""
    if not is_pretty:
        return f"strlen({news})"
    # A line of 4 or 6 blanks for each tag that opens or closes an element of others, and for each that holds a text; of
    # 8 for the two in `news:publication`.
    tags = f"(strlen({news}) - strlen(replace({news}, '</', ''))) // 2"
    has = {name: f"contains({news}, '<news:{name}>')::INTEGER" for name in ("publication", "name", "language")}
    return f"(strlen({news}) + 3 + 7 * ({tags}) + 7 * {has['publication']} + 2 * ({has['name']} + {has['language']}))"
