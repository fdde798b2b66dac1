"""The lastmod in the front matter of the source file of a page.

Front matter is the beginning of a file: YAML between lines of `---`, TOML between lines of `+++`, or one JSON object.
Only single values at its top level are read: those named in `CHANGED`, and if there are none, those in `PUBLISHED`.

Names are compared without case, `-` and `_`, because their spelling varies. If there are several, the first in the list
counts. If its value is not a date, no other is used instead, because that would be older than the page.

DIFFERENCE: a time without a zone is cut down to its day. YAML reads it as UTC, Hugo and Jekyll as the zone of the site,
Python and JavaScript as the zone of the machine, and a lastmod with a time needs a zone. On the day, all of them agree
to within one day.
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

#: Names of modification dates, in the order in which they count.
CHANGED = (
    "lastmod",  # Hugo, Docsy, many themes
    "last_modified_at",  # Jekyll, with jekyll-sitemap and jekyll-seo-tag
    "last_modified",
    "last_updated",  # Starlight and VitePress, as lastUpdated
    "updated",  # Zola, Hexo, Nikola, Eleventy by convention
    "updated_at",
    "updated_date",  # Astro's blog template, as updatedDate
    "modified",  # Pelican, and an alias of Hugo
    "modified_at",
    "date_modified",  # schema.org, as dateModified
)
#: Names of publication dates, which count if there is no modification date.
PUBLISHED = (
    "date",  # nearly all generators
    "pub_date",  # Astro and an alias of Hugo, as pubDate
    "publish_date",  # Hugo, as publishDate
    "published",  # an alias of Hugo; Jekyll has true and false here
    "published_at",
    "date_published",  # schema.org, as datePublished
)

#: The most bytes of front matter; longer front matter is not read.
MAX_BYTES = 1 << 16
_PIECE = 1 << 12
_MAX_PARTS = 100
_SHOWN = 80
#: The line that begins front matter, and its format. Source: gray-matter, for a format after the dashes.
_FENCE = re.compile(r"(?:---(?:[ \t]*(?P<kind>yaml|yml|toml|json))?|\+\+\+)[ \t]*\r?")
#: A day, or a day with a time, as in YAML and W3C dates, and as in Ruby, without a colon in the zone.
_DATE = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)"
    r"(?P<time>(?:[Tt]|[ \t]+)(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d*))?)?"
    r"(?:[ \t]*(?P<zone>[Zz]|[-+](?:\d{4}|\d\d?(?::\d\d)?)))?)?",
    re.ASCII,
)
_YAML_KEY = re.compile(r"""(?:"([^"\\]*)"[ \t]*|'([^']*)'[ \t]*|([^\s"'#&*!|>%@`,?:{}\[\]-][^:#]*)):(?:[ \t]+(.*))?""")
#: An anchor or a tag, which are not part of the value.
_YAML_PROPERTY = re.compile(r"(?:[&!]\S*(?:[ \t]+|$))+")
_YAML_QUOTED = re.compile(r"""(?:"([^"\\]*)"|'([^']*)')(?:[ \t]+(?:#.*)?)?""")
_YAML_BLOCK = re.compile(r"[|>][-+\d]*(?:[ \t]+(?:#.*)?)?")
_YAML_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_NOTHING = frozenset({"", "~", "null", "true", "false", "yes", "no", "on", "off"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the front matter of one file says about its page.

    Attributes:
        lastmod: A date, or a time with a zone, as in a sitemap; None if there is none.
        key: The name of that value, as written, even if the value is not a date.
        is_draft: Whether the page must not be published: `draft: true`, or `published: false` as in Jekyll.
        bad: A sentence that says why a lastmod could not be read; None if it could, or is missing.
    """

    lastmod: str | None = None
    key: str | None = None
    is_draft: bool = False
    bad: str | None = None

    @property
    def is_publication(self) -> bool:
        """Whether the date is that of publication, after which the page may have changed."""
        return self.key is not None and _ORDER.get(_normalize(self.key), 0) >= len(CHANGED)


def of_file(path: str | os.PathLike[str]) -> FrontMatter:
    """Read the front matter of a UTF-8 file. At most 64 KiB are read.

    An `.astro` file has code at its beginning, which is not read.

    Args:
        path: The source file of a page.

    Returns:
        The front matter; its attributes are None if the file has none.

    Raises:
        InputError: The path is not a file, or cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from urlset.sources import front_matter
        >>> _ = Path("tea.md").write_text("---\\ntitle: Tea\\nlastmod: 2026-11-20\\n---\\n")
        >>> front_matter.of_file("tea.md").lastmod
        '2026-11-20'
    """
    head = _head(Path(path))
    return FrontMatter() if head is None else _parse(_decoded(head), is_cut=len(head) >= MAX_BYTES)


def values_of_file(path: str | os.PathLike[str]) -> Mapping[str, object]:
    """Return all values at the top level of the front matter of a file; nothing if it has none, or is invalid.

    Values of YAML are texts, also lists and what is nested.

    Args:
        path: The source file of a page.

    Raises:
        InputError: The path is not a file, or cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from urlset.sources import front_matter
        >>> _ = Path("tea.md").write_text("---\\ntitle: Tea\\nslug: green-tea\\n---\\n")
        >>> front_matter.values_of_file("tea.md")
        {'title': 'Tea', 'slug': 'green-tea'}
    """
    try:
        return _values(_decoded(_head(Path(path)) or b""))
    except (ValueError, RecursionError):
        return {}


def _head(source: Path) -> bytes | None:
    """Return the beginning of a file, with its front matter; None for one of code."""
    if source.suffix == ".astro":
        return None
    try:
        if not source.is_file():
            raise InputError(f"{source} is not a file")
        with source.open("rb") as file:
            head = b""
            while len(head) < MAX_BYTES and (piece := file.read(_PIECE)):
                head += piece
                if _is_enough(_decoded(head)):
                    break
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror or error}") from error
    return head


def _decoded(head: bytes) -> str:
    return head.decode("utf-8-sig", "replace")


def of_text(text: str) -> FrontMatter:
    """Read the front matter at the beginning of a text. At most 65,536 characters are examined.

    Args:
        text: The content of the source file of a page.

    Returns:
        The front matter; its attributes are None if the text has none.

    Example:
        >>> from urlset.sources import front_matter
        >>> found = front_matter.of_text("+++\\nupdated = 2026-11-20T08:00:00Z\\ndraft = true\\n+++\\n")
        >>> found.lastmod, found.key, found.is_draft
        ('2026-11-20T08:00:00+00:00', 'updated', True)
    """
    head = text[:MAX_BYTES].removeprefix("\ufeff")
    return _parse(head, is_cut=len(text) >= MAX_BYTES)


def _parse(head: str, *, is_cut: bool) -> FrontMatter:
    kind, ends, rest = _detect(head)
    if not kind:
        return FrontMatter()
    lines = _lines_until(rest, ends) if ends else [rest]
    if lines is None:
        # A line of dashes at the top may be a horizontal rule instead.
        fault = f"is longer than {MAX_BYTES} bytes" if is_cut else "has no end" if kind != "yaml" else None
        return FrontMatter(bad=fault and f"the front matter {fault}")
    try:
        return _interpret(_READERS[kind]("\n".join(lines)))
    except (ValueError, RecursionError) as error:
        is_long = is_cut and not ends
        fault = f"is longer than {MAX_BYTES} bytes" if is_long else f"is invalid {kind.upper()}: {_shown(str(error))}"
        return FrontMatter(bad=f"the front matter {fault}")


def _values(head: str) -> Mapping[str, object]:
    """Return the values of front matter; nothing if there is none, or it has no end."""
    kind, ends, rest = _detect(head)
    lines = (_lines_until(rest, ends) if ends else [rest]) if kind else None
    return {} if lines is None else _READERS[kind]("\n".join(lines))


def _detect(head: str) -> tuple[str, tuple[str, ...], str]:
    """Return the format of the front matter, the lines that may end it, and the text after its first line.

    The format is empty if there is no front matter. A JSON object ends by itself. Templates begin with a brace as well:
    {% raw %}, {{< name >}}, {/* comment */}.
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
    """Whether the front matter ends in what was read so far, or there is none."""
    if "\n" not in head:
        # A brace may be followed by blanks, and a fence may be incomplete.
        return bool(head) and not head.startswith(("{", "-", "+"))
    kind, ends, rest = _detect(head)
    if not kind:
        return not re.fullmatch(r"\{\s*", head)
    # The last line may be incomplete.
    return bool(ends) and _lines_until(rest.rpartition("\n")[0], ends) is not None


def _lines_until(rest: str, ends: tuple[str, ...]) -> list[str] | None:
    """Return the lines before the first one that is in `ends`; None if there is no such line."""
    lines: list[str] = []
    for line in rest.split("\n"):
        if line.rstrip() in ends:
            return lines
        lines.append(line.removesuffix("\r"))
    return None


def _json(text: str) -> Mapping[str, object]:
    values, _ = json.JSONDecoder().raw_decode(text.lstrip())
    if not isinstance(values, dict):
        raise ValueError("it is not an object")  # noqa: TRY004  (like the errors of the decoder)
    return values


def _toml(text: str) -> Mapping[str, object]:
    # tomllib takes quadratic time for a key of many parts.
    for line in text.split("\n"):
        keys = [line] if line.startswith("[") else line.split("=")[:-1]
        if any(key.count(".") > _MAX_PARTS for key in keys):
            raise ValueError(f"a key has more than {_MAX_PARTS} parts")
    return tomllib.loads(text)


def _normalize(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


_ORDER = {_normalize(key): position for position, key in enumerate(CHANGED + PUBLISHED)}


def _interpret(values: Mapping[str, object]) -> FrontMatter:
    normalized = {_normalize(key): value for key, value in values.items()}
    is_draft = _boolean(normalized.get("draft")) is True or _boolean(normalized.get("published")) is False
    # A switch is not a date: `lastUpdated: false` only hides the date.
    keys = [key for key, value in values.items() if _normalize(key) in _ORDER and not _is_blank(value)]
    if not keys:
        return FrontMatter(is_draft=is_draft)
    key = min(keys, key=lambda each: _ORDER[_normalize(each)])
    value = values[key]
    lastmod = _lastmod(value.isoformat() if isinstance(value, date) else value)  # a datetime is a date as well
    if lastmod is not None:
        return FrontMatter(lastmod, key, is_draft)
    shown = _shown(repr(value)) if isinstance(value, str) else type(value).__name__
    return FrontMatter(None, key, is_draft, f"{_shown(key)} must be a date, got {shown}")


def _is_blank(value: object) -> bool:
    return value is None or isinstance(value, bool) or (isinstance(value, str) and value.strip().lower() in _NOTHING)


def _boolean(value: object) -> bool | None:
    """Return a boolean as the formats and their generators read it; None for any other value."""
    if isinstance(value, str):
        return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(value.lower())
    return value if isinstance(value, bool) else None


def _lastmod(value: object) -> str | None:
    """Return a date as in a sitemap, or None if the value is not a date."""
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
    """Return the values of names that begin at the first column, each as one text. This is only a subset of YAML.

    Nested values are indented, or lists, and become texts that are not dates. Quoted and bracketed values that span
    several lines need not be indented, so they are followed to their end.
    """
    values: dict[str, object] = {}
    rest = iter(text.split("\n"))
    line = next(rest, None)
    while line is not None:
        if line.startswith("{") and line != "{}" and not values:
            raise ValueError("it is a single mapping in braces")
        key = _YAML_KEY.fullmatch(line)
        value = (key[4] or "") if key else line
        value = value[found.end() :] if (found := _YAML_PROPERTY.match(value)) else value
        parts = [value]
        line = next(rest, None)
        if value.startswith(('"', "'", "[", "{")):
            opened: list[str] = []
            is_open = _is_still_open(value, opened)
            while is_open and line is not None:
                parts.append(line)
                is_open = _is_still_open(line, opened)
                line = next(rest, None)
        while line is not None and (not line.strip() or line.startswith((" ", "\t", "- ")) or line == "-"):
            parts.append(line)
            line = next(rest, None)
        if key:
            values[key[1] or key[2] or (key[3] or "").rstrip()] = _scalar(parts)
    return values


def _scalar(parts: list[str]) -> str:
    """Return the text of a single value without its comment and its quotes."""
    quoted = _YAML_QUOTED.fullmatch("\n".join(parts).rstrip())
    if quoted:
        lines = (quoted[1] or quoted[2] or "").split("\n")
    elif _YAML_BLOCK.fullmatch(parts[0]):
        lines = parts[1:]
    else:
        lines = [_YAML_COMMENT.sub("", part) for part in parts]
    # Lines are joined, unless an empty one separates them.
    text = "\n".join(line.strip() for line in lines).strip()
    return text if "\n\n" in text or parts[0].startswith("|") else text.replace("\n", " ")


def _is_still_open(line: str, opened: list[str]) -> bool:
    """Whether a value continues after this line. `opened` holds its open quote and brackets, and is updated."""
    index, before = 0, " "
    while index < len(line):
        character = line[index]
        inside = opened[-1] if opened else ""
        if inside == '"' and character == "\\":
            index += 1
        elif inside in ('"', "'"):
            if inside == "'" and line.startswith("''", index):
                index += 1
            elif character == inside:
                opened.pop()
        elif character == "#" and before in " \t":
            break
        elif character in "[{" or (character in "\"'" and before in " \t[{,:"):
            opened.append(character)
        elif character in "]}":
            opened.pop()
        if not opened:
            return False
        before = character
        index += 1
    return True


_READERS: Mapping[str, Callable[[str], Mapping[str, object]]] = {"json": _json, "toml": _toml, "yaml": _yaml}
