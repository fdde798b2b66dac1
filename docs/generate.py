"""Write the generated pages.

rules.md comes from the page of each rule, profiles.md from profiles.toml, configuration.md and options.md from what is
declared about options, json.md from the schemas (json_page.py).

`make docs` runs this, and a test fails if a page is out of date.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from runpy import run_path

import urlset
from urlset._config.lint_settings import LintSettings
from urlset._config.publish_settings import IndexNowSettings, PublishSettings
from urlset._config.section_settings import SectionSettings
from urlset._options.kinds import STRINGS
from urlset._options.option import Option, Source, options_of
from urlset._rules.profiles import (
    OFF,
    PROFILES,
    Choice,
    ConsumerSettings,
    Difference,
    choices,
    differences,
    profile,
    unread,
)

FOLDER = Path(__file__).parent
RULES = {rule.code: rule for rule in urlset.rules()}

#: The names of a profile's settings on the page.
LABELS = {
    "loc_chars": "characters of a loc",
    "loc_bytes": "bytes of a loc",
    "tag_bytes": "bytes of another tag",
    "document_bytes": "bytes of a document",
    "feeds": "accepts feeds",
    "indexes": "accepts indexes",
    "extensions": "accepts extensions",
    "foreign_children": "accepts other namespaces directly under the root",
    "agents": "names in robots.txt",
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

## [lint]

Settings of `urlset lint`; [rules.md](rules.md) and [profiles.md](profiles.md) list the rules and the profiles.

{lint}
"""


OPTIONS = """\
# Options

This page is generated from the declarations of the options, in `python/urlset/_options` and in the signatures of the
verbs. A verb of the command line takes the options of its function, and those of the values that the function takes.
[configuration.md](configuration.md) lists the keys of `urlset.toml`, [json.md](json.md) those of every JSON output.
"""


def options_page() -> str:
    """Return the reference of options: those of each value that verbs take, then those of each verb."""
    lines = [OPTIONS, "## Values", ""]
    exported = {name: getattr(urlset, name) for name in urlset.__all__}
    values = {name: each for name, each in exported.items() if inspect.isclass(each) and is_dataclass(each)}
    verbs = {name: each for name, each in exported.items() if inspect.isfunction(each)}
    for name, value in values.items():
        lines += _options(f"### {name}", value)
    lines += ["## Verbs", ""]
    for name, verb in verbs.items():
        lines += _options(f"### {name}", verb)
    return "\n".join(lines).rstrip() + "\n"


def _options(heading: str, source: Source) -> Iterator[str]:
    """Yield the table of what a verb or a value declares; nothing if it declares nothing."""
    if not options_of(source):
        return
    yield from (heading, "", (inspect.getdoc(source) or "").partition("\n\n")[0].replace("\n", " "), "")
    yield _row(["name", "option", "default", "meaning"])
    yield _row(["---"] * 4)
    for each in options_of(source):
        default = "required" if each.is_required else (each.shown_default or "").replace("*", "\\*")
        flag = f"`{each.flag}`" if each.flag else "Python only"
        yield _row([f"`{each.name}`", flag, default, _cell(" ".join(filter(None, (each.help, each.more))))])
    yield ""


def rules_page() -> str:
    """Return the catalogue as one page: a table, then the page of each rule with its headings one level down."""
    rules = urlset.rules()
    lines = [
        "# The rules",
        "",
        "This page is generated from the pages in `python/urlset/_rules/pages`; `urlset rule CODE` prints one of them.",
        "Each rule lists its differences between search engines; [profiles.md](profiles.md) has all of them.",
        "",
        "| code | name | severity | what it does |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| [{rule.code}](#{_anchor(rule)}) | {rule.name} | {rule.severity} | {_cell(rule.summary)} |" for rule in rules
    ]
    for rule in rules:
        facts = f"{rule.severity} · {rule.authority} · since {rule.since} · {rule.status} · fix: {rule.fix}"
        lines += ["", f"## {rule.code} {rule.name}", "", facts, ""]
        elsewhere = [_elsewhere(each) for each in differences() if rule.code in each.codes]
        lines += [*elsewhere, ""] if elsewhere else []
        lines += [_sections(rule.page)]
    return "\n".join(lines) + "\n"


