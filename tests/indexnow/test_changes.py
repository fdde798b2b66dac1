"""Which pages are submitted, compared with what, and what the submission log has afterwards."""

from __future__ import annotations

import pytest
import urlset
from support.indexnow.folder import NOON, Folder, Page
from support.indexnow.server import KEY, Answer, Server
from urlset._indexnow.address import escape_loc

from indexnow.conftest import Submit


def pages(server: Server, *names: str, key: int = 1, lastmod: str | None = "2024-01-01") -> list[Page]:
    """Return pages of the server's site."""
    return [Page(server.base_url + name, key, lastmod) for name in names]


def gone(server: Server, *names: str) -> list[Page]:
    """Return pages that the manifest remembers as removed."""
    return [Page(server.base_url + name, gone=NOON) for name in names]


def test_the_first_publish_is_not_submitted_and_begins_the_ledger(
    server: Server, folder: Folder, submit: Submit
) -> None:
    folder.publish(pages(server, "a", "b"))
    submission = submit()
    assert (submission.baseline, submission.sent, submission.batches, submission.recorded) == ("manifest", 0, 0, 2)
    assert not server.posts
    assert not server.gets
    assert {row[3] for row in folder.rows().values()} == {None}


def test_only_the_changes_of_a_second_publish_are_submitted(server: Server, folder: Folder, submit: Submit) -> None:
    folder.publish(pages(server, "same", "other", "later", "goes"))
    folder.publish(
        pages(server, "same", "new")
        + pages(server, "other", key=2)
        + pages(server, "later", lastmod="2024-01-02")
        + gone(server, "goes")
    )
    submission = submit()
    assert submission.baseline == "previous"
    assert (submission.added, submission.changed, submission.removed, submission.sent) == (1, 2, 1, 4)
    assert server.locs == [server.base_url + name for name in ("goes", "later", "new", "other")]
    assert folder.submitted() == set(server.locs)
    assert folder.rows()[server.base_url + "same"] == (1, "2024-01-01", False, None, None)
    assert folder.rows()[server.base_url + "other"] == (2, "2024-01-01", False, "2024-01-01", server.endpoint)
    assert folder.rows()[server.base_url + "goes"][2] is True


