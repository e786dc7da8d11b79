"""The queue's rules: its order and the score that makes it, its length, and what a new base supersedes.

Nothing else orders hypotheses: the database sorts by :data:`ORDER`, and every claim weighs what waits by
:func:`priority_score` anew, so that a rule that is changed here holds for hypotheses that were queued before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Urgency
from auto_benchmark.registry.technique_catalog import Effort

LARGEST_QUEUE = 10
ORDER = ("-priority_score", "number")
"""Columns by which hypotheses are sorted, the next one to be tried first; with a minus the largest comes first."""
URGENCY = {Urgency.URGENT: 3.0, Urgency.NORMAL: 1.0, Urgency.LOW: 0.3}
"""Factor on the priority score."""


def priority_score(estimated_gain: float, effort: Effort, urgency: Urgency, *, worth: float = 1.0) -> float:
    """(expected gain in thousandths / effort score) x urgency multiplier; never negative. The queue is in falling order.

    What is expected is the estimated gain times ``worth``, the share that claims of the same source have kept.
    """
    return round(max(estimated_gain, 0.0) * worth * 1000 / effort.score * URGENCY[urgency], 4)


def ranked(hypothesis: Hypothesis, *, worth: float | None = None, urgency: Urgency | None = None) -> Hypothesis:
    """The hypothesis with another worth or urgency, and the priority that follows."""
    worth = hypothesis.worth if worth is None else worth
    urgency = urgency or hypothesis.urgency
    score = score_of(hypothesis, worth, urgency)
    return hypothesis.model_copy(update={"worth": worth, "urgency": urgency, "priority_score": score})


def score_of(hypothesis: Hypothesis, worth: float, urgency: Urgency | None = None) -> float:
    """The priority that a hypothesis has at another worth, or another urgency."""
    change = hypothesis.implementation
    return priority_score(change.estimated_gain, change.effort, urgency or hypothesis.urgency, worth=worth)


def why_there(hypothesis: Hypothesis) -> str:
    """How the priority came about, in words that its row alone gives."""
    change = hypothesis.implementation
    return (
        f"priority {hypothesis.priority_score:g} = 1000 x {change.estimated_gain:g} claimed x {hypothesis.worth:g} "
        f"(what claims of {hypothesis.origin} are worth) / {change.effort.score:g} ({change.effort} effort) "
        f"x {URGENCY[hypothesis.urgency]:g} ({hypothesis.urgency})"
    )


def overflow(open_hypotheses: Sequence[Hypothesis], *, limit: int = LARGEST_QUEUE) -> list[tuple[Hypothesis, str]]:
    """Queued hypotheses beyond the limit, lowest priority first, each with the reason for archiving it."""
    active = sum(h.status is HypothesisStatus.ACTIVE for h in open_hypotheses)
    queued = sorted((h for h in open_hypotheses if h.status is HypothesisStatus.QUEUED), key=place)
    surplus = queued[max(0, limit - active) :]
    return [(h, f"superseded: the queue holds {limit}, and ten others have a higher priority") for h in surplus[::-1]]


def place(hypothesis: Hypothesis) -> tuple[Any, ...]:
    """What hypotheses are sorted by, as :data:`ORDER` has it."""
    return tuple(-_value(hypothesis, name[1:]) if name[0] == "-" else _value(hypothesis, name) for name in ORDER)


def _value(hypothesis: Hypothesis, column: str) -> Any:
    """H-999 comes before H-1000."""
    return (len(hypothesis.id), hypothesis.id) if column == "number" else getattr(hypothesis, column)


def superseded_by(
    base: Mapping[str, object], tree: str, queued: Sequence[Hypothesis]
) -> list[tuple[Hypothesis, str]]:
    """Queued hypotheses whose whole change the new base already has, or that were estimated on another base.

    Args:
        base: configuration of the new base.
        tree: its code.
        queued: hypotheses that wait.
    """
    found = []
    for hypothesis in queued:
        patch, code = hypothesis.implementation.patch, hypothesis.implementation.code
        has_code = code is None or code.tree == tree
        if has_code and all(base.get(name) == value for name, value in patch.items()):
            found.append((hypothesis, "superseded: the new base has this change already"))
        elif dict(hypothesis.implementation.base) != dict(base) or not hypothesis.starts_from(tree):
            found.append((hypothesis, "superseded: estimated on a base that has been replaced"))
    return found
