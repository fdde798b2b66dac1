"""A folder as a store: links, permissions and disks, and how a folder is named."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from support.stores import TASK, Destination
from urlset import InputError, PublishError
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.folder import FolderStore
from urlset._stores.open import open_store

needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="modes, pipes and links are of Unix")


# --- a folder -----------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    return folder


def everything(folder: Path) -> set[str]:
    """Return the paths of all files, folders and links."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_a_folder_has_nothing_but_what_was_put(folder: Path) -> None:
    store = open_store(folder)
    assert isinstance(store, FolderStore)
    assert (store.location, repr(store)) == (str(folder), f"FolderStore({str(folder)!r})")
    store.put("sitemap.xml", b"1")
    store.put("a/b/sitemap.xml", b"2")
    assert everything(folder) == {"sitemap.xml", "a", "a/b", "a/b/sitemap.xml", ".urlset", ".urlset/stage"}


@needs_unix
def test_what_is_published_can_be_read_by_the_web_server(folder: Path, tmp_path: Path) -> None:
    store = open_store(folder)
    for umask, mode in ((0o022, 0o644), (0o027, 0o640), (0o002, 0o644)):
        before = os.umask(umask)
        try:
            store.put("sitemap.xml", b"")
            (tmp_path / "file").touch(0o600)
            (tmp_path / "file").chmod(0o600)
            store.put_file("moved", tmp_path / "file")
        finally:
            os.umask(before)
        assert stat.S_IMODE((folder / "sitemap.xml").stat().st_mode) == mode
        assert stat.S_IMODE((folder / "moved").stat().st_mode) == mode


@needs_unix
def test_a_file_of_another_file_system_is_copied(folder: Path) -> None:
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == folder.stat().st_dev:
        pytest.skip("there is no second file system here")
    with TemporaryDirectory(dir=other) as elsewhere:
        (Path(elsewhere) / "file").write_bytes(b"1")
        open_store(folder).put_file("a", Path(elsewhere) / "file")
    assert (folder / "a").read_bytes() == b"1"


@needs_unix
@pytest.mark.parametrize("link", ["sitemap.xml", "a", ".urlset", ".urlset/stage"])
def test_a_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_bytes(b"kept")
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(outside / "kept" if link.endswith("xml") else outside)
    store = open_store(folder)
    name = {"a": "a/kept", ".urlset": ".urlset/kept"}.get(link, "sitemap.xml")
    attempts: list[Callable[[], object]] = [lambda: store.put(name, b"lost")]
    if not link.endswith("stage"):
        reading = (lambda: store.read(name, 9), lambda: store.size(name), lambda: store.fetch(name, tmp_path / "x"))
        attempts += [*reading, lambda: store.delete([name])]
    if link == "a":
        attempts.append(lambda: store.list("a/"))
    for attempt in attempts:
        with pytest.raises(PublishError, match=r"leads out of .* remove the link"):
            attempt()
    if link.startswith(".urlset"):
        with pytest.raises(PublishError, match="leads out of"), store.lock():
            raise AssertionError("locked elsewhere")
    assert everything(outside) == {"kept"}
    assert (outside / "kept").read_bytes() == b"kept"
    assert store.list("") == []


@needs_unix
def test_a_lock_that_is_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"kept")
    (folder / ".urlset").mkdir()
    (folder / ".urlset" / "lock").symlink_to(tmp_path / "kept")
    with pytest.raises(PublishError, match="leads out of"), open_store(folder).lock():
        raise AssertionError("locked elsewhere")
    assert (tmp_path / "kept").read_bytes() == b"kept"


@needs_unix
def test_links_inside_the_folder_are_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to(folder)
    (folder / "old.xml").write_bytes(b"old")
    (folder / "sitemap.xml").symlink_to("old.xml")
    (folder / "gone.xml").symlink_to("nowhere")
    (folder / "circle").symlink_to("circle")
    store = open_store(tmp_path / "current")
    assert store.read("sitemap.xml", 9) == b"old"
    assert store.read("gone.xml", 9) is None
    with pytest.raises(PublishError, match="circle"):
        store.read("circle", 9)
    store.put("sitemap.xml", b"new")
    store.delete(["gone.xml"])
    assert not (folder / "sitemap.xml").is_symlink()
    assert (folder / "old.xml").read_bytes() == b"old"
    assert store.list("") == ["old.xml", "sitemap.xml"]


