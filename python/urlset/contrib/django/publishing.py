"""Publishing the sitemaps of a site: one set for each section."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.urls import get_script_prefix, set_script_prefix

from urlset import Checks, InputError, Layout, Publication, publish
from urlset._options.publish import GuardName
from urlset.contrib.django.rows import PAGE, page_limit, rows_of
from urlset.contrib.django.sets import SitemapSet, unfit
from urlset.contrib.django.settings import DjangoSettings


class _NamedSite:
    """A site as Django's sitemaps take it, for the host of `URLSET["BASE_URL"]`."""

    def __init__(self, domain: str) -> None:
        self.domain = domain


def publish_set(
    wanted: SitemapSet, options: DjangoSettings, *, allow: Collection[GuardName] = (), dry_run: bool = False
) -> Publication:
    """Publish one set.

    Args:
        wanted: The set.
        options: What `URLSET` says.
        allow: Further guards that may not stop it.
        dry_run: Show what would be done, and change nothing.

    Returns:
        What was published.

    Raises:
        ImproperlyConfigured: Nothing says at which URL the site is.
        InputError: Its sitemaps cannot be published together, or an option cannot be used.
        GuardError: The set is most likely a mistake.
        PublishError: It has no entries, another publish is at work, or the store fails.
    """
    sitemaps = wanted.instances()
    for sitemap in sitemaps:
        if (reason := unfit(sitemap)) is not None:
            raise InputError(f"{wanted.label}: {reason}")
    if wanted.site is not None:
        return _publish(wanted, options, sitemaps[0].origin(), "/", sitemaps[0].site_rows(), allow, dry_run=dry_run)
    origins = [origin_of(sitemap, options) for sitemap in sitemaps]
    if len(set(origins)) > 1:
        raise InputError(f"{wanted.label}: one sitemap cannot list pages of {' and '.join(sorted(set(origins)))}")
    rows = chain.from_iterable(rows_of(sitemap, origins[0]) for sitemap in sitemaps)
    has_pages = len(sitemaps) == 1 and page_limit(sitemaps[0]) is not None
    with _script_prefix(options) as prefix:
        return _publish(
            wanted,
            options,
            origins[0],
            prefix,
            rows,
            allow,
            shard_by=f"key:{PAGE}" if has_pages else "sticky",
            dry_run=dry_run,
        )


def _publish(
    wanted: SitemapSet,
    options: DjangoSettings,
    origin: str,
    prefix: str,
    rows: Iterator[dict[str, Any]],
    allow: Collection[GuardName],
    *,
    shard_by: str = "sticky",
    dry_run: bool,
) -> Publication:
    return publish(
        rows,
        options.place(wanted.name),
        base_url=origin + prefix,
        shard_by=shard_by,
        layout=Layout(compression="none"),  # the views compress for those who accept it
        checks=Checks(allow=[*options.allow, *allow], on_error="collect", on_bad_value="drop", zone=settings.TIME_ZONE),
        dry_run=dry_run,
        store=options.store or None,
    )


def origin_of(sitemap: Any, options: DjangoSettings) -> str:
    """Return what stands before the locations of a sitemap, such as `https://shop.example`.

    Raises:
        ImproperlyConfigured: There is neither a `URLSET["BASE_URL"]` nor a current `Site`.
    """
    known = None if options.base_url is None else urlsplit(options.base_url)
    try:
        domain = sitemap.get_domain(None if known is None else _NamedSite(known.netloc))
    except ImproperlyConfigured as error:
        raise ImproperlyConfigured(
            "URLSET['BASE_URL'] must be the URL of the site, such as 'https://shop.example/',"
            " unless django.contrib.sites has a Site with SITE_ID"
        ) from error
    return f"{sitemap.get_protocol(None if known is None else known.scheme)}://{domain}"


@contextmanager
def _script_prefix(options: DjangoSettings) -> Iterator[str]:
    """Have `reverse` return the paths that visitors request, of an application that is below a path of its host."""
    before = get_script_prefix()
    try:
        if options.base_url is not None:
            set_script_prefix(urlsplit(options.base_url).path)
        yield get_script_prefix()
    finally:
        set_script_prefix(before)
