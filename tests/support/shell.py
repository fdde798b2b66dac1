"""A shell, as somebody has it who follows the documentation."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from support.pages import Command

#: Longer than any command of the documentation takes.
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell in a folder, which knows the script, and an internet in which the sites of the pages are."""

    folder: Path
    env: Mapping[str, str]

    def run(self, command: Command) -> str:
        """Type the command, and return all that it prints.

        A command that finds something ends with 1, which a page need not show.
        """
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        ended = subprocess.run(
            ["/bin/sh", "-c", command.line],
            cwd=self.folder,
            env={**os.environ, **self.env, "PATH": path, "COLUMNS": "80"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        expected = (0, 1) if command.code is None else (command.code,)
        assert ended.returncode in expected, f"{command.line}\n{ended.stdout}{ended.stderr}"
        assert "Traceback" not in ended.stderr
        return ended.stdout + ended.stderr
