"""Sites of all generators: their sources, how they are built, and which source makes each page.

A case is a folder with a `project` and a `case.toml`. Its pages were listed from a real build, and the program that
built them said which source it had read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent / "generators"
#: What `make generators` installs for JavaScript, and what `make test-long` has already.
PACKAGES = Path(sys.prefix, "generators")
ELEVENTY = Path(sys.prefix, "eleventy/node_modules")
#: What is added at the end of a file, so that it is another one.
CHANGES = {
    ".css": "\n/* changed */\n",
    ".js": "\n// changed\n",
    ".jsx": "\n// changed\n",
    ".ts": "\n// changed\n",
    ".tsx": "\n// changed\n",
    ".md": "\n\nAnother cup of it.\n",
    ".rst": "\n\nAnother cup of it.\n",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A site: the folder of its build, the command that builds it, and the source of each page, or nothing.

    `built` has files that the build makes besides pages, of which the map of a page to its source reads some.
    """

    name: str
    output: str
    build: Sequence[str]
    pages: Mapping[str, str]
    changes: Mapping[str, str]
    url: str = "https://tea.example/"
    built: Mapping[str, str] = field(default_factory=dict)

    @property
    def project(self) -> Path:
        """The sources."""
        return HERE / self.name / "project"

    @property
    def has_packages(self) -> bool:
        """Whether it is built by a program of JavaScript."""
        return (self.project / "package.json").is_file()

    def copy(self, to: Path) -> Path:
        """Copy the sources, and make the packages of JavaScript available to them."""
        shutil.copytree(self.project, to, symlinks=True)
        if self.has_packages:
            packages = ELEVENTY if self.name == "eleventy" else PACKAGES / self.name / "node_modules"
            assert packages.is_dir(), f"install {self.name} for this test: make generators"
            # Some programs do not follow a link out of the project.
            shutil.copytree(packages, to / "node_modules", symlinks=True, copy_function=os.link)
        return to

    def run(self, project: Path) -> Path:
        """Build the site, and return the folder of its pages."""
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        quiet = {
            "ASTRO_TELEMETRY_DISABLED": "1",
            "NEXT_TELEMETRY_DISABLED": "1",
            "NUXT_TELEMETRY_DISABLED": "1",
            "CI": "1",
        }
        done = subprocess.run(
            self.build,
            cwd=project,
            env={**os.environ, "PATH": programs, **quiet},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return project / self.output


def cases() -> list[Case]:
    """Return all cases."""
    return [
        Case(folder.name, **tomllib.loads((folder / "case.toml").read_text()))
        for folder in sorted(HERE.iterdir())
        if (folder / "case.toml").is_file()
    ]


def change(file: Path) -> None:
    """Change a file without changing what it does."""
    with file.open("a") as out:
        out.write(CHANGES.get(file.suffix, "\n<!-- changed -->\n"))
