"""What becomes of hypotheses that do not win: none costs more than it must, and each leaves its gap analysis."""

from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db.repositories import hypotheses, trials
from auto_benchmark.experiments.gate.rounds import experiment_of
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus, Implementation
from auto_benchmark.registry.technique_catalog import Effort


def conclude(ctx, patch):
    """Run one hypothesis to its end; returns its row, its experiment's trials and the gap analysis."""
    inline.scrape(ctx)
    base = ctx.bench.solution.solution.defaults
    change = Implementation(change="a try", effort=Effort.LOW, estimated_gain=0.01, base=base, patch=patch)
    wanted = Hypothesis(
        id=hypotheses.UNNUMBERED, title="a try", claim="it helps", source="test", implementation=change,
        target_leaderboards=["ToyBoard"], priority_score=1.0,
        config_hash=config_hash("toy", {**base, **patch}, ctx.bench.ref),
    )  # fmt: skip
    with ctx.sessions.begin() as session:
        added, _ = hypotheses.add(session=session, project=ctx.project, hypothesis=wanted)
    (ran,) = inline.sweep(ctx)["experiments"]
    assert ran["hypothesis_id"] == added.id
    with ctx.sessions() as session:
        found = hypotheses.get(session=session, project=ctx.project, hypothesis_id=added.id)
        experiment = experiment_of(ctx, session, added.id)
        run = trials.of_experiment(session=session, experiment_id=experiment.id)
    return found, run, (ctx.home / "experiments" / "archived" / f"{added.id}.md").read_text()


def test_a_change_that_makes_it_worse_is_archived_with_where_it_fell_short(toy):
    found, run, notes = conclude(toy.ctx, {"flip": 0.45})
    assert found.status is HypothesisStatus.ARCHIVED
    assert "candidate" in {t.plan.purpose for t in run}
    assert "Change: flip: 0.2 → 0.45." in notes
    row = next(line for line in notes.splitlines() if line.startswith("| whole split | accuracy |"))
    assert float(row.split("|")[5]) < 0


def test_a_change_without_effect_costs_one_short_trial(toy):
    file = toy.ctx.bench.solution.path / "train.py"
    file.write_text(file.read_text().replace("{config['seed']} {params}", "{config['seed']}"))
    found, run, notes = conclude(toy.ctx, {"colour": "green"})
    assert found.status is HypothesisStatus.ARCHIVED and "colour had no effect" in found.reason
    assert [t.plan.purpose for t in run] == ["validation"]
    assert "nothing to compare" in notes
