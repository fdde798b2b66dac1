"""The views `index` and `sitemap`, in place of those of `django.contrib.sitemaps.views`.

They take the same arguments and answer the same URLs, from what `manage.py urlset_publish` has published. What is not
published, or not for the host of a request, is answered by Django's own views: a visitor never gets an error, or an
empty sitemap, for the lack of a publish.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps import views as django_views
from django.contrib.sites.shortcuts import get_current_site
from django.core.exceptions import ImproperlyConfigured
from django.core.paginator import EmptyPage, PageNotAnInteger, Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from django.urls import get_script_prefix, reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language_from_path

from urlset import InputError, UrlsetError
from urlset._util.arguments import folder_url
from urlset.contrib.django.served import ServedSitemaps, served
from urlset.contrib.django.sets import MARK, find_set
from urlset.contrib.django.sites import is_per_site
from urlset.contrib.django.stale import rebuild_if_stale

__all__ = ["index", "sitemap"]

LOG = logging.getLogger("urlset.django")
_METHODS = ("GET", "HEAD")
_ROBOTS_TAG = "noindex, noodp, noarchive"
#: What has been logged: a site that forgot to publish should not have a line in its log for each request.
_said: set[str] = set()


class _IndexItem(NamedTuple):
    """A sitemap as the template of an index takes it."""

    location: str
    last_mod: datetime | None


def index(
    request: HttpRequest,
    sitemaps: Mapping[str, Any],
    template_name: str = "sitemap_index.xml",
    content_type: str = "application/xml",
    sitemap_url_name: str = "django.contrib.sitemaps.views.sitemap",
) -> HttpResponse:
    """Answer with an index of the sitemaps of all sections, each with the time at which its bytes were made.

    Args:
        request: The request.
        sitemaps: The sitemaps by their sections: classes or instances.
        template_name: The template, which gets `sitemaps` with `location` and `last_mod`.
        content_type: The value of Content-Type.
        sitemap_url_name: The name of the URL of the view `sitemap`, which takes `section`.

    Returns:
        The answer.
    """
    if request.method not in _METHODS:
        return HttpResponseNotAllowed(_METHODS)
    items: list[Any] = []
    for section, site in sitemaps.items():
        found = _served(request, sitemaps, section)
        if found is None:
            own = _bound(request, {section: site})
            shown = django_views.index(request, own, sitemap_url_name=sitemap_url_name)
            items += shown.context_data["sitemaps"]
            continue
        url = urlsplit(found.base_url)
        location = f"{url.scheme}://{url.netloc}{reverse(sitemap_url_name, kwargs={'section': section})}"
        for number, page in enumerate(found.pages, 1):
            items.append(_IndexItem(location if number == 1 else f"{location}?p={number}", page.lastmod))
    response = TemplateResponse(request, template_name, {"sitemaps": items}, content_type=content_type)
    response.headers["X-Robots-Tag"] = _ROBOTS_TAG
    response.add_post_render_callback(lambda rendered: _with_tag(request, rendered))
    return response


def sitemap(
    request: HttpRequest,
    sitemaps: Mapping[str, Any],
    section: str | None = None,
    template_name: str = "sitemap.xml",
    content_type: str = "application/xml",
) -> HttpResponse:
    """Answer with a page of a sitemap: of one section, or of all sections together.

    Args:
        request: The request; `?p=2` asks for the second page.
        sitemaps: The sitemaps by their sections: classes or instances.
        section: The section; all if it is None.
        template_name: The template of Django's own view, which answers if it is another one than usual.
        content_type: The value of Content-Type.

    Returns:
        The answer.

    Raises:
        Http404: There is no such section or page.
    """
    if request.method not in _METHODS:
        return HttpResponseNotAllowed(_METHODS)
    if section is not None and section not in sitemaps:
        raise Http404(f"No sitemap available for section: {section!r}")
    found = _served(request, sitemaps, section) if template_name == "sitemap.xml" else None
    response = None if found is None else _page(request, found, content_type)
    if found is not None and response is None:
        _rebuild_damaged(request, sitemaps, section)
    if response is None:
        return django_views.sitemap(request, _bound(request, sitemaps), section, template_name, content_type)
    response.headers["X-Robots-Tag"] = _ROBOTS_TAG
    return response


setattr(index, MARK, "index")
setattr(sitemap, MARK, "sitemap")


def _page(request: HttpRequest, found: ServedSitemaps, content_type: str) -> HttpResponse | None:
    """Return the document that a request asks for; None if it cannot be read."""
    page = request.GET.get("p", 1)
    try:
        [shown] = Paginator(found.pages, 1).page(page).object_list
    except EmptyPage:
        raise Http404(f"Page {page} empty") from None
    except PageNotAnInteger:
        raise Http404(f"No page '{page}'") from None
    return found.response(request, shown, content_type)


def _served(request: HttpRequest, sitemaps: Mapping[str, Any], section: str | None) -> ServedSitemaps | None:
    """Return the published set that answers a request; None if Django's own view has to."""
    label = "the sitemap" if section is None else f"the section {section!r}"
    try:
        found_set = find_set(sitemaps, section)
        wanted = None if found_set is None else found_set.for_request(request)
        if wanted is None:
            _say_once(f"{label} is not published, as `manage.py check` explains; Django's own view answers")
            return None
        found = served(wanted.name)
        rebuild_if_stale(wanted, is_published=found is not None)
        if found is None:
            _say_once(f"{label} is not published yet: run `manage.py urlset_publish`; Django's own view answers")
            return None
        if wanted.site is not None:
            return found
        return found if _is_for(request, wanted.sitemaps[0], found.base_url) else None
    except (UrlsetError, ImproperlyConfigured, ImportError) as error:
        _say_once(f"{label} cannot be served: {error}; Django's own view answers")
        return None


