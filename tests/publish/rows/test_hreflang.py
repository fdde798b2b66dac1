"""Pages that are each other's translations."""

from __future__ import annotations

import random
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.documents import tree
from support.publish import BASE, publish, read_back
from urlset import EntryError, InputError, UrlEntry
from urlset._publish.rows import hreflang

pa: Any = import_module("pyarrow")
COLUMNS: dict[str, Any] = {"columns": {"group": "page", "lang": "language"}}


def links(folder: Path) -> dict[str, list[tuple[str | None, str]]]:
    """The alternates of each page, by the ends of their locs."""
    return {
        str(entry.loc).removeprefix(BASE): [
            (link.hreflang, str(link.href).removeprefix(BASE)) for link in entry.alternates
        ]
        for entry in urlset.read(folder)
        if isinstance(entry, UrlEntry)
    }


def page(loc: str, group: str | None, language: str | None, **more: Any) -> dict[str, Any]:
    return {"loc": loc, "page": group, "language": language, **more}


def test_every_page_of_a_group_links_to_all_of_it(tmp_path: Path) -> None:
    rows = [
        page("/en's?a=1&b=2", "tea", "en"),
        page("/de", "tea", "DE"),
        page("/fr", "tea", "fr-ch"),
        page("/x", None, None),
    ]
    publish(rows, tmp_path, **COLUMNS)
    all_of_it = [("de", "de"), ("en", "en's?a=1&b=2"), ("fr-CH", "fr")]
    assert links(tmp_path) == {"de": all_of_it, "en's?a=1&b=2": all_of_it, "fr": all_of_it, "x": []}
    assert not urlset.lint(
        tmp_path, location=BASE + "sitemap.xml", rules=urlset.Rules(select=["ALT"], ignore=["ALT008"])
    )


def test_the_language_for_everybody_else(tmp_path: Path) -> None:
    rows = [page("/1en", "1", "en"), page("/1de", "1", "de"), page("/2fr", "2", "fr"), page("/2de", "2", "de")]
    rows += [page("/3en", "3", "en"), page("/3", "3", "x-default"), page("/4en", "4", "en")]
    publish(rows, tmp_path, **COLUMNS, x_default="EN")
    found = links(tmp_path)
    assert found["1de"] == [("de", "1de"), ("en", "1en"), ("x-default", "1en")]
    # One without that language has none for everybody else, one that has its own keeps it, and one alone has no links.
    assert found["2de"] == [("de", "2de"), ("fr", "2fr")]
    assert found["3en"] == [("en", "3en"), ("x-default", "3")]
    assert found["4en"] == []
    assert not urlset.lint(
        tmp_path, location=BASE + "sitemap.xml", rules=urlset.Rules(select=["ALT"], ignore=["ALT008"])
    )
    with pytest.raises(InputError, match=r"x_default must be .* got 'english'"):
        publish(rows, tmp_path, day=2, **COLUMNS, x_default="english")


def test_what_cannot_be_of_a_group_is_refused(tmp_path: Path) -> None:
    rows = [page("/a", "1", "en"), page("/b", "1", "english"), page("/c", "1", None), page("/d", "1", "")]
    rows += [page("/e", "1", "en"), page("/f", "1", "EN"), page("/g", "1", "de"), page("/h", None, "klingon")]
    told: list[EntryError] = []
    publication = publish(rows, tmp_path, **COLUMNS, on_error="collect", on_refusal=told.append)
    assert [(error.index, error.code) for error in told] == [
        *((1, "ALT002"), (2, "ALT002"), (3, "ALT002"), (4, "ALT006"), (5, "ALT006")),
    ]
    assert "'english' is not a hreflang code" in told[0].reason
    assert publication.refused_by_code == {"ALT002": 3, "ALT006": 2}
    assert links(tmp_path) == {"a": (pair := [("de", "g"), ("en", "a")]), "g": pair, "h": []}
    with pytest.raises(EntryError, match=r"row 2 .*ALT002"):
        publish(rows, tmp_path, day=2, **COLUMNS)


