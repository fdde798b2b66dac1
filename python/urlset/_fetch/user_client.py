"""The caller's own client, with its authentication, cookies and proxies, for the sites that the caller named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpcore2

from urlset._fetch.addresses import AddressPolicy

if TYPE_CHECKING:
    import httpx2


class ClientResponse:
    """A response of such a client: the bytes of its body as they were sent."""

    def __init__(self, response: httpx2.Response, left: Callable[[], float]) -> None:
        self._response = response
        self._left = left
        self.status = response.status_code
        self.headers = response.headers.raw

    def iter_stream(self) -> Iterator[bytes]:
        """Yield the body, as long as the time lasts."""
        with _as_ours():
            for chunk in self._response.iter_raw():
                self._left()
                yield chunk

    def close(self) -> None:
        """Receive no more."""
        self._response.close()


def send(
    client: httpx2.Client,
    method: str,
    url: str,
    headers: Mapping[str, str],
    left: Callable[[], float],
    policy: AddressPolicy,
) -> ClientResponse:
    """Send a request through a client, follow no redirect, and return the response once its headers are there.

    Args:
        client: The client.
        method: `GET` or `HEAD`.
        url: The URL.
        headers: What goes over the client's own headers.
        left: Returns the seconds that a wait may take, and raises once the time is up.
        policy: Which addresses may be reached.

    Raises:
        AddressError: The address that answered must not be reached.
        httpcore2.NetworkError: There is no connection, or it broke.
        httpcore2.TimeoutException: The server did not answer in time.
        httpcore2.ProtocolError: The answer is not HTTP.
    """
    with _as_ours():
        request = client.build_request(method, url, headers=dict(headers), timeout=left())
        response = client.send(request, stream=True, follow_redirects=False)
    try:
        stream = response.extensions.get("network_stream")
        # The client dials by itself, so what it has reached is checked before anything of it is read.
        address = None if stream is None else stream.get_extra_info("server_addr")
        policy.allowed(request.url.host, [] if address is None else [str(address[0])])
    except BaseException:
        response.close()
        raise
    return ClientResponse(response, left)


@contextmanager
def _as_ours() -> Iterator[None]:
    """Raise the client's errors as those of our own connections."""
    import httpx2  # noqa: PLC0415  (whoever has a client has it)

    try:
        yield
    except httpx2.TimeoutException as error:
        raise httpcore2.ReadTimeout(str(error)) from error
    except httpx2.ConnectError as error:
        raise httpcore2.ConnectError(str(error)) from error
    except httpx2.ProtocolError as error:
        raise httpcore2.RemoteProtocolError(str(error)) from error
    except httpx2.TransportError as error:
        raise httpcore2.ReadError(str(error)) from error
