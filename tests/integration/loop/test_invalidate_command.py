"""``auto-benchmark invalidate``: what a person withdraws is decided again, through the command line."""

import json

import pytest
from sqlalchemy import text

from auto_benchmark.db.repositories import decisions, hypotheses, production
from auto_benchmark.flows import inline
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus


@pytest.fixture
def promotion(toy):
    """The experiment that was promoted."""
    inline.scrape(toy.ctx)
    for _ in range(4):
        for done in inline.sweep(toy.ctx)["experiments"]:
            if done["outcome"] == "promote":
                return done
    raise AssertionError("\n".join(toy.said))


def held(ctx):
    with ctx.sessions() as session:
        return production.current(session=session, project=ctx.project)


def status_of(ctx, hypothesis_id):
    with ctx.sessions() as session:
        return hypotheses.get(session=session, project=ctx.project, hypothesis_id=hypothesis_id).status


def test_withdrawn_trials_take_their_promotion_back(toy, command, promotion):
    with toy.ctx.sessions() as session:
        used = decisions.get(session=session, project="default", decision_id=promotion["decision_id"]).trial_ids
        found = session.execute(text("select id from auto_benchmark.trials where purpose = 'candidate'")).scalars()
        mine = [trial for trial in found if trial in used]
    told = []
    for trial in mine:
        code, out = command("invalidate", "trial", str(trial), "--reason", "wrong file", "--by", "ann", "--json")
        assert code == 0
        told += json.loads(out)["decided_again"]
    assert {row["hypothesis_id"] for row in told} == {promotion["hypothesis_id"]}
    assert any("rolled back" in row["action"] for row in told), told
    assert held(toy.ctx).candidate.params == toy.ctx.bench.solution.solution.defaults
    assert status_of(toy.ctx, promotion["hypothesis_id"]) is HypothesisStatus.QUEUED
    code, out = command("invalidate", "trial", str(mine[0]), "--reason", "again")
    assert (code, out) == (2, "")


def test_a_withdrawn_data_set_takes_its_promotions_back(toy, command, promotion):
    code, _ = command("invalidate", "dataset", "toy", "1", "--reason", "labels were wrong")
    assert code == 2, "the version in use must be replaced first"
    declared = toy.ctx.settings.benchmarks / "toy" / "benchmark.yaml"
    declared.write_text(declared.read_text().replace('version: "1"', 'version: "2"'))
    code, out = command("invalidate", "dataset", "toy", "1", "--reason", "labels were wrong", "--by", "ann")
    assert code == 0
    assert f"{promotion['hypothesis_id']}: promote -> insufficient_data; rolled back, tested again" in out
    assert held(toy.ctx).candidate.params == toy.ctx.bench.solution.solution.defaults