def test_a_group_that_nobody_could_read_back_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [page(f"/{language}", "1", language) for language in ("en", "de", "fr")]
    rows += [page("/it", "2", "it"), page("/es", "2", "es"), page("/x", None, None)]

    class Small:
        items_per_entry = 2
        piece_bytes = 8_388_608

    monkeypatch.setattr(hreflang, "Budget", Small)
    told: list[EntryError] = []
    publish(rows, tmp_path, **COLUMNS, on_error="collect", on_refusal=told.append)
    assert [(error.index, error.code) for error in told] == [(0, "LIM007"), (1, "LIM007"), (2, "LIM007")]
    assert "'1' has 3 links of" in told[0].reason
    assert read_back(tmp_path) == [BASE + "es", BASE + "it", BASE + "x"]
    # A page that is large itself counts with its links.
    Small.items_per_entry, Small.piece_bytes = 10, hreflang._ROOM + 400
    told.clear()
    rows[4]["images"] = [{"loc": BASE + "i.png", "caption": "c" * 200}]
    publish(rows, tmp_path, day=2, **COLUMNS, on_error="collect", on_refusal=told.append)
    assert [error.index for error in told] == [3, 4]


def test_a_column_that_has_no_languages_is_refused(tmp_path: Path) -> None:
    table = pa.table({"loc": [f"/{number}" for number in range(10_002)], "page": ["1"] * 10_002})
    table = table.append_column("language", pa.array([f"l{number}" for number in range(10_002)]))
    with pytest.raises(InputError, match="another column has their hreflang codes"):
        publish(table, tmp_path, **COLUMNS, on_error="collect")
    assert tree(tmp_path) == {}


def test_a_page_that_joins_a_group_changes_all_of_it(tmp_path: Path) -> None:
    rows = [page("/en", "tea", "en"), page("/de", "tea", "de"), page("/x", "x", "en")]
    publish(rows, tmp_path, **COLUMNS)
    plan = publish([*rows, page("/fr", "tea", "fr")], tmp_path, day=2, **COLUMNS).plan
    assert (plan.added, plan.changed, plan.same) == (1, 2, 1)
    plan = publish(rows, tmp_path, day=3, **COLUMNS).plan
    assert (plan.removed, plan.changed, plan.same) == (1, 2, 1)
    plan = publish(rows, tmp_path, day=4, **COLUMNS, x_default="en").plan
    assert (plan.changed, plan.same) == (2, 1)
    assert publish(rows, tmp_path, day=5, **COLUMNS, x_default="en").written == ()


def test_groups_reach_over_shards_and_sections(tmp_path: Path) -> None:
    from urlset._publish.api import Section

    sections = {"en": Section([page("/en", "tea", "en")]), "de": Section([page("/de", "tea", "de")])}
    publish(sections, tmp_path, **COLUMNS)
    assert links(tmp_path) == {"de": (pair := [("de", "de"), ("en", "en")]), "en": pair}


def test_links_of_a_row_stand_before_those_of_its_group(tmp_path: Path) -> None:
    own = [{"hreflang": "it", "href": BASE + "it"}]
    rows = [page("/en", "tea", "en", alternates=own, images=[BASE + "i.png"]), page("/de", "tea", "de")]
    publish(rows, tmp_path, **COLUMNS)
    assert links(tmp_path)["en"] == [("it", "it"), ("de", "de"), ("en", "en")]
    assert publish(rows, tmp_path, day=2, **COLUMNS).written == ()


def test_groups_in_any_order_give_the_same_bytes(tmp_path: Path) -> None:
    rows = [
        page(f"/{group}/{language}", str(group), language) for group in range(20) for language in ("en", "de", "fr")
    ]
    found = []
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        publish(rows, tmp_path / str(seed), **COLUMNS, x_default="en")
        found.append(tree(tmp_path / str(seed)))
    assert found[0] == found[1] == found[2]


