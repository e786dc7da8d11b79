"""Search trials whose progress is behind end early, are never run again, and leave no score."""

import pytest

from auto_benchmark.boards.standing import focus
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.db.repositories import trials
from auto_benchmark.experiments.search.history import history
from auto_benchmark.experiments.search.rounds import _plan, plan_search
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.flows import inline
from auto_benchmark.project.current_config import base_config

REPORTS = """
import time
for step in range(1, 5):
    print('AB_PROGRESS ' + json.dumps({"step": step, "metrics": {"fit": params["reads"] * step}}), flush=True)
    with (out / "progress.jsonl").open("a") as lines:
        lines.write(json.dumps({"step": step, "metrics": {"fit": params["reads"] * step}}) + "\\n")
    time.sleep(20 if params["reads"] == 1 else 0.01)
"""


@pytest.fixture
def reporting(toy):
    """The toy solution reports its progress, and declares what may be pruned on."""
    folder = toy.ctx.bench.solution.path
    script = folder / "train.py"
    text = script.read_text()
    marker = "rng = random.Random(f\"{config['seed']} {params}\")\n"
    assert marker in text
    script.write_text(text.replace(marker, marker + REPORTS))
    declared = folder / "solution.yaml"
    declared.write_text(declared.read_text() + "pruning: {metric: fit, higher_is_better: true}\n")
    toy.again()
    inline.scrape(toy.ctx)
    return toy


def planned(ctx, *changes):
    base = ctx.bench.solution.solution.defaults
    with ctx.sessions.begin() as session:
        tree = base_config(ctx, session).candidate.tree
        plans = [_plan(ctx, tree, {**base, **change}, 1, "normal") for change in changes]
        return [trial.id for trial in trials.plan(session=session, project=ctx.project, plans=plans)]


def test_a_trial_that_is_behind_is_stopped_for_good(reporting):
    ctx = reporting.ctx
    run_trials(ctx, planned(ctx, *({"reads": 3, "offset": float(i)} for i in range(5))))
    hopeless = planned(ctx, {"reads": 1})
    (found,) = run_trials(ctx, hopeless)
    assert found.state is TrialState.CANCELLED
    assert found.message == "pruned: fit 1 at step 1 is behind the median of 5 past trials"
    assert any("pruned: fit 1 at step 1" in line for line in reporting.said)
    with ctx.sessions() as session:
        tried = {t.params["reads"]: t.scores for t in history(ctx, session, focus(ctx, session))}
        again = plan_search(ctx, 0)
        asked = [trials.get(session=session, project="default", trial_id=i).plan.params for i in again]
    assert tried[1] == () and len(tried[3]) == 1
    assert {**ctx.bench.solution.solution.defaults, "reads": 1} not in asked


def test_the_base_and_what_leads_run_to_their_end(reporting):
    ctx = reporting.ctx
    run_trials(ctx, planned(ctx, *({"reads": 3, "offset": float(i)} for i in range(5))))
    found = run_trials(ctx, planned(ctx, {}, {"reads": 5}))
    assert [t.state for t in found] == [TrialState.DONE] * 2, "the base is behind, and is still needed"


def test_a_diverged_trial_does_not_end_the_search(reporting):
    ctx = reporting.ctx
    past = run_trials(ctx, planned(ctx, *({"reads": 3, "offset": float(i)} for i in range(6))))
    for trial, line in zip(
        past, ('{"step": 2, "metrics": {"fit": NaN}}', '{"step": Infinity, "metrics": {"fit": 1}}'), strict=False
    ):
        with (ctx.home / trial.artifact_uri / "progress.jsonl").open("a") as lines:
            lines.write(f"{line}\n")
    (found,) = run_trials(ctx, planned(ctx, {"reads": 5}))
    assert found.state is TrialState.DONE


def test_what_was_pruned_is_not_asked_for_again(reporting):
    ctx = reporting.ctx
    base = ctx.bench.solution.solution.defaults

    def asked():
        ids = plan_search(ctx, 0)
        with ctx.sessions() as session:
            found = {i: trials.get(session=session, project="default", trial_id=i).plan.params for i in ids}
        return {i: params for i, params in found.items() if params != base}

    first = asked()
    pruned = sorted(first)[:3]
    with ctx.sessions.begin() as session:
        trials.cancel(session=session, trial_ids=pruned, reason="pruned: behind")
    second = asked()
    gone = [first[i] for i in pruned]
    assert len(gone) == 3 and not [params for params in second.values() if params in gone]
    with ctx.sessions.begin() as session:
        trials.cancel(session=session, trial_ids=[*first, *second], reason="pruned: behind")
    third = asked()
    assert third, "the slots of what was pruned go to other configurations"
    assert not [params for params in third.values() if params in [*first.values(), *second.values()]]
