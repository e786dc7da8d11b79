"""The items of the gate come from a secret, and are drawn anew before they are used up; production is measured again."""

import tarfile
from dataclasses import replace

import pytest
from sqlalchemy import text

from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.repositories import decisions, experiments, hypotheses, records, trials
from auto_benchmark.db.repositories.installation import seed_secret
from auto_benchmark.experiments.gate import rounds as work
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.experiments.trials.rerun import rerun
from auto_benchmark.experiments.trials.rescore import rescore
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import make_context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.project.gate_items import asked, gate_ref
from auto_benchmark.project.reconcile import reconcile
from auto_benchmark.project.transfer import export_project, import_project
from auto_benchmark.registry.technique_catalog import Effort
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.telling.status import status

BETTER = {"reads": 6, "offset": 0.0, "flip": 0.01}


def settled(ctx, **changed):
    """The same project under other settings, as the next process reads it."""
    settings = ctx.settings.model_copy(update=changed)
    return make_context(settings, ctx.sessions, NamedConnections({}), say=ctx.say)


@pytest.fixture
def drawn(toy):
    """The toy project with seeds of its installation; the board has been read."""
    ctx = settled(toy.ctx, seeds="drawn")
    inline.scrape(ctx)
    return ctx


def queue(ctx, patch, source="knobs"):
    base = ctx.bench.solution.solution.defaults
    change = Implementation(change="c", effort=Effort.LOW, estimated_gain=0.4, base=base, patch=patch)
    wanted = Hypothesis(id=hypotheses.UNNUMBERED, title=str(patch), claim="it helps", source=source,
                        target_leaderboards=["ToyBoard"], implementation=change, priority_score=1.0,
                        config_hash=config_hash("toy", change.params, ctx.bench.ref))  # fmt: skip
    with ctx.sessions.begin() as session:
        return hypotheses.add(session=session, project=ctx.project, hypothesis=wanted)[0].id


def judged(ctx, hypothesis, look=1):
    """Verdict on a claimed hypothesis after one round."""
    run_trials(ctx, work.plan_validation(ctx, hypothesis))
    run_trials(ctx, work.plan_round(ctx, hypothesis, look))
    return work.decide(ctx, hypothesis, look)


def verdict_of(ctx, hypothesis):
    """The final one; on a busy machine the first look may be too few seeds to settle the cost."""
    for look in range(1, len(LOOKS)):
        run_trials(ctx, work.plan_round(ctx, hypothesis, look))
        verdict = work.decide(ctx, hypothesis, look)["verdict"]
        if verdict != "inconclusive":
            return verdict
    return verdict


def recorded(ctx, ids):
    """Stage -> versions of the benchmark that trials are recorded with."""
    found = {}
    with ctx.sessions() as session:
        for trial in (trials.get(session=session, project=ctx.project, trial_id=number) for number in ids):
            found.setdefault(str(trial.plan.stage), set()).add(trial.plan.benchmark.version)
    return found


def test_what_ran_on_published_seeds_goes_on_with_drawn_ones_and_production_is_measured_again(toy):
    ctx = toy.ctx
    inline.scrape(ctx)
    hypothesis = queue(ctx, BETTER)
    work.claim(ctx, "owner")
    run_trials(ctx, work.plan_validation(ctx, hypothesis))
    before = work.plan_round(ctx, hypothesis, 1)
    run_trials(ctx, before[:6])
    assert recorded(ctx, before) == {"full": {"1"}}

    after = settled(ctx, seeds="drawn")
    reconcile(after)
    version = after.bench.ref.version
    assert version.startswith("1-") and len(version) == 10
    with after.sessions() as session:
        unfinished = [trials.get(session=session, project=ctx.project, trial_id=n).state for n in before[6:]]
        assert {str(state) for state in unfinished} == {"cancelled"}, "nothing runs on data that is no more"
        assert production_config(after, session).candidate.benchmark.version == version
    planned = work.plan_round(after, hypothesis, 1)
    assert len(planned) == 8, "five of production, three of the candidate, all anew"
    run_trials(after, planned)
    assert verdict_of(after, hypothesis) == "promote"
    with after.sessions() as session:
        (made,) = decisions.latest(session=session, project=ctx.project)
    assert recorded(after, made.trial_ids) == {"full": {version}}
    assert rerun(after, made.trial_ids[0])["same"] and not rescore(after, made.trial_ids[0])["changed"]


