"""What `urlset lint` does once its options are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

import urlset
from urlset import Http, Report, Rules
from urlset import lint as lint_documents
from urlset._cli.arguments import STDIN, sources
from urlset._cli.console import FAILED, FINDINGS, note, note_failures, remark, show
from urlset._cli.options import configured, given, value_of
from urlset._cli.progress import counting
from urlset._config.lint_settings import LintSettings
from urlset._config.settings import stated
from urlset._lint.fix import fix_files, is_fixable
from urlset._lint.linter import Linter
from urlset._lint.options import FOLD, resolve_options
from urlset._options.option import options_of
from urlset._output import FORMATS, full
from urlset._output.statistics import render_json as statistics_json
from urlset._read.source import is_url, resolve_all
from urlset._stores.store import is_object_url
from urlset._util import drawing
from urlset._util.text import plural, tally


def run(
    source: Sequence[str],
    options: Mapping[str, Any],
    *,
    statistics: bool,
    fix: bool,
    diff: bool,
    report_file: Path | None,
    config: Path | None,
    isolated: bool,
) -> NoReturn:
    """Check the documents, show what was found, and end with the exit code.

    Args:
        source: Where the documents are.
        options: The options that the settings, the function and the values declare.
        statistics: Show only how often each rule was broken.
        fix: Apply the fixes.
        diff: Show what the fixes would change.
        report_file: File for a report.
        config: The configuration file; the nearest one if None.
        isolated: Ignore configuration files.
    """
    asked = given(LintSettings, options)
    settings, folder = _settings(config, asked, isolated=isolated)
    values = given(lint_documents, options)
    follow, http = values.get("follow", True), value_of(Http, options)
    if (fix or diff) and STDIN in source:
        raise click.BadParameter("standard input (-) cannot be fixed: name a file", param_hint="--fix")
    if (fix or diff) and (urls := [each for each in source if is_url(each) or is_object_url(each)]):
        raise click.BadParameter(f"{urls[0]} is a URL, and cannot be fixed: download it", param_hint="--fix")
    form = settings.format or "full"
    if statistics and asked.get("format") not in (None, "full", "json", "statistics"):
        raise click.BadParameter(f"statistics are text or json, not {form}", param_hint="--format")
    if report_file is not None:
        # Few runs write a report, and it brings what draws one.
        from urlset._report.api import check_path  # noqa: PLC0415

        check_path(report_file)
    rules = Rules(**{"root": folder, **stated(settings, [each.name for each in options_of(Rules)])})
    lint_options = resolve_options(rules, now=values.get("now"))
    most = settings.fold or FOLD

    def checked() -> Linter:
        roots = resolve_all(sources(source), any_document=True, store=values.get("store"))
        with counting(documents="checked") as count:
            strict = bool(values.get("strict"))
            linter = Linter(lint_options, most, follow=follow, strict=strict, http=http, progress=count)
            linter.run(roots, settings.location)
        return linter

    linter = checked()
    if follow and linter.unfollowed:
        note(
            f"{plural(linter.unfollowed, 'sitemap')} of an index from standard input not checked: "
            "lint a folder that has them too, or pass --no-follow"
        )
    if fix or diff:
        changes = _fixed(linter, unsafe=bool(settings.unsafe_fixes), diff=diff)
        if diff:
            _end(linter.report(), is_found=bool(changes) and not asked.get("exit_zero"))
        if changes:
            linter = checked()
    report = linter.report()
    if report_file is not None:
        urlset.report(report, report_file)
    if statistics:
        click.echo(statistics_json(report) if form == "json" else FORMATS["statistics"](report))
    else:
        _show(report, form)
    _end(report, is_found=_counts_as_found(report, settings.fail_on or "warning") and not settings.exit_zero)


def _settings(config: Path | None, options: dict[str, Any], *, isolated: bool) -> tuple[LintSettings, Path | None]:
    """Return the settings with the options in their place, and the folder that globs are relative to."""
    file = configured(config, isolated=isolated)
    if file is None:
        return LintSettings(**options), None
    if "per_file_ignores" in options:
        # An option replaces what the file says about the same glob.
        options = {**options, "per_file_ignores": {**(file.lint.per_file_ignores or {}), **options["per_file_ignores"]}}
    return replace(file.lint, **options), file.path.parent


def _end(report: Report, *, is_found: bool) -> NoReturn:
    """Report the failures, and end with the exit code."""
    note_failures(report.failures)
    raise click.exceptions.Exit(FAILED if report.failures else FINDINGS if is_found else 0)


def _counts_as_found(report: Report, fail_on: str) -> bool:
    """Return whether a finding is at least as severe as `fail_on`."""
    numbers = {"error": report.errors, "warning": report.warnings, "info": report.infos}
    severities = list(numbers)
    return any(numbers[severity] for severity in severities[: severities.index(fail_on) + 1])


def _fixed(linter: Linter, *, unsafe: bool, diff: bool) -> int:
    """Apply the fixes, or show them as a diff. Return how many there were."""
    applied: Counter[str] = Counter()
    files = 0
    for file in fix_files(linter, unsafe=unsafe):
        if not file.applied:
            note(f"{file.path} not fixed: {file.reason}")
            continue
        files += 1
        applied.update(file.applied)
        if diff:
            click.echo(file.diff(), nl=False)
        else:
            file.write()
    if applied:
        remark(f"{'would fix' if diff else 'fixed'} {tally(applied)} in {plural(files, 'file')}")
    elif why := _why_nothing(linter.report(), unsafe=unsafe):
        remark(why)
    return applied.total()


def _why_nothing(report: Report, *, unsafe: bool) -> str | None:
    """Return why `--fix` did nothing, unless there is nothing to fix or a file has said why already."""
    if not report.diagnostics or any(is_fixable(found, unsafe=unsafe) for found in report):
        return None
    if any(is_fixable(found, unsafe=True) for found in report):
        return "nothing was fixed: the fixes may change the meaning of a document, and need --unsafe-fixes"
    return "nothing was fixed: no finding has a fix; `urlset rule CODE` says what to do"


def _show(report: Report, form: str) -> None:
    if form == "full":
        for diagnostic in report:
            drawing.print_line(full.render(diagnostic).append("\n"))
        show(full.summary([report]))
        if line := full.fixable(report):
            show(line)
    elif text := FORMATS[form](report):
        click.echo(text)
