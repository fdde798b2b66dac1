"""The setting `URLSET` of a Django site."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from urlset._model.errors import InputError
from urlset._options.publish import GuardName
from urlset._stores.store import is_object_url
from urlset._util.arguments import folder_url
from urlset._util.text import did_you_mean
from urlset.contrib.django.cache import SCHEME

#: Guards that do not stop a publish of Django's sitemaps. Both judge lastmods, which Django's views would print too.
ALLOWED: tuple[GuardName, ...] = ("one-lastmod", "future")
#: The folder below BASE_DIR that has the sets unless DEST names another place.
_FOLDER = "urlset-published"
_KEYS = ("DEST", "BASE_URL", "SITEMAPS", "STORE", "ALLOW", "REBUILD")


@dataclass(frozen=True, slots=True)
class DjangoSettings:
    """What `URLSET` says.

    Attributes:
        dest: The folder, or the URL of an object store or of a cache, with one set for each section.
        base_url: The URL of the site; None for that of the current `Site`.
        sitemaps: Dotted names of further dicts of sitemaps, beside those that the URLconf hands to the views.
        store: Options of the object store.
        allow: Guards that may not stop a publish.
        rebuild: The least seconds between two publishes of a section that requests begin; None if they begin none.
    """

    dest: str
    base_url: str | None = None
    sitemaps: tuple[str, ...] = ()
    store: Mapping[str, Any] = field(default_factory=dict)
    allow: tuple[GuardName, ...] = ALLOWED
    rebuild: float | None = None

    @property
    def is_cache(self) -> bool:
        """Whether the sets are in one of Django's caches."""
        return self.dest.startswith(f"{SCHEME}://")

    @property
    def is_folder(self) -> bool:
        """Whether the sets are in a folder."""
        return not (self.is_cache or is_object_url(self.dest))

    def place(self, name: str) -> str:
        """Return where a set is stored."""
        return str(Path(self.dest, name)) if self.is_folder else f"{self.dest.rstrip('/')}/{name}"


def load() -> DjangoSettings:
    """Return the settings.

    Raises:
        ImproperlyConfigured: `URLSET` has a key or a value that nothing can be done with.
    """
    said = getattr(settings, "URLSET", {})
    if not isinstance(said, Mapping):
        raise ImproperlyConfigured(f"URLSET must be a dict, got {type(said).__name__}")
    for key in said:
        if key not in _KEYS:
            raise ImproperlyConfigured(f"URLSET has no key {key!r}{did_you_mean(str(key), _KEYS, or_all=True)}")
    allow = tuple(said.get("ALLOW", ALLOWED))
    for guard in allow:
        if guard not in (known := get_args(GuardName)):
            raise ImproperlyConfigured(f"URLSET['ALLOW'] must name guards, got {guard!r}{did_you_mean(guard, known)}")
    return DjangoSettings(
        dest=_dest(said.get("DEST")),
        base_url=_base_url(said.get("BASE_URL")),
        sitemaps=_texts(said.get("SITEMAPS", ())),
        store=dict(said.get("STORE", {})),
        allow=allow,
        rebuild=_seconds(said.get("REBUILD")),
    )


def _dest(given: object) -> str:
    if given is None:
        base = getattr(settings, "BASE_DIR", None)
        if base is None:
            raise ImproperlyConfigured(
                "URLSET['DEST'] must be a folder or the URL of an object store: there is no BASE_DIR to put one into"
            )
        return str(Path(base, _FOLDER))
    if not isinstance(given, str | os.PathLike):
        raise ImproperlyConfigured(f"URLSET['DEST'] must be a path or a URL, got {type(given).__name__}")
    return os.fspath(given)


def _seconds(given: object) -> float | None:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0):
        raise ImproperlyConfigured(f"URLSET['REBUILD'] must be a number of seconds, got {given!r}")
    return given


def _base_url(given: object) -> str | None:
    if given is None:
        return None
    try:
        return folder_url(str(given))
    except InputError as error:
        raise ImproperlyConfigured(f"URLSET['BASE_URL']: {error}") from error


def _texts(given: object) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        raise ImproperlyConfigured(
            f"URLSET['SITEMAPS'] must be a dotted name such as 'shop.urls.sitemaps', or a list of them, got {given!r}"
        )
    return tuple(given)
