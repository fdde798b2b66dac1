"""Makes json.md from the schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from urlset._cli.verbs import VERBS

SCHEMAS = Path(__file__).parents[1] / "schemas"

OPTION = re.compile(r"(?<!`)(--[a-z-]+)")

#: What has the same in Python.
TWINS = {
    "read": "entries of `scan` and `read`",
    "read-fetches": "`Scan.fetches`",
    "stats": "`Stats.as_dict()`",
    "discover": "`Discovery.as_dict()`",
    "watch": "changes of a `WatchRun`",
    "crawl": "pages of a `Crawl`",
    "crawl-rows": "`Crawl.rows()`",
    "audit": "diagnostics of an `Audit`",
    "audit-summary": "`Audit.as_dict()`",
    "robots": "`RobotsTable.as_dict()`",
    "robots-lines": "lines of a `RobotsTable`",
    "rates": "rows of `Rates`",
    "rates-sections": "`Rates.sections`",
    "schedule": "rows of a `Schedule`",
    "schedule-due": "rows of `Schedule.due`",
    "simulate": "rows of a `Simulation`",
    "publish": "`Publication.as_dict()`",
    "publish-blocked": "`GuardError`",
    "publish-plan": "`Plan.as_dict()`",
    "publish-rejects": "`on_refusal` and `on_corrected`",
    "publish-rollback": "names that `rollback` returns",
    "verify": "`Verification.as_dict()`",
    "feed": "`PageList.as_dict()`",
    "llms": "`PageList.as_dict()`",
    "submit": "`Submission.as_dict()`",
    "diff": "changes of a `Diff`",
    "lint": "diagnostics of a `Report`",
    "lint-statistics": "`Report.counts`",
    "rule": "`rules()`",
}

INTRODUCTION = """\
# JSON

This page is generated from the schemas in `docs/schemas`.

With `--format json` a verb prints one JSON text on standard output; verbs with rows also have `--format jsonl`, with
one object per line. Messages go to standard error. In Python, most results have a method `as_dict`:

```python
import urlset

print(urlset.stats(b"https://shop.example/\\nhttps://shop.example/tea\\n").as_dict()["entries"])
```

Each output has a JSON Schema (draft 2020-12), and a test runs every verb and holds its output to that. This is what a
program can rely on:

- Within a major version keys are added, but none is renamed, removed or given another type. Ignore keys that you do not
  know. The schemas allow no other keys: validate with those of the version that you run.
- A key is always there. What is absent is `null`, or empty.
- Moments are RFC 3339 in UTC and end in `Z`. Sizes are bytes, durations are seconds. Lines, columns, rows and runs
  count from 1.
- The exit code is 0 for success, 1 for findings and 2 for failure. With 1 and 2 the output is complete, and has what
  could be read; what could not is named on standard error, and under `failures` where there is such a key. If a
  command could do nothing at all, its output is empty.

The formats `sarif`, `gitlab` and `junit` of `lint` and `audit` are those of other tools, and are described there.
"""


def json_page() -> str:
    """Return the reference of JSON: every output, and every key of each."""
    schemas = {name: json.loads(SCHEMAS.joinpath(f"{name}.json").read_text("utf-8")) for name in _names()}
    lines = [INTRODUCTION, "| command | schema | in Python |", "|---|---|---|"]
    lines += [
        f"| `{schema['title']}` | [{name}](#{name}) | {TWINS.get(name, '')} |" for name, schema in schemas.items()
    ]
    for name, schema in schemas.items():
        lines += ["", f"## {name}", "", f"`{schema['title']}` · [schema](schemas/{name}.json)", "", _about(schema)]
        if "properties" in schema:
            lines += ["", "| key | type | meaning |", "|---|---|---|", *_rows(schema, "", schemas, name)]
    return "\n".join(lines) + "\n"


def _names() -> list[str]:
    """Return the names of the schemas in the order of the verbs."""
    verbs = list(VERBS)
    return sorted((path.stem for path in SCHEMAS.glob("*.json")), key=lambda each: (verbs.index(_verb(each)), each))


def _verb(name: str) -> str:
    return name.partition("-")[0]


def _about(schema: dict[str, Any]) -> str:
    same = f" The keys are those of [{_file(schema['$ref'])}](#{_file(schema['$ref'])})." if "$ref" in schema else ""
    return OPTION.sub(r"`\1`", schema["description"]) + same


def _rows(schema: dict[str, Any], path: str, schemas: dict[str, Any], name: str) -> Iterator[str]:
    """Yield a line for each key of an object, and below it those of the objects that it holds."""
    for key, value in schema["properties"].items():
        items = value.get("items", {})
        yield f"| `{path}{key}` | {_type(value)} | {_meaning(value, items)} |"
        inner, suffix = (items, f"{key}[].") if items else (value, f"{key}.")
        inner = schemas[name]["$defs"][_file(inner["$ref"])] if _is_local(inner) else inner
        if "properties" in inner and inner is not schema:
            yield from _rows(inner, f"{path}{suffix}", schemas, name)


def _is_local(value: dict[str, Any]) -> bool:
    return str(value.get("$ref", "")).startswith("#")


def _meaning(value: dict[str, Any], items: dict[str, Any]) -> str:
    target = items.get("$ref") or value.get("$ref")
    text = OPTION.sub(r"`\1`", value["description"]).replace("|", "\\|")
    if target is None or target.startswith("#"):
        return text
    schema, _, part = target.partition("#/$defs/")
    keys = f"The keys are those of [{_file(schema)}](#{_file(schema)})"
    return f"{text} {keys}{f', under `{part}`' if part else ''}."


def _file(reference: str) -> str:
    """Return the name of what is referred to."""
    return reference.rpartition("/")[2].removesuffix(".json")


def _type(value: dict[str, Any]) -> str:
    """Return the type of a value in words."""
    if "enum" in value:
        return ", ".join("null" if each is None else f"`{each}`" for each in value["enum"])
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    kinds = value.get("type", "object")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return " or ".join(_kind(kind, value) for kind in kinds)


def _kind(kind: str, value: dict[str, Any]) -> str:
    if kind == "string" and value.get("format") == "date-time":
        return "moment"
    if kind == "array":
        return f"array of {_several(value['items'])}"
    more = value.get("additionalProperties")
    return f"object of {_several(more)}" if kind == "object" and isinstance(more, dict) else kind


def _several(items: dict[str, Any]) -> str:
    if "enum" in items:
        return _type(items)
    return f"{items.get('type', 'object')}s"