def profiles_page() -> str:
    """Return the profiles as one page: what each accepts, which rules it enables, what differs and why."""
    lines = [
        "# The profiles",
        "",
        "This page is generated from `python/urlset/_rules/profiles.toml`. "
        "A profile stands for a consumer of sitemaps:",
        "it decides which rules are enabled and how severe their findings are. The default profile, `protocol`,",
        "follows the text of sitemaps.org. Every other profile is the same except for what is known about its",
        "consumer. What is not known is not guessed. `select` enables a rule even if it is off in the profile.",
        "",
        "## What each consumer is known to accept",
        "",
        "Where nothing is stated about a consumer, the rules use the value of `protocol`. Each statement has its",
        "source below, under the name of the profile.",
        "",
        _row(["", *PROFILES]),
        _row(["---"] * (len(PROFILES) + 1)),
    ]
    settings = [field.name for field in fields(ConsumerSettings)]
    lines += [_row([LABELS[setting], *(_stated(setting, name) for name in PROFILES)]) for setting in settings]
    lines += [
        "",
        "## Rules that differ between profiles",
        "",
        _row(["", *PROFILES]),
        _row(["---"] * (len(PROFILES) + 1)),
    ]
    for code, rule in RULES.items():
        words = [_severity(name, code) for name in PROFILES]
        if set(words) != {rule.severity}:
            lines.append(_row([f"{_linked(code)} {rule.name}", *words]))
    for name in PROFILES:
        about = [*_about(name)]
        cited = "\n".join(about)
        lines += ["", f"## {name}", "", *about]
        lines += [line for source, note in unread().items() if source in cited for line in ("", note)]
    return "\n".join(lines) + "\n"


def configuration_page() -> str:
    """Return the reference of the configuration file: every key, what it means, and its option."""
    return CONFIGURATION.format(
        publish="\n".join(_panels(options_of(PublishSettings))),
        section=", ".join(f"`{each.key}`" for each in options_of(SectionSettings)),
        indexnow="\n".join(_settings(options_of(IndexNowSettings))),
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
    yield _row(["key and example", "value", "default", "option", "meaning"])
    yield _row(["---"] * 5)
    for each in settings:
        choices = ", ".join(f"`{choice}`" for choice in each.choices)
        kind = "" if each.kind is None else each.kind.name
        value = f"list of {choices}" if choices and each.kind is STRINGS else choices or kind
        named = each.flag or each.metavar
        option = f"`{named}`" if named else ""
        default = (each.shown_default or "").replace("*", "\\*")
        yield _row([f"`{each.key} = {each.example}`", value, default, option, _cell(each.help)])


def _about(name: str) -> Iterator[str]:
    """Yield the rules that `protocol` leaves out, or what another profile does differently from it."""
    base = PROFILES[0]
    for each in differences():
        if name == base:
            codes = [code for code in each.codes if name in each.profiles]
        else:
            # If a rule is off in `protocol` and on in this profile, the reason is stated for `protocol`.
            stated = {code for other in differences() if name in other.profiles for code in other.codes}
            codes = [
                code
                for code in each.codes
                if _severity(name, code) != _severity(base, code)
                and (name in each.profiles or (base in each.profiles and code not in stated))
            ]
        for word in sorted({_severity(name, code) for code in codes}):
            same = [code for code in codes if _severity(name, code) == word]
            yield f"- **{_asked(word)}** {', '.join(map(_linked, same))}. {each.why} {_source(each)}"
    for choice in choices():
        if name in choice.profiles:
            yield f"- **{LABELS[choice.name]}: {_value(choice.value)}.** {choice.why} {_source(choice)}"


def _elsewhere(each: Difference) -> str:
    """Return the line about the profiles in which a rule differs."""
    return f"- {_asked(each.severity)} in {', '.join(each.profiles)}: {each.why} {_source(each)}"


def _asked(word: str) -> str:
    return {OFF: "Off", "error": "Error", "warning": "Warning", "info": "Info"}[word]


def _severity(name: str, code: str) -> str:
    return profile(name).severities.get(code, OFF)


def _source(stated: Difference | Choice) -> str:
    return f"([{stated.source}]({stated.link}))" if stated.link else f"({stated.source})"


def _stated(setting: str, name: str) -> str:
    """Return what is stated about a setting of a profile."""
    for choice in choices():
        if choice.name == setting and name in choice.profiles:
            return _value(choice.value) + (" (sources differ)" if choice.is_disputed else "")
    return "not stated"


def _value(value: object) -> str:
    if value is None:
        return "any"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(f"`{word}`" for word in value) if isinstance(value, tuple) else f"{value:,}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _linked(code: str) -> str:
    return f"[{code}](rules.md#{_anchor(RULES[code])})"


def _anchor(rule: urlset.Rule) -> str:
    return f"{rule.code.lower()}-{rule.name}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sections(page: str) -> str:
    """Return the page with its headings one level down and without its title, because the section has one."""
    lines = [f"#{line}" if line.startswith("## ") else line for line in page.strip().splitlines()]
    return "\n".join(line for line in lines if not line.startswith("# "))


PAGES: dict[str, Callable[[], str]] = {
    "rules.md": rules_page,
    "profiles.md": profiles_page,
    "configuration.md": configuration_page,
    "options.md": options_page,
    "json.md": run_path(str(FOLDER / "json_page.py"))["json_page"],
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        FOLDER.joinpath(name).write_text(page(), encoding="utf-8")
