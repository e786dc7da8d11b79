"""What an experiment is opened with: the configurations that it compares, and on which items."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.contract.record import ExperimentPlan
from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.kinds import ExperimentKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config, production_config
from auto_benchmark.project.gate_items import gate_ref


def experiment_plan(ctx: Context, session: Session, hypothesis: Hypothesis) -> ExperimentPlan:
    """Against production as it is now, on the items that the gate asks now."""
    current = production_config(ctx, session).candidate
    return ExperimentPlan(
        kind=ExperimentKind.HYPOTHESIS,
        key=hypothesis.id,
        solution=ctx.bench.solution.solution.name,
        benchmark=gate_ref(ctx, session),
        params=ctx.bench.solution.solution.configured(hypothesis.implementation.params),
        control_params=current.params,
        hypothesis_id=hypothesis.id,
        tree=_tree_of(ctx, session, hypothesis, current.tree),
        control_tree=current.tree,
    )


def _tree_of(ctx: Context, session: Session, hypothesis: Hypothesis, of_production: str) -> str:
    """The code that a hypothesis is tried with: its own, or that of a role; a change of knobs never brings back old code."""
    base = base_config(ctx, session).candidate.tree
    is_own = hypothesis.implementation.code is not None or hypothesis.tree == base
    return hypothesis.tree if is_own else of_production
