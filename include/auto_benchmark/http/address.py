"""Which network addresses may be connected to. Checked when connecting, so that no later DNS answer slips through."""

from __future__ import annotations

import ipaddress
import queue
import socket
import threading
from typing import Any

import httpcore

from auto_benchmark.http.errors import AddressRefusedError
from auto_benchmark.private_hosts import PrivateHosts

_ALLOCATED = ipaddress.ip_network("2000::/3")
"""All of IPv6 that hosts of the internet have (RFC 4291); private overlays use what is not allocated."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NEVER_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24",  # for protocols, of no host (RFC 6890)
            "168.63.129.16/32",  # what a cloud's own hosts offer to the machines on them (Azure)
            "192.88.99.0/24",  # relays of 6to4: obsolete (RFC 7526)
            "::/96",  # IPv4-compatible: obsolete, and some systems still route it to the IPv4 address inside
            "::ffff:0:0:0/96",  # IPv4-translated: the same
            "64:ff9b:1::/48",  # NAT64 inside a network (RFC 8215)
            "3fff::/20",  # for documentation (RFC 9637)
            "5f00::/16",  # segments of a network's own routes (RFC 9602)
            "fec0::/10",  # site-local: obsolete, and still used
        ),
    )
)


def is_public(address: str) -> bool:
    """Whether an IP address is on the open internet (embedded IPv4 addresses are looked into)."""
    ip = ipaddress.ip_address(address.split("%", maxsplit=1)[0])
    if any(ip in network for network in _NEVER_PUBLIC):
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        if ip not in _ALLOCATED:
            return False
    return ip.is_global and not ip.is_multicast


def resolve(host: str, port: int, *, private: PrivateHosts, seconds: float = 20.0) -> list[str]:
    """Addresses of a host, all of them public unless ``private`` allows them.

    Raises:
        AddressRefusedError: one of them is private and that is not allowed.
        httpcore.ConnectError: the name does not resolve.
        httpcore.ConnectTimeout: not within ``seconds``.
    """
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in _looked_up(host, port, seconds)))
    refused = next((a for a in addresses if not is_public(a) and not private.allow(host, a)), None)
    if refused is not None:
        raise AddressRefusedError(
            f"{host} is the private address {refused}; AUTO_BENCHMARK_ALLOW_PRIVATE_HOSTS={host} allows it"
        )
    return addresses


def _looked_up(host: str, port: int, seconds: float) -> list[Any]:
    """Ask the resolver in a thread of its own: the system's call knows no timeout and may take half a minute."""
    found: queue.SimpleQueue[list[Any] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            found.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except Exception as error:  # whatever it is, the one that waits must hear of it
            found.put(error)

    threading.Thread(target=ask, name="resolve", daemon=True).start()
    try:
        answer = found.get(timeout=seconds)
    except queue.Empty:
        raise httpcore.ConnectTimeout(f"{host} is not resolved within {seconds:.3g} s") from None
    if isinstance(answer, Exception):
        raise httpcore.ConnectError(f"{host} does not resolve: {answer}")
    return answer
