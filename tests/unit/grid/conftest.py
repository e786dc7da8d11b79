"""Sweeps with known scores."""

from datetime import UTC, datetime, timedelta

import pytest

from auto_benchmark.grid.outcome import FailedAttempt, RunOutcome
from auto_benchmark.grid.plan import plan
from auto_benchmark.grid.spec import SweepSpec

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def frozen():
    return MOMENT


@pytest.fixture
def sweep():
    """Build a spec with outcomes from ``{configuration: {task: [score per seed, None for failed]}}``."""

    def build(scores, *, items=None, higher=True, aggregation="macro", **metrics):
        tasks = list(next(iter(scores.values())))
        seeds = max(len(v) for by_task in scores.values() for v in by_task.values())
        spec = SweepSpec.model_validate(
            {
                "name": "s", "solution": "x", "aggregation": aggregation, "seeds": list(range(seeds)),
                "datasets": [{"name": t, "version": "1"} for t in tasks],
                "metrics": {"primary": "m", "secondary": ["ms"], "higher_is_better": higher, **metrics},
                "configurations": [{"name": name} for name in scores],
            }
        )  # fmt: skip
        outcomes = []
        for i, run in enumerate(plan(spec)):
            score = scores[run.configuration.name][run.dataset.name][run.seed]
            common = {"run": run, "finished_at": MOMENT + timedelta(seconds=i), "wall_s": 1.0}
            if score is None:
                outcomes.append(RunOutcome(**common, failed_attempts=(FailedAttempt("crash", "boom", 1.0, ""),)))
                continue
            count = (items or {}).get(run.dataset.name, 0)
            by_item = {"m": {str(j): float(j < score * count) for j in range(count)}} if count else {}
            outcomes.append(RunOutcome(**common, metrics={"m": score, "ms": 10.0 + run.seed}, items=by_item))
        return spec, outcomes

    return build
