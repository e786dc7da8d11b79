"""Scores a stored trial again, from its predictions or its code: no training, and never another look at the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.artifacts.code_tree import CodeChangedError, code_tree
from auto_benchmark.artifacts.split_seeds import FIRST
from auto_benchmark.artifacts.trial_output import OutputError, read_predictions
from auto_benchmark.contract.record import Trial, TrialResult
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.repositories import observations, records, trials
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.experiments.trials.scoring import score, score_tree
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.solution_code import bench_on
from auto_benchmark.runners.runner import EnvironmentFaultError


def rescore(ctx: Context, trial_id: int) -> dict[str, Any]:
    """Replace a finished trial's scores by what the benchmark's scorer says now.

    Returns:
        ``{"trial_id", "changed", "before", "after"}``; the two hold every metric.

    Raises:
        InputError: the project has no such trial, its predictions are gone, or they are of another version of the
            benchmark.
        RefusedError: it has no result, or its answers are not ours.
    """
    with ctx.sessions() as session:
        trial = trials.get(session=session, project=ctx.project, trial_id=trial_id)
        before = observations.metrics_of(session=session, trial_ids=[trial_id]).get(trial_id, {})
    folder = _folder(ctx, trial_id, trial)
    stored = trial_folder.read_results(folder)
    if stored is None or trial is None:
        raise InputError(f"trial {trial_id}: {folder / trial_folder.METRICS} is missing")
    scores = _scores(ctx, trial, folder, stored["fingerprint"])
    after = {**{k: v for k, v in before.items() if k not in stored["scored"]}, **scores.metrics}
    changed = before != after
    if changed:
        _keep(ctx, trial, folder, stored, scores, after)
    return {"trial_id": trial_id, "changed": changed, "before": before, "after": after}


def _folder(ctx: Context, trial_id: int, trial: Trial | None) -> Path:
    if trial is None:
        raise InputError(f"project {ctx.project} has no trial {trial_id}")
    if trial.state is not TrialState.DONE or not trial.artifact_uri:
        raise RefusedError(f"trial {trial_id} is {trial.state}; only a finished one can be scored")
    if trial.plan.stage is Stage.SUBMIT:
        raise RefusedError(f"trial {trial_id} answers an arena's hidden inputs; only the arena can score it")
    if ctx.bench.draw_of(trial.plan.benchmark) is None:
        raise InputError(
            f"trial {trial_id} ran on {trial.plan.benchmark.name} {trial.plan.benchmark.version}, "
            f"now it is {ctx.bench.ref.name} {ctx.bench.ref.version}"
        )
    return ctx.home / trial.artifact_uri


def _scores(ctx: Context, trial: Trial, folder: Path, fingerprint: dict[str, str]) -> Scores:
    draw = ctx.bench.draw_of(trial.plan.benchmark) or FIRST
    answers = ctx.bench.data.answers(trial.plan.stage.evaluates, trial.plan.subset, draw)
    try:
        if ctx.bench.data.tree_scorer() is not None:
            bench = bench_on(ctx.bench, trial.plan.tree)
            ran = code_tree(bench.solution.path, fingerprint["code"], bench.data.root)
            return score_tree(bench, ran, answers, trial.plan.seed)
        return score(ctx.bench, read_predictions(folder, set(answers)), answers)
    except (CodeChangedError, EnvironmentFaultError, OutputError) as error:
        raise InputError(f"trial {trial.id} cannot be scored again: {error}") from None


def _keep(
    ctx: Context, trial: Trial, folder: Path, stored: dict[str, Any], scores: Scores, after: dict[str, float]
) -> None:
    result = TrialResult(scores=Scores(metrics=after, items=scores.items, slices=scores.slices))
    with ctx.sessions.begin() as session:
        trials.write_scores(session=session, project=ctx.project, trial_id=trial.id, result=result)
        records.log(
            session=session,
            project=ctx.project,
            key=f"rescored/{trial.id}/{ctx.now().isoformat()}",
            kind=LogKind.RESCORE,
            subject=f"trial {trial.id}",
            reason=f"scored again: {', '.join(f'{k} {v:.6g}' for k, v in scores.metrics.items())}",
            inputs={"trial_id": trial.id},
        )
    kept = {k: v for k, v in stored["metrics"].items() if k not in stored["scored"]}
    metrics = {**kept, **scores.metrics}
    trial_folder.write_results(
        folder,
        metrics={**stored, "metrics": metrics, "scored": dict(scores.metrics), "slices": scores.slices},
        boards=ctx.bench.board_scores(metrics),
        items=scores.items,
    )
