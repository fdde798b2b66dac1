"""`lint` of several documents: folders, lists, indexes with their children, and what only all of them show."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.lint.cases import in_root, urls, with_loc
from support.reading import CORE, index_of, lay, urlset_of
from urlset import Budget, Diagnostic, FetchError, InputError, SitemapEntry
from urlset._lint.linter import Linter
from urlset._lint.options import resolve_options
from urlset._read.source import resolve_all

HOST = "https://example.com/"


def summary(report: urlset.Report) -> list[tuple[str, str, int]]:
    """What was found: code, name of the document, line."""
    return [(found.code, Path(found.location or "").name, found.line) for found in report]


def names(report: urlset.Report) -> list[str]:
    """The documents without their folder."""
    return [Path(document).name for document in report.documents]


def _set(folder: Path) -> None:
    """An index of two, one of them packed, the second with a finding."""
    urlset.write([SitemapEntry(HOST + "a.xml"), SitemapEntry(HOST + "b.xml.gz")], folder / "sitemap.xml")
    urlset.write([HOST, HOST + "a"], folder / "a.xml")
    (folder / "b.xml.gz").write_bytes(gzip.compress(with_loc("/about").encode()))


# --- an index and its children ------------------------------------------------------------------------------


def test_an_index_is_checked_with_its_children(tmp_path: Path) -> None:
    _set(tmp_path)
    for source in (tmp_path, str(tmp_path), tmp_path / "sitemap.xml"):
        report = urlset.lint(source)
        paths = [str(tmp_path / name) for name in ("sitemap.xml", "a.xml", "b.xml.gz")]
        assert report.documents == tuple(paths)
        assert report.entries == 3
        assert [(found.code, found.location, found.line) for found in report] == [("LOC002", paths[2], 2)]
    alone = urlset.lint((tmp_path / "sitemap.xml").read_bytes())
    assert (alone.documents, alone.entries, alone.counts) == (("<bytes>",), 2, {})


def test_children_have_the_urls_of_their_index(tmp_path: Path) -> None:
    _set(tmp_path)
    assert urlset.lint(tmp_path, location=HOST + "sitemap.xml").counts == {"LOC002": 1}
    # The index is on another host than its children, and these are at home.
    foreign = urlset.lint(tmp_path, location="https://example.org/sitemap.xml")
    assert summary(foreign) == [
        *(("IDX003", "sitemap.xml", 3), ("IDX003", "sitemap.xml", 4)),
        ("LOC002", "b.xml.gz", 2),
    ]
    # Without a URL of its own the index says all the same where they live.
    lay(tmp_path, a=urlset_of("https://example.org/", HOST))
    assert summary(urlset.lint(tmp_path)) == [("LOC011", "a.xml", 2), ("LOC002", "b.xml.gz", 2)]
    lay(tmp_path, sitemap=index_of(HOST + "shop/a.xml"), a=urlset_of(HOST + "shop/1", HOST + "2"))
    assert summary(urlset.lint(tmp_path)) == [("LOC013", "a.xml", 3)]
    # One that says nothing usable leaves the child without a URL.
    lay(tmp_path, sitemap=index_of("/a.xml"), a=urlset_of("https://example.org/", HOST))
    assert urlset.lint(tmp_path).counts == {"LOC002": 1, "LOC016": 1}


def test_each_document_keeps_its_own_findings(tmp_path: Path) -> None:
    _set(tmp_path)
    for name in ("a.xml", "b.xml.gz"):
        (tmp_path / name).write_bytes(urlset_of(*(f"/{name}/{number}" for number in range(1_500))))
    report = urlset.lint(tmp_path)
    assert (len(report), len(report.diagnostics)) == (3_000, 100)
    assert [found.more for found in report if found.more] == [1_450, 1_450]
    for name in ("a.xml", "b.xml.gz"):
        assert report.filter(location=str(tmp_path / name)).counts == {"LOC002": 1_500}


def test_a_child_that_is_not_there_is_a_failure_beside_the_findings(tmp_path: Path) -> None:
    _set(tmp_path)
    (tmp_path / "a.xml").unlink()
    report = urlset.lint(tmp_path)
    assert summary(report) == [("LOC002", "b.xml.gz", 2)]
    assert names(report) == ["sitemap.xml", "b.xml.gz"]
    [failure] = report.failures
    assert isinstance(failure, FetchError)
    assert str(failure).endswith("sitemap.xml:3: the child https://example.com/a.xml was not found in the same folder")
    (tmp_path / "b.xml.gz").unlink()
    report = urlset.lint(tmp_path)
    assert (len(report), len(report.failures), bool(report)) == (0, 2, True)


def test_a_document_that_cannot_be_opened_hides_no_finding(tmp_path: Path) -> None:
    _set(tmp_path)
    roots = [tmp_path / "b.xml.gz", tmp_path / "z.xml", tmp_path / "a.xml"]
    roots[1].write_text("gone when it is opened")
    sources = resolve_all(roots)
    roots[1].unlink()
    linter = Linter(resolve_options(None, now=None), 50)
    linter.run(sources, None)
    report = linter.report()
    assert (summary(report), names(report)) == ([("LOC002", "b.xml.gz", 2)], ["b.xml.gz", "a.xml"])
    [failure] = report.failures
    assert str(failure).startswith(f"{roots[1]}: No such file or directory")


def test_the_children_are_left_alone_if_nobody_asks_for_them(tmp_path: Path) -> None:
    _set(tmp_path)
    (tmp_path / "a.xml").unlink()
    report = urlset.lint(tmp_path, follow=False)
    assert (names(report), report.failures, report.unfollowed, bool(report)) == (["sitemap.xml"], (), 2, False)
    from_bytes = urlset.lint((tmp_path / "sitemap.xml").read_bytes())
    assert (from_bytes.failures, from_bytes.unfollowed) == ((), 2)
    assert urlset.lint((tmp_path / "b.xml.gz").read_bytes()).unfollowed == 0


def test_what_no_document_lists_is_not_judged_while_documents_are_missing(tmp_path: Path) -> None:
    link = f'<xhtml:link xmlns:xhtml="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="en" href="{HOST}en"/>'
    page = in_root(f"<url><loc>{HOST}de</loc>{link}</url>")
    lay(tmp_path, sitemap=index_of(HOST + "a.xml", HOST + "b.xml", HOST + "c.xml"))
    (tmp_path / "a.xml").write_bytes(page.encode())
    (tmp_path / "b.xml").write_bytes(urlset_of(HOST + "other"))
    (tmp_path / "c.xml").write_bytes(urlset_of(HOST + "third"))
    assert urlset.lint(tmp_path, rules=urlset.Rules(select=["ALT009"])).counts == {"ALT009": 1}
    (tmp_path / "b.xml").write_bytes(urlset_of(HOST + "en"))
    assert urlset.lint(tmp_path, rules=urlset.Rules(select=["ALT009"])).counts == {}
    (tmp_path / "b.xml").unlink()
    report = urlset.lint(tmp_path, rules=urlset.Rules(select=["ALT009"]))
    assert (report.counts, len(report.failures)) == ({}, 1)


def test_a_child_that_is_broken_is_a_finding(tmp_path: Path) -> None:
    _set(tmp_path)
    (tmp_path / "a.xml").write_text("<html>")
    (tmp_path / "b.xml.gz").write_bytes(b"")
    assert summary(urlset.lint(tmp_path)) == [("XML008", "a.xml", 1), ("XML008", "b.xml.gz", 1)]


def test_a_child_beyond_the_budget_is_a_finding(tmp_path: Path) -> None:
    _set(tmp_path)
    lay(tmp_path, a=urlset_of(*(f"{HOST}{number}" for number in range(5))))
    report = urlset.lint(tmp_path, budget=Budget(entries=3))
    assert report.counts == {"LIM007": 1, "LOC002": 1}
    assert (report.documents, report.entries) == (tuple(str(tmp_path / name) for name in names(report)), 4)


def test_an_index_that_lists_itself_ends(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "sitemap.xml", HOST + "a.xml"), a=index_of(HOST + "sitemap.xml"))
    report = urlset.lint(tmp_path)
    assert names(report) == ["sitemap.xml", "a.xml"]
    assert report.counts == {"IDX002": 2}


def test_a_published_set_has_no_findings(tmp_path: Path) -> None:
    images = ["https://cdn.example.net/i.png"]
    rows = [{"loc": f"https://example.com/{n}", "lastmod": "2024-01", "images": images} for n in range(50_001)]
    urlset.publish(rows[:100], tmp_path, base_url="https://example.com", checks=urlset.Checks(allow=["one-lastmod"]))
    # That all lastmods are one is so, and said once of the whole.
    report = urlset.lint(tmp_path, location="https://example.com/sitemap.xml")
    assert summary(report) == [("MOD009", "sitemap.xml", 1)]
    assert (len(report.documents), report.entries) == (1, 100)
    varied = [row | {"lastmod": f"2024-01-{number % 28 + 1:02}"} for number, row in enumerate(rows)]
    publication = urlset.publish(varied, tmp_path, base_url="https://example.com")
    report = urlset.lint(tmp_path, location="https://example.com/")
    assert report.diagnostics == ()
    assert (len(report.documents), report.entries) == (3, 50_001)
    # That a shard is nearly full is nothing to tell of while an index lists it.
    assert urlset.lint(tmp_path / publication.shards[0].name).counts == {"LIM004": 1}


# --- folders and lists --------------------------------------------------------------------------------------


def test_a_folder_without_an_entry_point_is_all_that_is_called_like_a_sitemap(tmp_path: Path) -> None:
    lay(tmp_path, pages=urlset_of(HOST + "1"), map_index=index_of(HOST + "pages.xml", HOST + "more.xml"))
    lay(tmp_path, more=urlset_of(HOST + "1", "/2"))
    (tmp_path / "list.txt").write_text(HOST + "3\n")
    (tmp_path / "old.xml.gz").write_bytes(gzip.compress(urlset_of(HOST + "4")))
    (tmp_path / "notes.md").write_text("no sitemap")
    (tmp_path / "deeper.xml").mkdir()
    report = urlset.lint(tmp_path)
    # Indexes come first: they know where the others live. Each is checked once.
    assert names(report) == ["map_index.xml", "list.txt", "more.xml", "old.xml.gz", "pages.xml"]
    assert report.entries == 5
    assert ("LOC002", "more.xml", 3) in summary(report)
    assert report.counts == {"IDX008": 1, "LOC002": 1}


def test_a_folder_with_an_entry_point_stands_for_it_and_its_children(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml"), a=urlset_of(HOST), z=urlset_of("/z"))
    assert names(urlset.lint(tmp_path)) == ["sitemap.xml", "a.xml"]
    assert urlset.lint(tmp_path).counts == {}


def test_a_folder_with_nothing_in_it_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("no sitemap")
    with pytest.raises(InputError, match="no sitemap in this folder; looked for "):
        urlset.lint(tmp_path)


def test_a_list_is_one_set(tmp_path: Path) -> None:
    lay(tmp_path, a=urlset_of(HOST + "1", HOST + "2"), b=urlset_of(HOST + "2", "/3"))
    a, b = tmp_path / "a.xml", tmp_path / "b.xml"
    for sources in ([a, b], (str(a), str(b)), [a, b, a]):
        report = urlset.lint(sources)
        assert (names(report), report.entries) == (["a.xml", "b.xml"], 4)
        assert [found[:2] for found in summary(report)] == [("IDX008", "b.xml"), ("LOC002", "b.xml")]
    assert names(urlset.lint([b, a])) == ["b.xml", "a.xml"]
    # One by one there is nothing that they share.
    assert [urlset.lint([path]).counts for path in (a, b)] == [{}, {"LOC002": 1}]
    with io.BytesIO(urlset_of(HOST + "2")) as file:
        mixed: list[Any] = [a, file]
        assert urlset.lint(mixed).counts == {"IDX008": 1}
    with pytest.raises(InputError, match="the list of sources must not be empty"):
        urlset.lint([])
    with pytest.raises(FileNotFoundError):
        urlset.lint([a, tmp_path / "gone.xml"])


def test_a_document_of_the_list_gets_its_url_from_an_index(tmp_path: Path) -> None:
    lay(tmp_path, index=index_of(HOST + "shop/a.xml"), a=urlset_of(HOST + "1"))
    report = urlset.lint([tmp_path / "index.xml", tmp_path / "a.xml"])
    assert (names(report), report.counts) == (["index.xml", "a.xml"], {"LOC013": 1})


def test_a_location_with_a_slash_is_that_of_the_folder(tmp_path: Path) -> None:
    lay(tmp_path, a=urlset_of(HOST + "shop/1", HOST + "2"), b=urlset_of("https://example.org/", HOST + "shop/3"))
    for source in (tmp_path, [tmp_path / "a.xml", tmp_path / "b.xml"]):
        report = urlset.lint(source, location=HOST + "shop/")
        assert summary(report) == [("LOC013", "a.xml", 3), ("LOC011", "b.xml", 2)]
        with pytest.raises(InputError, match="location must be the URL of a folder, with a slash at its end"):
            urlset.lint(source, location=HOST + "shop/a.xml")
    # Of one document it is both: in the folder, and at that URL.
    assert urlset.lint(tmp_path / "a.xml", location=HOST + "shop/").counts == {"LOC013": 1}
    assert urlset.lint(tmp_path / "a.xml", location=HOST + "shop/deep/x.xml").counts == {"LOC013": 2}


# --- what only all of them show -----------------------------------------------------------------------------


def linked(loc: str, *hrefs: str) -> bytes:
    """A document of one page with its languages."""
    links = "".join(
        f'<x:link rel="alternate" hreflang="{language}" href="{href}"/>'
        for language, href in zip(["en", "de", "fr"], (loc, *hrefs), strict=False)
    )
    return urls(links).replace("<loc>https://example.com/</loc>", f"<loc>{loc}</loc>").encode()


def test_rules_over_a_set_see_one_document_too() -> None:
    data = urls(
        '<x:link rel="alternate" hreflang="en" href="https://example.com/"/>'
        '<x:link rel="alternate" hreflang="de" href="https://example.com/1"/>',
        '<x:link rel="alternate" hreflang="de" href="https://example.com/1"/>',
    ).encode()
    pieces = [data[at : at + 100] for at in range(0, len(data), 100)]
    for source in (data, gzip.compress(data), pieces, io.BytesIO(data), iter(pieces)):
        (found,) = urlset.lint(source)
        assert (found.code, found.line, found.column, found.end_column) == ("ALT005", 2, 1, 2)


def test_links_between_documents(tmp_path: Path) -> None:
    lay(tmp_path, en=linked(HOST + "en", HOST + "de", HOST + "fr"), de=linked(HOST + "de", HOST + "en"))
    assert [found[:2] for found in summary(urlset.lint(tmp_path))] == [("ALT009", "en.xml")]
    lay(tmp_path, de=linked(HOST + "de"), fr=linked(HOST + "fr", HOST + "en"))
    report = urlset.lint(tmp_path)
    assert [found[:2] for found in summary(report)] == [("ALT005", "en.xml")]
    assert "does not link back" in report.diagnostics[0].message


def test_the_name_of_a_document_changes_nothing(tmp_path: Path) -> None:
    """Names that `publish` gives are names like others."""
    found: list[list[Diagnostic]] = []
    for folder, name in (("a", "pages.xml"), ("b", "sitemap-0001-0123456789abcdef.xml")):
        (tmp_path / folder).mkdir()
        lay(tmp_path / folder, sitemap=index_of(HOST + name))
        (tmp_path / folder / name).write_text(with_loc("/about"))
        found.append(urlset.lint(tmp_path / folder).diagnostics[:])  # type: ignore[arg-type]
    assert [[(each.code, each.line) for each in one] for one in found] == [[("LOC002", 2)]] * 2


# --- invalid sources ---------------------------------------------------------------------------------------


def test_invalid_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        urlset.lint(tmp_path / "nowhere.xml")
    with pytest.raises(InputError, match="XML text"):
        urlset.lint(urls(""))
    wrong: Any = 5
    with pytest.raises(InputError, match="got int"):
        urlset.lint(wrong)

    def failing() -> Iterator[bytes]:
        yield urls("").encode()[:50]
        raise ConnectionResetError("gone")

    with pytest.raises(ConnectionResetError):
        urlset.lint(failing())


def test_content_encoding_is_that_of_the_document() -> None:
    data = in_root("<url><loc>/about</loc></url>").encode()
    assert urlset.lint(gzip.compress(data), content_encoding="gzip").counts == {"LOC002": 1}
    with pytest.raises(InputError, match="content_encoding"):
        urlset.lint(data, content_encoding="rot13")


# --- a document that is alone ---------------------------------------------------------------------------------------

_LINKED = f"""<urlset xmlns="{CORE}" xmlns:x="http://www.w3.org/1999/xhtml">
<url><loc>https://e.com/first</loc></url>
<url><loc>https://e.com/de</loc>
<x:link rel="alternate" hreflang="de" href="https://E.com/de"/>
<x:link rel="alternate" hreflang="fr" href="https://e.com/fr"/>
<x:link rel="alternate" hreflang="en" href="https://e.com/first"/>
<x:link rel="alternate" hreflang="es" href="https://e.com/es"/></url>
<url><loc>https://e.com/fr</loc>
<x:link rel="alternate" hreflang="de" href="https://e.com/de"/>
<x:link rel="alternate" hreflang="fr" href="https://e.com/fr"/></url>
</urlset>"""


def test_links_of_a_lone_document_are_judged_however_it_is_handed_over(tmp_path: Path) -> None:
    """One in memory, or a file, is read again once links are met; anything else is read once."""
    path = tmp_path / "sitemap.xml"
    path.write_text(_LINKED)
    data = _LINKED.encode()
    rules = urlset.Rules(select=["ALT005", "ALT009"])
    ways: list[Any] = [data, str(path), io.BytesIO(data), iter([data[:700], data[700:]]), [str(path)]]
    for way in ways:
        report = urlset.lint(way, rules=rules)
        found = sorted((each.code, each.line, each.message.partition("`")[2].partition("`")[0]) for each in report)
        assert found == [("ALT005", 3, "https://e.com/first"), ("ALT009", 3, "https://e.com/es")], way


def test_pages_of_a_document_that_leads_on_count_beside_those_of_its_children(tmp_path: Path) -> None:
    """A `<sitemap>` among pages is a fault, and is followed all the same."""
    page = "<url><loc>https://e.com/twice</loc></url>"
    child = "<sitemap><loc>https://e.com/child.xml</loc></sitemap>"
    (tmp_path / "child.xml").write_text(f'<urlset xmlns="{CORE}">{page}</urlset>')
    (tmp_path / "mixed.xml").write_text(f'<urlset xmlns="{CORE}">{page}\n{child}</urlset>')
    report = urlset.lint(tmp_path / "mixed.xml", rules=urlset.Rules(select=["IDX008"]))
    assert summary(report) == [("IDX008", "child.xml", 1)]
    assert names(report) == ["mixed.xml", "child.xml"]
