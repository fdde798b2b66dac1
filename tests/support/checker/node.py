"""The module of the checker in Node."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
#: `make test-long` builds it.
WASM = ROOT / "build" / "urlset.wasm"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the module said: the answer, the fixed document if there is one, and what it took."""

    answer: dict[str, Any]
    fixed: bytes | None
    seconds: float
    memory: int


class Module:
    """A process that answers one question after the other."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    @classmethod
    @contextmanager
    def start(cls) -> Iterator[Module]:
        """Run it for as long as the block does."""
        assert WASM.exists(), "packaging/wasm.sh builds the module that this test needs"
        script = Path(__file__).with_name("ask.mjs")
        with subprocess.Popen(
            ["node", str(script), str(WASM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        ) as process:
            yield cls(process)
            assert process.stdin is not None
            process.stdin.close()

    def ask(self, verb: str, question: dict[str, Any] | str, path: Path) -> Answer:
        """Return what it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"verb": verb, "question": question, "path": str(path)}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the module ended"
        said = json.loads(line)
        fixed = None if said["fixed"] is None else base64.b64decode(said["fixed"])
        return Answer(said["answer"], fixed, said["seconds"], said["memory"])
