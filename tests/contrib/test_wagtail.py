"""The sitemaps of a site of Wagtail with two hosts and two languages, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

pytestmark = pytest.mark.long

TESTS = Path(__file__).parents[1]
NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}
SHOP, BLOG = "shop.example", "blog.example:8080"
#: What is listed for each host, without the pages that only make the site large.
LISTED = {
    SHOP: ["/", "/events/", "/events/past/", *(f"/tea-{number}/" for number in range(5))],
    BLOG: ["/", "/post/"],
}


def answers(folder: Path, pages: int, *arguments: str) -> dict[str, Any]:
    """What the site answers."""
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "support.contrib.wagtail_site",
        str(folder),
        str(pages),
        *arguments,
    ]
    ended = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def listed(answer: dict[str, Any]) -> dict[str, tuple[str | None, list[tuple[str | None, str | None]]]]:
    """The lastmod's day and the links of each loc."""
    assert answer["status"] == 200
    root = etree.fromstring(answer["text"].encode())
    found = {}
    for url in root.findall("s:url", NAMES):
        lastmod = url.findtext("s:lastmod", None, NAMES)
        links = [(link.get("hreflang"), link.get("href")) for link in url.findall("x:link", NAMES)]
        found[url.findtext("s:loc", "", NAMES)] = lastmod and lastmod[:10], links
    return found


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a site answers that publishes after requests."""
    return answers(tmp_path_factory.mktemp("wagtail"), 0, "rebuild")


def test_each_site_lists_what_wagtail_lists(tmp_path: Path) -> None:
    found = answers(tmp_path, 3)
    for host, paths in LISTED.items():
        theirs, ours = listed(found[f"theirs.xml {host}"]), listed(found[f"ours.xml {host}"])
        assert ours == theirs
        assert sorted(loc.partition(host)[2] for loc in ours if "/many-" not in loc) == sorted(paths)
        assert listed(found[f"before {host}"]) == theirs  # nothing was published yet
        assert found[f"section-nothing.xml {host}"]["status"] == 404
        assert f"://{host}/section-images.xml</loc>" in found[f"index.xml {host}"]["text"]
    # Wagtail takes a host that it does not know for the default site.
    assert found["ours.xml other.example"]["text"] == found[f"ours.xml {SHOP}"]["text"]
    assert "<image:loc>https://shop.example/media/tea-1.jpg</image:loc>" in found[f"section-images.xml {SHOP}"]["text"]
    assert (found["304"]["status"], found["304"]["text"]) == (304, "")


def test_translations_are_listed_with_links(tmp_path: Path) -> None:
    found = listed(answers(tmp_path, 0, "i18n")[f"ours.xml {SHOP}"])
    german, english = "https://shop.example/de/tee-1/", "https://shop.example/tea-1/"
    assert found[german][1] == found[english][1] == [("de", german), ("en", english)]
    assert found["https://shop.example/tea-2/"][1] == []
    assert len(found) == len(LISTED[SHOP]) + 2


def test_a_large_site_is_answered_at_once(tmp_path: Path) -> None:
    found = answers(tmp_path, 16_500)
    ours = found[f"ours.xml {SHOP}"]
    assert len(listed(ours)) == 16_500 + len(LISTED[SHOP])
    assert ours["seconds"] < found[f"theirs.xml {SHOP}"]["seconds"] / 5


@pytest.mark.parametrize(
    ("change", "gone", "added"),
    [
        ("add", None, "/new/"),
        ("rename", "/tea-1/", "/oolong/"),
        ("unpublish", "/tea-2/", None),
        ("restrict", "/tea-3/", None),
        ("move", "/tea-4/", "/oolong/tea-4/"),
        ("delete", "/new/", None),
    ],
)
def test_what_editors_change_is_published_after_the_next_request(
    rebuilt: dict[str, Any], change: str, gone: str | None, added: str | None
) -> None:
    found = rebuilt[change]
    before, after = (set(listed({"status": 200, "text": found[name]})) for name in ("first", "second"))
    assert found["marked"]
    assert before - after == ({f"https://{SHOP}{gone}"} if gone else set())
    assert after - before == ({f"https://{SHOP}{added}"} if added else set())
    assert not found["is_stale"]


def test_no_visitor_waits_for_a_publish(rebuilt: dict[str, Any]) -> None:
    slow = rebuilt["slow"]
    assert slow["statuses"] == [200] * 5
    assert len(slow["at_work"]) == 1
    assert slow["seconds"] < 5  # and not the sixty for which the publish would have waited
