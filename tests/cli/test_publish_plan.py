"""`urlset publish`: the plan, the guards, the way back, and what urlset.toml says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import urlset
from support.cli import Cli, unwrapped
from urlset import configured

Put = Callable[[str, str | bytes], Path]

BASE = "https://example.com/"
TO = ("--dest", "out", "--base-url", BASE)


def rows(*names: str, lastmod: str = "") -> str:
    """CSV of these pages."""
    return "loc,lastmod\n" + "".join(f"/{name},{lastmod}\n" for name in names)


def files(folder: Path) -> dict[str, bytes]:
    """All that lies there, but the lock."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def locs(cli: Cli, folder: str = "out") -> list[str]:
    return [str(entry.loc).removeprefix(BASE) for entry in urlset.read(cli.folder / folder)]


# --- the plan ------------------------------------------------------------------------------------------------------


def test_a_plan_is_shown_and_nothing_done(cli: Cli, put: Put) -> None:
    put("rows.csv", rows("a", "b", "c", "d", "e", lastmod="2024-01-02"))
    ended = cli("publish", "rows.csv", *TO, "--dry-run")
    assert (ended.code, ended.err) == (0, "")
    assert re.sub(r"\d+ bytes", "N bytes", ended.out).splitlines() == [
        "  + 0001  5 entries  N bytes  +5",
        "locs      5 added, 0 changed, 0 removed, 0 moved, 0 unchanged",
        "lastmods  5 column",
        "rows      5 read, 5 with a normalized loc",
        "Nothing was written: this was a dry run",
    ]
    assert files(cli.folder / "out") == {}


def test_a_plan_of_a_set_that_is_there(cli: Cli, put: Put) -> None:
    put(
        "rows.csv",
        "loc,lastmod,k\n" + "".join(f"/{name},,{name[0]}\n" for name in ("a1", "a2", "b1", "c1", "d1", "e1")),
    )
    assert cli("publish", "rows.csv", *TO, "--shard-by", "key:k").code == 0
    before = files(cli.folder / "out")
    put("rows.csv", "loc,lastmod,k\n/a1,,a\n/a2,2024-01-02,a\n/b1,,b\n/d1,,d\n/d2,,d\n/e1,,e\n/f1,,f\n")
    ended = cli("publish", "rows.csv", *TO, "--shard-by", "key:k", "--dry-run")
    assert (ended.code, ended.err) == (0, "")
    assert [
        re.sub(r"(?<=\S) {2,}", "  ", re.sub(r"\d+ bytes", "N bytes", line)) for line in ended.out.splitlines()
    ] == [
        "  ~ a-0001  2 entries  N bytes  ~1",
        "  ~ d-0001  2 entries  N bytes  +1",
        "  + f-0001  1 entry  N bytes  +1",
        "  - c-0001  1 entry  -1",
        "  = 2 unchanged shards",
        "locs  2 added, 1 changed, 1 removed, 0 moved, 4 unchanged",
        "lastmods  6 none, 1 column",
        "rows  7 read, 7 with a normalized loc",
        "Nothing was written: this was a dry run",
    ]
    assert files(cli.folder / "out") == before
    # What is done is what was planned.
    done = cli("publish", "rows.csv", *TO, "--shard-by", "key:k")
    assert done.out.splitlines()[:8] == ended.out.splitlines()[:8]
    assert "Published 7 entries in 5 shards" in done.out


