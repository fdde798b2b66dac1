"""`urlset publish`: rows to a set of sitemaps."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, fields, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any, BinaryIO

import typer
from rich.filesize import decimal
from rich.text import Text

import urlset
from urlset import EntryError, InputError, Publication
from urlset._cli import plan as plan_view
from urlset._cli import publish_options as options
from urlset._cli.arguments import pairs, store_options
from urlset._cli.console import FINDINGS, note, out
from urlset._cli.errors import refusal, row
from urlset._cli.progress import progress
from urlset._config.open import STDIN, Listeners, Site, opened
from urlset._config.publish_settings import PublishSettings, check_columns, check_lastmod_from
from urlset._config.settings import find, load
from urlset._model.errors import GuardError
from urlset._model.plan import Plan
from urlset._publish.api import rollback
from urlset._util.text import escape_controls, plural, tally

SHOWN = 10
"""Refused rows that a summary lists."""


def publish(
    ctx: typer.Context,
    rows: options.Rows = None,
    *,
    to: options.To = None,
    base_url: options.BaseUrl = None,
    form: options.Form = None,
    set_: options.Set = None,
    database: options.Database = None,
    database_env: options.DatabaseEnv = None,
    query: options.Query = None,
    columns: options.Columns = None,
    lastmod_from: options.LastmodFrom = None,
    files: options.Files = None,
    name: options.Name = None,
    html: options.Html = None,
    html_url: options.HtmlUrl = None,
    index_pages: options.IndexPages = None,
    trailing_slash: options.TrailingSlash = None,
    alternates: options.Alternates = None,
    images: options.Images = None,
    robots_txt: options.RobotsTxt = None,
    mask: options.Mask = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    shard_by: options.ShardBy = None,
    scope: options.Scope = None,
    x_default: options.XDefault = None,
    recent: options.Recent = None,
    news: options.News = None,
    removed: options.Removed = None,
    compression: options.Compression = None,
    pretty: options.Pretty = None,
    stylesheet: options.Stylesheet = None,
    robots: options.Robots = None,
    store: options.Store = None,
    headers: options.Headers = None,
    allow: options.Allow = None,
    on_error: options.OnError = None,
    rejects: options.Rejects = None,
    memory: options.Memory = None,
    dry_run: options.DryRun = False,
    plan_out: options.PlanOut = None,
    as_json: options.AsJson = False,
    roll_back: options.RollBack = False,
    config: options.Config = None,
    isolated: options.Isolated = False,
) -> None:
    """Publish rows as sitemaps: one document, or an index and its shards.

    Columns are told by name: loc, and if there lastmod, changefreq,
    priority, images, videos, alternates and news, the last four nested or
    JSON text; --column says which others they are. An empty cell is absent.
    A loc may be relative to the base URL.

    What no option says, the table `publish` of urlset.toml says, which
    `urlset init` writes.

    \b
    Examples:
      urlset publish             as urlset.toml says
      urlset publish --dry-run   what that would do
      urlset publish rows.csv --to public --base-url https://example.com/
      urlset publish shop.parquet --column loc=url --shard-by key:brand \\
        --to s3://bucket/sitemaps --base-url https://example.com/
      urlset publish --html dist --to dist --base-url https://example.com/
      urlset publish --database-env DATABASE_URL \\
        --query "select loc, lastmod from pages" --rejects refused.jsonl \\
        --to public --base-url https://example.com/
      urlset publish --rollback --to public

    \b
    Exit codes:
      0  published, or planned
      1  published, but some rows were refused; or a guard refused: then
         nothing was published
      2  not published
    """
    settings = _settings(ctx.params, config, isolated=isolated)
    if roll_back:
        if rows:
            raise typer.BadParameter("it reads no rows: leave ROWS out", param_hint="--rollback")
        _roll_back(settings, as_json=as_json)
        return
    with ExitStack() as stack:
        # Opened first: a set should not be published whose refusals cannot be told.
        sink = None if settings.rejects is None else stack.enter_context(settings.rejects.open("w", encoding="utf-8"))
        planned = None if plan_out is None else stack.enter_context(_made(plan_out))
        site = stack.enter_context(_site(settings, sink))
        publication, plan, first = _published(site, sink, dry_run=dry_run)
        if planned is not None:
            planned.write(json.dumps(plan.as_dict(), ensure_ascii=False, indent=2) + "\n")
        if publication is None:
            _tell_blocked(plan, first, site, as_json=as_json)
        else:
            _tell(publication, plan, site, dry_run=dry_run, as_json=as_json)
    refused = [guard for guard in plan.guards if not guard.is_allowed]
    for guard in refused:
        note(
            f"{'would not be' if dry_run else 'not'} published: {guard.reason}; if that is meant: --allow {guard.name}"
        )
    if refused or (publication is not None and publication.refused):
        raise typer.Exit(FINDINGS)


def _settings(params: Mapping[str, Any], config: Path | None, *, isolated: bool) -> PublishSettings:
    """What the configuration says, with the options over it."""
    path = None if isolated else config or find(Path.cwd())
    said = PublishSettings() if path is None else load(path).publish
    flags = _flags(params)
    settings = said.over(flags)
    if settings.rejects is None:
        return settings
    if settings.on_error == "raise":
        # Of an option and a key, the option is meant.
        if ("on_error" in flags) == ("rejects" in flags):
            raise typer.BadParameter(
                "it lists what `collect` leaves out: `raise` leaves out nothing", param_hint="--rejects"
            )
        if "on_error" in flags:
            return replace(settings, rejects=None)
    return replace(settings, on_error="collect")


def _flags(params: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, by the field that each is called after, and as that has it."""
    known = {field.name for field in fields(PublishSettings)}
    given = {name.rstrip("_"): value for name, value in params.items() if value is not None and value not in ((), [])}
    flags: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in given.items() if name in known
    }
    if "columns" in flags:
        flags["columns"] = pairs(flags["columns"], "--column")
    check_columns(flags.get("columns", {}))
    check_lastmod_from(flags.get("lastmod_from", ()))
    if "store" in flags:
        flags["store"] = store_options(flags["store"])
    if "headers" in flags:
        flags["headers"] = _headers(flags["headers"])
    return flags


