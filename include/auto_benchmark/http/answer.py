"""One HTTP answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered, whatever its status.

    Attributes:
        status: HTTP status.
        content: the body, unpacked.
        headers: names in lower case; values of a repeated one are joined by commas.
    """

    status: int
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", {name.lower(): value for name, value in self.headers.items()})

    @property
    def content_type(self) -> str | None:
        """The declared media type."""
        return self.headers.get("content-type")
