"""Several seeds in one process: a toy solution that writes ``seed-<n>/``, with real processes and a real database."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.toy_project import ToyFiles, toy_context, toy_database

from auto_benchmark.artifacts import trial_folder
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.db.repositories import observations, trials
from auto_benchmark.experiments.search.rounds import plan_search
from auto_benchmark.experiments.trials.attempt import execute, execute_seeds
from auto_benchmark.experiments.trials.planned import run_trial, run_trials
from auto_benchmark.flows import inline
from auto_benchmark.project.bench import TrialSpec
from auto_benchmark.project.context import make_context
from auto_benchmark.sources.connection import NamedConnections

TRAIN = """
import json, os, random, sys
from pathlib import Path

config = json.loads(os.environ["AB_CONFIG_JSON"])
assert "seed" not in config, "a solution that batches is always given seeds"
params, root = config["params"], Path(os.environ["AB_OUTPUT_DIR"])
lines = (Path(os.environ["AB_DATA_DIR"]) / "inputs.jsonl").read_text().splitlines()
items = [row for row in map(json.loads, lines) if "id" in row]
print("process", os.urandom(8).hex(), "trains", config["seeds"])  # each may be process 2 of a world of its own
for seed in config["seeds"]:
    rng, out = random.Random(f"{seed} {params}"), root / f"seed-{seed}"
    if seed == 3 and "skip three" in Path("mood").read_text():
        continue
    out.mkdir()
    with (out / "predictions.jsonl").open("w") as file:
        for item in items:
            said = "high" if sum(item["digits"][: params["reads"]]) >= 4.5 * params["reads"] else "low"
            said = {"high": "low", "low": "high"}[said] if rng.random() < params["flip"] else said
            file.write(json.dumps({"id": item["id"], "answer": said}) + "\\n")
    (out / "metrics.json").write_text(json.dumps({"metrics": {"latency_ms": 1.0}}))
    if seed == 2 and "crowd two" in Path("mood").read_text():
        for number in range(10_001):
            (out / str(number)).touch()
if "crash" in Path("mood").read_text():
    sys.exit(3)