def _headers(options: Sequence[str]) -> dict[str, dict[str, str]]:
    """`GLOB:NAME=VALUE` options: headers by name, by glob."""
    found: dict[str, dict[str, str]] = {}
    for option in options:
        glob, colon, header = option.partition(":")
        if not (glob and colon):
            raise typer.BadParameter(f"{option!r} is not GLOB:NAME=VALUE", param_hint="--header")
        found.setdefault(glob, {}).update(pairs([header], "--header"))
    return found


@contextmanager
def _site(settings: PublishSettings, sink: IO[str] | None) -> Iterator[Site]:
    """The rows, opened. Pages that are left out go to the rejects too: nothing is dropped without a line."""

    def skip(file: str, reason: str, detail: str) -> None:
        _write(sink, {"file": file, "code": reason, "reason": detail})

    stdin = _stdin() if STDIN in (settings.rows or ()) else None
    with opened(settings, Listeners(note, skip), environment=os.environ, stdin=stdin) as site:
        yield site


@contextmanager
def _made(path: Path) -> Iterator[IO[str]]:
    """A file to write; none is better than an empty one, where nothing comes of it."""
    with path.open("w", encoding="utf-8") as file:
        try:
            yield file
        except BaseException:
            path.unlink()
            raise


def _stdin() -> BinaryIO:
    # Unbuffered: a read returns what there is, and holds no lock while it waits.
    stdin = io.FileIO(sys.stdin.fileno(), closefd=False)
    stdin.name = "standard input"
    return stdin


