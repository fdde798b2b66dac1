"""The application of the site of Django, on a port: `python app.py PORT`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, time
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings
from django.conf.urls.i18n import i18n_patterns
from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import sitemap
from django.core.wsgi import get_wsgi_application
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template import Context, Engine
from django.urls import path, reverse
from django.utils import translation

sys.path.insert(0, str(Path(__file__).parents[4]))

from support.audit.sites.content import ALL_SLUGS, LANGUAGES, Article, articles, sentences

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF="__main__",
    SECRET_KEY="of a test",
    USE_TZ=True,
    LANGUAGE_CODE="en",
    LANGUAGES=[(language, language) for language in LANGUAGES],
    INSTALLED_APPS=["django.contrib.sitemaps"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    MIDDLEWARE=[
        "django.middleware.http.ConditionalGetMiddleware",
        "django.middleware.locale.LocaleMiddleware",
        "django.middleware.common.CommonMiddleware",
    ],
)
django.setup()

PAGES = {language: {page.slug: page for page in articles(language)} for language in LANGUAGES}
TEMPLATE = Engine().from_string("""<!doctype html>
<html lang="{{ lang }}"><head><meta charset="utf-8"><title>{{ title }}</title>
{% if canonical %}<link rel="canonical" href="{{ canonical }}">
{% endif %}{% for code, href in languages %}<link rel="alternate" hreflang="{{ code }}" href="{{ href }}">
{% endfor %}</head><body><header>{% for code, href in languages %}<a href="{{ href }}">{{ code }}</a> {% endfor %}
</header><main><h1>{{ title }}</h1>{% for each in paragraphs %}<p>{{ each }}</p>{% endfor %}
<ul>{% for name, href in links %}<li><a href="{{ href }}">{{ name }}</a></li>{% endfor %}</ul></main></body></html>
""")


def article(slug: str) -> Article:
    """Return a page in the language of the request, or in English."""
    return PAGES[translation.get_language() or "en"].get(slug) or PAGES["en"][slug]


def answer(request: HttpRequest, **values: Any) -> HttpResponse:
    """Return a page in the language of the request."""
    languages = []
    for language in LANGUAGES:
        with translation.override(language):
            match = request.resolver_match
            languages.append((language, request.build_absolute_uri(reverse(match.view_name, kwargs=match.kwargs))))
    values |= {"lang": translation.get_language(), "languages": languages}
    return HttpResponse(TEMPLATE.render(Context(values)))


def home(request: HttpRequest) -> HttpResponse:
    """The list of all pages."""
    links = [(article(slug).title, reverse("tea", kwargs={"slug": slug})) for slug in ALL_SLUGS]
    return answer(request, title="Tea", links=[*links, ("Sign in", "/login")])


def tea(request: HttpRequest, slug: str) -> HttpResponse:
    """One page."""
    if slug not in ALL_SLUGS:
        raise Http404
    page = article(slug)
    links = [(each, reverse("tea", kwargs={"slug": each})) for each in page.links]
    url = request.build_absolute_uri(request.path)
    done = answer(request, title=page.title, paragraphs=page.paragraphs, links=links, canonical=url)
    done["Last-Modified"] = f"{datetime.combine(page.changed, time(8, 30), UTC):%a, %d %b %Y %H:%M:%S GMT}"
    return done


class Teas(Sitemap):
    """All pages in all languages."""

    i18n = True
    alternates = True
    x_default = True
    protocol = "http"

    def items(self) -> list[str]:
        """Return the slugs."""
        return list(ALL_SLUGS)

    def location(self, item: str) -> str:
        """Return the path of a page."""
        return str(reverse("tea", kwargs={"slug": item}))

    def get_domain(self, site: Any = None) -> str:
        """Return the host of the request, with its port."""
        return str(site.domain)


class Doors(Sitemap):
    """What no visitor stays on: a page that only leads to another one, with the way back."""

    protocol = "http"
    get_domain = Teas.get_domain

    def items(self) -> list[str]:
        """Return the paths."""
        return ["/login"]

    def location(self, item: str) -> str:
        """Return the path."""
        return item


def login(_: HttpRequest) -> HttpResponse:
    """Lead to the page where one signs in."""
    return HttpResponseRedirect("/signin?next=/en/")


def sign_in(_: HttpRequest) -> HttpResponse:
    """The page where one signs in."""
    return HttpResponse("<!doctype html><title>Sign in</title><p>" + sentences("sign in", "en", 8))


class Threaded(ThreadingMixIn, WSGIServer):
    """A server with a thread for each connection."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """A handler that logs nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


urlpatterns = [
    path("sitemap.xml", sitemap, {"sitemaps": {"teas": Teas, "doors": Doors}}),
    path("login", login),
    path("signin", sign_in),
    *i18n_patterns(path("", home, name="home"), path("tea/<slug:slug>/", tea, name="tea")),
]

if __name__ == "__main__":
    server = make_server("127.0.0.1", int(sys.argv[1]), get_wsgi_application(), Threaded, Quiet)
    server.serve_forever()
