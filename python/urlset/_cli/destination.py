"""The destination of a publish, for the verbs that look at what was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from urlset import InputError
from urlset._cli.options import given
from urlset._config.publish_settings import PublishSettings

Dest = Annotated[
    str | None,
    typer.Argument(
        metavar="DEST",
        help="Destination of `urlset publish`: a folder, or s3://, gs:// or az://BUCKET/PREFIX.",
        show_default="to in urlset.toml",
    ),
]


def published(dest: str | None, settings: PublishSettings, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the destination, given or configured, and the options of its store.

    Raises:
        InputError: No destination is given or configured.
    """
    # The options of the store in the file are those of its own destination.
    store = (settings.store_options or {}) if dest is None else {}
    store |= given(PublishSettings, {"store": options.get("store")}).get("store", {})
    found = settings.to if dest is None else dest
    if found is None:
        raise InputError("DEST is missing: pass it, or set to in urlset.toml")
    return found, store
