"""What a person asks for on the page."""

from auto_benchmark.boards import scrape as leaderboard_scrape
from auto_benchmark.experiments import sweep as experiment_sweep
from auto_benchmark.project.reconcile import reconcile


def test_an_urgent_sweep_needs_no_rank_drop_when_somebody_asks_for_it(toy):
    reconcile(toy.ctx)
    leaderboard_scrape.run(toy.ctx)
    assert experiment_sweep.claim_and_plan(toy.ctx, "run-1") is None
    planned = experiment_sweep.claim_and_plan(toy.ctx, "run-2", asked_by="a person")
    assert planned["events"] == []
    assert planned["trial_ids"]
