"""Makes configuration.md from what is declared about the settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cells import cell, table
from urlset._config.lint_settings import LintSettings
from urlset._config.publish_settings import IndexNowSettings, PublishSettings, SiteSettings
from urlset._config.section_settings import SectionSettings
from urlset._options.kinds import STRINGS
from urlset._options.option import Option, options_of

#: The tables of the file.
TABLES = {
    "publish": PublishSettings,
    "publish.indexnow": IndexNowSettings,
    "publish.site": SiteSettings,
    "lint": LintSettings,
}

CONFIGURATION = """\
# Configuration

This page is generated from the settings in `python/urlset/_config`.

The command line reads its settings from `urlset.toml`, or from the tables `tool.urlset.publish` and `tool.urlset.lint`
in `pyproject.toml`. It uses the file in the working folder or in the nearest folder above. If a folder has both files,
`urlset.toml` applies. `--config FILE` names another file, and `--isolated` ignores all files. `urlset init` writes a
commented `urlset.toml`. In Python, `urlset.configured()` opens the configured site.

Options of the command line override the file. An option for a source of rows replaces every source in the file;
`--columns`, `--store`, `--object-headers` and `--per-file-ignores` replace only the entries that they name. Paths are
relative to the file. An unknown key or an invalid value is an error.

Secrets do not belong in the file: a password in `database` or a secret in `store` is an error. Use `database-env`,
`key-env`, and the environment variables that object stores read.

## [publish]

Settings of `urlset publish`; [publish.md](publish.md) explains what they do. Exactly one of `rows`, `html`, `set`,
`database` and `database-env` is the source of the rows. A database needs a `query`.

```toml
[publish]
base-url = "https://shop.example/"
dest = "public"
rows = ["pages.csv"]
```

{publish}

## [[publish.section]]

A section of the set. It needs a `name` and a source of rows. If it leaves out another setting, the one in `[publish]`
applies. A section can have these keys: {section}.

```toml
[publish]
base-url = "https://shop.example/"
dest = "public"

[[publish.section]]
name = "pages"
html = "dist"

[[publish.section]]
name = "products"
rows = ["products.parquet"]
shard-by = "key:brand"
```

## [publish.indexnow]

Settings of `urlset submit`.

{indexnow}

## [publish.site]

Settings of `urlset feed` and `urlset llms`; [feeds.md](feeds.md) says what they write.

{site}

## [lint]

Settings of `urlset lint`; [rules.md](rules.md) and [profiles.md](profiles.md) list the rules and the profiles.

{lint}
"""


def configuration_page() -> str:
    """Return the reference of the configuration file: every key, what it means, and its option."""
    return CONFIGURATION.format(
        publish="\n".join(_panels(options_of(PublishSettings))),
        section=", ".join(f"`{each.key}`" for each in options_of(SectionSettings)),
        indexnow="\n".join(_settings(options_of(IndexNowSettings))),
        site="\n".join(_settings(options_of(SiteSettings))),
        lint="\n".join(_panels(options_of(LintSettings))),
    )


def _panels(settings: Iterable[Option]) -> Iterator[str]:
    """Yield a table for each panel; the settings without a panel come first."""
    panels: dict[str | None, list[Option]] = {None: []}
    for each in settings:
        if each.example:  # the others are tables, which have sections of their own
            panels.setdefault(each.panel, []).append(each)
    for panel, members in panels.items():
        if panel:
            yield from ("", f"### {panel}", "")
        yield from _settings(members)


def _settings(settings: Iterable[Option]) -> Iterator[str]:
    return table(["key and example", "value", "default", "option", "meaning"], map(_setting, settings))


def _setting(each: Option) -> list[str]:
    choices = ", ".join(f"`{choice}`" for choice in each.choices)
    kind = "" if each.kind is None else each.kind.name
    value = f"list of {choices}" if choices and each.kind is STRINGS else choices or kind
    named = each.flag or each.metavar
    option = f"`{named}`" if named else ""
    default = (each.shown_default or "").replace("*", "\\*")
    return [f"`{each.key} = {each.example}`", value, default, option, cell(each.help)]
