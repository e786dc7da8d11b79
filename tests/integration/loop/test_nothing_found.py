"""A world where no knob does anything: nothing is promoted, and every place that people read says so."""

import re

from sqlalchemy import text

from auto_benchmark.db.repositories import production, records
from auto_benchmark.flows.cycle import run_cycle
from auto_benchmark.telling.status import status

SAID = re.compile(
    r"ToyBoard: nothing found: \d+ trials, \d+ configurations searched, \d+ judged by the gate and none better; "
    r"best candidate within noise: [+-]0\.\d{4} on the (gate|search) split \(95 % interval -0\.\d{4} to \+0\.\d{4}\)"
)


def test_a_placebo_promotes_nothing_and_says_that_nothing_was_found(toy):
    ctx = toy.ctx
    script = ctx.bench.solution.path / "train.py"
    fixed = script.read_text().replace(
        'params, out = config["params"]', 'params, out = {**config["params"], "reads": 2, "offset": 4.0, "flip": 0.2}'
    )
    assert fixed != script.read_text()
    script.write_text(
        fixed.replace("{config['seed']} {params}", "{config['seed']} {config['params']}")  # luck differs, worth not
    )
    for number in range(2):
        result = run_cycle(ctx, f"c{number}")
    assert SAID.match(result["search"]), result["search"]
    assert status(ctx).search == result["search"]
    assert f"[SEARCH] {result['search']}" in toy.said
    (digest,) = (ctx.home / "reports").glob("digest-*.md")
    assert "nothing found: " in digest.read_text()
    assert "nothing found: " in (ctx.home / "TECHNICAL_LOG.md").read_text()
    with ctx.sessions() as session:
        held = production.current(session=session, project=ctx.project)
        promoted = session.scalar(
            text("select count(*) from auto_benchmark.promotion_decisions where verdict = 'promote'")
        )
        (case,) = records.open_escalations(session=session, project=ctx.project)
    assert promoted == 0 and held.candidate.params == ctx.bench.solution.solution.defaults
    assert case.title.startswith("ToyBoard: gap of 32.2% that no queued hypothesis")
    assert "configurations tried on the search split" in case.brief


def test_a_promotion_ends_what_was_said(toy):
    for number in range(3):
        result = run_cycle(toy.ctx, f"c{number}")
        if "promote" in {e["outcome"] for e in result["sweep"]["experiments"]}:
            break
    assert result["search"] is None and status(toy.ctx).search is None
