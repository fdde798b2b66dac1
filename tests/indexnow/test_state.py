"""The files of a submit: who may use them, and how unusable files are reported."""

from __future__ import annotations

from pathlib import Path

import pytest
import urlset
from filelock import FileLock
from support.indexnow.folder import Folder, Page
from support.indexnow.server import Server
from urlset import DocumentError, InputError, PublishError

from indexnow.conftest import Submit


def test_a_folder_without_a_published_set_is_refused(folder: Folder, submit: Submit) -> None:
    with pytest.raises(InputError, match=r"has no published set, because \.urlset/manifest\.parquet is missing"):
        submit()
    assert not folder.path.exists()


def test_two_submits_cannot_run_at_once(server: Server, folder: Folder, submit: Submit) -> None:
    folder.publish([Page(server.base_url)])
    with (
        FileLock(folder.state / "indexnow.lock"),
        pytest.raises(PublishError, match=r"another submit from .* is running"),
    ):
        submit()
    assert not folder.log.exists()
    assert submit().recorded == 1


@pytest.mark.parametrize("name", ["manifest", "previous", "indexnow"])
@pytest.mark.parametrize("content", [b"", b"PAR1 and no more", b"loc\nhttps://example.com/\n"])
def test_an_unreadable_file_is_reported_and_not_taken_for_empty(
    server: Server, folder: Folder, submit: Submit, name: str, content: bytes
) -> None:
    folder.publish([Page(server.base_url)])
    path = folder.state / f"{name}.parquet"
    path.write_bytes(content)
    with pytest.raises(DocumentError, match="cannot be read: ") as caught:
        submit()
    assert caught.value.location == str(path)
    assert not server.gets
    assert path.read_bytes() == content


def test_a_log_without_its_columns_is_reported(server: Server, folder: Folder, submit: Submit) -> None:
    folder.publish([Page(server.base_url)])
    folder.write(folder.log, [])
    with pytest.raises(DocumentError, match="delete it, and the submission log begins anew"):
        submit()


@pytest.mark.parametrize("place", [10, 900])
def test_one_changed_bit_of_the_manifest_is_reported(
    server: Server, folder: Folder, submit: Submit, place: int
) -> None:
    folder.begun([])
    folder.publish(Page(f"{server.base_url}{number}") for number in range(1000))
    data = bytearray(folder.manifest.read_bytes())
    data[place] ^= 1
    folder.manifest.write_bytes(data)
    with pytest.raises(DocumentError, match="damaged: its checksum is wrong; publish again") as caught:
        submit()
    assert caught.value.location == str(folder.manifest)
    assert not server.posts


def test_a_manifest_of_another_version_is_refused(server: Server, folder: Folder, submit: Submit) -> None:
    for facts in ({"urlset.manifest": "3", "urlset.base_url": server.base_url}, {"other": "1"}):
        folder.write(folder.manifest, [], **facts)
        with pytest.raises(InputError, match="is not a manifest of version 1 or 2"):
            submit()


def test_a_manifest_without_a_base_url_is_refused(folder: Folder, submit: Submit) -> None:
    folder.write(folder.manifest, [], **{"urlset.manifest": "1"})
    with pytest.raises(DocumentError, match="has no base_url"):
        submit()


@pytest.mark.parametrize("base_url", ["/public/", "ftp://example.com/", "https://u:secret@example.com/"])
def test_a_manifest_with_an_invalid_base_url_is_refused(folder: Folder, submit: Submit, base_url: str) -> None:
    folder.write(folder.manifest, [], **{"urlset.manifest": "1", "urlset.base_url": base_url})
    with pytest.raises(InputError, match="the base_url of the published set") as caught:
        submit()
    assert "secret" not in str(caught.value)


def test_a_folder_can_have_any_name(server: Server, tmp_path: Path) -> None:
    from support.indexnow.folder import NOON
    from support.indexnow.server import KEY

    folder = Folder(tmp_path / "a[1]'*?{x} 'ü", server.base_url)
    folder.publish([])
    folder.publish([Page(server.base_url)])
    submission = urlset.submit(str(folder.path), key=KEY, endpoint=server.endpoint, now=NOON, allow_http=True)
    assert submission.sent == 1
    assert folder.submitted() == {server.base_url}


def test_a_log_that_cannot_be_written_is_reported(server: Server, folder: Folder, submit: Submit) -> None:
    folder.begun([])
    folder.publish([Page(server.base_url)])
    (folder.state / "indexnow.part").mkdir()
    with pytest.raises(PublishError, match="could not be computed"):
        submit()
    (folder.state / "indexnow.part").rmdir()
    # It was submitted, and recorded in the journal.
    assert submit().sent == 0
    assert folder.submitted() == {server.base_url}


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:99999/", "https://[::1/", "https://a b.example/"])
def test_an_endpoint_that_is_no_url_is_refused(server: Server, folder: Folder, submit: Submit, endpoint: str) -> None:
    folder.publish([Page(server.base_url)])
    with pytest.raises(InputError, match="endpoint must be a valid URL"):
        submit(endpoint=endpoint)
