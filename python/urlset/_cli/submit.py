"""`urlset submit`: tell search engines by IndexNow what changed in a published set."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from urlset import InputError
from urlset._cli.arguments import chosen, store_options
from urlset._cli.console import FINDINGS, out
from urlset._cli.progress import progress
from urlset._config.publish_settings import IndexNowSettings, PublishSettings
from urlset._config.settings import find, load
from urlset._indexnow.api import ENDPOINT, PAGES_PER_POST, Submission
from urlset._indexnow.api import submit as submitted
from urlset._util.text import escape_controls, plural

KEY_ENV = "URLSET_INDEXNOW_KEY"


def submit(
    place: Annotated[
        str | None,
        typer.Argument(
            metavar="PLACE",
            help="Where `urlset publish` has put the set: a folder, or s3://, gs://, az://; without it, `to` of "
            "urlset.toml.",
        ),
    ] = None,
    *,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            envvar=KEY_ENV,
            show_default=False,
            help="The site's IndexNow key, which https://HOST/KEY.txt says too. Other users of this machine see what "
            "is given as an option, and not what is given in the environment.",
        ),
    ] = None,
    key_location: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the key file is instead; then it covers the folder it lies in."),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="The engine to tell; it passes on what it is told to all others.", show_default=ENDPOINT
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also tell of pages that were there before the first submit.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ask nobody; print what would be told.")] = False,
    batch: Annotated[int, typer.Option(metavar="N", help="Pages in a post.")] = PAGES_PER_POST,
    retries: Annotated[int, typer.Option(metavar="N", help="Attempts after the first, for each request.")] = 5,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="What one request may take.")] = 30.0,
    allow_http: Annotated[
        bool, typer.Option("--allow-http", help="Let the key go over http, to a server of your own.")
    ] = False,
    store: Annotated[
        list[str] | None,
        typer.Option("--store-option", metavar="KEY=VALUE", help="Of an object store: endpoint, region."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The urlset.toml or pyproject.toml that holds.", show_default="the nearest"),
    ] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help="Look at no configuration.")] = False,
) -> None:
    """Tell search engines by IndexNow which pages changed since they were last told.

    What they were told is kept in PLACE/.urlset/indexnow.parquet. Run it after each publish, once that is
    live: deleted pages are told as well. The first time nothing is told but what the last publish
    changed. Google does not take part.

    \b
    Examples:
      urlset submit public --key 0123456789abcdef --dry-run
      URLSET_INDEXNOW_KEY=0123456789abcdef urlset submit public
      urlset submit public --key-location https://example.com/shop/key.txt

    \b
    Exit codes:
      0  told, or there was nothing to tell
      1  told, but some pages were left out: another host, or not covered by the key
      2  not told, or not all of it: the next submit goes on there
    """
    site = _configured(config, isolated=isolated)
    said = site.indexnow or IndexNowSettings()
    options = {**((site.store_options or {}) if place is None else {}), **store_options(store or ())}
    place = site.to if place is None else place
    key = key or os.environ.get(said.key_env or KEY_ENV)
    if place is None or not key:
        raise InputError(
            "PLACE is missing, and urlset.toml has no `to`"
            if place is None
            else f"the key is missing: --key, or {said.key_env or KEY_ENV} in the environment"
        )
    told = 0

    def count(pages: int) -> None:
        nonlocal told
        told = pages

    with progress(lambda: f"{plural(told, 'page')} told"):
        submission = submitted(
            place,
            key=key,
            key_location=chosen(key_location, said.key_location, None),
            endpoint=chosen(endpoint, said.endpoint, ENDPOINT),
            everything=everything,
            dry_run=dry_run,
            batch=batch,
            retries=retries,
            timeout=timeout,
            progress=count,
            allow_http=allow_http,
            store=options,
        )
    if as_json:
        typer.echo(json.dumps(_summary(submission), ensure_ascii=False, indent=2))
    else:
        for line in _lines(submission):
            out.print(Text(escape_controls(line)), soft_wrap=True)
    if submission.other_host or submission.outside:
        raise typer.Exit(FINDINGS)


def _configured(config: Path | None, *, isolated: bool) -> PublishSettings:
    path = None if isolated else config or find(Path.cwd())
    return PublishSettings() if path is None else load(path).publish


def _summary(submission: Submission) -> dict[str, object]:
    first = [{"change": change, "loc": loc} for change, loc in submission.first]
    return asdict(submission) | {"first": first}


def _lines(submission: Submission) -> list[str]:
    """The summary for a person."""
    lines = []
    pages = submission.added + submission.changed + submission.removed
    if pages:
        verb = "Would tell" if submission.dry_run else "Told"
        posts = plural(submission.batches, "post")
        lines += [
            f"{verb} {submission.endpoint} of {plural(pages, 'page')} of {submission.host} in {posts}",
            f"  {submission.added:,} added, {submission.changed:,} changed, {submission.removed:,} removed",
        ]
    elif submission.baseline == "ledger":
        lines.append("Nothing to tell: no page has changed since engines were last told")
    if submission.accepted:
        lines.append(f"  {plural(submission.accepted, 'page')} accepted with the key check pending (202)")
    if submission.dry_run:
        lines += [f"  {change} {loc}" for change, loc in submission.first]
        if pages > len(submission.first):
            lines.append(f"  and {pages - len(submission.first):,} more")
    if submission.baseline != "ledger":
        lines += _beginning(submission, pages)
    if submission.other_host:
        lines.append(f"Left out {plural(submission.other_host, 'page')} of another host than {submission.host}")
    if submission.outside:
        lines.append(f"Left out {plural(submission.outside, 'page')} outside of the folder of the key file")
    return lines


def _beginning(submission: Submission, pages: int) -> list[str]:
    """What the first submit of a folder is measured by."""
    begins = "The ledger would begin" if submission.dry_run else "The ledger begins"
    if submission.baseline == "previous":
        return [f"{begins} with this call, from what was there before the last publish"]
    if pages:
        return [f"{begins} with this call"]
    known = plural(submission.booked, "page")
    return [
        f"{begins} with this call, as what is published now ({known}), and nothing is told: "
        "IndexNow is for changes. --everything tells of all that is there"
    ]
