"""Airflow's HTTP hook over the library's client: the Connection says how, the client keeps time and size bounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import requests
from airflow.providers.http.hooks.http import HttpHook
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict
from requests.utils import get_encoding_from_headers, select_proxy
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError

from auto_benchmark.http.bounds import Bounds, Deadline
from auto_benchmark.http.client import call
from auto_benchmark.http.errors import NotConnectedError, UnreachableError
from auto_benchmark.http.request import Request, Route
from auto_benchmark.private_hosts import NO_PRIVATE, PrivateHosts
from auto_benchmark.settings import Settings


class BoundedHttpHook(HttpHook):
    """Authentication, headers, proxy, TLS, timeout and redirects are the Connection's.

    Args:
        method: of HTTP.
        conn_id: of the Connection.
        bounds: for the call and all redirects that it meets.
    """

    def __init__(self, method: str, conn_id: str, bounds: Bounds) -> None:
        super().__init__(method=method, http_conn_id=conn_id)
        self._bounds = bounds

    def get_conn(
        self, headers: dict[Any, Any] | None = None, extra_options: dict[str, Any] | None = None
    ) -> requests.Session:
        """The Connection's session; both schemes go through the library, as redirects change it."""
        session = super().get_conn(headers, extra_options)
        adapter = BoundedAdapter(self._bounds, Settings().private_hosts)
        session.mount("http://", adapter)
        session.mount("https://", adapter)
        return session

    def run_and_check(
        self, session: requests.Session, prepped_request: requests.PreparedRequest, extra_options: dict[Any, Any]
    ) -> Any:
        """Ask one of the Connection's hosts (an SRV record names several); where it redirects to is not named by it."""
        url = prepped_request.url or ""
        adapter = session.get_adapter(url)
        if isinstance(adapter, BoundedAdapter):
            adapter.private |= PrivateHosts.of([urlsplit(url).hostname])
        return super().run_and_check(session, prepped_request, extra_options)


class BoundedAdapter(BaseAdapter):
    """Carries the calls of a ``requests`` session over the library's client.

    Args:
        bounds: the time is for all calls together.
        private: hosts that may have a private address; redirects to others are refused.
    """

    def __init__(self, bounds: Bounds, private: PrivateHosts) -> None:
        super().__init__()
        self._bounds, self.private = bounds, private
        self._deadline = Deadline(bounds.seconds)

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: float | tuple[float, float] | tuple[float, None] | None = None,
        verify: bool | str = True,
        cert: str | bytes | tuple[bytes | str, bytes | str] | None = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """One call.

        Raises:
            requests.ConnectionError: no answer.
            CallRefusedError: too large, or it cannot be sent.
        """
        silence = timeout if isinstance(timeout, int | float) else self._bounds.silence_s
        bounds = Bounds(silence, self._deadline.left(), self._bounds.bytes)
        url = request.url or ""
        proxy = select_proxy(url, proxies)
        route = Route(
            private=self.private | _proxy_host(proxy), proxy=proxy, verify=verify,
            certificate=tuple(cert) if isinstance(cert, list) else cert,  # type: ignore[arg-type]
        )  # fmt: skip
        asked = Request(request.method or "GET", url, dict(request.headers), _content(request.body))
        try:
            answer = call(asked, bounds, route)
        except UnreachableError as error:
            raise requests.ConnectionError(_reason(error, url), request=request) from error
        response = requests.Response()
        response.status_code = answer.status
        response.headers = CaseInsensitiveDict(answer.headers)
        response.encoding = get_encoding_from_headers(response.headers)
        response.url, response.request = url, request
        response._content, response._content_consumed = answer.content, True  # type: ignore[attr-defined]
        return response

    def close(self) -> None:
        """Nothing is kept open."""


def _reason(error: UnreachableError, url: str) -> Exception:
    """What the hook looks into: only where nothing was sent it asks the next of several hosts."""
    if isinstance(error, NotConnectedError):
        return MaxRetryError(None, url, ConnectTimeoutError(str(error)))  # type: ignore[arg-type]
    return error


def _content(body: Any) -> bytes | None:
    return body.encode() if isinstance(body, str) else body


def _proxy_host(proxy: str | None) -> PrivateHosts:
    """The proxy, which the Connection names too."""
    if proxy is None:
        return NO_PRIVATE
    return PrivateHosts.of([urlsplit(proxy if "://" in proxy else f"//{proxy}").hostname])
