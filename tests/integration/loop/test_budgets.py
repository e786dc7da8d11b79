"""Budgets and kill switches hold before a run and in the middle of one; what was paused goes on later."""

import threading
from dataclasses import replace
from datetime import timedelta

from tests.waiting import eventually

from auto_benchmark.contract.trial import TrialState
from auto_benchmark.db.repositories import hypotheses, trials
from auto_benchmark.experiments.gate.rounds import claim, experiment_of
from auto_benchmark.experiments.search.rounds import plan_search, propose_hypotheses
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.flows import inline
from auto_benchmark.flows.sweep import SEARCH_ROUNDS
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus, Urgency


def spent(ctx):
    with ctx.sessions() as session:
        counts = trials.counts(session=session, project=ctx.project)
    return counts.get(TrialState.DONE, 0), counts.get(TrialState.PLANNED, 0)


def running(ctx):
    with ctx.sessions() as session:
        return trials.counts(session=session, project=ctx.project).get(TrialState.RUNNING, 0)


def test_a_budget_of_trials_ends_a_search_in_the_middle(toy):
    ctx = toy.scheduled(budget={"trials": 5})
    inline.scrape(ctx)
    done = inline.sweep(ctx)
    assert done["experiments"] == []
    finished, planned = spent(ctx)
    assert 5 <= finished <= 6, "two workers may start at the same moment"
    assert planned > 5
    assert any("the day's budget of 5 trials is spent" in line for line in toy.said)


def test_a_paused_experiment_goes_on_where_it_stopped(toy):
    inline.scrape(toy.ctx)
    for look in range(SEARCH_ROUNDS):
        run_trials(toy.ctx, plan_search(toy.ctx, look))
    assert propose_hypotheses(toy.ctx)
    already = spent(toy.ctx)[0]
    tight = toy.scheduled(budget={"trials": already + 4})
    (result,) = inline.sweep(tight, run_id="one")["experiments"]
    first = result["hypothesis_id"]
    assert result["outcome"] == "paused"
    with tight.sessions() as session:
        paused = hypotheses.get(session=session, project=tight.project, hypothesis_id=first)
        before = experiment_of(tight, session, first).id
    assert paused.status is HypothesisStatus.QUEUED
    assert paused.reason == f"paused: the day's budget of {already + 4} trials is spent"
    assert claim(tight, "two") is None
    tomorrow = replace(tight, now=lambda: toy.ctx.now() + timedelta(days=2))
    done = inline.sweep(tomorrow, run_id="three")["experiments"][0]
    assert done["hypothesis_id"] == first
    assert done["outcome"] in {"promote", "challenger", "reject", "futile"}
    with tight.sessions() as session:
        experiment = experiment_of(tight, session, first)
        seeds = [t.plan.seed for t in trials.of_experiment(session=session, experiment_id=experiment.id)]
    assert experiment.id == before
    assert len(seeds) == len(set(seeds))


def test_the_kill_switch_in_the_file_stops_trials_under_way(toy):
    ctx = toy.ctx
    script = ctx.bench.solution.path / "train.py"
    script.write_text("import time\ntime.sleep(600)\n" + script.read_text())
    inline.scrape(ctx)
    ids = plan_search(ctx, 0)
    file = ctx.settings.config / "schedule.yaml"

    def switch_off():
        eventually(lambda: running(ctx), "the first trial")
        file.write_text("automation: {experiments: off}\n")

    person = threading.Thread(target=switch_off)
    person.start()
    told = run_trials(ctx, ids)
    person.join()
    assert {t.state for t in told} == {TrialState.PLANNED}, "none ran to its end, and stopped is not failed"
    assert any("stopped: search" in line and "automation.experiments is off" in line for line in toy.said)


def test_low_urgency_waits_for_a_half_empty_budget_until_we_are_overtaken(toy):
    leading = toy.board.read_text().replace("Ours,0.61", "Ours,0.99")
    toy.board.write_text(leading)
    inline.scrape(toy.ctx)
    run_trials(toy.ctx, plan_search(toy.ctx, 0))
    count = spent(toy.ctx)[0]
    propose_hypotheses(toy.ctx)
    with toy.ctx.sessions() as session:
        queued = hypotheses.queue(session=session, project=toy.ctx.project)
    assert queued and {h.urgency for h in queued} == {Urgency.LOW}, "we lead and nobody is near"
    tight = toy.scheduled(budget={"trials": 2 * count})
    assert claim(tight, "one") is None
    assert any("low urgency" in line for line in toy.said)
    toy.board.write_text(leading.replace("Leader,0.90", "Leader,0.995"))
    inline.scrape(toy.ctx)
    assert claim(tight, "one") == queued[0].id
    with toy.ctx.sessions() as session:
        claimed = hypotheses.get(session=session, project=toy.ctx.project, hypothesis_id=queued[0].id)
    assert claimed.urgency is Urgency.NORMAL
