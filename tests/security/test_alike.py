"""Trials of one size look alike to themselves: none can tell search from gate, or production from its rival."""

from __future__ import annotations

import json

import pytest
from tests.integration.loop.test_gate_items import queue, settled

from auto_benchmark.artifacts.neutral_place import RUNNING
from auto_benchmark.experiments.gate import rounds
from auto_benchmark.experiments.search.rounds import plan_search
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.experiments.trials.rerun import rerun
from auto_benchmark.flows import inline

pytestmark = pytest.mark.timeout(120)
TELLS = """
mounted = [line.split()[4] for line in open("/proc/self/mountinfo")]
seen = {"config": config, "environment": dict(os.environ), "here": os.getcwd(), "home": os.path.expanduser("~"),
        "argv": [open(f"/proc/{p}/cmdline").read() for p in os.listdir("/proc") if p.isdigit()], "mounted": mounted,
        "groups": open("/proc/self/cgroup").read(), "beside": sorted(map(str, out.parent.glob("*"))) if os.access(out.parent, 4) else [],
        "ids": [json.loads(line)["id"] for line in (Path(os.environ["AB_DATA_DIR"]) / "inputs.jsonl").open()]}
(out / "checkpoint.bin").write_text(json.dumps(seen))
"""  # fmt: skip  # noqa: E501 - it is a program


@pytest.fixture
def seen(toy):
    """What a search trial, a candidate and production's control have seen, whose splits are of one size."""
    spec = toy.files.benchmarks / "toy" / "benchmark.yaml"
    spec.write_text(spec.read_text().replace("worlds: 1500", "worlds: 400"))
    toy.files.train_also(TELLS)
    toy.files.declare(resources={"fast_budget_s": 30.0, "budget_s": 30.0})
    toy.again()
    ctx = settled(toy.ctx, seeds="drawn", gate_questions=1)
    inline.scrape(ctx)
    search = plan_search(ctx, 0)[:2]
    found = {"search": run_trials(ctx, search)}
    for patch in ({"colour": "green"}, {"reads": 3}):  # the second question draws the gate's items anew
        hypothesis = queue(ctx, patch)
        rounds.claim(ctx, "owner", hypothesis_id=hypothesis)
        run_trials(ctx, rounds.plan_validation(ctx, hypothesis))
        planned = run_trials(ctx, rounds.plan_round(ctx, hypothesis, 0))
        rounds.decide(ctx, hypothesis, 0)
        for trial in planned:
            found.setdefault(str(trial.plan.purpose), []).append(trial)
    return ctx, found


def looked(ctx, trial):
    return json.loads((ctx.home / trial.artifact_uri / "checkpoint.bin").read_text())


def test_what_a_trial_sees_tells_no_purpose_from_another(seen):
    ctx, found = seen
    assert set(found) == {"search", "candidate", "control"}
    versions = {trial.plan.benchmark.version for trials in found.values() for trial in trials}
    assert len(versions) == 2, "the gate has had two draws"
    shapes = set()
    for purpose, trials in found.items():
        for trial in trials:
            told = looked(ctx, trial)
            config = told["config"]
            assert config["seed"] != trial.plan.seed and 0 <= config["seed"] < 2**31
            text = json.dumps(told)
            names = (
                trial.plan.benchmark.version,
                f"seed-{trial.plan.seed}",
                "experiments",
                "H-0",
                trial.plan.config_hash,
            )
            for word in names:
                assert word not in text, f"{purpose}: {word}"
            assert "fast" not in json.dumps(config) and trial.artifact_uri not in text
            config.pop("seed"), config.pop("params")
            shapes.add(json.dumps([config, sorted(told["environment"]), len(told["ids"])]))
    assert len(shapes) == 1, shapes
    left = list((ctx.settings.root / RUNNING).iterdir())
    assert left == [], "a trial that has ended lies in its own folder"
    for trials in found.values():
        assert rerun(ctx, trials[0].id)["same"] is True, "the same trial is handed the same seed again"
