"""The loop on a toy project: real Postgres, real trial processes, a board in a file."""

import json
from dataclasses import replace

import pytest
from sqlalchemy import text
from tests.toy_project import BEHIND

from auto_benchmark.contract.trial import Stage
from auto_benchmark.db.repositories import hypotheses, observations, production, rank_drops, records, trials
from auto_benchmark.documents import load
from auto_benchmark.experiments.gate.aa import compare_with_itself
from auto_benchmark.experiments.gate.control import control_plans
from auto_benchmark.experiments.search.rounds import plan_search
from auto_benchmark.experiments.sweep import claim_and_plan
from auto_benchmark.experiments.trials.planned import run_trial, run_trials
from auto_benchmark.flows import inline
from auto_benchmark.flows.cycle import run_cycle
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.schedule import Mode
from auto_benchmark.reporting.technical_log import TrialLine
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.telling.log_sections import is_perfect
from auto_benchmark.telling.status import status


def cycles_until(ctx, outcome, cycles=3):
    """Outcomes of the experiments of a few cycles, up to the wanted one; a challenger is the next cycle's base."""
    outcomes = []
    for number in range(cycles):
        outcomes += [e["outcome"] for e in run_cycle(ctx, f"c{number}")["sweep"]["experiments"]]
        if outcome in outcomes:
            break
    return outcomes


def test_a_candidate_at_the_metric_s_ceiling_is_noticed(toy):
    def said(*scores, purpose="candidate"):
        return [TrialLine(n, purpose, "full", n, "done", {"accuracy": score}) for n, score in enumerate(scores)]

    ctx = toy.ctx
    assert is_perfect(ctx, said(1.0, 1.0))
    assert not is_perfect(ctx, said(1.0, 0.999))
    assert not is_perfect(ctx, said(1.0)), "one seed shows nothing"
    assert not is_perfect(ctx, said(1.0, 1.0, purpose="search"))


def test_the_loop_goes_from_behind_to_a_promotion_and_says_why(toy):
    ctx, said = toy.ctx, toy.said
    outcomes = cycles_until(ctx, "promote")
    assert outcomes[-1] == "promote", "\n".join(said)
    at = said.index("waits for you: Hand production in to ToyBoard")
    assert said[at + 1].startswith("  auto-benchmark approve ToyBoard "), said[at:]
    with ctx.sessions() as session:
        current = production.current(session=session, project=ctx.project)
        promoted = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.PROMOTED])
        estimates = observations.of_config(
            session=session,
            project=ctx.project,
            config_hash=current.config_hash,
            stage=Stage.FULL,
            purposes=["estimate"],
        )
    assert current.candidate.params["reads"] >= 5 and current.candidate.params["flip"] < 0.1
    assert len(promoted) == 1 and promoted[0].config_hash == current.config_hash
    assert len(estimates) == 3, "the promoted score comes from fresh seeds"
    fresh = [e.observation.metrics["accuracy"] for e in estimates]
    assert current.candidate.scores == {"ToyBoard": pytest.approx(sum(fresh) / 3, abs=1e-6)}
    files = ctx.home / "experiments"
    assert (files / "promoted" / f"{promoted[0].id}.yaml").exists()
    summary = json.loads((files / "results" / promoted[0].id / "metrics.json").read_text())
    assert summary["metrics"]["accuracy"]["n"] >= 3
    assert "promoted" in (ctx.home / "reports" / "digest-").parent.glob("digest-*.md").__next__().read_text()
    told = (ctx.home / "TECHNICAL_LOG.md").read_text()
    assert promoted[0].id in told
    assert "trials of the week: runner local isolates by " in told
    assert status(ctx).isolation.not_isolated == LocalRunner().not_isolated
    assert promoted[0].id in (ctx.home / "CHANGELOG.md").read_text()


def test_the_trial_cannot_grade_itself(toy):
    """The toy solution reports accuracy 1.0 in its own metrics; nobody believes it."""
    ctx = toy.ctx
    inline.scrape(ctx)
    ids = plan_search(ctx, 0)
    run_trial(ctx, ids[0])
    with ctx.sessions() as session:
        value = session.scalar(text("select value from auto_benchmark.metric_values where name = 'accuracy'"))
    assert 0.5 < value < 0.9


def test_the_first_snapshot_raises_no_alarm_and_an_overtaking_does(toy):
    ctx, said, board = toy.ctx, toy.said, toy.board
    assert inline.scrape(ctx)["unclaimed_rank_drops"] == 0
    assert not [line for line in said if "ALERT" in line]
    board.write_text(BEHIND.replace("Last,0.50", "Last,0.70"))
    assert inline.scrape(ctx)["unclaimed_rank_drops"] == 1
    assert any(line.startswith("[ALERT] Last improved on ToyBoard: 0.5") for line in said), said
    assert inline.scrape(ctx)["unclaimed_rank_drops"] == 1, "the same page again is no news"


def test_a_rank_drop_is_answered_once_with_one_urgent_seed(toy):
    ctx, board = toy.ctx, toy.board
    inline.scrape(ctx)
    board.write_text(BEHIND.replace("Last,0.50", "Last,0.70"))
    inline.scrape(ctx)
    answer = claim_and_plan(ctx, "run-1")
    assert len(answer["events"]) == 1 and answer["trial_ids"]
    assert claim_and_plan(ctx, "run-2") is None
    again = claim_and_plan(ctx, "run-1")
    assert again == answer, "the same owner gets the same plan"
    with ctx.sessions() as session:
        assert rank_drops.unclaimed(session=session, project=ctx.project) == []
        assert len(records.logged(session=session, project=ctx.project, kind="rank_drop")) == 1


