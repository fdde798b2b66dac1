"""Findings as text: one module per format, each with a `render`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from urlset._lint.report import Report
from urlset._output import concise, full, github, gitlab, json, jsonl, junit, sarif, statistics

#: The renderers by the name of their format. Each returns a whole report as text, without a line end after the last
#: line. For a terminal, the `full` module is used directly: finding by finding, and in color.
FORMATS: Mapping[str, Callable[[Report], str]] = MappingProxyType(
    {
        "full": full.whole,
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
