"""Write docs/speed.md and docs/speed.svg from the kept results, and from nothing else.

    python benches/picture.py            write both
    python benches/picture.py --check    exit code 1 if either is not what the results say

Called by run.py after a full run.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from readers import READERS
from report import RESULTS, times
from writers import NODE, NODE_LABEL, READ_BACK, WRITERS

DOCS = Path(__file__).parent.parent / "docs"
PAGE, PICTURE = DOCS / "speed.md", DOCS / "speed.svg"
SHOWN = ("plain", "images")
"""The inputs that the picture shows."""
LABELS = {
    "plain": "plain: loc, lastmod, changefreq, priority",
    "images": "images: the same with three images each",
    "dense": "dense: loc and date, no blanks",
    "alternates": "alternates: 20 language links each",
}
ASKED = {"usp": "× usp", "lxml": "× lxml", "count": "× count"}
"""The ratios that the page shows for each reader."""

Record = dict[str, Any]
Results = dict[str, Any]
"""What was kept: `counts`, `read`, `write`, `giant`, each where there is a file of it."""


def load(folder: Path = RESULTS) -> Results:
    """Everything that was kept."""
    return {
        name: json.loads(path.read_text("utf-8"))
        for name in ("counts", "read", "write", "giant")
        if (path := folder / f"{name}.json").is_file()
    }


# --- the picture --------------------------------------------------------------------------------------------

WIDTH, LEFT, RIGHT, BAR, STEP, TOP = 920, 200, 330, 14, 24, 64
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600; font-size: 15px }
.small { fill: #59636e; font-size: 12px } .page { fill: #ffffff } .ours { fill: #0969da } .peer { fill: #8c959f }
.memory { fill: #d4a72c }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small { fill: #9198a1 } .page { fill: #0d1117 } .ours { fill: #4493f8 }
  .peer { fill: #656c76 } .memory { fill: #bb8009 }
}"""


def picture(results: Results) -> str:
    """The bars of the readers on the inputs in SHOWN, as SVG; its colours follow the light or dark of who looks."""
    records = results["read"]["results"]
    body: list[str] = []
    y = TOP
    for name in SHOWN:
        found = [record for record in of_input(records, name) if is_bar(record)]
        if not found:
            continue
        body.append(text_at(16, y, LABELS[name], "title"))
        y += 14
        most = max(record["mb_per_second"] for record in found)
        for record in sorted(found, key=lambda record: -record["mb_per_second"]):
            body += _bar(record, y, most)
            y += STEP
        y += 32
    title = "Megabytes of decompressed XML read per second, best of the run"
    facts = machine_of(results["read"]["machine"])
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{y}" rx="6"/>',
        text_at(16, 26, title, "title"),
        text_at(16, y - 12, facts, "small"),
    ]
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def of_input(records: Iterable[Record], name: str) -> list[Record]:
    """The records of one input that count, of readers that there still are."""
    return [each for each in records if each["input"] == name and each["seconds"] and each["reader"] in READERS]


def is_bar(record: Record) -> bool:
    """Whether a record is of reading one document of XML, or of the count that stands for memory."""
    reader = READERS[record["reader"]]
    return reader.source == "xml" and reader.documents == 1


def _bar(record: Record, y: int, most: float) -> list[str]:
    reader = READERS[record["reader"]]
    kind = "memory" if reader.finds == "tags" else "ours" if reader.package == "urlset" else "peer"
    speed = record["mb_per_second"]
    width = max(1.0, (WIDTH - LEFT - RIGHT) * speed / most)
    value = f"{speed:,.0f} MB/s" if speed >= 10 else f"{speed:,.1f} MB/s"
    if kind == "memory":
        said = [value, "reads nothing"]
    else:
        # A peer is compared with the slowest only; urlset with all in ASKED.
        ratios = {base: times(record["times"].get(base)) for base in (ASKED if kind == "ours" else ["usp"])}
        said = [value, *(f"{ratio} {ASKED[base]}" for base, ratio in ratios.items() if base != record["reader"])]
    base = y + BAR - 3
    return [
        text_at(LEFT - 8, base, reader.label, anchor="end"),
        f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}"/>',
        text_at(round(LEFT + width) + 6, base, ", ".join(said), "small"),
    ]


def text_at(x: int, y: int, text: str, kind: str = "", anchor: str = "") -> str:
    """Return a text of the picture."""
    kind = f' class="{kind}"' if kind else ""
    anchor = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}"{kind}{anchor}>{escape(text)}</text>'


