"""When a page says that it last changed: the front matter of its source file.

Front matter is what a file begins with: YAML between lines of `---`, TOML between lines of `+++`, or one JSON object.
Only single values at its top are read, under the names of `CHANGED`, and where it has none of them, of `PUBLISHED`.

Names are compared without case, `-` and `_`, for they are spelled in many ways. Of several the first of the list wins;
if what it says is no date, no other is taken in its place, for that would be older than the page.

DIFFERENCE: a time without a zone is cut down to its day. YAML takes it for UTC, Hugo and Jekyll for the zone of the
site, Python and JavaScript for that of the machine, and a lastmod with a time has to have a zone. The day is what they
all agree on, within a day.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from urlset import _core
from urlset._model.errors import InputError

#: Names of when a page last changed, in the order in which they count.
CHANGED = (
    "lastmod",  # Hugo, Docsy, many themes
    "last_modified_at",  # Jekyll, with jekyll-sitemap and jekyll-seo-tag
    "last_modified",
    "last_updated",  # Starlight and VitePress, as lastUpdated
    "updated",  # Zola, Hexo, Nikola, Eleventy by habit
    "updated_at",
    "updated_date",  # Astro's blog template, as updatedDate
    "modified",  # Pelican, and an alias of Hugo
    "modified_at",
    "date_modified",  # schema.org, as dateModified
)
#: Names of when it appeared, which count where none of the others is there.
PUBLISHED = (
    "date",  # nearly all
    "pub_date",  # Astro and an alias of Hugo, as pubDate
    "publish_date",  # Hugo, as publishDate
    "published",  # an alias of Hugo; Jekyll has true and false here
    "published_at",
    "date_published",  # schema.org, as datePublished
)

#: Front matter that is longer is not read.
MOST_BYTES = 1 << 16
_PIECE = 1 << 12
_MOST_PARTS = 100
_SHOWN = 80
#: What begins front matter, and the kind of what follows. Source: gray-matter, for a kind after the dashes.
_FENCE = re.compile(r"(?:---(?:[ \t]*(?P<kind>yaml|yml|toml|json))?|\+\+\+)[ \t]*\r?")
#: A day, or a day with a time, as YAML and W3C write it, and as Ruby does, without a colon in the zone.
_DATE = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)"
    r"(?P<time>(?:[Tt]|[ \t]+)(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d*))?)?"
    r"(?:[ \t]*(?P<zone>[Zz]|[-+](?:\d{4}|\d\d?(?::\d\d)?)))?)?",
    re.ASCII,
)
_YAML_KEY = re.compile(r"""(?:"([^"\\]*)"[ \t]*|'([^']*)'[ \t]*|([^\s"'#&*!|>%@`,?:{}\[\]-][^:#]*)):(?:[ \t]+(.*))?""")
#: An anchor or a tag, which say nothing of the value itself.
_YAML_PROPERTY = re.compile(r"(?:[&!]\S*(?:[ \t]+|$))+")
_YAML_QUOTED = re.compile(r"""(?:"([^"\\]*)"|'([^']*)')(?:[ \t]+(?:#.*)?)?""")
_YAML_BLOCK = re.compile(r"[|>][-+\d]*(?:[ \t]+(?:#.*)?)?")
_YAML_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_NOTHING = frozenset({"", "~", "null", "true", "false", "yes", "no", "on", "off"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the front matter of one file says of its page.

    `lastmod` is a date or a time with a zone, as a sitemap has it, and `key` the name that it stood under, as it is
    written there: also where it was no date. `is_draft` tells that the page is not to be published (`draft: true`, or
    `published: false` as Jekyll has it). `bad` says in a sentence why there is no lastmod although there should be.
    """

    lastmod: str | None = None
    key: str | None = None
    is_draft: bool = False
    bad: str | None = None


def of_file(path: str | os.PathLike[str]) -> FrontMatter:
    """The front matter of a file in UTF-8, of which no more is read than that: 64 KiB at most.

    The fence of an Astro component holds code, and is not read. Raises InputError for what is no file, or cannot be
    read.
    """
    source = Path(path)
    if source.suffix == ".astro":
        return FrontMatter()
    try:
        if not source.is_file():
            raise InputError(f"{source} is no file")
        with source.open("rb") as file:
            head = b""
            while len(head) < MOST_BYTES and (piece := file.read(_PIECE)):
                head += piece
                if _is_enough(head.decode("utf-8-sig", "replace")):
                    break
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror or error}") from error
    return _of_head(head.decode("utf-8-sig", "replace"), is_cut=len(head) >= MOST_BYTES)


def of_text(text: str) -> FrontMatter:
    """The front matter that a text begins with, or none. Of the text no more is looked at than 65,536 characters."""
    head = text[:MOST_BYTES].removeprefix("\ufeff")
    return _of_head(head, is_cut=len(text) >= MOST_BYTES)


def _of_head(head: str, *, is_cut: bool) -> FrontMatter:
    kind, ends, rest = _begun(head)
    if not kind:
        return FrontMatter()
    lines = _until(rest, ends) if ends else [rest]
    if lines is None:
        # A line of dashes at the top may as well be a rule across the page.
        why = f"is longer than {MOST_BYTES} bytes" if is_cut else "has no end" if kind != "yaml" else None
        return FrontMatter(bad=why and f"the front matter {why}")
    try:
        return _of_values(_READERS[kind]("\n".join(lines)))
    except (ValueError, RecursionError) as error:
        is_long = is_cut and not ends
        why = (
            f"longer than {MOST_BYTES} bytes"
            if is_long
            else f"no {kind.upper()} that can be read: {_shown(str(error))}"
        )
        return FrontMatter(bad=f"the front matter is {why}")


def _begun(head: str) -> tuple[str, tuple[str, ...], str]:
    """The kind of the front matter, the lines that may end it, and the text from there on; no kind where there is none.

    An object of JSON ends by itself. Templates begin with a brace as well: {% raw %}, {{< name >}}, {/* comment */}.
    """
    if re.match(r'\{\s*["}]', head):
        return "json", (), head
    first, _, rest = head.partition("\n")
    fence = _FENCE.fullmatch(first)
    if fence is None:
        return "", (), ""
    if first.startswith("+"):
        return "toml", ("+++",), rest
    if fence["kind"] in ("toml", "json"):
        return fence["kind"], ("---",), rest
    return "yaml", ("---", "..."), rest


def _is_enough(head: str) -> bool:
    """Whether front matter ends in what was read so far, or there is none."""
    if "\n" not in head:
        # A brace may be followed by blanks, and a fence may not be whole.
        return bool(head) and not head.startswith(("{", "-", "+"))
    kind, ends, rest = _begun(head)
    if not kind:
        return not re.fullmatch(r"\{\s*", head)
    # The last line may not be whole yet.
    return bool(ends) and _until(rest.rpartition("\n")[0], ends) is not None


def _until(rest: str, ends: tuple[str, ...]) -> list[str] | None:
    lines: list[str] = []
    for line in rest.split("\n"):
        if line.rstrip() in ends:
            return lines
        lines.append(line.removesuffix("\r"))
    return None


def _json(text: str) -> Mapping[str, object]:
    values, _ = json.JSONDecoder().raw_decode(text.lstrip())
    if not isinstance(values, dict):
        raise ValueError("it is no object")  # noqa: TRY004  (nor is it what was asked for)
    return values


def _toml(text: str) -> Mapping[str, object]:
    # A key of many parts takes tomllib the square of their number.
    for line in text.split("\n"):
        keys = [line] if line.startswith("[") else line.split("=")[:-1]
        if any(key.count(".") > _MOST_PARTS for key in keys):
            raise ValueError(f"a key has more than {_MOST_PARTS} parts")
    return tomllib.loads(text)


def _plain(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


_ORDER = {_plain(key): place for place, key in enumerate(CHANGED + PUBLISHED)}


def _of_values(values: Mapping[str, object]) -> FrontMatter:
    said = {_plain(key): value for key, value in values.items()}
    is_draft = _truth(said.get("draft")) is True or _truth(said.get("published")) is False
    # A switch is no date: `lastUpdated: false` only hides it.
    keys = [key for key, value in values.items() if _plain(key) in _ORDER and not _is_nothing(value)]
    if not keys:
        return FrontMatter(is_draft=is_draft)
    key = min(keys, key=lambda each: _ORDER[_plain(each)])
    value = values[key]
    lastmod = _lastmod(value.isoformat() if isinstance(value, date) else value)  # a datetime is a date as well
    if lastmod is not None:
        return FrontMatter(lastmod, key, is_draft)
    shown = _shown(repr(value)) if isinstance(value, str) else f"of type {type(value).__name__}"
    return FrontMatter(None, key, is_draft, f"{_shown(key)} is {shown}, which is no date")


def _is_nothing(value: object) -> bool:
    return value is None or isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in _NOTHING)


def _truth(value: object) -> bool | None:
    """True and false, as the formats and their generators take them."""
    if isinstance(value, str):
        return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(value.lower())
    return value if isinstance(value, bool) else None


def _lastmod(value: object) -> str | None:
    """A date as a sitemap has it, or None for what is none."""
    match = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    day = f"{match['year']}-{match['month']:0>2}-{match['day']:0>2}"
    if match["time"] is None:
        return day if _core.lastmod_micros(day) is not None else None
    fraction = f".{match['fraction']}" if match["fraction"] else ""
    moment = f"{day}T{match['hour']:0>2}:{match['minute']}:{match['second'] or '00'}{fraction}{_zone(match['zone'])}"
    if _core.lastmod_micros(moment) is None:
        return None
    return moment if match["zone"] else day


def _zone(zone: str | None) -> str:
    if zone in (None, "z", "Z"):
        return "Z"
    digits = zone[1:].replace(":", "")
    hours, minutes = (digits, "00") if len(digits) <= 2 else (digits[:-2], digits[-2:])
    return f"{zone[0]}{hours:0>2}:{minutes}"


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _yaml(text: str) -> Mapping[str, object]:
    """Values by names that begin at the first column, each value as one text: no YAML, only what is single in it.

    What is nested is indented, or a list, and becomes a text that is no date. Quotes and brackets that run over several
    lines need no indentation everywhere, so they are followed to their end.
    """
    values: dict[str, object] = {}
    rest = iter(text.split("\n"))
    line = next(rest, None)
    while line is not None:
        if line.startswith("{") and line != "{}" and not values:
            raise ValueError("all of it is in braces")
        key = _YAML_KEY.fullmatch(line)
        value = (key[4] or "") if key else line
        value = value[found.end() :] if (found := _YAML_PROPERTY.match(value)) else value
        parts = [value]
        line = next(rest, None)
        if value.startswith(('"', "'", "[", "{")):
            still: list[str] = []
            is_open = _follow(value, still)
            while is_open and line is not None:
                parts.append(line)
                is_open = _follow(line, still)
                line = next(rest, None)
        while line is not None and (not line.strip() or line.startswith((" ", "\t", "- ")) or line == "-"):
            parts.append(line)
            line = next(rest, None)
        if key:
            values[key[1] or key[2] or (key[3] or "").rstrip()] = _scalar(parts)
    return values


def _scalar(parts: list[str]) -> str:
    """The text of a value, if it is a single one: without its comment and its quotes."""
    quoted = _YAML_QUOTED.fullmatch("\n".join(parts).rstrip())
    if quoted:
        lines = (quoted[1] or quoted[2] or "").split("\n")
    elif _YAML_BLOCK.fullmatch(parts[0]):
        lines = parts[1:]
    else:
        lines = [_YAML_COMMENT.sub("", part) for part in parts]
    # Lines are one line, but for an empty one between them.
    text = "\n".join(line.strip() for line in lines).strip()
    return text if "\n\n" in text or parts[0].startswith("|") else text.replace("\n", " ")


def _follow(line: str, still: list[str]) -> bool:
    """Whether a value is open after this line. `still` has the quote and the brackets that are, and is kept so."""
    place, before = 0, " "
    while place < len(line):
        character = line[place]
        inside = still[-1] if still else ""
        if inside == '"' and character == "\\":
            place += 1
        elif inside in ('"', "'"):
            if inside == "'" and line.startswith("''", place):
                place += 1
            elif character == inside:
                still.pop()
        elif character == "#" and before in " \t":
            break
        elif character in "[{" or (character in "\"'" and before in " \t[{,:"):
            still.append(character)
        elif character in "]}":
            still.pop()
        if not still:
            return False
        before = character
        place += 1
    return True


_READERS: Mapping[str, Callable[[str], Mapping[str, object]]] = {"json": _json, "toml": _toml, "yaml": _yaml}
