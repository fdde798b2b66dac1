"""A shop on FastAPI. Its sitemaps are published from the rows of its database, and served by the same app.

    pip install fastapi uvicorn sqlalchemy aiosqlite
    uvicorn --app-dir examples fastapi_shop:app

    curl -X POST 'localhost:8000/products?slug=sencha'    adds a page, and publishes
    curl localhost:8000/sitemap.xml
    python examples/fastapi_shop.py                       publishes, as for cron

The engine is async. `urlset.publish` takes any iterable, and works in a thread: the event loop reads one batch of rows
after the other for it, so that neither the table nor a queue is ever in memory as a whole.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import urlset
from fastapi import BackgroundTasks, FastAPI, HTTPException
from sqlalchemy import DateTime, func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from urlset.contrib.asgi import SitemapApp

BASE_URL = os.environ.get("BASE_URL", "https://shop.example/")
PUBLIC = Path(os.environ.get("PUBLIC", "public"))
PUBLIC.mkdir(exist_ok=True)

engine = create_async_engine(os.environ.get("DATABASE_URL", "sqlite+aiosqlite:///shop.sqlite"))
session = async_sessionmaker(engine, expire_on_commit=False)
publishing = asyncio.Lock()


class Base(DeclarativeBase):
    """The tables."""


class Product(Base):
    """A page of the shop."""

    __tablename__ = "product"
    slug: Mapped[str] = mapped_column(primary_key=True)
    updated: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=lambda: datetime.now(UTC))


# --- the sitemaps -------------------------------------------------------------------------------------------


async def batches(open_session: AsyncSession) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield the rows of the sitemaps. The database has the time of the change, so the lastmods are true."""
    found = await open_session.stream(select(Product.slug, Product.updated), execution_options={"yield_per": 1000})
    async for batch in found.partitions():
        # SQLite forgets the zone of a time: these are in UTC.
        yield [{"loc": f"/products/{row.slug}", "lastmod": row.updated.replace(tzinfo=UTC)} for row in batch]


async def publish_sitemaps() -> urlset.Publication:
    """Publish all products. Documents whose rows have not changed are not written again."""
    loop = asyncio.get_running_loop()

    async with publishing, session() as open_session:
        found = batches(open_session)

        async def following() -> list[dict[str, Any]] | None:
            return await anext(found, None)

        def rows() -> Iterator[dict[str, Any]]:
            while (batch := asyncio.run_coroutine_threadsafe(following(), loop).result()) is not None:
                yield from batch

        return await asyncio.to_thread(urlset.publish, rows(), PUBLIC, base_url=BASE_URL)


# --- the shop -----------------------------------------------------------------------------------------------


async def make_tables() -> None:
    """Make the tables that are missing."""
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Make the tables before the first request."""
    await make_tables()
    yield
    await engine.dispose()


app = FastAPI(lifespan=lifespan)


@app.get("/products/{slug}")
async def show(slug: str) -> dict[str, str]:
    """Show a product."""
    async with session() as open_session:
        product = await open_session.get(Product, slug)
    if product is None:
        raise HTTPException(404)
    return {"slug": product.slug, "updated": product.updated.isoformat()}


@app.post("/products", status_code=201)
async def add(slug: str, tasks: BackgroundTasks) -> dict[str, int]:
    """Add a product, or change it. Its sitemap follows once this is answered."""
    async with session.begin() as open_session:
        await open_session.merge(Product(slug=slug, updated=datetime.now(UTC)))
    async with session() as open_session:
        count = await open_session.scalar(select(func.count()).select_from(Product))
    tasks.add_task(publish_sitemaps)
    return {"products": count or 0}


# The last of the routes, because it takes what no other one did.
app.mount("/", SitemapApp(PUBLIC, robots=True))


async def main() -> None:
    """Publish from a command line."""
    await make_tables()
    published = await publish_sitemaps()
    await engine.dispose()
    print(published.url)


if __name__ == "__main__":
    asyncio.run(main())
