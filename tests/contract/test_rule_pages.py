"""The pages of the rules: they are those of the core, they have one form, and their examples show what they say."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import violations
from urlset import _core
from urlset._audit.rules import RULES as LIVE_RULES
from urlset._lint.response import CODES as RESPONSE_CODES
from urlset._lint.set import CODES as SET_CODES
from urlset._rules.profiles import PROFILES, profile

PACKAGE = Path(urlset.__file__).parent
PAGES = sorted(PACKAGE.joinpath("_rules", "pages").glob("*.md"))
HEADINGS = ["What it does", "Why it is bad", "Example", "Use instead", "Fix", "References"]
AUTHORITIES = {"protocol", "google", "bing", "yandex", "baidu", "practice"}


def test_the_core_and_the_pages_have_the_same_rules() -> None:
    of_documents = [rule for rule in urlset.rules() if rule.scope == "document"]
    of_core = [(rule.code, rule.name, rule.severity) for rule in _core.catalogue()]
    assert [(rule.code, rule.name, rule.severity) for rule in of_documents] == of_core
    # MOD009 is both: of a document, and of a whole set.
    of_sets = {rule.code for rule in urlset.rules() if rule.scope == "set"}
    assert of_sets | {"MOD009"} == set(SET_CODES)
    of_responses = [rule.code for rule in urlset.rules() if rule.scope == "response"]
    assert of_responses == list(RESPONSE_CODES)
    of_pages = [rule.code for rule in urlset.rules() if rule.scope == "live"]
    assert of_pages == list(LIVE_RULES)
    assert len(of_documents) + len(of_sets) + len(of_responses) + len(of_pages) == len(urlset.rules())
    assert [page.stem for page in PAGES] == [rule.code for rule in urlset.rules()]
    names = [rule.name for rule in urlset.rules()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("rule", urlset.rules(), ids=lambda rule: str(rule.code))
def test_the_facts_of_a_page_are_toml(rule: urlset.Rule) -> None:
    _, head, _ = PACKAGE.joinpath("_rules", "pages", f"{rule.code}.md").read_text("utf-8").split("+++", 2)
    stated = tomllib.loads(head)
    assert tuple(stated.pop("sources")) == rule.sources
    assert {name: getattr(rule, name) for name in stated} == stated
    assert stated.keys() >= {"code", "name", "severity", "authority", "since", "status", "fix"}


@pytest.mark.parametrize("rule", urlset.rules(), ids=lambda rule: str(rule.code))
def test_a_page_has_the_form_of_all_pages(rule: urlset.Rule) -> None:
    assert re.fullmatch(r"[A-Z]{2,4}\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.severity in {"error", "warning", "info"}
    assert rule.authority in AUTHORITIES
    assert rule.status in {"stable", "preview"}
    assert rule.fix in {"none", "safe", "unsafe", "display"}
    assert rule.scope in {"document", "set", "response", "live"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", rule.since)
    assert re.findall(r"^## (.*)$", rule.page, re.MULTILINE) == HEADINGS
    assert not re.search(r"^# ", rule.page, re.MULTILINE)
    assert all(part.strip() for part in re.split(r"^## .*$", rule.page, flags=re.MULTILINE)[1:])
    assert re.fullmatch(r"[A-Z].{20,}\.", rule.summary)
    # Each source has its link, in the same order, and nothing else is linked there.
    links = re.findall(r"^- \[(.*)\]\(https://\S+\)$", rule.page.partition("## References\n")[2], re.MULTILINE)
    assert tuple(links) == rule.sources
    assert all(len(line) <= 120 or "http" in line for line in rule.page.splitlines())


def _examples(rule: urlset.Rule) -> tuple[str, str]:
    bad, good = re.findall(r"^```(?:xml|text)\n(.*?)^```$", rule.page, re.MULTILINE | re.DOTALL)
    return bad, good


# What one page cannot show: 100 or 50,001 entries, 52,428,801 bytes, 129 open elements, 1,001 images or articles, a
# character that no text may hold, other bytes than UTF-8, compression, a document without a URL, a folder that the
# document lives in, and what only a set of documents, a robots.txt, the time of a file, the answer of a server or the
# pages show.
NOT_SHOWN = {
    *RESPONSE_CODES,
    *LIVE_RULES,
    *("IDX001", "IDX004", "IDX007", "IDX008", "IMG002", "LIM001", "LIM002", "LIM003", "LIM004", "LIM007", "LOC009"),
    *(
        "LOC013",
        "LOC016",
        "LOC017",
        "MOD010",
        "MOD012",
        "NWS003",
        "ROB001",
        "ROB003",
        "ROB004",
        "ROB005",
        "TXT002",
        "XML007",
        "ALT009",
    ),
    *("XML013", "XML014"),
}
#: When examples are looked at.
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


def _profile_of(rule: urlset.Rule) -> str:
    """The first profile in which a rule is selected."""
    return next(name for name in PROFILES if rule.code in profile(name).severities)


@pytest.mark.parametrize("rule", urlset.rules(), ids=lambda rule: str(rule.code))
def test_the_examples_of_a_page_have_the_findings_that_it_states(rule: urlset.Rule) -> None:
    bad, good = (example.encode() for example in _examples(rule))
    location = "https://www.example.com/sitemap.xml"
    asked: dict[str, Any] = {"location": location, "now": NOW}
    profile = _profile_of(rule)
    if rule.code not in NOT_SHOWN:
        assert set(
            urlset.lint(bad, **asked, rules=urlset.Rules(profile=profile, preview=rule.status == "preview")).counts
        ) == {rule.code}
    assert urlset.lint(good, **asked, rules=urlset.Rules(profile=profile, preview=True)).diagnostics == ()
    document = urlset.parse(good)
    # The protocol has schemas for its own documents only, not for feeds and lists.
    assert document.kind not in {"urlset", "sitemapindex"} or violations(good) == []
    assert len(document) >= 1


def test_no_rule_reads_a_clock() -> None:
    core = PACKAGE.parent.parent / "crates" / "urlset-core" / "src"
    sources = [
        *PACKAGE.joinpath("_rules").rglob("*.py"),
        *PACKAGE.joinpath("_lint").rglob("*.py"),
        *core.rglob("*.rs"),
    ]
    assert len(sources) > 50
    clocks = re.compile(r"\.now\(|\.today\(|utcnow|time\.time|SystemTime|Instant::now")
    assert [path.name for path in sources if clocks.search(path.read_text("utf-8"))] == []
    # The one place that does is the boundary, if the caller gives no time.
    assert clocks.search(PACKAGE.joinpath("_util", "arguments.py").read_text("utf-8"))
