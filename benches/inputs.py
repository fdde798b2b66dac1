"""The inputs of the benchmarks, made from a seed: the same name, size and seed give the same bytes.

Each input has a record next to it (``plain-50000.json`` next to ``plain-50000.xml``) with what a
correct reader must find in it. The record is computed from the rows while they are generated,
never by reading the file, so that no reader marks its own work.

    python benches/inputs.py plain images dense alternates gz --out benches/data
    python benches/inputs.py giant
    python benches/inputs.py rows parquet --entries 1000000
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import gzip
import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from email.utils import format_datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from shop import SEED, SITE, Row, rows

DATA = Path(__file__).parent / "data"
GIANT = 1_000_000_000
"""Bytes of the giant input unless the caller says otherwise; it ends with the first entry at or past them."""
ROWS = 1_000_000

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
XHTML = "http://www.w3.org/1999/xhtml"
ATOM = "http://www.w3.org/2005/Atom"

LANGUAGES = (
    "en", "en-GB", "en-AU", "de", "de-AT", "de-CH", "fr", "fr-BE", "es", "es-MX",
    "it", "nl", "pl", "pt", "pt-BR", "sv", "da", "fi", "cs", "x-default",
)  # fmt: skip


def _escape(loc: str) -> str:
    return loc.replace("&", "&amp;")  # the only character of a generated loc that XML needs escaped


def _plain(row: Row, more: str = "") -> str:
    return (
        f"  <url>\n    <loc>{_escape(row.loc)}</loc>\n    <lastmod>{row.lastmod}</lastmod>\n"
        f"    <changefreq>{row.changefreq}</changefreq>\n    <priority>{row.priority}</priority>\n"
        f"{more}  </url>\n"
    )


def _windows(row: Row) -> str:
    return _plain(row).replace("\n", "\r\n")


def _images(row: Row) -> str:
    image = (
        "    <image:image>\n      <image:loc>https://cdn.example.com/{slug}-{number}.jpg</image:loc>\n"
        "    </image:image>\n"
    )
    return _plain(row, "".join(image.format(slug=row.slug, number=number) for number in (1, 2, 3)))


def _dense(row: Row) -> str:
    return f"<url><loc>{_escape(row.loc)}</loc><lastmod>{row.lastmod[:10]}</lastmod></url>"


def _alternates(row: Row) -> str:
    links = "".join(
        f'    <xhtml:link rel="alternate" hreflang="{language}" href="{SITE}/{language}/{row.slug}"/>\n'
        for language in LANGUAGES
    )
    return f"  <url>\n    <loc>{_escape(row.loc)}</loc>\n{links}  </url>\n"


def _number(row: Row) -> int:
    return int(row.slug[-8:])


def _on_hosts(number: int) -> Callable[[Row], Row]:
    """Return what puts each row on the next of so many hosts."""
    return lambda row: row._replace(loc=row.loc.replace("www.", f"www{_number(row) % number}."))


def _iri(row: Row) -> Row:
    return row._replace(loc=row.loc.replace("/shop/", "/shop/thé-茶/"))


def _escaped_iri(row: Row) -> Row:
    return row._replace(loc=row.loc.replace("/shop/", "/shop/th%C3%A9-%E8%8C%B6/"))


def _unescaped(row: Row) -> str:
    return _plain(row).replace("&amp;", "&")


def _misnamed(every: int) -> Callable[[Row], str]:
    """Return what closes the lastmod of one row in so many by another name."""
    return lambda row: _plain(row).replace("</lastmod>", "</lastmod>" if _number(row) % every else "</lastmode>")


def _atom(row: Row) -> str:
    return (
        f'  <entry>\n    <title>About {row.slug}</title>\n    <link rel="alternate" href="{_escape(row.loc)}"/>\n'
        f"    <id>urn:example:{row.slug}</id>\n    <updated>{row.lastmod}</updated>\n"
        f"    <summary>What there is to say about {row.slug}.</summary>\n  </entry>\n"
    )


def _rss(row: Row) -> str:
    date = format_datetime(datetime.datetime.fromisoformat(row.lastmod))
    return (
        f"    <item>\n      <title>About {row.slug}</title>\n      <link>{_escape(row.loc)}</link>\n"
        f"      <guid>{_escape(row.loc)}</guid>\n      <pubDate>{date}</pubDate>\n"
        f"      <description>What there is to say about {row.slug}.</description>\n    </item>\n"
    )


def _wordpress(row: Row) -> str:
    """Return an item as WordPress writes it: most of its elements are of other namespaces, and most texts in CDATA."""
    date = format_datetime(datetime.datetime.fromisoformat(row.lastmod))
    text = f"<p>What there is to say about <a href='{SITE}/'>{row.slug}</a>.</p>"
    return (
        f"    <item>\n      <title>About {row.slug}</title>\n      <link>{_escape(row.loc)}</link>\n\n"
        f"      <dc:creator><![CDATA[editor]]></dc:creator>\n      <pubDate>{date}</pubDate>\n"
        f"      <category><![CDATA[{row.changefreq}]]></category>\n"
        f'      <guid isPermaLink="false">{SITE}/?p={_number(row)}</guid>\n\n'
        f"      <description><![CDATA[{text}]]></description>\n"
        f"      <content:encoded><![CDATA[\n{text * 4}\n]]></content:encoded>\n"
        f"      <wfw:commentRss>{SITE}/{row.slug}/feed/</wfw:commentRss>\n"
        f"      <slash:comments>{_number(row) % 7}</slash:comments>\n    </item>\n"
    )


def _jekyll(row: Row) -> str:
    """Return an entry as jekyll-feed writes it: the address of a link comes first, and texts are in CDATA."""
    loc, text = _escape(row.loc), f"<p>What there is to say about <em>{row.slug}</em>.</p>"
    return (
        f'<entry><title type="html">About {row.slug}</title><link href="{loc}" rel="alternate" type="text/html" '
        f'title="About {row.slug}" /><published>{row.lastmod}</published><updated>{row.lastmod}</updated>'
        f'<id>urn:example:{row.slug}</id><content type="html" xml:base="{loc}"><![CDATA[{text * 4}]]></content>'
        f'<author><name>editor</name></author><category term="{row.changefreq}" />'
        f'<summary type="html"><![CDATA[{text}]]></summary></entry>'
    )


def _line(row: Row) -> str:
    return f"{row.loc}\n"


def _csv(row: Row) -> str:
    return f"{row.loc},{row.lastmod},{row.changefreq},{row.priority}\n"  # no generated value needs quotes


DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'


class Layout(NamedTuple):
    """How one input is written down."""

    suffix: str
    entries: int
    """Entries unless the caller says otherwise; 0 where the size in bytes rules."""
    head: str
    entry: Callable[[Row], str]
    tail: str
    change: Callable[[Row], Row] | None = None
    """What becomes of a row before it is written down."""


PLAIN = Layout(".xml", 50_000, f'{DECLARATION}\n<urlset xmlns="{CORE}">\n', _plain, "</urlset>\n")

LAYOUTS = {
    "plain": PLAIN,
    "windows": Layout(".xml", 50_000, f'{DECLARATION}\r\n<urlset xmlns="{CORE}">\r\n', _windows, "</urlset>\r\n"),
    "images": Layout(
        ".xml",
        50_000,
        f'{DECLARATION}\n<urlset xmlns="{CORE}" xmlns:image="{IMAGE}">\n',
        _images,
        "</urlset>\n",
    ),
    "dense": Layout(".xml", 50_000, f'{DECLARATION}<urlset xmlns="{CORE}">', _dense, "</urlset>"),
    "alternates": Layout(
        ".xml",
        10_000,
        f'{DECLARATION}\n<urlset xmlns="{CORE}" xmlns:xhtml="{XHTML}">\n',
        _alternates,
        "</urlset>\n",
    ),
    "hosts": PLAIN._replace(change=_on_hosts(2)),
    "hosts8": PLAIN._replace(change=_on_hosts(8)),
    "iris": PLAIN._replace(change=_iri),
    "escapes": PLAIN._replace(change=_escaped_iri),
    "ampersands": PLAIN._replace(entry=_unescaped),
    "misnamed": PLAIN._replace(entry=_misnamed(10)),
    "once": PLAIN._replace(entry=_misnamed(50_000)),
    "atom": Layout(
        ".xml",
        50_000,
        f'{DECLARATION}\n<feed xmlns="{ATOM}">\n  <title>News</title>\n  <id>urn:example:news</id>\n'
        "  <updated>2026-01-01T00:00:00Z</updated>\n",
        _atom,
        "</feed>\n",
    ),
    "rss": Layout(
        ".xml",
        50_000,
        f'{DECLARATION}\n<rss version="2.0">\n  <channel>\n    <title>News</title>\n    <link>{SITE}/</link>\n'
        "    <description>News</description>\n",
        _rss,
        "  </channel>\n</rss>\n",
    ),
    "wordpress": Layout(
        ".xml",
        20_000,
        f'{DECLARATION}<rss version="2.0"\n  xmlns:content="http://purl.org/rss/1.0/modules/content/"\n'
        '  xmlns:wfw="http://wellformedweb.org/CommentAPI/"\n  xmlns:dc="http://purl.org/dc/elements/1.1/"\n'
        f'  xmlns:slash="http://purl.org/rss/1.0/modules/slash/">\n<channel>\n  <title>News</title>\n'
        f"  <link>{SITE}</link>\n  <description>News</description>\n",
        _wordpress,
        "</channel>\n</rss>\n",
    ),
    "jekyll": Layout(
        ".xml",
        20_000,
        f'{DECLARATION}<feed xmlns="{ATOM}" ><link href="{SITE}/feed.xml" rel="self" type="application/atom+xml" />'
        f"<updated>2026-01-01T00:00:00+00:00</updated><id>{SITE}/feed.xml</id>",
        _jekyll,
        "</feed>",
    ),
    "lines": Layout(".txt", 50_000, "", _line, ""),
    "giant": PLAIN._replace(entries=0),
    "rows": Layout(".csv", ROWS, "loc,lastmod,changefreq,priority\n", _csv, ""),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Input:
    """One input on disk and what is in it."""

    name: str
    path: Path
    seed: int
    rows: int
    """Entries in the file."""
    bytes: int
    """Size of the file, not gzipped."""
    tags: int
    """How often `<` occurs in it."""
    locs: str
    """SHA-256 (hex) of the decoded locs, joined by newlines, in UTF-8."""
    sha256: str
    """SHA-256 (hex) of the file's bytes."""


