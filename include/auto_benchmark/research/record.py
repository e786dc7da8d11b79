"""A paper as it was found and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class PaperRecord:
    """One paper.

    Attributes:
        id: the source's own identifier with the source in front, ``arxiv:2401.01234``.
        relevant: None until it has been judged.
        assessment: everything that was made of it, as ``research extract`` prints it.
        techniques: name -> (kind, the sentence that names it).
    """

    id: str
    source: str
    title: str
    abstract: str
    url: str | None = None
    published_at: datetime | None = None
    relevant: bool | None = None
    reason: str = ""
    priority: float | None = None
    disposition: str | None = None
    assessment: Mapping[str, Any] = field(default_factory=dict)
    techniques: Mapping[str, tuple[str, str]] = field(default_factory=dict)
