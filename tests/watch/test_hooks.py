"""Who else hears about changes: files, named pipes and web servers, at least once, and no message has a secret."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
import urlset
from support.http_server import NAMESPACE, Answer, Handler, Site, closed_port
from urlset import FetchError, Http, InputError
from urlset._watch.hooks import MAX_CHANGES, TOKEN_ENV

BASE = "https://shop.example/"
SECRET = "s3cret-in-the-path"
HTTP = Http(retries=0, timeout=5)


def put(path: Path, *names: str) -> None:
    urlset.write([BASE + name for name in names], path)


def look(file: Path, state: Path, *hooks: object, http: Http = HTTP) -> list[str]:
    with urlset.watch(file, state=state, http=http, hooks=hooks) as run:  # type: ignore[arg-type]
        return [change.loc.removeprefix(BASE) for change in run]


@pytest.fixture
def file(tmp_path: Path, state: Path) -> Path:
    """A sitemap that was seen once, and has two new pages since."""
    file = tmp_path / "sitemap.xml"
    put(file, "a")
    look(file, state)
    put(file, "a", "b", "c")
    return file


def test_a_file_gets_a_line_for_each_change(file: Path, state: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.jsonl"
    assert look(file, state, told) == ["b", "c"]
    assert look(file, state, told) == []
    put(file, "a", "c")
    look(file, state, str(told))
    rows = [json.loads(line) for line in told.read_text("utf-8").splitlines()]
    assert [(row["run"], row["change"], row["loc"].removeprefix(BASE)) for row in rows] == [
        (2, "added", "b"),
        (2, "added", "c"),
        (4, "removed", "b"),
    ]
    assert rows[0]["seen"].endswith("Z")


def test_a_named_pipe_gets_them_too(file: Path, state: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(pipe.read_text("utf-8").splitlines()))
    reader.start()
    look(file, state, pipe)
    reader.join(10)
    assert [json.loads(line)["loc"] for line in lines] == [f"{BASE}b", f"{BASE}c"]


def test_a_web_server_is_told_until_it_takes_the_changes(
    file: Path, state: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN_ENV, "t0ken")
    hook = f"{site.url}/hooks/{SECRET}"
    site.pages[f"/hooks/{SECRET}"] = Answer(status=403)
    # What the watched site gets is not for the hook.
    http = Http(retries=0, headers={"X-Shop": "for the shop"})
    with pytest.raises(
        FetchError, match=r"the hook at http://127\.0\.0\.1:\d+/… did not take .* run 2: status 403"
    ) as error:
        look(file, state, hook, http=http)
    assert SECRET not in str(error.value)
    site.pages[f"/hooks/{SECRET}"] = Answer(status=204)
    # They were not confirmed, so they come again.
    assert look(file, state, hook, http=http) == ["b", "c"]
    first, second = map(json.loads, site.posted)
    assert [each["loc"] for each in first["changes"]] == [each["loc"] for each in second["changes"]]
    assert (second["counts"], second["more"], second["held"], second["is_stale"]) == ({"added": 2}, 0, [], False)
    headers = [headers for path, headers in site.requests if path.startswith("/hooks")]
    assert all(each["authorization"] == "Bearer t0ken" for each in headers)
    assert all("x-shop" not in each for each in headers)
    assert {each["content-type"] for each in headers} == {"application/json"}
    assert look(file, state, hook) == []
    assert len(site.posted) == 2  # nothing has changed: nobody is told


def test_many_changes_are_several_posts(tmp_path: Path, state: Path, site: Site) -> None:
    file = tmp_path / "sitemap.xml"
    put(file, "a")
    look(file, state)
    put(file, "a", *(f"new/{number}" for number in range(MAX_CHANGES + 5)))
    site.pages["/hook"] = Answer()
    look(file, state, f"{site.url}/hook")
    bodies = [json.loads(body) for body in site.posted]
    assert [(len(body["changes"]), body["more"]) for body in bodies] == [(MAX_CHANGES, 5), (5, 0)]
    assert len({each["loc"] for body in bodies for each in body["changes"]}) == MAX_CHANGES + 5


def test_what_is_held_back_is_told(tmp_path: Path, state: Path, site: Site) -> None:
    file = tmp_path / "sitemap.xml"
    put(file, *map(str, range(20)))
    look(file, state)
    file.write_text(f'<urlset xmlns="{NAMESPACE}"></urlset>')
    site.pages["/hook"] = Answer()
    assert look(file, state, f"{site.url}/hook") == []
    [body] = map(json.loads, site.posted)
    assert body["held"] == [{"sitemap": str(file), "before": 20, "now": 0}]


def test_private_addresses_are_a_matter_of_the_options(file: Path, state: Path, site: Site) -> None:
    site.pages["/hook"] = Answer()
    with pytest.raises(FetchError, match="address"):
        look(file, state, f"{site.url}/hook", http=Http(retries=0, private_addresses="never"))
    assert site.posted == []

    def moved(handler: Handler) -> Answer:
        return Answer(status=307, headers={"Location": f"{site.url}/elsewhere"})

    site.pages["/hook"] = moved
    with pytest.raises(FetchError, match="status 307"):
        look(file, state, f"{site.url}/hook")
    assert "/elsewhere" not in site.paths()


def test_a_server_that_is_not_there(file: Path, state: Path) -> None:
    with pytest.raises(FetchError, match="did not take the changes") as error:
        look(file, state, f"http://127.0.0.1:{closed_port()}/{SECRET}?{SECRET}")
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("hook", ["ftp://a.example/x", f"https://user:{SECRET}@a.example/", "missing/told.jsonl"])
def test_a_hook_that_cannot_be_told_is_refused_before_anything_is_read(file: Path, state: Path, hook: str) -> None:
    with pytest.raises(InputError, match="hook") as error:
        look(file, state, hook)
    assert SECRET not in str(error.value)
    with pytest.raises(InputError, match="hooks must be a list"):
        urlset.watch(file, state=state, hooks="a.jsonl")
