"""Random hostile outputs through the whole loop: each gives its own trial a class, and the loop goes on.

``RANDOM_OUTPUTS`` says how many; the acceptance takes 2,000.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace

import pytest
from tests.security.hostile_output import HostileOutput

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.limits import LONGEST_MESSAGE, storable
from auto_benchmark.contract.record import TrialPlan
from auto_benchmark.contract.trial import Stage, TrialState
from auto_benchmark.db.repositories import observations, trials
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.experiments.trials.scoring import input_ids
from auto_benchmark.project import tracking
from auto_benchmark.project.configuration import SolutionFolder
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.runners.progress import hand_on
from auto_benchmark.runners.runner import RunResult
from auto_benchmark.tracking.trial_run import TrialRun

MANY = int(os.environ.get("RANDOM_OUTPUTS", "40"))
HONEST = 10**6
pytestmark = pytest.mark.timeout(120 + MANY * 3)


class Leaves:
    """A runner whose trials leave what their seed says, without a process: thousands take minutes."""

    name = "local"
    not_isolated = ()
    isolated_by = ()

    def facts(self, image):
        return {}

    def run(self, request, *, on_progress=None, cancel=None):
        seeds = request.config.seeds or [request.config.seed]
        ids = sorted(input_ids(request.data_dir))
        for seed in seeds:
            folder = request.output_dir
            if request.config.seeds:
                folder = request.output_dir / f"seed-{seed}"
                folder.mkdir(exist_ok=True)
            if seed >= HONEST:
                answers = [json.dumps({"id": i, "answer": "low"}) for i in ids]
                (folder / "predictions.jsonl").write_text("\n".join(answers))
                (folder / "metrics.json").write_text('{"metrics": {"latency_ms": 1.0}}')
                continue
            hostile = HostileOutput(seed, ids)
            hostile.write(folder)
            if on_progress:
                hand_on(hostile.progress(), on_progress)
            if hostile.random.random() < 0.2 / len(seeds):
                return RunResult(TrialState.FAILED, FailureClass.TIMEOUT, hostile.message(), 1, 0.1, None)
        return RunResult(TrialState.DONE, None, "", 0, 0.1, 20.0, 0.1)


@pytest.mark.parametrize("together", [1, 3], ids=["alone", "three in a process"])
def test_every_output_has_a_class_and_the_loop_goes_on(toy, together):
    ctx = toy.scheduled(budget={"trials": 10 * MANY})
    reconcile(ctx)
    solution = ctx.bench.solution
    declared = solution.solution.model_copy(update={"seeds_per_process": together})
    bench = replace(ctx.bench, runner=Leaves(), solution=SolutionFolder(solution.path, declared))
    hostile = -(-MANY // 2 // together) * together  # whole processes: what one seed does may fail its process
    seeds = [*range(1, hostile + 1), HONEST]
    plans = [TrialPlan("toy", declared.defaults, ctx.bench.ref, Stage.FAST, seed, "search") for seed in seeds]
    with ctx.sessions.begin() as session:
        ids = [trial.id for trial in trials.plan(session=session, project=ctx.project, plans=plans)]

    ended = run_trials(ctx, ids, bench=bench)

    classes = Counter(str(trial.failure_class or trial.state) for trial in ended)
    assert {trial.state for trial in ended} <= {TrialState.DONE, TrialState.FAILED}
    assert set(classes) <= {*map(str, FailureClass), "done"}
    assert ended[-1].state is TrialState.DONE, "an honest trial among hostile ones"
    assert classes["done"] > 1 and classes["bad_output"] > 1, classes
    with ctx.sessions() as session:
        metrics = observations.metrics_of(session=session, trial_ids=ids)
    for trial in ended:
        assert (trial.id in metrics) == (trial.state is TrialState.DONE)
        assert trial.message is None or (
            trial.message == storable(trial.message) and len(trial.message) <= LONGEST_MESSAGE
        )
        json.dumps([trial.message, metrics.get(trial.id)], allow_nan=False, ensure_ascii=False).encode()
    for file in tracking.journal(ctx).glob("*.json"):
        TrialRun.model_validate_json(file.read_text(encoding="utf-8"))
    for folder in (ctx.home / "experiments" / "results" / "search").glob("*/seed-*"):
        assert not ((folder / "metrics.json").is_file() and (folder / "output").exists()), (
            "a finished trial left more"
        )
