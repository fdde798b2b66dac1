"""Options: those of the settings agree with the file and with the API, and errors name them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.cli import Cli, unwrapped
from urlset._cli.errors import with_option_names
from urlset._cli.verbs import VERBS as ALL
from urlset._cli.verbs import command
from urlset._config.file import load
from urlset._config.lint_settings import LintSettings
from urlset._config.publish_settings import PublishSettings
from urlset._config.section_settings import SectionSettings
from urlset._options.http import OVER_HTTP
from urlset._options.option import options_of

#: Lines of a window that a person makes large enough to read in.
SCREEN = 60
#: Verbs that can request something.
OVER_NETWORK = ["read", "stats", "discover", "watch", "crawl", "audit", "robots", "diff", "lint", "submit"]
VERBS = ["read", "stats", "init", "publish", "verify", "submit", "diff", "lint", "rule"]


def parameters(verb: str) -> dict[str, Any]:
    """The parameters of a verb as the command line has them."""
    return {parameter.name or "": parameter for parameter in command(verb).params}


def test_lists_and_tables_are_options_that_can_be_repeated() -> None:
    found = {
        verb: {name for name, each in parameters(verb).items() if getattr(each, "multiple", False)}
        for verb in ("publish", "lint")
    }
    assert found["publish"] == {
        "columns",
        "lastmod_from",
        "omit",
        "languages",
        "mask",
        "boilerplate",
        "include_pages",
        "exclude_pages",
        "store",
        "object_headers",
        "allow",
    }
    assert found["lint"] == {"select", "ignore", "per_file_ignores", "robots", "headers", "map", "store"}


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
        text = parameter.declared.help if hasattr(parameter, "declared") else parameter.help
        assert text[:1].isupper() or text.startswith("robots.txt"), parameter.name
        assert text.endswith("."), parameter.name


def test_help_shows_the_options_in_groups(cli: Cli) -> None:
    shown = cli("publish", "--help").out
    for panel in ("Source of the rows", "Checks", "This run"):
        assert f"\n{panel}:\n" in shown
    assert "urlset.toml" in shown


@pytest.mark.parametrize("verb", OVER_NETWORK)
def test_the_options_over_http_have_a_help_of_their_own(cli: Cli, verb: str) -> None:
    plain, http = cli(verb, "--help").out, cli(verb, "--help-http").out
    declared = [each.declared for each in parameters(verb).values() if hasattr(each, "declared")]
    over_http = {each.flag for each in declared if each.panel == OVER_HTTP}
    assert {"--timeout", "--retries"} <= over_http
    assert {flag for flag in over_http if f"{flag} " in plain} == set()
    assert {flag for flag in over_http if f"{flag} " not in http} == set()
    assert "--help-http" in plain
    assert http.startswith(f"Usage: urlset {verb} [OPTIONS]")
    assert "Exit codes:" not in http


def test_other_groups_of_publish_have_helps_of_their_own(cli: Cli) -> None:
    plain = cli("publish", "--help").out
    for option, panel, flag in (
        ("--help-html", "HTML pages", "--index-pages"),
        ("--help-sitemaps", "Sitemaps", "--shard-by"),
    ):
        shown = cli("publish", option).out
        assert option in plain
        assert f"\n{panel}:\n" not in plain
        assert f"\n{panel}:\n" in shown
        assert f"  {flag} " in shown


def test_a_verb_without_requests_has_no_help_about_them(cli: Cli) -> None:
    assert "--help-http" not in cli("rule", "--help").out
    assert cli("rule", "--help-http").code == 2


@pytest.mark.parametrize("verb", ALL)
def test_a_help_fits_two_screens_and_names_no_types(cli: Cli, verb: str) -> None:
    for option in ("--help", "--help-http") if verb in OVER_NETWORK else ("--help",):
        shown = cli(verb, option).out
        assert len(shown.splitlines()) <= 2 * SCREEN
        options = shown.partition("Exit codes:")[2] or shown
        assert max(map(len, options.splitlines())) <= 80  # what precedes has commands, which cannot be folded
        for noise in ("<", "x>=", "BOOLEAN", "(None)", "True", "False"):
            assert noise not in options, noise


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
