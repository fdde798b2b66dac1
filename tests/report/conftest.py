"""A run of a hostile site and its page, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
import urlset
from support.report.run_file import make_run_file


@pytest.fixture(scope="session")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of a site with 700 listed pages and 120 patterns, every seventh text of which is hostile."""
    folder = tmp_path_factory.mktemp("runs")
    return make_run_file(folder / "site.duckdb", pages=700, findings=120, hostile=True)


@pytest.fixture(scope="session")
def report_file(run_file: Path) -> Path:
    """The page of the last run."""
    return urlset.report(run_file, run_file.with_name("report.html"))
