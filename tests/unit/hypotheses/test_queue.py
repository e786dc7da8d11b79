"""Which hypotheses leave a full queue."""

from __future__ import annotations

from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation
from auto_benchmark.hypotheses.queue import overflow, place
from auto_benchmark.registry.technique_catalog import Effort


def waiting(number: int, score: float, status: HypothesisStatus = HypothesisStatus.QUEUED) -> Hypothesis:
    return Hypothesis(
        id=f"H-{number:03}", title="t", claim="c", source="person", target_leaderboards=["Board"],
        implementation=Implementation(change="x", effort=Effort.LOW, estimated_gain=0.1),
        priority_score=score, status=status, config_hash=str(number),
    )  # fmt: skip


def test_of_equal_scores_the_youngest_leaves_whatever_its_number_is() -> None:
    gone = overflow([waiting(number, 3.0) for number in (1000, 999, 1001)], limit=2)
    assert [hypothesis.id for hypothesis, _ in gone] == ["H-1001"]


def test_the_lowest_score_leaves_first_and_an_active_one_keeps_its_place() -> None:
    queue = [waiting(1, 1.0), waiting(2, 9.0), waiting(3, 5.0), waiting(4, 0.0, HypothesisStatus.ACTIVE)]
    assert [hypothesis.id for hypothesis, _ in overflow(queue, limit=2)] == ["H-001", "H-003"]


def test_the_order_is_that_of_the_database() -> None:
    """The same columns sort here and there; a hypothesis is placed by them alone."""
    queue = [waiting(1000, 2.0), waiting(7, 9.0), waiting(999, 2.0)]
    assert [hypothesis.id for hypothesis in sorted(queue, key=place)] == ["H-007", "H-999", "H-1000"]
