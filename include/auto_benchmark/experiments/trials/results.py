"""The result files of a finished trial: written once it is scored, and taken as they are when it is asked for again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auto_benchmark import trees
from auto_benchmark.artifacts import trial_folder
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.scoring import Scores
from auto_benchmark.contract.trial import TrialConfig, TrialState
from auto_benchmark.experiments.trials.scoring import SELF_REPORTED
from auto_benchmark.project.bench import Bench, TrialOutcome
from auto_benchmark.registry.solution import Params, Solution


def with_less_memory(solution: Solution, params: Params) -> Params:
    """The configuration with every declared ``memory_down`` value; unchanged when none is declared."""
    active = solution.configured(params)
    smaller = {
        name: knob.memory_down
        for name, knob in solution.knobs.items()
        if knob.memory_down is not None and name in active
    }
    return {**params, **smaller}


def keep(outcome: TrialOutcome, bench: Bench, config: TrialConfig, seeds: list[int]) -> None:
    """Write the result files; ``output`` goes once everything of worth has moved out of it.

    Args:
        outcome: of a trial that is done.
        bench: on which it ran.
        config: with which it ran.
        seeds: that trained in its process.
    """
    scores, metrics = outcome.scores, dict(outcome.metrics)
    trial_folder.write_results(
        outcome.folder,
        metrics={
            "metrics": metrics,
            "scored": dict(scores.metrics) if scores else {},
            "slices": scores.slices if scores else {},
            "scored_by": "scorer" if scores else SELF_REPORTED,
            "measured": {
                **outcome.measured,
                "attempts": outcome.attempts,
                "failures": list(outcome.failures),
                "seeds_in_process": seeds,
            },
            "config": config.model_dump(mode="json"),
            "fingerprint": dict(outcome.fingerprint),
            "predictions_sha256": trial_folder.predictions_digest(outcome.folder),
        },
        boards=bench.board_scores(metrics),
        items=scores.items if scores else {},
    )
    trees.remove(outcome.folder / trial_folder.OUTPUT)


def stored(folder: Path, bench: Bench, config: TrialConfig, fingerprint: Mapping[str, str]) -> TrialOutcome | None:
    """The outcome of a finished trial of the same configuration in the same environment."""
    found = trial_folder.read_results(folder)
    if found is None or found["fingerprint"].get("key") != fingerprint["key"]:
        return None
    smaller = config.model_copy(update={"params": with_less_memory(bench.solution.solution, config.params)})
    if found["config"] not in (config.model_dump(mode="json"), smaller.model_dump(mode="json")):
        return None
    scores = None
    if found["scored"]:
        scores = Scores(metrics=found["scored"], items=trial_folder.read_items(folder), slices=found["slices"])
    measured: dict[str, Any] = found["measured"]
    return TrialOutcome(
        state=TrialState.DONE,
        failure=None,
        message="",
        attempts=measured["attempts"],
        wall_s=measured["wall_s"],
        cost=bench.cost(measured["wall_s"]),
        folder=folder,
        fingerprint=fingerprint,
        metrics=found["metrics"],
        scores=scores,
        cpu_s=measured.get("cpu_s"),
        peak_memory_mb=measured.get("peak_memory_mb"),
        failures=tuple(map(FailureClass, measured.get("failures", ()))),
        cpu_at_most_s=measured.get("cpu_at_most_s"),
    )
