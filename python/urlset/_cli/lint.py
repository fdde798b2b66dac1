"""`urlset lint`: findings with their place, for a person or for a program, and the fixes that some of them have."""

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from urlset import InputError, Report
from urlset._cli.arguments import STDIN, assigned, chosen, sources, words
from urlset._cli.console import FINDINGS, note, out
from urlset._cli.progress import progress
from urlset._config.settings import LintSettings, find, load
from urlset._lint.fix import fix_files
from urlset._lint.linter import FOLD, Linter
from urlset._lint.options import LintOptions, resolve_options
from urlset._output import FORMATS, full
from urlset._read.source import resolve_all
from urlset._util.text import tally

_RULES = "Rules"
_FIXES = "Fixes"


def lint(
    source: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE", help="Files, folders, or - for standard input: checked as one set."),
    ],
    *,
    form: Annotated[
        str | None,
        typer.Option("--format", "-f", metavar="|".join(FORMATS), help="How findings are shown.", show_default="full"),
    ] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Show how often each rule was broken, and no more.")
    ] = False,
    location: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the document is published, or, ending with /, the folder."),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Whose rules count: protocol, google, bing, yandex, baidu, naver, seznam.",
            show_default="protocol",
            rich_help_panel=_RULES,
        ),
    ] = None,
    select: Annotated[
        str | None,
        typer.Option(metavar="CODES", help="Ask only these: LOC,MOD001.", show_default="all", rich_help_panel=_RULES),
    ] = None,
    ignore: Annotated[
        str | None, typer.Option(metavar="CODES", help="Leave these out.", rich_help_panel=_RULES)
    ] = None,
    per_file_ignores: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB:CODES", help="Leave codes out in some files.", rich_help_panel=_RULES),
    ] = None,
    preview: Annotated[
        bool | None, typer.Option("--preview", help="Ask the rules that are new, too.", rich_help_panel=_RULES)
    ] = None,
    robots: Annotated[
        list[str] | None,
        typer.Option(metavar="URL=FILE", help="A copy of a site's robots.txt.", rich_help_panel=_RULES),
    ] = None,
    zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Of times without one: Z, +01:00.", rich_help_panel=_RULES)
    ] = None,
    now: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="What dates are compared with.", show_default="now", rich_help_panel=_RULES),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is safe to, in place.", rich_help_panel=_FIXES)] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change.", rich_help_panel=_FIXES)] = False,
    unsafe_fixes: Annotated[
        bool | None,
        typer.Option("--unsafe-fixes", help="Mend also where something is lost.", rich_help_panel=_FIXES),
    ] = None,
    fold: Annotated[
        int | None,
        typer.Option(min=1, help="Findings of a rule shown for a document.", show_default=str(FOLD)),
    ] = None,
    exit_zero: Annotated[
        bool | None, typer.Option("--exit-zero", help="Exit with 0 also when something was found.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The urlset.toml or pyproject.toml that holds.", show_default="the nearest"),
    ] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help="Look at no configuration.")] = False,
) -> None:
    """Check sitemaps, each finding with its line, its column and what to do, and mend what can be mended.

    What no option says, the table `lint` of urlset.toml or `tool.urlset.lint` of pyproject.toml says.

    \b
    Examples:
      urlset lint sitemap.xml
      urlset lint public/ --profile google --ignore LOC013
      urlset lint public/ --location https://example.com/ --robots https://example.com/robots.txt=robots.txt
      urlset lint sitemap.xml.gz --fix
      urlset lint sitemap.xml --diff --unsafe-fixes
      curl -s https://example.com/sitemap.xml | urlset lint - --format json

    \b
    Exit codes:
      0  nothing found
      1  findings, or something that --diff would change
      2  it could not be checked
    """
    settings, folder = _configured(config, isolated=isolated)
    if (fix or diff) and STDIN in source:
        raise typer.BadParameter("standard input (-) is no file that could be mended", param_hint="--fix")
    form = "statistics" if statistics else chosen(form, settings.format, "full")
    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r} is none of {', '.join(FORMATS)}", param_hint="--format")
    asked = resolve_options(
        profile_name=chosen(profile, settings.profile, "protocol"),
        select=chosen(words(select), settings.select, None),
        ignore=chosen(words(ignore), settings.ignore, ()),
        preview=chosen(preview, settings.preview, False),
        now=_time(now),
        zone=chosen(zone, settings.zone, None),
        per_file_ignores=_ignores(per_file_ignores, settings),
        root=settings.root or folder,
        robots=chosen(assigned(robots, "--robots"), settings.robots, None),
    )
    where = chosen(location, settings.location, None)
    most = chosen(fold, settings.fold, FOLD)
    checking = _checked(source, asked, where, most)
    if fix or diff:
        changes = _mended(checking, unsafe=chosen(unsafe_fixes, settings.unsafe_fixes, False), diff=diff)
        if diff:
            raise typer.Exit(FINDINGS if changes and not exit_zero else 0)
        if changes:
            checking = _checked(source, asked, where, most)
    report = checking.report()
    _show(report, form)
    if report and not chosen(exit_zero, settings.exit_zero, False):
        raise typer.Exit(FINDINGS)


def _configured(config: Path | None, *, isolated: bool) -> tuple[LintSettings, Path | None]:
    """What the configuration says, and the folder its globs begin at."""
    path = None if isolated else config or find(Path.cwd())
    if path is None:
        return LintSettings(), None
    return load(path).lint, path.parent


def _checked(source: list[str], asked: LintOptions, location: str | None, fold: int) -> Linter:
    checking = Linter(asked, fold)
    roots = resolve_all(sources(source))
    with progress(lambda: f"checked {sum(each.entries for each in checking.documents):,} entries"):
        checking.run(roots, location)
    return checking


def _mended(checking: Linter, *, unsafe: bool, diff: bool) -> int:
    """Makes the fixes, or shows them; says how many there were."""
    applied: Counter[str] = Counter()
    files = 0
    for file in fix_files(checking, unsafe=unsafe):
        files += 1
        applied.update(file.applied)
        if diff:
            typer.echo(file.diff(), nl=False)
        else:
            file.write()
    if applied:
        note(f"{'would fix' if diff else 'fixed'} {tally(applied)} in {files} {'file' if files == 1 else 'files'}")
    return applied.total()


def _show(report: Report, form: str) -> None:
    if form == "full":
        for diagnostic in report:
            out.print(full.render(diagnostic), "", sep="\n", soft_wrap=True)
        out.print(full.summary([report]), soft_wrap=True)
    elif text := FORMATS[form](report):
        typer.echo(text)


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"--now is {text!r}; write it as 2026-01-31T08:00:00Z") from error


def _ignores(options: list[str] | None, settings: LintSettings) -> dict[str, list[str]]:
    """Codes by glob; one that an option names counts instead of what the configuration says of it."""
    ignores = {glob: list(codes) for glob, codes in (settings.per_file_ignores or {}).items()}
    for option in options or ():
        glob, colon, codes = option.rpartition(":")
        if not colon:
            raise typer.BadParameter(f"{option!r} is not GLOB:CODES", param_hint="--per-file-ignores")
        ignores[glob] = words(codes) or []
    return ignores
