"""Makes the reference of the command line: a page for each verb, from its command and from the declared options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click
import urlset
from cells import cell, table
from settings import TABLES
from urlset._cli.parameters import VerbArgument, VerbOption
from urlset._cli.verbs import VERBS, command
from urlset._options.option import Option, Source, options_of
from urlset.sources import files, html

HEAD = """\
# The command line

`urlset` has a verb for each thing that can be done with sitemaps. Results go to standard output, messages to standard
error. The exit code is 0 for success, 1 for findings and 2 for failure; the page of each verb says what that means
there. `urlset VERB --help` shows the same, and `urlset --completion bash|fish|zsh` prints what completes verbs, options
and values in a shell.
"""
OPTIONS = """\
The last column has what means the same: the key in [`urlset.toml`](../configuration.md), and the parameter in Python.
"""

#: What declares options for Python, with the name that people write.
_EXPORTED = {name: getattr(urlset, name) for name in urlset.__all__}
_SOURCES: dict[str, Source] = {"files.rows": files.rows, "html.pages": html.pages}
#: The heading of the options that have no group.
_UNGROUPED = "Options"


def command_pages() -> Iterator[tuple[str, str]]:
    """Yield the name of each page, and its Markdown."""
    rows = ([f"[`urlset {name}`]({name}.md)", about] for name, about in VERBS.items())
    yield "index.md", "\n".join([HEAD, *table(["verb", "what it does"], rows)]) + "\n"
    for name in VERBS:
        yield f"{name}.md", _page(name)


def _page(name: str) -> str:
    verb = command(name)
    ctx = click.Context(verb, info_name=f"urlset {name}")
    about, examples, codes = _parts(verb.help or "")
    usage = " ".join([f"urlset {name}", *verb.collect_usage_pieces(ctx)])
    lines = [f"# urlset {name}", "", about, "", "```text", usage, "```", ""]
    lines += ["## Examples", "", "```sh", *examples, "```", "", "## Exit codes", "", *codes, ""]
    arguments = [each for each in verb.params if isinstance(each, VerbArgument)]
    if arguments:
        rows = ([f"`{each.metavar}`", cell(each.declared.help)] for each in arguments)
        lines += ["## Arguments", "", *table(["argument", "meaning"], rows), ""]
    lines += ["## Options", "", OPTIONS]
    groups: dict[str, list[VerbOption]] = {_UNGROUPED: []}
    for each in verb.params:
        if isinstance(each, VerbOption):
            groups.setdefault(each.declared.panel or _UNGROUPED, []).append(each)
    for title, options in groups.items():
        lines += [] if title == _UNGROUPED else [f"### {title}", ""]
        rows = (_option(name, each) for each in options)
        lines += ['<div class="options" markdown>', ""]
        lines += [*table(["option", "meaning", "urlset.toml, Python"], rows), "", "</div>", ""]
    return "\n".join(lines)


def _parts(text: str) -> tuple[str, list[str], Iterator[str]]:
    """Return what a help says about the verb, the lines of its examples, and the table of its exit codes."""
    about, _, rest = text.replace("\b\n", "").partition("Examples:\n")
    examples, _, codes = rest.partition("Exit codes:\n")
    found = re.findall(r"^ +(\d+) +(.*(?:\n {5,}.*)*)", codes, re.MULTILINE)
    rows = ([code, cell(" ".join(words.split()))] for code, words in found)
    typed = inspect.cleandoc(examples).splitlines()
    return about.strip(), [re.sub(r"(?<=\S) {2,}(?=\S)", "  # ", line) for line in typed], table(["code", "when"], rows)


def _option(verb: str, option: VerbOption) -> list[str]:
    declared = option.declared
    given, _ = option.get_help_record(click.Context(command(verb)))
    default = f"Default: {declared.shown_default}." if declared.shown_default else ""
    words = "" if declared.metavar else ", ".join(f"`{word}`" for word in declared.choices)
    choices = f"One of {words}." if words else ""
    facts = [cell(declared.help), choices, "Required." if declared.is_required else default.replace("*", "\\*")]
    same = "<br>".join(filter(None, (_key(verb, declared), _python(verb, declared))))
    return [f"`{cell(given)}`", " ".join(filter(None, facts)), same]


def _key(verb: str, option: Option) -> str:
    """Return the key in the file that means the same as an option of a verb."""
    for named, settings in TABLES.items():
        if named.split(".")[-1] == {"submit": "indexnow", "feed": "site", "llms": "site"}.get(verb, verb):
            for each in options_of(settings):
                if each.flag == option.flag and each.example:
                    return f"`{named}.{each.key}`"
    return ""


def _python(verb: str, option: Option) -> str:
    """Return the parameter or the field that means the same as an option of a verb."""
    function = _EXPORTED.get(verb)
    own = {verb: function} if inspect.isfunction(function) else {}
    taken = " ".join(str(each.annotation) for name in own for each in inspect.signature(own[name]).parameters.values())
    values = {name: each for name, each in _EXPORTED.items() if re.search(rf"\b{name}\b", taken)}
    for name, source in {**own, **values, **(_SOURCES if verb == "publish" else {})}.items():
        for each in options_of(source):
            if each.flag == option.flag and each.help == option.help:
                return f"`{name}({each.name}=)`"
    return ""
