"""What the site has."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from django.db import models
from django.urls import reverse

#: In New York it is still the day before.
MIDNIGHT = datetime(2026, 5, 5, tzinfo=UTC)


class Product(models.Model):
    """Something that is sold."""

    slug = models.SlugField(unique=True)
    updated = models.DateTimeField(null=True)
    added = models.DateField()
    rank = models.IntegerField()
    is_hidden = models.BooleanField(default=False)

    class Meta:
        """The order is that of neither keys nor slugs."""

        ordering = ("-rank", "slug")

    def get_absolute_url(self) -> str:
        """Return its path in the language of the moment."""
        return str(reverse("product", kwargs={"slug": self.slug}))


class Note(models.Model):
    """A page whose key is a text."""

    name = models.CharField(primary_key=True, max_length=50)

    def get_absolute_url(self) -> str:
        """Return its path."""
        return f"/notes/{self.name}/"


def fill() -> None:
    """Make products and notes."""
    Product.objects.bulk_create(
        Product(
            slug=f"tea-{number}",
            updated=MIDNIGHT + timedelta(hours=number, microseconds=number % 3),
            added=date(2026, 1, 1) + timedelta(days=number),
            rank=(number * 7) % 5,
            is_hidden=number % 11 == 10,
        )
        for number in range(40)
    )
    Note.objects.bulk_create(Note(name=name) for name in ("a", "B", "ä b", "x&y", "日本"))
