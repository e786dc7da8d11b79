"""Findings 2, 6 and 19: knobs come, go and narrow while a project runs; those without effect cost nothing."""

from __future__ import annotations

import pytest

from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import trials

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
    from auto_benchmark.experiments.search.rounds import plan_search
    from auto_benchmark.project.reconcile import reconcile

    reconcile(ctx)
    ids = plan_search(ctx, 0)
    with ctx.sessions() as session:
        return [trials.get(session=session, project="default", trial_id=i).plan.params for i in ids]


NEW = ("knobs:\n", "knobs:\n  depth: {type: int, range: [1, 9], default: 3}\n")


def test_a_new_knob_has_its_default_in_every_trial(grown):
    found = planned(grown(*NEW))
    assert found and all("depth" in params for params in found)
    assert found[0]["depth"] == 3


def test_a_new_knob_while_we_lead(grown):
    found = planned(grown(*NEW, board=LEADING))
    assert found and all("depth" in params for params in found)


def test_a_knob_that_was_removed_is_in_no_trial(grown):
    found = planned(grown("  colour: {type: choice, choices: [red, green], default: red}\n", ""))
    assert found and not any("colour" in params for params in found)


def test_a_knob_that_was_narrowed_stays_within_its_range(grown):
    found = planned(grown("range: [1, 6], default: 2", "range: [4, 6], default: 4"))
    assert found and all(4 <= params["reads"] <= 6 for params in found)


@pytest.fixture
def searched(toy):
    """Search trials of the defaults and of a change that alters no prediction; what was said meanwhile."""
    from auto_benchmark.contract.record import TrialPlan
    from auto_benchmark.experiments.trials.planned import run_trials
    from auto_benchmark.flows import inline

    toy.follow()
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


def test_configurations_with_the_same_predictions_are_one(searched):
    from auto_benchmark.boards.standing import focus
    from auto_benchmark.experiments.search.history import history

    with searched.ctx.sessions() as session:
        found = history(searched.ctx, session, focus(searched.ctx, session))
    assert len(found) == 1


def test_what_the_loop_says_of_a_trial_names_knobs_and_score(searched):
    lines = [line for line in searched.said if "done" in line]
    assert len(lines) == 4
    assert all("flip" in line and "accuracy" in line for line in lines), lines


def test_production_runs_on_changed_code_before_a_candidate_spends_seeds(toy):
    """Finding 9: what a change of the code does to production is known first; a candidate is not to blame for it."""
    from auto_benchmark.db.repositories import hypotheses
    from auto_benchmark.experiments.gate import rounds
    from auto_benchmark.experiments.gate.control import control_plans
    from auto_benchmark.experiments.outcome.promotion import finish
    from auto_benchmark.experiments.trials.planned import run_trials
    from auto_benchmark.flows import inline
    from auto_benchmark.hypotheses.hypothesis import HypothesisStatus

    toy.follow()
    inline.scrape(toy.ctx)
    queued = _queue(toy.ctx, {"offset": 0.25})

    def validated(ctx):
        """Purposes of the trials that validation runs, and what it says."""
        assert rounds.claim(ctx, "somebody") == queued
        ran = run_trials(ctx, rounds.plan_validation(ctx, queued))
        return [t.plan.purpose for t in ran], rounds.validate(ctx, queued)

    def control():
        with toy.ctx.sessions.begin() as session:
            planned = trials.plan(session=session, project="default", plans=control_plans(ctx, session, at_least=1))
        return run_trials(ctx, [t.id for t in planned])

    ctx = toy.ctx
    assert [t.state for t in control()] == ["done"]
    file = toy.ctx.settings.solutions / "toy" / "train.py"
    sound = file.read_text()
    file.write_text(sound + "\nif config['stage'] == 'full' and params['offset'] == 4: raise SystemExit(1)\n")
    ctx = toy.again()
    purposes, passed = validated(ctx)
    assert purposes[0] == "control" and not passed
    assert finish(ctx, queued)["outcome"] == "paused"
    with ctx.sessions() as session:
        held = hypotheses.get(session=session, project=ctx.project, hypothesis_id=queued)
    assert held.status is HypothesisStatus.QUEUED and "production's own trial" in held.reason

    file.write_text(sound + "\n# mended\n")
    ctx = toy.again()
    purposes, passed = validated(ctx)
    assert "control" in purposes and passed
    assert control() == [], "the trial of the mended code counts"
    assert len(rounds.plan_round(ctx, queued, 0)) > 0


def _queue(ctx, patch):
    from auto_benchmark.contract.trial import config_hash
    from auto_benchmark.db.repositories import hypotheses
    from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation
    from auto_benchmark.project.current_config import base_config
    from auto_benchmark.project.reconcile import reconcile
    from auto_benchmark.registry.technique_catalog import Effort

    reconcile(ctx)
    with ctx.sessions.begin() as session:
        base = base_config(ctx, session).candidate.params
        change = Implementation(change="a try", effort=Effort.LOW, estimated_gain=0.5, base=base, patch=patch)
        wanted = Hypothesis(
            id=hypotheses.UNNUMBERED, title="a try", claim="it helps", source="test", implementation=change,
            target_leaderboards=["ToyBoard"], priority_score=9999.0,
            config_hash=config_hash("toy", {**base, **patch}, ctx.bench.ref),
        )  # fmt: skip
        return hypotheses.add(session=session, project=ctx.project, hypothesis=wanted)[0].id


