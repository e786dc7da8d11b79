"""Which network addresses may be fetched from. Checked when connecting, so that no later DNS answer slips through."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from auto_benchmark.tables.refusal import ReadRefused, Reason

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an IP address is on the open internet (embedded IPv4 addresses are looked into)."""
    ip = ipaddress.ip_address(address.split("%", maxsplit=1)[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            ip = inner
    return ip.is_global and not ip.is_multicast


def resolve(host: str, port: int, *, allow_private: bool) -> list[str]:
    """Addresses of a host, all of them acceptable.

    Raises:
        ReadRefused: one of them is private and that is not allowed.
        httpcore.ConnectError: the name does not resolve.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"{host} does not resolve: {error}") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    private = [a for a in addresses if not is_public(a)]
    if private and not allow_private:
        raise ReadRefused(
            Reason.NOT_ALLOWED,
            f"{host} is the private address {private[0]}; AUTO_BENCHMARK_ALLOW_PRIVATE_ADDRESSES=true allows it",
        )
    return addresses


class _GuardedBackend(httpcore.NetworkBackend):
    """Connects to addresses that passed :func:`resolve`, never to a name."""

    def __init__(self, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Try each address in turn."""
        error: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in resolve(host, port, allow_private=self._allow_private):
            try:
                return self._plain.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                error = failed
        raise error

    def sleep(self, seconds: float) -> None:
        """Wait, as the protocol demands."""
        self._plain.sleep(seconds)


class GuardedTransport(httpx.HTTPTransport):
    """httpx transport whose connections go through the address check (redirects and rebinding included)."""

    def __init__(self, *, allow_private: bool) -> None:
        super().__init__(retries=0, trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False), network_backend=_GuardedBackend(allow_private)
        )
