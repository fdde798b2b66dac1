"""Findings for a person: where and what, then the line with a caret under the place, then what to do.

    sitemap.xml:4:10 LOC002 error loc is not an absolute URL
      |
    4 |   <url><loc>/about</loc></url>
      |             ^^^^^^
      = help: write the whole URL, scheme and host included

Line and column count from 1, in code points; the caret counts in cells of the terminal.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from urlset import Diagnostic, Report
from urlset.output._visible import visible

TAB = 4
"""Cells between tab stops."""

STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}


def render(diagnostic: Diagnostic) -> Text:
    """One finding, several lines without a last line end; styles say nothing that the text does not."""
    style = STYLES.get(diagnostic.severity, "bold")
    gutter = " " * len(str(diagnostic.line))
    source, caret = _underlined(diagnostic)
    where = f"{visible(diagnostic.location or '-')}:{diagnostic.line}:{diagnostic.column}"
    text = Text.assemble(
        (where, "bold"),
        " ",
        (diagnostic.code, style),
        " ",
        (diagnostic.severity, style),
        " ",
        visible(diagnostic.message),
        (f"\n{gutter} |", "blue"),
        (f"\n{diagnostic.line} | ", "blue"),
        source,
        (f"\n{gutter} | ", "blue"),
        (caret, style),
    )
    if diagnostic.help:
        text.append(f"\n{gutter} = ", "blue")
        text.append("help: ", "bold")
        text.append(visible(diagnostic.help))
    return text


def summary(reports: Sequence[Report]) -> Text:
    """One line over every report: how many findings of each severity and code, and in how much."""
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update(report.counts)
    read = (
        f"{counted(sum(len(report.documents) for report in reports), 'document')}, "
        f"{counted(sum(report.entries for report in reports), 'entry', 'entries')}"
    )
    severities = {
        "error": sum(report.errors for report in reports),
        "warning": sum(report.warnings for report in reports),
        "info": sum(report.infos for report in reports),
    }
    found = [(counted(number, name), STYLES[name]) for name, number in severities.items() if number]
    if not found:
        return Text.assemble(("No findings", "bold green"), f" in {read}")
    text = Text(", ").join(Text(words, style) for words, style in found)
    return text.append(f" in {read}: {tally(counts)}")


def tally(counts: Mapping[str, int]) -> str:
    """`3 LOC002, 1 MOD001`: codes from the most frequent on."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {code}" for code, number in ordered)


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 entry`, `2,000 entries`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _underlined(diagnostic: Diagnostic) -> tuple[str, str]:
    """The source line as shown, and the blanks and carets that go beneath it.

    Columns count code points and a terminal counts cells, which differ by tabs, wide characters and
    combining ones: each bound is measured as the width of all that stands before it.
    """
    # A window into a long line starts after the line does: the dots say so.
    cut = "…" if diagnostic.column > diagnostic.source_column else ""
    first = diagnostic.source_column - 1
    last = first + max(diagnostic.end_column - diagnostic.column, 1)
    begin = cell_len(cut + _expanded(diagnostic.source[:first]))
    end = cell_len(cut + _expanded(diagnostic.source[:last]))
    return cut + _expanded(diagnostic.source), " " * begin + "^" * max(end - begin, 1)


def _expanded(source: str) -> str:
    """`source` with tabs as blanks up to the next stop, and controls made visible."""
    head, *pieces = source.rstrip("\r\n").split("\t")
    shown = visible(head)
    for piece in pieces:
        shown += " " * (TAB - cell_len(shown) % TAB) + visible(piece)
    return shown
