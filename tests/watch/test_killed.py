"""A run that is killed at any moment: each change is handed out, under one number, and none is made up."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
import urlset
from support.http_server import Answer, Handler, Site
from support.watch.watched import BASE, Shop, changes

PROGRAM = Path(__file__).parents[1] / "support" / "watch" / "interrupted.py"


def serve(site: Site, shop: Shop) -> None:
    """Serve the documents of a shop with their validators."""

    def page(handler: Handler) -> Answer:
        body = (
            (shop.folder / handler.path.removeprefix("/")).read_bytes().replace(BASE.encode(), f"{site.url}/".encode())
        )
        tag = f'"{hashlib.sha256(body).hexdigest()}"'
        return (
            Answer(status=304) if handler.headers.get("If-None-Match") == tag else Answer(body, headers={"ETag": tag})
        )

    site.pages.update(dict.fromkeys(["/sitemap.xml", *(f"/{name}" for name in shop.sitemaps)], page))


@pytest.mark.parametrize("steps", ["some", pytest.param("many", marks=pytest.mark.long)])
def test_a_look_that_is_killed_loses_and_repeats_nothing(site: Site, tmp_path: Path, steps: str) -> None:
    chance = random.Random(7)
    shop = Shop(tmp_path / "shop", {f"{number}.xml": {} for number in range(3)})
    for entries in shop.sitemaps.values():
        entries.update({f"{BASE}{chance.randrange(60)}": ("2026-01-15", 0.5) for _ in range(15)})
    shop.write()
    serve(site, shop)
    url, state, work = f"{site.url}/sitemap.xml", tmp_path / "state.sqlite", tmp_path / "work"
    work.mkdir()
    with urlset.watch(url, state=state) as first:
        assert first.is_first
    before, was = shop.facts(), shop.listing()
    shop.change(chance)
    del shop.sitemaps["2.xml"]
    shop.sitemaps["3.xml"] = {f"{BASE}new": (None, None)}
    shop.write()
    serve(site, shop)
    expected = {
        (change, loc.replace(BASE, f"{site.url}/"), how)
        for change, loc, how in changes(before, shop.facts(), was, shop.listing())
    }
    ended = subprocess.run(
        [sys.executable, PROGRAM, url, state, work, steps], capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(reports) >= 3
    for report in reports:
        lines = {*report["killed"], *report["after"]}
        found = [json.loads(line) for line in lines if '"kind":"page"' in line]
        assert len(found) == len(expected), report["step"]
        assert {(each["change"], each["loc"], each["how"]) for each in found} == expected, report["step"]
        # Those that were handed out before the kill are not handed out under another number.
        assert len({each["run"] for each in found}) == 1
        # A run after one that was confirmed finds nothing; the others find it all.
        assert report["code"] == (1 if report["after"] else 0)
    assert [report["step"] for report in reports if report["killed"]] != [report["step"] for report in reports]
