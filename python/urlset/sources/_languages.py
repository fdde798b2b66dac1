"""Languages by folders: `de/tea.html` and `tea.html` are the same page in two languages."""

from __future__ import annotations

from collections.abc import Mapping

from urlset import _core
from urlset._model.errors import InputError


class LanguageFolders:
    """Tells the language of a page by its folder, and which pages are the same in others.

    Args:
        folders: The folder of each language, by its hreflang code; "." is that of all pages in no other folder.

    Raises:
        InputError: A code is not that of a language, or two languages have the same folder.
    """

    def __init__(self, folders: Mapping[str, str]) -> None:
        self._codes: dict[str, str] = {}
        for code, folder in folders.items():
            if _core.usual_hreflang(code) is None:
                raise InputError(f"languages must be hreflang codes, such as 'en' or 'pt-BR', got {code!r}")
            path = "" if folder in (".", "/") else folder.strip("/") + "/"
            if path in self._codes:
                raise InputError(f"the languages {self._codes[path]!r} and {code!r} have the same folder {folder!r}")
            self._codes[path] = code
        self._ordered = sorted(self._codes, key=len, reverse=True)

    def columns(self, file: str) -> dict[str, str]:
        """Return the group and the language of a page; nothing if it is in no folder of a language."""
        for folder in self._ordered:
            if file.startswith(folder):
                return {"group": file.removeprefix(folder), "lang": self._codes[folder]}
        return {}