def test_a_long_plan_is_cut(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc,k\n" + "".join(f"/{number},{number}\n" for number in range(30)))
    ended = cli("publish", "rows.csv", *TO, "--shard-by", "key:k", "--dry-run")
    lines = ended.out.splitlines()
    assert sum(line.startswith("  + ") for line in lines) == 20
    assert lines[20] == "    and 10 more"


def test_a_plan_has_colours_on_a_terminal(cli: Cli, put: Put) -> None:
    put("rows.csv", rows("a"))
    ended = cli.terminal("publish", "rows.csv", *TO, "--dry-run")
    assert "\x1b[32m+\x1b[0m 0001" in ended.out
    assert "\x1b" not in cli("publish", "rows.csv", *TO, "--dry-run").out


def test_a_name_that_a_terminal_would_obey_is_shown(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc\nhttps://example.com/\x1b[31m\nmailto:\x1b[31mx\n")
    ended = cli("publish", "rows.csv", *TO, "--on-error", "collect")
    assert ended.code == 1
    assert "\x1b" not in ended.out + ended.err


def test_the_plan_in_a_file_is_that_of_the_api(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("rows.csv", rows("a", "b", lastmod="2024-01-02"))
    assert cli("publish", "rows.csv", *TO).code == 0
    put("rows.csv", rows("a", "c", lastmod="2024-01-03"))
    given = [{"loc": "/a", "lastmod": "2024-01-03"}, {"loc": "/c", "lastmod": "2024-01-03"}]
    plan = urlset.publish(given, tmp_path / "out", base_url=BASE, dry_run=True).plan
    expected = json.loads(json.dumps(plan.as_dict()))
    for options in (["--dry-run"], []):
        assert cli("publish", "rows.csv", *TO, "--plan-out", "plan.json", *options).code == 0
        assert json.loads((tmp_path / "plan.json").read_text()) == expected
    summary = json.loads(cli("publish", "rows.csv", *TO, "--dry-run", "--format", "json").out)
    assert (summary["dry_run"], summary["written"], summary["plan"]["same"]) == (True, [], 2)


# --- guards --------------------------------------------------------------------------------------------------------


def test_a_guard_refuses_and_says_how_it_is_allowed(cli: Cli, put: Put) -> None:
    put("rows.csv", rows(*"abcdefghij"))
    assert cli("publish", "rows.csv", *TO).code == 0
    before = files(cli.folder / "out")
    put("rows.csv", rows(*"abc"))
    reason = "3 entries are 70% fewer than the 10 of the current set"
    ended = cli("publish", "rows.csv", *TO, "--plan-out", "plan.json")
    assert ended.code == 1
    assert json.loads((cli.folder / "plan.json").read_text())["removed"] == 7
    assert "guard     shrunk stops the publish\n" in ended.out  # the reason is said once, with the remedy
    assert ended.err == f"urlset: not published: {reason}; if that is intended, pass --allow shrunk\n"
    assert files(cli.folder / "out") == before
    planned = cli("publish", "rows.csv", *TO, "--dry-run")
    assert planned.code == 1
    assert "guard     shrunk stops the publish\n" in planned.out
    assert planned.err == f"urlset: would not be published: {reason}; if that is intended, pass --allow shrunk\n"
    allowed = cli("publish", "rows.csv", *TO, "--allow", "shrunk")
    assert (allowed.code, allowed.err) == (0, "")
    assert f"guard     {reason} (allowed)" in allowed.out
    assert locs(cli) == ["a", "b", "c"]


def test_every_guard_that_stops_a_publish_is_reported(cli: Cli, put: Put) -> None:
    put("rows.csv", rows(*map(str, range(30)), lastmod="2999-01-01"))
    ended = cli("publish", "rows.csv", *TO)
    assert ended.code == 1
    assert [line.rpartition(" ")[2] for line in ended.err.splitlines()] == ["one-lastmod", "future"]
    assert cli("publish", "rows.csv", *TO, "--allow", "future").code == 1
    assert cli("publish", "rows.csv", *TO, "--allow", "future", "--allow", "one-lastmod").code == 0


def test_a_guard_that_rows_tripped_over_shows_the_first(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc\n" + "https://other.example/\n" * 12)
    ended = cli("publish", "rows.csv", *TO, "--rejects", "rejects.jsonl")
    assert ended.code == 1
    assert "12 read, 12 refused" in ended.out
    lines = ended.err.splitlines()
    assert lines[0].startswith("urlset: rows.csv:2: LOC011 https://other.example/: ")
    assert len(lines) == 12
    assert [line.rpartition(" ")[2] for line in lines[10:]] == ["empty", "foreign"]
    assert len((cli.folder / "rejects.jsonl").read_text().splitlines()) == 12


def test_an_unknown_guard_is_reported(cli: Cli, put: Put) -> None:
    put("rows.csv", rows("a"))
    ended = cli("publish", "rows.csv", *TO, "--allow", "shrnk")
    assert ended.code == 2
    assert "unknown value 'shrnk'; did you mean shrunk?" in unwrapped(ended.err)


# --- the way back --------------------------------------------------------------------------------------------------


def test_the_set_before_comes_back(cli: Cli, put: Put) -> None:
    for names in ("ab", "abc"):
        put("rows.csv", rows(*names))
        assert cli("publish", "rows.csv", *TO).code == 0
    ended = cli("publish", "--rollback", "--dest", "out")
    assert (ended.code, ended.out) == (0, "Restored the previous set: 1 shard. A second rollback undoes this\n")
    assert locs(cli) == ["a", "b"]
    again = cli("publish", "--rollback", "--dest", "out", "--format", "json")
    assert json.loads(again.out) == {"current": ["sitemap.xml"]}
    assert locs(cli) == ["a", "b", "c"]


def test_there_may_be_no_set_before(cli: Cli, put: Put) -> None:
    put("rows.csv", rows("a"))
    assert cli("publish", "rows.csv", *TO).code == 0
    ended = cli("publish", "--rollback", "--dest", "out")
    assert ended.code == 2
    assert ended.err.startswith("urlset: there is no previous set to roll back to in ")
    assert cli("publish", "--rollback").code == 2


# --- urlset.toml ---------------------------------------------------------------------------------------------------

TOML = f"""
[publish]
base-url = "{BASE}"
dest = "public"
columns = {{ loc = "url" }}

[[publish.section]]
name = "shop"
rows = ["data/*.csv"]
shard-by = "key:brand"
columns = {{ lastmod = "updated", group = "id", lang = "locale" }}

[[publish.section]]
name = "site"
html = "dist"
"""
SHOP = "url,updated,brand,id,locale\n/tea,2024-01-02,Tea,1,en\n/tee,2024-01-03,Tea,1,de\n/pot,,Pot,,\n"


@pytest.fixture
def site(put: Put) -> None:
    """A site with two sections."""
    put("urlset.toml", TOML)
    put("data/shop.csv", SHOP)
    put("dist/index.html", "<title>Home</title><main>Home</main>")


@pytest.mark.usefixtures("site")
def test_a_site_is_published_from_its_file(cli: Cli) -> None:
    ended = cli("publish")
    assert (ended.code, ended.err) == (0, "")
    assert "Published 4 entries in 3 shards: https://example.com/sitemap.xml" in ended.out
    names = sorted(path.name for path in (cli.folder / "public").glob("*.gz"))
    kinds = ["shop.pot.*", "shop.tea.*", "site"]
    assert all(re.match(f"sitemap-{kind}-0001-", name) for kind, name in zip(kinds, names, strict=True))
    assert "files: 0 written" in cli("publish").out


@pytest.mark.usefixtures("site")
def test_a_site_is_published_by_python_too(cli: Cli, tmp_path: Path) -> None:
    assert cli("publish").code == 0
    with configured(tmp_path / "urlset.toml") as site:
        again = urlset.publish(site.entries, site.dest, **site.options)
    assert again.written == ()
    assert (again.plan.same, site.left_out) == (4, {})


@pytest.mark.usefixtures("site")
def test_a_file_is_found_from_a_folder_below(cli: Cli) -> None:
    below = Cli(cli.folder / "data")
    assert below("publish").code == 0
    assert len(locs(cli, "public")) == 4
    assert not (cli.folder / "data" / "public").exists()


@pytest.mark.usefixtures("site")
def test_options_win_over_the_file(cli: Cli, put: Put) -> None:
    put("rows.csv", "url\n/a\n")
    ended = cli("publish", "rows.csv", "--dest", "out", "--name", "mine", "--dry-run")
    assert "  + mine-0001  1 entry" in ended.out
    ended = cli("publish", "--shard-by", "hash:1", "--dest", "out", "--dry-run")
    assert re.search(r"  \+ shop.0-0001  3 entries", ended.out)
    assert cli("publish", "--config", "urlset.toml", "--dest", "other").code == 0
    assert len(locs(cli, "other")) == 4
    ended = cli("publish", "rows.csv", "--dest", "out", "--isolated")
    assert (ended.code, ended.err) == (
        2,
        "urlset: base-url is missing: pass --base-url, or set it in urlset.toml\n",
    )


def test_switches_can_be_put_off(cli: Cli, put: Put) -> None:
    put(
        "urlset.toml",
        f'[publish]\nbase-url = "{BASE}"\ndest = "out"\nrows = ["rows.csv"]\nupdate-robots = true\nstylesheet = true',
    )
    put("rows.csv", rows("a"))
    assert cli("publish", "--no-stylesheet").code == 0
    assert sorted(files(cli.folder / "out"))[1:] == ["robots.txt", "sitemap.xml"]
    assert (cli.folder / "out" / "robots.txt").read_text() == f"Sitemap: {BASE}sitemap.xml\n"
    assert cli("publish").code == 0
    assert "sitemap.css" in files(cli.folder / "out")


def test_of_an_option_and_a_key_the_option_counts(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc\n/a\nmailto:b\n")
    put("urlset.toml", f'[publish]\nbase-url = "{BASE}"\ndest = "out"\nrows = ["rows.csv"]\nrejects = "rejects.jsonl"')
    assert cli("publish", "--on-error", "raise").code == 2
    assert not (cli.folder / "rejects.jsonl").exists()
    assert cli("publish").code == 1
    assert len((cli.folder / "rejects.jsonl").read_text().splitlines()) == 1
    put("urlset.toml", f'[publish]\nbase-url = "{BASE}"\ndest = "out"\nrows = ["rows.csv"]\non-error = "raise"')
    assert cli("publish").code == 2
    assert cli("publish", "--rejects", "other.jsonl").code == 1


def test_every_option_of_the_set(cli: Cli, put: Put) -> None:
    news = {"publication_name": "E", "publication_language": "en", "publication_date": "2024-01-02", "title": "T"}
    yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")
    given = [{"loc": "/shop/a", "lastmod": yesterday, "news": news}, {"loc": "/shop/b"}, {"loc": "/other"}]
    put("rows.jsonl", "".join(json.dumps(row) + "\n" for row in given))
    options = ["--scope", BASE + "shop/", "--recent", "3", "--removed", "30", "--news", "--pretty", "--update-robots"]
    more = ["--compression", "none", "--stylesheet", "--memory", "300MB", "--rejects", "rejects.jsonl", "--name", "x"]
    more += ["--allow", "foreign"]
    ended = cli("publish", "rows.jsonl", *TO, *options, *more)
    assert ended.code == 1
    assert [json.loads(line)["code"] for line in (cli.folder / "rejects.jsonl").read_text().splitlines()] == ["LOC013"]
    names = [name for name in sorted(files(cli.folder / "out")) if not name.startswith(".")]
    begins = ["robots.txt", "sitemap-recent-0001-", "sitemap-x-0001-", "sitemap.css", "sitemap.xml"]
    assert all(name.startswith(begin) for name, begin in zip(names, begins, strict=True))
    assert not any(name.endswith(".gz") for name in names)
    content = (cli.folder / "out" / names[1]).read_text()
    assert "\n    <loc>" in content
    assert f"<lastmod>{yesterday.replace('+00:00', '')}" in content


UNCLEAR = [
    ([], "", "base-url is missing: pass --base-url, or set it in urlset.toml"),
    (["--base-url", BASE], "", "dest is missing: pass --dest, or set it in urlset.toml"),
    (list(TO), "", "the source of the rows is missing: set one of rows, html, set and database"),
    (["--config", "nowhere.toml"], "", "nowhere.toml: No such file or directory"),
    ([], "[publish]\nbase_url = 'x'", "urlset.toml: publish.base_url: unknown key; did you mean base-url?"),
    ([], "[publish]\nrows = ['*.parquet']\ndest = 'a'\nbase-url = 'https://a.example'", "no file matches "),
    (
        ["rows.csv"],
        "[publish]\ndest = 'a'\nbase-url = 'b'",
        "publish.base-url must be an absolute http(s) URL, got 'b'",
    ),
    ([], "[publish]\non-error = 'raise'\nrejects = 'r'", "it lists the rows that --on-error collect leaves out"),
    (["rows.csv", "--rollback"], "", "leave out ROWS: a rollback reads no rows"),
]


@pytest.mark.parametrize(("options", "text", "said"), UNCLEAR, ids=[said for *_, said in UNCLEAR])
def test_what_is_missing_or_contradictory_is_reported(
    cli: Cli, put: Put, options: list[str], text: str, said: str
) -> None:
    put("urlset.toml", text)
    put("rows.csv", rows("a"))
    ended = cli("publish", *options)
    assert (ended.code, ended.out) == (2, "")
    assert said in unwrapped(ended.err)
