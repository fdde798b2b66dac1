"""The sitemaps of a Django site, served from published sets. Extra: `django`.

Add `urlset.contrib.django` to `INSTALLED_APPS`, and import the views `index` and `sitemap` from
`urlset.contrib.django.views` rather than from `django.contrib.sitemaps.views`. `manage.py urlset_publish` publishes
what the `sitemaps` of the URLconf list. Whatever is not published is answered by Django's own views.
"""