def machine_of(machine: Record) -> str:
    """Return where and when figures were measured, as one line."""
    cpu, cores, system = machine["cpu"], machine["cores"], machine["system"]
    return f"{cpu}, {cores} cores, {system}, Python {machine['python']}, {machine['date'][:10]}"


# --- the page -----------------------------------------------------------------------------------------------

INTRODUCTION = """\
# Speed

![Bars that show how many megabytes of XML each reader reads per second](speed.svg)

`benches/picture.py` writes this page and its picture from `benches/results/*.json`. Machines differ and are noisy,
so compare the ratios, for which the readers took turns in one run. [benches/README.md](../benches/README.md)
describes what is measured, and how every repetition is checked. `count` is `data.count(b"<")`, which reads nothing
and stands for the speed of memory; `lxml` is `iterparse` with one pass over the four fields.
"""
HISTORY = """\
## How they changed

![The main ratios at each commit that measured them, as small charts](history.svg)

`benches/history.py` draws this from the versions of `benches/results/*.json` that the repository has.
"""
REPEAT = """\
## To repeat it

```sh
make bench                    # everything, then this page; some minutes, 1.5 GB in benches/data
python benches/picture.py     # only this page, from the existing results
```
"""


def page(results: Results) -> str:
    """The page, with a section for everything that was kept."""
    parts = [INTRODUCTION]
    if "read" in results:
        parts += [_reading(results["read"]), _ratios(results["read"]["results"])]
    if "counts" in results:
        parts.append(_counting(results["counts"]))
    if "giant" in results:
        parts.append(_giant(results["giant"]))
    if "write" in results:
        parts.append(_writing(results["write"]))
    parts += [HISTORY, _where(results), REPEAT]
    return "\n".join(part for part in parts if part)


def _reading(read: Results) -> str:
    lines = ["## Reading", "", "From the bytes of one document in memory to everything that the reader returns.", ""]
    for made in read["inputs"]:
        found = [record for record in of_input(read["results"], made["name"]) if is_bar(record)]
        lines += [f"### {LABELS[made['name']]}", "", f"{made['rows']:,} entries, {made['bytes'] / 1e6:.1f} MB.", ""]
        body = [
            [
                _label(record),
                f"{record['mb_per_second']:,.1f}",
                f"{record['entries_per_second']:,.0f}"
                if READERS[record["reader"]].finds in ("entries", "number")
                else "",
                *(times(record["times"].get(base)) for base in ASKED),
            ]
            for record in found
        ]
        lines += [*_table(["reader", "MB/s", "entries/s", *ASKED.values()], body), *_wrong(read, made["name"]), ""]
    return "\n".join(lines)


def _wrong(read: Results, name: str) -> list[str]:
    wrong = [each for each in read["results"] if each["input"] == name and each["wrong"]]
    return [line for each in wrong for line in ("", f"Wrong, so without a time: {each['reader']}, {each['wrong']}.")]


def _label(record: Record) -> str:
    reader = READERS[record["reader"]]
    return f"{reader.label} {record['version']}" if reader.package else reader.label


PAIRS = (
    ("urlset-loc", "urlset", "`columns=['loc']` against all columns"),
    ("urlset-objects", "urlset", "`UrlEntry` objects against the table"),
    ("urlset-cores", "urlset", "one document on all cores, against one core"),
    ("urlset-threads", "urlset-two", "two documents on all cores, against one after the other"),
    ("urlset-lint", "urlset", "all rules for one document (`lint`) against the table"),
    ("urlset-gz", "gunzip", "gzip to the table, against `zlib.decompress` alone"),
)
"""Further comparisons of urlset: a reader, the one it is compared with, and a description."""


def _ratios(records: Sequence[Record]) -> str:
    names = [name for name in LABELS if of_input(records, name)]
    body = []
    for reader, base, words in PAIRS:
        ratios = [_ratio(of_input(records, name), reader, base) for name in names]
        if any(ratios):
            body.append([words, *(times(ratio) for ratio in ratios)])
    if not body:
        return ""
    about = (
        "Ratios of speed: above 1 is faster. `zlib` comes with Python, while urlset decompresses with `zlib-rs`, so\n"
        "the last ratio also compares two libraries."
    )
    head = "## Against itself, and against decompression"
    return "\n".join([head, "", about, "", *_table(["urlset", *names], body), ""])


