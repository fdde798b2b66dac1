"""The values: how they are normalised, compared, copied and kept."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
import urlset
from hypothesis import assume, given
from hypothesis import strategies as st
from support.strategies import CHANGEFREQS, entries
from urlset import (
    Alternate,
    ContentSegment,
    Diagnostic,
    Document,
    Image,
    InputError,
    News,
    Price,
    SitemapEntry,
    TvShow,
    UrlEntry,
    Video,
    VideoId,
)

HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
LOC = "http://a.example/"
EAST = timezone(timedelta(hours=5, minutes=45))
NOON = datetime(2005, 1, 1, 12, tzinfo=UTC)

Entry = UrlEntry | SitemapEntry
both_kinds = pytest.mark.parametrize("kind", [UrlEntry, SitemapEntry])


def read_back(raw: str) -> datetime | None:
    """The instant that the reader makes of a lastmod's text."""
    [entry] = urlset.parse(f"{HEAD}<url><lastmod>{raw}</lastmod></url></urlset>".encode())
    return entry.lastmod


# --- lastmod ------------------------------------------------------------------------------------------------


@both_kinds
@pytest.mark.parametrize(
    ("given", "instant", "raw"),
    [
        ("2005", datetime(2005, 1, 1, tzinfo=UTC), "2005"),
        ("2005-02", datetime(2005, 2, 1, tzinfo=UTC), "2005-02"),
        (" 2005-01-01\n", datetime(2005, 1, 1, tzinfo=UTC), "2005-01-01"),
        ("2005-01-01T12:00Z", NOON, "2005-01-01T12:00Z"),
        ("2005-01-01T17:45:00+05:45", NOON, "2005-01-01T17:45:00+05:45"),
        (date(2005, 1, 1), datetime(2005, 1, 1, tzinfo=UTC), "2005-01-01"),
        (date(1, 1, 1), datetime(1, 1, 1, tzinfo=UTC), "0001-01-01"),
        (NOON, NOON, "2005-01-01T12:00:00Z"),
        (NOON.replace(microsecond=5), NOON.replace(microsecond=5), "2005-01-01T12:00:00.000005Z"),
        (NOON.astimezone(EAST), NOON, "2005-01-01T17:45:00+05:45"),
        ("yesterday", None, "yesterday"),
        ("2005-01-01T12:00:00", None, "2005-01-01T12:00:00"),
        ("", None, None),
        (" \t\r\n", None, None),
        (None, None, None),
    ],
)
def test_lastmod_becomes_an_instant_and_a_text(kind: type[Entry], given: Any, instant: Any, raw: Any) -> None:
    entry = kind(LOC, given)
    assert (entry.lastmod, entry.lastmod_raw) == (instant, raw)
    assert entry.lastmod is None or entry.lastmod.tzinfo is UTC


@both_kinds
def test_lastmod_may_be_given_as_its_text_alone(kind: type[Entry]) -> None:
    assert kind(LOC, lastmod_raw="2005-01") == kind(LOC, "2005-01")
    assert kind(LOC, lastmod_raw=" soon ").lastmod_raw == "soon"


@both_kinds
def test_the_typed_lastmod_wins_over_a_different_text(kind: type[Entry]) -> None:
    same = kind(LOC, NOON, "2005-01-01T13:00+01:00")
    assert (same.lastmod, same.lastmod_raw) == (NOON, "2005-01-01T13:00+01:00")
    for text in ("2004", "nonsense", "2005-01-01T12:00:01Z"):
        other = kind(LOC, NOON, text)
        assert (other.lastmod, other.lastmod_raw) == (NOON, "2005-01-01T12:00:00Z")
    assert kind(LOC, date(2005, 1, 1), "2004").lastmod_raw == "2005-01-01"
    assert kind(LOC, "2005", "2004").lastmod_raw == "2005"


@both_kinds
def test_a_time_without_a_zone_is_refused(kind: type[Entry]) -> None:
    with pytest.raises(InputError, match=r"lastmod must have a time zone, .*, got '2005-01-01T12:00:00'"):
        kind(LOC, NOON.replace(tzinfo=None))


