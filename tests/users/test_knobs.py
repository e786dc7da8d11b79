"""Findings 2, 6 and 19: knobs come, go and narrow while a project runs; those without effect cost nothing."""

from __future__ import annotations

import pytest

from auto_benchmark.contract.trial import Stage

LEADING = "system,accuracy\nOurs,0.99\nLeader,0.90\nLast,0.50\n"


@pytest.fixture
def grown(toy):
    """The toy project at work, then with another declaration of its knobs."""

    def change(old, new, board=None):
        from auto_benchmark.flows import inline

        if board:
            toy.board.write_text(board)
        inline.scrape(toy.ctx)
        file = toy.ctx.settings.solutions / "toy" / "solution.yaml"
        text = file.read_text()
        if old not in text:
            raise LookupError(old)
        file.write_text(text.replace(old, new))
        return toy.again()

    return change


def planned(ctx):
    """Parameters of the next round of the search."""
    from auto_benchmark.db.repositories import trials
    from auto_benchmark.experiments.search.rounds import plan_search
    from auto_benchmark.project.reconcile import reconcile

    reconcile(ctx)
    ids = plan_search(ctx, 0)
    with ctx.sessions() as session:
        return [trials.get(session=session, project="default", trial_id=i).plan.params for i in ids]


NEW = ("knobs:\n", "knobs:\n  depth: {type: int, range: [1, 9], default: 3}\n")


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="stored configurations lack the new knob")
def test_a_new_knob_has_its_default_in_every_trial(grown):
    found = planned(grown(*NEW))
    assert found and all("depth" in params for params in found)
    assert found[0]["depth"] == 3


@pytest.mark.xfail(strict=True, raises=KeyError, reason="the fine search ends in a traceback")
def test_a_new_knob_while_we_lead(grown):
    found = planned(grown(*NEW, board=LEADING))
    assert found and all("depth" in params for params in found)


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="stored configurations keep the knob that is gone")
def test_a_knob_that_was_removed_is_in_no_trial(grown):
    found = planned(grown("  colour: {type: choice, choices: [red, green], default: red}\n", ""))
    assert found and not any("colour" in params for params in found)


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the stored configuration keeps a value out of range")
def test_a_knob_that_was_narrowed_stays_within_its_range(grown):
    found = planned(grown("range: [1, 6], default: 2", "range: [4, 6], default: 4"))
    assert found and all(4 <= params["reads"] <= 6 for params in found)


@pytest.fixture
def searched(toy):
    """Search trials of the defaults and of a change that alters no prediction; what was said meanwhile."""
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.db.repositories import trials
    from auto_benchmark.experiments.trials.planned import run_trials
    from auto_benchmark.flows import inline

    inline.scrape(toy.ctx)
    bench = toy.ctx.bench
    plans = [
        TrialPlan(
            solution="toy", params={**bench.solution.solution.defaults, "flip": 0.0, "colour": colour},
            benchmark=bench.ref, stage=Stage.FAST, seed=seed, purpose="search",
            budget_s=bench.solution.solution.resources.fast_budget_s,
        )
        for colour in ("red", "green") for seed in (1, 2)
    ]  # fmt: skip
    with toy.ctx.sessions.begin() as session:
        ids = [t.id for t in trials.plan(session=session, project=toy.ctx.project, plans=plans)]
    toy.said.clear()
    run_trials(toy.ctx, ids)
    return toy


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the search counts them as two configurations")
def test_configurations_with_the_same_predictions_are_one(searched):
    from auto_benchmark.boards.standing import focus
    from auto_benchmark.experiments.search.history import history

    with searched.ctx.sessions() as session:
        found = history(searched.ctx, session, focus(searched.ctx, session))
    assert len(found) == 1


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="a trial's line holds a hash, no knob and no score")
def test_what_the_loop_says_of_a_trial_names_knobs_and_score(searched):
    lines = [line for line in searched.said if "done" in line]
    assert len(lines) == 4
    assert all("flip" in line and "accuracy" in line for line in lines), lines
