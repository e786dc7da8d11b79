"""The client: one request, one answer, inside its bounds. It follows no redirect and repeats nothing."""

from __future__ import annotations

import functools
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpcore
import httpx

from auto_benchmark.http.answer import Answer
from auto_benchmark.http.body import unpacked
from auto_benchmark.http.bounds import Bounds
from auto_benchmark.http.errors import BadRequestError, NotConnectedError, TooLargeError, UnreachableError
from auto_benchmark.http.request import Certificate, Request, Route
from auto_benchmark.http.stream import Allowance, GuardedBackend


def call(request: Request, bounds: Bounds, route: Route) -> Answer:
    """One request and its answer, whatever its status.

    Raises:
        UnreachableError: no answer, no complete one, or none in time.
        CallRefusedError: the request cannot be sent, its host is private, or the answer is too large.
    """
    headers = {"Accept-Encoding": "gzip", "Connection": "close", **request.headers}
    allowance = Allowance(bounds)
    try:
        with (
            httpx.Client(transport=_Transport(allowance, route), timeout=bounds.silence_s) as client,
            client.stream(request.method, request.url, headers=headers, content=request.content) as response,
        ):
            return Answer(response.status_code, _content(response, allowance), dict(response.headers))
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as error:
        raise BadRequestError(f"the request cannot be made: {error}") from None
    except (httpx.HTTPError, httpcore.NetworkError, httpcore.TimeoutException, OSError) as error:
        is_connected = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
        what = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise (UnreachableError if is_connected else NotConnectedError)(what) from None


def _content(response: httpx.Response, allowance: Allowance) -> bytes:
    declared, limit = response.headers.get("content-length", ""), allowance.bounds.bytes
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise TooLargeError(f"the answer is {declared[:20]} bytes, more than {limit}")

    def chunks() -> Iterator[bytes]:
        for chunk in response.iter_raw():  # one read of the wire may hold ten thousand of them
            allowance.seconds()
            yield chunk

    return unpacked(chunks(), response.headers.get("content-encoding", ""), limit)


class _Transport(httpx.HTTPTransport):
    """httpx's transport over connections that are guarded and bounded."""

    def __init__(self, allowance: Allowance, route: Route) -> None:
        context = _ssl_context(route.verify, route.certificate)
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            proxy=_proxy(route.proxy),
            network_backend=GuardedBackend(allowance, private=route.private),
        )


def _proxy(url: str | None) -> httpcore.Proxy | None:
    if url is None:
        return None
    try:
        told = httpx.Proxy(url if "://" in url else f"http://{url}")
    except ValueError as error:
        raise BadRequestError(f"the proxy cannot be used: {error}") from None
    return httpcore.Proxy(str(told.url), auth=told.raw_auth)


def _ssl_context(verify: bool | str, certificate: Certificate) -> ssl.SSLContext:
    if certificate is None and isinstance(verify, bool):
        return _usual_context(verify)
    if isinstance(verify, bool):
        context = httpx.create_ssl_context(verify=verify, trust_env=False)
    elif Path(verify).is_dir():
        context = ssl.create_default_context(capath=verify)
    else:
        context = ssl.create_default_context(cafile=verify)
    if certificate is not None:
        context.load_cert_chain(*([certificate] if isinstance(certificate, str) else certificate))
    return context


@functools.lru_cache(maxsize=2)
def _usual_context(verify: bool) -> ssl.SSLContext:
    """Loading certificates takes longer than a call in the same network, so this is done once."""
    return httpx.create_ssl_context(verify=verify, trust_env=False)
