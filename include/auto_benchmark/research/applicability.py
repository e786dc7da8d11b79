"""Whether a technique can be tried on our system, and through which knobs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from auto_benchmark.registry.solution import Params
from auto_benchmark.registry.technique_catalog import Effort, TechniqueKind


class Applicability(StrEnum):
    """How a technique would enter our system.

    ``configuration``: the solution maps it to knobs, nothing has to be written. ``code``: it fits the architecture
    but has to be written. ``redesign``: it replaces the architecture. ``unclear``: it is not classified yet.
    """

    CONFIGURATION = "configuration"
    CODE = "code"
    REDESIGN = "redesign"
    UNCLEAR = "unclear"


def applicability_of(
    technique_id: str | None, kind: TechniqueKind, effort: Effort, mapping: Mapping[str, Params]
) -> Applicability:
    """Judge one technique.

    Args:
        technique_id: its catalogue id; None for a name that the catalogue does not know.
        kind: what it changes.
        effort: its usual effort.
        mapping: technique id -> patch, from ``solution.yaml``.
    """
    if technique_id in mapping:
        return Applicability.CONFIGURATION
    if technique_id is None:
        return Applicability.UNCLEAR
    redesign = kind is TechniqueKind.ARCHITECTURE and effort is Effort.HIGH
    return Applicability.REDESIGN if redesign else Applicability.CODE
