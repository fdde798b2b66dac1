"""`urlset diff`: the differences between two sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import click

from urlset import Change, Diff, Http
from urlset import diff as compare_sets
from urlset._cli.arguments import sources
from urlset._cli.console import FINDINGS, end_with, remark, show
from urlset._cli.export import DEFAULT_FORM, HEAD, Output, copy_rows, destination, shows_progress
from urlset._cli.options import Quiet, given, value_of, with_options, words
from urlset._cli.parameters import Argument
from urlset._cli.progress import counting, waiting
from urlset._diff.api import KINDS, ChangeKind, SelectedChanges
from urlset._options.option import Option
from urlset._tables.writers import RowForm
from urlset._util import drawing
from urlset._util.text import and_failed, escape_controls, plural

if TYPE_CHECKING:
    from urlset import Scan

STYLES = {"added": "green", "removed": "red", "changed": "yellow"}


@with_options(compare_sets, Http)
def diff(
    old: Annotated[
        str,
        Argument("A file, a folder, a glob, a URL, a manifest, or - for standard input.", metavar="OLD"),
    ],
    new: Annotated[str, Argument("The set to compare with it: the same kinds of source.", metavar="NEW")],
    *,
    only: Annotated[
        list[str] | None,
        Option("Changes to show: added, removed or changed.", metavar="CHANGES", default="all", choices=KINDS),
    ] = None,
    form: Annotated[
        Literal["table", "json", "jsonl", "csv", "parquet", "duckdb", "xlsx", "summary"] | None,
        Option(
            "Output format; table shows only the first changes, summary only their numbers.",
            default=DEFAULT_FORM,
            flags="--format,-f",
        ),
    ] = None,
    output: Output = None,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Compare two sets by loc: show which pages were added, removed or changed.

    A set is anything that `urlset read` reads, with the children of an
    index, or the manifest of a published set
    (public/.urlset/manifest.parquet).

    Times are compared as instants, in any time zone; a date equals only the
    same date. If a set has a loc twice, the latest lastmod counts.

    \b
    Examples:
      urlset diff old/ public/
      urlset diff public/.urlset/previous.parquet public/.urlset/manifest.parquet
      urlset diff old.xml new.xml --compare lastmod,priority --output changes.csv
      urlset diff old/ public/ --only removed --format summary
      urlset diff https://example.com public/

    \b
    Exit codes:
      0  no differences, or none that --only shows
      1  differences
      2  a document could not be read, or not to its end: its pages can look
         removed or added
    """
    chosen, file = destination(form, output)
    kinds = _kinds(only)
    values = given(compare_sets, options)
    if values.get("compare") == ("all",):
        values["compare"] = "all"
    with _compared(old, new, values | {"http": value_of(Http, options)}) as found:
        _note_ignored(found, (old, new))
        changes = found.only(*kinds)
        if chosen == "table":
            _show(changes)
            more = f"; {len(changes) - HEAD:,} more, which the other formats contain"
            show(_summary(found) + (more if len(changes) > HEAD else ""))
        elif chosen == "summary":
            click.echo(_summary(found))
        else:
            _copy(changes, chosen, file)
            remark(_summary(found))
        end_with(found.failures)
        if changes:
            raise click.exceptions.Exit(FINDINGS)


def _kinds(only: Sequence[str] | None) -> tuple[ChangeKind, ...]:
    """Return the changes that `--only` names."""
    if not only:
        return KINDS
    names = words(only) or []
    if not names or not set(names) <= set(KINDS):
        raise click.BadParameter(f"{','.join(only)!r} is not a list of {', '.join(KINDS)}", param_hint="--only")
    return tuple(kind for kind in KINDS if kind in names)


def _compared(old: str, new: str, options: Mapping[str, Any]) -> Diff:
    with counting() as count:
        return compare_sets(*sources([old, new]), **options, progress=count)


def _summary(found: Diff) -> str:
    counted = f"{found.added:,} added, {found.removed:,} removed, {found.changed:,} changed, {found.same:,} unchanged"
    return counted + _moved(found) + and_failed(found.failures)


def _moved(found: Diff) -> str:
    """Return where the set is now, if it was moved."""
    if (moved := found.moved) is None:
        return ""
    pages = f"{moved.pages:,} of the removed pages" if moved.pages < found.removed else "all removed pages"
    where = f"under another {moved.what}: {moved.old} is now {moved.new}"
    return f"; {pages} are among the added ones, with the same paths {where}"


def _note_ignored(found: Diff, names: tuple[str, str]) -> None:
    """Report on standard error which entries were ignored."""
    duplicates = found.duplicates_old, found.duplicates_new
    without_loc = found.without_loc_old, found.without_loc_new
    for name, twice, without in zip(names, duplicates, without_loc, strict=True):
        if twice:
            remark(
                f"{name}: {plural(twice, 'duplicate')} ignored: of each loc, the entry with the latest lastmod counts"
            )
        if without:
            remark(f"{name}: {plural(without, 'entry', 'entries')} without a loc ignored")


def _show(changes: SelectedChanges) -> None:
    """Print the first changes as a table."""
    if head := changes.first(HEAD):
        table = drawing.Table(box=None, pad_edge=False)
        for name in ("change", "loc", "old lastmod", "new lastmod", "differs in"):
            # Folded, not truncated, so that a loc can be copied.
            table.add_column(name, overflow="fold")
        for change in head:
            table.add_row(*_cells(change))
        drawing.out.print(table)
        drawing.out.print()


def _cells(change: Change) -> tuple[drawing.Text, ...]:
    texts = (change.loc, change.old_lastmod or "", change.new_lastmod or "", ", ".join(change.fields))
    return drawing.Text(change.change, STYLES[change.change]), *(drawing.Text(escape_controls(text)) for text in texts)


def _copy(changes: SelectedChanges, form: RowForm, output: Path | None) -> None:
    """Write all changes to the file or to standard output."""
    with waiting(f"writing {plural(len(changes), 'change')}", shown=shows_progress(output)):
        # Sorted here, where Ctrl-C is handled, and not in the thread that copies.
        iter(changes)
        copy_rows(cast("Scan", changes), form, output, None)
