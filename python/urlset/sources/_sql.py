"""As much of SQL's lexis as it takes to tell where a statement ends, in the words of SQLite and of PostgreSQL."""

from __future__ import annotations

import re

from urlset._model.errors import InputError

#: What gives rows and changes none. Anything else would do its work before it could be seen that it has no rows.
_QUERIES = ("SELECT", "WITH", "VALUES", "TABLE", "(")

# A quote that is doubled ends one text and begins the next, which is as good. Comments within comments, which only
# PostgreSQL has, end with the first: such a statement may be refused, and never runs as another one.
_TOKEN = re.compile(
    r"""(?P<blank> \s+ | --[^\n]* | /\*.*?(?:\*/|\Z) )
      | (?P<end> ; )
      | [eE]'(?:[^'\\]|\\.)*' | '[^']*' | "[^"]*" | `[^`]*` | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$ | \w+ | .""",
    re.DOTALL | re.VERBOSE,
)


def one_query(sql: str) -> str:
    """The query without what stands behind its end.

    Raises InputError for none, for more than one, and for a statement that is no query.
    """
    if "\0" in sql:
        raise InputError("the query holds U+0000, where databases would take it to end")
    first = end = None
    for token in _TOKEN.finditer(sql):
        if token["blank"]:
            continue
        if end is not None and not token["end"]:
            raise InputError("there is more than one statement; the rows come of one query: SELECT …")
        if token["end"]:
            end = token.start() if end is None else end
        elif first is None:
            first = token[0].upper()
    if first is None:
        raise InputError("the query is empty; the rows come of one: SELECT …")
    if first not in _QUERIES:
        raise InputError(f"a statement that begins with {first[:20]} is no query; the rows come of one: SELECT …")
    # The line's end ends a comment, which would swallow what a driver puts behind the query.
    return sql[:end] + "\n"
