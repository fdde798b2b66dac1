"""The responses of an endpoint, and how submit reacts to them."""

from __future__ import annotations

import time
from datetime import datetime

import pytest
from support.indexnow.folder import Folder, Page
from support.indexnow.server import KEY, Answer, Server
from urlset import FetchError, InputError

from indexnow.conftest import Submit


@pytest.fixture(autouse=True)
def locs(folder: Folder, server: Server) -> list[str]:
    """Six pages to submit."""
    locs = [f"{server.base_url}{number}" for number in range(6)]
    folder.begun([])
    folder.publish(Page(loc) for loc in locs)
    return locs


def failing(submit: Submit, **options: object) -> str:
    """Return the message of a submit, in posts of two pages, that fails."""
    with pytest.raises(FetchError) as caught:
        submit(**({"batch": 2} | options))
    return str(caught.value)


def test_200_is_recorded(folder: Folder, submit: Submit, locs: list[str]) -> None:
    submission = submit()
    assert (submission.sent, submission.accepted, submission.pending) == (6, 0, 0)
    assert folder.submitted() == set(locs)


def test_202_is_recorded_and_counted(server: Server, folder: Folder, submit: Submit, locs: list[str]) -> None:
    server.answers += [Answer(202), Answer(200), Answer(202)]
    submission = submit(batch=2)
    assert (submission.sent, submission.accepted, submission.pending) == (6, 4, 0)
    assert folder.submitted() == set(locs)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "reports a malformed request, which is caused by urlset or by one of these pages: "),
        (422, "check the published set and the location of the key file: "),
    ],
)
def test_400_and_422_stop_and_name_the_first_pages(
    server: Server, submit: Submit, locs: list[str], status: int, message: str
) -> None:
    server.answers.append(Answer(status, b'{"message": "bad\n URLs"}'))
    text = failing(submit, batch=5)
    assert f"the endpoint {server.endpoint} returns status {status}: it " in text
    assert message + f"{locs[0]}, {locs[1]}, {locs[2]} and 2 more" in text
    assert '(it says: {"message": "bad URLs"})' in text
    assert len(server.posts) == 1


def test_403_stops_and_names_the_key_file(server: Server, submit: Submit) -> None:
    server.answers.append(Answer(403))
    text = failing(submit)
    assert "does not accept the key" in text
    assert f"able to read {server.base_url}0123….txt: check" in text
    assert len(server.posts) == 1


@pytest.mark.parametrize("status", [201, 204, 404, 405, 410, 499])
def test_an_unknown_status_stops(server: Server, folder: Folder, submit: Submit, status: int) -> None:
    server.answers.append(Answer(status))
    assert f"returns status {status}, which IndexNow does not define: is it an IndexNow endpoint" in failing(submit)
    assert (len(server.posts), folder.submitted()) == (1, set())


def test_413_asks_for_smaller_batches(server: Server, submit: Submit) -> None:
    server.answers.append(Answer(413))
    assert "smaller batch" in failing(submit)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: Server, submit: Submit, status: int) -> None:
    server.answers.append(Answer(status, headers={"Location": "/elsewhere"}))
    assert f"returns status {status} and redirects to /elsewhere: posts are not redirected" in failing(submit)
    assert [post.path for post in server.posts] == ["/indexnow"]


def test_submitted_batches_stay_recorded_and_the_next_submit_continues(
    server: Server, folder: Folder, submit: Submit, locs: list[str]
) -> None:
    server.answers += [Answer(200), Answer(202), Answer(422)]
    text = failing(submit)
    assert text.endswith("; 4 of 6 changes submitted and recorded; submit again to continue with the other 2")
    assert folder.submitted() == set(locs[:4])
    assert submit(batch=2).sent == 2
    assert [post.locs for post in server.posts] == [locs[:2], locs[2:4], locs[4:], locs[4:]]


def test_a_server_that_recovers_gets_everything_once(
    server: Server, folder: Folder, submit: Submit, locs: list[str]
) -> None:
    soon = {"Retry-After": "0"}
    server.answers += [Answer(500, headers=soon), Answer(how="drop"), Answer(503, headers=soon)]
    server.answers += [Answer(429, headers=soon), Answer(200), Answer(502, headers=soon)]
    assert submit(batch=3).sent == 6
    assert [post.locs for post in server.posts] == [locs[:3]] * 5 + [locs[3:]] * 2
    assert folder.submitted() == set(locs)


