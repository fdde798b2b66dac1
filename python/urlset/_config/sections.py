"""Publish settings put together: options over the file, and what the table says for its sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from urlset._config.publish_settings import PublishSettings
from urlset._config.section_settings import SectionSettings
from urlset._config.settings import key_of, stated
from urlset._model.errors import InputError
from urlset._options.option import options_of

#: Exactly one of these is the source of the rows of a section.
SOURCES = ("rows", "html", "set", "database", "database_env")
#: What the table can say for all its sections, and an option too.
_SHARED = tuple(each.name for each in options_of(SectionSettings) if each.name not in ("name", "query", *SOURCES))

S = TypeVar("S", bound=SectionSettings)


def with_given(settings: PublishSettings, options: Mapping[str, Any]) -> PublishSettings:
    """Return the settings with the values of options, by field, in place of their own.

    An option also replaces what sections say, and an option for a source of rows replaces every source. Mappings
    (columns, options of the store, headers) are merged name by name.
    """
    base = settings
    if any(name in options for name in SOURCES):
        base = replace(base, **dict.fromkeys((*SOURCES, "query", "form", "encoding", "section"), None))
    shared = {name: value for name, value in options.items() if name in _SHARED}
    sections = base.section and tuple(_merged(section, shared) for section in base.section)
    return replace(_merged(base, options), section=sections)


def resolve_sections(settings: PublishSettings) -> tuple[SectionSettings, ...]:
    """Return the sections with everything that holds for them; without sections, the set as a single one.

    Raises:
        InputError: A section has no source of rows, or more than one.
    """
    if settings.section:
        if settings.name:
            raise InputError("name cannot be combined with sections, which have names of their own")
        if sources := [*_sources(settings), *(["query"] if settings.query is not None else [])]:
            raise InputError(f"{_key(sources[0])} cannot be combined with sections, which have rows of their own")
        found = [_merged(_shared(settings, section), stated(section)) for section in settings.section]
    else:
        own = {name: getattr(settings, name) for name in ("name", "query", *SOURCES)}
        found = [replace(_shared(settings, settings), **own)]
    for section in found:
        _check(section)
    return tuple(found)


def _check(section: SectionSettings) -> None:
    of = f"section {section.name}: " if section.name else ""
    sources = _sources(section)
    if not sources:
        raise InputError(f"{of}the source of the rows is missing: set one of rows, html, set and database")
    if len(sources) > 1:
        raise InputError(f"{of}{_key(sources[0])} and {_key(sources[1])} cannot be combined: rows have one source")
    if ("database" in sources[0]) != (section.query is not None):
        raise InputError(f"{of}a database and a query belong together")


def _sources(section: SectionSettings) -> list[str]:
    return list(stated(section, SOURCES))


def _shared(settings: PublishSettings, section: SectionSettings) -> SectionSettings:
    """Return what the table says for a section. Its columns are not those of HTML pages or of an existing set."""
    shared = SectionSettings(**stated(settings, _SHARED))
    has_columns = section is settings or (section.html is None and section.set is None)
    return shared if has_columns else replace(shared, columns=None)


def _merged(settings: S, values: Mapping[str, Any]) -> S:
    merged: dict[str, Any] = {}
    for name, value in values.items():
        below = getattr(settings, name)
        merged[name] = {**below, **value} if isinstance(value, Mapping) and below else value
    return replace(settings, **merged)


def _key(name: str) -> str:
    return key_of(SectionSettings, name)