@both_kinds
@pytest.mark.parametrize(
    "when",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(minutes=1))),
        datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(minutes=-1))),
    ],
)
def test_a_time_outside_of_the_calendar_is_refused(kind: type[Entry], when: datetime) -> None:
    with pytest.raises(InputError, match="within the years 1 to 9999"):
        kind(LOC, when)


@both_kinds
@pytest.mark.parametrize("wrong", [5, 1104573600.0, b"2005", ("2005",), timedelta(1)])
def test_an_invalid_date_is_refused(kind: type[Entry], wrong: Any) -> None:
    with pytest.raises(InputError, match=r"lastmod"):
        kind(LOC, wrong)


@given(
    when=st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),  # noqa: DTZ001  (the zone comes apart)
    seconds=st.integers(-86_399, 86_399),
)
def test_the_text_keeps_the_instant_in_any_zone(when: datetime, seconds: int) -> None:
    # Zones had odd seconds before they had names: Berlin was 53 minutes and 28 seconds ahead until 1893.
    given = when.replace(tzinfo=timezone(timedelta(seconds=seconds)))
    entry = UrlEntry(LOC, given)
    assert entry.lastmod == given
    assert entry.lastmod_raw is not None
    assert read_back(entry.lastmod_raw) == given


@given(text=st.text(max_size=30))
def test_a_text_is_read_as_the_reader_reads_it(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    # What XML cannot hold cannot be compared.
    assume(all(char in "\t\n\r" or " " <= char < "\ufffe" or char > "\uffff" for char in text))
    assert UrlEntry(LOC, text).lastmod == read_back(escaped)


# --- the other fields ---------------------------------------------------------------------------------------


def test_absent_values_have_no_defaults() -> None:
    entry = UrlEntry(LOC)
    assert dataclasses.astuple(entry) == (LOC, None, None, None, None, (), (), (), None, None, None, None)
    assert dataclasses.astuple(SitemapEntry(None)) == (None,) * 6


def test_zero_is_a_priority() -> None:
    assert UrlEntry(LOC, priority=0).priority == 0.0
    assert isinstance(UrlEntry(LOC, priority=0).priority, float)
    assert UrlEntry(LOC, priority=0) != UrlEntry(LOC)


@pytest.mark.parametrize("word", CHANGEFREQS)
def test_texts_are_as_reading_would_give_them(word: str) -> None:
    assert UrlEntry(LOC, changefreq=f" {word}\n").changefreq == word
    assert UrlEntry(LOC, changefreq=" ").changefreq is None
    assert Image(" a ", "", "\tb", None, "\u00a0").license == "\u00a0"
    assert Image(" a ", "", "\tb") == Image("a", None, "b")
    assert Alternate(" de ", "a\n", " ") == Alternate("de", "a", None, "alternate")


def test_images_and_alternates_may_be_given_in_many_ways() -> None:
    image, link = Image("a", title="T"), Alternate("de", "b")
    for images in ([image], (image,), iter([image]), [{"loc": "a", "title": "T"}]):
        assert UrlEntry(LOC, images=images).images == (image,)
    assert UrlEntry(LOC, images=["a", "b"]).images == (Image("a"), Image("b"))
    for links in (
        [link],
        [{"hreflang": "de", "href": "b"}],
        iter([{"hreflang": "de", "href": "b", "rel": "alternate"}]),
    ):
        assert UrlEntry(LOC, alternates=links).alternates == (link,)


def test_a_text_instead_of_a_list_of_images_is_refused() -> None:
    # Letter by letter it would be one, with as many images.
    with pytest.raises(InputError, match=r"images"):
        UrlEntry(LOC, images="http://a.example/i.png")


def test_videos_and_news_may_be_given_in_many_ways() -> None:
    video = Video("a", prices=[Price("1", "EUR")], ids=[VideoId("7")], tags=["x"], tvshow=TvShow("S"))
    as_dict: dict[str, Any] = {
        "thumbnail_loc": " a ",
        "prices": [{"price": "1\n", "currency": "EUR"}],
        "ids": ["7"],
        "tags": iter(["", " x ", "\t"]),
        "tvshow": {"show_title": "S", "video_type": ""},
        "content_segments": None,
    }
    assert UrlEntry(LOC, videos=[as_dict]).videos == (video,)
    assert Video(content_segments=["b"]).content_segments == (ContentSegment("b"),)
    assert UrlEntry(LOC, news={"title": " T"}).news == News(title="T")
    assert News("", " a\n") == News(None, "a")


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        (UrlEntry, {"loc": LOC, "videos": {"title": "T"}}),
        (UrlEntry, {"loc": LOC, "news": "T"}),
        (Video, {"tags": "x"}),
        (Video, {"prices": "1"}),
        (Video, {"tvshow": "S"}),
        (Video, {"duration": 600}),
        (News, {"title": 7}),
        (Price, {"price": 1.99}),
    ],
)
def test_values_of_the_wrong_type_are_refused(make: Callable[..., Any], fields: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r" must be .*, got (one )?(dict|str|int|float)"):
        make(**fields)


