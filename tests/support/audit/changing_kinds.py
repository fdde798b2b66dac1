"""The kinds of pages of a simulated site: what changes on them, what only seems to, and what the sitemap says.

A page changes at moments that its model draws. Each kind says how a change shows in the markup, what else the markup
has that is another at each fetch or each day, and which lastmod the sitemap states. None of it is code of the package.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

DAY: Final = timedelta(days=1)
_WORDS: Final = (
    *("leaf", "cup", "water", "spring", "field", "steam", "kettle", "morning", "harvest", "mountain", "river"),
    *("village", "stone", "garden", "winter", "cloud", "paper", "market", "bridge", "window", "lantern", "copper"),
    *("barrel", "orchard", "meadow", "harbour", "saffron", "ginger", "walnut", "thistle", "the", "of", "a", "in"),
)
#: The names of months, and of days.
_GERMAN: Final = (
    ("Januar", "Februar", "März", "April", "Mai", "Juni"),
    ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
)
_FRENCH: Final = (
    ("janvier", "février", "mars", "avril", "mai", "juin"),
    ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
)


@dataclass(frozen=True, slots=True)
class View:
    """A page at one fetch: its name, how often it has changed, the time, and how many fetches of it came before."""

    page: str
    version: int
    now: datetime
    fetch: int

    def words(self, number: int, *what: object) -> str:
        """Return words that are the same for the same page and the same further values."""
        chance = random.Random(f"{self.page} {what}")
        return " ".join(chance.choice(_WORDS) for _ in range(number))


Markup = Callable[[View], str]
#: From the moments of the changes so far, those to come, and the time, to the text of the lastmod.
Lastmod = Callable[[Sequence[datetime], Sequence[datetime], datetime], str | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """How a change shows, what else is another at each fetch, and what the sitemap says.

    Attributes:
        change: Markup that is another for each version.
        noise: Markup that is another at each fetch, or each day.
        lastmod: What the sitemap states.
        lies: Whether its ETag is the same for good, and each conditional request is answered with 304.
        is_unclear: Whether nobody can tell what rotates from what the page says: most pairs of looks are not judged.
        late: How much later than a change the lastmod moves; None if it does at once, or is not known to.
    """

    change: Markup
    lastmod: Lastmod
    noise: Markup = lambda view: ""
    lies: bool = False
    is_unclear: bool = False
    late: timedelta | None = None


def _text(view: View) -> str:
    return f"<p>{view.words(40, view.version).capitalize()}.</p>"


def _steady(view: View) -> str:
    return f"<p>{view.words(40).capitalize()}.</p>"


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _honest(past: Sequence[datetime], to_come: Sequence[datetime], now: datetime) -> str:
    return _iso(past[-1])


def _shifted(late: timedelta) -> Lastmod:
    """The lastmod moves so much later than the page, or earlier."""

    def lastmod(past: Sequence[datetime], to_come: Sequence[datetime], now: datetime) -> str:
        moved = [each + late for each in (*past, *to_come) if each + late <= now]
        return _iso(moved[-1] if moved else past[0] - 30 * DAY)

    return lastmod


def _in_zone(hours: int, *, is_date: bool) -> Lastmod:
    zone = timezone(timedelta(hours=hours))
    return lambda past, to_come, now: (
        past[-1].astimezone(zone).date().isoformat() if is_date else _iso(past[-1].astimezone(zone))
    )


def _half_told(past: Sequence[datetime], to_come: Sequence[datetime], now: datetime) -> str:
    told = [each for each in past[1:] if random.Random(_iso(each)).random() < 0.6]
    return _iso(told[-1] if told else past[0])


def _date(view: View, names: tuple[tuple[str, ...], tuple[str, ...]], form: str) -> str:
    months, days = names
    return form.format(day=days[view.now.weekday()], number=view.now.day, month=months[view.now.month - 1],
                       year=view.now.year)  # fmt: skip


def _picked(view: View, *what: object) -> str:
    return view.words(2, view.fetch, *what)


def _related(view: View) -> str:
    links = "".join(
        f"<li><a href='/{_picked(view, at).replace(' ', '-')}'>{_picked(view, at)}</a></li>" for at in range(4)
    )
    return f"<h2>You may like</h2><ul>{links}</ul>"


def _related_of_the_day(view: View) -> str:
    return _related(View(view.page, view.version, view.now, view.now.toordinal()))


def _nonces(view: View) -> str:
    nonce = f"{random.Random(f'{view.page} {view.fetch}').getrandbits(48):012x}"
    return (
        f"<form action='/buy?key={nonce}'><input type=hidden name=k value={nonce}><a href='/cart?s={nonce}'>Basket</a>"
        f"</form><img src='/pixel?{nonce}' alt=''><p data-key='{nonce}'>Reference {nonce}</p>"
    )


def _counter(view: View) -> str:
    return f"<p>{1_200 + 7 * view.fetch + len(view.page):,} visitors were here.</p><p>Viewed {3 + view.fetch} times</p>"


#: Each kind by the folder of its pages.
KINDS: Final[Mapping[str, Kind]] = {
    "honest": Kind(_text, _honest),
    "stamped": Kind(_text, lambda past, to_come, now: now.date().isoformat()),
    "behind": Kind(_text, _shifted(DAY), late=DAY),
    "ahead": Kind(_text, _shifted(-DAY), late=-DAY),
    "zones": Kind(_text, _in_zone(9, is_date=False)),
    "dates": Kind(_text, _in_zone(0, is_date=True)),
    "west": Kind(_text, _in_zone(-8, is_date=True)),
    "missing": Kind(_text, lambda past, to_come, now: None),
    "silent": Kind(_text, lambda past, to_come, now: "2025-01-01"),
    "half": Kind(_text, _half_told),
    "lying": Kind(_text, _honest, lies=True),
    "ads": Kind(_text, _honest, lambda view: f"<div class=ad><a href='/go/{view.fetch}'>{_picked(view)}</a></div>"),
    "plain-ads": Kind(_text, _honest, lambda view: f"<div><b>{_picked(view)}</b> for {9 + view.fetch % 7} euros</div>"),
    "loose-ads": Kind(_text, _honest, lambda view: f"<p>{_picked(view)}</p>", is_unclear=True),
    "counters": Kind(_text, _honest, _counter),
    "related": Kind(_text, _honest, _related),
    "daily": Kind(_text, lambda past, to_come, now: now.date().isoformat(), _related_of_the_day),
    "nonces": Kind(_text, _honest, _nonces),
    "german": Kind(
        _text, _honest, lambda view: f"<p>Heute ist {_date(view, _GERMAN, '{day}, der {number}. {month} {year}')}.</p>"
    ),
    "french": Kind(
        _text, _honest, lambda view: f"<p>{_date(view, _FRENCH, '{day} {number} {month} {year}').capitalize()}</p>"
    ),
    "prices": Kind(lambda view: f"<p>Now for {9 + view.version},50 € only</p>{_steady(view)}", _honest),
    "attributes": Kind(
        lambda view: f"<img src=/cup.png alt='{view.words(3, view.version)}'>{_steady(view)}", _honest
    ),
    "images": Kind(lambda view: f"<img src=/cup-{view.version}.png alt=Cup>{_steady(view)}", _honest),
    "links": Kind(
        lambda view: f"<p>See <a href='/{view.words(1, view.version)}-{view.version}'>more</a>.</p>{_steady(view)}",
        _honest,
    ),
    "data": Kind(
        lambda view: "<script type='application/ld+json'>{\"@type\": \"Product\", \"offers\": {\"price\":"
        f' "{9 + view.version}.50"}}, "dateModified": "{_iso(view.now)}"}}</script>{_steady(view)}',
        _honest,
    ),
}  # fmt: skip


def markup(kind: Kind, view: View) -> str:
    """Return a page, with a sidebar and a footer that are others each day."""
    return (
        f"<!doctype html><html lang=en><title>{view.words(3)}</title><nav><a href=/>Home</a></nav><main>"
        f"<h1>{view.words(3)}</h1><p>{view.words(30, 'first').capitalize()}.</p>{kind.noise(view)}{kind.change(view)}"
        f"</main><aside>News of {view.now:%d.%m.}: {view.words(3, view.now.date())}</aside>"
        f"<footer>Built {view.now:%Y-%m-%d}</footer></html>"
    )


#: The first moment of the simulated site.
START: Final = datetime(2026, 3, 1, 8, tzinfo=UTC)
