"""Front matter with any values in any spelling is read as PyYAML, tomllib and json read it."""

from __future__ import annotations

import json
import tomllib
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.sources.front_matter import lastmod
from urlset import _core
from urlset.sources.front_matter import CHANGED, PUBLISHED, FrontMatter, of_text

_ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.one_of(st.none(), _ZONES))  # noqa: DTZ001
_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029\ufeff"), max_size=30)
_SCALARS = st.one_of(
    *(st.dates(), _MOMENTS, st.booleans(), st.none(), st.integers(), st.floats(allow_nan=False), _TEXTS),
    st.dates().map(date.isoformat),
    st.sampled_from(["a: b", "it's", 'say "x"', "lastmod: 2020-01-01", "a\nlastmod: 2020-01-01\nb", "# x", "{", "]"]),
)
_KEYS = st.one_of(st.sampled_from(["lastmod", "updated", "date", "pubDate", "draft", "title", "tags"]), _TEXTS)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=6,
)


def plain(key: object) -> str:
    return str(key).lower().replace("_", "").replace("-", "")


def expected(values: dict[Any, Any]) -> str | type[ValueError] | None:
    """Return the date under the first name; None if there is none, and an error for anything but a date."""
    for name in (*CHANGED, *PUBLISHED):
        for value in (value for key, value in values.items() if plain(key) == plain(name)):
            parsed = of_text(json.dumps({name: value})) if isinstance(value, str) else FrontMatter()
            if parsed != FrontMatter(is_draft=parsed.is_draft):
                return parsed.lastmod or ValueError
            if isinstance(value, datetime) and value.tzinfo is not None:
                return value.astimezone(UTC).isoformat()
            if isinstance(value, date):
                return value.isoformat()[:10]
            if value is not None and not isinstance(value, bool | str):
                return ValueError
    return None


def agree(block: str) -> None:
    """Check that a block of YAML is read as PyYAML reads it."""
    values = yaml.safe_load(block)
    found = of_text(f"---\n{block}\n---\nText\n")
    wanted = expected(values if isinstance(values, dict) else {})
    if "\\" in (found.bad or ""):  # an escape inside of quotes, which no date needs, is not undone
        return
    if not isinstance(wanted, str):
        assert found.lastmod is None
        assert (found.bad is not None) is (wanted is ValueError)
    elif found.lastmod is None or "T" not in found.lastmod:
        assert found.lastmod == wanted
    else:
        assert _core.lastmod_micros(found.lastmod) == _core.lastmod_micros(wanted)


@given(
    st.dictionaries(_KEYS, _VALUES, max_size=6),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([None, False]),
    st.sampled_from([20, 80, 1000]),
)
def test_what_pyyaml_writes_is_read_as_pyyaml_reads_it(
    values: dict[str, Any], style: str | None, flow: bool | None, width: int
) -> None:
    block = yaml.safe_dump(values, default_style=style, default_flow_style=flow, width=width, allow_unicode=True)
    if block.startswith("{"):
        assert (of_text(f"---\n{block}\n---\n").bad is None) is (block == "{}\n")
    else:
        agree(block)


_BLANKS = st.sampled_from(["", " ", "  ", "\t"])


@st.composite
def spelled(draw: st.DrawFn) -> str:
    """Generate a timestamp in any spelling that YAML allows."""
    moment = draw(st.datetimes())
    text = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    if draw(st.booleans()):
        return text
    if draw(st.booleans()):
        text = f"{moment.year:04}-{moment.month}-{moment.day}"
    text += draw(st.sampled_from(["T", "t", " ", "   ", "\t"]))
    text += draw(st.sampled_from([f"{moment.hour}", f"{moment.hour:02}"])) + f":{moment.minute:02}:{moment.second:02}"
    text += draw(st.sampled_from(["", ".", ".5", ".123456", ".000001"]))
    zone = draw(st.sampled_from(["", "Z", "+1", "-1", "+01", "-05:30", "+14:00", "-23:59"]))
    return text + (draw(_BLANKS) + zone if zone else "")


@given(
    st.lists(st.tuples(st.sampled_from(["lastmod", "date", "title"]), spelled()), min_size=1, max_size=3),
    _BLANKS,
    st.sampled_from(["", " # 2020-01-01", "  ", "\t# it's"]),
    st.sampled_from(["{}", '"{}"', "'{}'"]),
)
def test_any_spelling_of_a_timestamp_is_read_as_pyyaml_reads_it(
    pairs: list[tuple[str, str]], blank: str, comment: str, quotes: str
) -> None:
    lines = [f"{key}{blank}: {quotes.format(text)}{comment}" for key, text in pairs]
    try:
        yaml.safe_load("\n".join(lines))
    except (yaml.YAMLError, OverflowError):
        return
    try:
        agree("\n".join(lines))
    except OverflowError:  # the instant lies before the year 1 or after 9999
        assert lastmod(*lines) is None


@given(st.dictionaries(st.sampled_from(["lastmod", "date", "draft"]), st.dates() | _MOMENTS | st.booleans()))
def test_toml_is_read_as_tomllib_reads_it(values: dict[str, Any]) -> None:
    lines = (
        f"{key} = {str(value).lower() if isinstance(value, bool) else value.isoformat()}"
        for key, value in values.items()
    )
    text = "\n".join(lines)
    found = of_text(f"+++\n{text}\n+++\n")
    wanted = expected(tomllib.loads(text))
    assert found.is_draft is (values.get("draft") is True)
    if isinstance(wanted, str) and "T" in wanted:
        assert _core.lastmod_micros(found.lastmod or "") == _core.lastmod_micros(wanted)
    else:
        assert found.lastmod == wanted


@given(st.text() | st.text("-+{}[]\"'#:\n\\ \t&!ladstmo01", max_size=60))
def test_any_text_is_read_to_an_end(text: str) -> None:
    for head in ("", "---\n", "+++\n", '{"'):
        for end in ("", "\n---\n", "\n+++\n", "}"):
            found = of_text(head + text + end)
            assert found.lastmod is None or _core.lastmod_micros(found.lastmod) is not None
            assert found.lastmod is None or found.bad is None
