"""What the tests of jobs that write share: jobs over given parts on given days, and what lies in the folder then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from urlset import Publication
from urlset.jobs import PartFacts, WriteJob

from support.published import BASE, DAY


def job(folder: Path | str, day: int = 1, **options: Any) -> WriteJob:
    """A job on that day of January 2024, at noon."""
    return WriteJob(folder, **{"base_url": BASE, "now": DAY[day - 1], "allow": ["shrunk"], **options})


def written(work: WriteJob, parts: Sequence[Any]) -> list[PartFacts]:
    """The facts of all parts."""
    return [work.write_part(rows, part) for part, rows in enumerate(parts)]


def write(parts: Sequence[Any], folder: Path | str, day: int = 1, **options: Any) -> Publication:
    """Writes a set in parts, and puts it into force."""
    work = job(folder, day, **options)
    return work.commit(written(work, parts))


def own_files(folder: Path) -> list[str]:
    """The files of our own folder, but for the lock, the stamps, and the parts of manifests, whose names are random."""
    own = (path.relative_to(folder / ".urlset").as_posix() for path in (folder / ".urlset").rglob("*"))
    return sorted(name for name in own if name not in ("lock", "stamps.json") and not name.startswith("parts"))


def parts_of_manifests(folder: Path) -> list[str]:
    """The jobs whose parts of manifests are there, each as often as it has parts."""
    return sorted(path.name.rpartition("-")[0] for path in (folder / ".urlset" / "parts").glob("*"))
