SITENAME = "Tea"
SITEURL = "https://tea.example"
PLUGINS: list[str] = []
AUTHOR = "Ann Green"
TIMEZONE = "Europe/London"
DEFAULT_LANG = "en"
DEFAULT_PAGINATION = 3
THEME = "theme"
PATH = "content"
PAGE_PATHS = ["pages", "extra"]
ARTICLE_SAVE_AS = "posts/{date:%Y}/{date:%b}/{slug}/index.html"
ARTICLE_URL = "posts/{date:%Y}/{date:%b}/{slug}/"
ARTICLE_LANG_SAVE_AS = "{lang}/posts/{slug}/index.html"
ARTICLE_LANG_URL = "{lang}/posts/{slug}/"
PAGE_SAVE_AS = "{slug}.html"
PAGE_URL = "{slug}.html"
PAGE_LANG_SAVE_AS = "{lang}/{slug}.html"
PAGE_LANG_URL = "{lang}/{slug}.html"
YEAR_ARCHIVE_SAVE_AS = "posts/{date:%Y}/index.html"
FILENAME_METADATA = r"(?P<date>\d{4}-\d{2}-\d{2})_(?P<slug>.*)"
PATH_METADATA = r"(?P<category>[^/]+)/(?:in-(?P<place>[^/]+)/)?.*"
EXTRA_PATH_METADATA = {"extra/imprint.md": {"save_as": "legal/imprint/index.html", "url": "legal/imprint/"}}
SLUG_REGEX_SUBSTITUTIONS = [
    (r"\+", "plus"),
    (r"[^\w\s-]", ""),
    (r"(?u)\A\s*", ""),
    (r"(?u)\s*\Z", ""),
    (r"[-\s]+", "-"),
]
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = AUTHOR_FEED_ATOM = AUTHOR_FEED_RSS = None
