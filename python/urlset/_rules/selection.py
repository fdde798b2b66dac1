"""Which rules are enabled: the result of the profile, the selection and the ignores."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from urlset import _core
from urlset._model.diagnostics import Severity
from urlset._model.errors import InputError
from urlset._rules.catalogue import Rule, rules
from urlset._rules.profiles import Profile
from urlset._util.text import did_you_mean

ALL = "ALL"


class EnabledRules(dict[str, Severity]):
    """The severity of each enabled rule, by code and in the order of codes. Nobody changes it."""

    @cached_property
    def core(self) -> _core.Selection:
        """The same as the core takes it."""
        return _core.Selection(dict(self))

    def without(self, codes: Sequence[str]) -> EnabledRules:
        """Return the rules without those of some codes."""
        key = tuple(codes)
        if key not in self._fewer:
            kept = {code: severity for code, severity in self.items() if code not in key}
            self._fewer[key] = EnabledRules(kept)
        return self._fewer[key]

    @cached_property
    def _fewer(self) -> dict[tuple[str, ...], EnabledRules]:
        """What `without` has returned: the documents of a set ask for the same again and again."""
        return {}

    def __reduce__(self) -> tuple[type[EnabledRules], tuple[dict[str, Severity]]]:
        return EnabledRules, (dict(self),)


def select_rules(
    profile: Profile,
    *,
    select: Sequence[str] | None,
    ignore: Sequence[str],
    preview: bool,
    scope: Literal["live", "lint"] = "lint",
) -> EnabledRules:
    """Return the enabled rules.

    A selector is a code or its beginning, the name of a rule, or ALL. Without `select` the rules of the profile are
    enabled; with it those that it names, even if the profile has them off. Of two selectors that contradict each other
    the longer one wins, and `ignore` if they have the same length.

    The rules of `audit`, which are about answers of pages (`live`), and those of `lint` are never enabled together. A
    code or a name that says which one is meant must be of the same verb.

    Raises:
        InputError: A selector does not name a rule, or names one of the other verb, or a preview rule by its full code
            or name without `preview`. A shorter selector skips preview rules.
    """
    _check_list(select or (), "select")
    _check_list(ignore, "ignore")
    return _selected(profile, None if select is None else tuple(select), tuple(ignore), preview, scope)


@lru_cache(maxsize=256)
def _selected(
    profile: Profile,
    select: tuple[str, ...] | None,
    ignore: tuple[str, ...],
    preview: bool,
    scope: Literal["live", "lint"],
) -> EnabledRules:
    """Return the same, cached: a program that checks many small documents asks for the same rules each time."""
    named = dict.fromkeys(profile.severities, 0) if select is None else _lengths(select, "select")
    ignored = _lengths(ignore, "ignore")
    chosen: dict[str, Severity] = {}
    for rule in rules():
        if named.get(rule.code, -1) <= ignored.get(rule.code, -1):
            continue
        if (rule.scope == "live") != (scope == "live"):
            if select is not None and (rule.code in select or rule.name in select):
                raise InputError(
                    f"{rule.code} ({rule.name}) is a rule of {'audit' if rule.scope == 'live' else 'lint'}"
                )
            continue
        if rule.status != "preview" or preview:
            chosen[rule.code] = profile.severities.get(rule.code, rule.severity)
        elif select is not None and (rule.code in select or rule.name in select):
            raise InputError(f"{rule.code} ({rule.name}) is a preview rule: it needs preview")
    if select is not None and scope == "live" and not chosen:
        raise InputError(f"select must name rules of audit, whose codes begin with LIVE, got {', '.join(select)}")
    return EnabledRules(chosen)


def check_selectors(selectors: Iterable[str], what: str) -> None:
    """Raise InputError for a selector that does not name a rule. `what` is the argument that has the selectors."""
    _lengths(selectors, what)


def per_file(ignores: Mapping[str, Sequence[str]], location: str | None, *, root: Path | None = None) -> list[str]:
    """Return the codes that are ignored for a document: those of the globs that match its location.

    A glob matches the path relative to `root` (the working folder if None), the absolute path, or the name of the file.
    `*` and `?` stop at a slash, `**` does not; a glob that ends with a slash means everything in that folder. The path
    of a URL counts as relative to `root`. A document without a location matches nothing.

    The codes are complete, so that as `ignore` they win over any selection.

    Raises:
        InputError: A selector does not name a rule, or a glob is invalid, whether or not they apply here.
    """
    paths = [] if location is None else _paths(location, root or Path.cwd())
    codes: set[str] = set()
    for glob, selectors in ignores.items():
        pattern, lengths = glob_pattern(glob), _lengths(selectors, f"the ignores of {glob!r}")
        if any(map(pattern.fullmatch, paths)):
            codes.update(lengths)
    return sorted(codes)


def _lengths(selectors: Iterable[str], what: str) -> Mapping[str, int]:
    """Return the codes that are named, each with the length of the longest selector that names it."""
    _check_list(selectors, what)
    return _named(tuple(selectors))


def _check_list(selectors: Iterable[str], what: str) -> None:
    if isinstance(selectors, str):
        raise InputError(f"{what} must be a list of selectors, got one str, {selectors!r}")


@lru_cache(maxsize=256)
def _named(selectors: tuple[str, ...]) -> Mapping[str, int]:
    """Return the same, cached. A complete code is the longest, a name has the same length, and ALL is the shortest."""
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
    """Return the paths that a glob can match, with slashes."""
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
    """Return a glob as a regular expression for a whole path."""
    glob = glob.replace("\\", "/").removeprefix("./")
    glob += "**" if glob.endswith("/") else ""
    parts = re.findall(r"\*\*/|\*+|\?|\[!?\]?[^\]/]*\]|.", glob, re.DOTALL)
    try:
        return re.compile("".join(map(_part, parts)), re.DOTALL)
    except re.error as error:
        raise InputError(f"{glob!r} is not a valid glob: {error.msg}") from error


def _part(part: str) -> str:
    if part == "**/":
        return "(?:.*/)?"
    if part.startswith("*"):
        return ".*" if len(part) > 1 else "[^/]*"
    if part == "?":
        return "[^/]"
    if part.startswith("[") and part.endswith("]") and len(part) > 2:
        negated, inner = part[1] == "!", part[1:-1].removeprefix("!")
        # A hyphen still means a range; no other character has a meaning.
        escaped = re.sub(r"([^\w-])", r"\\\1", inner)
        return f"(?!/)[{'^' if negated else ''}{escaped}]"
    return re.escape(part)
