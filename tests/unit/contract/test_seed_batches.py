"""Which trials share a process is said once: rounds, mapped tasks and sweeps ask the same function."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from auto_benchmark.contract.record import TrialPlan
from auto_benchmark.contract.seed_batches import MAY_DIFFER, may_share_a_process, seed_batches
from auto_benchmark.contract.trial import BenchmarkRef, Stage
from auto_benchmark.grid.plan import GridRun, batches
from auto_benchmark.grid.spec import Configuration, Dataset
from auto_benchmark.kinds import Lane

ONE = TrialPlan("toy", {"a": 1, "b": 2}, BenchmarkRef(name="digits", version="1"), Stage.FULL, 1, "candidate")
OTHERWISE = {
    "solution": "other", "params": {"a": 1}, "benchmark": BenchmarkRef(name="digits", version="2"), "stage": Stage.FAST,
    "seed": 2, "purpose": "control", "subset": 0.5, "budget_s": 1.0, "experiment_id": 7, "queue": Lane.URGENT,
    "priority": 1.0, "tree": "abc",
}  # fmt: skip


@pytest.mark.parametrize("name", [field.name for field in fields(TrialPlan)])
def test_every_field_of_a_plan_but_the_seed_keeps_trials_apart(name):
    other = replace(ONE, **{name: OTHERWISE[name]})
    assert may_share_a_process(ONE, other) is (name in MAY_DIFFER)


def test_the_order_in_which_knobs_are_written_does_not_matter():
    assert may_share_a_process(ONE, replace(ONE, params={"b": 2, "a": 1}))


def test_batches_keep_the_order_and_the_size():
    plans = [replace(ONE, seed=seed, tree=tree) for seed in (1, 2, 3) for tree in ("", "abc")]
    assert [[(p.seed, p.tree) for p in batch] for batch in seed_batches(plans, 2)] == [
        [(1, ""), (2, "")], [(3, "")], [(1, "abc"), (2, "abc")], [(3, "abc")],
    ]  # fmt: skip
    assert seed_batches(plans, 1) == [[plan] for plan in plans]


def test_runs_of_a_sweep_are_kept_apart_by_configuration_and_data():
    one, two = (Configuration(name=name) for name in ("one", "two"))
    data = [Dataset(name="digits", version="1", split=split) for split in ("search", "gate")]
    runs = [GridRun(f"{c.name}-{d.split}-{s}", c, d, s) for s in (1, 2) for c in (one, two) for d in data]
    assert [[run.seed for run in batch] for batch in batches(runs, 8)] == [[1, 2]] * 4
