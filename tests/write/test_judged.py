"""What `lint` calls an error, `write` refuses: each rule of severity error, and the rows that break it."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.properties import times
from support.publish.model import small
from support.write.unchecked import unchecked
from urlset import EntryError, LimitError
from urlset._util.tempdirs import temporary_folder
from urlset.jobs import WriteJob

pa: Any = import_module("pyarrow")
BASE = "https://example.com/"
NOW = datetime.now(UTC)
Row = dict[str, Any]
#: What decides about a rule that no row can break where it is written alone. The properties below hold it for what many
#: rows together can break.
Why = Literal["location", "form", "packing", "index", "robots.txt", "server"]


def whole() -> Row:
    """A row that has every extension, and nothing wrong."""
    video = {"thumbnail_loc": BASE + "t.jpg", "title": "T", "description": "D", "content_loc": BASE + "v.mp4"}
    news = {
        "publication_name": "The News",
        "publication_language": "en",
        "publication_date": NOW.date().isoformat(),
        "title": "T",
    }
    links = [{"hreflang": code, "href": BASE + code} for code in ("en", "de-AT", "x-default")]
    return {
        "loc": BASE + "en",
        "lastmod": "2026-01-31",
        "changefreq": "daily",
        "priority": 0.5,
        "images": [{"loc": BASE + "i.jpg"}],
        "videos": [video],
        "alternates": links,
        "news": news,
    }


def _in(place: str, **values: Any) -> Row:
    """The row with other values in the first item of an extension, or in the row itself."""
    row = whole()
    item = row if place == "row" else row[place] if place == "news" else row[place][0]
    item.update(values)
    return row


def _without(place: str, *names: str) -> Row:
    row = whole()
    item = row[place] if place == "news" else row[place][0]
    for name in names:
        del item[name]
    return row


def _again(hreflang: str, href: str) -> Row:
    row = whole()
    row["alternates"].append({"hreflang": hreflang, "href": href})
    return row


#: Rows that break each rule that a row can break, by the column that the refusal names, where it names one.
ROWS: dict[str, list[tuple[str, Row]]] = {
    "LOC001": [("", _in("row", loc=loc)) for loc in ("", None)],
    "LOC002": [("", _in("row", loc=loc)) for loc in ("/tea", "example.com/tea")],
    "LOC003": [("", _in("row", loc="ftp://example.com/"))],
    "LOC004": [("", _in("row", loc=loc)) for loc in (BASE + "a b", "https://", "https://https://example.com/")],
    "LOC005": [("", _in("row", loc=BASE + "100%"))],
    "LOC009": [("", _in("row", loc=BASE.ljust(2048, "x")))],
    "MOD001": [("lastmod", _in("row", lastmod="soon"))],
    "MOD002": [("lastmod", _in("row", lastmod="2026-01-31T08:00:00"))],
    "MOD003": [("lastmod", _in("row", lastmod="2026-01-31T08:00:00+0100"))],
    "MOD004": [("lastmod", _in("row", lastmod="2026/01/31"))],
    "MOD005": [("lastmod", _in("row", lastmod="2026-02-30"))],
    "FRQ001": [("changefreq", _in("row", changefreq="Daily"))],
    "PRI001": [("priority", _in("row", priority="0,5"))],
    "PRI002": [("priority", _in("row", priority=1.5))],
    "XML007": [("", _in("images", title="a\x01b")), ("", _in("news", title="\ufffe"))],
    "IMG001": [("images[0].loc", _in("images", loc=loc)) for loc in ("", None, " ")],
    "IMG002": [("images[1000]", _in("row", images=[{"loc": BASE + "i.jpg"}] * 1_001))],
    "IMG004": [("images[0].loc", _in("images", loc=loc)) for loc in ("i.jpg", BASE + "a b.jpg", "ftp://example.com/i")],
    "ALT001": [
        *(("alternates[0].href", _in("alternates", href=href)) for href in ("", None)),
        ("alternates[0]", _without("alternates", "hreflang")),
        ("alternates[0].rel", _in("alternates", rel="amphtml")),
    ],
    "ALT002": [
        ("alternates[0].hreflang", _in("alternates", hreflang=code))
        for code in ("zh_CN", "en-UK", "english", "-DE", "de,en")
    ],
    "ALT006": [
        ("alternates[3].hreflang", _again("en", BASE + "other")),
        ("alternates[3].hreflang", _again("DE-at", BASE + "other")),
    ],
    "ALT007": [("alternates[0].href", _in("alternates", href=href)) for href in ("/en", "ftp://example.com/")],
    "VID001": [("videos[0]", _without("videos", name)) for name in ("thumbnail_loc", "title", "description")],
    "VID002": [("videos[0]", _without("videos", "content_loc"))],
    "VID003": [(f"videos[0].{name}", _in("videos", **{name: BASE + "en"})) for name in ("content_loc", "player_loc")],
    "VID005": [
        *(("videos[0].duration", _in("videos", duration=text)) for text in ("PT1H17M57S", "0", "28801", "1.5")),
        *(("videos[0].rating", _in("videos", rating=text)) for text in ("5.1", "-1", "good")),
        ("videos[0].view_count", _in("videos", view_count="-1")),
    ],
    "VID006": [
        *((f"videos[0].{name}", _in("videos", **{name: "true"})) for name in ("family_friendly", "live")),
        ("videos[0].requires_subscription", _in("videos", requires_subscription="0")),
        ("videos[0].player_loc_allow_embed", _in("videos", player_loc_allow_embed="always")),
    ],
    "VID007": [
        ("videos[0].restriction", _in("videos", restriction="UK", restriction_relationship="allow")),
        ("videos[0].restriction", _in("videos", restriction="DE")),
        ("videos[0].platform", _in("videos", platform="phone", platform_relationship="deny")),
        ("videos[0].platform_relationship", _in("videos", platform="web", platform_relationship="only")),
    ],
    "VID008": [("videos[0].tags[32]", _in("videos", tags=["tag"] * 33))],
    "VID011": [
        *(
            (f"videos[0].{name}", _in("videos", **{name: "/t.jpg"}))
            for name in ("thumbnail_loc", "content_loc", "player_loc", "gallery_loc", "uploader_info")
        ),
        ("videos[0].content_segments[0].loc", _in("videos", content_segments=[{"loc": "part.mp4"}])),
    ],
    "NWS001": [
        ("news", _without("news", name))
        for name in ("publication_name", "publication_language", "publication_date", "title")
    ],
    "NWS004": [("news.publication_language", _in("news", publication_language=code)) for code in ("EN", "en-US", "zz")],
    "NWS005": [
        ("news.publication_date", _in("news", publication_date=text))
        for text in ("soon", "2026-01", "2026-01-31T08:00:00", f"{NOW.year + 1}-01-31")
    ],
}
#: Rules that no such row can break, and why.
OTHERS: dict[str, Why] = {
    # Where the document will be is not known to `write`. `publish` refuses locs of another host, scheme or port.
    **dict.fromkeys(("LOC011", "LOC012"), "location"),
    # What the writer itself makes of rows: its declaration, tags, namespaces and escaping, and the format.
    **dict.fromkeys(("XML001", "XML002", "XML003", "XML005", "XML008", "XML009", "XML011"), "form"),
    **dict.fromkeys(("NS001", "NS002", "NS003", "NS004", "NS005"), "form"),
    **dict.fromkeys(("FEED002", "ROB002", "TXT001", "TXT002"), "form"),
    # `publish` puts rows into the next document before one has too many of them, and `write`, which makes one, refuses
    # all of them. LIM007 needs a row of 16 MiB.
    **dict.fromkeys(("LIM001", "LIM002", "LIM003", "NWS003"), "packing"),
    # The indexes of `publish` list the documents that it made, and nothing that rows say.
    **dict.fromkeys(("IDX001", "IDX002", "IDX003"), "index"),
    # No row changes what the robots.txt of a host allows.
    "ROB003": "robots.txt",
    **dict.fromkeys(("HTTP004", "LIVE001", "LIVE002", "LIVE012"), "server"),
}
#: Rules that rows can break, but not with values in columns: see the tests below, and `test_refused.py`.
APART = {"IDX006", "LIM007"}

CASES = [(code, column, row) for code, rows in ROWS.items() for column, row in rows]


def test_every_rule_of_severity_error_is_decided_about() -> None:
    """A new rule of that severity needs rows that break it, or a reason why there are none."""
    errors = {rule.code for rule in urlset.rules() if rule.severity == "error"}
    assert errors == set(ROWS) | set(OTHERS) | APART
    assert not set(ROWS) & set(OTHERS)


def _written(rows: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    urlset.write(rows, buffer, **options)
    return buffer.getvalue()


def errors_of(document: bytes) -> list[str]:
    found = urlset.lint(document).diagnostics
    return [f"{one.code} {one.message}" for one in found if one.severity == "error"]


def test_the_whole_row_is_fine() -> None:
    assert errors_of(_written([whole()])) == []


def test_a_row_of_another_kind_is_refused() -> None:
    with pytest.raises(EntryError) as caught:
        urlset.write([urlset.SitemapEntry(BASE), urlset.UrlEntry(BASE)], io.BytesIO())
    assert caught.value.code == "IDX006"


def _table(rows: list[Row]) -> Any:
    # A priority can be a text or a number, a column is one of them.
    return pa.Table.from_pylist([{**row, "priority": str(row["priority"])} for row in rows])


def _of_write(rows: Any) -> Sequence[EntryError]:
    return urlset.write(rows, io.BytesIO(), on_error="collect").refusals


def _of_publish(rows: Any) -> Sequence[EntryError]:
    with temporary_folder() as folder:
        return urlset.publish(rows, folder, base_url=BASE, checks=urlset.Checks(on_error="collect")).refusals


def _of_job(rows: Any) -> Sequence[EntryError]:
    with temporary_folder() as folder:
        job = WriteJob(folder, base_url=BASE, checks=urlset.Checks(on_error="collect"))
        return job.commit([job.write_part(rows, 0)]).refusals


#: What `publish` makes right, because it knows the base URL, and how databases print times.
RESOLVED = {"LOC002", "LOC005", "MOD003", "VID011", "ALT007", "IMG004", "LOC004"}


@pytest.mark.parametrize("is_table", [False, True], ids=["dicts", "table"])
@pytest.mark.parametrize("refused", [_of_write, _of_publish, _of_job], ids=["write", "publish", "job"])
def test_a_row_that_breaks_a_rule_is_refused_everywhere(
    refused: Callable[[Any], Sequence[EntryError]], *, is_table: bool
) -> None:
    """With the code of the rule, the number of the row and the column."""
    rows = [whole(), *(copy.deepcopy(row) for _, _, row in CASES)]
    found = {error.row: error for error in refused(_table(rows) if is_table else rows)}
    assert 1 not in found
    for number, (code, column, row) in enumerate(CASES, 2):
        if number not in found:
            assert refused is not _of_write, (code, row)
            assert code in RESOLVED, (code, row)
            continue
        assert found[number].code == code, (found[number], row)
        assert found[number].reason.startswith(f"{column}: " if column else ""), found[number]


@pytest.mark.parametrize(("code", "column", "row"), CASES, ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)])
def test_lint_says_the_same_of_the_row_in_a_document(code: str, column: str, row: Row) -> None:
    """The document is put together here, so nothing refuses it."""
    if code == "XML007" or row.get("loc") is None:
        return
    with pytest.raises(EntryError) as caught:
        _written([row])
    reason = caught.value.reason.removeprefix(f"{column}: ")
    found = urlset.lint(unchecked(row)).diagnostics
    said = [f"{one.message}; {one.help}" if one.help else one.message for one in found if one.code == code]
    assert said, [(one.code, one.message) for one in found]
    if code != "LOC005":  # whose remedy is a fix where there is a document
        assert any(reason == one or reason.startswith(one.split(";")[0]) for one in said), (reason, said)


@given(data=st.data())
@times(100)
def test_what_is_written_has_no_errors(data: st.DataObject) -> None:
    """Values of all rows above, mixed: each row is refused with a rule that lint finds too, or lint finds no error."""
    rows = data.draw(st.lists(_mixed(), min_size=1, max_size=4))
    buffer = io.BytesIO()
    rows.append({"loc": BASE})
    written = urlset.write(rows, buffer, on_error="collect")
    assert errors_of(buffer.getvalue()) == []
    assert written.entries + written.refused == len(rows)
    for refusal in written.refusals:
        row = rows[refusal.index]
        if refusal.code != "XML007" and row.get("loc"):
            found = {one.code for one in urlset.lint(unchecked(row)).diagnostics}
            assert refusal.code in found, (refusal, row)


@st.composite
def _mixed(draw: st.DrawFn) -> Row:
    """A row whose values are those of up to four of the cases."""
    row = whole()
    for _, _, other in draw(st.lists(st.sampled_from([*CASES, ("", "", whole())]), max_size=4)):
        names = draw(st.sets(st.sampled_from(sorted(row)), max_size=3))
        for name in names:
            row[name] = copy.deepcopy(other.get(name))
    return row


# --- what only many rows together can break --------------------------------------------------------------------------

_ARTICLE = whole()["news"]
#: Rows of which one document cannot have all, by the rule that it would break.
TOO_MANY: dict[str, Callable[[], list[Any]]] = {
    "LIM001": lambda: [f"{BASE}{number}" for number in range(50_001)],
    "LIM002": lambda: [{"loc": f"{BASE}{at}", "images": [{"loc": BASE, "title": "x" * 900_000}]} for at in range(59)],
    "NWS003": lambda: [{"loc": f"{BASE}{number}", "news": _ARTICLE} for number in range(1_001)],
}
#: The same for `write`, which also makes indexes.
TOO_MANY_CHILDREN = {"LIM003": [urlset.SitemapEntry(f"{BASE}{number}.xml") for number in range(50_001)]}


def test_every_rule_about_many_rows_has_rows_that_are_too_many() -> None:
    packing = {code for code, why in OTHERS.items() if why == "packing"}
    assert packing == TOO_MANY.keys() | TOO_MANY_CHILDREN.keys()


@pytest.mark.parametrize("code", TOO_MANY)
def test_publish_divides_what_one_document_cannot_take(code: str, tmp_path: Path) -> None:
    rows = TOO_MANY[code]()
    published = urlset.publish(rows, tmp_path, base_url=BASE)
    assert (len(published.shards), published.entries) == (2, len(rows))
    assert errors_of_set(tmp_path) == []


@pytest.mark.parametrize("code", [*TOO_MANY, *TOO_MANY_CHILDREN])
def test_write_refuses_what_one_document_cannot_take(code: str) -> None:
    rows = TOO_MANY[code]() if code in TOO_MANY else TOO_MANY_CHILDREN[code]
    with pytest.raises(LimitError, match="do not fit into one document"):
        urlset.write(rows, io.BytesIO())


def errors_of_set(folder: Path) -> list[str]:
    found = urlset.lint(folder, location=BASE + "sitemap.xml").diagnostics
    return [f"{one.code} {one.message}" for one in found if one.severity == "error"]


#: Locs: pages, the documents of the set itself, and what is elsewhere.
_LOCS = st.one_of(
    st.integers(0, 30).map(str),
    st.sampled_from(["sitemap.xml", "sitemap-0001.xml.gz", "sitemap-a-0001.xml.gz", "robots.txt", ""]),
    st.sampled_from(["http://example.com/a", "https://example.com:8443/a", "https://other.example/a", "//o.example/"]),
)


@given(rows=st.lists(st.tuples(_LOCS, st.booleans()), max_size=30), data=st.data())
@times(40)
def test_no_rows_make_a_set_with_errors(rows: list[tuple[str, bool]], data: st.DataObject) -> None:
    """With so few entries a document, and children an index, that there are several of each."""
    made = [{"loc": "/home"}, *({"loc": loc, "news": _ARTICLE} if has_news else {"loc": loc} for loc, has_news in rows)]
    with temporary_folder() as folder, small(data.draw(st.integers(1, 4)), data.draw(st.integers(2, 4))):
        published = urlset.publish(
            made,
            folder,
            base_url=BASE,
            shard_by=data.draw(st.sampled_from(["sticky", "hash:3", "path:1", "sequence"])),
            layout=urlset.Layout(names=data.draw(st.sampled_from(["content", "stable"]))),
            derived=urlset.Derived(news=data.draw(st.booleans())),
            checks=urlset.Checks(on_error="collect", allow=["foreign"]),
            update_robots=True,
        )
        elsewhere = sum(loc == "" or ":" in loc or loc.startswith("//") for loc, _ in rows)
        assert set(published.refused_by_code) <= {"LOC001", "LOC011", "LOC012"}
        assert published.refused == elsewhere
        assert errors_of_set(folder) == []
