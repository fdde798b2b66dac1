"""One declaration for each option: the signature, the file, the command line and the docs say what it says."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import urlset
from urlset._cli.verbs import VERBS, command
from urlset._config.lint_settings import LintSettings
from urlset._config.publish_settings import IndexNowSettings, PublishSettings, SiteSettings
from urlset._options.option import Option, options_of
from urlset.sources import files, html

ROOT = Path(__file__).parents[2]
EXPORTS = [getattr(urlset, name) for name in urlset.__all__]
FUNCTIONS: dict[str, Callable[..., Any]] = {each.__name__: each for each in EXPORTS if inspect.isfunction(each)}
#: The sources of rows, whose options are settings of a section.
SOURCES: dict[str, Callable[..., Any]] = {"html.pages": html.pages, "files.rows": files.rows}
#: Classes of values that verbs take.
VALUES = {each.__name__: each for each in EXPORTS if inspect.isclass(each) and is_dataclass(each) and options_of(each)}
TABLES = [PublishSettings, IndexNowSettings, SiteSettings, LintSettings]

#: What only a program can give: what is read or written, values, what is called back, and facts about bytes.
PYTHON_ONLY = {
    *("source", "site", "entries", "pages", "history", "data", "old", "new", "path", "file"),
    *("http", "filter", "layout", "derived", "checks", "rules", "budget", "limits", "content_encoding", "location"),
    *("progress", "on_refusal", "on_corrected", "on_note", "on_skip", "now", "wait", "jitter"),
    "key",  # a secret, which the command line reads from the environment
}
#: What is for programs in one function, although another verb has an option of that name.
ELSEWHERE = {
    "write": {"dest", "compression"},
    "diff": {"memory"},
    "fix": {"unsafe"},
    "report": {"run", "table"},
}
#: What only a command line has: how it prints, which file it obeys, and what Python says by other means.
COMMAND_ONLY = {
    *("help", "help_http", "help_html", "help_sitemaps"),
    *("quiet", "config", "isolated", "output", "fetches", "report", "report_file"),
    *("form", "shown_as", "format", "summary", "statistics", "fail_on", "exit_zero", "fix", "diff", "unsafe_fixes"),
    *("every", "rows", "crawl", "publish_to", "only", "plan_out", "roll_back", "rejects", "force", "key"),
    *("run", "table", "by", "due", "curve"),
}


@cache
def parameters(verb: str) -> dict[str, Any]:
    """The options of a verb as the command line has them."""
    return {each.name or "": each for each in command(verb).params if each.param_type_name == "option"}


def declared() -> Iterator[tuple[str, Option]]:
    """Every declaration, with who declares it."""
    sources: list[Callable[..., Any]] = [*FUNCTIONS.values(), *VALUES.values(), *TABLES]
    for source in sources:
        for option in options_of(source):
            yield source.__name__, option


@cache
def by_flag() -> dict[str, list[tuple[str, Option]]]:
    found: defaultdict[str, list[tuple[str, Option]]] = defaultdict(list)
    for name, option in declared():
        if option.flag:
            found[option.flag].append((name, option))
    return dict(found)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_an_option_or_for_programs_alone(name: str) -> None:
    options = {each.name for each in options_of(FUNCTIONS[name])}
    others = {
        each.name
        for each in inspect.signature(FUNCTIONS[name]).parameters.values()
        if each.name not in options and each.kind is not each.VAR_KEYWORD
    }
    assert others <= PYTHON_ONLY | ELSEWHERE.get(name, set())


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_the_command_line_is_declared_once(verb: str) -> None:
    for name, parameter in parameters(verb).items():
        flag = max(parameter.opts, key=len)
        if name in COMMAND_ONLY:
            continue
        assert parameter.help in {option.help for _, option in by_flag()[flag]}, flag
        # Whatever is not given has the default of Python.
        assert parameter.required or parameter.default in (None, False, ()), flag


@pytest.mark.parametrize("verb", sorted(set(VERBS) & FUNCTIONS.keys()))
def test_every_option_of_a_function_is_one_of_its_verb(verb: str) -> None:
    flags = {flag for each in parameters(verb).values() for flag in each.opts}
    assert {each.flag for each in options_of(FUNCTIONS[verb]) if each.flag} - flags == set()


def test_an_option_has_one_name_in_python_and_on_the_command_line() -> None:
    renamed = {option.flag for _, option in declared() if option.flag and option.flag != f"--{words(option)}"}
    assert renamed == {"--from"}


def words(option: Option) -> str:
    return option.name.replace("_", "-")


def test_a_name_means_one_thing() -> None:
    """The columns to read, and those of rows to publish, are both columns by their names; a title is that of a page."""
    meanings = {flag: {option.help for _, option in options} for flag, options in by_flag().items()}
    assert {flag for flag, texts in meanings.items() if len(texts) > 1} == {"--columns", "--title"}


@pytest.mark.parametrize("name", [*FUNCTIONS, *SOURCES])
def test_the_docstring_of_a_function_says_what_is_declared(name: str) -> None:
    function = (FUNCTIONS | SOURCES)[name]
    text = inspect.getdoc(function) or ""
    entries = re.findall(r"^    (\w+): (.*(?:\n        .*)*)", text.partition("\nArgs:\n")[2], re.MULTILINE)
    said = {parameter: " ".join(entry.split()) for parameter, entry in entries}
    for option in options_of(function):
        entry = said[option.name]
        assert entry.startswith((option.help, "As in `scan`")), option.name


@pytest.mark.parametrize("name", VALUES)
def test_the_docstring_of_a_value_has_every_field(name: str) -> None:
    text = inspect.getdoc(VALUES[name]) or ""
    for option in options_of(VALUES[name]):
        assert f"    {option.name}: {option.help}" in text


def test_every_key_of_the_file_is_declared_once() -> None:
    keys = {option.key for table in TABLES for option in options_of(table)}
    wanted = {option.key for _, option in declared() if option.example}
    assert wanted <= keys
    for table in TABLES:
        text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
        for option in options_of(table):
            if option.example:
                assert option.help.replace("|", "\\|") in text


@pytest.mark.parametrize(("name", "option"), list(declared()), ids=lambda each: getattr(each, "name", each))
def test_a_default_in_words_is_the_default(name: str, option: Option) -> None:
    if isinstance(option.value, str) and option.default is not None:
        assert option.default == option.value
    if option.choices and isinstance(option.value, str):
        assert option.value in option.choices