def _rebuild_damaged(request: HttpRequest, sitemaps: Mapping[str, Any], section: str | None) -> None:
    """Have a set published anew that has lost a document, if the site publishes after requests at all."""
    found_set = find_set(sitemaps, section)
    wanted = None if found_set is None else found_set.for_request(request)
    if wanted is not None:
        rebuild_if_stale(wanted, is_published=False)


def _bound(request: HttpRequest, sitemaps: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the sitemaps as Django's own views take them: a class with several sites as that of the request."""
    return {name: each.of_request(request) if is_per_site(each) else each for name, each in sitemaps.items()}


def _is_for(request: HttpRequest, site: Any, base_url: str) -> bool:
    """Return whether a set lists the pages of the host, the path and the language at which a request has arrived."""
    current: Any = get_current_site(request)
    own_domain = not isinstance(site, type) or getattr(site, "get_domain", None) is not Sitemap.get_domain
    if own_domain:
        made = site() if callable(site) else site
        domain = made.get_domain(current)
    else:
        domain = current.domain
    base = urlsplit(base_url)
    try:
        if folder_url(f"{base.scheme}://{domain}{get_script_prefix()}") != base_url:
            return False
    except InputError:
        return False
    # Below i18n_patterns, Django's view lists the pages of the language in the path.
    language = get_language_from_path(request.path_info) if settings.USE_I18N else None
    return language in (None, settings.LANGUAGE_CODE) or bool(getattr(site, "i18n", False))


def _with_tag(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Add an ETag, and answer 304 to whoever has this index.

    It has no Last-Modified: removing a section makes no time later, so If-Modified-Since would hide the removal.
    """
    tag = f'"{sha256(response.content).hexdigest()[:32]}"'
    response.headers["ETag"] = tag
    done: HttpResponse = get_conditional_response(request, etag=tag, response=response)
    done.headers["X-Robots-Tag"] = _ROBOTS_TAG
    return done


def _say_once(problem: str) -> None:
    if problem not in _said:
        _said.add(problem)
        LOG.warning("%s", problem)
