"""Writes docs/rules.md from the rules' own pages. A test holds the two equal; `make docs` runs this."""

from __future__ import annotations

from pathlib import Path

import urlset

TARGET = Path(__file__).with_name("rules.md")


def rules_page() -> str:
    """The catalogue as one page: a table, then every rule's page with its headings one level down."""
    rules = urlset.rules()
    lines = [
        "# The rules",
        "",
        "Made from the pages under `python/urlset/rules/pages`; `urlset rule CODE` prints one.",
        "",
        "| code | name | severity | what it does |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| [{rule.code}](#{rule.code.lower()}-{rule.name}) | {rule.name} | {rule.severity} | {_cell(rule.summary)} |"
        for rule in rules
    ]
    for rule in rules:
        facts = f"{rule.severity} · {rule.authority} · since {rule.since} · {rule.status} · fix: {rule.fix}"
        lines += ["", f"## {rule.code} {rule.name}", "", facts, "", _sections(rule.page)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sections(page: str) -> str:
    """The page with its headings one level down, and without a title of its own, which the section has."""
    lines = [f"#{line}" if line.startswith("## ") else line for line in page.strip().splitlines()]
    return "\n".join(line for line in lines if not line.startswith("# "))


if __name__ == "__main__":
    TARGET.write_text(rules_page(), encoding="utf-8")
