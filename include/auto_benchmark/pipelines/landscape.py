"""What the boards together mean: the gap matrix, and what it triggers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from auto_benchmark.pipelines.context import Context


@dataclass(frozen=True, slots=True)
class Trigger:
    """Something that the landscape asks for. ``key`` is the same however often it is seen."""

    key: str
    board: str
    action: str
    reason: str


@dataclass(frozen=True, slots=True)
class Landscape:
    """The view of one moment."""

    gap_matrix_markdown: str
    triggers: Sequence[Trigger]


def observe(ctx: Context, session: Session) -> Landscape:
    """Read the last good snapshots of every board."""
    del ctx, session
    return Landscape("", ())
