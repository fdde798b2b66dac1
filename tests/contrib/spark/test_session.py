"""What somebody is told whose Spark runs another Python."""

from __future__ import annotations

import sys
import venv
from pathlib import Path
from typing import Any

import pytest
import urlset

pytestmark = pytest.mark.long


def test_the_source_is_registered(spark: Any, tmp_path: Path) -> None:
    from urlset.contrib.spark import register

    register(spark)
    (tmp_path / "a.txt").write_text("https://shop.example/\n")
    assert spark.read.format("sitemap").load(str(tmp_path / "a.txt")).first().loc == "https://shop.example/"


def test_another_python_is_named_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from urlset.contrib.spark.session import check_python

    check_python(sys.executable)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    venv.create(tmp_path / "other", with_pip=False)
    python = str(tmp_path / "other" / "bin" / "python")
    with pytest.raises(urlset.InputError, match=r"No module named 'urlset'.*export PYSPARK_PYTHON=") as raised:
        check_python(python)
    assert python in str(raised.value)
    with pytest.raises(urlset.InputError, match="No such file"):
        check_python(str(tmp_path / "missing"))
