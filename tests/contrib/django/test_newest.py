"""The same tests on the newest Django, which needs a newer Python than the oldest that urlset runs on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import urlset

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
#: What the tests here import, beside what urlset needs itself.
WANTED = ["django>=6.1,<7", "lxml>=6,<7", "pytest>=9,<10", "hypothesis>=6.130,<7", "moto[s3]>=5.2,<6", "flask>=3.1,<4"]
NEEDED = ["click>=8.2,<9", "duckdb>=2.0,<3", "filelock>=3.16,<5", "publicsuffixlist>=1", "rich>=13.9,<16"]
FURTHER = [
    "flask-cors>=6,<7",
    "obstore>=0.12.1,<0.13",
    "jsonschema>=4.23,<5",
    "pyarrow>=24,<27",
    "uvicorn>=0.40,<1",
    "waitress>=3,<4",
]


def newer_python() -> str | None:
    """A Python from 3.12 on, if there is one."""
    if sys.version_info >= (3, 12):
        return sys.executable
    names = [found for minor in (14, 13, 12) if (found := shutil.which(f"python3.{minor}"))]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    names += [str(path) for minor in (14, 13, 12) for path in pyenv.glob(f"3.{minor}.*/bin/python3")]
    for name in names:
        if subprocess.run([name, "-c", "import venv, ensurepip"], capture_output=True, check=False).returncode == 0:
            return name
    return None


def test_the_newest_django(tmp_path: Path) -> None:
    python = newer_python()
    if python is None:
        pytest.skip("Django 6 needs Python 3.12 or later, and there is none beside this one")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON"))}
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], env=environment, check=True)
    own = tmp_path / "venv" / "bin" / "python"
    command = [str(own), "-m", "pip", "install", "--quiet", *WANTED, *NEEDED, *FURTHER]
    subprocess.run(command, env=environment, check=True, timeout=600)
    # The compiled module is for every Python from 3.11 on.
    environment["PYTHONPATH"] = str(Path(urlset.__file__).parents[1])
    done = subprocess.run(
        [own, "-m", "pytest", HERE, "-p", "no:cacheprovider", "-q", "--rootdir", ROOT],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout or "[100%]" in done.stdout
