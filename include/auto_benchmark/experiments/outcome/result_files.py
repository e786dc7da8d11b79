"""The summary files of an experiment beside its seeds' folders, as the mission lays them out. A view only."""

from __future__ import annotations

import json
from statistics import fmean, stdev
from typing import Any

from auto_benchmark import atomic
from auto_benchmark.artifacts import trial_folder
from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import decisions, observations, trials
from auto_benchmark.documents import to_yaml
from auto_benchmark.experiments.gate.rounds import experiment_of
from auto_benchmark.project.context import Context


def write_summary(ctx: Context, hypothesis_id: str) -> None:
    """Write ``results/<hypothesis_id>/{config.yaml,metrics.json,train.log,eval_on_leaderboard.json}``."""
    folder = ctx.home / "experiments" / "results" / hypothesis_id
    with ctx.sessions() as session:
        experiment = experiment_of(ctx, session, hypothesis_id)
        listed = trials.of_experiment(session=session, experiment_id=experiment.id)
        made = decisions.of_experiment(session=session, experiment_id=experiment.id)
        full = [t for t in listed if t.plan.stage is Stage.FULL]
        metrics = observations.metrics_of(session=session, trial_ids=[t.id for t in full])
    by_seed = {str(t.plan.seed): metrics[t.id] for t in full if t.id in metrics}
    summary = {name: _spread([m[name] for m in by_seed.values() if name in m]) for name in _names(by_seed)}
    config = {"solution": experiment.plan.solution, "params": dict(experiment.plan.params)}
    config |= {"tree": experiment.plan.tree} if experiment.plan.tree else {}
    atomic.write_text(folder / trial_folder.CONFIG, to_yaml(config))
    document = {"metrics": summary, "seeds": by_seed, "outcome": experiment.outcome, "reason": experiment.reason}
    atomic.write_text(folder / trial_folder.METRICS, _json(document))
    boards = {
        board: {"metric": declared.metric, **summary.get(declared.metric, {})}
        for board, declared in ctx.bench.benchmark.benchmark.boards.items()
    }
    last = json.loads(made[-1].decision_json) if made else None
    atomic.write_text(folder / trial_folder.BOARDS, _json({"boards": boards, "decision": last}))
    lines = [f"trial {t.id} {t.plan.purpose} seed={t.plan.seed}: {t.failure_class or t.state}" for t in listed]
    lines += [f"look {d.look}: {d.verdict}: {d.reason}" for d in made]
    atomic.write_text(folder / trial_folder.LOG, "\n".join([*lines, ""]))


def _names(by_seed: dict[str, dict[str, float]]) -> list[str]:
    return sorted({name for metrics in by_seed.values() for name in metrics})


def _spread(values: list[float]) -> dict[str, Any]:
    sd = stdev(values) if len(values) > 1 else None
    return {"mean": fmean(values), "std": sd, "min": min(values), "max": max(values), "n": len(values)}


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
