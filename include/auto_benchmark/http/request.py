"""What is asked, and how its host is reached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

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
        allow_private: loopback and private networks too; right for addresses that the operator has named.
        proxy: URL of an HTTP proxy.
        verify: whether certificates are checked, or a file or directory of those to trust.
        certificate: our own: a file, or a certificate and its key.
    """

    allow_private: bool = False
    proxy: str | None = None
    verify: bool | str = True
    certificate: Certificate = None


def shown(url: str) -> str:
    """A URL as messages show it: on one line, without login and password, and not endless."""
    text = re.sub(r"(?<=//)[^/?#]*@", "***@", url)[:200]
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
