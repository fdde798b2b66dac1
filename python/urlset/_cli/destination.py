"""The destination of a publish, for the verbs that look at what was published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from urlset import InputError
from urlset._cli.options import given
from urlset._config.publish_settings import MISSING_DESTINATION, PublishSettings


def published(settings: PublishSettings, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the destination, given or configured, and the options of its store.

    Raises:
        InputError: No destination is given or configured.
    """
    stated = given(PublishSettings, options)
    # The options of the store in the file are those of its own destination.
    store = (settings.store_options or {}) if "dest" not in stated else {}
    dest = stated.get("dest", settings.dest)
    if dest is None:
        raise InputError(MISSING_DESTINATION)
    return dest, store | stated.get("store", {})
