"""`urlset audit`: whether sitemaps tell the truth about the pages that they list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import click

import urlset
from urlset import Audit, Http, Report, Rules, Severity, Trust
from urlset import audit as audit_site
from urlset._audit.api import OF_PAGES
from urlset._cli import console
from urlset._cli.console import FAILED, FINDINGS, note_failures, remark, show, show_json
from urlset._cli.options import Quiet, given, value_of, with_options
from urlset._cli.parameters import Argument
from urlset._cli.progress import counting
from urlset._config.lint_settings import LintSettings
from urlset._options.option import Option
from urlset._options.shared import Logo, Note, Title
from urlset._output import FORMATS as RENDERERS
from urlset._output import full
from urlset._util import drawing
from urlset._util.text import and_failed, escape_controls, plural
from urlset._util.urls import origin

#: Sections that the summary names.
SHOWN = 5
_DAY = 86_400
#: What `Audit.corrections` counts.
_CORRECTED = {
    "removed": "left out",
    "replaced": "replaced by the URL that they lead to",
    "dated": "with the date of their page",
    "relinked": "with other links to languages",
    "kept": "kept as they are, because another rule would find them corrected",
}


@with_options(audit_site, Http)
@with_options(Rules, names=OF_PAGES)
@with_options(LintSettings, names=["format", "fail_on"])
def audit(
    source: Annotated[str, Argument("URL of a site or a sitemap, or a path to sitemaps.", metavar="SITE|SITEMAP")],
    *,
    crawl: Annotated[bool, Option("Crawl the site first, to find orphans and pages that are not listed.")] = False,
    summary: Annotated[bool, Option("Show only coverage, trust and counts, as text or as JSON.")] = False,
    publish_to: Annotated[
        Path | None,
        Option(
            "Folder to publish the corrected set to: pages that are gone are left out, redirects and "
            "canonical links are followed, and lastmods that pages contradict are replaced.",
            metavar="DIR",
            flags="--publish",
        ),
    ] = None,
    report: Annotated[
        Path | None, Option("Also write a report (.html), or a table (.parquet, .csv or .xlsx).", metavar="FILE")
    ] = None,
    title: Title = None,
    logo: Logo = None,
    note: Note = None,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Fetch the pages that sitemaps list, and report where the sitemaps are wrong.

    Checks errors, redirects, noindex, canonical URLs, lastmods against the
    dates and the content of the pages, validators, copies, images and
    languages. Findings are grouped by remedy: pages that one change fixes are
    one finding. An answer that proves nothing, such as a bot challenge, is
    reported as not judged. With --state, runs are kept: the next one shows
    what is new and what is fixed, and how reliable the lastmods are.

    \b
    Examples:
      urlset audit https://example.com
      urlset audit https://example.com --state example.duckdb --crawl
      urlset audit https://example.com --sample 1000 --format json
      urlset audit https://example.com --lint --report report.html
      urlset audit https://example.com --state example.duckdb --baseline 2026-12-31
      urlset audit https://example.com --state new.duckdb --baseline main.duckdb
      urlset audit https://example.com/sitemap.xml --publish public

    \b
    Exit codes:
      0  no findings, none as severe as --fail-on, or none beyond --baseline
      1  findings
      2  a sitemap could not be read, or a bound ended the run; what was
         found is printed first
    """
    shown_as = given(LintSettings, options)
    form, fail_on = shown_as.get("format", "full"), shown_as.get("fail_on", "warning")
    values = given(audit_site, options)
    http = value_of(Http, options)
    if crawl and "state" not in values:
        raise click.BadParameter("the crawl and the audit need the file of --state", param_hint="--crawl")
    if summary and form not in ("full", "json"):
        raise click.BadParameter(f"the summary is text or json, not {form}", param_hint="--format")
    if report is not None:
        # Few runs write a report, and it brings what draws one.
        from urlset._report.api import check_path  # noqa: PLC0415

        check_path(report)
    if crawl:
        with counting() as count:
            home = origin(source) or source
            urlset.crawl(home, **given(urlset.crawl, options), http=http, progress=count).close()
    with (
        counting() as count,
        audit_site(source, **values, rules=value_of(Rules, options), http=http, progress=count) as found,
    ):
        shown = [each for each in found.findings if "baseline" not in values or each.new or each.state == "fixed"]
        in_sitemaps = [each for each in found.lint or () if "baseline" not in values or each.new or each.state is None]
        _print(found, found.report_of(shown, in_sitemaps), form, is_summary=summary)
        if report is not None:
            urlset.report(found, report, title=title, logo=logo, note=note)
        if publish_to is not None:
            _publish(found, publish_to)
    note_failures(found.failures)
    if found.reason is not None:
        console.note(f"not all pages were requested: {found.reason}")
    if found.failures or found.reason is not None:
        raise click.exceptions.Exit(FAILED)
    severities = list(get_args(Severity))
    failing = severities[: severities.index(fail_on) + 1]
    if any(each.severity in failing for each in in_sitemaps) or any(
        each.state != "fixed" and each.verdict == "found" and each.severity in failing for each in shown
    ):
        raise click.exceptions.Exit(FINDINGS)


