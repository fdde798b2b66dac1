"""What the nested columns are made of, for DuckDB: every value is text, in lists and structs."""

from dataclasses import fields

from urlset._model.extensions import Alternate, ContentSegment, Image, News, Price, TvShow, Video, VideoId

Shape = str | list["Shape"] | dict[str, "Shape"]
"""A type as `from_json` has it: VARCHAR, a list of one shape, a struct of many."""

Value = Alternate | ContentSegment | Image | News | Price | TvShow | Video | VideoId


def _struct(of: type[Value], **nested: Shape) -> dict[str, Shape]:
    """The fields of a class, all text but those named."""
    return {field.name: nested.get(field.name, "VARCHAR") for field in fields(of)}


NESTED: dict[str, Shape] = {
    "images": [_struct(Image)],
    "videos": [
        _struct(
            Video,
            content_segments=[_struct(ContentSegment)],
            tags=["VARCHAR"],
            prices=[_struct(Price)],
            tvshow=_struct(TvShow),
            ids=[_struct(VideoId)],
        )
    ],
    "alternates": [_struct(Alternate)],
    "news": _struct(News),
}

BARE = {"images": "loc", "alternates": "href"}
"""The field of an item that a plain text in the list stands for."""


def forms(column: str) -> tuple[str, str]:
    """What types the column of a Parquet file can have, as a pattern and in words."""
    if isinstance(NESTED[column], dict):
        return r"VARCHAR|JSON|STRUCT\(.*\)", "a struct"
    if column in BARE:
        return r"VARCHAR(\[\])?|JSON|STRUCT\(.*\)\[\]", "a list of structs, a list of text"
    return r"VARCHAR|JSON|STRUCT\(.*\)\[\]", "a list of structs"


def sql_type(shape: Shape) -> str:
    """The shape as a type of SQL. A field's name may be a word of SQL's own."""
    if isinstance(shape, str):
        return shape
    if isinstance(shape, list):
        return f"{sql_type(shape[0])}[]"
    members = [f'"{field}" {sql_type(inner)}' for field, inner in shape.items()]
    return f"STRUCT({', '.join(members)})"


def fits(shape: Shape, value: str, depth: int = 0) -> str:
    """SQL that says whether JSON has the shape's lists and objects where it has something: `from_json` would not."""
    if isinstance(shape, str):
        return f"coalesce(json_type({value}), 'NULL') NOT IN ('ARRAY', 'OBJECT')"
    if isinstance(shape, list):
        each = f"each{depth}"
        items = f"list_transform(TRY_CAST({value} AS JSON[]), lambda {each}: {fits(shape[0], each, depth + 1)})"
        inner = f"json_type({value}) = 'ARRAY' AND coalesce(list_bool_and({items}), true)"
    else:
        nested = [fits(of, f"({value} -> '{field}')", depth) for field, of in shape.items()]
        inner = " AND ".join((f"json_type({value}) = 'OBJECT'", *nested))
    return f"CASE WHEN coalesce(json_type({value}), 'NULL') = 'NULL' THEN true ELSE {inner} END"
