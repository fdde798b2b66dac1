"""Checking one part of a job: each document by itself. What only a whole set shows is for `urlset.lint`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from urlset._lint.linter import Linter
from urlset._lint.options import FOLD, LintOptions
from urlset._lint.report import Report
from urlset._model.errors import FetchError
from urlset.jobs.parts import ReadPart, sources_of

#: The rule about a document that has room for more, which one of a set need not be full for.
_OF_SINGLE = "LIM004"


def lint_partition(
    part: ReadPart, options: LintOptions, *, fold: int = FOLD, store: Mapping[str, Any] | None = None
) -> Iterator[Report]:
    """Yield a report on each document of a part, in their order. One that cannot be opened is its only failure.

    Args:
        part: The part.
        options: The enabled rules.
        fold: How many findings of one rule are kept for one document; all are counted.
        store: Options of object stores.
    """
    in_set = replace(options, rules=options.rules.without([_OF_SINGLE]))
    for document, source in zip(part.documents, sources_of(part.documents, store), strict=True):
        linter = Linter(options if document.listed_in is None else in_set, fold, follow=False)
        public = document.location if document.location != document.path else document.url
        try:
            linter.run([source], public)
        except (FetchError, OSError) as error:
            said = error.strerror if isinstance(error, OSError) and error.strerror else error
            failure = error if isinstance(error, FetchError) else FetchError(f"{document.location}: {said}")
            yield replace(linter.report(), documents=(document.location,), failures=(failure,))
        else:
            yield linter.report()
