"""What a person asks for on the page."""

from auto_benchmark.experiments.sweep import claim_and_plan
from auto_benchmark.flows import inline
from auto_benchmark.project.reconcile import reconcile


def test_an_urgent_sweep_needs_no_rank_drop_when_somebody_asks_for_it(toy):
    reconcile(toy.ctx)
    inline.scrape(toy.ctx)
    assert claim_and_plan(toy.ctx, "run-1") is None
    planned = claim_and_plan(toy.ctx, "run-2", asked_by="a person")
    assert planned["events"] == []
    assert planned["trial_ids"]
