"""The rules over a set, in SQL, say what plain Python says: of random small sets, rule by rule."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lint import sets
from support.lint.sets import EVERY, SITE, Listed, Page, index_of
from support.properties import times
from urlset._lint.set import SetDocument

#: Sets are drawn from a seed, not piece by piece: hypothesis likes small ones, in which nothing meets anything.
SEEDS = st.integers(0, 2**32).map(Random)

LOCS = [*(f"{SITE}/{name}" for name in "abcdef"), "https://b.example/a", "/relative", f"{SITE}/a?b=1&c", None]
HREFS = [*LOCS[:-1], f"{SITE}/gone", "https://b.example/gone", "https://c.example/a"]


def drawn(random: Random, lastmods: list[str | None], most: int = 8) -> list[Listed]:
    """Up to four documents of pages that have much in common."""
    locs, newsy = random.sample(LOCS, random.randint(2, len(LOCS))), random.random() < 0.3

    def page() -> Page:
        links = [(random.choice(["de", "en", None]), str(random.choice(HREFS))) for _ in range(random.randint(0, 3))]
        return Page(random.choice(locs), random.choice(lastmods), tuple(links), newsy and random.random() < 0.2)

    return [
        Listed(
            tuple(page() for _ in range(random.randint(0, most))),
            random.random() < 0.3,
            random.choice(["urlset", "urlset", "urlset", "urlset", "text", "rss"]),
        )
        for _ in range(random.randint(1, 4))
    ]


def checked(
    documents: list[Listed],
    *codes: str,
    children: list[tuple[int, str | None]] | None = None,
    robots: str | None = None,
    agents: tuple[str, ...] = ("*",),
    threads: int = 1,
) -> tuple[sets.Found, dict[int, Listed], list[str]]:
    """What the rules say of the documents, laid on disk behind an index, and the documents by their places."""
    with TemporaryDirectory() as folder:
        names = ["sitemap.xml", *(f"{number}.xml" for number in range(1, len(documents) + 1))]
        listing = [(f"{SITE}/{names[target]}", lastmod) for target, lastmod in children or []]
        laid: list[SetDocument] = [
            sets.lay(Path(folder), names[0], index_of(listing), kind="sitemapindex", entries=len(listing)),
            *(
                sets.lay_pages(Path(folder), name, document, parent=0)
                for name, document in zip(names[1:], documents, strict=True)
            ),
        ]
        given_robots = {} if robots is None else {f"{SITE}/robots.txt": robots.encode()}
        asked = {code: EVERY[code] for code in codes}
        findings = sets.check(laid, asked, agents=agents, robots=given_robots, fold=10_000, threads=threads)
        said = sets.found(findings, laid)
        assert sum(findings.counts.values()) == said.total()
        assert {each.more for each in findings.diagnostics} <= {0}
    return said, dict(enumerate(documents, start=1)), names


@times(60)
@given(SEEDS)
def test_repeated_locs(random: Random) -> None:
    said, by_place, names = checked(drawn(random, [None]), "IDX008", threads=random.randint(1, 2))
    assert said == sets.repeated(by_place, names)


@times(80)
@given(SEEDS)
def test_alternates(random: Random) -> None:
    # A text list and a feed have no links, so nothing in them answers.
    said, by_place, names = checked(drawn(random, [None]), "ALT005", "ALT009", threads=random.randint(1, 2))
    assert said == sets.alternates(by_place, names)


@times(120)
@given(SEEDS)
def test_incomplete_groups(random: Random) -> None:
    """Groups of pages that nearly all link to each other, in any document, and some to another host."""
    outside = ["https://c.example/a", f"{SITE}/gone"]
    pages: list[Page] = []
    for group in range(random.randint(1, 3)):
        members = [f"{SITE}/{group}/{number}" for number in range(random.randint(2, 7))]
        rate = random.choice([0.6, 0.9, 0.97])
        for loc in random.choices(members, k=len(members) + 2) if random.random() < 0.2 else members:
            hrefs = [href for href in members + outside[: random.randint(0, 2)] if random.random() < rate]
            pages.append(Page(loc, None, tuple((random.choice(["de", "de", "de", None]), href) for href in hrefs)))
    random.shuffle(pages)
    cut = random.randint(0, len(pages))
    documents = [Listed(tuple(pages[:cut]), random.random() < 0.3), Listed(tuple(pages[cut:]))]
    said, by_place, names = checked(documents, "ALT005", "ALT009", "ALT011", threads=random.randint(1, 2))
    assert said == sets.alternates(by_place, names) + sets.incomplete(by_place, names)
    # A missing page that links to the reported one is ALT005's.
    assert checked(documents, "ALT011")[0] == sets.incomplete(by_place, names)


@times(40)
@given(SEEDS)
def test_lastmods_of_one_run(random: Random) -> None:
    seconds = random.choice([["08:00:00", "08:00:30", "08:01:00"], ["08:00:00", "08:01:01"], ["08:00:00"]])
    lastmods: list[str | None] = [f"2026-01-31T{each}Z" for each in seconds]
    others: list[str | None] = ["2026-01-31", None, "2026-01-31T09:00:10+01:00", "2026-01-31T00:00:00Z"]
    documents = []
    for number in range(random.randint(1, 3)):
        chosen = random.choices(lastmods, [random.randint(1, 50) for _ in lastmods], k=random.randint(20, 110))
        chosen[: random.choice([0, 0, 5, 12])] = random.choices(others, k=random.choice([0, 1, 10]))
        newsy = random.random() < 0.1
        pages = [Page(f"{SITE}/{number}/{at}", each, news=newsy and at == 3) for at, each in enumerate(chosen)]
        documents.append(Listed(tuple(pages)))
    said, by_place, _ = checked(documents, "MOD012", threads=random.randint(1, 2))
    assert said == sets.clustered(by_place)


@times(40)
@given(SEEDS)
def test_one_lastmod_for_a_whole_set(random: Random) -> None:
    # The same instant in two spellings, and now and then another.
    lastmods: list[str | None] = ["2026-01-31T09:00:00Z", "2026-01-31T10:00:00+01:00"] * 10
    others: list[str | None] = ["2026-01-30", None]
    said, by_place, _ = checked(drawn(random, lastmods + others, 14), "MOD009")
    assert said == sets.identical(by_place)


@pytest.mark.parametrize(
    ("same", "other", "absent", "told"), [(18, 2, 0, True), (18, 0, 2, True), (17, 3, 0, False), (19, 0, 0, False)]
)
def test_how_many_are_a_habit(same: int, other: int, absent: int, told: bool) -> None:
    lastmods = ["2026-01-31T08:00:00Z"] * same + ["2026-01-30"] * other + [None] * absent
    pages = [Page(f"{SITE}/{number}", lastmod) for number, lastmod in enumerate(lastmods)]
    said, by_place, _ = checked([Listed(tuple(pages[:9])), Listed(tuple(pages[9:]))], "MOD009")
    assert said == sets.identical(by_place)
    assert bool(said) is told


def test_every_lastmod_of_an_index_with_every_lastmod_of_a_child() -> None:
    documents = [Listed((Page(f"{SITE}/a", lastmod), Page(f"{SITE}/b"))) for lastmod in sets.MEANT]
    children = [(number, lastmod) for number in range(1, len(documents) + 1) for lastmod in (*sets.MEANT, None)]
    said, by_place, _ = checked([*documents, Listed((Page(f"{SITE}/c"),))], "IDX007", children=children)
    assert said == sets.stale(children, by_place)
    assert 10 < len(said) < len(children) - 10


@times(40)
@given(SEEDS)
def test_the_newest_of_a_child_counts(random: Random) -> None:
    lastmods: list[str | None] = [*sets.MEANT, None]
    documents = drawn(random, lastmods, 4)
    children = [(random.randint(1, len(documents)), random.choice(lastmods)) for _ in range(6)]
    said, by_place, _ = checked(documents, "IDX007", children=children)
    assert said == sets.stale(children, by_place)


#: Characters of paths, three kinds of which Protego and RFC 9309 (2.2.2) agree. The same character in several
#: spellings, without a query, in which the RFC takes `%2F` for `/`. Then queries. Then what has only one spelling, so
#: that both count the same octets where an Allow and a Disallow match. No `$` and no `%` alone: to Protego a rule that
#: ends with `$` matches the character too, and `%` is not `%25`.
SPELLED = [*"/ab=.é", "text", "loc", "%C3%A9", "%c3%a9", "%61", "%2F", "%FF", "%41", "A", "~"]
QUERIES = [*(piece for piece in SPELLED if piece != "%2F"), "?", "&"]
COUNTED = [*"/abA.", "text", "loc"]
STARTS = [*[SITE] * 5, "HTTPS://A.example", f"{SITE}:443", f"{SITE}:8443", "http://a.example", "https://ba.example"]
SPELLINGS = {"a": "%61", "%61": "a", "é": "%C3%A9", "%C3%A9": "é", "A": "%41", "%41": "A", "%FF": "%ff", "b": "%62"}


def patterns_of(random: Random, pieces: list[str], respell: bool) -> str:
    """A rule that matches these pieces of a path, or nearly."""
    some = pieces[: random.randint(0, 6)]
    some = [SPELLINGS.get(each, each) if respell and random.random() < 0.3 else each for each in some]
    some = ["*" if random.random() < 0.15 else each for each in some]
    start = random.choice(["/", "/", "/", "/", "", "*", "https://a.example/"])
    return start + "".join(some) + random.choice(["", "", "", "*", "$"])


@times(200)
@given(SEEDS)
def test_disallowed_pages(random: Random) -> None:
    pieces = random.choice([SPELLED, QUERIES, COUNTED])
    fields = ["Disallow: ", "Disallow: ", "disalow:", "Disallow ", "Sitemap: ", *([" Allow: "] * (pieces is COUNTED))]
    paths = [[random.choice(pieces) for _ in range(random.randint(0, 5))] for _ in range(30)]
    lines = []
    for _ in range(random.randint(1, 3)):
        lines += random.sample(["User-agent: *", "User-agent: Goodbot", "user-agent: Badbot", "User-agent: other"], 2)
        for _ in range(random.randint(0, 4)):
            pattern = patterns_of(random, random.choice(paths), pieces is not COUNTED)
            lines.append(f"{random.choice(fields)}{pattern}{random.choice(['', '', ' # why', '  '])}")
    robots = random.choice(["\n", "\r\n"]).join(lines)
    firsts = ["/"] * 6 + ["", "#"] + ["?"] * (pieces is not SPELLED)
    locs = [random.choice(STARTS) + random.choice(firsts) + "".join(each) for each in paths]
    agents = random.choice([("*",), ("Goodbot", "Badbot"), ("Badbot/2.1",)])

    said, by_place, _ = checked([Listed(tuple(map(Page, locs)))], "ROB004", robots=robots, agents=agents)
    # Only what is written as the origin is, letter case and the port that it has anyway aside, is of the site.
    # Rules are about what a client asks for, which has no dot segments: Protego takes a path as it is.
    plain = {
        number: Listed(tuple(_as_asked(_as_site(page)) for page in each.pages)) for number, each in by_place.items()
    }
    expected = sets.disallowed(plain, robots, agents)
    lost = {e[1:3] for e in expected} - {e[1:3] for e in said}
    assert not lost, (robots, [locs[line - 2] for _, line in lost])
    assert said.total() == expected.total()
    assert {each[:3] for each in said} == {each[:3] for each in expected}


def _as_asked(page: Page) -> Page:
    """The page without the dot segments of its path (RFC 3986, 5.2.4)."""
    matched = re.fullmatch(r"(\w+://[^/?#]*)([^?#]*)(.*)", page.loc or "", re.DOTALL)
    if not matched:
        return page
    origin, path, rest = matched.groups()
    kept: list[str] = []
    segments = path.split("/")[1:]
    for number, segment in enumerate(segments, start=1):
        if segment == "..":
            kept = kept[:-1]
        elif segment != ".":
            kept.append(segment)
        if segment in (".", "..") and number == len(segments):
            kept.append("")
    return Page(origin + "".join(f"/{each}" for each in kept) + rest)


def _as_site(page: Page) -> Page:
    loc = page.loc or ""
    for start in (f"{SITE}:443", "HTTPS://A.example"):
        rest = loc.removeprefix(start)
        if rest != loc and rest[:1] in ("", "/", "?", "#"):
            return Page(SITE + rest)
    return page
