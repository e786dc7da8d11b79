"""A project that is moved in the middle of its work goes on where it was, under the ids of its new place."""

import re
from dataclasses import replace

import pytest
from sqlalchemy import text

from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db import transfer
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.repositories import decisions, experiments, hypotheses, production, records, trials
from auto_benchmark.db.table_contents import TABLES
from auto_benchmark.experiments.gate import rounds as work
from auto_benchmark.experiments.outcome.invalidation import invalidate_trial
from auto_benchmark.experiments.outcome.promotion import plan_confirmation
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation
from auto_benchmark.project.transfer import export_project, import_project
from auto_benchmark.promotion.replay import replay
from auto_benchmark.promotion.schema import Verdict
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.telling import approvals
from auto_benchmark.telling.slack import notify

OLD = re.compile(r"(?<![\d.])5\d{8}(?![\d.])")


def count_from(sessions, base):
    """Ids of each table come from a range of their own, so that a number tells what it refers to."""
    with sessions.begin() as session:
        for number, name in enumerate(sorted(name for name in TABLES if "id" in TABLES[name].ids)):
            sequence = f"pg_get_serial_sequence('auto_benchmark.{name}', 'id')"
            session.execute(text(f"select setval({sequence}, :first, false)"), {"first": base + number * 10**6})


@pytest.fixture
def moved(toy, tmp_path, postgres, template_database):
    """Moves the toy project to another database and home; its context there."""
    count_from(toy.ctx.sessions, 500_000_000)
    bind = engine(postgres.create_database(f"moved_{abs(hash(tmp_path)) % 10**9}", template=template_database))
    sessions = session_factory(bind)
    count_from(sessions, 900_000_000)

    def move(ctx):
        archive = tmp_path / "project.tar.gz"
        export_project(ctx.settings, ctx.sessions, ctx.project, archive)
        settings = ctx.settings.model_copy(update={"home": tmp_path / "there"})
        settings.__dict__.pop("root", None)
        import_project(settings, sessions, archive)
        return replace(ctx, settings=settings, sessions=sessions)

    yield move
    bind.dispose()


def test_a_promotion_that_waits_is_approved_at_the_new_place(toy, moved):
    ctx = toy.scheduled(automation={"promotion": "approve"})
    inline.scrape(ctx)
    outcomes = []
    for _ in range(4):
        outcomes += inline.sweep(ctx)["experiments"]
        if any(done["outcome"] == "waits_for_approval" for done in outcomes):
            break
    waiting = outcomes[-1]["hypothesis_id"]
    toy.board.write_text(toy.board.read_text().replace("Last,0.50", "Last,0.93"))
    inline.scrape(ctx)
    written = "".join(file.read_text() for file in (ctx.home / "reports").glob("slack-*.md"))
    assert "Overtaken" in written and "A person is needed" in written, "the flows have told both"

    there = moved(ctx)
    with there.sessions() as session:
        for table in transfer.tables():
            for line in transfer.rows_of(table, session=session, project=there.project):
                assert not OLD.search(line), f"{table.name} still speaks of an id of the old place: {line[:600]}"
        made = decisions.latest(session=session, project=there.project)
        assert made and all(replay(d.evidence_json, d.decision_json) == [] for d in made)
        asked = records.open_escalations(session=session, project=there.project)
        assert [e.key for e in asked] == [f"approve-promotion/{made[0].id}"]
    assert inline.scrape(there)["unclaimed_rank_drops"] == 0, "what had happened is answered"
    told = notify(there)
    assert (told["new"], told["posted"], told["written"]) == (0, 0, 0), "nobody is told twice, nor of what is past"
    assert approvals.approve(there, waiting, by="ann")["approved"]
    with there.sessions() as session:
        current = production.current(session=session, project=there.project)
    assert current.candidate.decision_id == made[0].id and made[0].verdict is Verdict.PROMOTE
    again = [invalidate_trial(there, trial, by="ann", reason="wrong file") for trial in made[0].trial_ids]
    assert any(each["action"] != "stands" for told in again for each in told)


def test_an_experiment_goes_on_with_the_seeds_that_it_has(toy, moved):
    ctx = toy.ctx
    inline.scrape(ctx)
    base = ctx.bench.solution.solution.defaults
    change = Implementation(change="reads", effort=Effort.LOW, estimated_gain=0.4, base=base,
                            patch={"reads": 6, "offset": 0.0, "flip": 0.01})  # fmt: skip
    wanted = Hypothesis(id=hypotheses.UNNUMBERED, title="more reads", claim="it helps", source="knobs",
                        target_leaderboards=["ToyBoard"], implementation=change, priority_score=1.0,
                        config_hash=config_hash("toy", change.params, ctx.bench.ref))  # fmt: skip
    with ctx.sessions.begin() as session:
        hypotheses.add(session=session, project=ctx.project, hypothesis=wanted)
    hypothesis = work.claim(ctx, "owner")
    run_trials(ctx, work.plan_validation(ctx, hypothesis))
    planned = work.plan_round(ctx, hypothesis, 1)
    run_trials(ctx, planned[:1])
    before = planned_for(ctx, hypothesis)
    assert len(before["candidate"]) == 3 and len(before["control"]) == 5

    there = moved(ctx)
    assert work.claim(there, "owner", hypothesis_id=hypothesis) == hypothesis
    left = work.plan_round(there, hypothesis, 1)
    assert planned_for(there, hypothesis) == before and len(left) == len(planned) - 1
    run_trials(there, left)
    assert work.plan_round(there, hypothesis, 1) == []
    decided = work.decide(there, hypothesis, 1)
    assert decided["verdict"] == "promote"
    assert len(plan_confirmation(there, hypothesis)) == 3


def planned_for(ctx, hypothesis):
    """Purpose -> seeds of an experiment's trials and of its control."""
    with ctx.sessions() as session:
        (experiment,) = experiments.running(session=session, project=ctx.project)
        own = trials.of_experiment(session=session, experiment_id=experiment.id)
        control = session.scalars(text("select seed from auto_benchmark.trials where purpose = 'control'")).all()
    return {
        "candidate": sorted(t.plan.seed for t in own if t.plan.purpose == "candidate"),
        "control": sorted(control),
    }
