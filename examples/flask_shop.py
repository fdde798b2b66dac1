"""A shop on Flask. Its sitemaps are published from the rows of its database, and served by the same app.

pip install flask sqlalchemy
flask --app examples/flask_shop.py run

curl -X POST 'localhost:5000/products?slug=sencha'      adds a page
flask --app examples/flask_shop.py publish-sitemaps     publishes: after a change, or every night by cron
curl localhost:5000/sitemap.xml
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import urlset
from flask import Flask, abort, request
from sqlalchemy import DateTime, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from urlset.contrib.wsgi import SitemapApp

BASE_URL = os.environ.get("BASE_URL", "https://shop.example/")
PUBLIC = Path(os.environ.get("PUBLIC", "public"))
PUBLIC.mkdir(exist_ok=True)

engine = create_engine(os.environ.get("DATABASE_URL", "sqlite:///shop.sqlite"))


class Base(DeclarativeBase):
    """The tables."""


class Product(Base):
    """A page of the shop."""

    __tablename__ = "product"
    slug: Mapped[str] = mapped_column(primary_key=True)
    updated: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=lambda: datetime.now(UTC))


Base.metadata.create_all(engine)
app = Flask(__name__)


@app.get("/products/<slug>")
def show(slug: str) -> dict[str, str]:
    """Show a product."""
    with Session(engine) as session:
        product = session.get(Product, slug)
    if product is None:
        abort(404)
    return {"slug": product.slug, "updated": product.updated.isoformat()}


@app.post("/products")
def add() -> tuple[dict[str, str], int]:
    """Add a product, or change it."""
    slug = request.args["slug"]
    with Session(engine) as session, session.begin():
        session.merge(Product(slug=slug, updated=datetime.now(UTC)))
    return {"slug": slug}, 201


# --- the sitemaps -------------------------------------------------------------------------------------------


def rows() -> Iterator[dict[str, Any]]:
    """Yield the rows of the sitemaps, a thousand from the database at a time. Their lastmods are true."""
    with Session(engine) as session:
        found = session.execute(select(Product.slug, Product.updated), execution_options={"yield_per": 1000})
        for row in found:
            # SQLite forgets the zone of a time: these are in UTC.
            yield {"loc": f"/products/{row.slug}", "lastmod": row.updated.replace(tzinfo=UTC)}


@app.cli.command("publish-sitemaps")
def publish_sitemaps() -> None:
    """Publish all products. Documents whose rows have not changed are not written again."""
    click.echo(urlset.publish(rows(), PUBLIC, base_url=BASE_URL).url)


# What is in the set is answered by it, and all else by the shop.
app.wsgi_app = SitemapApp(PUBLIC, fallback=app.wsgi_app, robots=True)  # type: ignore[method-assign]