def _published(
    site: Site, sink: IO[str] | None, *, dry_run: bool
) -> tuple[Publication | None, Plan, Sequence[EntryError]]:
    """What came of it, by which plan, and the first refused rows; no publication where a guard refused the plan."""
    seen = 0
    first: list[EntryError] = []

    def count(entries: int) -> None:
        nonlocal seen
        seen = entries

    def refuse(error: EntryError) -> None:
        _write(sink, _refusal(error))
        if len(first) < SHOWN:
            first.append(error)

    try:
        with progress(lambda: plural(seen, "entry", "entries")):
            publication = urlset.publish(
                site.entries,
                site.dest,
                **site.options,
                dry_run=dry_run,
                progress=count,
                on_refusal=refuse,
            )
    except GuardError as error:
        return None, error.plan, first
    return publication, publication.plan, first


def _roll_back(settings: PublishSettings, *, as_json: bool) -> None:
    if settings.to is None:
        raise InputError("to is missing, an option or a key of urlset.toml: where the set is put")
    memory = {} if settings.memory is None else {"memory": settings.memory}
    names = rollback(settings.to, store=settings.store_options, **memory)
    if as_json:
        typer.echo(json.dumps({"in_force": list(names)}, ensure_ascii=False, indent=2))
    else:
        _print(f"The set before is in force again: {plural(len(names), 'shard')}. Once more undoes it")


def _write(sink: IO[str] | None, line: Mapping[str, Any]) -> None:
    if sink is not None:
        sink.write(json.dumps(line, ensure_ascii=False) + "\n")


def _refusal(error: EntryError) -> dict[str, Any]:
    of = {"section": error.section} if error.section else {}
    return of | {"row": error.index + 1, "code": error.code, "loc": error.loc, "reason": error.reason}


def _tell_blocked(plan: Plan, first: Sequence[EntryError], site: Site, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"left_out": site.left_out, "plan": plan.as_dict()}, ensure_ascii=False, indent=2))
        return
    for line in plan_view.lines(plan, site.left_out):
        out.print(line, soft_wrap=True)
    for error in first:
        note(f"{row(error)}: {refusal(error)}")


def _tell(publication: Publication, plan: Plan, site: Site, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        summary = {"dry_run": dry_run} | _summary(publication) | {"left_out": site.left_out, "plan": plan.as_dict()}
        typer.echo(json.dumps(summary, ensure_ascii=False, indent=2))
        return
    for line in plan_view.lines(plan, site.left_out):
        out.print(line, soft_wrap=True)
    if publication.refused:
        _print(f"Refused {plural(publication.refused, 'row')}: {tally(publication.refused_by_code)}")
        for error in publication.refusals[:SHOWN]:
            _print(f"  {row(error)}: {refusal(error)}")
        if publication.refused > SHOWN:
            _print(f"  and {publication.refused - SHOWN:,} more: --rejects FILE lists them")
    if dry_run:
        _print("Nothing was written: this is the plan")
        return
    shards = publication.shards
    entries = plural(publication.entries, "entry", "entries")
    plain, stored = sum(shard.bytes for shard in shards), sum(shard.size for shard in shards)
    _print(f"Published {entries} in {plural(len(shards), 'shard')}: {', '.join(publication.urls)}")
    _print(f"  {decimal(plain)} of XML, {decimal(stored)} stored")
    _print(
        f"  files: {len(publication.written):,} written, {len(publication.unchanged):,} unchanged, "
        f"{len(publication.removed):,} removed"
    )


def _print(line: str) -> None:
    out.print(Text(escape_controls(line)), soft_wrap=True)


def _summary(publication: Publication) -> dict[str, Any]:
    return {
        "location": publication.location,
        "url": publication.url,
        "urls": list(publication.urls),
        "entries": publication.entries,
        "bytes": sum(shard.bytes for shard in publication.shards),
        "size": sum(shard.size for shard in publication.shards),
        "shards": [asdict(shard) | {"lastmod": _moment(shard.lastmod)} for shard in publication.shards],
        "written": list(publication.written),
        "unchanged": list(publication.unchanged),
        "removed": list(publication.removed),
        "refused": publication.refused,
        "refused_by_code": publication.refused_by_code,
        "refusals": [_refusal(error) for error in publication.refusals[:SHOWN]],
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