@needs_unix
def test_anything_but_a_file_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "sitemap.xml").mkdir()
    os.mkfifo(folder / "robots.txt")
    (folder / "file").write_bytes(b"")
    store = open_store(folder)
    for name, kind in (("sitemap.xml", "a folder"), ("robots.txt", "not a regular file")):
        attempts: list[tuple[Callable[..., object], tuple[object, ...]]] = [
            *((store.read, (name, 9)), (store.size, (name,)), (store.fetch, (name, tmp_path / "x"))),
            *((store.put, (name, b"")), (store.delete, ([name],))),
        ]
        for attempt, arguments in attempts:
            with pytest.raises(PublishError, match=f"{name} is {kind}.* move it away"):
                attempt(*arguments)
    with pytest.raises(PublishError, match="is a file: move that away"):
        store.put("file/a.xml", b"")
    with pytest.raises(PublishError, match="is a file: move that away"):
        open_store(folder / "file").put("a.xml", b"")
    assert store.list("") == ["file"]
    assert list((folder / ".urlset" / "stage").iterdir()) == []


@contextmanager
def as_nobody() -> Iterator[None]:
    """Run the block without the rights of root, who may do everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@needs_unix
def test_a_missing_permission_is_reported() -> None:
    with TemporaryDirectory() as destination:
        folder = Path(destination)
        (folder / "sitemap.xml").write_bytes(b"old")
        store = open_store(folder)
        folder.chmod(0o555)
        try:
            with as_nobody():
                assert store.read("sitemap.xml", 9) == b"old"
                with pytest.raises(PublishError, match="let the user that publishes read and write there"):
                    store.put("sitemap.xml", b"new")
                with pytest.raises(PublishError, match="let the user that publishes read and write there"):
                    store.delete(["sitemap.xml"])
                with pytest.raises(PublishError, match="let the user that publishes"), store.lock():
                    raise AssertionError("locked")
        finally:
            folder.chmod(0o755)


FILL = """
import resource
from pathlib import Path
from urlset import PublishError

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for put in (lambda: store.put("sitemap.xml", bytes(5000)), lambda: store.fetch("large", Path(sys.argv[2]))):
    try:
        put()
    except PublishError as error:
        print(error)
"""


@needs_unix
def test_a_full_disk_leaves_the_old_content(folder: Path, tmp_path: Path) -> None:
    store = open_store(folder)
    store.put("sitemap.xml", b"old")
    store.put("large", bytes(5000))
    with Destination(str(folder), {}, lambda _: None).run(FILL, str(tmp_path / "fetched")) as process:
        out, err = process.communicate(timeout=60)
    problem = "File too large; free some space and publish again"
    assert out.splitlines() == [f"{folder / 'sitemap.xml'}: {problem}", f"{tmp_path / 'fetched'}: {problem}"]
    assert (process.returncode, err) == (0, "")
    assert store.read("sitemap.xml", 9) == b"old"
    assert not (tmp_path / "fetched").exists()
    assert list((folder / ".urlset" / "stage").iterdir()) == []


@pytest.mark.parametrize(
    ("number", "remedy"), [(errno.ENOSPC, "free some space"), (errno.EROFS, "mount it for writing"), (errno.EIO, "")]
)
def test_a_system_error_is_reported_with_a_remedy(tmp_path: Path, number: int, remedy: str) -> None:
    message = rf"sitemap\.xml: {os.strerror(number)}" + (f"; .*{remedy}" if remedy else "$")
    with pytest.raises(PublishError, match=message), os_errors_as_publish_errors(tmp_path / "sitemap.xml"):
        raise OSError(number, os.strerror(number))


HOLD = """
with store.lock():
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_the_lock_of_a_folder_ends_with_its_process(folder: Path) -> None:
    program = f"import json, sys\nfrom urlset._stores.open import open_store\n{TASK}{HOLD}"
    command = [sys.executable, "-c", program, json.dumps([str(folder), {}])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        store = open_store(folder)
        (folder / ".urlset" / "stage").mkdir(exist_ok=True)
        (folder / ".urlset" / "stage" / "begun").write_bytes(b"")
        with pytest.raises(PublishError, match="another publish"), store.lock():
            raise AssertionError("two at once")
        process.kill()
        process.wait()
        with store.lock():
            assert not (folder / ".urlset" / "stage").exists()


# --- which store it is --------------------------------------------------------------------------------------


def test_a_folder_can_be_named_in_several_ways(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    (folder / "a b").mkdir()
    for dest in (folder, str(folder), "set", f"file://{folder}", f"FILE://localhost{folder}"):
        assert open_store(dest).location == str(folder)
    assert open_store(f"file://{folder}/a%20b").location == str(folder / "a b")


@pytest.mark.parametrize("url", ["file://server/share", "file:///a?b", "file:///a#b", "file://"])
def test_a_file_url_of_another_machine_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="must name a folder of this machine"):
        open_store(url)


@pytest.mark.parametrize(
    "options", [{"object_headers": {}}, {"locking": False}, {"region": "x"}, {"allow_http": False}]
)
def test_options_of_object_stores_are_refused_for_a_folder(folder: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(options))} is for object stores"):
        open_store(folder, **options)
