"""Writes the pages that are made from data: rules.md from the rules' own pages, profiles.md from profiles.toml.

A test holds each equal to what it is made from; `make docs` runs this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import urlset
from urlset.rules._profiles import OFF, PROFILES, Choice, Difference, Settings, choices, differences, profile

FOLDER = Path(__file__).parent
RULES = {rule.code: rule for rule in urlset.rules()}

#: What the settings are called on the page.
LABELS = {
    "loc_chars": "characters of a loc",
    "loc_bytes": "bytes of a loc",
    "tag_bytes": "bytes of another tag",
    "document_bytes": "bytes of a document",
    "feeds": "takes feeds",
    "indexes": "takes indexes",
    "extensions": "takes extensions",
    "foreign_children": "takes other namespaces right under the root",
    "agents": "names in robots.txt",
}


def rules_page() -> str:
    """The catalogue as one page: a table, then every rule's page with its headings one level down."""
    rules = urlset.rules()
    lines = [
        "# The rules",
        "",
        "Made from the pages under `python/urlset/rules/pages`; `urlset rule CODE` prints one. What differs from one",
        "search engine to another stands beside the rule, and all of it in [profiles.md](profiles.md).",
        "",
        "| code | name | severity | what it does |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| [{rule.code}](#{_anchor(rule)}) | {rule.name} | {rule.severity} | {_cell(rule.summary)} |" for rule in rules
    ]
    for rule in rules:
        facts = f"{rule.severity} · {rule.authority} · since {rule.since} · {rule.status} · fix: {rule.fix}"
        lines += ["", f"## {rule.code} {rule.name}", "", facts, ""]
        elsewhere = [_elsewhere(each) for each in differences() if rule.code in each.codes]
        lines += [*elsewhere, ""] if elsewhere else []
        lines += [_sections(rule.page)]
    return "\n".join(lines) + "\n"


def profiles_page() -> str:
    """The profiles: what they take, which rules they are asked, and for each what differs and why."""
    lines = [
        "# The profiles",
        "",
        "Made from `python/urlset/rules/profiles.toml`. A profile is a consumer of sitemaps, and says which rules are",
        "asked and how much their findings matter. `protocol`, which is used unless another is named, is the text of",
        "sitemaps.org; every other one is like it, but for what is known of that consumer. What is not known is not",
        "guessed. A rule that is off is asked all the same where `select` names it.",
        "",
        "## What they take",
        "",
        _row(["", *PROFILES]),
        _row(["---"] * (len(PROFILES) + 1)),
    ]
    for field in fields(Settings):
        values = [getattr(profile(name).settings, field.name) for name in PROFILES]
        lines.append(_row([LABELS[field.name], *map(_value, values)]))
    lines += [
        "",
        "## Rules that are not the same in all",
        "",
        _row(["", *PROFILES]),
        _row(["---"] * (len(PROFILES) + 1)),
    ]
    for code, rule in RULES.items():
        words = [_severity(name, code) for name in PROFILES]
        if set(words) != {rule.severity}:
            lines.append(_row([f"{_linked(code)} {rule.name}", *words]))
    for name in PROFILES:
        lines += ["", f"## {name}", "", *_about(name)]
    return "\n".join(lines) + "\n"


def _about(name: str) -> Iterator[str]:
    """What the protocol leaves out, and what is not as there in another profile."""
    base = PROFILES[0]
    for each in differences():
        if name == base:
            codes = [code for code in each.codes if name in each.profiles]
        else:
            # Where the rule is off for the protocol and not for this one, the reason stands with the protocol.
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
    """A line beside a rule about profiles in which it is another."""
    return f"- {_asked(each.severity)} in {', '.join(each.profiles)}: {each.why} {_source(each)}"


def _asked(word: str) -> str:
    return {OFF: "Off", "error": "Error", "warning": "Warning", "info": "Info"}[word]


def _severity(name: str, code: str) -> str:
    return profile(name).severities.get(code, OFF)


def _source(stated: Difference | Choice) -> str:
    return f"([{stated.source}]({stated.link}))" if stated.link else f"({stated.source})"


def _value(value: object) -> str:
    if value is None:
        return "any"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(f"`{word}`" for word in value) if isinstance(value, tuple) else f"{value:,}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _linked(code: str) -> str:
    return f"[{code}](rules.md#{_anchor(RULES[code])})"


def _anchor(rule: urlset.Rule) -> str:
    return f"{rule.code.lower()}-{rule.name}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sections(page: str) -> str:
    """The page with its headings one level down, and without a title of its own, which the section has."""
    lines = [f"#{line}" if line.startswith("## ") else line for line in page.strip().splitlines()]
    return "\n".join(line for line in lines if not line.startswith("# "))


PAGES: dict[str, Callable[[], str]] = {"rules.md": rules_page, "profiles.md": profiles_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        FOLDER.joinpath(name).write_text(page(), encoding="utf-8")
