"""The proxies that requests go through: the caller's, or those of the environment."""

from __future__ import annotations

import os
from typing import NamedTuple

from urlset._model.errors import InputError
from urlset._options.http import DIRECT, Http, is_proxy


class Proxies(NamedTuple):
    """The proxy for http, the one for https, and the hosts that are asked without them, as `NO_PROXY` lists them."""

    http: str | None = None
    https: str | None = None
    direct: str | None = None


def proxies_of(options: Http) -> Proxies:
    """Return the proxies of a run.

    The environment names them as it does for curl: `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY`, and `NO_PROXY`, in small
    or in capital letters. Their hosts may stand without a scheme.

    Raises:
        InputError: A proxy of the environment cannot be used.
    """
    if options.proxy == DIRECT:
        return Proxies()
    named = _of_environment()
    direct = named.get("no")
    if options.proxy is not None:
        return Proxies(options.proxy, options.proxy, direct)
    http, https = (named.get(scheme) or named.get("all") for scheme in ("http", "https"))
    if (http or https) and options.private_addresses == "never":
        raise InputError(
            "Http.private_addresses='never' cannot be kept with the proxy that the environment names, which decides by"
            f" itself what it reaches: set Http.proxy={DIRECT!r} to do without it"
        )
    return Proxies(_checked(http), _checked(https), direct)


def _of_environment() -> dict[str, str]:
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return {}
    from urllib.request import getproxies_environment  # noqa: PLC0415  (it imports a client for HTTP)

    return getproxies_environment()


def _checked(proxy: str | None) -> str | None:
    """Return the URL of a proxy of the environment. The error does not show it: it may have a password."""
    if proxy is None:
        return None
    url = proxy if "://" in proxy else f"http://{proxy}"
    if not is_proxy(url):
        raise InputError(
            "the proxy that the environment names (HTTP_PROXY, HTTPS_PROXY or ALL_PROXY) must be the URL of an http or"
            f" https proxy; set Http.proxy, --proxy, to another one, or to {DIRECT!r} to do without it"
        )
    return url