class TestConfigurationsThatAreOne:
    def test_a_second_seed_is_asked_for_and_then_they_are_one(self, toy):
        """A knob without effect: one seed raises the doubt, the second settles it, and the report says so."""
        from auto_benchmark.db.repositories import records
        from auto_benchmark.experiments.search.rounds import plan_search, propose_hypotheses
        from auto_benchmark.experiments.trials.planned import run_trials
        from auto_benchmark.flows import inline
        from auto_benchmark.kinds import LogKind

        file = toy.ctx.settings.solutions / "toy" / "train.py"
        file.write_text(file.read_text().replace("{config['seed']} {params}", "{config['seed']}"))
        inline.scrape(toy.ctx)
        run_trials(toy.ctx, plan_search(toy.ctx, 0))
        again = run_trials(toy.ctx, plan_search(toy.ctx, 1))
        doubted = [t.plan.params for t in again if t.plan.seed == 2]
        assert {**toy.ctx.bench.solution.solution.defaults, "colour": "green"} in doubted
        toy.said.clear()
        propose_hypotheses(toy.ctx)
        assert any("counted as one: colour=green like the base" in line for line in toy.said), toy.said
        with toy.ctx.sessions() as session:
            (logged,) = records.logged(session=session, project=toy.ctx.project, kind=LogKind.SEARCH)
        assert "colour=green like the base" in logged.reason

    def test_another_cost_makes_two_of_them(self, searched):
        from sqlalchemy import text

        from auto_benchmark.boards.standing import focus
        from auto_benchmark.experiments.search.history import history

        with searched.ctx.sessions.begin() as session:
            session.execute(
                text(
                    "UPDATE auto_benchmark.metric_values SET value = 900 WHERE name = 'peak_memory_mb' AND trial_id IN "
                    "(SELECT id FROM auto_benchmark.trials WHERE params->>'colour' = 'green')"
                )
            )
        with searched.ctx.sessions() as session:
            assert len(history(searched.ctx, session, focus(searched.ctx, session))) == 2


class TestWhatIsStored:
    def test_hypotheses_that_wait_are_fitted_or_superseded(self, grown, toy):
        from auto_benchmark.db.repositories import hypotheses
        from auto_benchmark.flows import inline
        from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
        from auto_benchmark.project.reconcile import reconcile

        inline.scrape(toy.ctx)
        kept, gone = _queue(toy.ctx, {"flip": 0.1}), _queue(toy.ctx, {"colour": "green"})
        ctx = grown(
            "  colour: {type: choice, choices: [red, green], default: red}\n", NEW[1].removeprefix("knobs:\n")
        )
        for _ in range(2):
            reconcile(ctx)
        with ctx.sessions() as session:
            found = {h.id: h for h in hypotheses.listed(session=session, project=ctx.project)}
        assert found[kept].status is HypothesisStatus.QUEUED
        assert found[kept].implementation.params == {"reads": 2, "offset": 4, "flip": 0.1, "depth": 3}
        assert found[gone].status is HypothesisStatus.SUPERSEDED
        assert "colour is gone" in found[gone].reason

    def test_production_is_restated_once_and_a_rollback_goes_to_the_one_before(self, toy, grown):
        from auto_benchmark.db.repositories import production, records
        from auto_benchmark.flows import inline
        from auto_benchmark.kinds import LogKind
        from auto_benchmark.project.reconcile import reconcile
        from auto_benchmark.promotion.production import ProductionCandidate

        inline.scrape(toy.ctx)
        first = toy.ctx.bench.solution.solution.defaults
        with toy.ctx.sessions.begin() as session:
            winner = ProductionCandidate(
                "toy", toy.ctx.bench.ref, {**first, "flip": 0.1}, {"ToyBoard": 0.8}, "it won"
            )
            production.promote(session=session, project="default", candidate=winner)
        ctx = grown(*NEW)
        for _ in range(2):
            reconcile(ctx)
        with ctx.sessions.begin() as session:
            held = production.history(session=session, project="default")
            assert [h.candidate.params.get("depth") for h in held] == [3, None, None]
            assert held[0].candidate.scores == {"ToyBoard": 0.8} and held[0].restores == held[1].id
            (logged,) = records.logged(session=session, project="default", kind=LogKind.KNOBS)
            assert "depth = 3, the default of a new knob" in logged.reason
            back = production.rollback(session=session, project="default", reason="a test")
            assert back.candidate.params["flip"] == first["flip"]
        reconcile(ctx)
        with ctx.sessions() as session:
            now = production.current(session=session, project="default")
        assert now.candidate.params == {**first, "depth": 3}
