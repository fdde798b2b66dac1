"""What each format makes of a report, as a file in `snapshots/` that a person has looked at.

`UPDATE_SNAPSHOTS=1 pytest tests/output` writes the files anew; the diff is what to look at.
"""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.output.sample_report import CLEAN, FAILED, REPORT
from urlset._output import FORMATS
from urlset._output.json_text import dumps

SNAPSHOTS = Path(__file__).with_name("snapshots")

RULES = {rule.code: rule for rule in urlset.rules()}


def without_pages(text: str) -> str:
    """A SARIF log with the version and the texts of the rules' pages left out: those change without the format."""
    log: dict[str, Any] = json.loads(text)
    driver = log["runs"][0]["tool"]["driver"]
    assert driver["version"] == version("urlset")
    left_out = [driver["version"]]
    for rule in driver["rules"]:
        page = RULES[rule["id"]].page
        assert rule["help"] == {"text": page, "markdown": page}
        assert rule["shortDescription"] == {"text": RULES[rule["id"]].summary}
        assert rule["fullDescription"]["text"].startswith(RULES[rule["id"]].summary)
        left_out += [page, rule["fullDescription"]["text"], rule["shortDescription"]["text"]]
    for words in left_out:
        text = text.replace(f": {dumps(words)}", ': "…"')
    return text


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_writes_what_it_always_wrote(name: str) -> None:
    text = "\n".join(
        (f"--- {title}\n{without_pages(written) if name == 'sarif' else written}\n")
        for title, report in (("findings", REPORT), ("no findings", CLEAN), ("failures", FAILED))
        for written in [FORMATS[name](report)]
    )
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_bytes(text.encode())
    assert path.read_bytes().decode() == text


def test_there_is_no_snapshot_of_a_format_that_is_gone() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == FORMATS.keys()
