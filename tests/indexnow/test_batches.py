"""How changes are split into posts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.indexnow.folder import NOON, Folder, Page
from support.indexnow.server import KEY, Server
from support.properties import times
from urlset._indexnow.submission_log import SubmissionLog
from urlset._stores.open import open_store

from indexnow.conftest import Submit

BASE = "https://example.com/"


def test_25_000_changes_are_three_posts(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun([])
    locs = [f"{server.base_url}{number}" for number in range(25_000)]
    folder.publish(Page(loc) for loc in locs)
    progress: list[urlset.Progress] = []
    submission = submit(progress=progress.append)
    assert (submission.sent, submission.batches) == (25_000, 3)
    assert [len(post.locs) for post in server.posts] == [10_000, 10_000, 5_000]
    assert progress == [urlset.Progress("pages", sent, 25_000) for sent in (10_000, 20_000, 25_000)]
    assert server.locs == sorted(locs)
    assert folder.submitted() == set(locs)
    assert len(server.gets) == 1


# Any set: names in the submission log and in the manifest, with their values.
NAMES = st.text("abc/ä", max_size=3)
KNOWN = st.dictionaries(
    NAMES, st.tuples(st.integers(0, 1), st.sampled_from([None, "2024"]), st.booleans()), max_size=12
)


@times(40)
@given(before=KNOWN, after=KNOWN, size=st.integers(1, 6))
def test_batches_hold_each_change_once_and_are_not_too_large(
    before: dict[str, tuple[int, str | None, bool]], after: dict[str, tuple[int, str | None, bool]], size: int
) -> None:
    with TemporaryDirectory() as path:
        folder = Folder(Path(path), BASE)
        folder.begun(_pages(before))
        folder.publish(_pages(after))
        with SubmissionLog.open(open_store(folder.path), everything=False) as log:
            changes = log.compare(lambda site: site == BASE[:-1], "/", NOON, 10)
            batches = list(log.batches(size))
        submission = urlset.submit(folder.path, key=KEY, dry_run=True, batch=size)

    live = {name: row[:2] for name, row in after.items() if not row[2]}
    were = {name: row[:2] for name, row in before.items() if not row[2]}
    expected = {
        "added": live.keys() - were.keys(),
        "changed": {name for name in live.keys() & were.keys() if live[name] != were[name]},
        "removed": were.keys() - live.keys(),
    }
    assert (changes.added, changes.changed, changes.removed) == tuple(len(names) for names in expected.values())
    locs = [loc for batch in batches for loc in batch.locs]
    assert locs == sorted({BASE + name for names in expected.values() for name in names}, key=str.encode)
    assert all(1 <= len(batch.locs) <= size for batch in batches)
    assert all(len(batch.locs) == size for batch in batches[:-1])
    assert (submission.batches, submission.pending) == (len(batches), len(locs))


def _pages(rows: dict[str, tuple[int, str | None, bool]]) -> list[Page]:
    return [Page(BASE + name, key, lastmod, NOON if gone else None) for name, (key, lastmod, gone) in rows.items()]
