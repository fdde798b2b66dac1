"""What the shell completes, by the protocol that its completion script speaks."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
import urlset
from support.cli import Cli
from support.cli.zsh import ZSH, Zsh
from urlset._options.publish import GuardName
from urlset._rules.profiles import PROFILES

Put = Callable[[str, str | bytes], Path]


def completed(cli: Cli, line: str) -> list[str]:
    """What bash is told about the last word of a line."""
    words = line.split(" ")
    ended = cli.process(_URLSET_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert ended.err == ""
    return [word.partition(",")[2] for word in ended.out.splitlines()]


#: Words of every kind. The long run completes further ones: each takes the time that Python takes to start.
COMPLETED: dict[str, list[str]] = {
    "urlset lint --profile g": ["google"],
    "urlset lint --ignore LOC002,FRQ": [f"LOC002,{name}" for name in ("FRQ", "FRQ001", "FRQ002", "FRQ003")],
    "urlset publish --allow shrunk,e": ["shrunk,empty"],
    "urlset read --columns loc,l": ["loc,lastmod", "loc,lastmod_raw", "loc,line"],
    "urlset diff --only added,": ["added,removed", "added,changed"],
    "urlset rule relative": ["relative-url"],
    "urlset sta": ["stats"],
}
FURTHER: dict[str, list[str]] = {
    "urlset lint --profile ": list(PROFILES),
    "urlset lint --format s": ["sarif", "statistics"],
    "urlset lint --fail-on ": ["error", "warning", "info"],
    "urlset lint --select LOC00": [f"LOC00{number}" for number in range(1, 10)],
    "urlset lint --select relative": ["relative-url"],
    "urlset publish --allow ": list(get_args(GuardName)),
    "urlset publish --lastmod-from ": ["front-matter", "git"],
    "urlset read --columns last": ["lastmod", "lastmod_raw"],
    "urlset read --format j": ["json", "jsonl"],
    "urlset diff --compare p": ["priority"],
    "urlset rule loc00": [f"loc00{number}" for number in range(1, 10)],
}


@pytest.mark.parametrize("line", [*COMPLETED, *(pytest.param(line, marks=pytest.mark.long) for line in FURTHER)])
def test_a_word_is_completed(cli: Cli, line: str) -> None:
    assert completed(cli, line) == (COMPLETED | FURTHER)[line]


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_the_script_for_a_shell_asks_by_the_same_variable(cli: Cli, shell: str) -> None:
    ended = cli("--completion", shell)
    assert (ended.code, ended.err) == (0, "")
    assert f"_URLSET_COMPLETE={shell}_complete" in ended.out


BECOMES = {
    "urlset sta": "urlset stats ",
    "urlset lint --fail": "urlset lint --fail-on ",
    "urlset publish --allow shrunk,e": "urlset publish --allow shrunk,empty ",
    "urlset lint --format sarif pages": "urlset lint --format sarif pages\\ of\\ mine.xml ",
}
LISTS = ("urlset lint --ignore LOC002,FRQ", "urlset ", "urlset publish --")


@pytest.mark.skipif(ZSH is None, reason="zsh is not installed")
@pytest.mark.long  # it starts Python for each key
def test_a_real_zsh_completes_the_same(cli: Cli, put: Put, tmp_path: Path) -> None:
    """Quotes, dollars and colons of help texts end no word of what zsh evaluates, either."""
    put("pages of mine.xml", "")
    with Zsh.running(tmp_path) as shell:
        assert {line: shell.completed(line)[0] for line in BECOMES} == BECOMES
        for line in LISTS:
            assert sorted(shell.completed(line)[1]) == sorted(completed(cli, line)), line


def test_a_rule_is_found_by_its_name(cli: Cli) -> None:
    for rule in urlset.rules()[:3]:
        assert cli("rule", rule.name).out == cli("rule", rule.code.lower()).out != ""
    assert cli("rule", "Relative-URL").out.startswith("# LOC002 relative-url\n")
    wrong = cli("rule", "relative-ulr")
    assert (wrong.code, wrong.err) == (
        2,
        "urlset: no rule has the code or the name 'relative-ulr'; did you mean relative-url?\n",
    )
    assert cli("rule", "LOC0002").err.endswith("did you mean LOC002?\n")


def test_one_option_maps_several_columns(cli: Cli, put: Put) -> None:
    put("rows.csv", 'url,"a,b"\n/x,2026-01-01\n')
    to = ["--dest", "public", "--base-url", "https://example.com/", "--dry-run"]
    once = cli("publish", "rows.csv", "--columns", "loc=url,lastmod=a,b", *to)
    twice = cli("publish", "rows.csv", "--columns", "loc=url", "--columns", "lastmod=a,b", *to)
    assert (once.code, once.out) == (0, twice.out)
    assert "1 column" in once.out
    wrong = cli("publish", "rows.csv", "--columns", "loc=url,lastmd=x", *to)
    assert wrong.code == 2
