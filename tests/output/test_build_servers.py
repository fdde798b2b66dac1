"""What a build server needs of a path and of a file: relative paths, true offsets, a link for each rule."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import urlset
from support.documents import CORE
from support.output.sample_report import REPORT
from urlset._output import FORMATS

FIXABLE = f'<urlset xmlns="{CORE}"><url><loc>https://e.com/</loc><priority>0,8</priority></url></urlset>'


def test_paths_in_the_working_folder_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "public" / "sitemap.xml"
    path.parent.mkdir()
    path.write_text(FIXABLE)
    report, short = urlset.lint(path), urlset.lint("public/sitemap.xml")
    [violation] = json.loads(FORMATS["gitlab"](report))
    assert violation["location"]["path"] == "public/sitemap.xml"
    assert FORMATS["github"](report).startswith("::error file=public/sitemap.xml,line=1,")
    [run] = json.loads(FORMATS["sarif"](report))["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "public/sitemap.xml"}
    for form in ("gitlab", "github", "sarif"):
        assert FORMATS[form](report) == FORMATS[form](short)
    monkeypatch.chdir(path.parent)
    [violation] = json.loads(FORMATS["gitlab"](urlset.lint(path)))
    assert violation["location"]["path"] == "sitemap.xml"
    monkeypatch.chdir("/")


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "iso-8859-1"])
def test_the_offsets_of_sarif_are_those_of_the_file(tmp_path: Path, charset: str) -> None:
    path = tmp_path / "sitemap.xml"
    data = FIXABLE.replace("https://e.com/", "https://e.com/\xe9").encode(charset)
    path.write_bytes(data)
    results = json.loads(FORMATS["sarif"](urlset.lint(path, rules=urlset.Rules(select=["PRI001"]))))["runs"][0][
        "results"
    ]
    if not charset.startswith("utf-8"):
        assert [each for each in results if "fixes" in each] == []
        return
    [result] = results
    [replacement] = result["fixes"][0]["artifactChanges"][0]["replacements"]
    start = replacement["deletedRegion"]["byteOffset"]
    end = start + replacement["deletedRegion"]["byteLength"]
    fixed = data[:start] + replacement["insertedContent"]["text"].encode() + data[end:]
    assert fixed.decode(charset) == FIXABLE.replace("https://e.com/", "https://e.com/\xe9").replace("0,8", "0.8")


def test_every_rule_of_sarif_says_where_it_is_documented() -> None:
    for rule in json.loads(FORMATS["sarif"](REPORT))["runs"][0]["tool"]["driver"]["rules"]:
        assert re.fullmatch(r"https://\S+", rule["helpUri"])
        assert rule["helpUri"] in rule["help"]["markdown"]
