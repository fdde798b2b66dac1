"""The configured site: the arguments of publish, the opened rows, and what is reported about the rest."""

from __future__ import annotations

import io
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.html_site import BASE, Skips, site
from support.publish.grouped import grouped
from urlset import InputError, Publication, Section, UrlEntry, configured
from urlset._config.publish_settings import PublishSettings
from urlset._config.section_settings import SectionSettings
from urlset._config.sections import with_given
from urlset._config.site import Listeners, opened


class Heard:
    """What was said."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.skips = Skips()

    @property
    def listeners(self) -> Listeners:
        return Listeners(self.notes.append, self.skips)


def publish(
    settings: PublishSettings, heard: Heard | None = None, *, stdin: Any = None, **environment: str
) -> Publication:
    """Published as the command line does it."""
    with opened(settings, (heard or Heard()).listeners, environment=environment, stdin=stdin) as found:
        return urlset.publish(found.entries, found.dest, **found.options)


def rows(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    return str(path)


def locs(folder: Path) -> list[str]:
    return [str(entry.loc).removeprefix(BASE) for entry in urlset.read(folder)]


def test_one_source_is_published_as_it_is(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.csv", "loc,k\n/a,1\n")
    settings = PublishSettings(base_url=BASE, dest=str(tmp_path / "out"), rows=(path,), shard_by="key:k", pretty=True)
    with opened(settings, Heard().listeners, environment={}) as found:
        assert not isinstance(found.entries, dict)
        assert found.dest == str(tmp_path / "out")
        assert found.options == {
            "base_url": BASE,
            "layout": urlset.Layout(pretty=True),
            "columns": {},
            "store": None,
            "shard_by": "key:k",
        }
        urlset.publish(found.entries, found.dest, **found.options)
    assert locs(tmp_path / "out") == ["a"]


def test_every_setting_goes_to_publish(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.csv", "loc\n/a\n")
    said: dict[str, Any] = {
        "base_url": BASE,
        "scope": BASE,
        "x_default": "en",
        "recent": 1,
        "news": False,
        "removed": 2,
        "compression": "none",
        "names": "stable",
        "pretty": False,
        "stylesheet": True,
        "update_robots": False,
        "allow": ("empty",),
        "on_error": "collect",
        "zone": "Z",
        "on_bad_value": "drop",
        "verify": True,
        "memory": "1GB",
        "store": {"region": "x"},
    }
    with opened(PublishSettings(dest="out", rows=(path,), **said), Heard().listeners, environment={}) as found:
        assert found.options == {**grouped(said), "columns": {}, "shard_by": "sticky"}


def test_sections_of_every_kind_are_one_set(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE pages AS SELECT '/db' AS link, 'x' AS sum")
        connection.commit()
    urlset.write([BASE + "old"], tmp_path / "old.xml")
    settings = PublishSettings(
        base_url=BASE,
        dest=str(tmp_path / "out"),
        section=(
            SectionSettings(name="table", rows=(rows(tmp_path / "a.csv", "loc,group,lang\n/a,1,en\n/b,1,de\n"),)),
            SectionSettings(name="list", rows=(rows(tmp_path / "a.txt", BASE + "txt\n"),)),
            SectionSettings(
                name="data",
                database="sqlite:///" + str(tmp_path / "shop.db"),
                query="SELECT * FROM pages",
                columns={"loc": "link", "content": "sum"},
            ),
            SectionSettings(name="pages", html=site(tmp_path / "html", "index.html")),
            SectionSettings(name="old", set=tmp_path / "old.xml", shard_by="hash:2"),
        ),
    )
    heard = Heard()
    with opened(settings, heard.listeners, environment={}) as found:
        assert isinstance(found.entries, dict)
        assert all(isinstance(section, Section) for section in found.entries.values())
        assert [section.shard_by for section in found.entries.values()] == ["sticky"] * 4 + ["hash:2"]
        assert [set(section.columns or ()) for section in found.entries.values()] == [
            {"group", "lang"},
            set(),
            {"content"},
            {"lastmod_source", "content"},
            set(),
        ]
    publication = publish(settings, heard)
    assert {shard.section for shard in publication.plan.shards} == {"table", "list", "data", "pages", "old"}
    assert sorted(locs(tmp_path / "out")) == ["", "a", "b", "db", "old", "txt"]
    assert heard.notes == []


def test_a_table_with_none_of_a_column_that_another_has(tmp_path: Path) -> None:
    """Two tables in one publish, of which one has translations and the other has not."""
    settings = PublishSettings(
        base_url=BASE,
        dest=str(tmp_path / "out"),
        section=(
            SectionSettings(name="a", rows=(rows(tmp_path / "a.csv", "loc\n/a\n"),)),
            SectionSettings(name="b", rows=(rows(tmp_path / "b.csv", "loc,group,lang\n/b,1,en\n/c,1,de\n"),)),
        ),
    )
    assert publish(settings).entries == 3
    linked = [entry.loc for entry in urlset.read(tmp_path / "out") if isinstance(entry, UrlEntry) and entry.alternates]
    assert linked == [BASE + "b", BASE + "c"]


def test_the_rows_of_a_section_can_be_standard_input(tmp_path: Path) -> None:
    settings = PublishSettings(base_url=BASE, dest=str(tmp_path / "out"), rows=("-",))
    heard = Heard()
    assert publish(settings, heard, stdin=io.BytesIO(b"loc,x\n/a,1\n")).entries == 1
    assert heard.notes == ["the rows: not used: x"]
    with pytest.raises(InputError, match="can be given only once"):
        publish(PublishSettings(base_url=BASE, dest="out", rows=("-", "-")), stdin=io.BytesIO(b"loc\n/a\n"))


def test_the_url_of_a_database_is_in_the_environment(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "x.db").close()
    settings = PublishSettings(
        base_url=BASE, dest=str(tmp_path / "out"), database_env="SHOP", query="SELECT '/a' AS loc, 7 AS id"
    )
    heard = Heard()
    assert publish(settings, heard, SHOP=f"sqlite:///{tmp_path}/x.db").entries == 1
    assert heard.notes == ["the query: not used: id"]
    with pytest.raises(InputError, match="environment variable SHOP is not set"):
        publish(settings)


@pytest.mark.parametrize("text", ['[1, 2.50, true, null, "x"]', '["x", [false]]'])
def test_json_of_sqlite_is_text_inside(tmp_path: Path, text: str) -> None:
    sqlite3.connect(tmp_path / "x.db").close()
    video = f'[{{"title": "T", "tags": {text}}}]'
    settings = PublishSettings(
        base_url=BASE,
        dest=str(tmp_path / "out"),
        database=f"sqlite:///{tmp_path}/x.db",
        query=f"SELECT '/a' AS loc, '{video}' AS videos",
    )
    if "[false]" in text:
        with pytest.raises(InputError):
            publish(settings)
        return
    with opened(settings, Heard().listeners, environment={}) as found:
        taken: Any = found.entries
        [row] = taken
    assert row["videos"] == [{"title": "T", "tags": ["1", "2.50", "true", None, "x"]}]


def test_pages_that_are_left_out_are_counted_and_reported(tmp_path: Path) -> None:
    folder = site(tmp_path / "html", "a.html", "404.html")
    (folder / "b.html").write_text("<p>no title")
    settings = PublishSettings(base_url=BASE, dest=str(tmp_path / "out"), html=folder)
    heard = Heard()
    with opened(settings, heard.listeners, environment={}) as found:
        urlset.publish(found.entries, found.dest, **found.options)
        assert found.left_out == Counter({"404": 1, "untitled": 1})
    assert heard.skips.reasons == {"404.html": "404", "b.html": "untitled"}


def test_pages_of_html_have_no_columns_of_theirs(tmp_path: Path) -> None:
    folder = site(tmp_path / "html", "a.html")
    asked: list[dict[str, Any]] = [{"columns": {"loc": "url"}}, {"shard_by": "key:brand"}]
    for more in asked:
        with pytest.raises(InputError, match=r"HTML pages have no column '(url|brand)'"):
            publish(PublishSettings(base_url=BASE, dest="out", html=folder, **more))


def test_a_robots_txt_need_not_be_text(tmp_path: Path) -> None:
    robots = tmp_path / "robots.txt"
    robots.write_bytes(b"\xff\xfe\nUser-agent: *\nDisallow: /a\n" + b"#" * 600_000 + b"\nDisallow: /b\n")
    folder = site(tmp_path / "html", "a.html", "b.html")
    settings = PublishSettings(base_url=BASE, dest=str(tmp_path / "out"), html=folder, robots_txt=robots)
    assert publish(settings).entries == 1
    assert locs(tmp_path / "out") == ["b.html"]


def test_a_key_that_is_mapped_is_there_under_our_name(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.csv", "loc,locale\n/a,en\n/b,de\n")
    settings = PublishSettings(
        base_url=BASE, dest=str(tmp_path / "out"), rows=(path,), columns={"lang": "locale"}, shard_by="key:lang"
    )
    assert len(publish(settings).shards) == 2


def test_a_language_without_a_group_means_nothing(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.execute("CREATE TABLE pages AS SELECT '/a' AS loc, 'en' AS lang, 'a.md' AS file, 'T' AS Brand")
        connection.commit()
    table = rows(tmp_path / "a.csv", "loc,lang,file,Brand\n/a,en,a.md,T\n")
    query = {"database": f"sqlite:///{tmp_path}/x.db", "query": "SELECT * FROM pages"}
    sources: list[dict[str, Any]] = [{"rows": (table,)}, query]
    for number, source in enumerate(sources):
        settings = PublishSettings(base_url=BASE, dest=str(tmp_path / str(number)), shard_by="key:brand", **source)
        assert [shard.name for shard in publish(settings).shards] == ["sitemap.xml"]
        with pytest.raises(InputError, match="columns needs group and lang together"):
            publish(with_given(settings, {"columns": {"lang": "lang"}}))
    assert (tmp_path / "0" / "sitemap.xml").read_bytes() == (tmp_path / "1" / "sitemap.xml").read_bytes()


# --- from a file ---------------------------------------------------------------------------------------------------


def test_a_file_is_published_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "urlset.toml").write_text(f'[publish]\nbase-url = "{BASE}"\ndest = "out"\nrows = ["*.csv"]\n')
    rows(tmp_path / "a.csv", "loc,x\n/a,1\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    notes: list[str] = []
    with configured(on_note=notes.append) as found:
        publication = urlset.publish(found.entries, found.dest, **found.options)
    assert publication.location == str(tmp_path / "out" / "sitemap.xml")
    assert notes == [f"{tmp_path}/a.csv: not used: x"]
    with configured(tmp_path / "urlset.toml") as found:
        assert urlset.publish(found.entries, found.dest, **found.options).written == ()


def test_there_may_be_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"no urlset\.toml in this folder or above"), configured():
        pass


def test_a_missing_setting_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "urlset.toml"
    for text, said in (
        ("", "base-url is missing"),
        ('[publish]\nbase-url = "https://x.example/"\n', "dest is missing"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=said), configured(path):
            pass
