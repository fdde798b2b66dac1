"""Settings of `publish`: what a file means, how invalid files are refused, and how options override it."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from urlset import InputError
from urlset._config.file import load
from urlset._config.publish_settings import IndexNowSettings, PublishSettings, SiteSettings
from urlset._config.section_settings import SectionSettings
from urlset._config.sections import resolve_sections, with_given
from urlset._config.settings import keys_of
from urlset._options.shared import check_store_option

SECTION = """
name = "shop"
rows = ["a.csv", "more/*.parquet", "/srv/rows.csv"]
from = "csv"
encoding = "cp1252"
html = "dist"
set = "old/sitemap.xml"
database = "sqlite:///shop.db"
database-env = "SHOP"
query = "SELECT 1"
shard-by = "key:brand"
columns = { loc = "url", lang = "Locale" }
lastmod-from = ["front-matter", "git"]
files = "content"
html-url = "https://example.com/shop/"
index-pages = "keep"
trailing-slash = "never"
generator = "hugo"
omit = ["archives", "drafts"]
languages = { en = ".", de = "de" }
alternates = true
images = false
robots-txt = "dist/robots.txt"
boilerplate = ["aside.x", "#latest"]
mask = ["visitors: *"]
include-pages = ["**/*.html"]
exclude-pages = []
"""

SITE = """
base-url = "https://example.com/"
dest = "public"
scope = "https://example.com/shop/"
x-default = "en"
recent = 3
news = true
removed = 30
compression = "none"
names = "stable"
pretty = true
stylesheet = false
update-robots = true
allow = ["shrunk"]
on-error = "collect"
rejects = "refused.jsonl"
memory = "1GB"
zone = "+01:00"
on-bad-value = "drop"
verify = true
store = { region = "eu-central-1", max_retries = 3, allow_http = false }
object-headers = { "*.xml" = { Cache-Control = "no-cache" } }
indexnow = { key-env = "KEY", key-location = "https://example.com/k.txt", endpoint = "https://example.com/in" }
site = { title = "Tea", description = "A shop", author = "Tea Ltd." }
"""


def section_of(folder: Path) -> dict[str, Any]:
    """What SECTION means."""
    return {
        "name": "shop",
        "rows": (str(folder / "a.csv"), str(folder / "more/*.parquet"), "/srv/rows.csv"),
        "form": "csv",
        "encoding": "cp1252",
        "html": folder / "dist",
        "set": folder / "old" / "sitemap.xml",
        "database": f"sqlite:///{folder}/shop.db",
        "database_env": "SHOP",
        "query": "SELECT 1",
        "shard_by": "key:brand",
        "columns": {"loc": "url", "lang": "Locale"},
        "lastmod_from": ("front-matter", "git"),
        "files": folder / "content",
        "html_url": "https://example.com/shop/",
        "index_pages": "keep",
        "trailing_slash": "never",
        "generator": "hugo",
        "omit": ("archives", "drafts"),
        "languages": {"en": ".", "de": "de"},
        "alternates": True,
        "images": False,
        "robots_txt": folder / "dist" / "robots.txt",
        "mask": ("visitors: *",),
        "boilerplate": ("aside.x", "#latest"),
        "include_pages": ("**/*.html",),
        "exclude_pages": (),
    }


def site_of(folder: Path) -> dict[str, Any]:
    """What SITE means."""
    return {
        "base_url": "https://example.com/",
        "dest": str(folder / "public"),
        "scope": "https://example.com/shop/",
        "x_default": "en",
        "recent": 3,
        "news": True,
        "removed": 30,
        "compression": "none",
        "names": "stable",
        "pretty": True,
        "stylesheet": False,
        "update_robots": True,
        "allow": ("shrunk",),
        "on_error": "collect",
        "rejects": folder / "refused.jsonl",
        "memory": "1GB",
        "zone": "+01:00",
        "on_bad_value": "drop",
        "verify": True,
        "store": {"region": "eu-central-1", "max_retries": 3, "allow_http": False},
        "object_headers": {"*.xml": {"Cache-Control": "no-cache"}},
        "indexnow": IndexNowSettings(
            key_env="KEY", key_location="https://example.com/k.txt", endpoint="https://example.com/in"
        ),
        "site": SiteSettings(title="Tea", description="A shop", author="Tea Ltd."),
    }


def write(folder: Path, text: str, name: str = "urlset.toml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def settings(folder: Path, text: str) -> PublishSettings:
    return load(write(folder, f"[publish]\n{text}")).publish


# --- what a file says ----------------------------------------------------------------------------------------------


def test_every_key(tmp_path: Path) -> None:
    text = f"[publish]\n{SECTION}{SITE}\n[[publish.section]]\n{SECTION}"
    inner = SectionSettings(**section_of(tmp_path))
    expected = PublishSettings(**section_of(tmp_path), **site_of(tmp_path), section=(inner,))
    assert load(write(tmp_path, text)).publish == expected
    table = tomllib.loads(text)["publish"]
    assert sorted(table) == sorted(keys_of(PublishSettings))
    assert sorted(table["section"][0]) == sorted(keys_of(SectionSettings))
    assert sorted(table["indexnow"]) == sorted(keys_of(IndexNowSettings))
    assert sorted(table["site"]) == sorted(keys_of(SiteSettings))


def test_the_same_in_a_pyproject(tmp_path: Path) -> None:
    path = write(tmp_path, f"[tool.urlset.publish]\n{SECTION}{SITE}", "pyproject.toml")
    assert load(path).publish == PublishSettings(**section_of(tmp_path), **site_of(tmp_path))


def test_absent_settings_are_none(tmp_path: Path) -> None:
    for text in ("", "[publish]\n", "[lint]\n"):
        found = load(write(tmp_path, text)).publish
        assert all(getattr(found, field.name) is None for field in fields(PublishSettings))


def test_a_destination_that_is_a_url_stays_as_written(tmp_path: Path) -> None:
    assert settings(tmp_path, 'dest = "s3://bucket/maps"').dest == "s3://bucket/maps"
    assert settings(tmp_path, 'dest = "/srv/www"').dest == "/srv/www"


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("sqlite:////srv/shop.db", "sqlite:////srv/shop.db"),
        ("postgresql://web@db.example/shop", "postgresql://web@db.example/shop"),
        ("sqlite:///a/shop.db", "sqlite:///{folder}/a/shop.db"),
    ],
)
def test_a_databases_file_begins_at_ours(tmp_path: Path, url: str, meant: str) -> None:
    assert settings(tmp_path, f'database = "{url}"').database == meant.format(folder=tmp_path)


def test_a_glob_means_no_wildcards_in_the_folder_of_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "a[1]"
    folder.mkdir()
    assert settings(folder, 'rows = ["*.csv"]').rows == (f"{tmp_path}/a[[]1]/*.csv",)


# --- what cannot be meant ------------------------------------------------------------------------------------------

REFUSED = [
    ('base_url = "x"', "publish.base_url: unknown key; did you mean base-url?"),
    ("dry-run = true", "publish.dry-run: unknown key; known: name, rows, set, "),
    ('indexnow = { key = "0123" }', "publish.indexnow.key: unknown key; did you mean key-env?"),
    ("base-url = 'shop.test'", "publish.base-url must be an absolute http(s) URL, got 'shop.test'"),
    ("base-url = 1", "publish.base-url: expected a string, found 1"),
    ("rows = 'a.csv'", 'publish.rows: expected a list of strings, found the string "a.csv"'),
    ("recent = 0", "publish.recent: expected a positive integer, found 0"),
    ("news = 1", "publish.news: expected true or false, found 1"),
    ("columns = { loc = 1 }", "publish.columns.loc: expected a string, found 1"),
    ("store = { region = [] }", "publish.store.region: expected a string, an integer or a boolean, found a list"),
    ("object-headers = { '*' = 1 }", 'publish.object-headers."*": expected a table, found 1'),
    ("compression = 'zip'", "publish.compression: unknown value 'zip'; did you mean gzip?"),
    ("on-error = 'stop'", "publish.on-error: unknown value 'stop'; known: raise, collect"),
    ("from = 'xlsx'", "publish.from: unknown value 'xlsx'; known: csv, jsonl, parquet, txt, xml"),
    ("index-pages = 'no'", "publish.index-pages: unknown value 'no'; known: slash, keep"),
    ("trailing-slash = 'allways'", "publish.trailing-slash: unknown value 'allways'; did you mean always?"),
    ("shard-by = 'hsh:3'", "publish.shard-by must be one of sticky, "),
    ("shard-by = 'hash:0'", "publish.shard-by must have a valid argument, got 'hash:0': "),
    ("allow = ['shrnk']", "publish.allow: unknown value 'shrnk'; did you mean shrunk?"),
    ("columns = { url = 'loc' }", "publish.columns: unknown column mapping 'url'; known: loc, "),
    ("lastmod-from = ['gti']", "publish.lastmod-from: unknown value 'gti'; did you mean git?"),
    ("store = { object_headers = 'x' }", "publish.store.object_headers: 'object_headers' is not a store option, "),
    ("store = { secret_access_key = 'x' }", "publish.store.secret_access_key: a secret does not belong in a file"),
    ("store = { azure_storage_account_key = 'x' }", "publish.store.azure_storage_account_key: a secret does not"),
    (
        "database = 'postgresql://web:swordfish@db.example/shop'",
        "publish.database: a password does not belong in a file: use database-env or ~/.pgpass",
    ),
    ("database = 'postgresql://db.example/shop?password=swordfish'", "publish.database: a password does not belong"),
    ("section = 1", "publish.section: expected an array of tables, [[publish.section]], found 1"),
    ("section = [1]", "publish.section: expected an array of tables, [[publish.section]], found 1 in it"),
    ("[[publish.section]]", "publish.section[1].name: a section needs a name"),
    (
        "[[publish.section]]\nname = 'a'\n[[publish.section]]\nname = 'a'",
        "publish.section[2].name: another section has the name 'a'",
    ),
    ("[[publish.section]]\nname = 'a'\ndest = 'b'", "publish.section[1].dest: unknown key; "),
    ("[[publish.section]]\nname = 'a'\nshard-by = 'x'", "publish.section[1].shard-by must be one of sticky, "),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        settings(tmp_path, text)
    assert str(raised.value).startswith(f"{tmp_path}/urlset.toml: {message}")
    assert "swordfish" not in str(raised.value)


@pytest.mark.parametrize("name", ["", "A", "9x", "a-b", "clock", "credential_provider", "__class__"])
def test_what_is_no_option_of_a_store_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="is not a store option"):
        check_store_option(name)


# --- sections ------------------------------------------------------------------------------------------------------


def sections(folder: Path, text: str) -> tuple[SectionSettings, ...]:
    return resolve_sections(settings(folder, text))


def test_a_site_without_sections_is_one(tmp_path: Path) -> None:
    [found] = sections(tmp_path, "html = 'dist'\nshard-by = 'hash:4'\nboilerplate = ['a']\ndest = 'x'\n")
    assert found == SectionSettings(html=tmp_path / "dist", shard_by="hash:4", boilerplate=("a",))


def test_a_section_takes_from_the_site_what_it_does_not_say(tmp_path: Path) -> None:
    text = """
        shard-by = "hash:4"
        from = "csv"
        columns = { loc = "url", lastmod = "updated" }
        [[publish.section]]
        name = "a"
        rows = ["/a.csv"]
        columns = { loc = "link" }
        [[publish.section]]
        name = "b"
        database-env = "DB"
        query = "SELECT 1"
        shard-by = "sticky"
    """
    first, second = sections(tmp_path, text)
    assert first == SectionSettings(
        name="a", rows=("/a.csv",), form="csv", shard_by="hash:4", columns={"loc": "link", "lastmod": "updated"}
    )
    assert second == SectionSettings(
        name="b",
        database_env="DB",
        query="SELECT 1",
        form="csv",
        shard_by="sticky",
        columns={"loc": "url", "lastmod": "updated"},
    )


UNCLEAR = [
    ("", "the source of the rows is missing: set one of rows, html, set and database"),
    ("[[publish.section]]\nname = 'a'", "section a: the source of the rows is missing"),
    ("html = 'a'\nset = 'b'", "html and set cannot be combined: rows have one source"),
    ("html = 'a'\nquery = 'SELECT 1'", "a database and a query belong together"),
    ("database = 'sqlite:///a'", "a database and a query belong together"),
    (
        "database = 'sqlite:///a'\ndatabase-env = 'B'\nquery = 'SELECT 1'",
        "database and database-env cannot be",
    ),
    (
        "html = 'a'\n[[publish.section]]\nname = 'a'\nhtml = 'b'",
        "html cannot be combined with sections",
    ),
    (
        "query = 'a'\n[[publish.section]]\nname = 'a'\nhtml = 'b'",
        "query cannot be combined with sections",
    ),
    (
        "name = 'a'\n[[publish.section]]\nname = 'a'\nhtml = 'b'",
        "name cannot be combined with sections",
    ),
]


@pytest.mark.parametrize(("text", "message"), UNCLEAR, ids=[message for _, message in UNCLEAR])
def test_rows_come_from_one_source(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sections(tmp_path, text)


# --- flags ---------------------------------------------------------------------------------------------------------


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    text = """
        base-url = "https://example.com/"
        news = true
        columns = { loc = "url", lang = "locale" }
        store = { region = "eu-central-1" }
        html = "dist"
    """
    flags = {"news": False, "columns": {"loc": "link"}, "store": {"endpoint": "https://s.example"}, "scope": "x"}
    found = with_given(settings(tmp_path, text), flags)
    assert found == PublishSettings(
        base_url="https://example.com/",
        news=False,
        columns={"loc": "link", "lang": "locale"},
        store={"region": "eu-central-1", "endpoint": "https://s.example"},
        scope="x",
        html=tmp_path / "dist",
    )


def test_flags_win_over_sections_too(tmp_path: Path) -> None:
    text = "[[publish.section]]\nname = 'a'\nrows = ['/a']\nshard-by = 'sticky'\ncolumns = { loc = 'x' }"
    [found] = resolve_sections(with_given(settings(tmp_path, text), {"shard_by": "hash:2", "columns": {"lang": "y"}}))
    assert (found.shard_by, found.columns) == ("hash:2", {"loc": "x", "lang": "y"})


@pytest.mark.parametrize(
    "flags",
    [{"rows": ("b.csv",)}, {"html": Path("d")}, {"set": Path("s")}, {"database_env": "D", "query": "SELECT 2"}],
    ids=lambda flags: next(iter(flags)),
)
def test_rows_that_are_given_come_instead_of_all_others(tmp_path: Path, flags: dict[str, Any]) -> None:
    for text in (
        "database = 'sqlite:////d'\nquery = 'SELECT 1'\nboilerplate = ['m']",
        "boilerplate = ['m']\n[[publish.section]]\nname = 'a'\nhtml = 'b'",
        "boilerplate = ['m']\nrows = ['/a.csv']\nfrom = 'txt'",
    ):
        [found] = resolve_sections(with_given(settings(tmp_path, text), flags))
        assert found == SectionSettings(boilerplate=("m",), **flags)


def test_headers_go_to_the_store_with_its_options() -> None:
    headers = {"*.xml": {"Cache-Control": "no-cache"}}
    assert PublishSettings().store_options is None
    assert PublishSettings(store={"region": "x"}).store_options == {"region": "x"}
    assert PublishSettings(store={"region": "x"}, object_headers=headers).store_options == {
        "region": "x",
        "object_headers": headers,
    }
