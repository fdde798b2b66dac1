"""The figures of a run: statuses, coverage, dates, depth and findings, each with the sentence that it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from urlset._audit.intervals import wilson
from urlset._report.charts.bars import Bar, stacked
from urlset._report.charts.calendar import calendar, first_day
from urlset._report.charts.columns import Column, columns
from urlset._report.charts.treemap import Tile, treemap
from urlset._report.known import ANSWERS, folder_of
from urlset._report.markup import number, share
from urlset._report.model import Figure
from urlset._util.duckdb import scalar
from urlset._util.text import plural

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    Make = Callable[[DuckDBPyConnection, int, datetime], Figure | None]

#: Sections, folders or runs that are shown; the others are summed up.
SHOWN = 12
TILES = 48

SEVERITIES = {"error": "c-error", "warning": "c-warning", "info": "c-info"}


def figures(connection: DuckDBPyConnection, run: int, moment: datetime) -> Iterator[Figure]:
    """Yield the figures that a run has the facts for, over the table `known`."""
    makers: Sequence[Make] = (_statuses, _coverage, _calibration, _ages, _trust, _depth, _history, _paths, _calendar)
    made = [figure for make in makers if (figure := make(connection, run, moment)) is not None]
    # Two stand side by side, so the first of an odd number has a line of its own.
    is_odd = sum(not figure.is_wide for figure in made) % 2 == 1
    for at, figure in enumerate(made):
        yield replace(figure, is_wide=figure.is_wide or (is_odd and at == 0))


def _statuses(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    counts = ", ".join(f"count(*) FILTER (answer = '{answer}')" for answer in ANSWERS)
    query = f"""
        SELECT section, {counts} FROM known
        WHERE is_now AND (is_listed OR NOT EXISTS (FROM known WHERE is_listed))
        GROUP BY section ORDER BY count(*) DESC, section
    """
    rows = connection.execute(query).fetchall()
    if not rows:
        return None
    bars = _folded([Bar(section, tuple(numbers)) for section, *numbers in rows], "sections")
    fetched, good = sum(sum(bar.counts) for bar in bars), sum(bar.counts[0] for bar in bars)
    worst = min(bars, key=lambda bar: bar.counts[0] / sum(bar.counts))
    lead = f"{share(good, fetched)} of the requested pages answer 200."
    if good < fetched and len(bars) > 1:
        lead += f" The lowest share is in {worst.name}: {share(worst.counts[0], sum(worst.counts))}."
    body = stacked(("Section", "Pages"), list(ANSWERS.values()), bars, is_share=True)
    return Figure("statuses", "Answers by section", lead, body)


#: Listed, linked, indexable: what such pages are, and their class of color.
_KINDS = {
    (True, True, True): ("as it should be", "c-ok"),
    (True, False, True): ("no link leads there", "c-redirect"),
    (True, True, False): ("not indexable", "c-client"),
    (True, False, False): ("not indexable", "c-client"),
    (False, True, True): ("missing", "c-server"),
    (False, False, True): ("missing", "c-server"),
    (False, True, False): ("rightly left out", "c-refused"),
    (False, False, False): ("rightly left out", "c-refused"),
}
_KIND_COLORS = tuple(dict.fromkeys((color, name) for name, color in _KINDS.values()))


def _coverage(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    query = "SELECT is_listed, is_linked, is_indexable, count(*) FROM known WHERE is_indexable IS NOT NULL GROUP BY ALL"
    counts = {(listed, linked, good): count for listed, linked, good, count in connection.execute(query).fetchall()}
    if not counts:
        return None
    has_links = all(linked is not None for _, linked, _ in counts)
    if not has_links:
        counts = {(listed, True, good): count for (listed, _, good), count in counts.items()}
    bars = []
    for (listed, linked, good), (name, color) in _KINDS.items():
        if count := counts.get((listed, linked, good), 0):
            parts = tuple(count if each == color else 0 for each, _ in _KIND_COLORS)
            bars.append(Bar(name, parts, marks=(listed, linked, good) if has_links else (listed, good)))
    if not any(listed for listed, _, _ in counts):
        return None
    wrong = sum(counts.get((True, linked, False), 0) for linked in (True, False))
    lead = f"{plural(wrong, 'listed page')} cannot be indexed."
    if has_links:
        missing = counts.get((False, True, True), 0)
        lead += f" {plural(missing, 'page')} that can be indexed and that other pages link to are not listed."
    else:
        lead += " The site was not crawled, so nothing is known about links."
    title = "In the sitemap, linked, indexable" if has_links else "In the sitemap and indexable"
    marks = ("Sitemap", "Links", "Index") if has_links else ("Sitemap", "Index")
    body = stacked(("Pages that are", "Pages"), _KIND_COLORS, bars, is_share=False, marks=marks)
    return Figure("coverage", title, lead, body)


#: Days by which lastmod is later than the date of the page, up to which a column goes, and its name and color.
_DRIFT = (
    (-30, "behind\n> 30 days", "c-behind3"),
    (-7, "7–30", "c-behind2"),
    (-1, "1–7", "c-behind1"),
    (1, "the same\nday", "c-ok"),
    (7, "1–7", "c-ahead1"),
    (30, "7–30", "c-ahead2"),
    (None, "ahead\n> 30 days", "c-ahead3"),
)


def _calibration(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    days = "(epoch_us(lastmod) - epoch_us(dated)) / 86400e6"
    cases = " ".join(f"WHEN {days} < {limit} THEN {at}" for at, (limit, *_) in enumerate(_DRIFT) if limit is not None)
    # A lastmod exactly a day later is still the same day: dates without a time are midnights.
    query = f"""
        SELECT CASE {cases.replace("< 1 ", "<= 1 ")} ELSE {len(_DRIFT) - 1} END, count(*)
        FROM known WHERE is_listed AND lastmod IS NOT NULL AND dated IS NOT NULL GROUP BY 1
    """
    counts = dict(connection.execute(query).fetchall())
    if not counts:
        return None
    total = sum(counts.values())
    behind, ahead = sum(counts.get(at, 0) for at in (0, 1, 2)), sum(counts.get(at, 0) for at in (4, 5, 6))
    values = [Column(name, (counts.get(at, 0),), color=color) for at, (_, name, color) in enumerate(_DRIFT)]
    lead = (
        f"Of {plural(total, 'page')} with a date of their own, {share(counts.get(3, 0), total)} have the same in the "
        f"sitemap; {share(behind, total)} are behind, {share(ahead, total)} ahead."
    )
    body = columns("lastmod against the date of the page", ("lastmod", "Pages"), [("c-ok", "pages")], values)
    return Figure("calibration", "lastmod against the page’s own date", lead, body)


_TRUST = (("c-ok", "moved, and changed"), ("c-ahead2", "moved, not changed"), ("c-behind2", "changed, not moved"))


def _trust(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    query = """
        SELECT
            section,
            count(*) FILTER (is_moved AND is_changed),
            count(*) FILTER (is_moved AND NOT is_changed),
            count(*) FILTER (is_changed AND NOT is_moved)
        FROM changes WHERE run <= $run AND is_judged
        GROUP BY section HAVING count(*) FILTER (is_moved OR is_changed) > 0
        ORDER BY count(*) FILTER (is_moved OR is_changed) DESC, section
    """
    rows = connection.execute(query, {"run": run}).fetchall()
    if not rows:
        return None
    bars = [_trusted(bar) for bar in _folded([Bar(section, tuple(numbers)) for section, *numbers in rows], "sections")]
    both, moved, changed = (sum(bar.counts[at] for bar in bars) for at in range(3))
    looks = int(scalar(connection, "SELECT count(DISTINCT run) FROM changes WHERE run <= ?", [run]))
    lead = (
        f"In {plural(looks, 'comparison')} of two audits, {share(both, both + moved)} of the lastmods that moved meant "
        f"a change, and {share(both, both + changed)} of the changes moved a lastmod. Few pages prove little, so each "
        "section has the range that holds with 95 % confidence."
    )
    body = stacked(("Section", "Pages"), _TRUST, bars, is_share=True, values=("Precision", "Recall"))
    return Figure("trust", "What a moved lastmod meant", lead, body)


def _trusted(bar: Bar) -> Bar:
    both, moved, changed = bar.counts
    return Bar(bar.name, bar.counts, values=(_range(both, both + moved), _range(both, both + changed)))


def _range(part: int, whole: int) -> str:
    """Return between which shares the one of a section is."""
    low, high = wilson(part, whole)
    return f"{low:.0%} to {high:.0%}".replace("%", " %") if whole else "–"


_AGES = (
    (0, "future"),
    (1, "a day"),
    (7, "a week"),
    (30, "a month"),
    (91, "3 months"),
    (365, "a year"),
    (1095, "3 years"),
)


def _ages(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    age = "(epoch_us($moment::TIMESTAMPTZ) - epoch_us(lastmod)) / 86400e6"
    cases = " ".join(f"WHEN {age} {'<=' if days else '<'} {days} THEN '{name}'" for days, name in _AGES)
    query = f"""
        SELECT CASE WHEN lastmod IS NOT NULL THEN CASE {cases} ELSE 'older' END
               WHEN lastmod_raw IS NOT NULL THEN 'invalid' ELSE 'absent' END, count(*)
        FROM known WHERE is_listed GROUP BY 1
    """
    counts = dict(connection.execute(query, {"moment": moment}).fetchall())
    if not counts:
        return None
    total, absent = sum(counts.values()), counts.get("absent", 0) + counts.get("invalid", 0)
    names = [name for _, name in _AGES if name != "future" or counts.get(name)] + ["older"]
    values = [Column(name, (counts.get(name, 0),), color="c-error" if name == "future" else None) for name in names]
    apart = [name for name in ("invalid", "absent") if counts.get(name)]
    values += [Column(name, (counts[name],), at == 0, "c-refused") for at, name in enumerate(apart)]
    recent = sum(counts.get(name, 0) for name in ("a day", "a week", "a month"))
    lead = (
        f"{share(recent, total)} of the entries say that they changed in the last month; "
        f"{share(absent, total)} say nothing usable."
    )
    body = columns("Ages of lastmods", ("Up to", "Entries"), [("c-accent", "entries")], values)
    return Figure("ages", "Ages of lastmods", lead, body)


_DEPTH = (("c-accent", "in the sitemap"), ("c-redirect", "not in the sitemap"))
_DEEPEST = 10


def _depth(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    query = f"""
        SELECT
            CASE WHEN depth > {_DEEPEST} THEN {_DEEPEST} ELSE depth END,
            count(*) FILTER (is_listed), count(*) FILTER (NOT is_listed)
        FROM known WHERE depth IS NOT NULL OR (is_listed AND is_linked IS NOT NULL) GROUP BY 1
    """
    counts = {depth: tuple(numbers) for depth, *numbers in connection.execute(query).fetchall()}
    unreached: Any = counts.pop(None, None)
    if not counts:
        return None
    names = {depth: f"{depth}+" if depth == _DEEPEST else str(depth) for depth in range(max(counts) + 1)}
    values = [Column(name, counts.get(depth, (0, 0))) for depth, name in names.items()]
    if unreached is not None:
        values.append(Column("not\nreached", unreached, is_apart=True))
    near = sum(sum(counts.get(depth, ())) for depth in range(4))
    lead = f"{share(near, sum(map(sum, counts.values())))} of the linked pages are within three clicks"
    lead += "." if unreached is None else f"; {number(sum(unreached))} listed pages were not reached by links."
    heads = ("Clicks", *(name for _, name in _DEPTH))
    return Figure("depth", "Clicks from the start", lead, columns("Pages by clicks", heads, _DEPTH, values))


def _paths(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    query = f"""
        SELECT
            {folder_of("coalesce(loc, location, '')")}, sum(count)::BIGINT,
            min(array_position(['error', 'warning', 'info'], severity))
        FROM findings WHERE run = $run AND state IS DISTINCT FROM 'fixed' AND verdict = 'found'
        GROUP BY 1 ORDER BY 2 DESC, 1
    """
    words = list(SEVERITIES)
    tiles = [
        Tile(folder, count, SEVERITIES[words[worst - 1]], f"worst: {words[worst - 1]}")
        for folder, count, worst in connection.execute(query, {"run": run}).fetchall()
    ]
    return paths_figure(tiles, "folder")


def paths_figure(tiles: Sequence[Tile], one: str) -> Figure | None:
    """Return the treemap of findings, the greatest tiles first; None without any."""
    if not tiles:
        return None
    total, names = sum(tile.count for tile in tiles), f"{number(len(tiles) - TILES)} other {one}s"
    shown = list(tiles[:TILES])
    if rest := tiles[TILES:]:
        shown.append(Tile(names, sum(tile.count for tile in rest), "c-refused", "not shown one by one"))
    lead = f"{tiles[0].name} has {share(tiles[0].count, total)} of all that was found"
    lead += f", in {plural(len(tiles), one)}." if len(tiles) > 1 else "."
    colors = [(color, f"worst: {word}") for word, color in SEVERITIES.items()]
    body = treemap("Findings by path", (one.capitalize(), "Worst", "Findings"), colors, shown)
    return Figure("paths", "Where the findings are", lead, body, is_wide=True)


def _calendar(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    query = """
        SELECT lastmod::DATE, count(*) FROM known
        WHERE is_listed AND lastmod <= $moment AND lastmod::DATE >= $first GROUP BY 1
    """
    days: dict[date, int] = dict(
        connection.execute(query, {"moment": moment, "first": first_day(moment.date())}).fetchall()
    )
    if not days:
        return None
    most = max(days, key=lambda day: (days[day], day))
    lead = (
        f"By their lastmod, pages changed on {plural(len(days), 'day')} of the last year; "
        f"most of them, {number(days[most])}, on {most}."
    )
    if len(days) == 1:
        lead = f"By their lastmod, all {number(days[most])} pages of the last year changed on one day, {most}."
    body = calendar("Pages by the day of their lastmod", "Pages", days, moment.date())
    return Figure("calendar", "Calendar of changes", lead, body, is_wide=True)


def _history(connection: DuckDBPyConnection, run: int, moment: datetime) -> Figure | None:
    now_found = "findings.state IS DISTINCT FROM 'fixed' AND verdict = 'found'"
    sums = (f"sum(count) FILTER (severity = '{word}' AND {now_found})" for word in SEVERITIES)
    counts = ", ".join(f"coalesce({each}, 0)::BIGINT" for each in sums)
    query = f"""
        SELECT run, any_value(strftime(runs.started, '%Y-%m-%d')), {counts}
        FROM runs LEFT JOIN findings USING (run)
        WHERE run <= $run AND verb = (SELECT verb FROM runs WHERE run = $run)
        GROUP BY run ORDER BY run DESC LIMIT {SHOWN}
    """
    rows = connection.execute(query, {"run": run}).fetchall()[::-1]
    if len(rows) < 2 or not any(sum(row[2:]) for row in rows):
        return None
    before, now = (sum(row[2:]) for row in rows[-2:])
    change = (
        "as many as" if now == before else f"{number(abs(now - before))} {'more' if now > before else 'fewer'} than"
    )
    lead = f"{number(now)} places have findings, {change} in the previous run."
    values = [Column(f"run {each}\n{day}", tuple(numbers)) for each, day, *numbers in rows]
    colors = [(color, word) for word, color in SEVERITIES.items()]
    return Figure(
        "history", "Findings over the runs", lead, columns("Findings by run", ("Run", *SEVERITIES), colors, values)
    )


def _folded(bars: list[Bar], things: str) -> list[Bar]:
    """Return the first bars, and one for the others."""
    if len(bars) <= SHOWN + 1:
        return bars
    rest = bars[SHOWN:]
    sums = tuple(map(sum, zip(*(bar.counts for bar in rest), strict=True)))
    return [*bars[:SHOWN], Bar(f"{number(len(rest))} other {things}", sums)]
