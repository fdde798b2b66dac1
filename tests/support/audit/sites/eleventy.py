"""A site of Eleventy in three languages, with its own layout: hreflang, JSON-LD, pagination, and dates in the sitemap.

`make test-long` installs Eleventy beside the environment of Python.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path

from support.audit.sites.content import ALL_SLUGS, LANGUAGES, Article, articles
from support.audit.sites.site import Built, run, write

ELEVENTY = Path(sys.prefix, "eleventy/node_modules/@11ty/eleventy/cmd.cjs")

LAYOUT = """<!doctype html>
<html lang="{{ lang }}"><head><meta charset="utf-8"><title>{{ title }}</title>
<link rel="canonical" href="{{ site.url }}{{ page.url }}">
{% for each in languages %}<link rel="alternate" hreflang="{{ each.lang }}" href="{{ site.url }}{{ each.path }}">
{% endfor %}{% if stated %}<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Article", "dateModified": "{{ stated }}"}</script>
{% endif %}</head><body><nav><a href="/{{ lang }}/">Home</a></nav>
<main><h1>{{ title }}</h1>{{ content | safe }}</main><footer><a href="/feed.xml">Feed</a></footer></body></html>
"""
LISTING = """---
layout: layout.njk
title: Tea ({lang})
lang: {lang}
pagination: {{data: collections.{lang}, size: 5, alias: shown}}
permalink: "/{lang}/{{% if pagination.pageNumber %}}page/{{{{ pagination.pageNumber + 1 }}}}/{{% endif %}}"
eleventyExcludeFromCollections: true
---
<ul>{{% for each in shown %}}<li><a href="{{{{ each.url }}}}">{{{{ each.data.title }}}}</a></li>{{% endfor %}}</ul>
{{% if pagination.href.next %}}<a href="{{{{ pagination.href.next }}}}">older</a>{{% endif %}}
"""
SITEMAP = """---json
{"permalink": "/sitemap.xml", "eleventyExcludeFromCollections": true}
---
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
{% for lang in ["en", "de", "fr"] %}<url><loc>{{ site.url }}/{{ lang }}/</loc></url>
{% endfor %}{% for each in collections.all %}<url><loc>{{ site.url }}{{ each.url }}</loc>
<lastmod>{{ each.date.toISOString() }}</lastmod>
{% for one in each.data.languages %}
<xhtml:link rel="alternate" hreflang="{{ one.lang }}" href="{{ site.url }}{{ one.path }}"/>
{% endfor %}</url>
{% endfor %}</urlset>
"""
FEED = """---json
{"permalink": "/feed.xml", "eleventyExcludeFromCollections": true}
---
<feed xmlns="http://www.w3.org/2005/Atom"><title>Tea</title><id>{{ site.url }}/</id></feed>
"""
#: How many days after its lastmod each page says that it was changed, in turn; None says nothing.
STATED = (0, None, 7, 12, 0, -25, -31, None, 100)


def source(page: Article, number: int) -> str:
    """Return a page with its data."""
    days = STATED[number % len(STATED)]
    data = {
        "layout": "layout.njk",
        "title": page.title,
        "lang": page.language,
        "tags": [page.language],
        "date": f"{page.changed}T00:00:00Z",
        "stated": None if days is None else f"{page.changed + timedelta(days=days)}T00:00:00Z",
        "permalink": f"/{page.language}/{page.slug}/",
        "languages": [
            {"lang": language, "path": f"/{language}/{page.slug}/"}
            for language in LANGUAGES
            if page.slug in {each.slug for each in articles(language)}
        ],
    }
    links = " ".join(f'<a href="../{slug}/">{slug}</a>' for slug in page.links)
    body = "".join(f"<p>{paragraph}</p>\n" for paragraph in page.paragraphs)
    return f"---json\n{json.dumps(data)}\n---\n{body}<p>{links}</p>\n"


def build(folder: Path, url: str) -> Built:
    """Build it."""
    assert ELEVENTY.exists(), "install Eleventy for this test: make .venv/.tests-long"
    write(folder / "package.json", "{}")
    write(folder / "src/_data/site.json", json.dumps({"url": url}))
    write(folder / "src/_includes/layout.njk", LAYOUT)
    write(folder / "src/sitemap.njk", SITEMAP)
    write(folder / "src/feed.njk", FEED)
    write(
        folder / "src/index.html",
        "---json\n" + json.dumps({"eleventyExcludeFromCollections": True, "permalink": "/index.html"}) + "\n---\n"
        "<title>Tea</title><p>Tea in " + ", ".join(f'<a href="/{each}/">{each}</a>' for each in LANGUAGES) + "</p>",
    )
    for language in LANGUAGES:
        write(folder / f"src/{language}.njk", LISTING.format(lang=language))
        for page in articles(language):
            write(folder / f"src/{language}/{page.slug}.html", source(page, ALL_SLUGS.index(page.slug)))
    run(["node", ELEVENTY, "--input=src", "--output=site", "--quiet"], folder)
    return Built(folder / "site")
