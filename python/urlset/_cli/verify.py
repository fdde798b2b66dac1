"""`urlset verify`: compare what is stored of a published set with what was published."""

from typing import Any

import click

from urlset._cli.console import FINDINGS, note, show, show_json
from urlset._cli.destination import published
from urlset._cli.options import Config, Isolated, Quiet, TextOrJson, configured, with_options
from urlset._config.publish_settings import PublishSettings
from urlset._util.text import plural


@with_options(PublishSettings, names=["dest", "store"])
def verify(
    *,
    shown_as: TextOrJson = "text",
    quiet: Quiet = False,
    config: Config = None,
    isolated: Isolated = False,
    **options: Any,
) -> None:
    """Compare every stored file of a published set with its hash.

    Checks the current set, and the previous one, which
    `urlset publish --rollback` restores. Nothing is changed:
    `urlset publish --verify` writes damaged sitemaps again.

    \b
    Examples:
      urlset verify --dest public
      urlset verify --dest s3://bucket/sitemaps --format json

    \b
    Exit codes:
      0  everything is as it was published
      1  files are missing or damaged
      2  failed: there is no set, or it cannot be read
    """
    from urlset._publish.stored.verify import verify as verify_set  # noqa: PLC0415  (no help needs it)

    file = configured(config, isolated=isolated)
    found, store = published(PublishSettings() if file is None else file.publish, options)
    verification = verify_set(found, store=store)
    if shown_as == "json":
        show_json(verification.as_dict())
    else:
        for damage in verification.damage:
            note(f"{damage.name} {damage.reason}{', so the previous set cannot be restored' * damage.is_previous}")
        documents = plural(verification.documents, "document")
        if verification.is_intact:
            show(f"Verified {documents}: everything is as it was published")
        else:
            show(f"Verified {documents}: `urlset publish --verify` writes damaged sitemaps of the current set again")
    if not verification.is_intact:
        raise click.exceptions.Exit(FINDINGS)
