"""Whether `lint` finds no more in a corrected set than in the set that it was made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Final

from urlset._audit.corrected_rows import Corrector
from urlset._lint.api import lint
from urlset._model.errors import InputError, PublishError
from urlset._util.duckdb import scalar
from urlset._util.tempdirs import temporary_folder
from urlset._util.text import plural
from urlset._write.api import write

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection

    from urlset._lint.report import Report
    from urlset._model.entries import UrlEntry

#: Entries of a document: so few that they fit, with many images and links.
_ENTRIES: Final = 5_000


def check_lint(connection: DuckDBPyConnection, entries: Iterable[UrlEntry], site: str) -> None:
    """Write the entries as they are and as they should be, and compare what `lint` finds.

    Both are written in the same way, so that only the entries differ, and not the documents around them. What cannot be
    written is in neither.

    Raises:
        PublishError: There is more to find in the corrected ones.
    """
    if not scalar(connection, "SELECT count(*) FROM changes"):
        return
    with temporary_folder() as folder:
        before, after = folder / "before", folder / "after"
        waiting, corrector = iter(entries), Corrector(connection)
        number, refused_then, refused_now = 0, Counter[str](), Counter[str]()
        while batch := list(islice(waiting, _ENTRIES)):
            number += 1
            refused_then += _write(batch, before, number)
            refused_now += _write(list(corrector.rows(batch)), after, number)
        now = _linted(after, site)
        counts_now = refused_now + Counter({} if now is None else now.counts)
        if not counts_now:
            return
        then = _linted(before, site)
        counts_then = refused_then + Counter({} if then is None else then.counts)
        for code, count in (counts_now - counts_then).items():
            first = None if now is None else next((each for each in now if each.code == code), None)
            shown = "" if first is None else f": {first.message}, {first.source}"
            raise PublishError(
                f"there is no corrected set: lint would find {code} {plural(count + counts_then[code], 'time')},"
                f" and not {counts_then[code]:,}{shown}"
            )


def _write(entries: list[UrlEntry], folder: Path, number: int) -> Counter[str]:
    """Write a document, and return how many values of it could not be written, by the rules that they break."""
    folder.mkdir(exist_ok=True)
    try:
        written = write(entries, folder / f"sitemap-{number:06}.xml", on_error="collect", on_bad_value="drop")
    except InputError:
        return Counter({"LOC": len(entries)})  # not one of them can be written
    return Counter(written.refused_by_code) + Counter(written.corrected_by_code)


def _linted(folder: Path, site: str) -> Report | None:
    return lint(folder, location=f"{site}/") if any(folder.iterdir()) else None
