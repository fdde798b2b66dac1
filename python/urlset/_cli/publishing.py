"""What `urlset publish` does once its options are known."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import click
from rich.filesize import decimal

import urlset
from urlset import EntryError, InputError, Publication
from urlset._cli import plan as plan_view
from urlset._cli.arguments import standard_input
from urlset._cli.console import FINDINGS, is_quiet, note, remark, show, show_json
from urlset._cli.errors import refusal, row
from urlset._cli.options import TextOrJson, configured, given
from urlset._cli.progress import counting
from urlset._config.publish_settings import MISSING_DESTINATION, PublishSettings
from urlset._config.sections import with_given
from urlset._config.site import STDIN, Listeners, Site, opened
from urlset._model.errors import GuardError
from urlset._model.plan import Plan
from urlset._output.json_text import dumps
from urlset._publish.api import rollback
from urlset._publish.commit.publication import SHOWN
from urlset._util.text import plural, tally


def run(
    rows: Sequence[str] | None,
    options: Mapping[str, Any],
    *,
    plan_out: Path | None,
    shown_as: TextOrJson,
    roll_back: bool,
    config: Path | None,
    isolated: bool,
) -> None:
    """Publish, and show what was done.

    Args:
        rows: The files of rows, if the command line names any.
        options: The options that the settings and the function declare.
        plan_out: File for the plan.
        shown_as: How the result is shown.
        roll_back: Restore the previous set instead.
        config: The configuration file; the nearest one if None.
        isolated: Ignore configuration files.
    """
    as_json, dry_run = shown_as == "json", bool(options["dry_run"])
    stated = given(PublishSettings, options) | ({"rows": tuple(rows)} if rows else {})
    file = configured(config, isolated=isolated)
    settings = _settings(PublishSettings() if file is None else file.publish, stated)
    if roll_back:
        if rows:
            raise click.BadParameter("leave out ROWS: a rollback reads no rows", param_hint="--rollback")
        _roll_back(settings, as_json=as_json)
        return
    with ExitStack() as stack:
        # Opened first: no set should be published whose refused rows cannot be written down.
        sink = None if settings.rejects is None else stack.enter_context(settings.rejects.open("w", encoding="utf-8"))
        plan_file = None if plan_out is None else stack.enter_context(_made(plan_out))
        site = stack.enter_context(_site(settings, sink))
        publication, plan, first = _published(site, sink, dry_run=dry_run)
        if plan_file is not None:
            plan_file.write(dumps(plan.as_dict(), indent=2) + "\n")
        if publication is None:
            _show_blocked(plan, first, site, as_json=as_json)
        else:
            _show(publication, plan, site, dry_run=dry_run, as_json=as_json)
    stopping = [guard for guard in plan.guards if not guard.is_allowed]
    for hint in site.hints:
        (note if stopping else remark)(hint)
    for guard in stopping:
        verb = "would not be published" if dry_run else "not published"
        note(f"{verb}: {guard.reason}; if that is intended, pass --allow {guard.name}")
    if stopping or (publication is not None and publication.refused):
        raise click.exceptions.Exit(FINDINGS)


def _settings(configured: PublishSettings, options: Mapping[str, Any]) -> PublishSettings:
    """Return the settings of the file with the options in their place; `rejects` implies `on_error`."""
    settings = with_given(configured, options)
    if settings.rejects is None:
        return settings
    if settings.on_error == "raise":
        if ("on_error" in options) == ("rejects" in options):
            raise click.BadParameter(
                "it lists the rows that --on-error collect leaves out, but --on-error is raise", param_hint="--rejects"
            )
        # If one is an option and the other one a key, the option is meant.
        if "on_error" in options:
            return replace(settings, rejects=None)
    return replace(settings, on_error="collect")


@contextmanager
def _site(settings: PublishSettings, sink: IO[str] | None) -> Iterator[Site]:
    """Open the site. HTML pages that are left out are written to the rejects too: nothing is dropped silently."""

    def skip(file: str, reason: str, detail: str) -> None:
        page = {"section": None, "file": file, "line": None, "row": None, "code": reason, "loc": None, "reason": detail}
        _write(sink, {"left_out": "page"} | page)

    stdin = standard_input("standard input") if STDIN in (settings.rows or ()) else None
    with opened(settings, Listeners(remark, skip), environment=os.environ, stdin=stdin) as site:
        yield site


@contextmanager
def _made(path: Path) -> Iterator[IO[str]]:
    """Open a file for writing, and remove it if the block fails: no file is better than an empty one."""
    with path.open("w", encoding="utf-8") as file:
        try:
            yield file
        except BaseException:
            path.unlink()
            raise


def _published(
    site: Site, sink: IO[str] | None, *, dry_run: bool
) -> tuple[Publication | None, Plan, Sequence[EntryError]]:
    """Publish. Return the publication, or None if a guard stopped it, with the plan and the first refused rows."""
    first: list[EntryError] = []

    def correct(error: EntryError) -> None:
        _write(sink, {"left_out": "value"} | error.as_dict())

    def refuse(error: EntryError) -> None:
        _write(sink, {"left_out": "row"} | error.as_dict())
        if len(first) < SHOWN:
            first.append(error)

    try:
        with counting() as count:
            publication = urlset.publish(
                site.entries,
                site.dest,
                **site.options,
                dry_run=dry_run,
                progress=count,
                on_refusal=refuse,
                on_corrected=correct,
            )
    except GuardError as error:
        return None, error.plan, first
    return publication, publication.plan, first


def _roll_back(settings: PublishSettings, *, as_json: bool) -> None:
    if settings.dest is None:
        raise InputError(MISSING_DESTINATION)
    memory = {} if settings.memory is None else {"memory": settings.memory}
    names = rollback(settings.dest, store=settings.store_options, **memory)
    if as_json:
        show_json({"current": names})
    else:
        show(f"Restored the previous set: {plural(len(names), 'shard')}. A second rollback undoes this")


def _write(sink: IO[str] | None, line: Mapping[str, Any]) -> None:
    if sink is not None:
        sink.write(dumps(line) + "\n")


def _show_blocked(plan: Plan, first: Sequence[EntryError], site: Site, *, as_json: bool) -> None:
    if as_json:
        refusals = [error.as_dict() for error in first]
        show_json({"dry_run": False, "refusals": refusals} | _of_site(site) | {"plan": plan.as_dict()})
        return
    for line in plan_view.lines(plan, site.left_out):
        show(line)
    for error in first:
        note(f"{row(error)}: {refusal(error)}")


def _show(publication: Publication, plan: Plan, site: Site, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        show_json({"dry_run": dry_run} | _of_site(site) | publication.as_dict())
        return
    for line in plan_view.lines(plan, site.left_out):
        show(line)
    if publication.refused:
        # A refused row is an error, which --quiet does not hide.
        tell = note if is_quiet() else show
        tell(f"Refused {plural(publication.refused, 'row')}: {tally(publication.refused_by_code)}")
        for error in publication.refusals[:SHOWN]:
            tell(f"  {row(error)}: {refusal(error)}")
        if publication.refused > SHOWN:
            tell(f"  and {publication.refused - SHOWN:,} more; --rejects FILE writes all of them to a file")
    if publication.corrected:
        values = plural(publication.corrected, "invalid value")
        show(f"Corrected {values}: {tally(publication.corrected_by_code)}")
        for error in publication.corrections[:SHOWN]:
            show(f"  {row(error)}: {refusal(error)}")
        if publication.corrected > SHOWN:
            show(f"  and {publication.corrected - SHOWN:,} more; --rejects FILE writes all of them to a file")
    if dry_run:
        show("Nothing was written: this was a dry run")
        return
    shards = publication.shards
    entries = plural(publication.entries, "entry", "entries")
    plain, stored = sum(shard.bytes for shard in shards), sum(shard.size for shard in shards)
    show(f"Published {entries} in {plural(len(shards), 'shard')}: {', '.join(publication.urls)}")
    show(f"  {decimal(plain)} of XML, {decimal(stored)} stored")
    show(
        f"  files: {len(publication.written):,} written, {len(publication.unchanged):,} unchanged, "
        f"{len(publication.removed):,} removed"
    )


def _of_site(site: Site) -> dict[str, Any]:
    return {"left_out": site.left_out, "hints": site.hints}