def test_links_that_rows_bring_are_spelled_as_their_locs_are(tmp_path: Path) -> None:
    links = [
        {"hreflang": "de", "href": "/de/töpfe"},
        {"hreflang": "en", "href": "https://EXAMPLE.com/en/pots?a=b|c"},
        {"hreflang": "fr", "href": "https://example.org/fr/caf%C3%A9"},
    ]
    publish([{"loc": link["href"], "alternates": links} for link in links[:2]], tmp_path)
    expected = [BASE + "de/t%C3%B6pfe", BASE + "en/pots?a=b%7Cc", "https://example.org/fr/caf%C3%A9"]
    entries = list(urlset.read(tmp_path))
    assert [entry.loc for entry in entries] == expected[:2]
    for entry in entries:
        assert isinstance(entry, urlset.UrlEntry)
        assert [link.href for link in entry.alternates] == expected
    report = urlset.lint(tmp_path, location=BASE + "sitemap.xml")
    assert not [finding for finding in report if finding.code in ("ALT004", "ALT005")]
    again = publish([{"loc": loc, "alternates": links} for loc in expected[:2]], tmp_path, day=2)
    assert (again.written, again.plan.normalized) == ((), 0)


# --- links of a row's own ---------------------------------------------------------------------------------------


def own(**hrefs: str) -> list[dict[str, str]]:
    return [{"hreflang": lang.replace("_", "-"), "href": href} for lang, href in hrefs.items()]


@pytest.mark.parametrize("pretty", [False, True])
def test_a_rows_own_links_are_written_once(tmp_path: Path, pretty: bool) -> None:
    links_of_it = own(EN="/en?a=1&b=2", de="/de", x_default="/en?a=1&b=2", fr="https://example.fr/")
    rows = [page("/en?a=1&b=2", "tea", "en", alternates=links_of_it), page("/de", "tea", "de")]
    publish(rows, tmp_path, **COLUMNS, x_default="en", pretty=pretty)
    group = [("de", "de"), ("en", "en?a=1&b=2"), ("x-default", "en?a=1&b=2")]
    found = links(tmp_path)
    assert (sorted(found["en?a=1&b=2"]), found["de"]) == (sorted([*group, ("fr", "https://example.fr/")]), group)
    assert not urlset.lint(tmp_path, location=BASE + "sitemap.xml", rules=urlset.Rules(ignore=["ALT008"]))
    before = tree(tmp_path)
    publish(rows[::-1], tmp_path, **COLUMNS, day=2, x_default="en", pretty=pretty)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("lang", ["de", "x_default"])
def test_a_row_that_contradicts_its_group_is_refused(tmp_path: Path, lang: str) -> None:
    rows = [
        page("/en", "tea", "en", alternates=own(**{lang: "/other"})),
        page("/de", "tea", "de"),
        page("/fr", "tea", "fr"),
    ]
    with pytest.raises(EntryError, match=r"ALT006 the row links to https://example\.com/other in .*its group 'tea' to"):
        publish(rows, tmp_path, **COLUMNS, x_default="de")
    done = publish(rows, tmp_path, **COLUMNS, x_default="de", on_error="collect")
    assert done.refused_by_code == {"ALT006": 1}
    # Nobody links to the page that is not published.
    assert links(tmp_path) == {"de": [("de", "de"), ("fr", "fr"), ("x-default", "de")], "fr": links(tmp_path)["de"]}


def test_a_page_alone_in_its_group_keeps_its_links(tmp_path: Path) -> None:
    publish([page("/en", "tea", "en", alternates=own(en="/en", de="https://example.de/"))], tmp_path, **COLUMNS)
    assert links(tmp_path) == {"en": [("en", "en"), ("de", "https://example.de/")]}


def test_an_x_default_that_no_page_has_is_refused(tmp_path: Path) -> None:
    rows = [{"loc": f"/{lang}", "page": "tea", "language": lang} for lang in ("de", "en")]
    with pytest.raises(InputError, match="language of some page of a group, got 'fr'; there are de, en"):
        publish(rows, tmp_path, **COLUMNS, x_default="fr")
    publish(["/de"], tmp_path, x_default="fr")  # there are no groups