def _publish(found: Audit, dest: Path) -> None:
    """Publish the corrected set, and say how it differs from the one that was audited."""
    published = urlset.publish(found.rows(), dest, base_url=found.site, checks=urlset.Checks(on_bad_value="drop"))
    changed = [f"{count:,} {_CORRECTED[name]}" for name, count in found.corrections.items() if count]
    if published.corrected:
        changed.append(f"{plural(published.corrected, 'invalid value')} left out")
    if changed:
        remark(f"corrected: {', '.join(changed)}")
    remark(f"published {plural(published.entries, 'entry', 'entries')} to {dest}: submit {published.url}")


def _print(found: Audit, report: Report, form: str, *, is_summary: bool) -> None:
    if is_summary and form == "json":
        show_json(found.as_dict())
    elif form != "full":
        if text := RENDERERS[form](report):
            click.echo(text)
    else:
        for diagnostic in () if is_summary else report:
            drawing.print_line(full.render(diagnostic).append("\n"))
        for line in _lines(found):
            click.echo(escape_controls(line))
        if not is_summary:
            show(full.summary([report]))


def _lines(found: Audit) -> Iterator[str]:
    """Yield the lines of the summary."""
    looked = f"{found.looked_at:,} of {plural(found.pages, 'listed page')} requested"
    states = Counter(each.state for each in (*found.findings, *(found.lint or ()), *found.lint_fixed))
    pages = plural(sum(each.new for each in found.findings), "new page")
    told = f"{states['fixed']:,} fixed, {states['open']:,} open, {states['new']:,} new findings, with {pages}"
    since = f"; since {found.previous}: {told}" if found.previous is not None else ""
    yield f"{found.site}: {looked}{and_failed(found.failures)}{since}"
    if found.at_most is not None:
        yield (
            f"  sample: what was not found concerns at most {found.at_most:,} of {found.pages:,} pages"
            f" ({found.at_most / found.pages:.1%}), with 95 % confidence"
        )
    for each in found.coverage[: 1 + SHOWN]:
        known = f"{each.indexable:,} of {plural(each.listed, 'listed page')} may be indexed"
        if each.linked is not None and each.coverage is not None:
            known += f"; in the sitemap: {each.both:,} of {plural(each.linked, 'linked page')} ({each.coverage:.0%})"
        yield f"  coverage {_where(each.section)}: {known}"
    yield from _rest(found.coverage)
    for trust in found.trust[: 1 + SHOWN]:
        yield f"  lastmod {_where(trust.section)}: {_trust(trust)}"
    yield from _rest(found.trust)


def _where(section: str | None) -> str:
    return "all" if section is None else section


def _rest(sections: Sequence[object]) -> Iterator[str]:
    """Yield how many sections are not shown, which are the smallest. The first of all is the whole site."""
    if (rest := len(sections) - 1 - SHOWN) > 0:
        yield f"    and {plural(rest, 'more section')}"


def _trust(trust: Trust) -> str:
    if not trust.moved and not trust.changed:
        return f"nothing moved or changed in {trust.pairs:,} comparisons"
    parts = []
    if trust.precision is not None:
        share = _share(trust.precision_interval)
        parts.append(f"{trust.told:,} of {trust.moved:,} moves meant a change ({share})")
    if trust.recall is not None:
        share = _share(trust.recall_interval)
        parts.append(f"{trust.told:,} of {trust.changed:,} changes were told ({share})")
    if trust.late is not None:
        parts.append(f"the others {abs(trust.late) / _DAY:.1f} days {'late' if trust.late >= 0 else 'early'}")
    if trust.unjudged:
        parts.append(f"{trust.unjudged:,} comparisons not judged")
    return f"{', '.join(parts)}; by {plural(trust.looks, 'comparison')} of two audits"


def _share(interval: tuple[float, float] | None) -> str:
    """Return a share as what it can be: few looks prove little."""
    low, high = interval or (0.0, 1.0)
    return f"{low:.0%} to {high:.0%} with 95 % confidence"
