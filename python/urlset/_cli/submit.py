"""`urlset submit`: submit the changes of a published set to search engines by IndexNow."""

import os
from typing import Annotated, Any

import click

from urlset import InputError
from urlset._cli.console import FINDINGS, show, show_json
from urlset._cli.destination import published
from urlset._cli.options import Config, Isolated, Quiet, TextOrJson, configured, given, with_options
from urlset._cli.progress import counting
from urlset._config.publish_settings import KEY_ENV, IndexNowSettings, PublishSettings
from urlset._indexnow.api import Submission
from urlset._indexnow.api import submit as submit_changes
from urlset._options.option import Option
from urlset._util.text import plural


@with_options(submit_changes)
@with_options(PublishSettings, names=["dest", "store"])  # the file can name them, so neither has to be given
def submit(
    *,
    key: Annotated[
        str | None,
        Option(
            "IndexNow key of the site, which https://HOST/KEY.txt contains too. Other users of this machine can"
            " see an option, but not the environment.",
            metavar="KEY",
        ),
    ] = None,
    shown_as: TextOrJson = "text",
    quiet: Quiet = False,
    config: Config = None,
    isolated: Isolated = False,
    **options: Any,
) -> None:
    """Submit the pages that changed since the last submit to search engines, by IndexNow.

    Run it after each publish, once the set is live, or after each
    urlset watch, for any live sitemap. Removed pages are submitted too. What was submitted is recorded in
    DEST/.urlset/indexnow.parquet. The first submit covers only the changes of
    the last publish. Google does not take part in IndexNow.

    \b
    Examples:
      urlset submit --dest public --key 0123456789abcdef --dry-run
      URLSET_INDEXNOW_KEY=0123456789abcdef urlset submit --dest public
      urlset submit --dest public --key-location https://example.com/shop/key.txt
      urlset submit --watched example.sqlite --key 0123456789abcdef

    \b
    Exit codes:
      0  submitted, or there was nothing to submit
      1  submitted without some pages: they are on another host, or the key
         does not cover them
      2  failed: the next submit sends the rest
    """
    file = configured(config, isolated=isolated)
    site = PublishSettings() if file is None else file.publish
    settings = site.indexnow or IndexNowSettings()
    stated = {name: value for name in ("key_location", "endpoint") if (value := getattr(settings, name)) is not None}
    if options["watched"] is None:
        found, store = published(site, options)
        which = {"dest": found, "store": store}
    else:
        which = {}
    key = key or os.environ.get(settings.key_env or KEY_ENV)
    if not key:
        raise InputError(f"the key is missing: pass --key, or set {settings.key_env or KEY_ENV} in the environment")
    with counting(pages="submitted") as count:
        submission = submit_changes(key=key, progress=count, **stated | given(submit_changes, options) | which)
    if shown_as == "json":
        show_json(submission.as_dict())
    else:
        for line in _lines(submission):
            show(line)
    if submission.other_host or submission.outside:
        raise click.exceptions.Exit(FINDINGS)


def _lines(submission: Submission) -> list[str]:
    """Return the summary for a person."""
    lines = []
    pages = submission.added + submission.changed + submission.removed
    if pages:
        verb = "Would submit" if submission.dry_run else "Submitted"
        requests = plural(submission.batches, "request")
        lines += [
            f"{verb} {plural(pages, 'page')} of {submission.host} to {submission.endpoint} in {requests}",
            f"  {submission.added:,} added, {submission.changed:,} changed, {submission.removed:,} removed",
        ]
    elif submission.baseline == "log":
        lines.append("Nothing to submit: no page has changed since the last submit")
    if submission.accepted:
        lines.append(f"  {plural(submission.accepted, 'page')} accepted, with the check of the key pending (202)")
    if submission.dry_run:
        lines += [f"  {change} {loc}" for change, loc in submission.first]
        if pages > len(submission.first):
            lines.append(f"  and {pages - len(submission.first):,} more")
    if submission.baseline != "log":
        lines += _beginning(submission, pages)
    if submission.other_host:
        lines.append(f"Left out {plural(submission.other_host, 'page')} on another host than {submission.host}")
    if submission.outside:
        lines.append(f"Left out {plural(submission.outside, 'page')} outside the folder of the key file")
    return lines


def _beginning(submission: Submission, pages: int) -> list[str]:
    """Return what the first submit of a set is based on."""
    starts = "The submission log would start" if submission.dry_run else "The submission log starts"
    if submission.baseline == "previous":
        return [f"{starts} with this submit, from the set before the last publish"]
    if pages:
        return [f"{starts} with this submit"]
    known = plural(submission.recorded, "page")
    return [
        f"{starts} with this submit, from the published set ({known}), and nothing is submitted: "
        "IndexNow is for changes. --everything submits all pages"
    ]
