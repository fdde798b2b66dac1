"""The declarations of the rules of an audit: one for each page, and whatever a rule reads is among what it declares."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import urlset
from urlset._audit import rules
from urlset._audit.applying import _statements
from urlset._audit.page_views import make_page_views
from urlset._audit.rules import RULES
from urlset._audit.rules.declaration import TABLES, LiveRule, Probe
from urlset._audit.sql import define
from urlset._runs.file import RunFile
from urlset._util.duckdb import connect, scalar

EACH = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: str(rule.code))
PROBES = dict.fromkeys(probe for rule in RULES.values() for probe in rule.all_probes)


def statements(rule: LiveRule) -> Iterator[str]:
    yield from (each for each in (rule.found, rule.inconclusive) if each is not None)


def tables(statement: str) -> set[str]:
    """The tables that a statement reads, by the parser of DuckDB."""
    with connect() as connection:
        ((text,),) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [statement]).fetchall()
    nodes = list(walk(json.loads(text)))
    named = {each["key"] for node in nodes if "cte_map" in node for each in node["cte_map"]["map"]}
    return {node["table_name"] for node in nodes if node.get("type") == "BASE_TABLE"} - named


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a JSON value."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(each)


def test_every_page_has_one_declaration_and_the_reverse() -> None:
    declared = [rule.code for group in rules._GROUPS for rule in group.RULES]
    assert sorted(declared) == [rule.code for rule in urlset.rules() if rule.scope == "live"]


@EACH
def test_a_rule_reads_what_it_declares_and_declares_what_it_reads(rule: LiveRule) -> None:
    read = {name for statement in statements(rule) for name in tables(statement)}
    granted = {name for need in rule.needs for name in need.tables} | {probe.table for probe in rule.probes}
    assert read <= granted | TABLES
    for need in rule.needs:
        of_probes = {name for probe in rule.probes for draw in probe.draws for name in tables(draw.questions)}
        assert need.tables & (read | of_probes), f"{need.name} is declared and not used"
    for probe in rule.probes:
        assert probe.table in read, f"{probe.kind} is asked for nothing"


@EACH
def test_a_probe_reads_what_its_rules_need(rule: LiveRule) -> None:
    granted = {name for need in rule.needs for name in need.tables}
    for probe in rule.probes:
        for draw in probe.draws:
            assert tables(draw.questions) <= granted | TABLES


@EACH
def test_a_rule_without_what_it_needs_says_so_or_says_nothing(rule: LiveRule) -> None:
    """A run without pages, without a crawl and without a run before."""
    with RunFile(None) as file:
        connection = file.connection
        define(connection)
        connection.execute("CREATE TEMP TABLE normalized (loc VARCHAR, url VARCHAR)")
        connection.execute(
            "CREATE TEMP TABLE crawl_run AS SELECT NULL::INT AS run, 'S' AS site, 'W' AS why, false AS is_whole"
        )
        make_page_views(connection, 1, [])
        unmet = [need for need in rule.needs if need.is_met is not None and not scalar(connection, need.is_met)][:1]
        executed = list(_statements(connection, rule))
        if unmet:
            assert executed == [("inconclusive", need.otherwise) for need in unmet if need.otherwise is not None]
            assert all(connection.execute(statement).fetchall() == [("S", "W", None)] for _, statement in executed)
        else:
            assert [statement for _, statement in executed] == list(statements(rule))


def test_every_rule_finds_something_or_is_inconclusive() -> None:
    assert [rule.code for rule in RULES.values() if not list(statements(rule))] == []
    assert all(bool(rule.reasons) <= ("" in rule.reasons) for rule in RULES.values())


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: str(probe.kind))
def test_a_probe_is_bounded(probe: Probe) -> None:
    assert 0 < sum(draw.most for draw in probe.draws) <= 2_100