# --- values -------------------------------------------------------------------------------------------------

VIDEO = Video("a", tags=["b"], content_segments=["c"], prices=["1"], ids=[VideoId("d", "url")], tvshow=TvShow("e"))
FULL = UrlEntry(
    LOC,
    NOON,
    changefreq="daily",
    priority=0.5,
    images=[Image("a", "b", "c", "d", "e")],
    alternates=[Alternate("de", "f", "g", "h")],
    videos=[VIDEO],
    news=News("a", "b"),
    document="sitemap.xml",
    line=7,
)
VALUES: list[Any] = [
    FULL,
    UrlEntry(None),
    SitemapEntry(LOC, "2005", document="sitemap.xml", line=2),
    Image("a", "b"),
    Alternate(None, None, rel=None),
    VIDEO,
    *(VIDEO.prices[0], VIDEO.content_segments[0], VIDEO.ids[0], TvShow("e"), News("a", title="b")),
    Diagnostic("LOC002", "error", "m", "a.xml", 1, 2, 3, "source", 4, "help"),
    Document("a.xml", "urlset", 1, 2, "recovered", counts={"XML005": 1}, extensions={"urn:x": 2}),
]
each_value = pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)


@each_value
@pytest.mark.parametrize("through", [lambda v: pickle.loads(pickle.dumps(v)), copy.copy, copy.deepcopy])
def test_a_copy_is_equal_in_everything(value: Any, through: Callable[[Any], Any]) -> None:
    again = through(value)
    assert again == value
    assert hash(again) == hash(value)
    assert repr(again) == repr(value)
    assert dataclasses.fields(again) == dataclasses.fields(value)


@each_value
def test_values_do_not_change(value: Any) -> None:
    for field in dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)
    assert not hasattr(value, "__dict__")


def test_where_an_entry_was_read_does_not_count_in_comparisons() -> None:
    for kind in (UrlEntry, SitemapEntry):
        here, there = kind(LOC, document="a", kind="rss", line=1), kind(LOC, document="b", kind="atom", line=2)
        assert here == there
        assert len({here, there}) == 1
    url, sitemap = (make(LOC) for make in (UrlEntry, SitemapEntry))
    assert url != sitemap


@pytest.mark.parametrize(
    "other",
    [
        {"loc": "x"},
        {"lastmod": "2006"},
        {"lastmod_raw": "2005-01-01T17:45:00+05:45"},
        {"changefreq": None},
        {"priority": 0.0},
        {"images": ()},
        {"alternates": ()},
        {"videos": ()},
        {"news": None},
    ],
)
def test_everything_else_is(other: dict[str, Any]) -> None:
    assert dataclasses.replace(FULL, **other) != FULL


