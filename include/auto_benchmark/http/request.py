"""What is asked, and how its host is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from auto_benchmark.private_hosts import NO_PRIVATE, PrivateHosts

Certificate = str | tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked. A body is sent as it is."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """How a host is reached.

    Attributes:
        private: hosts that may be in private networks, since the operator has named them.
        proxy: URL of an HTTP proxy.
        verify: whether certificates are checked, or a file or directory of those to trust.
        certificate: our own: a file, or a certificate and its key.
    """

    private: PrivateHosts = NO_PRIVATE
    proxy: str | None = None
    verify: bool | str = True
    certificate: Certificate = None
