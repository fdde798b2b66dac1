"""`urlset submit`: what it says, and how it ends."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import urlset
from click.testing import CliRunner, Result
from support.indexnow.folder import NOON, Folder, Page
from support.indexnow.server import KEY, Answer, Server, serving
from support.s3 import S3Server, s3_server
from urlset._cli.app import app

__all__ = ["s3_server"]

Submit = Callable[..., Result]


@pytest.fixture
def server() -> Iterator[Server]:
    """A site and an engine."""
    with serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, server: Server) -> Folder:
    """A folder of the server's site."""
    return Folder(tmp_path / "public", server.base_url)


@pytest.fixture
def run(server: Server, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Submit:
    """Submit the folder to the server, without any settings of this machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)

    def run(*arguments: str, key: str | None = KEY, **env: str) -> Result:
        given = [] if key is None else ["--key", key]
        usual = ["submit", "--dest", str(folder.path), "--endpoint", server.endpoint, "--allow-http", *given]
        return CliRunner().invoke(app, [*usual, *arguments], env={"URLSET_INDEXNOW_KEY": None, **env})

    return run


@pytest.fixture
def changed(folder: Folder, server: Server) -> list[str]:
    """One page that is new, one that changed and one that is gone since the publish before."""
    base = server.base_url
    folder.publish([Page(base + "a"), Page(base + "b"), Page(base + "c")])
    folder.publish([Page(base + "a"), Page(base + "b", key=2), Page(base + "c", gone=NOON), Page(base + "d")])
    return [base + "b", base + "c", base + "d"]


def test_the_summary_of_a_submit(server: Server, run: Submit, changed: list[str]) -> None:
    ended = run()
    assert ended.exit_code == 0
    assert ended.stdout.splitlines() == [
        f"Submitted 3 pages of {server.host} to {server.endpoint} in 1 request",
        "  1 added, 1 changed, 1 removed",
        "The submission log starts with this submit, from the set before the last publish",
    ]
    assert ended.stderr == ""
    assert server.locs == changed


def test_a_set_in_an_object_store(
    server: Server,
    s3_server: S3Server,
    tmp_path: Path,
) -> None:
    bucket = f"s3://{s3_server.new_bucket()}/set"
    for rows in ["/a"], ["/a", "/b"]:
        urlset.publish(rows, bucket, base_url=server.base_url, store=s3_server.options)
    config = tmp_path / "urlset.toml"
    # What is secret is in the environment.
    secret = {f"AWS_{name.upper()}": s3_server.options[name] for name in ("access_key_id", "secret_access_key")}
    open_ones = {name: value for name, value in s3_server.options.items() if f"AWS_{name.upper()}" not in secret}
    options = "\n".join(f"{name} = {json.dumps(value)}" for name, value in open_ones.items())
    config.write_text(f'[publish]\nbase-url = "{server.base_url}"\ndest = "{bucket}"\n[publish.store]\n{options}\n')
    told = [f"--store={name}={str(value).lower()}" for name, value in open_ones.items()]
    usual = ["--key", KEY, "--endpoint", server.endpoint, "--allow-http"]
    for arguments in (["--dest", bucket, *told, "--isolated", "--dry-run"], ["--config", str(config)]):
        ended = CliRunner().invoke(app, ["submit", *usual, *arguments], env={"URLSET_INDEXNOW_KEY": None, **secret})
        assert (ended.exit_code, ended.stderr) == (0, "")
        assert "1 page of" in ended.stdout
    assert server.locs == [server.base_url + "b"]


def test_nothing_to_submit_is_no_failure(run: Submit, changed: list[str]) -> None:
    assert changed
    run()
    ended = run()
    assert ended.exit_code == 0
    assert ended.stdout == "Nothing to submit: no page has changed since the last submit\n"


def test_the_first_publish_is_submitted_only_on_request(server: Server, folder: Folder, run: Submit) -> None:
    folder.publish([Page(server.base_url)])
    said = (
        "with this submit, from the published set (1 page), and nothing is submitted: "
        "IndexNow is for changes. --everything submits all pages\n"
    )
    assert run("--dry-run").stdout == f"The submission log would start {said}"
    assert run().stdout == f"The submission log starts {said}"
    assert not server.posts
    assert run("--everything").stdout.startswith("Submitted 1 page of ")


def test_a_dry_run_lists_the_first_changes(server: Server, folder: Folder, run: Submit) -> None:
    folder.begun([])
    folder.publish(Page(f"{server.base_url}{number:02}") for number in range(12))
    ended = run("--dry-run", "--batch", "5")
    assert ended.exit_code == 0
    assert ended.stdout.splitlines() == [
        f"Would submit 12 pages of {server.host} to {server.endpoint} in 3 requests",
        "  12 added, 0 changed, 0 removed",
        *(f"  added {server.base_url}{number:02}" for number in range(10)),
        "  and 2 more",
    ]
    assert not server.gets


def test_the_summary_is_also_json(server: Server, run: Submit, changed: list[str]) -> None:
    server.answers.append(Answer(202))
    summary = json.loads(run("--format", "json").stdout)
    assert summary == {
        "endpoint": server.endpoint,
        "host": server.host,
        "baseline": "previous",
        "added": 1,
        "changed": 1,
        "removed": 1,
        "sent": 3,
        "accepted": 3,
        "pending": 0,
        "batches": 1,
        "other_host": 0,
        "outside": 0,
        "recorded": 4,
        "dry_run": False,
        "first": [
            {"change": change, "loc": loc} for change, loc in zip(("changed", "removed", "added"), changed, strict=True)
        ],
    }


def test_a_pending_check_of_the_key_is_reported(server: Server, run: Submit, changed: list[str]) -> None:
    assert changed
    server.answers.append(Answer(202))
    assert "  3 pages accepted, with the check of the key pending (202)\n" in run().stdout


def test_pages_that_were_left_out_are_reported_with_exit_code_1(server: Server, folder: Folder, run: Submit) -> None:
    folder.begun([])
    folder.publish([Page("https://other.example/"), Page(server.base_url + "a"), Page(server.base_url + "shop/b")])
    server.files["/shop/key.txt"] = Answer(body=KEY.encode())
    ended = run("--key-location", server.base_url + "shop/key.txt")
    assert ended.exit_code == 1
    assert server.locs == [server.base_url + "shop/b"]
    assert ended.stdout.splitlines()[2:] == [
        f"Left out 1 page on another host than {server.host}",
        "Left out 1 page outside the folder of the key file",
    ]


def test_a_refusal_is_exit_code_2_and_one_sentence(server: Server, run: Submit, changed: list[str]) -> None:
    assert changed
    server.answers += [Answer(200), Answer(403)]
    ended = run("--batch", "1")
    assert ended.exit_code == 2
    assert ended.stdout == ""
    start = f"urlset: the endpoint {server.endpoint} returns status 403: it does not accept the key."
    assert ended.stderr.startswith(start)
    assert ended.stderr.endswith("; 1 of 3 changes submitted and recorded; submit again to continue with the other 2\n")
    assert KEY not in ended.stderr
    assert run().exit_code == 0


def test_the_key_can_come_from_the_environment(server: Server, run: Submit, changed: list[str]) -> None:
    assert changed
    assert run(key=None, URLSET_INDEXNOW_KEY=KEY).exit_code == 0
    assert server.posts[0].body["key"] == KEY


def test_the_help_does_not_show_the_key_of_the_environment(run: Submit) -> None:
    ended = run("--help", key=None, URLSET_INDEXNOW_KEY=KEY)
    assert ended.exit_code == 0
    assert "URLSET_INDEXNOW_KEY" in ended.stdout
    assert KEY not in ended.stdout


def test_without_a_key_nothing_happens(server: Server, run: Submit, changed: list[str]) -> None:
    assert changed
    ended = run(key=None)
    assert ended.exit_code == 2
    assert "--key" in ended.stderr
    assert not server.gets


def test_http_is_not_used_unless_allowed(server: Server, folder: Folder, run: Submit, changed: list[str]) -> None:
    assert changed
    arguments = ["submit", "--dest", str(folder.path), "--key", KEY, "--endpoint", server.endpoint]
    ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 2
    assert "endpoint must be an https URL" in ended.stderr
    assert not server.gets


def test_retries_and_timeout_are_passed_on(server: Server, run: Submit, changed: list[str]) -> None:
    assert changed
    server.answers.append(Answer(how="hang"))
    ended = run("--timeout", "0.2", "--retries", "0")
    assert ended.exit_code == 2
    assert "did not send a complete response within 0.2 s, 1 time: " in ended.stderr
