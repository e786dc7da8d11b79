"""What the search has to go on: the results of its trials, and what the gate made of its proposals."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import Focus
from auto_benchmark.contract.measured import MEASURED
from auto_benchmark.db.repositories import decisions, hypotheses, search_results
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.hypotheses.search.finding import Refused
from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.hypotheses.strategy import Strategy, strategy_for
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.decision import Decision
from auto_benchmark.registry.solution import Params


def strategy_of(aim: Focus) -> Strategy:
    """Fine search while we lead; otherwise by the size of the gap."""
    return Strategy.FINE if aim.gap >= 0 else strategy_for(aim.gap_fraction)


def history(ctx: Context, session: Session, aim: Focus) -> list[Tried]:
    """Every configuration that the search has tried, its scores oriented so that higher is better."""
    found = search_results.by_config(
        session=session,
        project=ctx.project,
        solution=ctx.bench.solution.solution.name,
        benchmark=ctx.bench.ref,
        metric=aim.metric,
        others=sorted({*MEASURED, *(guard.name for guard in ctx.bench.solution.solution.metrics.guarded())}),
    )
    sign = 1.0 if aim.higher_is_better else -1.0
    return [
        Tried(
            each.params,
            tuple(sign * score for score in each.scores),
            {part: sign * score for part, score in each.slices.items()},
            each.others,
        )
        for each in found
    ]


def refused(ctx: Context, session: Session, aim: Focus, base: Params) -> list[Refused]:
    """Changes of ``base`` that the gate judged and did not take, on this board."""
    archived = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.ARCHIVED])
    mine = {
        h.id: h.implementation.params
        for h in archived
        if dict(h.implementation.base) == dict(base) and aim.board in h.target_leaderboards
    }
    last = decisions.last_of(session=session, project=ctx.project, hypothesis_ids=mine)
    return [_refused(mine[key], Decision.model_validate_json(made.decision_json)) for key, made in last.items()]


def _refused(params: Params, decision: Decision) -> Refused:
    if decision.estimate is None or decision.interval is None:
        return Refused(params, decision.n)
    low, high = decision.interval
    return Refused(params, decision.n, decision.estimate, (high - low) / 2)
