"""What of a page is not its content: what crawl, audit and the source of built pages leave out of its hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from urlset import _core
from urlset._model.errors import InputError


@dataclass(frozen=True, slots=True)
class Ignored:
    """What to leave out of the content of pages.

    Args:
        mask: Texts, such as a counter of visits: patterns in which `*` stands for anything.
        boilerplate: CSS selectors of elements, such as a list of the latest posts.

    Raises:
        InputError: One of them is not a list of texts, or a selector cannot be read.

    Example:
        >>> Ignored(boilerplate=[".latest"]).boilerplate
        ('.latest',)
    """

    mask: Sequence[str] = ()
    boilerplate: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in self.__slots__:
            texts = getattr(self, name)
            if isinstance(texts, str) or not all(isinstance(each, str) and each.strip() for each in texts):
                raise InputError(f"{name} must be a list of texts that are not blank, got {texts!r}")
            object.__setattr__(self, name, tuple(texts))
        try:
            _core.check_selectors(list(self.boilerplate))
        except ValueError as error:
            raise InputError(f"boilerplate must contain CSS selectors: {error}") from None

    def as_settings(self) -> dict[str, list[str]]:
        """Return it as the settings of a run keep it."""
        return {"mask": list(self.mask), "boilerplate": list(self.boilerplate)}


#: Nothing but what never is content, such as navigation.
NOTHING = Ignored()
