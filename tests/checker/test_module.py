"""The module of the checker says what `lint`, `fix` and `stats` say, of every vector and every fixture."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.checker.node import ROOT, Module
from support.checker.page import checker_page
from support.rule_fixtures import NOW, fixtures
from urlset._model.diagnostics import Diagnostic
from urlset._model.errors import InputError, UrlsetError
from urlset._rules.catalogue import rules
from urlset._rules.profiles import PROFILES

pytestmark = pytest.mark.long

OF_DOCUMENTS = {rule.code for rule in rules() if rule.scope == "document"}
VECTORS = sorted(path for path in (ROOT / "vectors").glob("*/*.*") if path.suffix in (".xml", ".txt", ".gz", ".bin"))
MICROS = int(NOW.timestamp() * 1_000_000)


@pytest.fixture(scope="module")
def module() -> Iterator[Module]:
    """The module in Node."""
    with Module.start() as module:
        yield module


def asked(profile: str, location: str | None, **more: Any) -> dict[str, Any]:
    asked: dict[str, Any] = checker_page.question(profile) | {"location": location, "now": MICROS, "fold": 50} | more
    return asked


def as_json(found: Diagnostic) -> dict[str, Any]:
    """What the answer has of a finding: all but its document, and what only an audit adds."""
    fields = asdict(found)
    return {
        name: value for name, value in fields.items() if name not in ("location", "pages", "detail", "state", "new")
    }


def compare(module: Module, path: Path, data: bytes, location: str | None, profile: str) -> int:
    """Compares both about one document, and returns how many findings they have."""
    path.write_bytes(data)
    answer = module.ask("check", asked(profile, location), path).answer
    report = urlset.lint(data, location=location, follow=False, rules=urlset.Rules(profile=profile), now=NOW)
    found = json.loads(json.dumps([as_json(each) for each in report if each.code in OF_DOCUMENTS]))
    assert answer["findings"] == found
    assert answer["counts"] == {code: count for code, count in report.counts.items() if code in OF_DOCUMENTS}
    compare_statistics(answer, data, location)
    compare_fixes(module, path, data, location, profile)
    return len(answer["findings"])


def compare_statistics(answer: dict[str, Any], data: bytes, location: str | None) -> None:
    try:
        stats = urlset.stats(data, location=location, follow=False, now=NOW)
    except UrlsetError:
        assert answer["fault"] is not None
        return
    if answer["children"]:
        return  # those are entries of stats, and the page lists them as sitemaps
    found = answer["statistics"]
    for name in ("entries", "sections", "hosts", "ages", "months", "extensions"):
        expected = getattr(stats, name)
        assert found[name] == (expected if name == "entries" else dict(expected)), name
    for name in ("oldest", "newest"):
        expected = getattr(stats, name)
        assert found[name] == (None if expected is None else round(expected.timestamp() * 1e6)), name


def compare_fixes(module: Module, path: Path, data: bytes, location: str | None, profile: str) -> None:
    for unsafe in (False, True):
        said = module.ask("repair", asked(profile, location, is_unsafe=unsafe), path)
        refused = None
        try:
            fixed = urlset.fix(data, location=location, rules=urlset.Rules(profile=profile), unsafe=unsafe, now=NOW)
        except InputError as error:
            refused = str(error)
        if refused is not None:
            assert said.answer == {"error": refused}
            continue
        if said.fixed is None:
            assert fixed.data == data
        else:
            assert said.fixed == fixed.data
        assert said.answer["applied"] == fixed.applied


def test_every_vector(module: Module, tmp_path: Path) -> None:
    found = 0
    for number, path in enumerate(VECTORS):
        about = path.with_name(path.name.partition(".")[0] + ".json")
        location = json.loads(about.read_text("utf-8")).get("location") if about.exists() else None
        found += compare(module, tmp_path / "document", path.read_bytes(), location, PROFILES[number % len(PROFILES)])
    assert len(VECTORS) > 300
    assert found > 300


def test_every_fixture_of_a_rule(module: Module, tmp_path: Path) -> None:
    seen = set()
    for fixture in fixtures():
        if fixture.path.is_dir():
            continue
        arguments = fixture.arguments()
        profile = arguments.get("profile", "protocol")
        compare(module, tmp_path / "document", fixture.data(), arguments.get("location"), profile)
        seen.add(fixture.code)
    assert len(seen & OF_DOCUMENTS) > 100


def test_damaged_documents(module: Module, tmp_path: Path) -> None:
    draw = random.Random(39)
    for _ in range(400):
        data = bytearray(draw.choice(VECTORS).read_bytes()[:20_000])
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(data) + 1)
            data[at : at + draw.choice((0, 1, 1, 5))] = draw.choice(
                (b"", b"<", b"\0", b"&", b"\xff", b"</url>", b"]]>")
            )
        compare(module, tmp_path / "document", bytes(data), None, draw.choice(PROFILES))


def test_a_question_that_is_not_understood_is_answered(module: Module, tmp_path: Path) -> None:
    path = tmp_path / "document"
    path.write_bytes(b"https://example.com/")
    for bad in ("", "{", "[]", '{"rules": {}}', json.dumps(asked("protocol", None) | {"more": 1})):
        assert module.ask("check", bad, path).answer["error"].startswith("the question: ")
    unknown = asked("protocol", None) | {"rules": {"LOC002": "deadly"}}
    assert module.ask("repair", unknown, path).answer["error"] == '"deadly" is not a severity'
    assert module.ask("check", asked("protocol", None), path).answer["entries"] == 1


def test_a_full_document_takes_less_than_a_second(module: Module, tmp_path: Path) -> None:
    entry = "<url><loc>https://shop.example/tea/%d?kind=green</loc><lastmod>2026-01-%02d</lastmod></url>\n"
    entries = "".join(entry % (number, number % 28 + 1) for number in range(50_000))
    path = tmp_path / "sitemap.xml"
    path.write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n', "utf-8")
    said = min((module.ask("check", asked("google", None), path) for _ in range(3)), key=lambda said: said.seconds)
    print(f"50,000 entries: {said.seconds:.2f} s, {said.memory / 1e6:.0f} MB")
    assert said.answer["statistics"]["entries"] == 50_000
    assert list(said.answer["counts"]) == ["LIM004"]  # it is full
