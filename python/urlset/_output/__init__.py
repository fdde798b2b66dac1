"""Findings as text: one module a format, each with a `render`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from urlset._lint.report import Report
from urlset._output import concise, github, gitlab, json, jsonl, junit, sarif, statistics


def _full(report: Report) -> str:
    # Only this one is for a terminal, and brings along what draws on it.
    from urlset._output import full  # noqa: PLC0415

    return full.whole(report).plain


#: What `--format` takes, and what makes a whole report into that text, which has no line end after its last line. A
#: terminal is served by the `full` module itself, finding by finding and in colour.
FORMATS: Mapping[str, Callable[[Report], str]] = MappingProxyType(
    {
        "full": _full,
        "concise": concise.render,
        "json": json.render,
        "jsonl": jsonl.render,
        "github": github.render,
        "gitlab": gitlab.render,
        "sarif": sarif.render,
        "junit": junit.render,
        "statistics": statistics.render,
    }
)
