"""What the generated sites say: pages in English, some of them also in German and French.

A generator puts something else where a language is missing: the English text, or nothing.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

LANGUAGES: Final = ("en", "de", "fr")
_WORDS: Final = {
    "en": (
        ("The leaves", "A good pot", "Every garden", "This cup", "Spring water", "The old master", "A slow fire"),
        ("keeps", "changes", "tells of", "needs", "hides", "rewards", "carries"),
        ("the scent of rain", "a sweet aftertaste", "patient hands", "the colour of amber", "an early harvest"),
        ("in the morning", "after three minutes", "on the north slope", "as in the old books", "without sugar"),
    ),
    "de": (
        ("Die Blätter", "Eine gute Kanne", "Jeder Garten", "Diese Tasse", "Weiches Wasser", "Der alte Meister"),
        ("bewahrt", "verändert", "erzählt von", "braucht", "verbirgt", "belohnt", "trägt"),
        ("den Duft von Regen", "einen süßen Nachklang", "geduldige Hände", "die Farbe von Bernstein"),
        ("am Morgen", "nach drei Minuten", "am Nordhang", "wie in alten Büchern", "ohne Zucker"),
    ),
    "fr": (
        ("Les feuilles", "Une bonne théière", "Chaque jardin", "Cette tasse", "L’eau de source", "Le vieux maître"),
        ("garde", "change", "raconte", "demande", "cache", "récompense", "porte"),
        ("l’odeur de la pluie", "une fin de bouche sucrée", "des mains patientes", "la couleur de l’ambre"),
        ("le matin", "après trois minutes", "sur le versant nord", "comme autrefois", "sans sucre"),
    ),
}
#: The slug of each topic, and its titles in the languages that have it.
_TOPICS: Final = (
    ("green-tea", {"en": "Green tea", "de": "Grüner Tee", "fr": "Thé vert"}),
    ("black-tea", {"en": "Black tea", "de": "Schwarzer Tee", "fr": "Thé noir"}),
    ("white-tea", {"en": "White tea", "de": "Weißer Tee"}),
    ("oolong", {"en": "Oolong", "de": "Oolong-Tee", "fr": "Thé oolong"}),
    ("pu-erh", {"en": "Pu-erh"}),
    ("matcha", {"en": "Matcha", "fr": "Le matcha"}),
    ("water", {"en": "Water", "de": "Wasser"}),
    ("kettles", {"en": "Kettles", "de": "Wasserkocher", "fr": "Bouilloires"}),
    ("storage", {"en": "Storage"}),
    ("harvest", {"en": "The harvest", "de": "Die Ernte"}),
    ("ceremony", {"en": "The ceremony", "fr": "La cérémonie"}),
    ("questions", {"en": "Questions"}),
)
_FIRST: Final = date(2026, 1, 5)


@dataclass(frozen=True, slots=True)
class Article:
    """A page: its slug, language and title, its paragraphs, and the day of its last change."""

    slug: str
    language: str
    title: str
    paragraphs: tuple[str, ...]
    changed: date
    #: The slugs of the pages that it links to, in its language.
    links: tuple[str, ...]

    @property
    def description(self) -> str:
        """The first sentence."""
        return self.paragraphs[0].split(".")[0] + "."

    def markdown(self, link: str = "[{title}]({slug}.md)") -> str:
        """Return it as Markdown, with links in the way of a generator."""
        links = " ".join(link.format(title=slug, slug=slug) for slug in self.links)
        return f"# {self.title}\n\n" + "\n\n".join((*self.paragraphs, links)) + "\n"


def sentences(seed: str, language: str, count: int) -> str:
    """Return sentences that are those of one seed alone."""
    chance = random.Random(f"{seed} {language}")
    return " ".join(
        " ".join(chance.choice(words) for words in _WORDS[language]) + f" ({chance.randrange(10**6)})."
        for _ in range(count)
    )


def articles(language: str) -> list[Article]:
    """Return the pages in a language."""
    written = [(slug, titles[language]) for slug, titles in _TOPICS if language in titles]
    slugs = [slug for slug, _ in written]
    return [
        Article(
            slug,
            language,
            title,
            tuple(sentences(f"{slug} {part}", language, 5) for part in range(3)),
            _FIRST + timedelta(days=9 * number),
            (slugs[(number + 1) % len(slugs)], slugs[(number + 3) % len(slugs)]),
        )
        for number, (slug, title) in enumerate(written)
    ]


ALL_SLUGS: Final = tuple(slug for slug, _ in _TOPICS)