def _generate(name: str, path: Path, entries: int, most: int, seed: int) -> Input:
    """Stream the input to `path`, `entries` of them or `most` bytes; memory stays at one block of entries."""
    layout = LAYOUTS[name]
    source = rows(seed) if layout.change is None else map(layout.change, rows(seed))
    source = islice(source, entries) if entries else source
    content, locs = hashlib.sha256(), hashlib.sha256()
    count = size = tags = 0
    text = layout.head
    with path.open("wb") as file:
        while True:
            block = list(islice(source, 2_000))
            if not entries:
                written = size + len(text) + len(layout.tail)
                block = _up_to(block, layout.entry, most - written)
            text += "".join(map(layout.entry, block))
            if block:
                joined = "\n".join(row.loc for row in block)
                locs.update(f"\n{joined}".encode() if count else joined.encode())
                count += len(block)
            else:
                text += layout.tail
            data = text.encode()
            content.update(data)
            size += len(data)
            tags += data.count(b"<")
            file.write(data)
            text = ""
            if not block:
                break
    return Input(name, path, seed, count, size, tags, locs.hexdigest(), content.hexdigest())


def _up_to(block: list[Row], entry: Callable[[Row], str], room: int) -> list[Row]:
    """Return the rows from the front of `block` until their text has filled `room` bytes (ASCII)."""
    for index, row in enumerate(block):
        if room <= 0:
            return block[:index]
        room -= len(entry(row))
    return block


