"""Which sitemaps a site has: those that its URLconf hands to the views, each section as a set of its own.

A section is a set, and not a section of one set, so that it is served as Django serves it: it may list what another
section lists, have a protocol and a `limit` of its own, and be published alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from inspect import unwrap
from pathlib import Path
from typing import Any

import django.contrib.sitemaps as sitemaps_module
from django.contrib.sitemaps import Sitemap
from django.core.exceptions import ImproperlyConfigured
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.module_loading import import_string

from urlset.contrib.django.settings import load
from urlset.contrib.django.sites import PerSite, is_per_site

#: The attribute of a view with the sitemaps that it has if the URLconf hands it none.
DEFAULT = "urlset_sitemaps"
#: The attribute by which a view is known, which may be wrapped in decorators.
MARK = "urlset_view"
#: What a class must not override, because its pages are no longer those of its items.
_OWN_PAGES = ("get_urls", "_urls", "paginator", "_items")
#: A section whose folder has its name. Any other has a dot in the name of its folder.
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,60}")


@dataclass(frozen=True, slots=True)
class Takeover:
    """Something that Django's own views go on answering, or that is not as it looks.

    Attributes:
        code: The id of the check, such as `urlset.W002`.
        message: What it is.
        hint: What to do.
    """

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class SitemapSet:
    """The sitemaps that are published as one set.

    Attributes:
        name: The name of its folder.
        label: What people call it: the name of its section.
        sitemaps: The classes or instances of the site's dict.
        site: The name of its site, if its class has several.
    """

    name: str
    label: str
    sitemaps: tuple[Any, ...]
    site: str | None = None

    def instances(self) -> list[Any]:
        """Return the sitemaps, each class as a new instance, as Django's views make one for each request."""
        if self.site is not None:
            return [each.of_site(self.site) for each in self.sitemaps]
        return [each() if callable(each) else each for each in self.sitemaps]

    def by_site(self) -> list[SitemapSet]:
        """Return the sets that are published: one for each site, if the class has several."""
        if not is_per_site(self.sitemaps[0]):
            return [self]
        return [self._of(site) for site in self.sitemaps[0].site_names()]

    def for_request(self, request: Any) -> SitemapSet | None:
        """Return the set of the site that a request is for; None if there is none."""
        if not is_per_site(self.sitemaps[0]):
            return self
        site = self.sitemaps[0].site_name_of(request)
        return None if site is None else self._of(site)

    def _of(self, site: str) -> SitemapSet:
        return replace(self, name=f"{self.name}@{site}", label=f"{self.label} of {site}", site=site)


@dataclass(slots=True, eq=False)
class FoundSitemaps:
    """What the URLconf hands to the views.

    Attributes:
        sets: The sets to publish, by their names.
        problems: What is not published, and why.
    """

    sets: dict[str, SitemapSet] = field(default_factory=dict)
    problems: list[Takeover] = field(default_factory=list)
    _refused: set[str] = field(default_factory=set)

    def add_sections(self, sitemaps: Mapping[str, Any], wanted: str | None = None) -> None:
        """Add each section of a dict, or one of them."""
        for section, sitemap in sitemaps.items():
            if wanted in (None, section):
                self._add(SitemapSet(set_name([section]), section, (sitemap,)), f"the section {section!r}")

    def refuse_all(self, template: str) -> None:
        """Leave everything to Django's own views, because the site has a template of its own."""
        self.sets.clear()
        self.problems[:] = [
            Takeover(
                "urlset.W001",
                f"the site has its own sitemap.xml, {template}, which is used as before",
                "Remove it to have the sitemaps served from published sets.",
            )
        ]

    def add_combined(self, sitemaps: Mapping[str, Any]) -> None:
        """Add the sitemap that has all sections of a dict, if it has any."""
        if not sitemaps:
            return
        names = ", ".join(sitemaps)
        self._add(SitemapSet(set_name(list(sitemaps), is_combined=True), names, tuple(sitemaps.values())), names)

    def _add(self, found: SitemapSet, what: str) -> None:
        known = self.sets.get(found.name)
        if known is not None and not _same(known.sitemaps, found.sitemaps):
            self._refuse(
                found.name,
                "urlset.W003",
                f"two views have different sitemaps for {what}, which is therefore not published",
                "Give them different names, or hand the same dict to both views.",
            )
        elif known is None and found.name not in self._refused:
            reason = next((reason for each in found.sitemaps if (reason := unfit(each))), None)
            if len(found.sitemaps) > 1 and any(map(is_per_site, found.sitemaps)):
                reason = "a class with several sites needs a URL with its section"
            if reason is None:
                self.sets[found.name] = found
                return
            hint = "Django's own view answers its requests. Override items() and location() instead, to publish it."
            self._refuse(found.name, "urlset.W002", f"{what} is not published: {reason}", hint)

    def _refuse(self, name: str, code: str, message: str, hint: str) -> None:
        self.sets.pop(name, None)
        self._refused.add(name)
        self.problems.append(Takeover(code, message, hint))


