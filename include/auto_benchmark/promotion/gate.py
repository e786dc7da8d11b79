"""The promotion gate: evidence in, one verdict with five reasoned rows out. Pure and deterministic.

What one call of it depends on is a :class:`Case`, which is stored beside its decision and decides again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from pydantic import ValidationError

from auto_benchmark.documents import Strict, dotted
from auto_benchmark.errors import InputError
from auto_benchmark.promotion.comparison import POLICIES, Comparison, compare
from auto_benchmark.promotion.criteria.improvement import improvement
from auto_benchmark.promotion.criteria.no_regression import no_regression
from auto_benchmark.promotion.criteria.projection import projection
from auto_benchmark.promotion.criteria.reproducibility import failing, reproducibility
from auto_benchmark.promotion.criteria.result import CriterionResult, plain
from auto_benchmark.promotion.criteria.significance import significance
from auto_benchmark.promotion.guarding import GateGuard
from auto_benchmark.promotion.measurement import Measurement, measure
from auto_benchmark.promotion.offset import Offset
from auto_benchmark.promotion.other_board import OtherBoard
from auto_benchmark.promotion.schema import Criterion, CriterionName, Decision, Evidence, Verdict
from auto_benchmark.registry.guard import Guard
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.looks import PROMOTE_FROM, next_look
from auto_benchmark.stats.paired import MINIMUM_PAIRS

DEFAULT_POLICY = "sequential"
ALPHA = 0.025
LEAST_DF = 2 * MINIMUM_PAIRS - 2
"""Without a noise model: the degrees of freedom of five seeds on each side."""


class Case(Strict):
    """Everything that a call of the gate depends on."""

    evidence: Evidence
    guards: list[GateGuard] = []
    other_boards: list[OtherBoard] = []
    offset: Offset | None = None
    alpha: float = ALPHA

    def decide(self) -> Decision:
        """Call the gate."""
        return decide(
            self.evidence,
            guards=self.guards,
            other_boards=self.other_boards,
            offset=self.offset,
            alpha=self.alpha,
        )


def thaw(stored: str) -> Case:
    """The case that was stored beside a decision; of an earlier version, evidence alone. Raises InputError."""
    try:
        return Case.model_validate_json(stored)
    except ValidationError as first:
        try:
            return Case(evidence=Evidence.model_validate_json(stored))
        except ValidationError:
            message = first.errors(include_url=False)[0]
            place = ".".join(map(str, message["loc"]))
            raise InputError(f"stored evidence cannot be read: {place}: {message['msg']}") from None


def decide(
    evidence: Evidence,
    *,
    guards: Sequence[Guard] = (),
    other_boards: Sequence[OtherBoard] = (),
    offset: Offset | None = None,
    alpha: float = ALPHA,
) -> Decision:
    """Decide about a candidate at its present number of seeds.

    Args:
        evidence: trials of candidate and control, noise, threshold, leader.
        guards: secondary metrics that may not get worse; latency, memory and cost are guarded in any case.
        other_boards: the project's other leaderboards.
        offset: board score minus local score, learned from past submissions.
        alpha: one-sided level of this hypothesis, from alpha wealth where the policy is ``sequential_wealth``;
            a level inside ``evidence.policy`` wins.

    Raises:
        InputError: the evidence contradicts itself or names an unknown policy.
    """
    policy, alpha = _policy(evidence, alpha)
    if problem := next(evidence.problems(), None):
        raise InputError(f"{dotted(problem[0])}: {problem[1]}")
    if not evidence.candidate or not evidence.control:
        return _without_trials(evidence)
    measured = measure(evidence)
    others = [
        no_regression(evidence, guards, other_boards),
        failing(evidence) or reproducibility(measured),
        projection(measured, evidence, offset),
    ]
    compared: Comparison | None = None
    verdict, reason = Verdict.NO_VARIANCE, measured.lack_of_variance()
    if reason is None:
        verdict, reason = Verdict.INSUFFICIENT_DATA, _too_little(measured)
    if reason is None:
        try:
            compared = compare(measured, evidence, policy, alpha)
        except NotApplicableError as error:
            reason = str(error)
    findings = [
        improvement(measured, compared, evidence),
        significance(measured, compared, alpha, reason or ""),
        *others,
    ]
    if compared is not None:
        verdict, reason = _verdict(findings, compared, measured.n)
    return Decision(
        verdict=verdict,
        reason=f"{reason}{_next_seeds(verdict, measured.n)}{_dropped(evidence)}",
        n=measured.n,
        estimate=plain(measured.improvement),
        interval=None if compared is None else (plain(compared.interval[0]), plain(compared.interval[1])),
        criteria=[finding.row for finding in findings],
    )


def _policy(evidence: Evidence, alpha: float) -> tuple[str, float]:
    given = evidence.policy if evidence.policy is not None else DEFAULT_POLICY
    name = given if isinstance(given, str) else given.get("name", DEFAULT_POLICY)
    if name not in POLICIES:
        raise InputError(f"policy: no policy is called {name!r}; there are {', '.join(POLICIES)}")
    if isinstance(given, dict):
        if unknown := sorted(given.keys() - {"name", "alpha"}):
            raise InputError(f"policy.{unknown[0]}: unknown key")
        alpha = given.get("alpha", alpha)
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 0.5:
        raise InputError(f"policy.alpha: should lie between 0 and 0.5, is {alpha!r}")
    return name, float(alpha)


def _too_little(measured: Measurement) -> str | None:
    """Why no test is possible yet; None when there is a noise to test against."""
    df = measured.pool.df if measured.pool else 0
    if measured.own_noise and df < LEAST_DF:
        return (
            f"{measured.n} candidate and {measured.m} control trials ({len(measured.pairs.seeds)} common seeds) and "
            f"no noise model: {MINIMUM_PAIRS} seeds on each side are needed before any p means something"
        )
    return None


def _verdict(findings: Sequence[CriterionResult], compared: Comparison, n: int) -> tuple[Verdict, str]:
    failed = [finding for finding in findings if not finding.row.passed]
    names = [finding.row.name for finding in failed]
    if not failed:
        return Verdict.PROMOTE, f"all five criteria hold after {n} seeds"
    if names == ["projection"]:
        return Verdict.CHALLENGER, f"better after {n} seeds, but not projected to reach #1: {failed[0].row.reason}"
    if compared.futile:
        return Verdict.FUTILE, f"stopped after {n} seed{'s' if n > 1 else ''}: {findings[0].row.reason}"
    if compared.at_cap and names == ["no_regression"] and failed[0].is_open:
        return Verdict.INCONCLUSIVE, f"better at the cap of {n} seeds, but {failed[0].row.reason}"
    hopeless = [finding for finding in failed if finding.for_good and n >= PROMOTE_FROM]
    if hopeless or compared.at_cap:
        rows = [f.row for f in (hopeless or failed) if f.row.name != "projection"] or [f.row for f in failed]
        lead = "no further seeds can change it" if hopeless else f"at the cap of {n} seeds"
        return Verdict.REJECT, f"{lead}: " + "; ".join(f"{row.name} failed ({row.reason})" for row in rows)
    wants = compared.wants or n
    return Verdict.INCONCLUSIVE, f"{wants} seeds wanted ({wants - n} more); open: {', '.join(names)}"


def _without_trials(evidence: Evidence) -> Decision:
    side = "control" if evidence.candidate else "candidate"
    reason = f"the {side} has no trials"
    names: tuple[CriterionName, ...] = get_args(CriterionName)
    n = len(evidence.candidate)
    return Decision(
        verdict=Verdict.INSUFFICIENT_DATA,
        reason=f"{reason}{_next_seeds(Verdict.INSUFFICIENT_DATA, n)}{_dropped(evidence)}",
        n=n,
        estimate=None,
        interval=None,
        criteria=[Criterion(name=name, value=None, threshold=None, passed=False, reason=reason) for name in names],
    )


def _next_seeds(verdict: Verdict, n: int) -> str:
    wants = next_look(n) if verdict is Verdict.INSUFFICIENT_DATA else None
    return f"; next look at {wants} seeds" if wants else ""


def _dropped(evidence: Evidence) -> str:
    if not evidence.dropped:
        return ""
    return f"; {evidence.dropped} trial{'s' if evidence.dropped > 1 else ''} without a finite score left out"