def ensure(name: str, *, directory: Path = DATA, entries: int = 0, size: int = GIANT, seed: int = SEED) -> Input:
    """Return the input `name` of `entries` entries (0: as many as usual), making it if it is not there.

    `size` is that of giant, in bytes. An input counts as there when its record was written by this very
    generator and its file has the recorded size. Raises KeyError for an unknown name.
    """
    layout = LAYOUTS[name]
    entries = 0 if name == "giant" else entries or layout.entries
    path = directory / f"{name}-{entries or size}{layout.suffix}"
    record = path.with_suffix(".json")
    generator = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    if record.exists() and path.exists():
        known = json.loads(record.read_text())
        same = known.pop("generator") == generator and known["seed"] == seed
        if same and path.stat().st_size == known["bytes"]:
            return Input(path=path, **known)
    _say(f"making {path}")
    directory.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    made = _generate(name, path, entries, size, seed)
    fields = {"generator": generator, **dataclasses.asdict(made)}
    del fields["path"]
    record.write_text(json.dumps(fields, indent=2) + "\n")
    return made


def gzipped(made: Input) -> Path:
    """Return the input gzipped at level 6, without name or time, next to it; made again if it is older."""
    path = made.path.with_name(f"{made.path.name}.gz")
    if path.exists() and path.stat().st_mtime_ns >= made.path.stat().st_mtime_ns:
        return path
    _say(f"making {path}")
    partial = path.with_suffix(".partial")  # a run that is stopped here leaves nothing that looks whole
    with (
        made.path.open("rb") as source,
        partial.open("wb") as file,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as target,
    ):
        shutil.copyfileobj(source, target, 1 << 20)
    return partial.replace(path)


def parquet(made: Input) -> Path:
    """Return the `rows` input as Parquet next to it, made by DuckDB (ImportError without it)."""
    duckdb: Any = import_module("duckdb")

    path = made.path.with_suffix(".parquet")
    if path.exists() and path.stat().st_mtime_ns >= made.path.stat().st_mtime_ns:
        return path
    _say(f"making {path}")
    partial = path.with_suffix(".partial")
    duckdb.read_csv(str(made.path)).write_parquet(str(partial))
    return partial.replace(path)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Make the inputs named on the command line and print what is in each."""
    parser = argparse.ArgumentParser(description="Make the inputs of the benchmarks.")
    parser.add_argument(
        "names",
        nargs="+",
        choices=[*LAYOUTS, "gz", "parquet"],
        metavar="NAME",
        help=f"{', '.join(LAYOUTS)}; gz: gzip each XML input named as well; parquet: rows as Parquet as well",
    )
    parser.add_argument("--out", type=Path, default=DATA, help="folder to make them in (%(default)s)")
    parser.add_argument("--entries", type=int, default=0, help="entries or rows instead of the usual number")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    for name in LAYOUTS:
        if name not in options.names:
            continue
        made = ensure(name, directory=options.out, entries=options.entries, seed=options.seed)
        if "gz" in options.names and name != "rows":
            gzipped(made)
        if "parquet" in options.names and name == "rows":
            parquet(made)
        print(f"{made.path}  {made.rows:,} rows  {made.bytes:,} bytes  locs {made.locs}")


if __name__ == "__main__":
    main()
