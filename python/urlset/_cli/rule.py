"""`urlset rule`: the page of a rule, or the list of all."""

import difflib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer
from rich.markdown import Markdown
from rich.table import Table

from urlset import InputError, Rule, rules
from urlset._cli.console import out, watched
from urlset._output.full import STYLES
from urlset._rules.profiles import PROFILES, profile


def rule(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help="A code such as LOC002; without it, all rules.")
    ] = None,
    *,
    form: Annotated[
        Literal["text", "json"], typer.Option("--format", "-f", help="For a person, or JSON with all that is known.")
    ] = "text",
) -> None:
    """Explain a rule, or list them all.

    On a terminal a page is laid out; in a pipe it is the markdown as written, and the list has one
    line a rule with tabs between code, name, severity and summary.

    \b
    Examples:
      urlset rule
      urlset rule LOC002
      urlset rule LOC002 > LOC002.md
      urlset rule --format json

    \b
    Exit codes:
      0  printed
      2  there is no such rule
    """
    known = rules()
    if form == "json":
        facts = [_facts(each) for each in known] if code is None else _facts(_find(known, code))
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=2))
    elif code is None:
        _list(known)
    else:
        _page(_find(known, code))


def _facts(found: Rule) -> dict[str, Any]:
    """All that is known of a rule: its severity in each profile is None where that does not ask it."""
    severities = {name: profile(name).severities.get(found.code) for name in PROFILES}
    return asdict(found) | {"summary": found.summary, "profiles": severities}


def _find(known: Sequence[Rule], code: str) -> Rule:
    """The rule of that code, in upper or lower case.

    Raises:
        InputError: there is none; it names the nearest code.
    """
    codes = {rule.code: rule for rule in known}
    wanted = code.upper()
    if wanted in codes:
        return codes[wanted]
    near = difflib.get_close_matches(wanted, codes, n=1)
    hint = f"did you mean {near[0]}?" if near else "`urlset rule` lists them all"
    raise InputError(f"there is no rule {code}: {hint}")


def _page(found: Rule) -> None:
    facts = f"{found.severity}, authority: {found.authority}, since {found.since}, {found.status}, fix: {found.fix}"
    page = f"# {found.code} {found.name}\n\n{facts}\n\n{found.page}"
    if watched(sys.stdout):
        out.print(Markdown(page))
    else:
        typer.echo(page.rstrip("\n"))


def _list(known: Sequence[Rule]) -> None:
    if not watched(sys.stdout):
        for found in known:
            typer.echo(f"{found.code}\t{found.name}\t{found.severity}\t{_sentence(found)}")
        return
    table = Table("code", "name", "severity", "summary", box=None, pad_edge=False)
    for found in known:
        style = STYLES.get(found.severity, "")
        table.add_row(found.code, found.name, f"[{style}]{found.severity}[/]", _sentence(found))
    out.print(table)


def _sentence(found: Rule) -> str:
    """What the rule does, in one sentence without its full stop."""
    return found.summary.partition(". ")[0].rstrip(".")
