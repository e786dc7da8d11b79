"""Which hosts may have a private address: those that the operator has named, and no other."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class PrivateHosts:
    """Names and networks.

    Attributes:
        names: of hosts, lower case; whatever they resolve to may be connected to.
        networks: whose addresses may be connected to, whatever the name.
        all: every host.
    """

    names: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    all: bool = False

    @classmethod
    def of(cls, hosts: Iterable[str | None]) -> PrivateHosts:
        """Hosts by name (``arena``), address (``10.0.0.7``) or network (``10.2.0.0/16``); None is passed over.

        Raises:
            ValueError: one is none of these; a URL or a port is not.
        """
        names, networks = set(), []
        for number, host in enumerate(hosts, start=1):
            if host is None:
                continue
            text = _plain(host)
            try:
                networks.append(ipaddress.ip_network(text, strict=False))
            except ValueError:
                if not text or any(c.isspace() or c in "/:@?#*" for c in text):
                    raise ValueError(f"entry {number} is not a host, address or network") from None
                names.add(text)
        return cls(frozenset(names), tuple(networks))

    def __or__(self, other: PrivateHosts) -> PrivateHosts:
        """What either allows."""
        networks = (*self.networks, *(n for n in other.networks if n not in self.networks))
        return PrivateHosts(self.names | other.names, networks, self.all or other.all)

    def allow(self, host: str, address: str) -> bool:
        """Whether ``host`` may be reached at the private ``address``."""
        if self.all or _plain(host) in self.names:
            return True
        ip = ipaddress.ip_address(address.split("%", maxsplit=1)[0])
        inner = getattr(ip, "ipv4_mapped", None) or ip
        return any(inner in network for network in self.networks)


NO_PRIVATE = PrivateHosts()
ALL_PRIVATE = PrivateHosts(all=True)


def _plain(host: str) -> str:
    return host.strip().removeprefix("[").removesuffix("]").rstrip(".").lower()
