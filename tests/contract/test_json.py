"""The JSON of every verb: it has the keys that its schema documents, no others, and each of them has a value once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from support.output.json_outputs import SCENARIOS
from support.output.outputs import Outputs, urls
from urlset._audit.history import Verdict
from urlset._audit.judging import Basis
from urlset._cli.verbs import VERBS, command
from urlset._diff.api import FIELDS, ChangeKind
from urlset._discover.api import Via
from urlset._indexnow.submission_log import Baseline
from urlset._model.diagnostics import FindingState, Safety, Severity
from urlset._model.documents import Completeness
from urlset._model.fetched_pages import Method, Refused
from urlset._model.fetches import Fetch
from urlset._model.kind import Kind
from urlset._model.plan import Action
from urlset._publish.rows.ingest import LASTMOD_SOURCES
from urlset._rules.catalogue import Rule
from urlset._stats.api import ABSENT, AGES, EXTENSIONS, INVALID, OLDER
from urlset._watch.changes import SiteChange, WhatChanged

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"
SCHEMAS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))
}
REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)


def verb_of(schema: str) -> str:
    """The verb that prints what a schema is about."""
    return schema.partition("-")[0]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a JSON value."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(each)


def documented(schema: dict[str, Any], name: str, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The keys that a schema documents, by their paths, each with its schema. Another schema documents its own."""
    for key, value in schema.get("properties", {}).items():
        yield f"{path}{key}", value
        inner = value.get("items", value)
        if (target := inner.get("$ref", "")).startswith("#"):
            inner = SCHEMAS[name]["$defs"][target.rpartition("/")[2]]
        if inner is not schema:  # a child has the keys of its parent
            yield from documented(inner, name, f"{path}{key}.")


def values(output: Any, path: str) -> Iterator[Any]:
    """The values of a key in an output."""
    key, _, rest = path.partition(".")
    for each in output if isinstance(output, list) else [output]:
        if isinstance(each, dict) and key in each:
            yield from values(each[key], rest) if rest else [each[key]]


@pytest.mark.parametrize("verb", SCENARIOS)
def test_the_json_of_a_verb_is_what_its_schemas_document(verb: str, tmp_path: Path) -> None:
    outputs = Outputs(tmp_path)
    SCENARIOS[verb](outputs)
    assert set(outputs.found) == {name for name in SCHEMAS if verb_of(name) == verb}
    missing = []
    for name, found in outputs.found.items():
        schema = SCHEMAS[name]
        check = Draft202012Validator(schema, registry=REGISTRY, format_checker=FormatChecker())
        for output in found:
            check.validate(output)
        for path, of in documented(schema, name):
            seen = list(values(found, path))
            if not any(seen) and "const" not in of:
                missing.append(f"{name}: {path} has no value")
            if (None in of.get("enum", ()) or "null" in of.get("type", ())) and None not in seen:
                missing.append(f"{name}: {path} is never null")
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("lastmod", ["2026-01-02T10:00:00.25+02:00", "2026-01-02T08:00:00Z", "2026-01-02"])
def test_a_moment_has_one_text(lastmod: str, tmp_path: Path) -> None:
    # The core writes rows, and Python all else.
    outputs = Outputs(tmp_path)
    outputs.put("a.xml", urls(f"<loc>https://a.example/</loc><lastmod>{lastmod}</lastmod>"))
    [row] = outputs.json("read", "read", "a.xml")
    assert outputs.json("stats", "stats", "a.xml")["oldest"] == row["lastmod"]


def test_every_verb_with_json_has_a_schema() -> None:
    with_json = {name for name in VERBS for each in command(name).params if "json" in getattr(each.type, "choices", ())}
    assert with_json == set(SCENARIOS) == {verb_of(name) for name in SCHEMAS}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_whole(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"{name}.json"
    assert schema["title"].startswith(f"urlset {verb_of(name)}")
    for each in objects(schema):
        if isinstance(each.get("properties"), dict) and "type" in each:
            assert each["additionalProperties"] is False
            assert each["required"] == list(each["properties"])
            for key, value in each["properties"].items():
                assert value["description"][-1] == ".", key


def of(owner: type, name: str) -> Any:
    """The type of a field."""
    return get_type_hints(owner)[name]


def words(literals: Any) -> set[str | None]:
    """The values of a type of literals, or of a union of such types and None."""
    if literals is type(None) or isinstance(literals, str):
        return {literals if isinstance(literals, str) else None}
    return {word for each in get_args(literals) for word in words(each)}


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("read.kind", words(Kind)),
        ("read-fetches.cache", words(of(Fetch, "cache"))),
        ("read-fetches.checked", words(of(Fetch, "checked"))),
        ("stats.completeness", words(Completeness)),
        ("stats.ages", {*AGES, OLDER, INVALID, ABSENT}),
        ("stats.extensions", {*EXTENSIONS}),
        ("stats.documents.kind", words(Kind) | {None}),
        ("stats.documents.completeness", words(Completeness)),
        ("discover.sitemaps.via", words(Via)),
        ("discover.sitemaps.kind", words(Kind) | {None}),
        ("discover.sitemaps.completeness", words(Completeness) | {None}),
        ("watch.change", words(WhatChanged)),
        ("watch.kind", words(of(SiteChange, "kind"))),
        ("diff.change", words(ChangeKind)),
        ("diff.fields", {*FIELDS}),
        ("crawl.refused", words(Refused) | {None}),
        ("crawl.method", words(Method) | {None}),
        ("audit-summary.findings.severity", words(Severity)),
        ("audit-summary.findings.verdict", words(Verdict)),
        ("audit-summary.findings.state", words(FindingState)),
        ("audit-summary.findings.basis", words(Basis)),
        ("publish-plan.shards.action", words(Action)),
        ("publish-plan.lastmod_sources", {*LASTMOD_SOURCES, "none"}),
        ("submit.baseline", words(Baseline)),
        ("submit.first.change", words(ChangeKind)),
        ("lint.severity", words(Severity)),
        ("lint.fix.safety", words(Safety)),
        ("lint-statistics.severity", words(Severity)),
        ("lint-statistics.fix", words(Safety) | {"none"}),
        ("rule.severity", words(Severity)),
        ("rule.status", words(of(Rule, "status"))),
        ("rule.fix", words(of(Rule, "fix"))),
        ("rule.scope", words(of(Rule, "scope"))),
    ],
)
def test_a_closed_set_of_values_is_that_of_the_code(path: str, allowed: set[str | None]) -> None:
    name, _, key = path.partition(".")
    found = dict(documented(SCHEMAS[name], name))[key]
    stated = found.get("enum") or found.get("propertyNames", found.get("items", {}))["enum"]
    assert set(stated) == allowed