def test_replace_normalises_as_the_constructor_does() -> None:
    day: Any = date(2006, 1, 1)  # which the constructor takes, though the field is never one
    later = dataclasses.replace(FULL, lastmod=day)
    assert (later.lastmod, later.lastmod_raw) == (datetime(2006, 1, 1, tzinfo=UTC), "2006-01-01")
    assert (later.document, later.kind, later.line) == (FULL.document, FULL.kind, FULL.line)
    assert later.images == FULL.images
    assert dataclasses.replace(FULL) == FULL
    without = dataclasses.replace(FULL, lastmod=None, lastmod_raw=None)
    assert (without.lastmod, without.lastmod_raw) == (None, None)


def test_an_entry_that_was_read_equals_one_that_is_constructed() -> None:
    [entry] = urlset.parse(f"{HEAD}\n<url><loc>{LOC}</loc><lastmod>2005</lastmod></url></urlset>".encode())
    made = UrlEntry(LOC, "2005", kind="urlset", line=2)
    assert entry == made
    assert hash(entry) == hash(made)
    assert repr(entry) == repr(made)
    assert pickle.loads(pickle.dumps(entry)) == made
    assert pickle.dumps(entry) == pickle.dumps(made)
    assert dataclasses.replace(entry, loc="x") == UrlEntry("x", "2005")


@pytest.mark.parametrize(
    "raw",
    [
        "0001-01-01",
        "0255-12-31T23:59:59Z",
        "0256-01-01",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "2024-02-29T12:34:56.000001+05:45",
        "2024-02-29T12:34:56.065536Z",
        "9999-12-31T23:59:59.999999Z",
    ],
)
def test_an_instant_that_was_read_is_one_like_any_other(raw: str) -> None:
    [entry] = urlset.parse(f"{HEAD}<url><loc>{LOC}</loc><lastmod>{raw}</lastmod></url></urlset>".encode())
    read, made = entry.lastmod, UrlEntry(LOC, raw).lastmod
    assert read is not None
    assert (read, repr(read), hash(read), read.tzinfo) == (made, repr(made), hash(made), UTC)
    assert pickle.dumps(read) == pickle.dumps(made)
    assert read + timedelta(0) == datetime.fromisoformat(read.isoformat())


def test_the_collector_of_cycles_need_not_look_at_what_was_read() -> None:
    [entry] = urlset.parse(
        f'{HEAD}<url><loc>{LOC}</loc><i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">'
        "<i:loc>http://a.example/i.png</i:loc></i:image></url></urlset>".encode()
    )
    # They hold texts, numbers, instants and each other, and nothing that was made later.
    assert not gc.is_tracked(entry)
    assert entry.images == (Image("http://a.example/i.png"),)
    assert not gc.is_tracked(entry.images[0])
    gc.collect()
    assert entry == UrlEntry(LOC, images=["http://a.example/i.png"])


@given(words=st.lists(st.text("abé", min_size=1, max_size=18), min_size=1, max_size=300))
def test_texts_that_come_back_are_the_ones_that_were_written(words: list[str]) -> None:
    links = "".join(
        f'<x:link xmlns:x="http://www.w3.org/1999/xhtml" rel="{word}" hreflang="{other}" href="{word}"/>'
        for word, other in zip(words, reversed(words), strict=True)
    )
    [entry] = urlset.parse(f"{HEAD}<url><loc>{LOC}</loc>{links}</url></urlset>".encode())
    read = [(link.rel, link.hreflang, link.href) for link in entry.alternates]
    assert read == [(word, other, word) for word, other in zip(words, reversed(words), strict=True)]


@given(row=entries())
def test_any_good_row_makes_an_entry_that_makes_itself(row: dict[str, Any]) -> None:
    entry = UrlEntry(**row)
    fields = {field.name: getattr(entry, field.name) for field in dataclasses.fields(entry)}
    assert UrlEntry(**fields) == entry
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert dataclasses.replace(entry) == entry


def test_a_diagnostic_reads_as_one_line() -> None:
    diagnostic = Diagnostic("LOC002", "error", "the loc has no scheme", None, 3, 4, 5, "<loc>", 1)
    assert str(diagnostic) == "<bytes>:3:4: LOC002 the loc has no scheme"
    assert str(dataclasses.replace(diagnostic, location="a.xml")).startswith("a.xml:3:4: ")
