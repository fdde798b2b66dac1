"""`urlset report`, and `urlset lint --report`."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
import urlset
from support.cli import Cli, unwrapped
from support.http_server import Answer, serve
from support.report.run_file import make_run_file

Put = Callable[[str, str | bytes], Path]

BAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n<url><loc>/about</loc></url>\n</urlset>\n'


@pytest.fixture
def runs(cli: Cli) -> Path:
    return make_run_file(cli.folder / "site.duckdb", pages=60, findings=20, runs=2)


def test_a_run_is_written_as_a_page(cli: Cli, runs: Path) -> None:
    ended = cli("report", runs.name, "-o", "report.html")
    assert (ended.code, ended.out, ended.err) == (0, "Wrote report.html\n", "")
    same = urlset.report(runs, cli.folder / "same.html")
    assert (cli.folder / "report.html").read_bytes() == same.read_bytes()
    assert cli("report", runs.name, "-o", "first.html", "--run", "2", "--quiet").out == ""
    assert "Audit</dt><dd>2, complete" in (cli.folder / "first.html").read_text("utf-8")


def test_a_run_is_written_as_a_table(cli: Cli, runs: Path) -> None:
    assert cli("report", runs.name, "-o", "pages.parquet", "--table", "pages").code == 0
    assert pq.read_table(cli.folder / "pages.parquet").num_rows == 60


def test_what_is_wrong_is_exit_code_2(cli: Cli, runs: Path) -> None:
    ended = cli("report", runs.name, "-o", "report.pdf")
    assert (ended.code, ended.err) == (2, "urlset: path must end in .html, .parquet, .csv or .xlsx, got 'report.pdf'\n")
    ended = cli("report", runs.name, "-o", "report.html", "--run", "5")
    assert ended.code == 2
    assert "run 5 is not a run of this file, which has audit 1 of 2026-11-16, audit 2 of" in unwrapped(ended.err)
    assert cli("report", runs.name, "-o", "report.html", "--logo", runs.name).code == 2
    assert cli("report", "none.duckdb", "-o", "report.html").code == 2
    assert cli("report", runs.name).code == 2


def test_a_lint_writes_a_page_beside_what_it_prints(cli: Cli, put: Put) -> None:
    put("sitemap.xml", BAD)
    plain = cli("lint", "sitemap.xml")
    ended = cli("lint", "sitemap.xml", "--report", "report.html")
    assert (ended.code, ended.out) == (plain.code, plain.out) == (1, plain.out)
    assert "sitemap.xml:2:11" in (cli.folder / "report.html").read_text("utf-8")
    assert cli("lint", "sitemap.xml", "--report", "findings.parquet").code == 1
    assert pq.read_table(cli.folder / "findings.parquet")["code"].to_pylist() == ["LOC002"]


def test_a_report_of_another_kind_is_refused_before_anything_is_read(cli: Cli, put: Put) -> None:
    put("sitemap.xml", BAD)
    ended = cli("lint", "sitemap.xml", "--report", "report.txt")
    assert (ended.code, ended.out) == (2, "")
    assert "must end in .html, .parquet, .csv or .xlsx" in unwrapped(ended.err)


def test_an_audit_writes_a_page_too(cli: Cli) -> None:
    with serve() as site:
        locs = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/", "/gone"))
        set_ = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{locs}</urlset>".encode()
        text = b"<title>Tea</title><h1>Tea</h1><p>Green tea, black tea and white tea, all of them are here.</p>"
        site.pages = {"/sitemap.xml": Answer(set_), "/": Answer(text, headers={"Content-Type": "text/html"})}
        ended = cli("audit", f"{site.url}/sitemap.xml", "--report", "report.html")
        assert ended.code == 1
        written = (cli.folder / "report.html").read_text("utf-8")
        assert "LIVE001" in written
        assert f"{site.url}/gone" in written
        asked = len(site.requests)
        refused = cli("audit", f"{site.url}/sitemap.xml", "--report", "report.txt")
        assert (refused.code, refused.out, len(site.requests)) == (2, "", asked)
