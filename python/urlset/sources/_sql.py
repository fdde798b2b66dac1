"""Enough of the SQL of SQLite and PostgreSQL to find where a statement ends."""

from __future__ import annotations

import re

from urlset._model.errors import InputError

#: The words that begin a query. Any other statement would take effect before it turns out to have no rows.
_QUERIES = ("SELECT", "WITH", "VALUES", "TABLE", "(")

# A doubled quote is taken for the end of one text and the beginning of the next, which has the same effect. Nested
# comments, which only PostgreSQL has, are taken to end with the inner one: such a statement may be refused, but never
# runs as a different one.
_TOKEN = re.compile(
    r"""(?P<blank> \s+ | --[^\n]* | /\*.*?(?:\*/|\Z) )
      | (?P<end> ; )
      | [eE]'(?:[^'\\]|\\.)*' | '[^']*' | "[^"]*" | `[^`]*` | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$ | \w+ | .""",
    re.DOTALL | re.VERBOSE,
)


def single_query(sql: str) -> str:
    """Return the query without the semicolon at its end and anything after it.

    Raises:
        InputError: The text has no statement or several, or its statement is not a query.
    """
    if "\0" in sql:
        raise InputError("the query must not contain U+0000, at which databases would end it")
    first = end = None
    for token in _TOKEN.finditer(sql):
        if token["blank"]:
            continue
        if end is not None and not token["end"]:
            raise InputError("the query must be a single statement: SELECT …")
        if token["end"]:
            end = token.start() if end is None else end
        elif first is None:
            first = token[0].upper()
    if first is None:
        raise InputError("the query is empty: write SELECT …")
    if first not in _QUERIES:
        raise InputError(f"the statement must be a query that returns rows, such as SELECT …, got {first[:20]} …")
    # The line feed ends a comment, which would swallow whatever a driver appends to the query.
    return sql[:end] + "\n"
