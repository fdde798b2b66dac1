"""What pages of one finding have in common: the section of a site, unless there are too many of them."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import pytest
from urlset._audit.sql import define, find_folds

SITE = "https://shop.example"


def patterns(paths: Iterable[str], *, crawled: Iterable[str] = ()) -> dict[str, int]:
    """How many of the listed pages have each pattern."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE normalized (loc VARCHAR, url VARCHAR)")
        connection.execute("CREATE TABLE pages (run INTEGER, normal_loc VARCHAR, trap VARCHAR)")
        connection.execute("CREATE TABLE crawl_run AS SELECT 1 AS run")
        urls = [f"{SITE}{path}" for path in paths]
        connection.execute("INSERT INTO normalized SELECT unnest(?), unnest(?)", [urls, urls])
        connection.execute("INSERT INTO pages SELECT 1, unnest(?), NULL", [[f"{SITE}{path}" for path in crawled]])
        define(connection)
        find_folds(connection)
        return dict(connection.execute("SELECT below(url), count(*) FROM normalized GROUP BY 1").fetchall())


def test_a_small_site_has_its_sections() -> None:
    assert patterns(["/", "/about", "/tea/", "/tea/green", "/news/1"]) == {"/…": 2, "/tea/…": 2, "/news/…": 1}


def test_posts_in_folders_of_their_own_are_one_pattern() -> None:
    posts = [f"/post-{number}/" for number in range(128)]
    found = patterns([*posts, "/shop/a", "/shop/b", "/shop/c"])
    assert found == {"/*/…": 128, "/shop/…": 3}


@pytest.mark.parametrize("languages", [["de", "fr", "pt-BR"], ["de", "fr", "es", "it", "zh-Hans", "nl", "pl"]])
def test_languages_are_one_pattern(languages: list[str]) -> None:
    paths = [f"/{language}/{name}" for language in languages for name in ("a", "b/c")]
    assert patterns([*paths, "/tea/a"]) == {"/{language}/…": 2 * len(languages), "/tea/…": 1}


def test_two_languages_are_sections() -> None:
    assert patterns(["/de/a", "/fr/a", "/tea/b"]) == {"/de/…": 1, "/fr/…": 1, "/tea/…": 1}


def test_of_many_sections_the_largest_have_names() -> None:
    paths = [f"/section-{number:02}/{page}" for number in range(20) for page in range(3 + (number < 5))]
    found = patterns(paths)
    assert set(found) == {*(f"/section-{number:02}/…" for number in range(12)), "/*/…"}


def test_pages_that_only_a_crawl_knows_count() -> None:
    crawled = [f"/post-{number}/" for number in range(128)]
    assert patterns(["/shop/a"], crawled=[*crawled, "/shop/b", "/shop/c"]) == {"/shop/…": 1}
    assert patterns(["/shop/a"], crawled=crawled) == {"/*/…": 1}
