"""Production's regressions: found, explained, and repaired or handed to people."""

import json
from importlib.metadata import version

import pytest

from auto_benchmark.db.repositories import hypotheses, production, records
from auto_benchmark.defense import production as production_defense
from auto_benchmark.experiments.trials.planned import run_trials
from auto_benchmark.flows import inline
from auto_benchmark.flows.cycle import run_cycle
from auto_benchmark.hypotheses.hypothesis import Urgency
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.telling.status import status

LEADING = "system,accuracy\nOurs,0.99\nLeader,0.90\nLast,0.50\n"
WORSE = (
    "\nfor path in [out / 'predictions.jsonl']:\n    rows = [json.loads(r) for r in path.read_text().splitlines()]\n"
)
WORSE += "    path.write_text(''.join(json.dumps({**r, 'answer': 'low'}) + '\\n' for r in rows))\n"


@pytest.fixture
def leading(toy):
    """We lead with a better configuration than the defaults, and have a history of six quiet cycles."""
    toy.follow()
    toy.board.write_text(LEADING)
    inline.scrape(toy.ctx)
    ctx = toy.ctx
    params = {**ctx.bench.solution.solution.defaults, "reads": 6, "flip": 0.05, "offset": 0.0}
    candidate = ProductionCandidate(solution="toy", benchmark=ctx.bench.ref, params=params, scores={}, reason="test")
    with ctx.sessions.begin() as session:
        production.promote(session=session, project=ctx.project, candidate=candidate)
    for _ in range(6):
        run_trials(ctx, production_defense.plan_defense(ctx))
        assert production_defense.detect(ctx) == []
    return toy


def logged(ctx, kind):
    with ctx.sessions() as session:
        return records.logged(session=session, project=ctx.project, kind=kind)


def holder(ctx):
    with ctx.sessions() as session:
        return production.current(session=session, project=ctx.project)


def break_it(ctx, condition="True"):
    script = ctx.bench.solution.path / "train.py"
    script.write_text(script.read_text() + f"\nif {condition}:" + WORSE.replace("\n", "\n    "))


def test_a_quiet_cycle_measures_and_alarms_nothing(leading):
    result = inline.defend(leading.ctx)
    assert (result["mode"], result["alarms"], result["regressions"]) == ("defense", [], [])
    assert not any("ALERT" in line for line in leading.said)
    assert logged(leading.ctx, "environment")


def test_behind_there_is_nothing_to_defend(toy):
    inline.scrape(toy.ctx)
    assert inline.defend(toy.ctx)["mode"] == "attack"


def test_a_regression_of_the_new_configuration_alone_is_rolled_back(leading):
    ctx, before = leading.ctx, holder(leading.ctx)
    break_it(ctx, "params['reads'] == 6")
    result = inline.defend(ctx)
    assert result["alarms"] == ["ToyBoard accuracy"]
    (regression,) = result["regressions"]
    assert regression["action"] == "rolled_back"
    assert regression["causes"][0].startswith("the solution's code changed (code: ")
    now = holder(ctx)
    assert now.id != before.id and now.candidate.params == ctx.bench.solution.solution.defaults
    assert any(line.startswith("[ALERT] Production regressed: ToyBoard accuracy") for line in leading.said)
    assert logged(ctx, "rollback")


def test_a_regression_that_going_back_cannot_repair_is_escalated_once(leading):
    ctx, before = leading.ctx, holder(leading.ctx)
    (ctx.bench.solution.path / "requirements.lock").write_text(f"pydantic=={version('pydantic')}\n")
    script = ctx.bench.solution.path / "train.py"
    (ctx.bench.solution.path / "lib.py").write_text("")
    script.write_text(
        script.read_text()
        .replace('answer = "high" if total >= 27', 'answer = "low" if total >= 27')
        .replace('else "low"\n        if rng', 'else "high"\n        if rng')
    )
    with ctx.sessions() as session:
        assert records.open_escalations(session=session, project=ctx.project) == []
    told = inline.defend(ctx)["regressions"]
    assert told[0]["action"] in {"escalated", "rolled_back"}
    assert any("the dependency lock changed (lock: absent -> " in cause for cause in told[0]["causes"])
    if told[0]["action"] == "escalated":
        assert holder(ctx).id == before.id
        with ctx.sessions() as session:
            (case,) = records.open_escalations(session=session, project=ctx.project)
        assert "dependency lock" in case.brief
        assert [r["action"] for r in inline.defend(ctx)["regressions"]] in ([], ["known"])


