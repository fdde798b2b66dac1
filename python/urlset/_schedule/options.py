"""Options of whoever plans with a budget, each declared once as a type."""

from __future__ import annotations

from typing import Annotated

from urlset._options import kinds
from urlset._options.option import Option

BudgetAmount = Annotated[
    float | str,
    Option(
        "What may be spent: fetches per day, or a text such as 10000/day, 5/second or 20GB/day.",
        kind=kinds.STRING,
        metavar="AMOUNT",
    ),
]
HostBudget = Annotated[
    float | str | None,
    Option(
        "What each host may be asked at most, as a budget: 1/second for a crawl-delay of one second.",
        "It goes for each host of which no page has a `host_budget` of its own.",
        kind=kinds.STRING,
        metavar="AMOUNT",
    ),
]
ImportanceColumn = Annotated[str, Option("Column of the importance, such as priority or inlinks.", metavar="COLUMN")]
