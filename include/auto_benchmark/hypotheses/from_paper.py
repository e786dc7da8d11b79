"""A paper's technique as a hypothesis: the change that tries it, and what its claim is worth here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation, Urgency
from auto_benchmark.hypotheses.origin import Origin
from auto_benchmark.hypotheses.queue import priority_score
from auto_benchmark.registry.solution import Params
from auto_benchmark.research.assessment import AssessedTechnique, Assessment
from auto_benchmark.research.discount import Discount
from auto_benchmark.research.log import cited

UNNUMBERED = "H-000"
"""Id until the queue gives one."""
REPORT = "report:"
"""What the id of a competitor's report begins with."""
UNCLAIMED_PERCENT = 0.5
"""Gain assumed for a technique whose paper reports none: the middle of Low impact."""
LARGEST_PERCENT = 20.0
"""A larger claim is measured against something else than a tuned system; it counts as this much."""


@dataclass(frozen=True, slots=True)
class HypothesisTarget:
    """Where the hypothesis wants to improve.

    Attributes:
        board: the leaderboard.
        metric: its primary metric.
        score: our current score in the metric's unit; None before the first.
        higher_is_better: its direction.
        gap: what is missing to #1, in the metric's unit, not negative; None when unknown.
        is_share: scores lie between 0 and 1, so that one point is 0.01.
    """

    board: str
    metric: str
    score: float | None
    higher_is_better: bool
    gap: float | None
    is_share: bool


def estimated_gain(technique: AssessedTechnique, target: HypothesisTarget, worth: Discount) -> float:
    """The claimed gain in the target metric's unit, discounted; percent is read as points."""
    percent = UNCLAIMED_PERCENT if technique.claimed_percent is None else technique.claimed_percent
    claimed = min(percent, LARGEST_PERCENT) / (100 if target.is_share else 1)
    return round(claimed * worth.factor, 6)


def hypothesis_of(
    assessment: Assessment,
    technique: AssessedTechnique,
    target: HypothesisTarget,
    worth: Discount,
    *,
    base: Params,
    config_hash: str,
    urgency: Urgency = Urgency.NORMAL,
) -> Hypothesis | None:
    """One hypothesis without an id; None when the technique is mapped to nothing, or the base already has it.

    Args:
        assessment: the paper.
        technique: one of its techniques.
        target: where it is to help.
        worth: what such claims turned out to be worth.
        base: the configuration that the patch applies to.
        config_hash: identity of base plus patch.
        urgency: how soon.
    """
    if technique.patch is None or all(base.get(knob) == value for knob, value in technique.patch.items()):
        return None
    gain = estimated_gain(technique, target, worth)
    knobs = ", ".join(f"{knob} = {value}" for knob, value in technique.patch.items())
    return Hypothesis(
        id=UNNUMBERED,
        title=f"{technique.name} improves {target.metric} on {target.board}",
        claim=_claim(technique, target, gain),
        source=f"{cited(assessment.paper.id)} + {_gap(target)}",
        origin=Origin.COMPETITOR if assessment.paper.id.startswith(REPORT) else Origin.PAPER,
        target_leaderboards=[target.board],
        implementation=Implementation(
            change=f"{technique.name}: set {knobs}", effort=technique.effort, estimated_gain=gain, base=base,
            patch=technique.patch,
        ),
        priority_score=priority_score(gain, technique.effort, urgency),
        urgency=urgency,
        config_hash=config_hash,
        reason=f"{_quoted(technique.sentence)} — {_claimed(technique)}; {worth.reason}",
    )  # fmt: skip


def brief_of(assessment: Assessment, architecture: Mapping[str, object]) -> str:
    """The escalation of a High-impact technique that no knob maps: what is claimed, what people would have to do."""
    paper = assessment.paper
    claims = "\n".join(
        f"- {t.name} ({t.kind.value}, effort {t.effort.value}, {t.applicability.value}): {_quoted(t.sentence)}"
        for t in assessment.techniques
    )
    gains = "\n".join(f"- {_quoted(g.sentence)}" for g in assessment.gains) or "- none in numbers"
    facts = "\n".join(f"- {name}: {value}" for name, value in architecture.items()) or "- not described"
    place = ", ".join(filter(None, (cited(paper.id), paper.url)))
    return (
        f"## What is wanted\nA decision whether to build what this paper credits; no knob maps it.\n\n"
        f"## The paper\n{' '.join(paper.title.split())} ({place})\n\n"
        f"## What it credits\n{claims}\n\n## What it reports\n{gains}\n\n## Our architecture\n{facts}\n\n"
        "## How to go on\nWrite the change behind a knob, add the knob and `techniques:` to solution.yaml; the next "
        "ingest then turns this paper into a hypothesis by itself. Or resolve the escalation with a reason."
    )


def _claim(technique: AssessedTechnique, target: HypothesisTarget, gain: float) -> str:
    if target.score is None:
        return f"{technique.name} will improve {target.board} {target.metric} by {gain:.4g}"
    sign, relation = (1, "≥") if target.higher_is_better else (-1, "≤")
    return (
        f"{technique.name} will improve {target.board} {target.metric} from {target.score:.4g} "
        f"to {relation}{target.score + sign * gain:.4g}"
    )


def _quoted(sentence: str) -> str:
    return f'"{" ".join(sentence.split())[:300]}"'


def _gap(target: HypothesisTarget) -> str:
    return (
        "gap analysis (gap to #1 unknown)" if target.gap is None else f"gap analysis (gap to #1 = {target.gap:.4g})"
    )


def _claimed(technique: AssessedTechnique) -> str:
    if technique.claimed_percent is None:
        return f"no gain reported, {UNCLAIMED_PERCENT:g} % assumed"
    return f"claimed {technique.claimed_percent:g} %"
