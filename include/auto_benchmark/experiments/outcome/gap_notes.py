"""What an archived experiment leaves to be learned: where it fell short of its base, slice by slice and by cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import observations
from auto_benchmark.db.repositories.observations import FinishedTrial
from auto_benchmark.experiments.gate.evidence import CONTROL_PURPOSES
from auto_benchmark.experiments.gate.rounds import experiment_of
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config

Means = dict[tuple[str, str], float]
"""(slice, metric) -> mean over seeds; the slice '' is the whole split."""


def write_gap_analysis(ctx: Context, hypothesis_id: str) -> None:
    """Write ``experiments/archived/<hypothesis_id>.md`` beside the archived hypothesis. A view of the database."""
    with ctx.sessions() as session:
        experiment = experiment_of(ctx, session, hypothesis_id)
        plan = experiment.plan
        candidate, n = _means(ctx, session, plan.config_hash, plan.tree, ("candidate",))
        base_hash = plan.control_config_hash or production_config(ctx, session).config_hash
        base, n_base = _means(ctx, session, base_hash, plan.control_tree, CONTROL_PURPOSES)
    changed = _changed(plan.control_params or {}, plan.params)
    if plan.tree != plan.control_tree:
        changed = f"code {plan.control_tree} → {plan.tree}" + ("" if changed == "none" else f", {changed}")
    lines = [f"# {hypothesis_id}: {experiment.outcome}", "", experiment.reason, "", f"Change: {changed}.", ""]
    if candidate and base:
        lines += [f"Means over {n} seeds of the candidate and {n_base} of its base; worst slices first.", ""]
        lines += _table(candidate, base)
    else:
        lines.append("It was given up before it ran on the gate split, so there is nothing to compare.")
    atomic.write_text(ctx.home / "experiments" / "archived" / f"{hypothesis_id}.md", "\n".join([*lines, ""]))


def _means(ctx: Context, session: Session, config_hash: str, tree: str, purposes: Sequence[str]) -> tuple[Means, int]:
    finished: list[FinishedTrial] = observations.of_config(
        session=session,
        project=ctx.project,
        config_hash=config_hash,
        stage=Stage.FULL,
        purposes=purposes,
        tree=tree,
    )
    slices = observations.slices_of(session=session, trial_ids=[f.trial_id for f in finished])
    values: dict[tuple[str, str], list[float]] = {}
    for trial in finished:
        for name, value in trial.observation.metrics.items():
            values.setdefault(("", name), []).append(value)
        for part, metrics in slices.get(trial.trial_id, {}).items():
            for name, value in metrics.items():
                values.setdefault((part, name), []).append(value)
    return {key: fmean(found) for key, found in values.items()}, len(finished)


def _table(candidate: Means, base: Means) -> list[str]:
    common = sorted(candidate.keys() & base.keys(), key=lambda key: (key[0] != "", candidate[key] - base[key], key))
    rows = [
        f"| {part or 'whole split'} | {name} | {base[part, name]:.4g} | {candidate[part, name]:.4g} "
        f"| {candidate[part, name] - base[part, name]:+.4g} |"
        for part, name in common
    ]
    return ["| slice | metric | base | candidate | difference |", "|---|---|---|---|---|", *rows]


def _changed(base: Mapping[str, object], params: Mapping[str, object]) -> str:
    told = [f"{k}: {base.get(k)} → {v}" for k, v in params.items() if base.get(k) != v]
    return ", ".join(told) or "none"
