"""The types of the nested columns, for DuckDB: lists and structs in which every value is text."""

from dataclasses import fields

from urlset._model.extensions import Alternate, ContentSegment, Image, News, Price, TvShow, Video, VideoId

#: A type as `from_json` takes it: VARCHAR, a list of one shape, or a struct of several.
Shape = str | list["Shape"] | dict[str, "Shape"]

Value = Alternate | ContentSegment | Image | News | Price | TvShow | Video | VideoId


def _struct(of: type[Value], **nested: Shape) -> dict[str, Shape]:
    """Return the fields of a class; all are text except those in `nested`."""
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

#: The field of an item that a plain text in the list stands for, by column.
SHORT_FORM = {"images": "loc", "alternates": "href"}


def accepted_types(column: str) -> tuple[str, str]:
    """Return the types that a column of a Parquet file may have, as a pattern and in words."""
    if isinstance(NESTED[column], dict):
        return r"VARCHAR|JSON|STRUCT\(.*\)", "a struct"
    if column in SHORT_FORM:
        return r"VARCHAR(\[\])?|JSON|STRUCT\(.*\)\[\]", "a list of structs, a list of text"
    return r"VARCHAR|JSON|STRUCT\(.*\)\[\]", "a list of structs"


def sql_type(shape: Shape) -> str:
    """Return the shape as an SQL type. The name of a field may be a keyword of SQL."""
    if isinstance(shape, str):
        return shape
    if isinstance(shape, list):
        return f"{sql_type(shape[0])}[]"
    members = [f'"{field}" {sql_type(inner)}' for field, inner in shape.items()]
    return f"STRUCT({', '.join(members)})"


def shape_check_sql(shape: Shape, value: str, depth: int = 0) -> str:
    """Return SQL for whether JSON has lists and objects where the shape has them; `from_json` does not check."""
    if isinstance(shape, str):
        return f"coalesce(json_type({value}), 'NULL') NOT IN ('ARRAY', 'OBJECT')"
    if isinstance(shape, list):
        each = f"each{depth}"
        check = shape_check_sql(shape[0], each, depth + 1)
        items = f"list_transform(TRY_CAST({value} AS JSON[]), lambda {each}: {check})"
        inner = f"json_type({value}) = 'ARRAY' AND coalesce(list_bool_and({items}), true)"
    else:
        nested = [shape_check_sql(inner, f"({value} -> '{field}')", depth) for field, inner in shape.items()]
        inner = " AND ".join((f"json_type({value}) = 'OBJECT'", *nested))
    return f"CASE WHEN coalesce(json_type({value}), 'NULL') = 'NULL' THEN true ELSE {inner} END"