def test_a_submitted_change_is_not_submitted_again(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun(pages(server, "a"))
    folder.publish(pages(server, "a", "b") + gone(server, "never submitted"))
    assert submit().sent == 1
    again = submit()
    assert (again.baseline, again.sent, again.batches, again.pending, again.recorded) == ("log", 0, 0, 0, 2)
    assert len(server.posts) == 1


def test_the_log_spans_publishes_that_were_not_submitted(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun(pages(server, "a", "b"))
    folder.publish(pages(server, "a", "b", "c"))
    folder.publish(pages(server, "a", "c", "d") + gone(server, "b"))
    submit()
    assert server.locs == [server.base_url + name for name in "bcd"]


def test_a_page_without_a_lastmod_changes_when_it_gets_one(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun(pages(server, "a", "b", lastmod=None))
    folder.publish(pages(server, "a", lastmod=None) + pages(server, "b"))
    assert submit().changed == 1
    assert server.locs == [server.base_url + "b"]


def test_a_page_that_returned_is_added(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun(pages(server, "a", "b"))
    folder.publish(pages(server, "a") + gone(server, "b"))
    assert submit().removed == 1
    folder.publish(pages(server, "a", "b"))
    assert submit().added == 1
    assert not folder.rows()[server.base_url + "b"][2]


def test_a_page_that_the_manifest_has_forgotten_is_removed_once(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun(pages(server, "a", "b"))
    folder.publish(pages(server, "a"))
    assert submit().removed == 1
    assert set(folder.rows()) == {server.base_url + "a"}
    assert submit().sent == 0


def test_a_submitted_deletion_is_kept_as_long_as_the_manifest_has_it(
    server: Server, folder: Folder, submit: Submit
) -> None:
    folder.begun(pages(server, "a", "b"))
    folder.publish(pages(server, "a") + gone(server, "b"))
    submit()
    assert set(folder.rows()) == {server.base_url + "a", server.base_url + "b"}
    folder.publish(pages(server, "a", "c"))
    submit()
    assert set(folder.rows()) == {server.base_url + "a", server.base_url + "c"}


def test_the_log_grows_with_the_site_and_not_with_its_history(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun(pages(server, *"abcdef"))
    for turn in range(5):
        folder.publish(pages(server, *"abcdef", key=turn + 2) + pages(server, f"visitor-{turn}"))
        assert submit().sent == 7 + (turn > 0)
        assert len(folder.rows()) == 7


def test_everything_also_submits_the_existing_pages(server: Server, folder: Folder, submit: Submit) -> None:
    folder.publish(pages(server, "a", "b") + gone(server, "c"))
    submission = submit(everything=True)
    assert (submission.added, submission.sent, submission.baseline) == (2, 2, "manifest")
    assert submit(everything=True).sent == 0
    assert len(server.posts) == 1


def test_everything_includes_what_an_earlier_submit_began_with(server: Server, folder: Folder, submit: Submit) -> None:
    folder.publish(pages(server, "a", "b", "c"))
    submit()
    folder.publish(pages(server, "a", "b", "d") + gone(server, "c"))
    assert submit().sent == 2
    assert submit(everything=True).added == 2
    assert server.locs == [server.base_url + name for name in "cdab"]


def test_everything_is_continued_even_without_passing_it_again(server: Server, folder: Folder, submit: Submit) -> None:
    folder.publish(pages(server, "a", "b", "c"))
    server.answers += [Answer(200), Answer(403)]
    with pytest.raises(Exception, match="1 of 3 changes submitted and recorded"):
        submit(everything=True, batch=1)
    assert submit().sent == 2
    assert server.locs == [server.base_url + name for name in "abbc"]


def test_a_dry_run_sends_and_writes_nothing(server: Server, folder: Folder, submit: Submit) -> None:
    folder.publish(pages(server, "a"))
    folder.publish(pages(server, *(f"{number:02}" for number in range(25))) + gone(server, "a"))
    before = {path.name for path in folder.state.iterdir()}
    submission = submit(dry_run=True, batch=10)
    assert (submission.added, submission.removed, submission.pending, submission.batches) == (25, 1, 26, 3)
    assert (submission.sent, submission.dry_run, submission.baseline) == (0, True, "previous")
    assert submission.first == tuple(("added", f"{server.base_url}{number:02}") for number in range(10))
    assert {path.name for path in folder.state.iterdir()} - before <= {"indexnow.lock"}
    assert not server.gets
    assert not server.posts
    assert submit().sent == 26


def test_a_dry_run_of_everything_forgets_nothing(server: Server, folder: Folder, submit: Submit) -> None:
    folder.publish(pages(server, "a"))
    submit()
    log = folder.log.read_bytes()
    assert submit(dry_run=True, everything=True).pending == 1
    assert folder.log.read_bytes() == log
    assert submit().sent == 0


def test_pages_of_another_host_are_left_out_and_counted(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun([])
    others = [
        "https://other.example/a",
        f"http://u:p@{server.host}/",
        "http://127.0.0.1/",
        "nonsense",
        f"//{server.host}/",
    ]
    folder.publish(pages(server, "a") + [Page(loc) for loc in others])
    submission = submit()
    assert (submission.sent, submission.other_host, submission.outside) == (1, 5, 0)
    assert server.locs == [server.base_url + "a"]
    assert folder.submitted() == set(server.locs)


def test_a_host_is_compared_regardless_of_spelling(folder: Folder, submit: Submit) -> None:
    same = Folder(folder.path, "https://Example.com/shop/")
    same.begun([])
    same.publish([Page("https://example.com/"), Page("HTTP://EXAMPLE.COM:80/b"), Page("https://example.com:8443/c")])
    submission = submit(dry_run=True)
    assert (submission.host, submission.added, submission.other_host) == ("example.com", 2, 1)


@pytest.mark.parametrize(
    ("loc", "sent"),
    [
        (
            "https://bücher.example/ä?ö=%C3%BC&x=[1]#ß",
            "https://xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC&x=[1]#%C3%9F",
        ),
        ("HTTPS://BÜCHER.example:443/", "https://xn--bcher-kva.example/"),
        ("https://example.com/日本", "https://example.com/%E6%97%A5%E6%9C%AC"),
        ("https://EXAMPLE.com:443/a/../%zz", "https://EXAMPLE.com:443/a/../%zz"),
    ],
)
def test_a_loc_is_sent_in_ascii_and_otherwise_as_published(loc: str, sent: str) -> None:
    assert escape_loc(loc) == sent


def test_a_host_beyond_ascii_is_named_by_idna(folder: Folder, submit: Submit) -> None:
    abroad = Folder(folder.path, "https://bücher.example/")
    abroad.begun([])
    abroad.publish([Page("https://bücher.example/a"), Page("https://xn--bcher-kva.example/b"), Page("https://x.de/")])
    submission = submit(dry_run=True)
    assert (submission.host, submission.added, submission.other_host) == ("xn--bcher-kva.example", 2, 1)


def test_a_page_beyond_ascii_is_sent_escaped_and_recorded_as_published(
    server: Server, folder: Folder, submit: Submit
) -> None:
    folder.begun([])
    folder.publish(pages(server, "größe"))
    assert submit().sent == 1
    assert server.locs == [server.base_url + "gr%C3%B6%C3%9Fe"]
    assert folder.submitted() == {server.base_url + "größe"}


def test_a_key_file_at_another_location_covers_its_folder(server: Server, folder: Folder, submit: Submit) -> None:
    inside = ["shop/", "shop/a", "shop/deep/b?x=/../", "shop/...", "shop/.well-known/"]
    outside = ["", "shop", "shopping/", "Shop/a", "shop/../a", "shop/%2e%2E/a", "shop/x/.."]
    folder.begun([])
    folder.publish(pages(server, *inside, *outside))
    server.files["/shop/key.txt"] = Answer(body=KEY.encode())
    submission = submit(key_location=server.base_url + "shop/key.txt")
    assert (submission.sent, submission.outside, submission.other_host) == (5, 7, 0)
    assert set(server.locs) == {server.base_url + name for name in inside}
    assert server.posts[0].body["keyLocation"] == server.base_url + "shop/key.txt"
    assert folder.submitted() == set(server.locs)
    assert submit().sent == 7


def test_a_post_has_exactly_what_the_protocol_requires(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun([])
    folder.publish(pages(server, "a", "b"))
    progress: list[urlset.Progress] = []
    submission = submit(progress=progress.append)
    assert (submission.endpoint, submission.host) == (server.endpoint, server.host)
    assert progress == [urlset.Progress("pages", 2, 2)]
    (post,) = server.posts
    assert post.path == "/indexnow"
    assert post.body == {"host": server.host, "key": KEY, "urlList": [server.base_url + name for name in "ab"]}
    assert post.headers["content-type"] == "application/json; charset=utf-8"
    assert post.headers["user-agent"].startswith("urlset/")
    assert "cookie" not in post.headers
    assert server.gets[0][0] == f"/{KEY}.txt"