def test_retries_are_limited(server: Server, submit: Submit) -> None:
    server.answers += [Answer(503, b"maintenance", headers={"Retry-After": "0"})] * 5
    text = failing(submit, retries=2)
    assert (
        f"the endpoint {server.endpoint} returns status 503 (it says: maintenance), 3 times: submit again later" in text
    )
    assert len(server.posts) == 3


def test_zero_retries_means_one_attempt(server: Server, submit: Submit) -> None:
    server.answers.append(Answer(503))
    failing(submit, retries=0)
    assert len(server.posts) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({}, 1.0),
        # A date is by the server's clock.
        ({"Retry-After": "Thu, 01 May 2031 00:00:02 GMT", "Date": "Thu, 01 May 2031 00:00:00 GMT"}, 2.0),
    ],
)
def test_a_pause_is_as_long_as_the_server_asks_for(
    server: Server, submit: Submit, headers: dict[str, str], seconds: float
) -> None:
    server.answers.append(Answer(503, headers=headers))
    begin = time.monotonic()
    assert submit().sent == 6
    assert seconds <= time.monotonic() - begin < seconds + 5


@pytest.mark.parametrize("value", ["601", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_retry_after_of_more_than_ten_minutes_is_not_waited_for(server: Server, submit: Submit, value: str) -> None:
    server.answers.append(Answer(429, headers={"Retry-After": value}))
    text = failing(submit)
    assert "asks to wait for more than 10 minutes (Retry-After: " in text
    assert len(server.posts) == 1


@pytest.mark.parametrize("how", ["hang", "drip-headers"])
def test_a_request_ends_after_its_timeout_whatever_the_server_does(
    server: Server, folder: Folder, submit: Submit, how: str
) -> None:
    server.answers += [Answer(200, how=how)] * 2
    text = failing(submit, timeout=0.4, retries=1)
    assert f"the endpoint {server.endpoint} did not send a complete response within 0.4 s, 2 times" in text
    assert len(server.posts) == 2
    assert folder.submitted() == set()


@pytest.mark.parametrize("how", ["drip", "cut"])
def test_a_refusal_counts_even_if_its_body_is_incomplete(server: Server, submit: Submit, how: str) -> None:
    server.answers.append(Answer(413, b"abcd", how=how))
    assert "returns status 413: it reports that the request is too large" in failing(submit, timeout=0.4)
    assert len(server.posts) == 1


@pytest.mark.parametrize("how", ["drip", "cut"])
def test_an_acknowledgement_counts_even_if_its_body_is_incomplete(server: Server, submit: Submit, how: str) -> None:
    server.answers.append(Answer(200, b"abc", how=how))
    assert submit().sent == 6
    assert len(server.posts) == 1


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:1/indexnow", "http://a..b/", "https://127.0.0.1:1/"])
def test_an_unreachable_endpoint_is_reported(submit: Submit, endpoint: str) -> None:
    text = failing(submit, endpoint=endpoint, retries=1)
    assert f"the endpoint {endpoint} cannot be reached: " in text


def test_a_server_without_tls_is_reported(server: Server, submit: Submit) -> None:
    text = failing(submit, endpoint=server.endpoint.replace("http:", "https:"), retries=0)
    assert "cannot be reached: " in text


def test_a_query_of_the_endpoint_is_used_but_not_shown(server: Server, folder: Folder, submit: Submit) -> None:
    server.answers += [Answer(200), Answer(403)]
    assert "token" not in failing(submit, endpoint=server.endpoint + "?token=secret")
    assert server.posts[0].path == "/indexnow?token=secret"
    assert {row[4] for row in folder.rows().values()} == {server.endpoint}


def test_a_proxy_of_the_environment_is_used(server: Server, submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.base_url)
    server.answers.append(Answer(200))
    # Requests to a proxy have absolute URLs.
    server.files[f"{server.base_url}{KEY}.txt"] = Answer(body=KEY.encode())
    assert submit(endpoint="http://engine.invalid/indexnow", retries=0).sent == 6
    assert server.posts[0].path == "http://engine.invalid/indexnow"


def test_an_unusable_proxy_is_reported_without_its_password(submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://user:secret@proxy.example")
    with pytest.raises(InputError, match="the proxy that the environment names") as caught:
        submit()
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"batch": 0},
        {"batch": 10_001},
        {"retries": -1},
        {"retries": 101},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"timeout": 3601},
        {"now": datetime(2024, 1, 1)},  # noqa: DTZ001
    ],
)
def test_numbers_out_of_range_are_refused(server: Server, submit: Submit, options: dict[str, object]) -> None:
    with pytest.raises(InputError):
        submit(**options)
    assert not server.gets
