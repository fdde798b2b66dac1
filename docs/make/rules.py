"""Makes rules.md and profiles.md, and the page of each rule, from the catalogue of rules and from profiles.toml."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from html import escape

import urlset
from cells import cell, table
from urlset._rules.profiles import (
    OFF,
    PROFILES,
    Choice,
    ConsumerSettings,
    Difference,
    choices,
    differences,
    profile,
    unread,
)

#: Where the pages of rules are, seen from the folder of the docs.
PAGES = "../python/urlset/_rules/pages"
RULES = {rule.code: rule for rule in urlset.rules()}

#: The names of a profile's settings on the page.
LABELS = {
    "loc_chars": "characters of a loc",
    "loc_bytes": "bytes of a loc",
    "tag_bytes": "bytes of another tag",
    "document_bytes": "bytes of a document",
    "feeds": "accepts feeds",
    "indexes": "accepts indexes",
    "extensions": "accepts extensions",
    "foreign_children": "accepts other namespaces directly under the root",
    "agents": "names in robots.txt",
}


RULES_HEAD = """\
# The rules

This page is generated from the pages in `python/urlset/_rules/pages`; `urlset rule CODE` prints one of them. "Profiles"
has the search engines for which a rule is enabled; [profiles.md](profiles.md) has all differences between them, and the
reasons. Rules of the scope `live` belong to [`urlset audit`](audit.md), all others to `urlset lint`.
"""

PROFILES_HEAD = """\
# The profiles

This page is generated from `python/urlset/_rules/profiles.toml`. A profile stands for a consumer of sitemaps:
it decides which rules are enabled and how severe their findings are. The default profile, `protocol`,
follows the text of sitemaps.org. Every other profile is the same except for what is known about its
consumer. What is not known is not guessed. `select` enables a rule even if it is off in the profile.

## What each consumer is known to accept

Where nothing is stated about a consumer, the rules use the value of `protocol`. Each statement has its
source below, under the name of the profile.
"""


def rules_page() -> str:
    """Return the catalogue as a table."""
    head = ["code", "name", "severity", "what it does", "authority", "fix", "profiles", "scope"]
    lines = [RULES_HEAD, '<div class="rules" markdown>', "", *table(head, map(_listed, RULES.values())), "", "</div>"]
    return "\n".join(lines) + "\n"


def _listed(rule: urlset.Rule) -> list[str]:
    facts = [rule.authority, rule.fix, _enabled(rule), rule.scope]
    return [_linked(rule.code), rule.name, rule.severity, cell(rule.summary), *facts]


def _enabled(rule: urlset.Rule) -> str:
    """Return the profiles in which a rule is enabled."""
    enabled = [name for name in PROFILES if _severity(name, rule.code) != OFF]
    missing = [name for name in PROFILES if name not in enabled]
    if len(missing) < len(enabled):
        return f"all but {', '.join(missing)}" if missing else "all"
    return ", ".join(enabled)


def rule_pages() -> Iterator[tuple[str, str]]:
    """Yield the name of the file of each rule, and its page: its facts, what differs between profiles, its text."""
    for rule in RULES.values():
        facts = {
            "severity": rule.severity,
            "authority": rule.authority,
            "scope": rule.scope,
            "fix": rule.fix,
            "profiles": _enabled(rule),
            "since": f"{rule.since}, {rule.status}",
        }
        lines = [
            "---",
            f"title: {rule.code} {rule.name}",
            f"description: {json.dumps(escape(rule.summary.replace('`', '')))}",  # goes into HTML as it is
            "---",
            "",
            f"# {rule.code} {rule.name}",
            "",
            *table(facts, [facts.values()]),
            "",
            *(_elsewhere(each) for each in differences() if rule.code in each.codes),
            "",
            rule.page,
            "",
            " · ".join(_neighbours(rule.code)),
        ]
        yield f"{rule.code}.md", "\n".join(lines)


def _neighbours(code: str) -> Iterator[str]:
    """Yield links to the rules before and behind one, and to all of them."""
    codes = list(RULES)
    at = codes.index(code)
    if at:
        yield f"[← {codes[at - 1]}]({codes[at - 1]}.md)"
    yield "[all rules](../../../../docs/rules.md)"
    if at + 1 < len(codes):
        yield f"[{codes[at + 1]} →]({codes[at + 1]}.md)"


def profiles_page() -> str:
    """Return the profiles as one page: what each accepts, which rules it enables, what differs and why."""
    settings = [field.name for field in fields(ConsumerSettings)]
    stated = ([LABELS[each], *(_stated(each, name) for name in PROFILES)] for each in settings)
    lines = [PROFILES_HEAD, *table(["", *PROFILES], stated)]
    lines += ["", "## Rules that differ between profiles", "", *table(["", *PROFILES], _differing())]
    for name in PROFILES:
        about = [*_about(name)]
        cited = "\n".join(about)
        lines += ["", f"## {name}", "", *about]
        lines += [line for source, note in unread().items() if source in cited for line in ("", note)]
    return "\n".join(lines) + "\n"


def _differing() -> Iterator[list[str]]:
    for code, rule in RULES.items():
        words = [_severity(name, code) for name in PROFILES]
        if set(words) != {rule.severity}:
            yield [f"{_linked(code)} {rule.name}", *words]


def _about(name: str) -> Iterator[str]:
    """Yield the rules that `protocol` leaves out, or what another profile does differently from it."""
    base = PROFILES[0]
    for each in differences():
        if name == base:
            codes = [code for code in each.codes if name in each.profiles]
        else:
            # If a rule is off in `protocol` and on in this profile, the reason is stated for `protocol`.
            stated = {code for other in differences() if name in other.profiles for code in other.codes}
            codes = [
                code
                for code in each.codes
                if _severity(name, code) != _severity(base, code)
                and (name in each.profiles or (base in each.profiles and code not in stated))
            ]
        for word in sorted({_severity(name, code) for code in codes}):
            same = [code for code in codes if _severity(name, code) == word]
            yield f"- **{_asked(word)}** {', '.join(map(_linked, same))}. {each.why} {_source(each)}"
    for choice in choices():
        if name in choice.profiles:
            yield f"- **{LABELS[choice.name]}: {_value(choice.value)}.** {choice.why} {_source(choice)}"


def _elsewhere(each: Difference) -> str:
    """Return the line about the profiles in which a rule differs."""
    return f"- {_asked(each.severity)} in {', '.join(each.profiles)}: {each.why} {_source(each)}"


def _asked(word: str) -> str:
    return {OFF: "Off", "error": "Error", "warning": "Warning", "info": "Info"}[word]


def _severity(name: str, code: str) -> str:
    return profile(name).severities.get(code, OFF)


def _source(stated: Difference | Choice) -> str:
    return f"([{stated.source}]({stated.link}))" if stated.link else f"({stated.source})"


def _stated(setting: str, name: str) -> str:
    """Return what is stated about a setting of a profile."""
    for choice in choices():
        if choice.name == setting and name in choice.profiles:
            return _value(choice.value) + (" (sources differ)" if choice.is_disputed else "")
    return "not stated"


def _value(value: object) -> str:
    if value is None:
        return "any"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(f"`{word}`" for word in value) if isinstance(value, tuple) else f"{value:,}"


def _linked(code: str) -> str:
    return f"[{code}]({PAGES}/{code}.md)"
