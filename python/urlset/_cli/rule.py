"""`urlset rule`: the page of a rule, or the list of all rules."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import click

from urlset import InputError, Rule, rules
from urlset._cli.console import is_terminal, show_json
from urlset._cli.parameters import Argument
from urlset._options import kinds
from urlset._options.option import Option
from urlset._output.full import STYLES
from urlset._rules.profiles import PROFILES, profile
from urlset._util import drawing


def rule(
    code: Annotated[
        str | None,
        Argument(
            "Code or name of a rule, such as LOC002 or relative-url.",
            kind=kinds.RULE,
            metavar="RULE",
            default="all rules",
        ),
    ] = None,
    *,
    form: Annotated[
        Literal["text", "json"], Option("Output format; json has every fact about a rule.", flags="--format,-f")
    ] = "text",
) -> None:
    """Explain a rule, or list all rules.

    On a terminal, a page is rendered. In a pipe it stays Markdown, and the
    list has one line per rule, with tabs between code, name, severity and
    summary.

    \b
    Examples:
      urlset rule
      urlset rule LOC002
      urlset rule relative-url
      urlset rule LOC002 > LOC002.md
      urlset rule --format json

    \b
    Exit codes:
      0  printed
      2  no rule has this code or name
    """
    known = rules()
    if form == "json":
        facts = [_facts(each) for each in known] if code is None else _facts(_find(known, code))
        show_json(facts)
    elif code is None:
        _list(known)
    else:
        _page(_find(known, code))


def _facts(found: Rule) -> dict[str, Any]:
    """Return every fact about a rule; its severity is None in a profile that disables it."""
    severities = {name: profile(name).severities.get(found.code) for name in PROFILES}
    return asdict(found) | {"summary": found.summary, "profiles": severities}


def _find(known: Sequence[Rule], code: str) -> Rule:
    """Return the rule with a code or a name, in upper or lower case.

    Raises:
        InputError: No rule has it; the message names the nearest one.
    """
    found = {rule.code.lower(): rule for rule in known} | {rule.name: rule for rule in known}
    wanted = code.lower()
    if wanted in found:
        return found[wanted]
    near = difflib.get_close_matches(wanted, found, n=1)
    hint = f"did you mean {_as_written(near[0])}?" if near else "`urlset rule` lists all rules"
    raise InputError(f"no rule has the code or the name {code!r}; {hint}")


def _as_written(name: str) -> str:
    """Return a code in capitals, and the name of a rule as it is."""
    return name.upper() if name[-1:].isdigit() and "-" not in name else name


def _page(found: Rule) -> None:
    facts = f"{found.severity}, authority: {found.authority}, since {found.since}, {found.status}, fix: {found.fix}"
    page = f"# {found.code} {found.name}\n\n{facts}\n\n{found.page}"
    if is_terminal(sys.stdout):
        drawing.out.print(drawing.Markdown(page))
    else:
        click.echo(page.rstrip("\n"))


def _list(known: Sequence[Rule]) -> None:
    if not is_terminal(sys.stdout):
        for found in known:
            click.echo(f"{found.code}\t{found.name}\t{found.severity}\t{_sentence(found)}")
        return
    table = drawing.Table("code", "name", "severity", "summary", box=None, pad_edge=False)
    for found in known:
        style = STYLES.get(found.severity, "")
        table.add_row(found.code, found.name, f"[{style}]{found.severity}[/]", _sentence(found))
    drawing.out.print(table)


def _sentence(found: Rule) -> str:
    """Return what the rule does, in one sentence without a full stop."""
    return found.summary.partition(". ")[0].rstrip(".")
