"""The key and its file, and that neither appears where it should not."""

from __future__ import annotations

import logging

import pytest
from support.indexnow.folder import Folder, Page
from support.indexnow.server import KEY, Answer, Server, serving
from urlset import FetchError, InputError

from indexnow.conftest import Submit

SHORT = "0123…"


@pytest.fixture(autouse=True)
def _published(folder: Folder, server: Server) -> None:
    """One page to submit."""
    folder.begun([])
    folder.publish([Page(server.base_url)])


def refused(server: Server, submit: Submit) -> str:
    """Return the specific part of the message about a wrong key file, and check that nothing is sent."""
    with pytest.raises(FetchError) as caught:
        submit()
    text = str(caught.value)
    begin, end = f"the key file {server.base_url}{SHORT}.txt ", "; nothing was sent"
    assert text.startswith(begin)
    assert text.endswith(end)
    assert "put a text file there that contains only the key" in text
    assert KEY not in text
    assert not server.posts
    return text.removeprefix(begin).partition(": put a text file")[0]


@pytest.mark.parametrize("body", [KEY, f"\ufeff{KEY}", f" {KEY}\r\n", f"\ufeff\n{KEY}\t\n\n"])
def test_blanks_and_a_byte_order_mark_around_the_key_do_not_matter(server: Server, submit: Submit, body: str) -> None:
    server.files[f"/{KEY}.txt"] = Answer(body=body.encode())
    assert submit().sent == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(404), "returns status 404"),
        (Answer(403), "returns status 403"),
        (Answer(204), "returns status 204"),
        (Answer(200, b""), "is empty"),
        (Answer(200, b" \xef\xbb\xbf \n"), "does not contain the key"),
        (Answer(200, KEY.encode() + b"x"), "does not contain the key"),
        (Answer(200, KEY.encode() + b"\n" + KEY.encode()), "does not contain the key"),
        (Answer(200, KEY.upper().encode()), "does not contain the key"),
        (Answer(200, KEY.encode("utf-16")), "does not contain the key"),
        (Answer(200, b"<!doctype html><title>Not found</title>"), "is an HTML page"),
        (Answer(200, KEY.encode() + b" " * 1024), "is larger than 1 kB"),
        (Answer(200, b"\x1f\x8b\x08", {"Content-Encoding": "gzip"}), "does not contain the key"),
        (
            Answer(302, headers={"Location": "https://other.example/key.txt"}),
            "redirects to another host, other.example",
        ),
        (Answer(302, headers={"Location": "http://x:port/"}), "redirects to an invalid URL"),
        (Answer(302), "returns status 302"),
        (Answer(302, headers={"Location": f"/{KEY}.txt"}), "redirects more than 5 times"),
    ],
)
def test_without_the_right_key_file_nothing_is_sent(
    server: Server, submit: Submit, answer: Answer, message: str
) -> None:
    server.files[f"/{KEY}.txt"] = answer
    assert refused(server, submit) == message


def test_a_huge_key_file_is_read_no_further_than_needed(server: Server, submit: Submit) -> None:
    server.files[f"/{KEY}.txt"] = Answer(body=b"x" * 2000, how="drip")
    assert refused(server, submit) == "is larger than 1 kB"


def test_a_redirect_on_the_same_host_is_followed(server: Server, submit: Submit) -> None:
    server.files[f"/{KEY}.txt"] = Answer(301, headers={"Location": "/keys/key.txt"})
    server.files["/keys/key.txt"] = Answer(body=KEY.encode())
    server.answers.append(Answer(200))
    assert submit().sent == 1


def test_another_port_is_another_host(server: Server, submit: Submit) -> None:
    with serving() as other:
        server.files[f"/{KEY}.txt"] = Answer(301, headers={"Location": f"{other.base_url}{KEY}.txt"})
        assert refused(server, submit) == "redirects to another host, 127.0.0.1"
        assert not other.gets


def test_a_key_file_that_is_temporarily_unavailable_is_requested_again(server: Server, submit: Submit) -> None:
    soon = {"Retry-After": "0"}
    server.key_answers += [Answer(503, headers=soon), Answer(how="drop"), Answer(429, headers=soon)]
    assert submit().sent == 1


def test_a_key_file_at_another_location_is_requested_there(server: Server, submit: Submit) -> None:
    server.files = {"/k.txt": Answer(body=KEY.encode())}
    assert submit(key_location=server.base_url + "k.txt").sent == 1
    assert [path for path, _ in server.gets] == ["/k.txt"]


@pytest.mark.parametrize("key", ["", "short-7", "x" * 129, "with blank", "ümlaut-key", "under_score", f"{KEY}\n"])
def test_an_invalid_key_is_refused_and_not_shown(submit: Submit, key: str) -> None:
    with pytest.raises(InputError, match="key must have 8 to 128 of the characters") as caught:
        submit(key=key)
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"endpoint": "http://engine.example/indexnow"}, "endpoint must be an https URL"),
        ({"key_location": f"http://engine.example/{KEY}.txt"}, "key_location must be an https URL"),
        ({}, "only requested by https"),
    ],
)
def test_http_must_be_allowed(server: Server, submit: Submit, options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        submit(**({"endpoint": "https://engine.example/"} | options), allow_http=False)
    assert KEY not in str(caught.value)
    assert not server.gets


@pytest.mark.parametrize(
    ("name", "address", "message"),
    [
        ("endpoint", "ftp://engine.example/", "endpoint must be an absolute https URL"),
        ("endpoint", "engine.example", "endpoint must be an absolute https URL"),
        ("endpoint", "https://u:secret@engine.example/", "endpoint must not contain a user name or password"),
        ("endpoint", "https://x:port/", "endpoint must be a valid URL"),
        ("key_location", "https:///key.txt", "key_location must be an absolute https URL"),
        ("key_location", "https://other.example/key.txt", "key_location must be on the host of the published set"),
    ],
)
def test_invalid_addresses_are_refused(submit: Submit, name: str, address: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        submit(**{name: address})
    assert "secret" not in str(caught.value)


def test_the_key_is_not_logged(server: Server, submit: Submit, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.files[f"/{KEY}.txt"] = Answer(301, headers={"Location": f"/keys/{KEY}.txt"})
    server.files[f"/keys/{KEY}.txt"] = Answer(body=KEY.encode())
    server.answers.append(Answer(403, f"no such key {KEY}".encode()))
    with pytest.raises(FetchError) as caught:
        submit()
    assert not [record for record in caplog.records if KEY in record.getMessage()]
    assert KEY not in str(caught.value)
    assert SHORT in str(caught.value)


def test_the_key_is_masked_before_a_quoted_message_is_cut(server: Server, submit: Submit) -> None:
    server.answers.append(Answer(403, b"x" * 190 + KEY.encode() + b"\x1b[31m" * 50))
    with pytest.raises(FetchError) as caught:
        submit()
    assert KEY[:6] not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_cookies_are_not_kept(server: Server, submit: Submit) -> None:
    server.files[f"/{KEY}.txt"] = Answer(body=KEY.encode(), headers={"Set-Cookie": "a=b; Path=/"})
    submit()
    assert "cookie" not in server.posts[0].headers
    assert "cookie" not in server.gets[0][1]