def find() -> FoundSitemaps:
    """Return the sitemaps of ROOT_URLCONF, and those that `URLSET["SITEMAPS"]` names.

    A URLconf that a middleware has chosen for a request may use the same names for other sitemaps: it is not published.

    Raises:
        ImproperlyConfigured: `URLSET` cannot be used.
        ImportError: It names a dict that is not there.
    """
    return _find(get_resolver(), load().sitemaps)


def find_set(sitemaps: Mapping[str, Any], section: str | None) -> SitemapSet | None:
    """Return the set that has what a view was asked for; None if that is not published.

    Args:
        sitemaps: The dict that the view has got.
        section: The section, or None for all of them.
    """
    name = set_name(list(sitemaps), is_combined=True) if section is None else set_name([section])
    found = find().sets.get(name)
    wanted = tuple(sitemaps.values()) if section is None else (sitemaps[section],)
    return found if found is not None and _same(found.sitemaps, wanted) else None


def set_name(sections: Sequence[str], *, is_combined: bool = False) -> str:
    """Return the name of the folder of a set; different sections have different ones."""
    if not is_combined and _PLAIN.fullmatch(sections[0]):
        return sections[0]
    digest = blake2b("\0".join(sections).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{'all' if is_combined else 'section'}.{digest}"


def unfit(sitemap: Any) -> str | None:
    """Return why what a sitemap lists cannot be published; None if it can."""
    kind = sitemap if isinstance(sitemap, type) else type(sitemap)
    if not issubclass(kind, Sitemap):
        # A function that makes one is not called here: it may ask the database, which a check should not.
        return None if callable(sitemap) else f"{kind.__qualname__} is not a django.contrib.sitemaps.Sitemap"
    usual = next((each for each in kind.__mro__ if PerSite in each.__bases__), Sitemap)
    for name in _OWN_PAGES:
        if getattr(kind, name) is not getattr(usual, name):
            return f"{kind.__qualname__} has its own {name}"
    return None


@lru_cache(maxsize=8)
def _find(resolver: Any, further: tuple[str, ...]) -> FoundSitemaps:
    found = FoundSitemaps()
    for route, pattern in _patterns(resolver):
        function = unwrap(pattern.callback)
        view = getattr(function, MARK, None)
        if view is None:
            continue
        given = pattern.default_args
        sitemaps = given.get("sitemaps", getattr(function, DEFAULT, None))
        if not isinstance(sitemaps, Mapping):
            message = f"the view of {route!r} does not get its sitemaps from the URLconf, so they are not published"
            hint = "Name the dict in URLSET['SITEMAPS']."
            if not further:
                found.problems.append(Takeover("urlset.W004", message, hint))
        elif "template_name" in given:
            message = f"the view of {route!r} has a template of its own, which is used as before"
            hint = "Leave out template_name to have the sitemaps served from a published set."
            found.problems.append(Takeover("urlset.W001", message, hint))
        elif view == "index" or "section" in pattern.pattern.regex.groupindex:
            found.add_sections(sitemaps)
        elif "section" in given:
            found.add_sections(sitemaps, given["section"])
        else:
            found.add_combined(sitemaps)
    for name in further:
        found.add_sections(import_string(name))
    if (template := _own_template()) is not None:
        found.refuse_all(template)
    return found


def _own_template() -> str | None:
    """Return the path of a template that stands before that of Django, if there is one."""
    try:
        origin = get_template("sitemap.xml").origin
    except (TemplateDoesNotExist, ImproperlyConfigured):
        return None
    is_djangos = Path(origin.name).is_relative_to(Path(sitemaps_module.__file__).parent)
    return None if is_djangos else str(origin.name)


def _patterns(resolver: Any, route: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the patterns of a URLconf with their routes."""
    for pattern in resolver.url_patterns:
        whole = route + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern, whole)
        elif isinstance(pattern, URLPattern):
            yield whole, pattern


def _same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
