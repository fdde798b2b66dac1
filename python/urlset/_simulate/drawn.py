"""Pages that are drawn: as many as are wanted, with rates of change and importance as sites have them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Annotated

from urlset._model.errors import InputError
from urlset._options import kinds
from urlset._options.option import Option

#: The logarithm of the rate of change is normal: half of the pages change less than once a week, few change all day.
_MEAN, _DEVIATION = -2.0, 2.0

Seed = Annotated[int, Option("Number that decides chance; the same one gives the same result.", metavar="N", least=0)]


def drawn_pages(
    draw: Annotated[int, Option("Draw so many pages.", metavar="N", default="pages are read from files")] = 1_000,
    *,
    recall: Annotated[
        float,
        Option(
            "Of drawn pages, the share of changes that move the lastmod, from 0 to 1.",
            default="0, without lastmods",
            kind=kinds.SHARE,
        ),
    ] = 0.0,
    precision: Annotated[
        float,
        Option(
            "Of drawn pages, the share of moves of a lastmod that go with a change, up to 1.",
            default="1",
            kind=kinds.SHARE,
        ),
    ] = 1.0,
    stamped: Annotated[
        float,
        Option(
            "The share of drawn pages whose lastmod moves every day and says nothing about changes, from 0 to 1.",
            default="0",
            kind=kinds.SHARE,
        ),
    ] = 0.0,
    seed: Seed = 1,
) -> Iterator[dict[str, object]]:
    """Draw pages to plan and to simulate: most change seldom, some all the time, and few are important.

    Rates of change are lognormal, with half of them below 0.14 a day, and the importance of a page is 1 divided by its
    number. A page is in the section `stamped` or `dated`. Lastmods of the first move every day; nobody who has compared
    them with changes believes them, so they have no recall. Those of the other move as `recall` and `precision` say.

    Args:
        draw: Draw so many pages.
        recall: Of drawn pages, the share of changes that move the lastmod, from 0 to 1.
        precision: Of drawn pages, the share of moves of a lastmod that go with a change, up to 1.
        stamped: The share of drawn pages whose lastmod moves every day and says nothing about changes, from 0 to 1.
        seed: Number that decides chance; the same one gives the same result.

    Yields:
        Pages, each with `loc`, `change_rate`, `importance`, `section`, `recall`, `precision` and `stamps`.

    Raises:
        InputError: An argument is invalid.

    Example:
        >>> import urlset
        >>> for page in urlset.drawn_pages(2, recall=0.7, precision=0.8):
        ...     print(page["loc"], f"{page['change_rate']:.2f} changes a day, importance {page['importance']}")
        https://site.example/dated/1 0.28 changes a day, importance 1.0
        https://site.example/dated/2 0.82 changes a day, importance 0.5
    """
    check_whole("draw", draw, 1)
    check_whole("seed", seed, 0)
    for name, value in (("recall", recall), ("precision", precision), ("stamped", stamped)):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= 1 or (name == "precision" and not value):
            above = "above 0, and up to 1" if name == "precision" else "from 0 to 1"
            raise InputError(f"{name} must be a share {above}, got {value!r}")
    return _drawn(draw, recall, precision, stamped, Random(f"pages {seed}"))


def _drawn(count: int, recall: float, precision: float, stamped: float, numbers: Random) -> Iterator[dict[str, object]]:
    for number in range(1, count + 1):
        is_stamped, has_signals = numbers.random() < stamped, recall > 0
        section = "stamped" if is_stamped else "dated"
        yield {
            "loc": f"https://site.example/{section}/{number}",
            "change_rate": numbers.lognormvariate(_MEAN, _DEVIATION),
            "importance": 1 / number,
            "section": section,
            "recall": recall if has_signals and not is_stamped else None,
            "precision": precision if has_signals and not is_stamped else None,
            "stamps": 1.0 if is_stamped else None,
        }


def check_whole(name: str, value: object, least: int) -> None:
    """Raise InputError for what is not a whole number from `least` up."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} must be a whole number from {least} up, got {value!r}")
