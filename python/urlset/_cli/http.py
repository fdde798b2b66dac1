"""Options of the verbs that read URLs: how documents are fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.filesize import decimal

from urlset import Hosts, Http, Savings
from urlset._cli.console import remark
from urlset._cli.groups import option_group
from urlset._util.text import plural

OVER_HTTP = "Over HTTP"
_DEFAULTS = Http()


def _options(
    *,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header",
            "-H",
            metavar="HEADER",
            help="Header for the hosts that you name, such as 'Authorization: Bearer …'; repeat it for more.",
            rich_help_panel=OVER_HTTP,
        ),
    ] = None,
    user_agent: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What to call the client.",
            show_default="urlset and its version",
            rich_help_panel=OVER_HTTP,
        ),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File that keeps what servers send, so that the next run is told what has not changed.",
            rich_help_panel=OVER_HTTP,
        ),
    ] = None,
    trust_index: Annotated[
        bool,
        typer.Option(
            "--trust-index",
            help="Do not ask for what is in the cache while its lastmod in the index stays; one in twenty is checked.",
            rich_help_panel=OVER_HTTP,
        ),
    ] = False,
    ca_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="PEM file with the authorities to trust.",
            show_default="those of the system",
            rich_help_panel=OVER_HTTP,
        ),
    ] = None,
    proxy: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Http or https proxy through which everything is fetched.",
            show_default="none, whatever the environment names",
            rich_help_panel=OVER_HTTP,
        ),
    ] = None,
    http2: Annotated[
        bool,
        typer.Option("--http2", help="Offer HTTP/2 to servers with https.", rich_help_panel=OVER_HTTP),
    ] = False,
    obey_robots: Annotated[
        bool,
        typer.Option(
            "--obey-robots/--ignore-robots",
            help="Obey the robots.txt of each host, or ignore it on a site of your own.",
            rich_help_panel=OVER_HTTP,
        ),
    ] = True,
    hosts: Annotated[
        Hosts,
        typer.Option(
            help="Hosts that an index may lead to: its own, those of its registrable domain, also those that a "
            "robots.txt names (verified), or any.",
            rich_help_panel=OVER_HTTP,
        ),
    ] = "verified",
    max_documents: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Fetch no further document after so many.", rich_help_panel=OVER_HTTP),
    ] = _DEFAULTS.documents,
    max_depth: Annotated[
        int, typer.Option(min=0, metavar="N", help="Indexes that may lead to each other.", rich_help_panel=OVER_HTTP)
    ] = _DEFAULTS.depth,
    max_bytes: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Begin no further document after so many bytes.", rich_help_panel=OVER_HTTP
        ),
    ] = _DEFAULTS.total_bytes,
    max_seconds: Annotated[
        float,
        typer.Option(metavar="N", help="Begin no further document after so many seconds.", rich_help_panel=OVER_HTTP),
    ] = _DEFAULTS.total_seconds,
) -> Http:
    """Return what the options mean."""
    if trust_index and cache is None:
        raise typer.BadParameter("it needs the file of --cache", param_hint="--trust-index")
    return Http(
        headers=_headers(header or ()),
        user_agent=user_agent,
        cache=cache,
        ca_file=ca_file,
        proxy=proxy,
        http2=http2,
        trust_index=trust_index,
        obey_robots=obey_robots,
        hosts=hosts,
        documents=max_documents,
        depth=max_depth,
        total_bytes=max_bytes,
        total_seconds=max_seconds,
    )


def note_savings(savings: Savings) -> None:
    """Report on standard error what a cache saved, and how far indexes could be trusted."""
    if not (savings.unchanged or savings.trusted or savings.checked):
        return
    parts = [f"{savings.unchanged:,} of {plural(savings.documents, 'document')} unchanged"]
    if savings.trusted:
        parts.append(f"{savings.trusted:,} not asked for, because their lastmod in the index has not moved")
    if savings.checked:
        held = f"{savings.wrong:,} had changed, so that index is not trusted any more" if savings.wrong else "all right"
        parts.append(f"{savings.checked:,} of such asked for anyway: {held}")
    remark(f"cache: {'; '.join(parts)}; {decimal(savings.bytes)} not received")


def _complete(given: dict[str, Any], others: Mapping[str, Any]) -> None:
    given["cache"] = given["cache"] or others.get("state")


#: Gives a verb the options of HTTP behind its own. They reach it as its keyword `http`.
over_http = option_group("http", _options)
#: The same for a verb whose state is a cache, too. That of other verbs is a file of another kind.
over_http_with_state = option_group("http", _options, complete=_complete)


def _headers(lines: Sequence[str]) -> dict[str, str]:
    """Return headers by name.

    Raises:
        typer.BadParameter: One has no colon.
    """
    named: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            # Its text is not shown: it may be a secret.
            raise typer.BadParameter("a header must have a colon, as in 'Accept-Language: en'", param_hint="--header")
        named[name.strip()] = value.strip()
    return named
