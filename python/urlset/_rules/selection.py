"""Which rules are asked: what the profile, the selection and the ignores come to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from urlset._model.diagnostics import Severity
from urlset._model.errors import InputError
from urlset._rules.catalogue import Rule, rules
from urlset._rules.profiles import Profile
from urlset._util.text import did_you_mean

ALL = "ALL"


def select_rules(
    profile: Profile, *, select: Sequence[str] | None, ignore: Sequence[str], preview: bool
) -> dict[str, Severity]:
    """The severity of each rule that is asked, by code and in the order of codes.

    A selector is a code or its beginning, the name of a rule, or ALL. Without `select` the rules of the profile are
    asked; with it those that it names, also such as are off in the profile. Of two selectors that contradict each other
    the longer one wins, and `ignore` where they are as long.

    Raises InputError for a selector that names no rule, and for a preview rule that is selected by its full code or
    name without `preview`; a shorter selector passes over it.
    """
    named = dict.fromkeys(profile.severities, 0) if select is None else _lengths(select, "select")
    ignored = _lengths(ignore, "ignore")
    chosen: dict[str, Severity] = {}
    for rule in rules():
        if named.get(rule.code, -1) <= ignored.get(rule.code, -1):
            continue
        if rule.status != "preview" or preview:
            chosen[rule.code] = profile.severities.get(rule.code, rule.severity)
        elif select is not None and (rule.code in select or rule.name in select):
            raise InputError(f"{rule.code} ({rule.name}) is a preview: it is asked with preview only")
    return chosen


def check_selectors(selectors: Iterable[str], what: str) -> None:
    """Raises InputError for a selector that names no rule. `what` is what the selectors were given for."""
    _lengths(selectors, what)


def per_file(ignores: Mapping[str, Sequence[str]], location: str | None, *, root: Path | None = None) -> list[str]:
    """The codes that are ignored for a document: those whose glob fits where it lies.

    A glob fits the path from `root`, which is the working folder unless it is given, or the absolute path, or the bare
    name of the file. `*` and `?` stop at a slash, `**` does not; a glob that ends with a slash means all beneath it.
    The path of a URL counts as if it began at `root`. A document without a location fits nothing.

    The codes are in full, so that as `ignore` they win over any selection. Raises InputError for a selector that names
    no rule, and for a glob that has no meaning, whether or not they are of use here.
    """
    paths = [] if location is None else _paths(location, root or Path.cwd())
    codes: set[str] = set()
    for glob, selectors in ignores.items():
        pattern, lengths = glob_pattern(glob), _lengths(selectors, f"the ignores of {glob!r}")
        if any(map(pattern.fullmatch, paths)):
            codes.update(lengths)
    return sorted(codes)


def _lengths(selectors: Iterable[str], what: str) -> Mapping[str, int]:
    """The codes that are named, each with the length of the longest selector that does."""
    if isinstance(selectors, str):
        raise InputError(f"{what} is one str, {selectors!r}: put it into a list")
    return _named(tuple(selectors))


@lru_cache(maxsize=256)
def _named(selectors: tuple[str, ...]) -> Mapping[str, int]:
    """The same. A code in full is the longest for its rule, a name is as long as that, and ALL is the shortest."""
    lengths: dict[str, int] = {}
    for selector in selectors:
        found = [rule for rule in rules() if _names(selector, rule)]
        if not found:
            known = [word for rule in rules() for word in (rule.code, rule.name)]
            raise InputError(f"no rule has the code {selector!r}{did_you_mean(selector, [*known, ALL])}")
        for rule in found:
            length = {ALL: 0, rule.name: len(rule.code)}.get(selector, len(selector))
            lengths[rule.code] = max(length, lengths.get(rule.code, 0))
    return lengths


def _names(selector: str, rule: Rule) -> bool:
    return selector != "" and (selector in (ALL, rule.name) or rule.code.startswith(selector))


def _paths(location: str, root: Path) -> list[str]:
    """What a glob may fit, with slashes."""
    if re.match(r"https?://", location, re.IGNORECASE):
        location = urlsplit(location).path.lstrip("/")
    path = Path(os.path.normpath(root.absolute() / location))
    paths = [path.as_posix(), path.name]
    base = Path(os.path.normpath(root.absolute()))
    if path.is_relative_to(base):
        paths.append(path.relative_to(base).as_posix())
    return paths


@lru_cache(maxsize=1024)
def glob_pattern(glob: str) -> re.Pattern[str]:
    """A glob as a regular expression for the whole of a path."""
    glob = glob.replace("\\", "/").removeprefix("./")
    glob += "**" if glob.endswith("/") else ""
    parts = re.findall(r"\*\*/|\*+|\?|\[!?\]?[^\]/]*\]|.", glob, re.DOTALL)
    try:
        return re.compile("".join(map(_part, parts)), re.DOTALL)
    except re.error as error:
        raise InputError(f"{glob!r} is no glob: {error.msg}") from error


def _part(part: str) -> str:
    if part == "**/":
        return "(?:.*/)?"
    if part.startswith("*"):
        return ".*" if len(part) > 1 else "[^/]*"
    if part == "?":
        return "[^/]"
    if part.startswith("[") and part.endswith("]") and len(part) > 2:
        negated, inner = part[1] == "!", part[1:-1].removeprefix("!")
        # A hyphen keeps its meaning of a range; nothing else has one.
        escaped = re.sub(r"([^\w-])", r"\\\1", inner)
        return f"(?!/)[{'^' if negated else ''}{escaped}]"
    return re.escape(part)
