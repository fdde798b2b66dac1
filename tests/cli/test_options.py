"""Options: those of the settings agree with the file and with the API, and errors name them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
import urlset
from support.cli import Cli, unwrapped
from urlset._cli.app import app
from urlset._cli.errors import with_option_names
from urlset._config.file import load
from urlset._config.lint_settings import LintSettings
from urlset._config.publish_settings import PublishSettings
from urlset._config.section_settings import SectionSettings
from urlset._options.option import options_of

VERBS = ["read", "stats", "init", "publish", "verify", "submit", "diff", "lint", "rule"]


def parameters(verb: str) -> dict[str, Any]:
    """The parameters of a verb as the command line has them."""
    group: Any = typer.main.get_command(app)
    return {parameter.name: parameter for parameter in group.commands[verb].params}


def test_lists_and_tables_are_options_that_can_be_repeated() -> None:
    found = {
        verb: {name for name, each in parameters(verb).items() if getattr(each, "multiple", False)}
        for verb in ("publish", "lint")
    }
    assert found["publish"] == {
        "columns",
        "lastmod_from",
        "mask",
        "boilerplate",
        "include_pages",
        "exclude_pages",
        "store",
        "object_headers",
        "allow",
    }
    assert found["lint"] == {"select", "ignore", "per_file_ignores", "robots", "headers", "store"}


def test_the_example_of_a_setting_is_valid(tmp_path: Path) -> None:
    for table, name in ((PublishSettings, "publish"), (SectionSettings, "publish"), (LintSettings, "lint")):
        for setting in options_of(table):
            if setting.example:
                path = tmp_path / "urlset.toml"
                path.write_text(f"[{name}]\n{setting.key} = {setting.example}\n", "utf-8")
                settings = getattr(load(path), name)
                assert getattr(settings, setting.name) is not None


# --- help ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples_and_exit_codes(cli: Cli, verb: str) -> None:
    shown = cli(verb, "--help").out
    assert f"urlset {verb}" in shown.partition("Examples:")[2]
    assert "Exit codes:" in shown


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_options_has_one_form(verb: str) -> None:
    for parameter in parameters(verb).values():
        assert parameter.help[:1].isupper() or parameter.help.startswith("robots.txt"), parameter.name
        assert parameter.help.endswith("."), parameter.name


def test_help_shows_the_options_in_groups(cli: Cli) -> None:
    shown = cli("publish", "--help").out
    for panel in ("Source of the rows", "HTML pages", "Sitemaps", "Checks", "This run"):
        assert f"─ {panel} ─" in shown
    assert "urlset.toml" in shown


# --- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("base_url must be an absolute http(s) URL, got 'x'", "--base-url must be an absolute http(s) URL, got 'x'"),
        ("columns['loc'] must be a string, got 1", "--columns['loc'] must be a string, got 1"),
        ("dest must be a folder", "--dest must be a folder"),
        ("entries must be rows", "ROWS must be rows"),
        ("now must have a time zone", "now must have a time zone"),
        ("rows.csv: base_url must be set", "rows.csv: base_url must be set"),
        ("base_url is missing", "base_url is missing"),
    ],
)
def test_a_message_names_the_option_instead_of_the_keyword(message: str, shown: str) -> None:
    names = {"base_url": "--base-url", "columns": "--columns", "dest": "--dest", "rows": "ROWS"}
    assert with_option_names(message, names) == shown


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["lint", "a.xml", "--now", "tomorrow"], "'tomorrow' does not match the formats"),
        (["init", "--base-url", "shop.test"], "--base-url must be an absolute http(s) URL, got 'shop.test'"),
        (["publish", "--object-headers", "x"], "Invalid value for --object-headers: 'x' is not GLOB:NAME=VALUE"),
        (["publish", "--store", "region"], "Invalid value for --store: 'region' is not NAME=VALUE"),
        (["publish", "--columns", "url=loc"], "Invalid value for --columns: unknown column mapping 'url'; known: loc"),
        (["publish", "--allow", "shrnk"], "Invalid value for --allow: unknown value 'shrnk'; did you mean shrunk?"),
        (["lint", "a.xml", "--robots", "x"], "Invalid value for --robots: 'x' is not URL=FILE"),
        (["lint", "a.xml", "--select", "LOX"], "Invalid value for --select: no rule has the code 'LOX'"),
    ],
)
def test_an_error_names_the_option(cli: Cli, arguments: list[str], shown: str) -> None:
    ended = cli(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert shown in unwrapped(ended.err)


def test_the_package_runs_as_a_module() -> None:
    for argument, first in (("--version", f"urlset {urlset.__version__}\n"), ("--help", "Usage: urlset [OPTIONS]")):
        done = subprocess.run([sys.executable, "-m", "urlset", argument], capture_output=True, text=True, check=True)
        assert done.stdout.strip().startswith(first.strip())