def test_the_gates_items_are_drawn_anew_once_they_are_used_up(drawn):
    ctx = settled(drawn, gate_questions=2)
    first = gate_first = None
    with ctx.sessions() as session:
        gate_first = gate_ref(ctx, session)
    for patch, source in ({"reads": 1}, "fine search + gap"), ({"reads": 2}, "arXiv:2601.00001 + gap"):
        hypothesis = queue(ctx, patch, source)
        assert work.claim(ctx, "owner", hypothesis_id=hypothesis) == hypothesis
        judged(ctx, hypothesis)
        first = first or hypothesis
    with ctx.sessions() as session:
        used = asked(ctx, session)
        assert (used.draw, used.by_source, used.limit) == (1, {"fine search": 1, "papers": 1}, 2)

        assert status(ctx).gate.model_dump() == {
            "draw": 1, "questions": {"fine search": 1, "papers": 1}, "limit": 2, "published": False,
        }  # fmt: skip

    third = queue(ctx, BETTER)
    assert work.claim(ctx, "owner", hypothesis_id=third) == third
    with ctx.sessions() as session:
        now = gate_ref(ctx, session)
        assert now.version == f"{gate_first.version}-2" and ctx.bench.ref == gate_first
        assert asked(ctx, session).by_source == {}
        (said,) = records.logged(session=session, project=ctx.project, kind=LogKind.GATE_DRAW, limit=5)
        assert said.inputs == {"draw": 2, "questions": {"fine search": 1, "papers": 1}}
    checked = work.plan_validation(ctx, third)
    run_trials(ctx, checked)
    assert recorded(ctx, checked)["full"] == {now.version}, "production's first trial on the new items"
    planned = work.plan_round(ctx, third, 1)
    assert len(planned) == 7 and recorded(ctx, planned) == {"full": {now.version}}
    run_trials(ctx, planned)
    assert work.decide(ctx, third, 1)["verdict"] == "promote"
    inputs = [(ctx.bench.data.view("gate", draw=draw) / "inputs.jsonl").read_bytes() for draw in (1, 2)]
    assert inputs[0] != inputs[1]


def test_an_experiment_ends_on_the_items_that_it_began_with(drawn):
    ctx = settled(drawn, gate_questions=1)
    hypothesis = queue(ctx, {"reads": 2})
    work.claim(ctx, "owner", hypothesis_id=hypothesis)
    judged(ctx, hypothesis)
    other = queue(ctx, BETTER)
    work.claim(ctx, "owner", hypothesis_id=other)
    with ctx.sessions() as session:
        assert gate_ref(ctx, session).version.endswith("-2")
        running = {
            e.plan.key: e.plan.benchmark.version for e in experiments.running(session=session, project="default")
        }
    assert running[hypothesis] == ctx.bench.ref.version and running[other] == f"{ctx.bench.ref.version}-2"
    planned = work.plan_round(ctx, hypothesis, 2)
    assert recorded(ctx, planned) in ({}, {"full": {ctx.bench.ref.version}})


def test_the_secret_is_in_the_database_alone_and_an_import_draws_another(
    drawn, tmp_path, postgres, template_database
):
    ctx = drawn
    hypothesis = queue(ctx, BETTER)
    work.claim(ctx, "owner")
    judged(ctx, hypothesis)
    secret, archive = seed_secret(ctx.sessions), tmp_path / "project.tar.gz"
    export_project(ctx.settings, ctx.sessions, ctx.project, archive)
    with tarfile.open(archive) as tar:
        assert not any("installation" in name for name in tar.getnames())
        exported = [tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()]
    files = [path.read_bytes() for path in ctx.settings.root.rglob("*") if path.is_file()]
    seeds = [str(ctx.bench.data.seeds.seed(ctx.bench.data.benchmark, split)) for split in ("search", "gate")]
    for word in (secret, secret.hex().encode(), *(seed.encode() for seed in seeds)):
        assert not any(word in content for content in (*exported, *files))

    bind = engine(postgres.create_database(f"elsewhere_{abs(hash(tmp_path)) % 10**9}", template=template_database))
    settings = ctx.settings.model_copy(update={"home": tmp_path / "there"})
    settings.__dict__.pop("root", None)
    import_project(settings, session_factory(bind), archive)
    there = make_context(settings, session_factory(bind), NamedConnections({}))
    assert seed_secret(there.sessions) != secret and there.bench.ref != ctx.bench.ref
    reconcile(there)
    planned = work.plan_round(there, hypothesis, 1) or work.plan_round(there, hypothesis, 2)
    assert recorded(there, planned) in ({}, {"full": {there.bench.ref.version}})
    with there.sessions() as session:
        assert production_config(there, session).candidate.benchmark == there.bench.ref
    bind.dispose()


def test_a_secret_is_drawn_once_whoever_asks_first(drawn):
    assert seed_secret(drawn.sessions) == seed_secret(drawn.sessions)
    with drawn.sessions() as session:
        kept = session.execute(text("SELECT name, length(secret) FROM auto_benchmark.installation_secrets")).all()
    assert [tuple(row) for row in kept] == [("split seeds", 64)]
    assert replace(drawn).bench.ref == drawn.bench.ref