def _ratio(records: Iterable[Record], reader: str, base: str) -> float | None:
    seconds = {record["reader"]: float(record["seconds"]) for record in records}
    return seconds[base] / seconds[reader] if {reader, base} <= seconds.keys() else None


def _counting(counts: Results) -> str:
    body = [
        [
            record["input"],
            f"{record['entries']:,}",
            f"{record['allocations']:,}",
            f"{record['peak_bytes'] / 1e6:,.2f}",
            f"{record['looked_at'] / record['bytes']:.4f}",
        ]
        for record in counts["counts"]
    ]
    about = (
        "What reading a document into the full table takes, by the core alone. These counts are the same in every\n"
        "run: blocks of memory that are allocated, the most that is held of them, and how often a byte is looked at."
    )
    head = ["input", "entries", "blocks", "peak, MB", "looks at a byte"]
    return "\n".join(["## Counted", "", about, "", *_table(head, body), ""])


def _giant(giant: Results) -> str:
    head = ["file", "entries", "seconds", "MB/s", "peak RSS, MB", "RSS before reading, MB"]
    body = []
    for record in giant["giant"]:
        size = f"{record['bytes'] / 1e6:,.0f} MB"
        if not record["seconds"]:
            body.append([size, f"{record['rows']:,}", f"wrong: {record['wrong']}", "", "", ""])
            continue
        memory = [f"{record[key] / 1e6:,.1f}" for key in ("peak_rss_bytes", "before_bytes")]
        speed = f"{record['mb_per_second']:,.1f}"
        body.append([size, f"{record['rows']:,}", f"{record['seconds']:.2f}", speed, *memory])
    lines = ["## A giant document", "", "One urlset from disk with `urlset.scan`, in batches that are not kept.", ""]
    lines += _table(head, body)
    if giant["growth"]:
        lines += ["", f"Seconds per byte, the larger file divided by the smaller: {times(giant['growth'])}."]
    return "\n".join([*lines, ""])


def _writing(write: Results) -> str:
    labels = {name: label for name, (label, _) in WRITERS.items()} | {NODE: NODE_LABEL}
    body = [
        [
            labels[record["writer"]],
            f"{record['mb_per_second']:,.1f}",
            f"{record['entries_per_second']:,.0f}",
            times(record["times"].get(NODE)),
            times(record["times"].get("elementtree")),
            times(record["times"].get(READ_BACK)),
        ]
        for record in write["write"]
        if record["seconds"] and record["writer"] in labels
    ]
    lines = ["## Writing", "", f"{write['input']['entries']:,} entries with four fields, to XML in memory.", ""]
    lines += _table(["writer", "MB/s", "entries/s", "× sitemap.js", "× xml.etree", "× reading it with urlset"], body)
    published = write["publish"]
    if published and not published["wrong"]:
        lines += [
            "",
            f"`urlset.publish` of {published['entries']:,} rows of CSV to {published['shards']} gzipped and verified "
            f"shards and their index: {published['seconds']:.2f} s,\n"
            f"with a peak RSS of {published['peak_rss_bytes'] / 1e6:,.0f} MB. The same rows again, with nothing to "
            f"write: {published['rerun_seconds']:.2f} s;\n"
            f"as a relation of DuckDB, whose rows have to be read to know that: "
            f"{published['relation_rerun_seconds']:.2f} s.",
        ]
    return "\n".join([*lines, ""])


def _where(results: Results) -> str:
    lines = ["## Where and when", ""]
    return "\n".join([*lines, *(f"- {name}: {machine_of(kept['machine'])}" for name, kept in results.items()), ""])


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    rule = ["---", *["--:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)]


def write_pages() -> None:
    """Write both files."""
    results = load()
    PAGE.write_text(page(results), encoding="utf-8")
    PICTURE.write_text(picture(results), encoding="utf-8")


def stale() -> list[str]:
    """Which of the files are not what the results say."""
    results = load()
    made = {PAGE: page(results), PICTURE: picture(results)}
    return [path.name for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]


def main() -> int:
    """Write the files, or check them; return 1 if they are out of date."""
    parser = argparse.ArgumentParser(description="Write the page and the picture of the benchmarks.")
    parser.add_argument("--check", action="store_true", help="write nothing, report files that are out of date")
    if not parser.parse_args().check:
        write_pages()
        return 0
    for name in (found := stale()):
        print(f"docs/{name} is out of date: run `python benches/picture.py`", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
