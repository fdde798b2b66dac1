"""The examples of every help run as they are printed."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from support.doc_sites import ANY, EXAMPLE, HOSTS, KEY, sitemap
from support.internet import Internet, internet
from support.pages import Command
from support.s3 import SIGNED, S3Server
from support.shell import Shell
from urlset._cli.verbs import VERBS, command

#: What is typed to have what the examples name, in a folder with the files of `folder`.
BEFORE = """
urlset publish old.csv --dest public --base-url https://example.com/ -q
urlset publish rows.csv --dest public --base-url https://example.com/ -q
urlset publish shop.parquet --columns loc=url --dest s3://bucket/sitemaps --base-url https://example.com/ -q
urlset publish -q
urlset crawl https://example.com --state example.duckdb -f summary
urlset audit https://example.com --state example.duckdb -q
urlset audit https://example.com --state example.duckdb -q
urlset audit https://example.com --state main.duckdb -q
urlset watch https://example.com --state example.sqlite -q -o first.jsonl
"""
#: What an example needs that is not in the folder.
ALONE = {"urlset init": "rm urlset.toml", "urlset crawl": "rm example.duckdb"}


def examples(verb: str) -> list[str]:
    """The examples of a help, without the words beside them."""
    text = (command(verb).help or "").replace("\b", "")
    lines = re.sub(r"\\\n\s*", "", text.partition("Examples:\n")[2].partition("\n\n")[0]).splitlines()
    return [re.sub(r"(?<=\S)\s{2,}\S.*", "", line.strip()) for line in lines if line.strip()]


EXAMPLES = [(verb, line) for verb in VERBS for line in examples(verb)]


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Internet]:
    """The internet of the docs, in which the owner of example.com has a key."""
    key_files = {f"/{KEY}.txt": KEY, "/shop/key.txt": KEY}
    with internet(tmp_path_factory.mktemp("internet"), *HOSTS) as found:
        found.sites = ANY | {"example.com": {**EXAMPLE, **key_files}}
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, net: Internet, s3_server: S3Server) -> Shell:
    """A folder with all that the examples name."""
    folder = tmp_path_factory.mktemp("helps")
    texts = {
        "logo.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>',
        "sitemap.xml": sitemap("example.com", {"/": None, "/tea": "2026-1-3"}),
        "sitemap-1.xml": sitemap("example.com", {"/": None}),
        "old/sitemap.xml": sitemap("example.com", {"/": None, "/gone": None}),
        "old.xml": sitemap("example.com", {"/": None}),
        "new.xml": str(EXAMPLE["/sitemap.xml"]),
        "old.csv": "loc,lastmod\n/,2026-01-01\n",
        "pages.csv": "loc,change_rate,bytes\n/,2,1000\n/shop/tea,0.1,5000\n",
        "looks.csv": "loc,time,hash\n/,2026-01-01,a\n/,2026-01-02,b\n",
        "rows.csv": "loc,lastmod\n/,2026-01-01\n/shop/tea,2026-01-02\n",
        "robots.txt": "User-agent: *\nDisallow: /basket\n",
        "website/index.html": "<title>Shop</title><p>Tea",
        "dist/index.html": "<title>Shop</title><p>Tea",
        "urlset.toml": '[publish]\nbase-url = "https://example.com/"\ndest = "site"\nrows = ["rows.csv"]\n',
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    with sqlite3.connect(folder / "pages.db") as pages:
        pages.execute("CREATE TABLE pages AS SELECT '/tea' AS loc, '2026-01-01' AS lastmod")
    duckdb.execute(f"COPY (SELECT '/tea' AS url, 'leaf' AS brand) TO '{folder / 'shop.parquet'}'")
    duckdb.execute(f"COPY (SELECT '/tea' AS loc, 0.5 AS change_rate) TO '{folder / 'pages.parquet'}'")
    duckdb.execute(f"COPY (SELECT '/tea' AS loc, TIMESTAMPTZ '2026-01-01' AS next) TO '{folder / 'plan.parquet'}'")
    env = net.env | s3_server.env | {"URLSET_INDEXNOW_KEY": KEY, "DATABASE_URL": "sqlite:///pages.db"}
    shell = Shell(folder, env)
    s3_server.ask("PUT", "/bucket", Authorization=SIGNED)
    for line in ["gzip --keep sitemap.xml sitemap-1.xml", *BEFORE.strip().splitlines()]:
        shell.run(Command(line))
    return shell


@pytest.mark.parametrize(("verb", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_works(folder: Shell, tmp_path: Path, verb: str, line: str) -> None:
    here = Shell(shutil.copytree(folder.folder, tmp_path / "here"), folder.env)
    for begin, before in ALONE.items():
        if line.startswith(begin):
            here.run(Command(before))
    if "--every" in line:  # until Ctrl-C
        here.run(Command(f"timeout --preserve-status --signal INT 5 {line}", 130))
    else:
        here.run(Command(line))


def test_every_verb_has_examples_of_its_own() -> None:
    assert [verb for verb in VERBS if not any(line.startswith(f"urlset {verb}") for line in examples(verb))] == []
    assert [line for _, line in EXAMPLES if "urlset " not in line] == []
