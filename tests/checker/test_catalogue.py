"""What the page of the checker is made of: its files, and what it knows of rules and profiles."""

from __future__ import annotations

import json
import re
from pathlib import Path

import urlset
from support.checker.node import ROOT
from support.checker.page import checker_page
from urlset import _core
from urlset._rules.profiles import PROFILES

SOURCE = ROOT / "checker"


def test_it_knows_every_rule_of_the_core_and_every_profile() -> None:
    catalogue = checker_page.catalogue()
    assert catalogue["version"] == urlset.__version__
    assert list(catalogue["rules"]) == [rule.code for rule in _core.catalogue()]
    assert not set(catalogue["rules"]) & set(catalogue["of_sets"])
    assert tuple(catalogue["profiles"]) == PROFILES
    for profile in catalogue["profiles"].values():
        assert profile["rules"].keys() <= catalogue["rules"].keys()


def test_a_question_has_the_fields_that_the_module_takes() -> None:
    text = (ROOT / "crates" / "urlset-wasm" / "src" / "question.rs").read_text("utf-8")
    fields = re.findall(
        r"^    (?:pub )?(\w+): ", text.partition("pub struct Question {")[2].partition("\n}")[0], re.MULTILINE
    )
    asked = {*checker_page.question("google"), "location", "now", "fold", "is_unsafe"}
    assert set(fields) == asked


def test_the_folder_has_all_that_its_files_name(tmp_path: Path) -> None:
    module = tmp_path / "urlset.wasm"
    module.write_bytes(b"\0asm\1\0\0\0")
    checker_page.build(tmp_path / "check", module)
    files = {path.name: path for path in (tmp_path / "check").iterdir()}
    offline = files["offline.js"].read_text("utf-8")
    (kept,) = re.findall(r'^const FILES = "(.*)"\.split', offline, re.MULTILINE)
    assert {*kept.split(), "index.html", "offline.js"} == files.keys()
    assert "@" not in re.findall(r'^const CACHE = "(.*)"', offline, re.MULTILINE)[0]
    assert json.loads(files["catalogue.json"].read_text("utf-8")) == checker_page.catalogue()
    named = set[str]()
    for path in (*SOURCE.glob("*.js"), SOURCE / "index.html"):
        named |= set(re.findall(r'"\.?/?([\w-]+\.(?:js|css|json|wasm))"', path.read_text("utf-8")))
    assert named
    assert named <= files.keys()