"""


@pytest.fixture
def ctx(tmp_path, postgres, template_database):
    files = ToyFiles(tmp_path)
    (files.solution / "train.py").write_text(TRAIN)
    (files.solution / "mood").write_text("")
    files.declare(seeds_per_process=4)
    with toy_context(files.settings(), toy_database(postgres, template_database)) as made:
        inline.scrape(made)
        yield made


def specs(ctx, seeds, **changes):
    params = {**ctx.bench.solution.solution.defaults, **changes}
    return [TrialSpec(f"t-{seed}", params, seed) for seed in seeds]


def processes(ctx):
    """Process number -> seeds, as the logs of all trials tell."""
    logs = {p.read_text() for p in ctx.home.rglob("train.log") if "trains" in p.read_text()}
    return sorted(json.loads(log.split("trains ")[1].splitlines()[0]) for log in logs)


def test_seeds_of_one_process_get_their_own_outcomes_and_files(ctx, tmp_path):
    folders = [tmp_path / f"seed-{seed}" for seed in (1, 2, 7)]
    outcomes = execute_seeds(specs(ctx, (1, 2, 7)), ctx.bench, folders)
    assert [o.state for o in outcomes] == [TrialState.DONE] * 3
    scores = [o.metrics["accuracy"] for o in outcomes]
    assert len(set(scores)) == 3, "every seed is scored by its own predictions"
    stored = [json.loads((folder / "metrics.json").read_text()) for folder in folders]
    assert [s["config"]["seed"] for s in stored] == [1, 2, 7]
    assert all(s["measured"]["seeds_in_process"] == [1, 2, 7] for s in stored)
    assert len({(folder / "train.log").read_text() for folder in folders}) == 1
    assert not any((folder / "output").exists() for folder in folders)
    alone = execute(specs(ctx, (2,))[0], ctx.bench, tmp_path / "alone")
    assert alone.metrics["accuracy"] == scores[1], "the same seed by itself gives the same result"
    again = execute_seeds(specs(ctx, (1, 2, 7, 8)), ctx.bench, [*folders, tmp_path / "seed-8"])
    assert [o.metrics["accuracy"] for o in again[:3]] == scores
    assert "trains [8]" in (tmp_path / "seed-8" / "train.log").read_text(), "finished seeds do not train again"


def test_a_seed_without_output_fails_alone(ctx, tmp_path):
    (ctx.bench.solution.path / "mood").write_text("skip three")
    folders = [tmp_path / f"seed-{seed}" for seed in (1, 3)]
    good, bad = execute_seeds(specs(ctx, (1, 3)), ctx.bench, folders)
    assert good.state is TrialState.DONE
    assert (bad.state, bad.failure) == (TrialState.FAILED, FailureClass.NO_RESULT)
    assert not bad.metrics and not (tmp_path / "seed-3" / "metrics.json").exists()


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_a_seed_that_leaves_too_many_files_fails_alone(ctx, tmp_path, order):
    """Whichever seed's folder the process's output lay in."""
    (ctx.bench.solution.path / "mood").write_text("crowd two")
    outcomes = execute_seeds(specs(ctx, order), ctx.bench, [tmp_path / f"seed-{seed}" for seed in order], retry=False)
    assert {seed: outcome.failure for seed, outcome in zip(order, outcomes, strict=True)} == {
        1: None, 2: FailureClass.BAD_OUTPUT,
    }  # fmt: skip
    assert {entry.name for entry in (tmp_path / "seed-1").iterdir()}.isdisjoint({"output", trial_folder.SHARED})


def test_a_crash_fails_every_seed_after_one_retry(ctx, tmp_path):
    (ctx.bench.solution.path / "mood").write_text("crash")
    outcomes = execute_seeds(specs(ctx, (1, 2)), ctx.bench, [tmp_path / "a", tmp_path / "b"])
    assert [(o.failure, o.attempts) for o in outcomes] == [(FailureClass.CRASH, 2)] * 2
    assert not any(o.metrics for o in outcomes)


def test_a_linked_directory_is_no_output(ctx, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "predictions.jsonl").write_text('{"id": "3-0", "answer": "high"}\n')
    script = ctx.bench.solution.path / "train.py"
    script.write_text(TRAIN.replace("    out.mkdir()", f"    out.symlink_to({str(elsewhere)!r}); continue"))
    outcome = execute(specs(ctx, (1,))[0], ctx.bench, tmp_path / "seed-1")
    assert outcome.failure is FailureClass.NO_RESULT


def test_a_round_of_planned_trials_runs_in_as_few_processes_as_the_solution_allows(ctx):
    ids = plan_search(ctx, 0)
    with ctx.sessions() as session:
        planned = [trials.get(session=session, project="default", trial_id=i) for i in ids]
    configurations = {t.plan.config_hash for t in planned}
    assert len(ids) == 4 * len(configurations), "a batching solution gets all seeds of a process"
    few = [t.id for t in planned if t.plan.config_hash in sorted(configurations)[:2]]
    done = run_trials(ctx, few)
    assert [t.id for t in done] == few and all(t.state is TrialState.DONE for t in done)
    assert processes(ctx) == [[1, 2, 3, 4], [1, 2, 3, 4]] or len(processes(ctx)) == 2
    with ctx.sessions() as session:
        left = [trials.get(session=session, project="default", trial_id=i).state for i in ids if i not in few]
    assert set(left) == {TrialState.PLANNED}


def test_seeds_that_are_handed_over_as_other_numbers_come_back_to_their_own_trials(ctx):
    drawn = make_context(ctx.settings.model_copy(update={"seeds": "drawn"}), ctx.sessions, NamedConnections({}))
    ids = plan_search(drawn, 0)[:4]
    done = run_trials(drawn, ids)
    assert [t.id for t in done] == ids and all(t.state is TrialState.DONE for t in done)
    seeds = drawn.bench.data.seeds
    for trial in done:
        assert f"{seeds.given(trial.plan.seed)}" in (drawn.home / trial.artifact_uri / "train.log").read_text()
    assert not {t.plan.seed for t in done} & {seed for process in processes(drawn) for seed in process}
    alone = execute(drawn.bench.spec_of(done[2], "alone"), drawn.bench, drawn.home / "alone")
    with drawn.sessions() as session:
        stored = observations.metrics_of(session=session, trial_ids=[done[2].id])[done[2].id]
    assert alone.metrics["accuracy"] == stored["accuracy"], "each is scored by its own predictions"


def test_one_mapped_task_takes_the_other_seeds_of_its_configuration_along(ctx):
    ids = plan_search(ctx, 0)[:4]
    assert run_trial(ctx, ids[2])["state"] == "done"
    with ctx.sessions() as session:
        states = [trials.get(session=session, project="default", trial_id=i).state for i in ids]
    assert states == [TrialState.DONE] * 4
    assert len(processes(ctx)) == 1
    assert run_trial(replace(ctx), ids[0])["state"] == "done"
    assert len(processes(ctx)) == 1, "a task whose trial is done has nothing left to run"
