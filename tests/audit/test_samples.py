"""What a sample says of the whole: how often its intervals hold, and what it does not say."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from support.audit.planted import NAMESPACES, html, text_of
from support.http_server import Answer, Site
from urlset._audit.intervals import at_most, of_whole

HTTP = urlset.Http(retries=0, timeout=10)
#: Pages of each of ten sections, and how many of them are wrong.
SECTION, WRONG = 200, (1, 3, 6, 12, 24, 40, 70, 110, 160, 197)
DRAWS = 200
TYPED = {"Content-Type": "text/html"}


def drawn(host: str, sample: int) -> list[int]:
    """How many wrong pages of each section are in the sample that an audit of a host draws."""
    query = """
        SELECT section, count(*) FILTER (number < wrong) FROM (
            SELECT section, wrong, number FROM
                (SELECT unnest(range(10)) AS section, unnest($wrong::INT[]) AS wrong),
                (SELECT unnest(range($size)) AS number)
            ORDER BY md5_number_lower('https://' || $host || '/' || section || '/' || number) LIMIT $sample
        ) GROUP BY section
    """
    values = {"wrong": list(WRONG), "size": SECTION, "host": host, "sample": sample}
    found = dict(duckdb.execute(query, values).fetchall())
    return [found.get(section, 0) for section in range(10)]


@pytest.mark.parametrize("sample", [100, 400, 1_500])
def test_the_interval_of_each_section_holds_the_truth_as_often_as_it_says(sample: int) -> None:
    whole = SECTION * len(WRONG)
    held = [0] * len(WRONG)
    for number in range(DRAWS):
        for section, hits in enumerate(drawn(f"shop-{number}.example", sample)):
            low, high = of_whole(hits, sample, whole) if hits else (0, at_most(sample, whole))
            held[section] += low <= WRONG[section] <= high
    assert all(each / DRAWS >= 0.93 for each in held), held
    # Of few pages, hardly any sample has one, and every interval has them all.
    many = [each / DRAWS for each, wrong in zip(held, WRONG, strict=True) if wrong * sample > 4 * whole]
    assert max(many) <= 0.99, held
    assert 0.94 <= sum(held) / DRAWS / len(WRONG) <= 0.985


@pytest.mark.parametrize(("drawn", "whole"), [(1, 2), (3, 8), (10, 100), (100, 500), (300, 2_000)])
def test_an_interval_holds_for_every_truth(drawn: int, whole: int) -> None:
    """Counted exactly, by the ways in which a sample can be drawn."""
    intervals = [(0, at_most(drawn, whole)), *(of_whole(hits, drawn, whole) for hits in range(1, drawn + 1))]
    for truth in range(0, whole + 1, max(1, whole // 100)):
        ways = sum(
            comb(truth, hits) * comb(whole - truth, drawn - hits)
            for hits, (low, high) in enumerate(intervals)
            if low <= truth <= high
        )
        assert ways / comb(whole, drawn) >= 0.93, truth
        # What is nearly nothing, or nearly all, is in nearly every interval.
        if min(truth, whole - truth) * drawn > 4 * whole:
            assert ways / comb(whole, drawn) <= 0.99, truth
    assert of_whole(drawn, drawn, whole)[1] == whole
    assert at_most(whole, whole) == 0
    assert of_whole(1, whole, whole) == (1, 1)


@pytest.mark.parametrize(("drawn", "whole"), [(3, 8), (100, 10_000), (500, 1_000)])
def test_a_bound_is_the_highest_number_of_which_a_sample_may_see_nothing(drawn: int, whole: int) -> None:
    most = at_most(drawn, whole)
    unseen = [comb(whole - count, drawn) / comb(whole, drawn) for count in (most, most + 1)]
    assert unseen[1] < 0.05 <= unseen[0]


def lay(site: Site, paths: list[str], gone: list[str], **bodies: bytes) -> None:
    for path in paths:
        body = bodies.get(path.strip("/").split("/")[0], html(path, text_of(path)))
        site.pages[path] = Answer(body, headers={"Content-Type": "text/html"})
    rows = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in (*paths, *gone))
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())


def audit(site: Site, codes: str | list[str], sample: int | None, **more: Any) -> urlset.Audit:
    rules = urlset.Rules(select=[codes] if isinstance(codes, str) else codes)
    with urlset.audit(site.url, http=HTTP, sample=sample, rules=rules, **more) as found:
        return found


def test_a_sample_says_between_how_many_pages_there_are(site: Site) -> None:
    lay(site, [f"/{number}" for number in range(450)], [f"/gone/{number}" for number in range(50)])
    found = audit(site, "LIVE001", 100)
    assert (found.pages, found.looked_at, found.at_most) == (500, 100, 13)
    [finding] = found.findings
    assert (finding.basis, finding.estimate) == ("estimate", of_whole(finding.count, 100, 500))
    low, high = finding.estimate or (0, 0)
    assert f"between {low:,} and {high:,} of all listed pages (95 %)" in found.diagnostics[0].message
    assert finding.examples == audit(site, "LIVE001", 100).findings[0].examples
    whole = audit(site, "LIVE001", None)
    assert (whole.findings[0].basis, whole.findings[0].estimate, whole.at_most) == ("all", None, None)


#: Pages of a site that are wrong, by the rule that finds them, and what they answer.
PAGES_OF_A_RULE: dict[str, tuple[int, Answer]] = {
    "LIVE001": (8, Answer(b"gone", 404)),
    "LIVE003": (20, Answer(status=301, headers={"Location": "/"})),
    "LIVE004": (45, Answer(html("Tea", text_of("tea"), '<meta name="robots" content="noindex">'), headers=TYPED)),
    "LIVE012": (90, Answer(status=302)),
    "LIVE031": (150, Answer(b"{}", headers={"Content-Type": "application/json", "ETag": '"1"'})),
}


@pytest.mark.long
def test_the_intervals_of_whole_audits_hold_the_truth_as_often_as_they_say(site: Site) -> None:
    """Thirty audits of a site, under a name of its own each, for which other pages are drawn."""
    audits, listed, sample = 30, 500, 100
    site.pages["/"] = Answer(html("Tea", text_of("/")), headers={**TYPED, "ETag": '"1"'})
    paths = ["/"]
    for code, (wrong, answer) in PAGES_OF_A_RULE.items():
        paths += [f"/{code}/{number}" for number in range(wrong)]
        site.pages |= dict.fromkeys(paths[-wrong:], answer)
    right = [f"/right/{number}" for number in range(listed - len(paths))]
    site.pages |= {path: Answer(html(path, text_of(path)), headers={**TYPED, "ETag": '"1"'}) for path in right}
    held = dict.fromkeys(PAGES_OF_A_RULE, 0)
    for number in range(audits):
        host = f"http://shop-{number}.example"
        rows = "".join(f"<url><loc>{host}{path}</loc></url>" for path in (*paths, *right))
        site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
        http = urlset.Http(retries=0, map={host: site.url}, concurrency=8, per_host=8)
        rules = urlset.Rules(select=list(PAGES_OF_A_RULE))
        with urlset.audit(host, http=http, sample=sample, rules=rules) as found:
            assert (found.looked_at, found.pages) == (sample, listed)
            stated = {each.code: each.estimate for each in found.findings}
            assert len(stated) == len(found.findings)
        for code, (wrong, _) in PAGES_OF_A_RULE.items():
            low, high = stated.get(code) or (0, found.at_most or 0)
            held[code] += low <= wrong <= high
    # An interval that holds in 95 of 100 holds in fewer than 23 of 30 once in ten thousand times.
    assert min(held.values()) >= 23, held
    assert 0.91 <= sum(held.values()) / audits / len(held) < 1, held


def test_pages_without_an_answer_say_nothing_of_the_others(site: Site) -> None:
    """The half that answered stands for all. Few pages do, because each answer of 503 pauses the host."""
    lay(site, [f"/{number}" for number in range(10)], ["/gone", "/lost"])
    for number in range(0, 10, 2):
        site.pages[f"/{number}"] = Answer(b"", 503)
    found = {each.code: each for each in audit(site, ["LIVE001", "LIVE011"], 11).findings}
    gone, asked = found["LIVE001"], 11 - found["LIVE011"].count
    assert gone.estimate == of_whole(gone.count, asked, 12)


def test_copies_are_not_estimated_from_a_sample(site: Site) -> None:
    """Both pages of a pair have to be drawn, so the sample does not show the share in the whole."""
    lay(site, [f"/tea/{number}" for number in range(20)], [], tea=html("Tea", text_of("tea")))
    found = audit(site, "LIVE022", 10)
    [finding] = found.findings
    assert (finding.count, finding.basis, finding.estimate) == (9, "sample", None)
    assert "in the sample, and at least as many of all listed pages" in found.diagnostics[0].message


def test_pages_that_are_not_listed_are_counted_and_not_estimated(site: Site, tmp_path: Path) -> None:
    """There may be far more of them than pages that were drawn."""
    unlisted = [f"/unlisted/{number}" for number in range(30)]
    lay(site, ["/", "/b", "/c", "/d", *unlisted], [])
    rows = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/", "/b", "/c", "/d"))
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
    site.pages["/"] = Answer(html("/", text_of("/"), links=unlisted), headers={"Content-Type": "text/html"})
    state = tmp_path / "site.duckdb"
    urlset.crawl(site.url + "/", state=state, http=HTTP).close()
    [finding] = audit(site, "LIVE007", 3, state=state).findings
    assert (finding.count, finding.basis, finding.estimate) == (30, "all", None)


@pytest.mark.parametrize(
    ("images", "said"), [(400, ""), (600, "; found by 1,000 of 1,200 requests, so there may be more")]
)
def test_what_was_not_asked_for_is_said(site: Site, images: int, said: str) -> None:
    """An audit requests a thousand images, and not all of a larger set."""
    rows = ""
    for page in ("/tea", "/pots"):
        site.pages[page] = Answer(html(page, text_of(page)), headers={"Content-Type": "text/html"})
        named = [f"{page}/{number}.png" for number in range(images)]
        site.pages |= dict.fromkeys(named, Answer(b"no image", headers={"Content-Type": "text/plain"}))
        locs = "".join(f"<image:image><image:loc>{site.url}{path}</image:loc></image:image>" for path in named)
        rows += f"<url><loc>{site.url}{page}</loc>{locs}</url>"
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
    findings = audit(site, "LIVE009", None).findings
    assert sum(each.count for each in findings) == 2
    assert {(each.basis, each.estimate) for each in findings} == {("asked" if said else "all", None)}
    assert all(each.message.endswith(f"…{said}") for each in findings)
