"""`urlset diff`: what differs between two sets."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, cast

import typer
from rich.table import Table
from rich.text import Text

from urlset import Change, Diff, Scan
from urlset import diff as compared
from urlset._cli.arguments import sources, words
from urlset._cli.console import FINDINGS, note, out, watched
from urlset._cli.export import RowForm, copy_rows
from urlset._cli.progress import progress
from urlset._cli.read import HEAD, SUFFIXES
from urlset._diff.api import KINDS, ChangeKind, SelectedChanges
from urlset._util.text import escape_controls, plural

Form = Literal["table", "jsonl", "csv", "parquet", "summary"]

STYLES = {"added": "green", "removed": "red", "changed": "yellow"}


def diff(
    old: Annotated[
        str,
        typer.Argument(metavar="OLD", help="A file, a folder (its sitemap.xml), a manifest, or - for standard input."),
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What it is compared with: the same kinds.")],
    *,
    compare: Annotated[
        str,
        typer.Option(
            metavar="FIELDS",
            help="What makes a page differ: lastmod, changefreq, priority, images, videos, alternates, news; or all."
            " Between manifests also content.",
        ),
    ] = "lastmod",
    only: Annotated[
        str | None,
        typer.Option(metavar="added,removed,changed", help="Only these changes.", show_default="all"),
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format",
            "-f",
            help="A table shows the first changes, a summary how many there are, the others give all.",
            show_default="by the name of --output; else table on a terminal, jsonl in a pipe",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the changes there instead.")
    ] = None,
) -> None:
    """Compare two sets by loc: what was added, what was removed, what has changed.

    A set is what `urlset read` reads, with the children of an index, or the
    manifest of a published set (public/.urlset/manifest.parquet).

    Times are compared as instants, whatever their zone; a date is that date
    alone. Of a loc that stands twice in a set the latest lastmod counts.

    \b
    Examples:
      urlset diff old/ public/
      urlset diff public/.urlset/previous.parquet public/.urlset/manifest.parquet
      urlset diff old.xml new.xml --compare lastmod,priority --output changes.csv
      urlset diff old/ public/ --only removed --format summary
      curl -s https://example.com/sitemap.xml | urlset diff - public/sitemap.xml

    \b
    Exit codes:
      0  no difference, or none that --only asks for
      1  differences
      2  they could not be compared: a set was not read to its end
    """
    if output is not None and str(output) == "-":
        output = None
    form = form or _default_form(output)
    if form in ("table", "summary") and output is not None:
        raise typer.BadParameter(f"a {form} is for reading: csv, jsonl or parquet go to a file", param_hint="--format")
    if form == "parquet" and output is None and watched(sys.stdout):
        raise typer.BadParameter("parquet is no text for a terminal: name a file", param_hint="--output")
    kinds = _kinds(only)
    names = words(compare) or []
    with _compared(old, new, "all" if names == ["all"] else names) as found:
        _remarks(found, (old, new))
        changes = found.only(*kinds)
        if form == "table":
            _show(changes)
            more = f"; {len(changes) - HEAD:,} more than shown: csv, jsonl and parquet give all"
            out.print(_summary(found) + (more if len(changes) > HEAD else ""), soft_wrap=True)
        elif form == "summary":
            out.print(_summary(found), soft_wrap=True)
        else:
            _copy(changes, form, output)
            note(_summary(found))
        if changes:
            raise typer.Exit(FINDINGS)


def _kinds(only: str | None) -> tuple[ChangeKind, ...]:
    """The changes that are asked for."""
    if only is None:
        return KINDS
    asked = words(only) or []
    if not asked or not set(asked) <= set(KINDS):
        raise typer.BadParameter(f"{only!r} is not some of {', '.join(KINDS)}", param_hint="--only")
    return tuple(kind for kind in KINDS if kind in asked)


def _default_form(output: Path | None) -> Form:
    if output is not None:
        return SUFFIXES.get(output.suffix.lower(), "jsonl")
    return "table" if watched(sys.stdout) else "jsonl"


def _compared(old: str, new: str, compare: Sequence[str]) -> Diff:
    so_far = 0

    def tell(entries: int) -> None:
        nonlocal so_far
        so_far = entries

    with progress(lambda: f"read {plural(so_far, 'entry', 'entries')}"):
        return compared(*sources([old, new]), compare=compare, progress=tell)


def _summary(found: Diff) -> str:
    return f"{found.added:,} added, {found.removed:,} removed, {found.changed:,} changed, {found.same:,} same"


def _remarks(found: Diff, names: tuple[str, str]) -> None:
    """Say on standard error which entries did not count."""
    duplicates = found.duplicates_old, found.duplicates_new
    nameless = found.without_loc_old, found.without_loc_new
    for name, twice, without in zip(names, duplicates, nameless, strict=True):
        if twice:
            entries = plural(twice, "entry has", "entries have")
            note(f"{name}: {entries} a loc that another one has: of each loc the latest lastmod counts")
        if without:
            note(f"{name}: {plural(without, 'entry has', 'entries have')} no loc, and cannot be compared")


def _show(changes: SelectedChanges) -> None:
    """The first changes as a table."""
    if head := changes.first(HEAD):
        table = Table(box=None, pad_edge=False)
        for name in ("change", "loc", "old lastmod", "new lastmod", "differs in"):
            # Folded, not cut: a loc that cannot be copied is of no use.
            table.add_column(name, overflow="fold")
        for change in head:
            table.add_row(*_cells(change))
        out.print(table)
        out.print()


def _cells(change: Change) -> tuple[Text, ...]:
    texts = (change.loc, change.old_lastmod or "", change.new_lastmod or "", ", ".join(change.fields))
    return Text(change.change, STYLES[change.change]), *(Text(escape_controls(text)) for text in texts)


def _copy(changes: SelectedChanges, form: RowForm, output: Path | None) -> None:
    """All changes, to the file or to standard output."""
    # Rows on the terminal and a bar on the terminal would write over each other.
    with progress(
        lambda: f"writing {plural(len(changes), 'change')}", shown=output is not None or not watched(sys.stdout)
    ):
        # They are sorted here, where Ctrl-C is heard, and not when the copy draws the first.
        iter(changes)
        copy_rows(cast("list[Scan]", [changes]), form, output, None)