def test_a_data_file_changed_on_disk_is_told(leading):
    ctx = leading.ctx
    file = ctx.bench.data.view("gate") / "inputs.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    file.chmod(0o644)
    file.write_text("".join(json.dumps({**row, "digits": [9] * 6}) + "\n" for row in rows))
    result = inline.defend(ctx)
    assert any(
        line.startswith("[ALERT] production's environment changed: a data file on disk") for line in leading.said
    )
    (regression,) = result["regressions"]
    assert any("a data file on disk changed (inputs: " in cause for cause in regression["causes"])
    assert regression["action"] in {"rolled_back", "escalated"}


def test_a_slower_production_is_handed_to_people(leading):
    ctx = leading.ctx
    script = ctx.bench.solution.path / "train.py"
    script.write_text(script.read_text().replace("1.0 + rng.random() / 100", "1.2 + rng.random() / 100"))
    (regression,) = inline.defend(ctx)["regressions"]
    assert (regression["metric"], regression["action"]) == ("latency_ms", "escalated")
    with ctx.sessions() as session:
        (case,) = records.open_escalations(session=session, project=ctx.project)
    assert case.title == "Production regressed: latency_ms"


def test_entrants_close_behind_are_noted_once(leading):
    leading.board.write_text(LEADING.replace("Leader,0.90", "Newcomer,0.96"))
    inline.scrape(leading.ctx)
    close = production_defense.watch_entrants(leading.ctx)
    assert close == [{"board": "ToyBoard", "system": "Newcomer", "score": 0.96}]
    production_defense.watch_entrants(leading.ctx)
    assert len(logged(leading.ctx, "entrant")) == 1


def test_three_percent_less_is_found_within_a_few_cycles(leading):
    """Real trials whose seeds scatter by 0.006; nothing rings in the six quiet cycles before."""
    ctx = leading.ctx
    board = ctx.settings.config / "competitive_registry.yaml"
    board.write_text(board.read_text().replace("promotion_threshold: 0.03", "promotion_threshold: 0.005"))
    ctx = leading.again()
    script = ctx.bench.solution.path / "train.py"
    lost = '        if rng.random() < 0.03:\n            answer = ""\n        file.write('
    script.write_text(script.read_text().replace("        file.write(", lost))
    cycles = (inline.defend(ctx)["regressions"] for _ in range(4))
    (regression,) = next(found for found in cycles if found)
    assert (regression["metric"], regression["action"]) == ("accuracy", "escalated"), "the one before is no better"
    assert 0.01 < (regression["baseline"] - regression["fresh"]) / regression["baseline"] < 0.05
    assert regression["causes"][0].startswith("the solution's code changed (code: ")


def test_overtaken_we_attack_again(leading):
    ctx = leading.ctx
    assert inline.defend(ctx)["mode"] == "defense" and status(ctx).boards[0].mode == "defense"
    leading.board.write_text(LEADING.replace("Leader,0.90", "Leader,0.995"))
    result = run_cycle(ctx, "overtaken")
    assert result["defense"]["mode"] == "attack" and status(ctx).boards[0].mode == "attack"
    assert logged(ctx, "rank_drop"), "an urgent sweep answered it"
    with ctx.sessions() as session:
        made = hypotheses.listed(session=session, project=ctx.project)
    assert {h.urgency for h in made} <= {Urgency.URGENT, Urgency.NORMAL}
    leading.board.write_text(LEADING)
    assert inline.scrape(ctx) and inline.defend(ctx)["mode"] == "defense"
