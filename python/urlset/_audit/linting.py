"""The sitemaps of an audit, checked as `lint` checks them, and which of these findings an earlier audit had."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from urlset._lint.api import lint
from urlset._model.diagnostics import Diagnostic
from urlset._options.http import Http
from urlset._options.rules import Rules
from urlset._runs.schema import MAX_URL, cut

if TYPE_CHECKING:
    from urlset._audit.earlier import Earlier
    from urlset._lint.report import Report
    from urlset._runs.file import RunFile

#: Two sitemaps of a preview and of its site are the same, as two pages are.
_LINES = re.compile(r"lines? [\d, ]+(?:and \d+)?")
_SITE = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with the sitemaps of an audit.

    Attributes:
        report: What was found now.
        fixed: What the earlier audit had found, and is no longer there.
    """

    report: Report
    fixed: tuple[Diagnostic, ...] = ()


def check_sitemaps(source: str | os.PathLike[str], profile: str, http: Http | None, now: datetime | None) -> Report:
    """Check the sitemaps by the rules of a profile. They are requested once more for that."""
    return lint(source, rules=Rules(profile=profile), http=http, now=now)


def keep_checked(file: RunFile, run: int, checked: Report, earlier: Earlier) -> Checked:
    """Write down what is wrong with the sitemaps, and return it, compared with an earlier audit that checked them."""
    known = _known(file, earlier)
    found = [(_key(each), each) for each in checked]
    fixed: dict[str, Diagnostic] = {}
    if known is not None:
        found = [(key, _with_state(each, is_known=key in known)) for key, each in found]
        if earlier.is_own:
            fixed = _fixed(known, found, checked)
    with file.transaction():
        file.connection.execute("DELETE FROM lint_findings WHERE run = ?", [run])
        file.insert("lint_findings", [_row(run, key, each) for key, each in found])
        file.insert("lint_findings", [_row(run, key, each) | {"count": 0} for key, each in fixed.items()])
    return Checked(replace(checked, diagnostics=tuple(each for _, each in found)), tuple(fixed.values()))


def _known(file: RunFile, earlier: Earlier) -> dict[str, Diagnostic] | None:
    """Return what an earlier audit has found, by its keys; None if it has not checked sitemaps."""
    if earlier.run is None or not earlier.run.settings.get("lint"):
        return None
    table = "lint_findings" if earlier.database is None else f"{earlier.database}.lint_findings"
    rows = file.connection.execute(
        f'SELECT key, code, severity, message, location, line, "column", source FROM {table}'
        " WHERE run = ? AND state IS DISTINCT FROM 'fixed' ORDER BY location, line, \"column\", key",
        [earlier.run.run],
    ).fetchall()
    return {
        key: Diagnostic(
            code=code,
            severity=severity,
            message=message,
            location=location,
            line=line,
            column=column,
            end_column=column,
            source=source,
            source_column=1,
        )
        for key, code, severity, message, location, line, column, source in rows
    }


def _fixed(
    known: Mapping[str, Diagnostic], found: list[tuple[str, Diagnostic]], checked: Report
) -> dict[str, Diagnostic]:
    """Return what was found and is no longer there.

    A finding is not fixed if it could not be found: because a sitemap could not be read, because its rule was not
    applied, or because there are more findings of its rule in its document than are kept.
    """
    if checked.failures or checked.unfollowed:
        return {}
    now = {key for key, _ in found}
    full = {(each.code, each.location) for _, each in found if each.more}
    return {
        key: replace(each, message=f"fixed: {each.message}", help="nothing is left to do", state="fixed")
        for key, each in known.items()
        if key not in now and each.code in checked.severities and (each.code, each.location) not in full
    }


def _with_state(finding: Diagnostic, *, is_known: bool) -> Diagnostic:
    return replace(finding, state="open" if is_known else "new", new=0 if is_known else 1 + finding.more)


def _key(finding: Diagnostic) -> str:
    """Return what a finding is known by. Its line, its column and what stands around it change with other entries."""
    location = _SITE.sub("", finding.location or "", count=1)
    first = finding.source_column - 1
    marked = finding.source[first : first + finding.end_column - finding.column]
    message = _LINES.sub("line", _SITE.sub("", finding.message))
    facts = (finding.code, location, message, _SITE.sub("", marked))
    return hashlib.md5("\0".join(facts).encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()


def _row(run: int, key: str, finding: Diagnostic) -> dict[str, Any]:
    return {
        "run": run,
        "key": key,
        "code": finding.code,
        "severity": finding.severity,
        "location": cut(finding.location, MAX_URL),
        "line": finding.line,
        "column": finding.column,
        "source": cut(finding.source),
        "message": cut(finding.message),
        "help": cut(finding.help),
        "count": 1 + finding.more,
        "state": finding.state,
        "new": finding.new,
    }
