"""Every rule of an audit against its fixtures, which are served by a real server.

`fixtures/CODE.json` has the cases of a rule: `bad` with what it finds, `good` without, and near misses on both sides. A
case has `pages` by path (`*` is every other path) and the `entries` of the sitemap; `then` replaces both before a
second look, with `crawl` the site is crawled first, and with `render` a browser shows pages. A page has a `status`, a
`location`, a `title`, a `head`, a `text`, `links`, a whole `body`, and `headers`; null leaves out the ETag, which is
otherwise that of the body. With `answers` it gives one after the other, and the last for good; one that `ignores`
validators never answers 304. `found` has the verdict for each path. `{site}` stands for the URL of the site.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from support.audit.planted import NAMESPACES, html, text_of, video_of
from support.http_server import Answer, Handler, Page, Site
from urlset._audit.rules import RULES as DECLARED

FOLDER = Path(__file__).parent / "fixtures"
RULES = {rule.code: rule for rule in urlset.rules() if rule.scope == "live"}
CASES = {code: json.loads((FOLDER / f"{code}.json").read_text("utf-8")) for code in RULES}
#: The first bad and the first good case of each rule, and the others as long tests.
ALL = [
    pytest.param(code, name, marks=pytest.mark.long if re.search(r"-(\d+|near)$", name) else ())
    for code, cases in CASES.items()
    for name in cases
]
HTTP = urlset.Http(retries=0, timeout=10)
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_every_rule_has_its_fixtures() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == RULES.keys()
    for code, cases in CASES.items():
        kinds = {re.sub(r"-\d+$", "", name) for name in cases}
        assert {"bad", "good"} <= kinds, code
        assert RULES[code].severity != "error" or {"bad-near", "good-near"} <= kinds, code
        for name, case in cases.items():
            assert bool(case["found"]) == name.startswith("bad"), (code, name)


@pytest.mark.parametrize(("code", "name"), ALL, ids=str)
def test_a_rule_finds_what_it_is_to_find(code: str, name: str, site: Site, tmp_path: Path) -> None:
    case, state = CASES[code][name], tmp_path / "site.duckdb"
    lay(site, case)
    rules = urlset.Rules(select=[code], profile=case.get("profile", "protocol"))
    asked: dict[str, Any] = {"state": state, "http": HTTP, "rules": rules, "render": case.get("render", False)}
    if case.get("crawl"):
        urlset.crawl(site.url, state=state, http=HTTP, now=NOW).close()
    with urlset.audit(site.url, now=NOW, **asked) as audit:
        found = audit
    if "then" in case:
        assert not found.findings
        lay(site, case["then"])
        with urlset.audit(site.url, now=NOW + timedelta(days=1), **asked) as found:
            pass
    paths = {loc.removeprefix(site.url): each.verdict for each in found.findings for loc in each.examples}
    assert paths == case["found"]
    with duckdb.connect(state, read_only=True) as connection:
        asked_for = {kind for (kind,) in connection.execute("SELECT DISTINCT kind FROM probes").fetchall()}
    assert asked_for <= {probe.kind for probe in DECLARED[code].all_probes}
    for each in found:
        assert each.code == code
        assert not each.message.endswith(".")
        assert "\n" not in each.message


def lay(site: Site, case: Mapping[str, Any]) -> None:
    """Have a site answer as a case says."""
    rest = case["pages"].get("*")
    site.pages.clear()
    site.pages["/sitemap.xml"] = Answer(sitemap(site, case["entries"]), headers={"Content-Type": "application/xml"})
    for path, spec in case["pages"].items():
        if path != "*":
            site.pages[path] = served(site, path, spec)
    if rest is not None:
        answer = served(site, "*", rest)
        site.pages = _Endless(answer, site.pages)


class _Endless(dict[str, Page]):
    """A site on which every path has a page."""

    def __init__(self, rest: Page, known: Mapping[str, Page]) -> None:
        super().__init__(known)
        self._rest = rest

    def get(self, path: str, default: Any = None) -> Any:
        """Return the page at a path."""
        if path == "/robots.txt":
            return super().get(path, default)
        return super().get(path, self._rest)


def sitemap(site: Site, entries: list[Any]) -> bytes:
    rows = []
    for each in entries:
        entry: dict[str, Any] = {"loc": each} if isinstance(each, str) else each
        lastmod = f"<lastmod>{entry['lastmod']}</lastmod>" if "lastmod" in entry else ""
        images = "".join(
            f"<image:image><image:loc>{site.url}{image}</image:loc></image:image>" for image in entry.get("images", ())
        )
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{language}" href="{site.url}{path}"/>'
            for language, path in entry.get("alternates", ())
        )
        loc = entry["loc"].replace("&", "&amp;")
        videos = "".join(video_of(site.url, video) for video in entry.get("videos", ()))
        rows.append(f"<url><loc>{site.url}{loc}</loc>{lastmod}{images}{videos}{links}</url>")
    return f"<urlset {NAMESPACES}>{''.join(rows)}</urlset>".encode()


def served(site: Site, path: str, spec: Mapping[str, Any]) -> Page:
    """What answers at a path."""
    left = list(spec.get("answers", [spec]))

    def answer(handler: Handler) -> Answer:
        now = left.pop(0) if len(left) > 1 else left[0]
        text = now.get("text", text_of(path))
        head = now.get("head", "").replace("{site}", site.url)
        body = now.get(
            "body", html(now.get("title", f"Page {path}"), text, head, now.get("links", ())).decode()
        ).encode()
        headers = {"Content-Type": "text/html", "ETag": f'"{hashlib.sha256(body).hexdigest()[:8]}"'}
        headers |= {"Location": now["location"]} if "location" in now else {}
        headers |= now.get("headers", {})
        named = {key: value.replace("{site}", site.url) for key, value in headers.items() if value is not None}
        if named.get("ETag") == handler.headers.get("If-None-Match", "") and not now.get("ignores"):
            return Answer(status=304, headers=named)
        return Answer(body, now.get("status", 200), named)

    return answer