def test_an_unreadable_board_is_refused_and_the_last_good_snapshot_stands(toy):
    ctx, board = toy.ctx, toy.board
    inline.scrape(ctx)
    board.write_text("<html><body>503 Service Unavailable</body></html>")
    told = inline.scrape(ctx)["boards"][0]
    assert told["status"] == "refused" and told["reason"]
    shown = status(ctx).boards[0]
    assert (shown.our_rank, shown.leader, shown.stale) == (2, "Leader", True)
    board.unlink()
    assert inline.scrape(ctx)["boards"][0]["status"] in {"stale", "refused"}


def test_a_broken_configuration_dies_in_fast_validation_and_the_sweep_goes_on(toy):
    ctx, said = toy.ctx, toy.said
    script = ctx.bench.solution.path / "train.py"
    script.write_text(script.read_text() + "\nif params['reads'] > 4: raise SystemExit(3)\n")
    done = run_cycle(ctx, "c1")
    assert done["sweep"]["experiments"], said
    with ctx.sessions() as session:
        failed = session.scalar(text("select count(*) from auto_benchmark.trials where state = 'failed'"))
        scored = session.scalar(
            text(
                "select count(*) from auto_benchmark.trials t "
                "join auto_benchmark.metric_values m on m.trial_id = t.id where t.state = 'failed'"
            )
        )
    assert failed > 0 and scored == 0, "a failed trial has no score"
    with ctx.sessions() as session:
        current = production.current(session=session, project=ctx.project)
    assert current.candidate.params["reads"] <= 4


@pytest.mark.parametrize("part", ["experiments", "promotion"])
def test_kill_switches(toy, part):
    ctx = toy.ctx
    mode = Mode.OFF if part == "experiments" else Mode.APPROVE
    automation = ctx.config.schedule.automation.model_copy(update={part: mode})
    schedule = ctx.config.schedule.model_copy(update={"automation": automation})
    ctx = replace(ctx, config=replace(ctx.config, schedule=schedule))
    outcomes = cycles_until(ctx, "waits_for_approval") if part == "promotion" else cycles_until(ctx, "", cycles=1)
    assert outcomes == [] if part == "experiments" else outcomes[-1] == "waits_for_approval"
    with ctx.sessions() as session:
        current = production.current(session=session, project=ctx.project)
        waiting = records.open_escalations(session=session, project=ctx.project)
    assert current.candidate.params == ctx.bench.solution.solution.defaults
    assert part == "experiments" or any("approval" in e.title for e in waiting)


def test_the_live_registry_keeps_comments_and_shows_observations(toy):
    ctx = toy.ctx
    inline.scrape(ctx)
    path = ctx.home / "competitive_registry.yaml"
    live = load(CompetitiveRegistry, path)
    assert "# a path relative to this file" in path.read_text()
    assert [(c.name, c.latest_score) for c in live.competitors] == [("Leader", 0.9), ("Last", 0.5)]
    assert live.our_solution.current_scores == {"ToyBoard": 0.61}
    before = path.read_bytes()
    inline.scrape(ctx)
    assert path.read_bytes() == before


def test_victory_needs_its_cycles_and_the_gap_matrix_is_written(toy):
    ctx, board = toy.ctx, toy.board
    board.write_text("system,accuracy\nOurs,0.95\nLeader,0.90\n")
    for cycle in range(3):
        assert not status(ctx).boards[0].victory if cycle else True
        inline.scrape(ctx, cycle=f"c{cycle}")
        inline.scrape(ctx, cycle=f"c{cycle}")
    shown = status(ctx).boards[0]
    assert (shown.mode, shown.victory) == ("defense", True)
    matrix = (ctx.home / "reports" / "gap_matrix.md").read_text()
    assert "| Rank | System" in matrix and "ToyBoard" in matrix


def test_two_cycles_change_nothing_that_is_settled(toy):
    ctx = toy.ctx
    run_cycle(ctx, "c1")
    with ctx.sessions() as session:
        first = production.current(session=session, project=ctx.project)
    run_cycle(ctx, "c2")
    with ctx.sessions() as session:
        configs = session.scalar(
            text("select count(*) from auto_benchmark.production_configs where hypothesis_id is not null")
        )
        repeated = session.execute(
            text("select config_hash from auto_benchmark.hypotheses group by 1 having count(*) > 1")
        ).all()
    assert first is not None and configs <= 2 and repeated == []


def test_production_is_compared_with_itself_and_the_rate_is_shown(toy):
    ctx = toy.ctx
    inline.scrape(ctx)
    assert compare_with_itself(ctx) is None and status(ctx).aa_rate is None
    with ctx.sessions.begin() as session:
        planned = trials.plan(
            session=session, project=ctx.project, plans=control_plans(ctx, session, at_least=8, purpose="defense")
        )
    run_trials(ctx, [trial.id for trial in planned])
    told = compare_with_itself(ctx)
    assert told is not None and told["verdict"] not in {"promote", "challenger"}, told
    assert compare_with_itself(ctx) is None, "the same trials are not compared twice"
    shown = status(ctx)
    assert shown.aa_rate == 0.0 and shown.aa_interval is not None and shown.aa_interval[1] < 1
