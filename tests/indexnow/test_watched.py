"""A live sitemap that a watch follows is submitted without a publish: only what has changed, and each change once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import urlset
from support.http_server import NAMESPACE
from support.indexnow.server import KEY, Answer, Server
from urlset import Http, InputError
from urlset._indexnow.api import Submission


def lay(server: Server, pages: dict[str, str | None]) -> None:
    """Serve a sitemap of pages with their lastmods."""
    rows = "".join(
        f"<url><loc>{server.base_url}{path}</loc>{f'<lastmod>{day}</lastmod>' if day else ''}</url>"
        for path, day in pages.items()
    )
    body = f'<urlset xmlns="{NAMESPACE}">{rows}</urlset>'.encode()
    server.files["/sitemap.xml"] = Answer(body=body, headers={"Content-Type": "application/xml"})


def look_and_submit(server: Server, state: Path, **options: Any) -> Submission:
    with urlset.watch(f"{server.base_url}sitemap.xml", state=state, http=Http(retries=0)):
        pass
    usual: dict[str, Any] = {"key": KEY, "endpoint": server.endpoint, "allow_http": True, "timeout": 10.0}
    return urlset.submit(watched=state, **usual | options)


def test_only_changes_are_submitted_and_each_of_them_once(server: Server, tmp_path: Path) -> None:
    state = tmp_path / "shop.sqlite"
    many = {f"p/{number}": "2026-01-01" for number in range(20)}
    lay(server, {"a": "2026-01-01", "b": None, **many})
    first = look_and_submit(server, state)
    # What was there before does not count as a change.
    assert (first.baseline, first.sent, first.recorded, server.posts) == ("manifest", 0, 22, [])
    lay(server, {"a": "2026-02-01T10:00:00Z", "c": None, **many})
    second = look_and_submit(server, state)
    assert (second.baseline, second.added, second.changed, second.removed, second.sent) == ("log", 1, 1, 1, 3)
    assert server.locs == [f"{server.base_url}{name}" for name in ("a", "b", "c")]
    # The same moment in another zone is the same lastmod, and nothing is submitted twice.
    lay(server, {"a": "2026-02-01T11:00:00+01:00", "c": None, **many})
    assert look_and_submit(server, state).sent == 0
    # What is held back is not removed.
    lay(server, {})
    assert look_and_submit(server, state).pending == 0
    assert look_and_submit(server, state, dry_run=True).removed == 22
    assert len(server.posts) == 1
    assert sorted(each.name for each in tmp_path.iterdir() if each.is_dir()) == ["shop.sqlite.indexnow"]


def test_an_interrupted_submit_goes_on(server: Server, tmp_path: Path) -> None:
    state = tmp_path / "shop.sqlite"
    lay(server, {"a": None})
    look_and_submit(server, state)
    lay(server, {"a": None, "b": None, "c": None, "d": None})
    server.answers.extend([Answer(200), Answer(400)])
    with pytest.raises(urlset.FetchError):
        look_and_submit(server, state, batch=2)
    assert look_and_submit(server, state).sent == 1
    assert server.posts[-1].locs == [f"{server.base_url}d"]


def test_what_is_no_watch_of_a_site_is_refused(server: Server, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one of dest and watched must be given"):
        urlset.submit(key=KEY)
    with pytest.raises(InputError, match="one of dest and watched must be given"):
        urlset.submit("public", key=KEY, watched="a.sqlite")
    with pytest.raises(InputError, match="must be the state of a watch"):
        urlset.submit(key=KEY, watched=tmp_path / "missing.sqlite")
    urlset.write(["https://shop.example/"], tmp_path / "a.xml")
    with urlset.watch(tmp_path / "a.xml", state=tmp_path / "a.sqlite"):
        pass
    with pytest.raises(InputError, match="a site with an http or https URL"):
        urlset.submit(key=KEY, watched=tmp_path / "a.sqlite")
    (tmp_path / "text").write_text("no database")
    with pytest.raises(InputError, match="cannot be used as the state of a watch"):
        urlset.submit(key=KEY, watched=tmp_path / "text")
